"""Numbers of rows in blocks, tested without each fold, against the test of all rows together."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from probfs.cluster.block import Block
from probfs.cluster.coded_rows import CodedRows
from probfs.cluster.fold_cells import FoldCells
from probfs.cluster.fold_numbers import gather_fold_numbers
from probfs.cluster.number_cells import NumberCells
from probfs.screening.drawn_tables import enough_draws

from probfs.cluster import fold_numbers
from probfs.cluster.blocks import Blocks
from probfs.cluster.connection import as_it_is
from probfs.screening.number_test import rank_test
from probfs.tables.arrays import Floats, Integers
from probfs.tables.column import number_column
from tests.support.in_process_cluster import InProcessCluster

FOLDS = 3


def blocks_of(columns: list[Floats], labels: Integers, counts: Integers, copies: Integers, cuts: list[int]) -> Blocks:
    cluster: Any = InProcessCluster()
    blocks = []
    for own in np.split(np.arange(len(labels)), cuts):
        numbers = tuple(NumberCells.of(number_column("m", column), own) for column in columns)
        order = np.argsort(labels[own], kind="stable")
        rows = CodedRows.sorted(labels[own], counts[own], np.zeros((1, len(own)), dtype=np.uint8), numbers)
        nothing = CodedRows.of_nothing(np.zeros((1, 0), dtype=np.uint8))
        blocks.append(cluster.submit("block", as_it_is, Block(rows, nothing).with_folds(copies[:, own][:, order])))
    return Blocks(cluster, blocks)


@pytest.mark.parametrize("at_a_time", [1 << 20, 700])
@pytest.mark.parametrize(("rows", "digits", "classes"), [(300, 1, 2), (300, 1, 3), (14_000, 9, 2), (14_000, 9, 3)])
def test_each_fold_is_left_out(
    rows: int, digits: int, classes: int, at_a_time: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fold_numbers, "_CELLS_OF_A_RANGE", at_a_time)
    random = np.random.default_rng(rows + classes)
    labels, counts = random.integers(0, classes, rows), random.integers(1, 4, rows)
    columns: list[Any] = [np.round(random.normal(size=rows) + shift * labels, digits) for shift in (0.0, 0.05)]
    columns[1][random.random(rows) < 0.1] = np.nan
    # Close together: the leading bits tell nothing apart.
    columns.append(1000 + columns[0] / 1000)
    copies = random.multinomial(counts, [1 / FOLDS] * FOLDS).T
    blocks = blocks_of(columns, labels, counts, copies, [rows // 10, rows // 10, rows // 2])
    found = gather_fold_numbers(blocks, [0, 3, 2], classes)
    assert all(isinstance(own, FoldCells) == (rows < 1000) for own in found.columns)
    for fold in range(FOLDS):
        tests = found.test(fold, 7, 5)
        left = counts - copies[fold]
        expected = rank_test(np.array(columns), labels, classes, left, 7, enough_draws(5))
        np.testing.assert_allclose(tests.statistic[[0, 3, 2]], expected.statistic, rtol=1e-10)
        np.testing.assert_allclose(tests.p[[0, 3, 2]], expected.p, rtol=1e-9)
        np.testing.assert_array_equal(tests.varies, [True, False, True, True, False])


def test_a_column_without_a_number() -> None:
    labels, counts = np.arange(40) % 2, np.ones(40, dtype=np.int64)
    copies = (np.arange(40) % FOLDS == np.arange(FOLDS)[:, None]).astype(np.int64)
    found = gather_fold_numbers(blocks_of([np.full(40, np.nan)], labels, counts, copies, [10]), [0], 2)
    assert found.test(0, 0, 1).p.tolist() == [1.0]
