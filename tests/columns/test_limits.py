"""From which number on: each limit by which columns are judged, from both of its sides."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from probfs.columns.encode import encode
from probfs.columns.suggest import suggest_mapping
from tests.support.prepared_tables import csv_of_rows, prepare_csv


def codes_of(cells: list[object], **choice: Any) -> list[str]:
    """The codes of notes on a column ``x``; beside it stands a target."""
    prepared = prepare_csv(csv_of_rows(["x", "y"], [(cell, "pq"[n % 2]) for n, cell in enumerate(cells)]), **choice)
    return [note.code for note in prepared.notes if "x" in note.columns]


Cells = Callable[[int], list[object]]
"""A column for a number, of which the limit is the least for which a note is made."""


@pytest.mark.parametrize(
    ("code", "cells", "limit"),
    [
        # A number for missing stands in five rows, and in one of a hundred, and farther away than others spread.
        ("code-for-missing", lambda n: [*range(10, 60), *[-999] * n], 5),
        ("code-for-missing", lambda n: [*(k % 50 + 10 for k in range(1000 - n)), *[-999] * n], 10),
        ("code-for-missing", lambda n: [*(k % 50 + 10 for k in range(999 - n)), *[-999] * n], 10),
        ("code-for-missing", lambda n: [*range(n, 60), *[99] * 9], 20),
        ("code-for-missing", lambda n: [*([5, 7] * 9), *([6] if n else []), *[-9] * 9], 1),
        # A negative code may be near where nothing else is negative.
        ("code-for-missing", lambda n: [*(k + n - 1 for k in range(40)), *[-9] * 9], 1),
        # Of numbers, three are enough beside a dash, and two beside NA.
        ("missing-texts", lambda n: [*(range(n)), "-", "-"], 3),
        ("missing-texts", lambda n: [*(range(n)), "NA", "NA"], 2),
        ("missing-texts", lambda n: [*(f"{k} %" for k in range(n)), "-", "-"], 3),
        # A unit takes three numbers, and a doubt about units more values than are counted.
        ("number-style", lambda n: [*(f"{k} kg" for k in range(1, n + 1)), "1 kg"], 3),
        ("may-be-numbers", lambda n: [*(f"{k} kg" for k in range(1, n + 1)), "7 lb"] * 2, 20),
        ("may-be-numbers", lambda n: [*(f"{k}/{k + 30}" for k in range(100, 100 + n)), "100/130"], 21),
        ("date-style", lambda n: [*(f"{k % 28 + 1}.{k // 28 + 1}.2020" for k in range(12, 12 + n)), "13.1.2020"], 21),
        # Nine tenths of more values than are counted make a column nearly one of numbers.
        ("nearly-numbers", lambda n: [*(k + 0.5 for k in range(n)), "a", "b", "c"], 27),
        ("nearly-numbers", lambda n: [*(k + 0.5 for k in range(n)), "a"], 20),
        ("mixed-case", lambda n: ["yes", "no", *(["Yes"] * n)], 1),
        ("mixed-case", lambda n: ["yes", "no", *(["y"] * n)], 1),
    ],
)
def test_a_note_is_made_from_a_number_on(code: str, cells: Cells, limit: int) -> None:
    assert code not in codes_of(cells(limit - 1))
    assert code in codes_of(cells(limit))


@pytest.mark.parametrize(
    ("name", "values", "rows", "named"),
    [("patient", 5, 10, True), ("patient", 5, 9, False), ("patient", 4, 40, False), ("colour", 5, 40, False)],
)
def test_subjects_are_five_or_more_of_two_rows_each(name: str, values: int, rows: int, named: bool) -> None:
    prepared = prepare_csv(csv_of_rows([name, "y"], [(f"s{n % values}", "pq"[n % 3 > 1]) for n in range(rows)]))
    assert bool(prepared.subjects) is named


@pytest.mark.parametrize(
    ("number", "total", "rare"), [(4, 90, True), (5, 90, False), (9, 1000, True), (10, 1000, False)]
)
def test_rare_values_are_in_fewer_than_five_rows_or_a_hundredth(number: int, total: int, rare: bool) -> None:
    rows = [("uvw"[min(n // number, 2)], "pq"[n % 2]) for n in range(total)]
    draft = suggest_mapping(prepare_csv(csv_of_rows(["x", "y"], rows)), "nb")
    assert ('"rare" = ["u", "v"]' in draft) is rare


@pytest.mark.parametrize(("values", "form"), [(6, "groups"), (7, "min_count")])
def test_six_rare_values_are_listed_and_more_are_counted(values: int, form: str) -> None:
    rows = [(f"v{n}" if n < values else "w", "pq"[n % 2]) for n in range(90)]
    assert f'"x" = {{ {form} = ' in suggest_mapping(prepare_csv(csv_of_rows(["x", "y"], rows)), "nb")


def test_rows_that_stand_for_none_are_neither_labelled_nor_unlabelled() -> None:
    prepared = prepare_csv("a,n,y\nx,2,p\nz,0,p\nx,1,\nz,0,\nz,3,q\n", count="n")
    assert (prepared.labelled.tolist(), prepared.unlabelled.tolist(), prepared.labelled_rows) == ([0, 4], [2], 2)
    dataset, _ = encode(prepared)
    assert (dataset.counts.tolist(), dataset.unlabelled_counts.tolist()) == ([2, 3], [1])
