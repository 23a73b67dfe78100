"""Tests of columns where rows belong to subjects, which are the units that labels are shuffled among.

The class of a subject that has one class is dealt out anew with those of all such subjects; where classes vary within a
subject, they are shuffled among its rows. Statistics of drawn tables tell how large that of the table would be by
chance: directly, and beyond what so few draws can tell by the gamma law of the same mean and variance.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from probfs.columns.dataset import LEAST_TOTAL, Dataset
from probfs.columns.folds import content_hashes, subject_hashes
from probfs.rows.blocks import Block
from probfs.screening.column_tests import ColumnTests
from probfs.screening.counting import RankedNumbers, ranks_by_feature
from probfs.screening.permutation_law import gamma_tail
from probfs.screening.permutations import midrank_scores
from probfs.tables.arrays import Floats, Integers

_DRAWS = 999
_FEWEST_DRAWS = 199
_MOST_WORK = 1 << 34
"""Products of cells and drawn labels, about ten seconds: beyond, fewer tables are drawn."""
_ENOUGH_ABOVE = 10
"""Drawn statistics that reach the table's, from which on their number alone says how probable that is."""
_CELLS_AT_ONCE = 1 << 22
_MOST_REPEATED = 1 << 22
"""Rows, up to which a row that stands for several is repeated so that its copies are shuffled one by one."""
_ROUNDING = 1e-5
"""Statistics that are equal may differ by rounding, relatively by so much."""


@dataclass(frozen=True, eq=False)
class _Units:
    """What labels are shuffled among: subjects of one class, and the rows of all others."""

    rows: Integers
    """Positions of rows in the dataset, each as often as it is shuffled."""
    weights: Integers | Floats
    """How many rows each stands for, or what it weighs."""
    of_row: Integers
    """The unit of each of these rows."""
    labels: Integers
    """The class of each unit."""
    strata: Integers
    """Units among which labels are shuffled have the same number."""

    @classmethod
    def of(cls, dataset: Dataset, seed: int) -> _Units:
        """The units in an order that depends on the content of rows only."""
        assert dataset.groups is not None, "rows do not belong to subjects"
        hashes, _ = content_hashes(dataset, seed)
        by_subject = subject_hashes(dataset, hashes)
        rows, weights = np.flatnonzero(dataset.counts), dataset.row_weights
        if dataset.rows <= _MOST_REPEATED:
            rows = np.repeat(rows, dataset.counts[rows])
            weights = np.ones_like(dataset.counts) if dataset.weights is None else dataset.weights
        labels, groups = dataset.labels[rows].astype(np.int64), dataset.groups[rows]
        order = np.lexsort((labels, hashes[rows], groups, by_subject[groups]))
        rows, labels, groups = rows[order], labels[order], groups[order]
        starts = np.flatnonzero(np.diff(groups, prepend=-1))
        subject = np.cumsum(np.diff(groups, prepend=-1) != 0) - 1
        varied = (np.maximum.reduceat(labels, starts) > np.minimum.reduceat(labels, starts))[subject]
        # A new unit begins with a subject, and with each row of one whose class varies.
        begins = varied.copy()
        begins[starts] = True
        firsts = np.flatnonzero(begins)
        strata = np.where(varied, subject + 1, 0)[firsts]
        return cls(rows, weights[rows], np.cumsum(begins) - 1, labels[firsts], strata)

    def shuffled(self, draws: int, classes: int, seed: int) -> Floats:
        """The labels of the table and of so many drawn ones, as units × tables × classes of 0 and 1."""
        random = np.random.default_rng(seed)
        order = np.argsort(self.strata, kind="stable")
        in_order, strata = self.labels[order], self.strata[order]
        drawn = np.empty((draws + 1, len(order)), dtype=np.int64)
        drawn[0, order] = in_order
        for table in range(1, draws + 1):
            shuffled = np.lexsort((random.random(len(order)), strata))
            drawn[table, order] = in_order[shuffled]
        labels: Floats = (drawn.T[:, :, None] == np.arange(classes)).astype(np.float32)
        return labels

    def add_up(self, terms: Floats) -> Floats:
        """The sums over the rows of each unit of terms of each row: things × units."""
        terms = terms * self.weights
        places = np.arange(len(terms))[:, None] * len(self.labels) + self.of_row
        sums = np.bincount(places.ravel(), terms.ravel(), minlength=len(terms) * len(self.labels))
        return sums.reshape(len(terms), len(self.labels)).astype(np.float32)


