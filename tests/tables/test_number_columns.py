"""Columns of numbers in blocks: the many of a wide table, and each long one whose numbers are mostly different."""

from __future__ import annotations

from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import probfs
from probfs.tables.number_block import NumberColumn
from probfs.tables.readers import number_columns
from probfs.tables.readers.arrow import column_from_arrow
from probfs.tables.readers.number_columns import as_doubles, column_of_many_numbers
from tests.support.random_frames import Cells, outcome, tables
from tests.support.table_content import cell_texts


@given(
    columns=tables(kinds=("fractions", "floats", "integers", "long integers", "words")),
    score=st.sampled_from(["absolute", "signed"]),
    unlabelled=st.booleans(),
)
@settings(max_examples=25)
def test_a_long_column_of_numbers_is_ranked_as_its_texts_are(
    columns: dict[str, Cells], score: str, unlabelled: bool
) -> None:
    arrow = pa.table(columns)
    options: dict[str, Any] = {"target": "y", "score": score, "unlabeled": arrow if unlabelled else None}
    expected = outcome(arrow, **options)
    with patch.multiple(number_columns, LONG=0, _SAMPLE=4):
        assert outcome(arrow, **options) == expected


@pytest.mark.parametrize("dtype", [pa.float64(), pa.float32(), pa.int32(), pa.uint64()], ids=str)
def test_a_long_column_holds_the_same_texts_as_a_short_one(dtype: pa.DataType) -> None:
    numbers = pa.array(np.random.default_rng(0).permutation(20_000), pa.float64())
    cells = pa.chunked_array([numbers[:7], numbers[7:]]).cast(dtype)
    column = column_from_arrow("a", cells)
    assert isinstance(column, NumberColumn)
    assert cell_texts(column)[:50] == cell_texts(column_from_arrow("a", cells.slice(0, 50)))
    assert column.renamed("b").name == "b"


@pytest.mark.parametrize(
    "cells",
    [
        np.arange(number_columns.LONG - 1.0),
        np.arange(20_000) % 900,
        np.append(np.arange(20_000.0), np.inf),
        np.append(np.arange(20_000), 2**60),
        np.arange(20_000).astype(str),
    ],
    ids=["short", "repeated", "infinite", "beyond doubles", "texts"],
)
def test_other_columns_are_no_blocks(cells: Any) -> None:
    arrow = pa.chunked_array([pa.array(cells)])
    assert column_of_many_numbers("a", arrow) is None
    assert cell_texts(column_from_arrow("a", arrow))[-1] == str(cells[-1]).removesuffix(".0")


def test_numbers_of_single_precision_are_those_written_in_the_same_digits() -> None:
    assert as_doubles(np.array([[0.1, np.nan]], dtype=np.float32)).tolist()[0][0] == 0.1


def test_numbers_of_single_precision_are_written_some_at_a_time() -> None:
    bits = np.random.default_rng(3).integers(0, 2**32, size=(30, 40), dtype=np.uint32)
    numbers = bits.view(np.float32).T
    numbers[np.isinf(numbers)] = -0.0
    with patch.object(number_columns, "_CELLS", 7), patch.object(pc, "cast", wraps=pc.cast) as cast:
        found = as_doubles(numbers)
    assert max(len(call.args[0]) for call in cast.call_args_list) == 7
    expected = [[float(str(number)) for number in line] for line in numbers]
    assert np.array_equal(found, expected, equal_nan=True)


def test_labels_may_be_many_numbers_that_are_cut() -> None:
    y = np.random.default_rng(0).normal(size=12_000)
    ranking = probfs.rank(pd.DataFrame({"a": y > 0}), pd.Series(y, name="amount"), cut_target=2)
    assert ranking.input.target == "amount"
    assert list(ranking.input.classes.values()) == [6_000, 6_000]
