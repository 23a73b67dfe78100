"""All tables with given margins, against all orders of the labels."""

from __future__ import annotations

from collections import Counter
from itertools import permutations

import numpy as np
import pytest

from probfs.screening import all_tables


@pytest.mark.parametrize("classes", [2, 3])
def test_every_table_is_there_as_often_as_shuffled_labels_give_it(classes: int) -> None:
    values, labels = np.array([0, 0, 1, 1, 1, 2]), np.array([0, 0, 1, 1, 2, 2]) % classes
    orders: Counter[bytes] = Counter()
    for order in set(permutations(labels.tolist())):
        table = np.zeros((3, classes), dtype=np.int64)
        np.add.at(table, (values, np.array(order)), 1)
        orders[table.tobytes()] += 1
    enumerated = all_tables._all_tables(np.bincount(values), np.bincount(labels))
    assert enumerated is not None
    tables, times = enumerated
    every = {np.ascontiguousarray(tables[:, :, t]).tobytes(): times[t] for t in range(len(times))}
    assert every == orders


def test_too_many_tables_are_not_looked_at() -> None:
    assert all_tables._all_tables(np.ones(18, np.int64), np.array([6, 6, 6])) is None
