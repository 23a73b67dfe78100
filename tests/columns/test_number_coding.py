"""Numbers as places in a list, whatever the tables they stand in."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from probfs.columns.number_coding import NumberCoding
from probfs.tables.readers.in_memory import table_in_memory
from probfs.tables.table import Table


def table_of(cells: list[str]) -> Table:
    return table_in_memory(pd.DataFrame({"a": cells, "y": ["0"] * len(cells)}), "data")


@pytest.mark.parametrize("typed", [False, True])
def test_places_are_those_of_the_numbers(typed: bool) -> None:
    coding = NumberCoding.of(table_of(["2.5", "-1", "", "1e3", "-0", "0", "x"]).columns["a"])
    assert coding.numbers.tolist() == [-1, 0, 2.5, 1000]
    part = (
        table_in_memory(pd.DataFrame({"a": [1000, np.nan, 0.0, -1]}), "data")
        if typed
        else table_of(["1000", "", "-0.0", "-1"])
    )
    assert coding.recode(part).tolist() == [3, 4, 1, 0]


def test_a_long_column_of_different_numbers() -> None:
    numbers = np.random.default_rng(0).normal(size=5000)
    whole = table_in_memory(pd.DataFrame({"a": numbers}), "data")
    coding = NumberCoding.of(whole.columns["a"])
    np.testing.assert_array_equal(coding.numbers[coding.recode(whole)], numbers)
