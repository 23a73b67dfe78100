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


def _compare(dataset: Dataset, dropped: Feature, kept: list[Feature]) -> tuple[Floats, Floats]:
    """What each kept feature shares with a dropped one, and how much of it the kept one explains."""
    tables, first = _count_together(dataset, dropped, kept)
    by_pair = np.add.reduceat(tables, first, axis=1)
    value_class, class_rows, value_rows = by_pair, by_pair.sum(axis=0), by_pair.sum(axis=2)
    other_class, other_rows = tables.sum(axis=0), tables.sum(axis=(0, 2))
    rows = class_rows.sum(axis=1)
    everything = np.add.reduceat(_log_terms(tables).sum(axis=(0, 2)), first)
    values_others = np.add.reduceat(_log_terms(tables.sum(axis=2)).sum(axis=0), first)
    values_classes = _log_terms(value_class).sum(axis=(0, 2))
    others_classes = np.add.reduceat(_log_terms(other_class).sum(axis=1), first)
    classes = _log_terms(class_rows).sum(axis=1)
    values, others = _log_terms(value_rows).sum(axis=0), np.add.reduceat(_log_terms(other_rows), first)
    seen, others_seen = (value_rows > 0).sum(axis=0), np.add.reduceat((other_rows > 0).astype(np.int64), first)
    classes_seen = (class_rows > 0).sum(axis=1)
    # N times each information, of which half the cells is expected by chance.
    within = everything + classes - values_classes - others_classes - (seen - 1) * (others_seen - 1) * classes_seen / 2
    given = everything + others - values_others - others_classes - (seen - 1) * (classes_seen - 1) * others_seen / 2
    alone = values_classes + _log_terms(rows) - values - classes - (seen - 1) * (classes_seen - 1) / 2
    smaller = classes - np.maximum(values_classes, others_classes)
    return _share(within, smaller), np.where(alone > 0, 1 - _share(np.maximum(given, 0.0), alone), 0.0)


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


def _share(part: Floats, whole: Floats) -> Floats:
    return np.clip(np.where(whole > 0, part / np.where(whole > 0, whole, 1.0), 0.0), 0.0, 1.0)
