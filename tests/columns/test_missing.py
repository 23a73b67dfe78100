"""Missing cells as a value: when they tell the class, and what becomes of them."""

from __future__ import annotations

import random
import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import fisher_exact, hypergeom

import probfs
from probfs.columns.encode import encode
from probfs.columns.missing import missingness_p_value
from probfs.notes import Note
from probfs.text import command_line_language
from tests.support.tables import Write, csv_of_rows, prepare_csv, read_csv_text


def by_definition(missing: list[int], rows: list[int]) -> float:
    """The test in scipy's words: all outcomes no likelier than the one at hand."""
    least = 1.0
    for own, size in zip(missing, rows, strict=True):
        outcomes = hypergeom(sum(rows), size, sum(missing)).pmf(np.arange(min(sum(missing), size) + 1))
        least = min(least, float(outcomes[outcomes <= outcomes[own] * (1 + 1e-7)].sum()))
    return min(1.0, least * len(rows))


@given(st.lists(st.integers(1, 300).flatmap(lambda size: st.tuples(st.integers(0, size), st.just(size))), min_size=2))
def test_the_test_is_scipy_s_hypergeometric_one_and_with_two_classes_fisher_s(table: list[tuple[int, int]]) -> None:
    missing, rows = [own for own, _ in table[:5]], [size for _, size in table[:5]]
    assert missingness_p_value(missing, rows) == pytest.approx(by_definition(missing, rows), rel=1e-8)
    square = [missing[:2], [size - own for own, size in table[:2]]]
    assert missingness_p_value(missing[:2], rows[:2]) == pytest.approx(min(1.0, 2 * fisher_exact(square)[1]), rel=1e-6)


@pytest.mark.parametrize("more", [0, 300, -600, 900])
def test_many_rows_are_judged_by_the_normal_law(more: int) -> None:
    rows, missing = [600_000, 700_000], [253_846 + more, 296_154 - more]
    exact = hypergeom(sum(rows), rows[0], sum(missing))
    outcomes = exact.pmf(np.arange(rows[0] + 1))
    least = float(outcomes[outcomes <= outcomes[missing[0]] * (1 + 1e-7)].sum())
    assert missingness_p_value(missing, rows) == pytest.approx(min(1.0, 2 * least), rel=4e-3)


def titanic(rows: int = 200, seed: int = 0) -> str:
    """A column ``boat`` that is missing for nearly all who died, and ``deck``, missing by chance."""
    chance = random.Random(seed)
    cells = []
    for _ in range(rows):
        survived = chance.random() < 0.4
        boat = str(chance.randrange(1, 9)) if survived == (chance.random() < 0.95) else ""
        deck = "" if chance.random() < 0.5 else chance.choice("ABC")
        child = "yn"[chance.random() < 0.3 + 0.3 * survived]
        cells.append((boat, deck, child, "01"[survived]))
    return csv_of_rows(["boat", "deck", "child", "survived"], cells)


NOTE = "missing cells count as a value where they tell the class"


def marked(text: str, mapping: str = "", **choice: Any) -> tuple[list[str], list[Note]]:
    """The features whose missing cells are values, and the notes on that."""
    prepared = prepare_csv(text, mapping, **choice)
    notes = [note for note in prepared.notes if note.startswith("missing cells")]
    return [plan.name for plan in prepared.features if plan.missing_is_value], notes


def test_auto_marks_what_tells_the_class_and_says_so() -> None:
    assert marked(titanic(), missing="auto") == (["boat"], [f"{NOTE} (missing=\"skip|value\"): 'boat'"])
    with command_line_language():
        assert marked(titanic(), missing="auto")[1] == [f"{NOTE} (--missing skip|value): 'boat'"]
    assert marked(titanic(), missing="skip") == ([], [])
    assert marked(titanic(), missing="value") == (["boat", "deck"], [])


