"""Numbers as places in a list, however a column holds them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from probfs.cluster.number_cells import NumberCells

from probfs.tables.column import Column
from probfs.tables.frames import table_in_memory


def column_of(cells: Any) -> Column:
    return table_in_memory(pd.DataFrame({"a": cells}), "data").columns["a"]


@pytest.mark.parametrize(
    "cells", [["2.5", "-1", "", "1e3", "-0", "0", "2.5", "x"], [2.5, -1, np.nan, 1000, -0.0, 0, 2.5, np.nan]]
)
def test_places_are_those_of_the_numbers(cells: Any) -> None:
    found = NumberCells.of(column_of(cells), np.array([7, 0, 1, 2, 4, 5, 6]))
    numbers = np.append(found.numbers, np.nan)[found.places]
    np.testing.assert_array_equal(numbers, [np.nan, 2.5, -1, np.nan, 0, 0, 2.5])
    assert (np.diff(found.numbers) > 0).all()
    some = found.take(np.array([2, 0]))
    np.testing.assert_array_equal(np.append(some.numbers, np.nan)[some.places], [-1, np.nan])


def test_a_long_column_of_different_numbers() -> None:
    numbers = np.random.default_rng(0).normal(size=5000)
    found = NumberCells.of(column_of(numbers), np.arange(100, 5000))
    np.testing.assert_array_equal(found.numbers[found.places], numbers[100:])
