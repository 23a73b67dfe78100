"""Which columns name their rows, and that measurements and dates do not."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Sequence
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


SHUFFLED = Random(1).sample(range(10_000, 90_000), 200)
KEYS = [5 * key for key in range(200)]
FEW_GAPS = Random(2).sample(range(60), 40)
NAMES = ("id", "ID", "sample_id", "PassengerId", "userID", "id_of_case", "uuid", "patientid", "rownames", "order-id")
DATES = ("%Y-%m-%d", "%d.%m.%Y", "%m/%d/%y", "%d %B %Y", "%b %d, %Y", "%b %Y", "%Y-%m-%d %H:%M:%S.%f", "%a %d. %b. %Y")
TEXTS = [f"text {n}" for n in range(100)]
ORDER, GAPS, RISING = (
    "numbers the rows from {} on",
    "whole numbers with few gaps",
    "whole numbers that rise from row to row",
)
NAMED, TEXT = "named like an identifier", "text that is different in nearly every row"


def shuffled(cells: Iterable[int]) -> list[int]:
    return Random(0).sample(list(cells), len(list(cells)))


def keys(least: int, spread: int, round_ones: int = 15) -> list[int]:
    """Sixty different whole numbers between these, of which some end in 0."""
    ends = [least + (least % 10 == 0), least + spread - ((least + spread) % 10 == 0)]
    others = [n for n in range(ends[0] + 1, ends[1]) if n % 10]
    return shuffled([*ends, *others[: 58 - round_ones], *range(-(-least // 10) * 10, least + spread, 10)[:round_ones]])


@pytest.mark.parametrize(
    ("name", "cells", "why"),
    [
        # Row numbers, whatever their type, are in order and in five rows or more.
        *(
            ("c", [kind(n) for n in range(300)], ORDER.format(0))
            for kind in (int, float, "{:03}".format, "{}.0".format)
        ),
        ("c", [1, 2, 3, 4, 5], ORDER.format(1)),
        *(("c", cells, "") for cells in ([1, 2, 3, 4], [2, 3, 4, 5, 6], [1, 2, 3, 5, 4], [1, 2, 3, 4, None])),
        # By its name, a column of more than twenty values is one of subjects, if these are more than 2 % of the rows.
        *((name, [f"k{n % 150}" for n in SHUFFLED], NAMED) for name in NAMES),
        *((name, [n % 90 for n in SHUFFLED], NAMED) for name in NAMES),
        ("id", [n * 5 % 21 * 7 for n in range(1049)], NAMED),
        ("id", [n * 5 % 21 * 7 for n in range(1050)], ""),
        ("id", [n * 7 % 20 * 7 for n in range(39)], NAMED),
        ("id", [n * 7 % 20 * 7 for n in range(41)], ""),
        ("id", SHUFFLED[:4], NAMED),
        *(("id", cells, "") for cells in (["x"], [n / 7 for n in SHUFFLED])),
        # Other names need nearly all values to differ.
        *((name, [n % 150 * 7 for n in SHUFFLED], "") for name in ("valid", "period", "Madrid", "acid", "idle", "key")),
        # Keys rise by up to ten, or have few gaps, and nearly all are different.
        *(("c", cells, RISING) for cells in (KEYS, [10 * n for n in range(40)], [n if n % 4 else None for n in KEYS])),
        *(("c", cells, "") for cells in ([11 * n for n in range(40)], [*KEYS, 990], [5, 0, *KEYS[2:]])),
        *(("c", cells, GAPS) for cells in (FEW_GAPS, [2**53 + 1 + n for n in FEW_GAPS], shuffled(range(21)))),
        *(("c", [*FEW_GAPS, other], GAPS) for other in ("NA", "inf", "many")),
        ("c", shuffled([*range(39), 79]), GAPS),
        ("c", shuffled([*range(39), 80]), ""),
        ("c", shuffled([*range(38), 1, 2]), GAPS),
        ("c", shuffled([*range(37), 1, 2, 3]), ""),
        ("c", shuffled(range(20)), ""),
        # Others have five digits and would have repeated by chance, or seven; and a quarter of them end in 0.
        ("c", keys(10_001, 599), "whole numbers of 5 digits"),
        *(("c", cells, "") for cells in (keys(10_001, 620), keys(9_001, 590), keys(10_001, 590, 16))),
        ("c", keys(1_000_001, 8_000_000), "whole numbers of 7 digits"),
        ("c", keys(100_001, 800_000), ""),
        # Nearly all texts differ, and half of the cells hold one.
        *(
            ("c", [form.format(n) for n in range(40_000, 40_100)], TEXT)
            for form in ("Mr {0}", "0{0}", "{0}-{0}", "A.{0}")
        ),
        *(("c", cells, TEXT) for cells in ([*TEXTS, *[None] * 100], [*TEXTS[:91], *TEXTS[:9]])),
        *(("c", cells, "") for cells in ([*TEXTS, *[None] * 101], [*TEXTS[:90], *TEXTS[:10]])),
        # Measurements, dates and times are no identifiers, whatever their name.
        ("temperature", [n - 20 for n in FEW_GAPS], ""),
        ("year", range(1950, 2000), ""),
        ("income", Random(6).sample(range(10_000, 99_999), 60), ""),
        ("price", [1000 * n for n in Random(7).sample(range(1000, 9999), 60)], ""),
        ("velocity, sorted", sorted(Random(8).sample(range(9_000, 40_000), 82)), ""),
        *(("dose_id", cells, "") for cells in ([n * 1.5 for n in range(50)], [*FEW_GAPS, 0.5])),
        *(("id", [form.format(n, n % 10) for n in range(50)], "") for form in ("{},{}", "{0},{0:03}", "€{}.50", "{}%")),
        ("id", [f"{n}.50 {'EUR' if n % 2 else 'NOK'}" for n in range(60)], ""),
        ("id", [*[n * 1.5 for n in range(50)], "none"], ""),
        ("id", [f"{year}Q{quarter}" for year in range(1990, 2000) for quarter in range(1, 5)], ""),
        ("id", [f"{n // 60}:{n % 60:02}" for n in range(90)], ""),
        *(("id", pd.date_range("1999-01-01", periods=60, freq="MS").strftime(form).to_list(), "") for form in DATES),
    ],
)
def test_what_names_rows_and_what_does_not(name: str, cells: Sequence[object], why: str) -> None:
    present = [cell for cell in cells if cell not in (None, "NA", "inf", "many")]
    counts = "" if why.startswith("numbers the") else f", {len(set(present))} values in {len(present):,} rows"
    expected = f"{why}{counts}" if why else None
    assert reason_of_texts(cells, name) == expected
    if not any(isinstance(cell, str) for cell in cells):
        assert reason(cells, name) == expected


@pytest.mark.parametrize(
    ("cell", "shown"),
    [
        (lambda n: f"{100 + n}/{60 + n % 31}", "100/60"),
        (lambda n: f"{n // 7}h {7 * n % 60}m", "0h 0m"),
        (lambda n: str(n) + "*" * (n % 4 == 1), "1*"),
        (lambda n: f"~{n}.5", "~0.5"),
        (lambda n: f"{n},5 Mio. €", "0,5 Mio. €"),
        (lambda n: f"{n // 12}' {n % 12}\"", "0' 0\""),
        # Nine tenths of the texts must begin with a number.
        (lambda n: f"{n}/{n % 31}" if n > 5 else f"unclear {n}", "6/6"),
        (lambda n: f"{n}/{n % 31}" if n > 6 else f"unclear {n}", ""),
        # Numbers of cases, months, houses, flats, telephones, versions and codes are names.
        (lambda n: f"{1000 + n}/{n + 100}", ""),
        (lambda n: f"{n % 12 + 1}/{n + 10}", ""),
        (lambda n: f"{n + 1} {'ABCDE'[n % 5]}-street", ""),
        (lambda n: f"{n}{'ABC'[n % 3]}", ""),
        (lambda n: f"{100 + n}-{5 * n}", ""),
        (lambda n: f"1.{n}.{n % 7}", ""),
        (lambda n: f"0{n}x{n}", ""),
    ],
)
def test_numbers_in_a_form_that_is_not_read_are_no_identifier_and_the_note_says_so(cell: Cell, shown: str) -> None:
    prepared = prepare_frame({"c": [cell(n) for n in range(60)], "y": ["p", "q"] * 30})
    told = f"hold numbers in a form that is not read, like '{shown}', and are taken as texts: 'c'; put one plain number"
    assert [note.startswith(told) for note in prepared.notes if note.code == "may-be-numbers"] == [True] * bool(shown)
    assert not (shown and judged(prepared))


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


def test_a_number_with_the_same_number_of_rows_for_each_value_may_be_that_of_a_subject() -> None:
    rows = [(n // 8, n % 3, "pq"[n * 7 % 5 > 2]) for n in range(200)]

    def codes(name: str, of: list[tuple[int, int, str]]) -> list[str]:
        text = f"{name},x,y\n" + "".join(f"{a},{x},{y}\n" for a, x, y in of)
        return [note.code for note in prepare_csv(text).trust_notes]

    assert [codes(name, rows) for name in ("nr", "age")] == [["subjects"], []]
    assert codes("nr", rows[:-1]) == []