def test_the_mapping_has_the_last_word() -> None:
    text = titanic()
    assert marked(text, '[columns]\nboat = { missing = "skip" }\n', missing="auto") == ([], [])
    assert marked(text, '[columns]\ndeck = { missing = "value" }\n') == (["deck"], [])
    cut = '[columns]\nboat = { cut = [4], missing = "value" }\n'
    assert marked(text, cut) == (["boat"], [])
    (boat,) = encode(prepare_csv(text, cut, include=["boat"]))[0].features
    assert boat.labels.to_pylist() == ["(-inf,4]", "(4,inf)", "(missing)"]
    assert "missing as a value (mapping)" in next(p.describe() for p in prepare_csv(text, cut).features)


def test_few_missing_cells_are_never_judged() -> None:
    assert missingness_p_value([4, 0], [50, 10_000]) < 1e-3
    rows = [("" if n < 5 else "x", "pq"[n >= 50]) for n in range(1050)]
    assert marked(csv_of_rows(["a", "y"], rows), missing="auto")[0] == ["a"]
    rows[0] = ("x", "p")
    assert marked(csv_of_rows(["a", "y"], rows), missing="auto")[0] == []


def test_rows_count_as_often_as_they_say_and_unlabelled_or_dropped_ones_not_at_all() -> None:
    counted = "a,n,y\n,40,p\nx,10,p\nx,50,q\nz,1,q\n"
    assert marked(counted, count="n", missing="auto")[0] == ["a"]
    even = "a,n,y\n,20,p\nx,30,p\n,20,q\nx,30,q\n,9999,\n"
    assert marked(even, count="n", missing="auto")[0] == []
    # All that is missing is of a class that is dropped.
    rare = csv_of_rows(["a", "y"], [("x", "pq"[n % 2]) for n in range(100)] + [("", "r")] * 8)
    assert marked(rare, missing="auto", min_class=9)[0] == []
    assert marked(rare, missing="auto", min_class=2)[0] == ["a"]


def test_a_column_without_missing_cells_or_without_others_has_nothing_to_mark() -> None:
    assert marked("a,b,c,y\nx,,1,p\nz,,2,q\nx,,1,p\nz,,2,q\n", missing="value")[0] == []
    assert marked("a,b,y\n,,p\nz,,q\nx,x,p\nz,,q\n", missing="value")[0] == ["a", "b"], "one is enough"


def test_a_missing_cell_is_a_value_of_its_own_and_an_unseen_one_says_nothing() -> None:
    text = "a,y\nx,p\n,p\nz,q\nx,q\n,\nx,\n"
    prepared = prepare_csv(text, missing="value")
    (feature,) = encode(prepared, [read_csv_text("b,a\n1,\n1,x\n1,new\n")])[0].features
    assert feature.labels.to_pylist() == ["x", "z", "(missing)"]
    assert feature.labelled.tolist() == [0, 2, 1, 0]
    assert feature.unlabelled.tolist() == [2, 0, 2, 0, 3]
    assert feature.values == 3


def test_a_number_that_is_missing_is_measured_as_such() -> None:
    prepared = prepare_csv("a,y\n1.5,p\n,p\n2,q\n1.5,q\n", missing="value", numbers_as_they_are=True)
    (feature,) = encode(prepared, [read_csv_text("b,a\n1,\n1,7\n1,red\n")])[0].features
    assert feature.numbers is not None
    assert feature.numbers.tolist() == [1.5, 2.0, 7.0]
    assert feature.labelled.tolist() == [0, 3, 1, 0]
    assert feature.unlabelled.tolist() == [3, 2, 4]
    assert (feature.values, feature.missing_is_value) == (4, True)


def test_missing_as_a_value_is_the_same_as_a_text_in_its_place(write: Write) -> None:
    # As categories: numbers are also tested as numbers.
    text = re.sub(r"^(?=\d)", "no. ", titanic(90, seed=3), flags=re.MULTILINE)
    filled = "\n".join(",".join(cell or "unknown" for cell in line.split(",")) for line in text.strip().split("\n"))
    for options in ({}, {"smoothing": 0}, {"estimate": "resubstitution"}):
        gaps = probfs.rank(write("t.csv", text), target="survived", missing="value", **options)
        full = probfs.rank(write("u.csv", filled), target="survived", missing="skip", **options)
        assert (gaps.features, gaps.rounds) == (full.features, full.rounds)
