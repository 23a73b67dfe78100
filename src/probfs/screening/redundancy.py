"""Which kept feature says what a dropped one says about the class, and how much of it.

For a dropped feature j, its twin is the kept feature i that shares most with it within the classes: the one with the
largest I(j;i|Y) / min(H(j|Y), H(i|Y)). Features that merely follow the same class share nothing there. The twin
explains 1 - I(j;Y|i) / I(j;Y) of what j says about the class. Every information I is reduced by its expectation for
independent columns, cells / 2N (Miller 1955), and both shares lie between 0 and 1.

Each pair is judged by the labelled rows in which neither cell is missing, and by the values seen there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from probfs.columns.dataset import Dataset, Feature
from probfs.tables.table import Floats, Integers

_CELLS_AT_A_TIME = 1 << 21
"""Cells of the tables, and rows times features, handled together."""
_NO_TWIN = -1
_NEARLY_EQUAL = 1e-9
"""Features that share equally much may differ by rounding; the first of them is the twin."""


@dataclass(frozen=True, eq=False)
class Twins:
    """For each dropped feature: the position of its twin in the dataset (-1 where none is kept), what share of the
    within-class information both have, and what share of the dropped feature's say on the class the twin explains.
    """

    twin: Integers
    shared: Floats
    explained: Floats


def find_twins(dataset: Dataset, dropped: Integers, kept: Integers) -> Twins:
    """The twins of dropped features, by position; of equally good twins, the one that comes first in ``kept``."""
    twins = Twins(np.full(len(dropped), _NO_TWIN), np.zeros(len(dropped)), np.zeros(len(dropped)))
    if not len(kept):
        return twins
    for place, position in enumerate(dropped.tolist()):
        parts = [
            _compare(dataset, dataset.features[position], [dataset.features[i] for i in chosen])
            for chosen in _chunks(dataset, dataset.features[position], kept.tolist())
        ]
        shared, explained = (np.concatenate(both) for both in zip(*parts, strict=True))
        best = int(np.argmax(shared >= shared.max() - _NEARLY_EQUAL))
        twins.twin[place], twins.shared[place], twins.explained[place] = kept[best], shared[best], explained[best]
    return twins


def _chunks(dataset: Dataset, dropped: Feature, kept: list[int]) -> Iterator[list[int]]:
    """Kept features whose tables, and whose rows, are handled together; each chunk has at least one."""
    chunk: list[int] = []
    cells = 0
    for position in kept:
        table = (dropped.values + 1) * (dataset.features[position].values + 1) * len(dataset.classes)
        own = max(table, len(dataset.labels))
        if chunk and cells + own > _CELLS_AT_A_TIME:
            yield chunk
            chunk, cells = [], 0
        chunk.append(position)
        cells += own
    yield chunk


class _Sums(NamedTuple):
    """For each pair, Σ c log c over the counts c of each combination of value, other value and class, over those of
    each two and each one of the three; and how many of each one are seen.
    """

    value_other_class: Floats
    value_other: Floats
    value_class: Floats
    other_class: Floats
    value: Floats
    other: Floats
    label: Floats
    rows: Floats
    values: Floats
    others: Floats
    classes: Floats


def _compare(dataset: Dataset, dropped: Feature, kept: list[Feature]) -> tuple[Floats, Floats]:
    """What each kept feature shares with a dropped one, and how much of it the kept one explains."""
    cells = (dropped.values + 1) * (kept[0].values + 1) * len(dataset.classes)
    dense = len(kept) > 1 or cells <= _CELLS_AT_A_TIME
    sums = _dense_sums(dataset, dropped, kept) if dense else _sparse_sums(dataset, dropped, kept[0])
    values, others, classes = sums.values - 1, sums.others - 1, sums.classes - 1
    # N times each information, of which half the cells is expected by chance.
    within = sums.value_other_class + sums.label - sums.value_class - sums.other_class
    within -= values * others * sums.classes / 2
    given = sums.value_other_class + sums.other - sums.value_other - sums.other_class
    given -= values * classes * sums.others / 2
    alone = sums.value_class + _log_terms(sums.rows) - sums.value - sums.label - values * classes / 2
    smaller = sums.label - np.maximum(sums.value_class, sums.other_class)
    least = _NEARLY_EQUAL * sums.rows
    unexplained = np.where(alone > least, _share(given, alone, least), 1.0)
    return _share(within, smaller, least), 1 - unexplained


def _dense_sums(dataset: Dataset, dropped: Feature, kept: list[Feature]) -> _Sums:
    tables, first = _count_together(dataset, dropped, kept)
    value_class = np.add.reduceat(tables, first, axis=1)
    class_rows, value_rows = value_class.sum(axis=0), value_class.sum(axis=2)
    other_rows = tables.sum(axis=(0, 2))
    return _Sums(
        np.add.reduceat(_log_terms(tables).sum(axis=(0, 2)), first),
        np.add.reduceat(_log_terms(tables.sum(axis=2)).sum(axis=0), first),
        _log_terms(value_class).sum(axis=(0, 2)),
        np.add.reduceat(_log_terms(tables.sum(axis=0)).sum(axis=1), first),
        _log_terms(value_rows).sum(axis=0),
        np.add.reduceat(_log_terms(other_rows), first),
        _log_terms(class_rows).sum(axis=1),
        class_rows.sum(axis=1),
        np.count_nonzero(value_rows, axis=0).astype(np.float64),
        np.add.reduceat((other_rows > 0).astype(np.float64), first),
        np.count_nonzero(class_rows, axis=1).astype(np.float64),
    )


def _sparse_sums(dataset: Dataset, dropped: Feature, kept: Feature) -> _Sums:
    """The sums of one pair with more combinations than there is room for: only those that occur are counted."""
    both = (dropped.labelled < dropped.values) & (kept.labelled < kept.values) & (dataset.counts > 0)
    value, other, label = (codes[both].astype(np.int64) for codes in (dropped.labelled, kept.labelled, dataset.labels))
    counts = dataset.counts[both].astype(np.float64)

    def count(*columns: Integers) -> Floats:
        combined = np.zeros(len(counts), dtype=np.int64)
        for column in columns:
            _, combined = np.unique(combined * (column.max(initial=0) + 1) + column, return_inverse=True)
        return np.bincount(combined, counts).astype(np.float64)

    combinations = [(value, other, label), (value, other), (value, label), (other, label), (value,), (other,), (label,)]
    counted = [count(*columns) for columns in combinations]
    sums = [*(_log_terms(own).sum() for own in counted), counts.sum(), *(float(len(own)) for own in counted[-3:])]
    return _Sums(*(np.array([one]) for one in sums))


def _count_together(dataset: Dataset, dropped: Feature, kept: list[Feature]) -> tuple[Floats, Integers]:
    """Rows by value of the dropped feature, value of each kept one, and class, with where each kept one begins.

    The tables of kept features stand side by side along the second axis.
    """
    widths = np.array([feature.values + 1 for feature in kept])
    first = np.cumsum(widths) - widths
    classes = len(dataset.classes)
    across = int(widths.sum())
    places = np.array([feature.labelled for feature in kept], dtype=np.intp)
    places += first[:, None]
    places += dropped.labelled.astype(np.intp) * across
    places *= classes
    places += dataset.labels
    weights = None if (dataset.counts == 1).all() else np.broadcast_to(dataset.counts, places.shape).ravel()
    counted = np.bincount(places.ravel(), weights, minlength=(dropped.values + 1) * across * classes)
    tables = counted.reshape(dropped.values + 1, across, classes)[: dropped.values].astype(np.float64)
    tables[:, first + widths - 1] = 0
    return tables, first


def _log_terms(counts: Floats) -> Floats:
    """c log c of every count, and 0 for none."""
    return counts * np.log(np.where(counts > 0, counts, 1.0))


def _share(part: Floats, whole: Floats, least: Floats) -> Floats:
    """A share from 0 to 1, and 0 of a whole that is no more than rounding."""
    return np.clip(np.where(whole > least, part / np.where(whole > least, whole, 1.0), 0.0), 0.0, 1.0)
