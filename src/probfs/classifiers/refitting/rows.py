"""The rows that a model is trained on, the rows that it scores, and the donors whose values these are given when a
feature is permuted; and the sums over scored rows from which a round's scores, errors and losses follow.

Probabilities are arrays of classes × rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from probfs.classifiers.options import EstimateName
from probfs.classifiers.row_odds import RowOdds
from probfs.columns.dataset import Dataset, weigh
from probfs.columns.folds import deal_folds, order_by_content
from probfs.tables.arrays import Floats, Integers

Positions = npt.NDArray[np.intp]
"""Positions of rows or columns in a matrix."""
Donors = npt.NDArray[np.int32]
"""Permutations × rows: the position of the labelled row whose value each row is given."""
UNLABELLED = -1
"""The class of a row that has none."""
_EQUAL = 1e-12
"""Probabilities closer than this are equal: the difference is rounding."""


@dataclass(frozen=True, eq=False)
class Split:
    """The rows that a model scores, by position (labelled rows come first), and the rows that it is not trained on."""

    scored: Positions
    labels: Integers
    """The class of each scored row, or UNLABELLED."""
    counts: Integers
    weights: Floats
    """What each scored row weighs with all of its copies."""
    subjects: Integers | None = None
    """The subject of each scored row, where rows belong to some."""
    left_out: tuple[Positions, Integers] | None = None
    """Labelled rows, and how many copies of each the model is not trained on."""

    def training_counts(self, counts: Integers) -> Integers:
        """How many copies of each labelled row the model is trained on."""
        training = counts.copy()
        if self.left_out is not None:
            rows, copies = self.left_out
            training[rows] -= copies
        return training


def make_splits(dataset: Dataset, estimate: EstimateName, folds: int | None, seed: int) -> list[Split]:
    """The splits of a round, one for each model that scores rows."""
    unlabelled = dataset.unlabelled_counts
    labels = np.concatenate([dataset.labels, np.full(len(unlabelled), UNLABELLED)])
    counts = np.concatenate([dataset.counts, unlabelled])
    weights = np.ones(len(labels)) if dataset.weights is None else np.append(dataset.weights, np.ones(len(unlabelled)))
    subjects = None if dataset.groups is None else np.append(dataset.groups, np.full(len(unlabelled), UNLABELLED))

    def split(rows: Positions, counts: Integers, left_out: tuple[Positions, Integers] | None = None) -> Split:
        of_rows = None if subjects is None else subjects[rows]
        return Split(rows, labels[rows], counts, counts * weights[rows], of_rows, left_out)

    if estimate in ("resubstitution", "oob"):
        return [split(np.arange(len(labels)), counts)]
    labelled, others = np.split(np.arange(len(labels)), [len(dataset.labels)])
    if estimate == "loo" and dataset.groups is None:
        # One copy is left out, but the model scores all copies of the row: leaving out another gives the same model.
        splits = [split(row, counts[row], (row, np.ones_like(row))) for row in labelled[:, None]]
    else:
        folds = dataset.units if estimate == "loo" else folds
        if folds is None:
            raise ValueError("cross-validation needs a number of folds")
        dealt = deal_folds(dataset, folds, seed)
        splits = []
        for fold, copies in enumerate(dealt):
            # Where rows are ordered in time, later folds are left out, too, and the first fold is not scored.
            without = copies if dataset.times is None else dealt[fold:].sum(axis=0)
            scored, absent = np.flatnonzero(copies), np.flatnonzero(without)
            if dataset.times is None or (len(scored) and without.sum() < dataset.rows):
                splits.append(split(scored, copies[scored], (absent, without[absent])))
    return [*splits, split(others, unlabelled)] if len(others) else splits


def set_apart(dataset: Dataset, features: Sequence[int], held_out: Integers, seed: int) -> tuple[Dataset, Split]:
    """A table with some of the features, in which the held-out rows (``held_out`` copies of each row of the dataset)
    are the unlabelled ones; and the split that scores these, in their order. Its labelled rows are ordered by content.
    """
    chosen = {dataset.features[place].name: dataset.features[place] for place in features}
    training = order_by_content(replace(dataset, features=tuple(chosen.values())), seed)
    rows = np.flatnonzero(held_out)
    judged = tuple(replace(feature, unlabelled=chosen[feature.name].labelled[rows]) for feature in training.features)
    positions = len(training.labels) + np.arange(len(rows))
    weights = weigh(held_out, dataset.weights)[rows]
    subjects = None if dataset.groups is None else dataset.groups[rows]
    split = Split(positions, dataset.labels[rows], held_out[rows], weights, subjects)
    return replace(training, features=judged, unlabelled_counts=held_out[rows]), split


@dataclass(frozen=True, eq=False)
class TrainingRows:
    """Distinct rows to train on, ordered by content: their positions, classes, and how often each occurs."""

    positions: Positions
    labels: Integers
    counts: Integers
    weights: Floats
    """What each row weighs with all of its copies."""
    prior: Floats
    """The frequency of each class, by what rows weigh."""

    @classmethod
    def of(cls, labels: Integers, training: Integers, classes: int, weights: Floats | None = None) -> TrainingRows:
        """The labelled rows of which ``training`` has copies; ``weights`` are those of single copies."""
        positions = np.flatnonzero(training)
        weighed = weigh(training, weights)[positions]
        of_classes = np.bincount(labels[positions], weights=weighed, minlength=classes)
        return cls(positions, labels[positions], training[positions], weighed, of_classes / of_classes.sum())


def draw_donors(counts: Integers, donor_counts: Integers, permutations: int, generator: np.random.Generator) -> Donors:
    """Donors for rows that count ``counts`` times each, among labelled rows that count ``donor_counts`` times.

    Imagine the rows laid out along a circle, each as wide as its count, and the donors along a second circle of the
    same length, in a random order and turned by a random angle, both drawn anew for every permutation. A row's donor
    is the one opposite the row's middle. If rows and donors are the same and all count once, this is a permutation;
    in general every donor is drawn with a frequency proportional to its count.
    """
    length = int(donor_counts.sum())
    middles = (np.cumsum(counts) - counts / 2) * (length / int(counts.sum()))
    donors = np.empty((permutations, len(counts)), dtype=np.int32)
    for row in donors:
        order = generator.permutation(len(donor_counts))
        ends = np.cumsum(donor_counts[order])
        places = (middles + int(generator.integers(length))) % length
        row[...] = order[np.searchsorted(ends, places, side="right").clip(max=len(order) - 1)]
    return donors


def divide_rows(rows: int, cells_per_row: int, most_cells: int) -> list[slice]:
    """Blocks of rows with at most so many cells, or one row; they do not depend on the number of threads.

    >>> divide_rows(5, 10, 20)
    [slice(0, 2, None), slice(2, 4, None), slice(4, 5, None)]
    """
    size = max(1, most_cells // max(1, cells_per_row))
    return [slice(start, min(start + size, rows)) for start in range(0, rows, size)]


Sums = tuple[Floats, RowOdds]
"""Sums over some rows, 3 × features: Σ ½ Σ_c |P_c - Q_c| and Σ (P_y - Q_y) over labelled rows, and the first over
unlabelled ones; and the odds of the labelled rows with all features.
"""


def sum_changes(split: Split, block: slice, actual: Floats, changes: Floats) -> Sums:
    """The sums of a block of scored rows.

    ``changes`` is by how much the ``actual`` probabilities exceed those without each feature: classes × rows ×
    features.
    """
    labels, weights = split.labels[block], split.weights[block]
    known, unknown = np.flatnonzero(labels != UNLABELLED), np.flatnonzero(labels == UNLABELLED)
    absolute = np.abs(changes).sum(axis=0) / 2
    signed = changes[labels[known], known]
    sums = [weights[known] @ absolute[known], weights[known] @ signed, weights[unknown] @ absolute[unknown]]
    return np.stack(sums), odds_of(actual[:, known], split, np.arange(len(split.scored))[block][known])


def add_up(parts: Sequence[Sums]) -> Sums:
    """The sums of several blocks or splits."""
    return np.sum([changes for changes, _ in parts], axis=0), RowOdds.joined([odds for _, odds in parts])


def odds_of(actual: Floats, split: Split, rows: Positions | slice = slice(None)) -> RowOdds:
    """The odds of labelled rows, some of those that a split scores, from their probabilities."""
    labels, counts = split.labels[rows], split.counts[rows]
    with np.errstate(divide="ignore"):
        logs = np.log(actual).T
    is_own = labels[:, None] == np.arange(logs.shape[1])
    own_logs = logs[is_own]
    others = logs[~is_own].reshape(len(labels), logs.shape[1] - 1).T
    possible = own_logs > -np.inf
    against_own = np.where(possible, others - np.where(possible, own_logs, 0.0), np.inf)
    # A tie falls to the first class.
    wrong = np.argmax(actual >= actual.max(axis=0, initial=0) - _EQUAL, axis=0) != labels
    subjects = None if split.subjects is None else split.subjects[rows]
    return RowOdds(against_own, split.weights[rows], float(counts @ wrong), counts.astype(np.float64), subjects)
