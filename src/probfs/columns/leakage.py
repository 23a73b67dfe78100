"""Columns that nearly give the class away: whether a cell holds one certain value, or none, tells the class.

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
from probfs.tables.arrays import Flags, Floats, Integers
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
    """A value (None: a missing cell) that tells, by being there or not, whether a row is of some class."""

    value: str | None
    class_name: str
    accuracy: float
    """The share of rows for which it tells right."""

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
class LeakLimits:
    """How many rows a leak gets wrong at most, given how many labelled rows there are of each class."""

    by_class: Integers
    most_errors: Floats
    """For each class; negative where no value can leak it."""
    fewest_rows: int
    """Values and missing cells in fewer rows than this are no leak."""

    @classmethod
    def of(cls, by_class: Integers) -> LeakLimits:
        total = int(by_class.sum())
        rarer_side = np.minimum(by_class, total - by_class)
        limits = np.minimum(_MOST_ERRORS * total, _MOST_ERRORS_OF_GUESSING * rarer_side)
        enough = rarer_side >= _FEWEST_ROWS
        fewest = max(_FEWEST_ROWS, math.ceil((rarer_side - limits)[enough].min())) if enough.any() else total + 1
        return cls(by_class, np.where(enough, limits, -1.0), fewest)

    def errors(self, rows: Integers, overlap: Integers) -> tuple[Integers, Integers]:
        """Of values in so many rows, which meet each class in so many: in how many rows the one is without the other,
        and how many rows are wrong if the value stands for the class, or for all others.
        """
        differing = rows + self.by_class - 2 * overlap
        return differing, np.minimum(differing, self.by_class.sum() - differing)

    def leaking(self, overlap: Integers) -> Flags:
        """Which values are leaks; ``overlap`` says in how many rows each meets each class: values × classes."""
        rows = overlap.sum(axis=1, keepdims=True)
        enough = np.minimum(rows, self.by_class.sum() - rows) >= _FEWEST_ROWS
        leaking: Flags = np.any((self.errors(rows, overlap)[1] <= self.most_errors) & enough, axis=1)
        return leaking

    def candidates(self, rows: Integers) -> Integers:
        """The values that could be leaks: those in about as many rows as a class or its opposite."""
        total = self.by_class.sum()
        counts, place = np.unique(rows, return_inverse=True)
        sizes, first = np.unique(self.by_class, return_index=True)
        limits = self.most_errors[first]
        near = np.minimum(np.abs(counts[:, None] - sizes), np.abs(counts[:, None] - (total - sizes))) <= limits
        enough = np.minimum(counts, total - counts) >= _FEWEST_ROWS
        return np.flatnonzero((near.any(axis=1) & enough)[place])


def times_in_leak(class_rows: Sequence[int], weights: Integers | None) -> int:
    """In how many rows of a table a value must stand to be a leak, given how many labelled rows each class has."""
    heaviest = 1 if weights is None else int(weights.max(initial=1))
    return -(-LeakLimits.of(np.array(class_rows, dtype=np.int64)).fewest_rows // max(heaviest, 1))


def find_leaks(
    columns: Iterable[Column], profiles: Mapping[str, Profile], target: Target, weights: Integers | None
) -> dict[str, Leak]:
    """The leaks in some columns, by their names.

    ``profiles`` say which columns repeat a value ``times_in_leak`` times, and ``weights`` how many labelled rows each
    row stands for, None where each is one.
    """
    limits = LeakLimits.of(np.array(target.class_rows, dtype=np.int64))
    found: dict[str, Leak] = {}
    for column in columns:
        profile = profiles[column.name]
        # Most measurements hardly repeat.
        if profile.repeats or profile.missing >= limits.fewest_rows:
            leak = _find_leak(column.of_known_numbers(), limits, target, weights)
            found |= {} if leak is None else {column.name: leak}
    return found


def _find_leak(column: Column, limits: LeakLimits, target: Target, weights: Integers | None) -> Leak | None:
    """The value of a column that tells a class with the fewest errors, if they are few."""
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
    differing, errors = limits.errors(rows[candidates, None], overlap)
    values, labels = np.nonzero(errors <= limits.most_errors)
    if not len(values):
        return None
    # Of equals: the class that the value stands for, then missing cells, then the first value and class.
    missing, fewest = len(column.entries), errors[values, labels]
    stands_for_others = differing[values, labels] > fewest
    best = np.lexsort((labels, values, candidates[values] != missing, stands_for_others, fewest))[0]
    code = int(candidates[values[best]])
    value = None if code == missing else column.values[code].as_py()
    return Leak(value, target.classes[int(labels[best])], 1 - int(fewest[best]) / int(limits.by_class.sum()))
