"""Which kept feature explains best what a dropped feature says about the class, and how much of it.

For a dropped feature j, its twin is the kept feature i that shares most with it within the classes: the one with the
largest I(j;i|Y) / min(H(j|Y), H(i|Y)). Features that merely follow the same class share nothing there. The twin
explains 1 - I(j;Y|i) / I(j;Y) of what j says about the class. Every information I is reduced by its expectation for
independent columns, cells / 2N (Miller 1955), and both ratios are clipped to 0..1.

Each pair is judged by the labelled rows in which neither cell is missing: by how many rows of each class hold each two
values. Counts of several blocks of rows are added up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from probfs.columns.dataset import Dataset
from probfs.rows.blocks import Block, Blocks
from probfs.tables.arrays import Floats, Integers

_CELLS_AT_A_TIME = 1 << 21
"""Cells of the tables, and rows times features, handled together."""
_NEARLY_EQUAL = 1e-9
"""Features that share equally much may differ by rounding; the first of them is the twin."""


def find_twins(blocks: Blocks, dropped: Sequence[int], kept: Sequence[int]) -> dict[int, tuple[int, float]]:
    """For each dropped feature its twin and how much that explains; of equally good twins, the one that comes first in
    ``kept``.
    """
    twins = {}
    for feature in dropped if kept else ():
        shared, explained = blocks.ask(count_pairs, feature, kept).compare(len(kept))
        best = int(np.argmax(shared >= shared.max() - _NEARLY_EQUAL))
        twins[feature] = kept[best], float(explained[best])
    return twins


@dataclass(frozen=True, eq=False)
class PairCounts:
    """Rows of one feature beside others: by other feature, value, value of the other and class, as far as they occur.
    Rows in which either cell is missing are left out.
    """

    cells: Integers
    """Which other feature, value, value of the other, and class: 4 × combinations."""
    rows: Floats

    def __add__(self, other: PairCounts) -> PairCounts:
        cells = np.concatenate([self.cells, other.cells], axis=1)
        which, first = self._number(cells)
        return PairCounts(cells[:, first], np.bincount(which, np.append(self.rows, other.rows)).astype(np.float64))

    def compare(self, others: int) -> tuple[Floats, Floats]:
        """How much each other feature shares with the first within the classes, and how much of it the other explains.

        All sums are of N times an information.
        """
        sums, seen, rows = self._sum_up(("voy", "vo", "vy", "oy", "v", "o", "y", ""), others)
        least = _NEARLY_EQUAL * rows
        values, classes = np.maximum(seen["v"] - 1, 0), np.maximum(seen["y"] - 1, 0)
        # Half the cells are expected by chance.
        within = sums["voy"] + sums["y"] - sums["vy"] - sums["oy"] - values * (seen["o"] - 1) * seen["y"] / 2
        given = sums["voy"] + sums["o"] - sums["vo"] - sums["oy"] - values * classes * seen["o"] / 2
        alone = sums["vy"] + sums[""] - sums["v"] - sums["y"] - values * classes / 2
        smaller = sums["y"] - np.maximum(sums["vy"], sums["oy"])
        unexplained = np.where(alone > least, _ratio(given, alone, least), 1.0)
        return _ratio(within, smaller, least), 1 - unexplained

    def share(self, others: int) -> tuple[Floats, Floats]:
        """The information that the first feature shares with each other, relative to the larger entropy of the two; and
        in how many rows both have a value.
        """
        sums, _, rows = self._sum_up(("vo", "v", "o", ""), others)
        entropy = sums[""] - np.minimum(sums["v"], sums["o"])
        return _ratio(sums["vo"] + sums[""] - sums["v"] - sums["o"], entropy, _NEARLY_EQUAL * rows), rows

    def _sum_up(self, names: Sequence[str], others: int) -> tuple[dict[str, Floats], dict[str, Floats], Floats]:
        """For each other feature Σ c log c over the counts c of some of value (v), other value (o) and class (y), how
        many such counts there are, and how many rows.
        """
        sums: dict[str, Floats] = {}
        seen: dict[str, Floats] = {}
        for name in names:
            which, first = self._number(self.cells[[0, *("-voy".index(letter) for letter in name)]])
            counts: Floats = np.bincount(which, self.rows, minlength=len(first)).astype(np.float64)
            feature = self.cells[0, first]
            sums[name] = np.bincount(feature, counts * np.log(counts), minlength=others).astype(np.float64)
            seen[name] = np.bincount(feature, minlength=others).astype(np.float64)
        return sums, seen, np.bincount(self.cells[0], self.rows, minlength=others).astype(np.float64)

    @staticmethod
    def _number(cells: Integers) -> tuple[Integers, Integers]:
        """The number of each combination among those that occur, and where each occurs first."""
        keys = np.zeros(cells.shape[1], dtype=np.int64)
        for column in cells:
            keys = keys * (column.max(initial=0) + 1) + column
        _, first, which = np.unique(keys, return_index=True, return_inverse=True)
        return which, first


def count_pairs(block: Block, feature: int, others: Sequence[int]) -> PairCounts:
    """The counts of a feature beside others, as many of these at a time as there is room for."""
    dataset = block.dataset
    values = np.array([dataset.features[other].values for other in others])
    cells = (dataset.features[feature].values + 1) * (values + 1) * len(dataset.classes)
    chunk = np.cumsum(np.maximum(cells, len(dataset.labels))) // _CELLS_AT_A_TIME
    places = np.split(np.arange(len(others)), np.flatnonzero(np.diff(chunk)) + 1)
    combinations, rows = zip(*(_count(dataset, feature, np.asarray(others), some) for some in places), strict=True)
    return PairCounts(np.concatenate(combinations, axis=1), np.concatenate(rows))


def _count(dataset: Dataset, feature: int, others: Integers, some: Integers) -> tuple[Integers, Floats]:
    """The combinations of values and class that occur of a feature and of some of the others, and their rows. Each
    combination is one number, of which value, other feature with its value, and class are digits.
    """
    classes, first = len(dataset.classes), dataset.features[feature]
    beside = [dataset.features[other] for other in others[some].tolist()]
    widths = np.array([other.values + 1 for other in beside])
    ends = np.cumsum(widths)
    across = int(ends[-1])
    places = np.array([other.labelled for other in beside], dtype=np.int64)
    places += (ends - widths)[:, None]
    places += first.labelled.astype(np.int64) * across
    places *= classes
    places += dataset.labels
    weights = np.broadcast_to(dataset.row_weights.astype(np.float64), places.shape).ravel()
    cells = (first.values + 1) * across * classes
    if cells <= _CELLS_AT_A_TIME:
        held = np.bincount(places.ravel(), weights, minlength=cells)
        places = np.flatnonzero(held)
        held = held[places]
    else:
        places, which = np.unique(places, return_inverse=True)
        held = np.bincount(which.ravel(), weights)
    value, column, label = places // classes // across, places // classes % across, places % classes
    other = np.searchsorted(ends, column, side="right")
    of_other = column - (ends - widths)[other]
    present = (value < first.values) & (of_other < widths[other] - 1) & (held > 0)
    combinations = np.array([some[other], value, of_other, label])[:, present]
    return combinations, held[present].astype(np.float64)


def _ratio(part: Floats, whole: Floats, least: Floats) -> Floats:
    """From 0 to 1, and 0 where the whole is no more than rounding."""
    return np.clip(np.where(whole > least, part / np.where(whole > least, whole, 1.0), 0.0), 0.0, 1.0)
