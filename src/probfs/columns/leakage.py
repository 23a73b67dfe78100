"""Columns that nearly give the class away: whether a cell holds one certain value, or none, tells the class.

Such a column is often known only after the class is, or is written down because of it: leakage. Or it is just good:
it is ranked, and the user is told.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from probfs.notes import Note, NoteKind
from probfs.tables.arrays import Flags, Floats, Integers, Labels, Rows
from probfs.tables.column import Column
from probfs.tables.table import Profile
from probfs.text import quoted

_MOST_ERRORS = 0.05
"""Of the rows."""
_MOST_ERRORS_OF_GUESSING = 0.1
"""Of the errors of always guessing the likelier of a class and the other classes."""
_FEWEST_ROWS = 5
"""On each side of a split, of the cells and of the classes."""
_DENSE = 1 << 16
"""Pairs of values and classes up to which a table of all pairs is counted; above, only pairs that occur are."""

_MOST_TOLD = 6
"""In one note."""


@dataclass(frozen=True)
class Leak:
    """A value (None: a missing cell) that tells, by being there or not, whether a row is of some class."""

    value: str | None
    class_name: str
    share: float
    """Of the rows for which it tells right."""

    def describe(self) -> str:
        what = "missing" if self.value is None else quoted(self.value)
        return f"{what} or not tells {quoted(self.class_name)} in {self.share:.1%} of rows"


def note_on_leaks(leaks: Mapping[str, Leak]) -> Note:
    """One line about the columns that nearly give the class away."""
    shown = [f"{quoted(name)} ({leak.describe()})" for name, leak in list(leaks.items())[:_MOST_TOLD]]
    rest = f" and {len(leaks) - len(shown):,} more" if len(leaks) > len(shown) else ""
    message = f"these columns nearly give the class away (leakage?): {', '.join(shown)}{rest}"
    return NoteKind.LEAKAGE.note(message, leaks)


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

    def errors(self, rows: Integers, labels: Integers, overlap: Integers) -> tuple[Integers, Integers]:
        """Of values in so many rows, that meet a class in so many: in how many rows the one is without the other, and
        how many rows are wrong if the value stands for the class, or for all others.
        """
        differing = rows + self.by_class[labels] - 2 * overlap
        return differing, np.minimum(differing, self.by_class.sum() - differing)

    def leaking(self, overlap: Integers) -> Flags:
        """Which values are leaks; ``overlap`` says in how many rows each meets each class: values × classes."""
        rows = overlap.sum(axis=1, keepdims=True)
        _, errors = self.errors(rows, np.arange(len(self.by_class)), overlap)
        leaking: Flags = np.any((errors <= self.most_errors) & self.on_both_sides(rows), axis=1)
        return leaking

    def on_both_sides(self, rows: Integers) -> Flags:
        """Whether enough rows hold a value, and enough do not."""
        enough: Flags = np.minimum(rows, self.by_class.sum() - rows) >= _FEWEST_ROWS
        return enough


def times_in_leak(class_rows: Sequence[int], weights: Integers | None) -> int:
    """In how many rows of a table a value must stand to be a leak, given how many labelled rows each class has."""
    heaviest = 1 if weights is None else int(weights.max(initial=1))
    return -(-LeakLimits.of(np.array(class_rows, dtype=np.int64)).fewest_rows // max(heaviest, 1))


class LeakFinder:
    """Looks for leaks in columns of a table, given the class of each labelled row."""

    def __init__(self, classes: Sequence[str], labels: Labels, weights: Integers | None, rows: Integers | None) -> None:
        """``labels`` has the class of each labelled row, ``rows`` their positions, None where that is all rows;
        ``weights`` says for each row of the table how many labelled rows it stands for, None where each is one.
        """
        self._classes = classes
        self._labels = labels
        self._rows: Rows = slice(None) if rows is None else rows
        self._weights = weights
        self._label_weights = None if weights is None else weights[self._rows]
        by_class = np.bincount(labels, self._label_weights, minlength=len(classes)).astype(np.int64)
        self._total = int(by_class.sum())
        self._limits = LeakLimits.of(by_class)

    def find(self, columns: Iterable[Column], profiles: Mapping[str, Profile]) -> dict[str, Leak]:
        """The leaks in some columns, by their names; ``profiles`` say which repeat a value ``times_in_leak`` times."""
        found = ((column.name, self.leak(column, profiles[column.name])) for column in columns)
        return {name: leak for name, leak in found if leak is not None}

    def leak(self, column: Column, profile: Profile) -> Leak | None:
        """The value of a column that tells a class with the fewest errors, if they are few."""
        if not profile.repeats and profile.missing < self._limits.fewest_rows:
            # Most measurements hardly repeat.
            return None
        column = column.of_known_numbers()
        rows = column.counts(self._weights)
        if not self._could_leak(rows):
            return None
        values, labels, overlap = self._pairs(column, rows)
        differing, errors = self._limits.errors(rows[values], labels, overlap)
        few_errors = errors <= self._limits.most_errors[labels]
        leaks = np.flatnonzero(few_errors & self._limits.on_both_sides(rows)[values])
        if not len(leaks):
            return None
        # Of equals: the class that the value stands for, then missing cells, then the first value and class.
        missing = len(column.entries)
        order = (labels[leaks], values[leaks], values[leaks] != missing, (differing > errors)[leaks])
        best = leaks[np.lexsort((*order, errors[leaks]))[0]]
        value = None if values[best] == missing else column.values[int(values[best])].as_py()
        return Leak(value, self._classes[int(labels[best])], 1 - int(errors[best]) / self._total)

    def _could_leak(self, rows: Integers) -> bool:
        """Whether some value is in about as many rows as a class or its opposite: no other value can be a leak."""
        likely = self._limits.most_errors >= 0
        limits, sizes = self._limits.most_errors[likely], self._limits.by_class[likely]
        ordered = np.sort(rows[rows >= _FEWEST_ROWS])
        for near in (sizes, self._total - sizes):
            if np.any(np.searchsorted(ordered, near - limits) < np.searchsorted(ordered, near + limits, "right")):
                return True
        return False

    def _pairs(self, column: Column, rows: Integers) -> tuple[Integers, Integers, Integers]:
        """Values, classes, and in how many rows they meet: all pairs that could be a leak."""
        classes = len(self._classes)
        codes, places, weights = column.coded_cells(self._rows, self._label_weights)
        keys = codes * np.int64(classes) + self._labels[places]
        if len(rows) * classes <= _DENSE:
            overlap = np.bincount(keys, weights, minlength=len(rows) * classes)
            pairs = np.arange(len(overlap))
        else:
            met, inverse = np.unique(keys, return_inverse=True)
            # A value and a class that never meet may fill the table together; one of them has nearly half of the rows.
            large = self._total * (1 - _MOST_ERRORS) / 2
            frequent = np.flatnonzero(rows >= large)[:, None] * classes + np.arange(classes)
            any_value = np.arange(len(rows))[:, None] * classes + np.flatnonzero(self._limits.by_class >= large)
            apart = np.setdiff1d(np.concatenate([frequent.ravel(), any_value.ravel()]), met)
            pairs = np.concatenate([met, apart])
            overlap = np.concatenate([np.bincount(inverse, weights), np.zeros(len(apart))])
        return pairs // classes, pairs % classes, overlap.astype(np.int64)
