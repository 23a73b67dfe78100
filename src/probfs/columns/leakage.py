"""Columns that nearly give the class away: whether a cell holds one certain value, or none, predicts the class.

Such a column is often known only after the class is, or is written down because of it: leakage. Or it is just good:
it is ranked, and the user is told.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from probfs.columns.target import Target
from probfs.notes import Note, NoteKind
from probfs.tables.arrays import Floats, Integers
from probfs.tables.column import Column
from probfs.tables.table import Profile
from probfs.text import quoted

_MOST_ERRORS = 0.05
"""Of the rows."""
_MOST_ERRORS_OF_GUESSING = 0.1
"""Of the errors of always guessing the likelier of a class and the other classes."""
_FEWEST_ROWS = 5
"""On each side of a split, of the cells and of the classes."""
_MOST_PAIRS = 1 << 22
"""Pairs of values and classes that are counted: beyond, as with thousands of classes, no leak is looked for."""
_MOST_TOLD = 6
"""In one note."""


@dataclass(frozen=True)
class Leak:
    """A value (None: a missing cell) whose presence or absence predicts whether a row is of some class."""

    value: str | None
    class_name: str
    accuracy: float
    """The share of rows for which the prediction is right."""

    def describe(self) -> str:
        what = "missing" if self.value is None else quoted(self.value)
        return f"{what} or not tells {quoted(self.class_name)} in {self.accuracy:.1%} of rows"


def note_on_leaks(leaks: Mapping[str, Leak]) -> list[Note]:
    """One line about the columns that nearly give the class away, if there are any."""
    shown = [f"{quoted(name)} ({leak.describe()})" for name, leak in list(leaks.items())[:_MOST_TOLD]]
    rest = f" and {len(leaks) - len(shown):,} more" if len(leaks) > len(shown) else ""
    message = f"these columns nearly give the class away (leakage?): {', '.join(shown)}{rest}"
    return [NoteKind.LEAKAGE.note(message, leaks)] if leaks else []


@dataclass(frozen=True, eq=False)
class _Limits:
    """How many rows a leak gets wrong at most, given how many labelled rows there are of each class."""

    by_class: Integers
    most_errors: Floats
    """For each class; negative where no value can leak it."""

    @classmethod
    def of(cls, class_rows: Sequence[int]) -> _Limits:
        by_class = np.array(class_rows, dtype=np.int64)
        rarer_side = np.minimum(by_class, by_class.sum() - by_class)
        limits = np.minimum(_MOST_ERRORS * by_class.sum(), _MOST_ERRORS_OF_GUESSING * rarer_side)
        return cls(by_class, np.where(rarer_side >= _FEWEST_ROWS, limits, -1.0))

    @property
    def fewest_rows(self) -> int:
        """Values and missing cells in fewer rows than this are no leak."""
        total, known = int(self.by_class.sum()), self.most_errors >= 0
        fewest = np.minimum(self.by_class, total - self.by_class) - self.most_errors
        return max(_FEWEST_ROWS, math.ceil(fewest[known].min())) if known.any() else total + 1

    def candidates(self, rows: Integers) -> Integers:
        """The values that could be leaks: those in about as many rows as a class or its opposite."""
        total = self.by_class.sum()
        counts, place = np.unique(rows, return_inverse=True)
        sizes, first = np.unique(self.by_class, return_index=True)
        distance = np.minimum(np.abs(counts[:, None] - sizes), np.abs(counts[:, None] - (total - sizes)))
        near = np.any(distance <= self.most_errors[first], axis=1) & (
            np.minimum(counts, total - counts) >= _FEWEST_ROWS
        )
        return np.flatnonzero(near[place])


def times_in_leak(class_rows: Sequence[int], weights: Integers | None) -> int:
    """In how many rows of a table a value must stand to be a leak, given how many labelled rows each class has."""
    heaviest = 1 if weights is None else int(weights.max(initial=1))
    return -(-_Limits.of(class_rows).fewest_rows // max(heaviest, 1))


def find_leaks(
    columns: Iterable[Column], profiles: Mapping[str, Profile], target: Target, weights: Integers | None
) -> dict[str, Leak]:
    """The leaks in some columns, by their names.

    ``profiles`` say which columns repeat a value ``times_in_leak`` times, and ``weights`` how many labelled rows each
    row stands for, None where each is one.
    """
    limits = _Limits.of(target.class_rows)
    fewest_rows = limits.fewest_rows
    found: dict[str, Leak] = {}
    for column in columns:
        profile = profiles[column.name]
        # Most measurements hardly repeat.
        if profile.repeats or profile.missing >= fewest_rows:
            leak = _find_leak(column.of_known_numbers(), limits, target, weights)
            found |= {} if leak is None else {column.name: leak}
    return found


def _find_leak(column: Column, limits: _Limits, target: Target, weights: Integers | None) -> Leak | None:
    """The value of a column that predicts a class with the fewest errors, if they are few."""
    rows, classes = column.counts(weights), len(target.classes)
    candidates = limits.candidates(rows)
    if not len(candidates) or len(candidates) * classes > _MOST_PAIRS:
        return None
    # Other values, and rows without a class, which weigh nothing, are counted before the first.
    places = np.zeros(len(rows), dtype=np.int64)
    places[candidates] = np.arange(1, len(candidates) + 1)
    codes, cells, cell_weights = column.coded_cells(weights)
    keys = places[codes] * (classes + 1) + target.labels[cells] + 1
    counts = np.bincount(keys, cell_weights, minlength=(len(candidates) + 1) * (classes + 1))
    overlap = counts.reshape(-1, classes + 1)[1:, 1:].astype(np.int64)
    # In how many rows a value is without a class or the other way round; or it stands for all other classes.
    differing, total = rows[candidates, None] + limits.by_class - 2 * overlap, int(limits.by_class.sum())
    errors = np.minimum(differing, total - differing)
    values, labels = np.nonzero(errors <= limits.most_errors)
    if not len(values):
        return None
    # Of equals: the class that the value stands for, then missing cells, then the first value and class.
    missing, fewest = len(column.entries), errors[values, labels]
    stands_for_others = differing[values, labels] > fewest
    best = np.lexsort((labels, values, candidates[values] != missing, stands_for_others, fewest))[0]
    code = int(candidates[values[best]])
    value = None if code == missing else column.values[code].as_py()
    return Leak(value, target.classes[int(labels[best])], 1 - int(fewest[best]) / total)
