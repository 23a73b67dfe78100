"""Columns that give the class away, against a definition that tries every cut, and how often that is said of others."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import combinations, pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtri
from scipy.stats import binom

from probfs.columns.leakage import Leak, find_leaks, note_on_kept_leaks, note_on_leaks, times_in_leak
from probfs.columns.target import Target
from probfs.tables.arrays import text_array
from probfs.tables.column import Column, number_column, text_column
from probfs.tables.table import profile_columns
from tests.support.tables import csv_of, prepare_csv, prepare_frame

Cells = tuple[list[int], list[int], list[int], int, int]


def is_few(errors: int, guessing: int, *, missing: bool = False, extra: int = 0) -> bool:
    share, honest = (0.1, 0.5) if missing else (0.03, 0.14)
    return errors <= math.floor(share * guessing) and binom.cdf(errors + extra, guessing, honest) < 0.01


def right_by_intervals(counts: list[list[int]], cuts: int) -> int:
    """The most rows that so many cuts between values can get right; the last entry is that of missing cells."""
    *values, missing = counts
    if not values:
        return max(missing)
    places = [(0, *inner, len(values)) for inner in combinations(range(1, len(values)), cuts)]
    parts = [[values[low:high] for low, high in pairwise(ends)] for ends in places]
    return max((sum(max(map(sum, zip(*one, strict=True))) for one in part) for part in parts), default=0) + max(missing)


def right_by_one_value(counts: list[list[int]], class_rows: list[int]) -> int | None:
    """The most rows that are right by one value, or by missing cells, telling a class from all others."""
    found, total = [], sum(class_rows)
    for value, of_value in enumerate(counts):
        for label, rows in enumerate(class_rows):
            wrong = sum(of_value) + rows - 2 * of_value[label]
            errors, guessing = min(wrong, total - wrong), min(rows, total - rows)
            if is_few(errors, guessing, missing=value == len(counts) - 1):
                found.append(total - errors)
    return max(found, default=None)


def right_without_each(counts: list[list[int]], most_frequent: int) -> int:
    """The rows whose class most other rows of their value have."""
    right = 0
    for of_value in counts:
        for label, rows in enumerate(of_value):
            others = [count - (other == label) for other, count in enumerate(of_value)]
            tie = others.count(max(others)) > 1
            guess = others.index(max(others)) if any(others) and not tie else None
            right += rows * ((guess if any(others) else most_frequent) == label)
    return right


def expected_right(cells: Cells, *, of_numbers: bool) -> int | None:
    """The rows that a leak gets right, in the words of the definition; None where there is none."""
    codes, labels, weights, values, classes = cells
    counts = [[0] * classes for _ in range(values + 1)]
    for code, label, weight in zip(codes, labels, weights, strict=True):
        counts[code][label] += weight
    class_rows, total = [sum(column) for column in zip(*counts, strict=True)], sum(weights)
    by_one, guessing = right_by_one_value(counts, class_rows), total - max(class_rows)
    if by_one is not None and classes == 2:
        return by_one
    counts = [of_value for of_value in counts[:-1] if sum(of_value)] + counts[-1:]
    for cuts in range(min(classes + 3, max(len(counts) - 1, 1)) if of_numbers else 0):
        right = right_by_intervals(counts, cuts)
        if is_few(total - right, guessing, extra=2 * max(0, cuts - 2) if classes == 2 else max(0, cuts - 1)):
            return right
    right = right_without_each(counts, class_rows.index(max(class_rows)))
    return right if is_few(total - right, guessing) else by_one


@st.composite
def labelled_cells(draw: Any) -> Cells:
    """Codes, classes and weights of rows; the codes mostly follow the classes, in some order."""
    values, classes = draw(st.integers(1, 7)), draw(st.integers(2, 4))
    class_of_value = draw(st.lists(st.integers(0, classes - 1), min_size=values + 1, max_size=values + 1))
    codes, labels, weights = [], [], []
    for label in range(classes):
        codes.append(draw(st.integers(0, values)))
        labels.append(label)
        weights.append(draw(st.integers(1, 3)))
    for _ in range(draw(st.integers(1, 25))):
        code = draw(st.integers(0, values))
        codes.append(code)
        labels.append(class_of_value[code] if draw(st.integers(0, 9)) else draw(st.integers(0, classes - 1)))
        weights.append(draw(st.sampled_from([1, 2, 40, 90])))
    return codes, labels, weights, values, classes


def texts_of(codes: list[int], values: int) -> Column:
    return text_column("a", np.array(codes, np.uint8), text_array([f"v{n}" for n in range(values)]))


def as_numbers(codes: list[int], values: int) -> Column:
    return number_column("a", np.where(np.equal(codes, values), np.nan, codes))


@pytest.mark.parametrize("make", [texts_of, as_numbers])
@given(labelled_cells(), st.booleans())
def test_the_simplest_way_to_tell_the_class_is_found(make: Any, cells: Cells, repeat: bool) -> None:
    codes, labels, weights, values, classes = cells
    class_rows = tuple(np.bincount(labels, weights, minlength=classes).astype(int).tolist())
    row_weights: Any = np.array(weights)
    if repeat:
        # Rows that are repeated are the same as rows that are counted.
        codes, labels, row_weights = np.repeat(codes, weights).tolist(), np.repeat(labels, weights).tolist(), None
    column, names = make(codes, values), tuple(f"c{n}" for n in range(classes))
    target = Target("y", "", names, np.array(labels), False, class_rows, False, names)
    profiles = profile_columns([column], row_weights, times_in_leak(class_rows, row_weights))
    leak = find_leaks([column], profiles, target, row_weights).get("a")
    assert (None if leak is None else leak.right) == expected_right(cells, of_numbers=make is as_numbers)


Cell = Callable[[int], object]


def honest_but(wrong: int) -> Cell:
    """Values that tell two classes in turns but for some errors."""
    return lambda n: "uv"[(n % 2) ^ (n < wrong)]


def in_turns(classes: str) -> Cell:
    return lambda n: classes[n % len(classes)]


DAYS = [f"2024-{1 + n // 20:02}-{1 + n % 20:02}" for n in range(200)]


@pytest.mark.parametrize(
    ("rows", "cell", "label", "how", "wrong"),
    [
        (100, lambda n: "" if n < 60 else f"b{n % 7}", lambda n: "pq"[n < 61], "whether a is missing gives y", 1),
        (80, in_turns("uv"), in_turns("pq"), "a = 'u' gives y", 0),
        (80, in_turns("uvwx"), in_turns("pq"), "the 4 values of a give y", 0),
        (210, lambda n: n % 7, lambda n: "pq"[n % 7 in (1, 4, 6)], "the 7 values of a give y", 0),
        # Numbers are cut between the roundest points, dates at a day.
        (180, lambda n: 2495 - n * 7 if n < 60 else 2463 + n, lambda n: "pq"[n >= 60], "a <= 2500 gives y", 0),
        (200, lambda n: n / 8, lambda n: "pq"[40 <= n < 100], "4.9 < a <= 12.4 gives y", 0),
        (240, lambda n: n / 8, lambda n: "pqr"[(n > 80) + (n > 100)], "a cut at 10 and 12.5 gives y", 0),
        (200, DAYS.__getitem__, lambda n: "pq"[n >= 110], "a <= 2024-06-10 gives y", 0),
        # One value may tell one of several classes.
        (160, lambda n: "uvw"[n % 3] if n % 4 else "r", in_turns("pqst"), "a = 'r' gives y = 'p'", 0),
        (160, lambda n: 7.5 if n % 4 else n % 3, in_turns("pqst"), "a = 7.5 gives y = 'p'", 0),
        # Errors may stand anywhere.
        (400, lambda n: n / 8, lambda n: "pq"[(n >= 200) ^ (n % 80 == 30)], "a <= 24.9 gives y", 5),
        # Too many errors, or so few rows that an honest column may be as good.
        (200, honest_but(3), in_turns("pq"), "a = 'v' gives y", 3),
        (200, honest_but(4), in_turns("pq"), "", 0),
        (62, honest_but(0), in_turns("pq"), "a = 'u' gives y", 0),
        (60, honest_but(0), in_turns("pq"), "", 0),
        (900, lambda n: "uv"[n >= 42], lambda n: "pq"[n >= 40], "", 0),
    ],
)
def test_the_warning_says_how_the_class_is_given_away(rows: int, cell: Cell, label: Cell, how: str, wrong: int) -> None:
    cells, labels = [cell(n) for n in range(rows)], [label(n) for n in range(rows)]
    # Unlabelled rows are not looked at.
    for text in (csv_of(a=cells, k=in_turns("x"), y=labels), csv_of(a=cells * 2, y=labels + [""] * rows)):
        found = [leak.describe() for leak in prepare_csv(text).leaks.values()]
        assert found == ([f"{how} away: {rows - wrong} of {rows} rows"] if how else [])


def test_notes_tell_of_the_first_few_and_what_a_selection_rests_on() -> None:
    (note,) = note_on_leaks({f"c{place}": Leak(f"c{place} = 'x' gives y away", 985, 1000) for place in range(8)})
    told = "; ".join(f"c{place} = 'x' gives y away: 985 of 1,000 rows" for place in range(6))
    rest = "and 2 more columns; exclude= leaves out what is known only after the class"
    assert note == f"one column alone nearly gives the class away (leakage?): {told}; {rest}"
    assert note.columns[-1] == "c7"
    leaks = {name: Leak(f"{name} = 'x' gives y away", 985, 1000) for name in ("a", "b", "c")}
    (of_both,) = note_on_kept_leaks(leaks, ["b", "d", "c"])
    assert of_both == (
        "'b', 'c' nearly give the class away, and the verdicts on all other columns depend on them; "
        "if they are known only after the class, leave them out with exclude= and select again"
    )
    (of_one,) = note_on_kept_leaks(leaks, ["d", "a"])
    assert of_one == (
        "'a' nearly gives the class away, and the verdicts on all other columns depend on it; "
        "if it is known only after the class, leave it out with exclude= and select again"
    )


# How often leaks are found, and honest columns are taken for leaks. Rates are in docs/background/leaks.md.


def drawn(kind: str, random: np.random.Generator, labels: np.ndarray[Any, Any], classes: int) -> Any:
    """A column that tells the class, or an honest one: normal numbers, of which two classes have an AUC of 0.97."""
    rows = len(labels)
    if kind == "threshold":
        return random.random(rows) + labels
    if kind == "interval":
        # The first class on both sides of the others.
        return random.random(rows) + np.where((labels == 0) & (random.random(rows) < 0.5), classes, labels)
    if kind == "values":
        return np.char.add("v", (labels + classes * random.integers(0, 4, rows)).astype(str))
    if kind == "missing":
        return np.where((labels == 0) | (random.random(rows) < 0.005), np.nan, random.normal(size=rows))
    honest = random.normal(size=rows) + math.sqrt(2) * ndtri(0.97) * labels
    return honest if kind == "honest numbers" else np.char.add("v", honest.round().astype(str))


LARGE = [(100, [1, 1]), (200, [1, 1]), (1000, [9, 1]), (5000, [49, 1]), (300, [1] * 5)]
SMALL = [(40, [1, 1]), (60, [1, 1]), (80, [1, 1]), (200, [4, 1]), (60, [1] * 5), (200, [1] * 10)]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "rows", "frequencies"),
    [
        *((kind, *table) for kind in ("threshold", "interval", "values", "missing") for table in LARGE),
        *((kind, *table) for kind in ("honest numbers", "honest values") for table in (*LARGE, *SMALL)),
    ],
)
def test_leaks_are_found_and_strong_but_honest_columns_are_none(kind: str, rows: int, frequencies: list[int]) -> None:
    is_honest = kind.startswith("honest")
    random, flagged, tables = np.random.default_rng(1 + is_honest), 0, 1000 if is_honest else 200
    for _ in range(tables):
        labels = random.choice(len(frequencies), rows, p=np.array(frequencies) / sum(frequencies))
        frame = {"x": drawn(kind, random, labels, len(frequencies)), "y": [f"c{label}" for label in labels]}
        flagged += "x" in prepare_frame(frame, target="y").leaks
    print(f"{kind}, {rows} rows, {len(frequencies)} classes: {flagged / tables:.4f}")
    assert flagged / tables <= 0.01 if is_honest else flagged / tables >= 0.95


def test_a_quantity_is_given_away_by_no_column() -> None:
    """Rank refuses it; the search for cuts between hundreds of classes would keep inspect busy for minutes."""
    rows = "".join(f"{n % 7},{n * 37 % 901}.5,{n * 37 % 901}.5\n" for n in range(900))
    prepared = prepare_csv("a,same,price\n" + rows)
    assert prepared.target.quantity
    assert prepared.leaks == {}
