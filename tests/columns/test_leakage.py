"""Columns that nearly give the class away, against a definition that looks at every value and class."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probfs.columns.leakage import Leak, find_leaks, note_on_leaks, times_in_leak
from probfs.columns.target import Target
from probfs.tables.arrays import text_array
from probfs.tables.column import Column, number_column, text_column
from probfs.tables.table import profile_columns
from tests.support.prepared_tables import csv_of_rows, prepare_csv


def fewest_errors(codes: list[int], labels: list[int], weights: list[int], values: int, classes: int) -> int | None:
    """The errors of the best split that is a leak, in the words of the definition."""
    total = sum(weights)
    found = []
    for value in range(values + 1):
        for label in range(classes):
            held = sum(w for c, w in zip(codes, weights, strict=True) if c == value)
            of_class = sum(w for y, w in zip(labels, weights, strict=True) if y == label)
            wrong = sum(w for c, y, w in zip(codes, labels, weights, strict=True) if (c == value) != (y == label))
            errors, guessing = min(wrong, total - wrong), min(of_class, total - of_class)
            both_sides = min(held, total - held, guessing) >= 5
            # In whole numbers: a twentieth of the rows, a tenth of the errors of guessing.
            if both_sides and 20 * errors <= total and 10 * errors <= guessing:
                found.append(errors)
    return min(found, default=None)


@st.composite
def labelled_cells(draw: Any) -> tuple[list[int], list[int], list[int], int, int]:
    """Codes, classes and weights of rows; the codes mostly follow the classes."""
    values, classes = draw(st.integers(1, 4)), draw(st.integers(2, 4))
    rows = draw(st.integers(1, 60))
    labels = [draw(st.integers(0, classes - 1)) for _ in range(rows)]
    codes = [label % (values + 1) if draw(st.integers(0, 30)) else draw(st.integers(0, values)) for label in labels]
    weighted = draw(st.booleans())
    return codes, labels, [draw(st.integers(1, 30)) if weighted else 1 for _ in range(rows)], values, classes


def as_texts(codes: list[int], values: int) -> Column:
    return text_column("a", np.array(codes, np.uint8), text_array([f"v{n}" for n in range(values)]))


def as_numbers(codes: list[int], values: int) -> Column:
    return number_column("a", np.where(np.equal(codes, values), np.nan, codes))


@pytest.mark.parametrize("make", [as_texts, as_numbers])
@given(labelled_cells())
def test_the_best_split_is_found(make: Any, cells: tuple[list[int], list[int], list[int], int, int]) -> None:
    codes, labels, weights, values, classes = cells
    column = make(codes, values)
    row_weights = None if set(weights) == {1} else np.array(weights)
    class_rows = tuple(np.bincount(labels, weights, minlength=classes).astype(int).tolist())
    names = tuple(f"c{n}" for n in range(classes))
    target = Target("y", "", names, np.array(labels), False, class_rows, False, names)
    profiles = profile_columns([column], row_weights, times_in_leak(class_rows, row_weights))
    leak = find_leaks([column], profiles, target, row_weights).get("a")
    expected = fewest_errors(codes, labels, weights, values, classes)
    assert (leak is None) == (expected is None)
    if leak is not None and expected is not None:
        assert leak.accuracy == 1 - expected / sum(weights)


def leaks_of(cells: Sequence[tuple[object, object]], **choice: Any) -> dict[str, Leak]:
    return prepare_csv(csv_of_rows(["a", "k", "y"], [(a, "x", y) for a, y in cells]), **choice).leaks


@pytest.mark.parametrize(
    ("cells", "leak", "words"),
    [
        (
            [("" if n < 60 else f"b{n % 7}", "died" if n < 61 else "lived") for n in range(100)],
            Leak(None, "died", 0.99),
            "missing or not tells 'died' in 99.0% of rows",
        ),
        (
            [("r" if n % 4 == 0 else "uvw"[n % 3], "pqst"[n % 4]) for n in range(80)],
            Leak("r", "p", 1.0),
            "'r' or not tells 'p' in 100.0% of rows",
        ),
        (
            [(n % 3 if n % 4 == 0 else 7.5, "pqst"[n % 4]) for n in range(80)],
            Leak("7.5", "p", 1.0),
            "'7.5' or not tells 'p' in 100.0% of rows",
        ),
    ],
)
def test_a_value_or_missing_cells_may_tell_one_class_or_all_others(cells: Any, leak: Leak, words: str) -> None:
    assert leaks_of(cells) == {"a": leak}
    assert leak.describe() == words


def test_too_many_errors_or_too_few_rows_are_no_leak() -> None:
    def cells(wrong: int, rows: int) -> list[tuple[object, object]]:
        return [("uv"[(number % 2) ^ (number < wrong)], "pq"[number % 2]) for number in range(rows)]

    assert leaks_of(cells(5, 100))
    assert not leaks_of(cells(6, 100))
    assert leaks_of(cells(0, 10))
    assert not leaks_of(cells(0, 8)), "four rows on each side"
    rare = [("u" if number < 12 else "v", "p" if number < 10 else "q") for number in range(200)]
    assert not leaks_of(rare), "two errors where guessing makes ten"


def test_unlabelled_rows_and_columns_left_out_are_not_looked_at() -> None:
    labelled = [("uv"[number % 2], "pq"[number % 2]) for number in range(40)]
    assert leaks_of([*labelled, *[("u", "")] * 40]) == {"a": Leak("u", "p", 1.0)}
    assert leaks_of(labelled, exclude=["a"]) == {}


def test_one_note_tells_of_the_first_few() -> None:
    leaks = {f"c{position}": Leak("x", "p", 0.985) for position in range(8)}
    (note,) = note_on_leaks(leaks)
    assert note.startswith("these columns nearly give the class away (leakage?): 'c0' ('x' or not tells 'p' in 98.5%")
    assert note.endswith("of rows) and 2 more")
