"""Which columns name their rows, and that measurements and dates do not."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probfs.columns.prepare import PreparedTable
from tests.support.tables import prepare_csv, prepare_frame

Cell = Callable[[int], object]


def judged(prepared: PreparedTable) -> str | None:
    return prepared.plans[0].identifier or None


def reason(cells: Sequence[object], name: str = "c", **choice: Any) -> str | None:
    """Why a column of a data frame names its rows; beside it stands a target."""
    return judged(prepare_frame({name: cells, "target": ["p", "q", *"p" * len(cells)][: len(cells)]}, **choice))


def reason_of_texts(cells: Sequence[object], name: str = "c") -> str | None:
    """The same for texts, in a CSV file and in a data frame; None is a missing cell."""
    stream = io.StringIO()
    classes = ["p", "q", *"p" * len(cells)]
    csv.writer(stream).writerows([(name, "target"), *zip(cells, classes, strict=False)])
    found = judged(prepare_csv(stream.getvalue()))
    assert reason([None if cell is None else str(cell) for cell in cells], name) == found
    return found


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("kind", [int, float, str, lambda n: f"{n:03}", lambda n: f"{n}.0"])
def test_row_numbers_are_found_whatever_their_type(first: int, kind: Cell) -> None:
    for rows in (5, 300):
        cells = [kind(row + first) for row in range(rows)]
        assert reason(cells) == reason_of_texts(cells) == f"numbers the rows from {first} on"


SHUFFLED = Random(1).sample(range(10_000, 90_000), 200)
KEYS = [5 * key for key in range(200)]


@pytest.mark.parametrize(
    "name",
    ["id", "ID", "Id", "sample_id", "PassengerId", "userID", "id_of_case", "uuid", "patientid", "rownames", "order-id"],
)
def test_a_name_and_mostly_different_values_make_an_identifier(name: str) -> None:
    for cells in ([value % 150 * 7 for value in SHUFFLED], [f"k{value % 150}" for value in SHUFFLED], SHUFFLED[:4]):
        expected = f"named like an identifier, {len(set(cells))} values in {len(cells)} rows"
        assert reason(cells, name) == reason_of_texts(cells, name) == expected
    several_rows_each = [value % 90 for value in SHUFFLED]
    assert str(reason_of_texts(several_rows_each, name)).startswith("named like an identifier, ")
    assert reason_of_texts([value % 20 for value in SHUFFLED], name) is None, "a group of rows"
    assert reason_of_texts([value / 7 for value in SHUFFLED], name) is None, "a measurement"
    assert reason_of_texts(["x"], name) is None


FEW_GAPS = Random(2).sample(range(60), 40)


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (FEW_GAPS, "whole numbers with few gaps"),
        (KEYS, "whole numbers that rise from row to row"),
        ([None if n % 4 == 0 else 5 * n for n in range(1, 60)], "whole numbers that rise from row to row"),
        (Random(3).sample(range(60_000, 76_000), 400), "whole numbers of 5 digits"),
        (Random(4).sample(range(10**8, 10**9), 40), "whole numbers of 9 digits"),
        ([2**53 + 1 + n for n in FEW_GAPS], "whole numbers with few gaps"),
        *(([*FEW_GAPS, other], "whole numbers with few gaps") for other in ("NA", "inf", "many")),
    ],
)
def test_whole_numbers_nearly_all_different_that_look_like_keys_are_identifiers(
    cells: list[object], expected: str
) -> None:
    present = len({cell for cell in cells if isinstance(cell, int)})
    assert reason_of_texts(cells) == f"{expected}, {present} values in {present} rows"
    if all(isinstance(cell, int) for cell in cells):
        assert reason(cells) == reason_of_texts(cells)


@pytest.mark.parametrize("form", ["Mr {0}", "text {0}", "{1:05}", "{0:05}-{0}", "A.{0}"])
def test_texts_nearly_all_different_are_identifiers(form: str) -> None:
    different = [form.format(value, value - 39_000) for value in range(40_000, 40_100)]
    expected = "text that is different in nearly every row, 100 values in 100 rows"
    assert reason_of_texts(different) == reason_of_texts([*different, *[None] * 100]) == expected
    assert reason_of_texts([*different, *[None] * 101]) is None, "most cells are missing"
    assert reason_of_texts([*different[:91], *different[:9]]) is not None
    assert reason_of_texts([*different[:90], *different[:10]]) is None, "a tenth repeats"


def shuffled(cells: list[int]) -> list[int]:
    return Random(0).sample(cells, len(cells))


def keys(least: int, spread: int, number: int, round_ones: int = 15) -> list[int]:
    """So many different whole numbers between these, of which some end in 0."""
    ends = [least + (least % 10 == 0), least + spread - ((least + spread) % 10 == 0)]
    others = [n for n in range(ends[0] + 1, ends[1]) if n % 10]
    return shuffled(
        [*ends, *others[: number - round_ones - 2], *range(-(-least // 10) * 10, least + spread, 10)[:round_ones]]
    )


@pytest.mark.parametrize(
    ("name", "fits", "beyond"),
    [
        # By its name, a column of more than twenty values is one of subjects, if these are more than 2 % of the rows.
        ("id", [n * 5 % 21 * 7 for n in range(1049)], [n * 5 % 21 * 7 for n in range(1050)]),
        ("id", [n * 7 % 20 * 7 for n in range(39)], [n * 7 % 20 * 7 for n in range(41)]),
        # Other names need nearly all values to differ.
        *(
            (name, shuffled([*KEYS[:97]]), shuffled([*KEYS[:90], *KEYS[:10]]))
            for name in ("house_no", "price index", "key")
        ),
        # Row numbers are whole, in order, and in five rows or more.
        ("c", [1, 2, 3, 4, 5], [1, 2, 3, 4]),
        ("c", [0, 1, 2, 3, 4], [2, 3, 4, 5, 6]),
        ("c", [1, 2, 3, 4, 5], [1, 2, 3, 5, 4]),
        # Keys rise by up to ten, or have few gaps, and nearly all are different.
        ("c", [10 * n for n in range(40)], [11 * n for n in range(40)]),
        ("c", KEYS, [*KEYS, KEYS[-2]]),
        ("c", KEYS, [KEYS[1], KEYS[0], *KEYS[2:]]),
        ("c", shuffled([*range(39), 79]), shuffled([*range(39), 80])),
        ("c", shuffled([*range(38), 1, 2]), shuffled([*range(37), 1, 2, 3])),
        ("c", shuffled([*range(21)]), shuffled([*range(20)])),
        # Others have five digits and would have repeated by chance, or seven; and a quarter of them end in 0.
        ("c", keys(10_001, 599, 60), keys(10_001, 620, 60)),
        ("c", keys(10_001, 590, 60), keys(9_001, 590, 60)),
        ("c", keys(1_000_001, 8_000_000, 60), keys(100_001, 800_000, 60)),
        ("c", keys(10_001, 590, 60, 15), keys(10_001, 590, 60, 16)),
    ],
)
def test_keys_are_told_up_to_a_limit(name: str, fits: list[int], beyond: list[int]) -> None:
    assert (reason(fits, name) is not None, reason(beyond, name)) == (True, None)
    assert (reason_of_texts(fits, name), reason_of_texts(beyond, name)) == (reason(fits, name), None)


@pytest.mark.parametrize(
    ("name", "cells"),
    [
        *((name, [value % 150 * 7 for value in SHUFFLED]) for name in ("valid", "period", "Madrid", "acid", "idle")),
        ("temperature", [n - 20 for n in FEW_GAPS]),
        ("year", list(range(1950, 2000))),
        ("income", Random(6).sample(range(10_000, 99_999), 60)),
        ("price", [1000 * n for n in Random(7).sample(range(1000, 9999), 60)]),
        ("velocity, sorted", sorted(Random(8).sample(range(9_000, 40_000), 82))),
        ("dose", [n * 1.5 for n in range(50)]),
        ("mostly whole", [*FEW_GAPS, 0.5]),
        ("decimal comma", [f"{n},{n % 10}" for n in range(50)]),
        ("thousands", [f"{n},{n:03}" for n in range(50)]),
        ("euros", [f"€{n}.50" for n in range(50)]),
        ("share", [f"{n}%" for n in range(50)]),
        ("two currencies", [f"{n}.50 {'EUR' if n % 2 else 'NOK'}" for n in range(60)]),
        ("numbers and a word", [*[n * 1.5 for n in range(50)], "none"]),
        ("quarters", [f"{year}Q{quarter}" for year in range(1990, 2000) for quarter in range(1, 5)]),
        ("time", [f"{n // 60}:{n % 60:02}" for n in range(90)]),
    ],
)
def test_measurements_are_not_identifiers(name: str, cells: list[object]) -> None:
    assert reason_of_texts(cells, name) is None
    assert reason_of_texts(cells, "id") is None or all(isinstance(cell, int) for cell in cells)


@pytest.mark.parametrize(
    ("shown", "cell"),
    [
        ("100/60", lambda n: f"{100 + n}/{60 + n % 31}"),
        ("0h 0m", lambda n: f"{n // 7}h {7 * n % 60}m"),
        ("1*", lambda n: str(n) + "*" * (n % 4 == 1)),
        ("~0.5", lambda n: f"~{n}.5"),
        ("0,5 Mio. €", lambda n: f"{n},5 Mio. €"),
        ("0' 0\"", lambda n: f"{n // 12}' {n % 12}\""),
        # Nine tenths of the texts must begin with a number.
        ("6/6", lambda n: f"{n}/{n % 31}" if n > 5 else f"unclear {n}"),
    ],
)
def test_numbers_in_a_form_that_is_not_read_are_no_identifier_and_the_note_says_so(shown: str, cell: Cell) -> None:
    prepared = prepare_frame({"c": [cell(n) for n in range(60)], "y": ["p", "q"] * 30})
    told = (
        f"hold numbers in a form that is not read, like '{shown}', and are taken as texts: 'c'; write one plain number"
    )
    assert [note.startswith(told) for note in prepared.notes if note.code == "may-be-numbers"] == [True]
    assert judged(prepared) is None


@pytest.mark.parametrize(
    "cell",
    [
        lambda n: f"{n}/{n % 31}" if n > 6 else f"unclear {n}",
        lambda n: f"{1000 + n}/{n + 100}",  # numbers of cases
        lambda n: f"{n % 12 + 1}/{n + 10}",  # months
        lambda n: f"{n + 1} {'ABCDE'[n % 5]}-street",
        lambda n: f"{n}{'ABC'[n % 3]}",  # flats
        lambda n: f"{100 + n}-{5 * n}",  # telephones
        lambda n: f"1.{n}.{n % 7}",  # versions
        lambda n: f"0{n}x{n}",  # codes
        lambda n: f"{n} {'abcde'[n % 5]}",
    ],
)
def test_names_with_numbers_in_them_are_not_told_to_be_numbers(cell: Cell) -> None:
    notes = prepare_frame({"c": [cell(n) for n in range(60)], "y": ["p", "q"] * 30}).notes
    assert not any("in a form that is not read" in note for note in notes)


@pytest.mark.parametrize(
    "form",
    [
        "%Y-%m-%d",
        "%d.%m.%Y",
        "%m/%d/%y",
        "%d %B %Y",
        "%b %d, %Y",
        "%Y-%m-%dT%H:%M:%S",
        "%Y-%m-%d %H:%M:%S.%f",
        "%b %Y",
        "%d. %b %Y",
        "%a, %d %b %Y %H:%M",
        "%A %B %d, %Y",
    ],
)
def test_dates_are_not_identifiers(form: str) -> None:
    days = pd.date_range("1999-01-01", periods=60, freq="MS")
    assert reason_of_texts([day.strftime(form) for day in days]) is None
    assert reason(list(days)) is reason(list(days), "id") is None


@pytest.mark.parametrize("cell", [lambda n: f"state {n // 2}", lambda n: 7 * n])
def test_a_row_that_stands_for_many_does_not_name_them_unless_it_has_a_text_of_its_own(cell: Cell) -> None:
    columns = {"c": [cell(n) for n in range(30)], "n": [7] * 30, "y": ["p", "q"] * 15}
    assert judged(prepare_frame(columns, count="n")) is None
    columns["c"] = [f"state {n}" for n in range(30)]
    assert judged(prepare_frame(columns | {"n": [1] * 30}, count="n")) is not None


@given(st.lists(st.one_of(st.none(), st.integers(-5, 40), st.text(max_size=3), st.floats()), min_size=1, max_size=60))
def test_any_column_is_judged_and_few_values_never_name_rows(cells: list[object]) -> None:
    texts = [None if cell is None else str(cell) for cell in cells]
    present = [text for text in texts if text is not None]
    if reason(texts) is not None:
        assert len(set(present)) > 0.5 * len(present)
    assert reason([*texts, *texts]) is None
