"""Which kept feature says what a dropped one says about the class, and how much of it; and which features are copies.

For a dropped feature j, its twin is the kept feature i that shares most with it within the classes: the one with the
largest I(j;i|Y) / min(H(j|Y), H(i|Y)). Features that merely follow the same class share nothing there. The twin
explains 1 - I(j;Y|i) / I(j;Y) of what j says about the class. Every information I is reduced by its expectation for
independent columns, cells / 2N (Miller 1955), and both ratios are clipped to 0..1.

Each pair is judged by the labelled rows in which neither cell is missing, and by the values seen there: how many rows
hold each two values of two features, by class. Rows are counted in one place, or in several and added up.

Copies divide the labelled rows in exactly the same way. The names of values do not matter, so a copy may be a
one-to-one recoding, or the same length in centimetres and in inches once it is cut. Missing cells must be the same. A
feature whose numbers are measured and not counted has no copies: another scale is another feature there.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from probfs.columns.dataset import Dataset, ValueCounts
from probfs.rows.block import Block
from probfs.rows.blocks import Blocks
from probfs.screening.column_tests import parts_of_slots
from probfs.tables.arrays import Floats, Integers

_CELLS_AT_A_TIME = 1 << 21
"""Cells of the tables, and rows times features, handled together."""
_NEARLY_EQUAL = 1e-9
"""Features that share equally much may differ by rounding; the first of them is the twin."""

Item = TypeVar("Item")
Pairs = tuple[int, list[int]]
"""A feature, and others with which it is counted, by position."""


def find_twins(
    blocks: Blocks, dataset: Dataset, dropped: Sequence[int], kept: Sequence[int]
) -> dict[int, tuple[int, float]]:
    """For each dropped feature its twin and how much that explains; of equally good twins, the one that comes first in
    ``kept``. ``dataset`` has the features and the classes, and the blocks have the rows.
    """
    if not kept or not dropped:
        return {}
    values = np.array([feature.values for feature in dataset.features], dtype=np.int64)
    rows = max(blocks.each(_rows))

    def cells(feature: int, others: list[int]) -> int:
        return (int(values[feature]) + 1) * int((values[others] + 1).sum()) * len(dataset.classes)

    plan: list[Pairs] = []
    for feature in dropped:
        sizes = [max(cells(feature, [other]), rows) for other in kept]
        plan += [(feature, others) for others in _chunks(kept, sizes)]
    compared: defaultdict[int, list[tuple[Floats, Floats]]] = defaultdict(list)
    for batch in _chunks(plan, [cells(*pairs) for pairs in plan]):
        for (feature, others), counts in zip(batch, blocks.ask(_count_pairs, batch), strict=True):
            compared[feature].append(counts.compare(len(others)))
    twins = {}
    for feature, parts in compared.items():
        shared, explained = (np.concatenate(both) for both in zip(*parts, strict=True))
        best = int(np.argmax(shared >= shared.max() - _NEARLY_EQUAL))
        twins[feature] = kept[best], float(explained[best])
    return twins


def _rows(block: Block) -> int:
    return len(block.dataset.labels)


def _chunks(items: Sequence[Item], sizes: Sequence[int]) -> Iterator[list[Item]]:
    """Items that are handled together: as many as there is room for, at least one."""
    chunk: list[Item] = []
    total = 0
    for item, size in zip(items, sizes, strict=True):
        if chunk and total + size > _CELLS_AT_A_TIME:
            yield chunk
            chunk, total = [], 0
        chunk.append(item)
        total += size
    yield chunk


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

        All sums are of N times an information: Σ c log c over the counts c of some of value, other value and class.
        """
        # Of value, other value and class (y).
        sums: dict[str, Floats] = {}
        seen: dict[str, Floats] = {}
        for name in ("voy", "vo", "vy", "oy", "v", "o", "y", ""):
            which, first = self._number(self.cells[[0, *("-voy".index(letter) for letter in name)]])
            counts: Floats = np.bincount(which, self.rows, minlength=len(first)).astype(np.float64)
            feature = self.cells[0, first]
            sums[name] = np.bincount(feature, counts * np.log(counts), minlength=others).astype(np.float64)
            seen[name] = np.bincount(feature, minlength=others).astype(np.float64)
        least: Floats = _NEARLY_EQUAL * np.bincount(self.cells[0], self.rows, minlength=others).astype(np.float64)
        values, classes = np.maximum(seen["v"] - 1, 0), np.maximum(seen["y"] - 1, 0)
        # Half the cells are expected by chance.
        within = sums["voy"] + sums["y"] - sums["vy"] - sums["oy"] - values * (seen["o"] - 1) * seen["y"] / 2
        given = sums["voy"] + sums["o"] - sums["vo"] - sums["oy"] - values * classes * seen["o"] / 2
        alone = sums["vy"] + sums[""] - sums["v"] - sums["y"] - values * classes / 2
        smaller = sums["y"] - np.maximum(sums["vy"], sums["oy"])
        unexplained = np.where(alone > least, _ratio(given, alone, least), 1.0)
        return _ratio(within, smaller, least), 1 - unexplained

    @staticmethod
    def _number(cells: Integers) -> tuple[Integers, Integers]:
        """The number of each combination among those that occur, and where each occurs first."""
        keys = np.zeros(cells.shape[1], dtype=np.int64)
        for column in cells:
            keys = keys * (column.max(initial=0) + 1) + column
        _, first, which = np.unique(keys, return_index=True, return_inverse=True)
        return which, first