def subject_tests(dataset: Dataset, numbers: Iterable[RankedNumbers], seed: int) -> tuple[ColumnTests, ColumnTests]:
    """The tests of every feature by its values, and by its numbers, which ``numbers`` have row by row."""
    units, features, classes = _Units.of(dataset, seed), dataset.features, len(dataset.classes)
    by_value, by_number = ColumnTests.of_nothing(len(features)), ColumnTests.of_nothing(len(features))
    work = len(units.labels) * classes * sum(feature.values + 1 for feature in features)
    draws = _DRAWS if work * _DRAWS <= _MOST_WORK else _FEWEST_DRAWS
    labels = units.shuffled(draws, classes, seed).reshape(len(units.labels), -1)
    # One over the number of ways to deal labels out.
    _, alike = np.unique(np.stack([units.strata, units.labels]), axis=1, return_counts=True)
    _, sizes = np.unique(units.strata, return_counts=True)
    least = math.exp(sum(map(math.lgamma, (alike + 1).tolist())) - sum(map(math.lgamma, (sizes + 1).tolist())))

    def in_classes(cells: Floats) -> Floats:
        """The sums of some cells over all units of a class, in each drawn table: cells × tables × classes."""
        return (cells @ labels).reshape(len(cells), draws + 1, classes).astype(np.float64)

    for place, feature in enumerate(features):
        if feature.numbers is None:
            codes = feature.labelled[units.rows].astype(np.int64)
            squares, known = np.zeros((draws + 1, classes)), np.zeros((draws + 1, classes))
            held = np.flatnonzero(np.bincount(codes, minlength=feature.values)[: feature.values])
            for some in np.array_split(held, -(-len(held) * (draws + 1) * classes // _CELLS_AT_ONCE) or 1):
                counts = in_classes(units.add_up((codes == some[:, None]).astype(np.float64)))
                squares += (counts**2 / counts[:, :1].sum(axis=2, keepdims=True)).sum(axis=0)
                known += counts.sum(axis=0)
            by_value.put(np.array([place]), _judge(_between_classes(squares, known)[None], least))
    for place, ranks, distinct in ranks_by_feature(Block(dataset, numbers), range(len(features)), units.rows):
        # Midranks from -1 to 1, whose mean is 0.
        held = np.bincount(ranks, minlength=distinct + 1)[:distinct]
        scores = np.append(midrank_scores(held), np.nan)[ranks][None] / max(held.sum(), 1)
        if dataset.weights is not None:
            weights = np.where(np.isnan(scores), 0, units.weights)
            total = max(float(weights.sum()), LEAST_TOTAL)
            scores = scores - np.nan_to_num(scores) @ weights[0] / total
        present = in_classes(units.add_up((~np.isnan(scores)).astype(np.float64)))
        sums = in_classes(units.add_up(np.nan_to_num(scores)))
        by_number.put(np.array([place]), _judge(_between_classes(sums**2, present), least))
    return by_value, by_number


def _between_classes(squares: Floats, known: Floats) -> Floats:
    """Σ over the classes of squares over rows."""
    total: Floats = np.divide(squares, known, out=np.zeros_like(squares), where=known > 0).sum(axis=-1)
    return total


def _judge(statistics: Floats, least: float) -> ColumnTests:
    """The p-values of columns, by statistics of the table and of drawn ones: columns × tables."""
    statistic, drawn = statistics[:, 0], statistics[:, 1:]
    # What no shuffling changes may still differ by rounding.
    varies = np.ptp(statistics, axis=1) > _ROUNDING * np.abs(statistics).max(axis=1)
    above = np.count_nonzero(drawn >= (statistic * (1 - _ROUNDING))[:, None], axis=1)
    p = np.where(varies, (above + 1) / (drawn.shape[1] + 1), 1.0)
    # Statistics begin where all classes are alike, which is near the least of them.
    rare = np.flatnonzero(varies & (above < _ENOUGH_ABOVE))
    least_drawn = statistics[rare].min(axis=1)
    mean, variance = drawn[rare].mean(axis=1) - least_drawn, drawn[rare].var(axis=1)
    tail = gamma_tail(mean**2 / variance, (statistic[rare] - least_drawn) * mean / variance)
    p[rare] = np.minimum(p[rare], np.maximum(tail, least))
    return ColumnTests(p, varies)
