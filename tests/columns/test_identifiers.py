"""Which columns name their rows, and that measurements and dates do not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from random import Random
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probfs.columns.identifiers import identifier_reason
from probfs.tables.arrow_arrays import text_array
from probfs.tables.readers.frame import table_from_frame
from probfs.tables.table import Column, Kind

Cell = Callable[[int], object]


def column_of(cells: Sequence[object] | pd.Categorical[Any], name: str = "c") -> Column:
    own = cells if isinstance(cells, pd.Categorical) else list(cells)
    return table_from_frame(pd.DataFrame({name: own})).columns[name]


def texts(cells: Sequence[object], name: str = "c") -> Column:
    """A column as CSV files have it: of texts, None being a missing cell."""
    return column_of([None if cell is None else str(cell) for cell in cells], name)


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("kind", [int, float, str, lambda n: f"{n:03}", lambda n: f"{n}.0"])
def test_row_numbers_are_found_whatever_their_type(first: int, kind: Cell) -> None:
    for rows in (5, 300):
        numbered = column_of([kind(row + first) for row in range(rows)])
        assert identifier_reason(numbered) == f"numbers the rows from {first} on"


def test_row_numbers_are_whole_in_order_and_in_every_row() -> None:
    assert identifier_reason(texts(range(2, 7))) is None
    assert identifier_reason(texts([1, 2, 3, 5, 4])) is None
    assert identifier_reason(texts([1, 2, 3, 4, None])) is None
    assert identifier_reason(texts([1, 2, 3, 4])) is None, "four rows may hold them by chance"


@pytest.mark.parametrize("codes", [[0, 1, 2, 3, 3], [0, 1, 2, 3, 5], [1, 0, 2, 3, 4]])
def test_declared_values_number_rows_only_if_each_row_holds_its_own(codes: list[int]) -> None:
    column = Column("c", np.arange(5, dtype=np.uint8), text_array(["1", "2", "3", "4", "5"]), declared=True)
    assert identifier_reason(column) == "numbers the rows from 1 on"
    assert identifier_reason(replace(column, codes=np.array(codes, np.uint8))) != "numbers the rows from 1 on"


KEYS = [5 * key for key in range(200)]


def test_keys_rise_in_the_order_of_rows_and_never_repeat() -> None:
    rises = "whole numbers that rise from row to row, 200 values in 200 rows"
    assert identifier_reason(texts(KEYS)) == rises
    assert identifier_reason(texts([*KEYS, KEYS[-2]])) is None
    assert identifier_reason(texts([KEYS[1], KEYS[0], *KEYS[2:]])) is None
    for order in (KEYS, Random(2).sample(KEYS, 200)):
        # The values of an ordered type stand in its order, whatever that of the rows is.
        typed = [str(key) for key in order]
        assert identifier_reason(column_of(pd.Categorical([str(key) for key in KEYS], typed, ordered=True))) == rises
        shuffled = pd.Categorical(Random(3).sample(typed, 200), typed, ordered=True)
        assert identifier_reason(column_of(shuffled)) is None


SHUFFLED = Random(1).sample(range(10_000, 90_000), 200)


@pytest.mark.parametrize(
    "name",
    ["id", "ID", "Id", "sample_id", "PassengerId", "userID", "id_of_case", "uuid", "patientid", "rownames", "order-id"],
)
def test_a_name_and_mostly_different_values_make_an_identifier(name: str) -> None:
    for cells in ([value % 150 * 7 for value in SHUFFLED], [f"k{value % 150}" for value in SHUFFLED], SHUFFLED[:4]):
        distinct, rows = len(set(cells)), len(cells)
        reason = f"named like an identifier, {distinct} values in {rows} rows"
        assert identifier_reason(texts(cells, name)) == reason
    several_rows_each = [value % 90 for value in SHUFFLED]
    assert str(identifier_reason(texts(several_rows_each, name))).startswith("named like an identifier, ")
    assert identifier_reason(texts([value % 20 for value in SHUFFLED], name)) is None, "a group of rows"
    assert identifier_reason(texts([value % 30 for value in SHUFFLED * 10], name)) is None, "a group of rows"
    assert identifier_reason(texts([value / 7 for value in SHUFFLED], name)) is None, "a measurement"
    assert identifier_reason(texts(["x"], name)) is None


@pytest.mark.parametrize("name", ["valid", "period", "Madrid", "acid", "keyboard", "idle", "nobody"])
def test_a_name_that_only_resembles_an_identifier_s_is_none(name: str) -> None:
    assert identifier_reason(texts([value % 150 * 7 for value in SHUFFLED], name)) is None


@pytest.mark.parametrize("name", ["number", "house_no", "price index", "key"])
def test_a_name_that_may_be_that_of_an_amount_needs_nearly_all_values_to_differ(name: str) -> None:
    assert identifier_reason(texts([value % 150 * 7 for value in SHUFFLED], name)) is None
    assert identifier_reason(texts([value * 3 for value in SHUFFLED], name)) is not None


@pytest.mark.parametrize(
    "cell",
    [
        lambda n: f"Mr {n}",
        lambda n: f"text {n}",
        lambda n: f"{n - 39_000:05}",
        lambda n: f"{n:05}-{n}",
        lambda n: f"A.{n}",
    ],
)
def test_texts_nearly_all_different_are_identifiers(cell: Cell) -> None:
    different = [cell(value) for value in range(40_000, 40_100)]
    reason = "text that is different in nearly every row, 100 values in 100 rows"
    assert identifier_reason(texts(different)) == reason
    assert identifier_reason(texts([*different, *[None] * 100])) == reason
    assert identifier_reason(texts([*different, *[None] * 101])) is None, "most cells are missing"
    assert identifier_reason(texts([*different[:91], *different[:9]])) is not None
    assert identifier_reason(texts([*different[:90], *different[:10]])) is None, "a tenth repeats"
    assert identifier_reason(texts(different[:20])) is None, "few rows"


@pytest.mark.parametrize(
    ("cells", "reason"),
    [
        (Random(2).sample(range(60), 40), "whole numbers with few gaps"),
        ([5 * n + n % 3 + 1 for n in range(40)], "whole numbers that rise from row to row"),
        ([None if n % 4 == 0 else 5 * n for n in range(1, 60)], "whole numbers that rise from row to row"),
        (Random(3).sample(range(60_000, 76_000), 400), "whole numbers of 5 digits"),
        (Random(4).sample(range(10**8, 10**9), 40), "whole numbers of 9 digits"),
        ([*Random(2).sample(range(60), 40), "NA"], "whole numbers with few gaps"),
        ([*Random(2).sample(range(60), 40), "inf"], "whole numbers with few gaps"),
    ],
)
def test_whole_numbers_nearly_all_different_that_look_like_keys_are_identifiers(
    cells: list[object], reason: str
) -> None:
    present = len({cell for cell in cells if isinstance(cell, int)})
    assert identifier_reason(texts(cells)) == f"{reason}, {present} values in {present} rows"


@pytest.mark.parametrize(
    ("name", "cells"),
    [
        ("temperature", [n - 20 for n in Random(5).sample(range(60), 40)]),
        ("year", list(range(1950, 2000))),
        ("income", Random(6).sample(range(10_000, 99_999), 60)),
        ("price", [1000 * n for n in Random(7).sample(range(1000, 9999), 60)]),
        ("velocity, sorted", sorted(Random(8).sample(range(9_000, 40_000), 82))),
        ("population", Random(9).sample(range(100, 10**7), 50)),
        ("age", [n % 30 for n in range(50)]),
        ("dose", [n * 1.5 for n in range(50)]),
        ("mostly whole", [*Random(2).sample(range(60), 40), 0.5]),
        ("decimal comma", [f"{n},{n % 10}" for n in range(50)]),
        ("thousands", [f"{n},{n:03}" for n in range(50)]),
        ("euros", [f"€{n}.50" for n in range(50)]),
        ("share", [f"{n}%" for n in range(50)]),
        ("numbers and a word", [*[n * 1.5 for n in range(50)], "none"]),
    ],
)
def test_measurements_are_not_identifiers(name: str, cells: list[object]) -> None:
    assert identifier_reason(texts(cells, name)) is None
    assert identifier_reason(texts(cells, "id")) is None or all(isinstance(cell, int) for cell in cells)


@pytest.mark.parametrize(
    "form",
    ["%Y-%m-%d", "%d.%m.%Y", "%m/%d/%y", "%d %B %Y", "%b %d, %Y", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M:%S.%f", "%b %Y"],
)
def test_dates_are_not_identifiers(form: str) -> None:
    days = pd.date_range("1999-01-01", periods=60, freq="MS")
    assert identifier_reason(texts([day.strftime(form) for day in days])) is None
    assert identifier_reason(column_of(list(days))) is None
    assert column_of(list(days)).kind is Kind.DATE
    assert (
        identifier_reason(texts([f"{year}Q{quarter}" for year in range(1990, 2000) for quarter in range(1, 5)])) is None
    )
    assert identifier_reason(texts([f"{n // 60}:{n % 60:02}" for n in range(90)])) is None


def test_a_row_that_stands_for_many_does_not_name_them() -> None:
    states = texts([f"state {n}" for n in range(30)])
    assert identifier_reason(states, np.full(30, 7)) is None
    assert identifier_reason(states, np.ones(30, dtype=np.int64)) is not None


@given(st.lists(st.one_of(st.none(), st.integers(-5, 40), st.text(max_size=3), st.floats()), min_size=1, max_size=60))
def test_any_column_is_judged_and_few_values_never_name_rows(cells: list[object]) -> None:
    judged = identifier_reason(texts(cells))
    present = [str(cell) for cell in cells if cell is not None]
    if judged is not None:
        assert len(set(present)) > 0.5 * len(present)
    assert identifier_reason(texts([*cells, *cells])) is None