def _count_pairs(block: Block, plan: Sequence[Pairs]) -> list[PairCounts]:
    return [_count(block.dataset, feature, others) for feature, others in plan]


def _count(dataset: Dataset, feature: int, others: list[int]) -> PairCounts:
    """Each combination is one number, of which other, value, value of the other and class are digits."""
    classes, first = len(dataset.classes), dataset.features[feature]
    widths = np.array([dataset.features[other].values + 1 for other in others])
    ends = np.cumsum(widths)
    across = int(ends[-1])
    places = np.array([dataset.features[other].labelled for other in others], dtype=np.int64)
    places += (ends - widths)[:, None]
    places += first.labelled.astype(np.int64) * across
    places *= classes
    places += dataset.labels
    weights = None if (dataset.counts == 1).all() else np.broadcast_to(dataset.counts, places.shape).ravel()
    cells = (first.values + 1) * across * classes
    if cells <= _CELLS_AT_A_TIME:
        rows = np.bincount(places.ravel(), weights, minlength=cells)
        places = np.flatnonzero(rows)
        rows = rows[places]
    else:
        places, which = np.unique(places, return_inverse=True)
        rows = np.bincount(which.ravel(), weights)
    value, column, label = places // classes // across, places // classes % across, places % classes
    other = np.searchsorted(ends, column, side="right")
    of_other = column - (ends - widths)[other]
    present = (value < first.values) & (of_other < widths[other] - 1) & (rows > 0)
    combinations = np.array([other, value, of_other, label])[:, present]
    return PairCounts(combinations, rows[present].astype(np.float64))


def _ratio(part: Floats, whole: Floats, least: Floats) -> Floats:
    """From 0 to 1, and 0 where the whole is no more than rounding."""
    return np.clip(np.where(whole > least, part / np.where(whole > least, whole, 1.0), 0.0), 0.0, 1.0)


# Copies


def find_copies(blocks: Blocks, dataset: Dataset, counts: ValueCounts) -> tuple[tuple[int, ...], ...]:
    """Groups of two or more features, by position, that are copies; ``dataset`` has the features, and ``counts`` are
    those of all rows.

    Each row is given random numbers. Features divide the rows in the same way if the sums of these numbers over the
    rows of each value are the same, whatever the values are called: but for one chance in 2^40, and sums can be added
    up over blocks.
    """
    counted = np.array([feature.numbers is None for feature in dataset.features], dtype=np.bool_)
    alike = with_equal_sums(counts, np.flatnonzero(counted))
    if not len(alike):
        return ()
    groups: defaultdict[bytes, list[int]] = defaultdict(list)
    for position, (values, missing) in zip(alike.tolist(), blocks.ask(_random_sums, alike), strict=True):
        held = values[:, values.any(axis=0)]
        ordered = held[:, np.lexsort(held)]
        groups[ordered.tobytes() + missing.tobytes()].append(position)
    return tuple(tuple(members) for members in groups.values() if len(members) > 1)


def _random_sums(block: Block, features: Integers) -> list[tuple[Floats, Floats]]:
    """Two sums for each value of some features, and for missing cells: so small numbers that sums are exact."""
    dataset = block.dataset
    random = np.random.default_rng((7, block.number)).integers(1, 1 << 20, (2, len(dataset.labels)))
    random[:, dataset.counts == 0] = 0
    found = []
    for feature in (dataset.features[position] for position in features.tolist()):
        sums = np.array([np.bincount(feature.labelled, weights, minlength=feature.values + 1) for weights in random])
        found.append((sums[:, :-1], sums[:, -1]))
    return found


def with_equal_sums(counts: ValueCounts, features: Integers) -> Integers:
    """The features whose counts by class allow a copy: comparing a few numbers of each spares comparing all its rows.

    The sum over values of a function of their counts does not depend on which value is which, nor on values that no row
    holds. Sums of whole numbers that wrap around are exact in any order.
    """
    if not len(features):
        return features
    multipliers = np.random.default_rng(0).integers(1, 1 << 63, len(counts.class_rows), dtype=np.uint64)
    mixed = np.concatenate([counts.by_slot[part].astype(np.uint64) @ multipliers for part in parts_of_slots(counts)])
    sums = np.add.reduceat(mixed * mixed, counts.offset)[features]
    _, which, times = np.unique(sums, return_inverse=True, return_counts=True)
    return features[times[which] > 1]
