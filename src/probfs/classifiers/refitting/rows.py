"""Which rows a model is trained on, which it scores and whose values these get when a feature is permuted; and the sums
over scored rows that a round's scores, errors and losses are made of.

Probabilities are arrays of classes × rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from probfs.classifiers.options import EstimateName
from probfs.classifiers.protocol import RoundScores
from probfs.classifiers.row_odds import RowOdds
from probfs.columns.dataset import Dataset
from probfs.columns.folds import deal_folds, order_by_content
from probfs.tables.arrays import Flags, Floats, Integers

Positions = npt.NDArray[np.intp]
"""Positions of rows or columns in a matrix."""

Donors = npt.NDArray[np.int32]
"""Permutations × rows: the position of the labelled row whose value each row is given."""

UNLABELLED = -1
"""The class of a row that has none."""


@dataclass(frozen=True, eq=False)
class Split:
    """The rows that one model scores, and those that it holds out, by their positions; labelled rows come first."""

    scored: Positions
    scored_counts: Integers
    scored_labels: Integers
    """The class of each scored row, or UNLABELLED."""
    held_out: Positions = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    held_out_copies: Integers = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    """How many copies of each of these rows are held out; the model is trained on the others, if there are any."""

    def training_counts(self, counts: Integers) -> Integers:
        """How many copies of each labelled row the model is trained on."""
        training = counts.copy()
        training[self.held_out] -= self.held_out_copies
        return training


@dataclass(frozen=True, eq=False)
class TrainingRows:
    """Distinct rows to train on, ordered by content: their positions, classes, and how often each occurs."""

    positions: Positions
    labels: Integers
    counts: Integers
    classes: int
    groups: Integers | None = None
    """The subject of each, if rows belong to subjects."""

    @classmethod
    def of(cls, labels: Integers, training: Integers, classes: int, groups: Integers | None = None) -> TrainingRows:
        """Those of the labelled rows of which copies are left to train on."""
        positions = np.flatnonzero(training)
        own = None if groups is None else groups[positions]
        return cls(positions, labels[positions], training[positions], classes, own)

    @cached_property
    def class_counts(self) -> Integers:
        return np.bincount(self.labels, weights=self.counts, minlength=self.classes).astype(np.int64)

    @property
    def prior(self) -> Floats:
        """The frequency of each class."""
        frequencies: Floats = self.class_counts / self.class_counts.sum()
        return frequencies


def make_splits(dataset: Dataset, estimate: EstimateName, folds: int | None, seed: int) -> list[Split]:
    """The splits of a round, one for each model that scores rows."""
    unlabelled = len(dataset.labels) + np.arange(len(dataset.unlabelled_counts))
    no_labels = np.full(len(unlabelled), UNLABELLED)
    if estimate in ("resubstitution", "oob"):
        rows = np.arange(len(dataset.labels) + len(unlabelled))
        counts = np.concatenate([dataset.counts, dataset.unlabelled_counts])
        return [Split(rows, counts, np.concatenate([dataset.labels, no_labels]))]
    if estimate == "cv" or dataset.groups is not None:
        folds = folds if estimate == "cv" else dataset.units
        if folds is None:
            raise ValueError("cross-validation needs a number of folds")
        splits = list(_split_by_fold(dataset, folds, seed))
    else:
        splits = list(_split_by_row(dataset))
    if len(unlabelled):
        splits.append(Split(unlabelled, dataset.unlabelled_counts, no_labels))
    return splits


def _split_by_fold(dataset: Dataset, folds: int, seed: int) -> Iterator[Split]:
    for copies in deal_folds(dataset, folds, seed):
        held_out = np.flatnonzero(copies)
        yield Split(held_out, copies[held_out], dataset.labels[held_out], held_out, copies[held_out])


def _split_by_row(dataset: Dataset) -> Iterator[Split]:
    one = np.ones(1, dtype=np.int64)
    for row in range(len(dataset.labels)):
        # One copy is held out, but the model scores all copies of the row: it would be the same for each of them.
        position = np.array([row])
        yield Split(position, dataset.counts[position], dataset.labels[position], position, one)


def set_apart(dataset: Dataset, features: Sequence[int], held_out: Integers, seed: int) -> tuple[Dataset, Split]:
    """A table of some features whose labelled rows are ordered by content and whose unlabelled rows are the rows held
    out (``held_out`` copies of each row of the dataset); and the split that scores these, in their order.
    """
    chosen = {dataset.features[place].name: dataset.features[place] for place in features}
    training = order_by_content(replace(dataset, features=tuple(chosen.values())), seed)
    members = np.flatnonzero(held_out)
    judged = tuple(replace(feature, unlabelled=chosen[feature.name].labelled[members]) for feature in training.features)
    split = Split(len(training.labels) + np.arange(len(members)), held_out[members], dataset.labels[members])
    return replace(training, features=judged, unlabelled_counts=held_out[members]), split


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


_EQUAL = 1e-12
"""Probabilities closer than this are equal: the difference is rounding."""


Sums = tuple[Floats, RowOdds]
"""Of some rows. 3 × features: Σ ½ Σ_c |P_c - Q_c| and Σ (P_y - Q_y) over labelled rows, and the first over unlabelled
ones; and the odds of the labelled rows with all features.
"""


def sum_changes(split: Split, block: slice, actual: Floats, changes: Floats) -> Sums:
    """The sums of a block of scored rows.

    ``changes`` is by how much the ``actual`` probabilities exceed those without each feature: classes × rows ×
    features.
    """
    labels, counts = split.scored_labels[block], split.scored_counts[block].astype(np.float64)
    known, unknown = np.flatnonzero(labels != UNLABELLED), np.flatnonzero(labels == UNLABELLED)
    own_class, weights = labels[known], counts[known]
    absolute = np.abs(changes).sum(axis=0) / 2
    sums = [weights @ absolute[known], weights @ changes[own_class, known], counts[unknown] @ absolute[unknown]]
    return np.stack(sums), odds_of(actual[:, known], own_class, weights)


def sum_retrained(split: Split, actual: Floats, without: Sequence[Floats]) -> Sums:
    """The sums of all scored rows, from their probabilities with all features and without each of them."""
    everything = slice(0, len(split.scored))
    parts = [sum_changes(split, everything, actual, (actual - each)[:, :, None]) for each in without]
    return np.hstack([changes for changes, _ in parts]), parts[0][1]


def add_up(parts: Sequence[Sums]) -> Sums:
    """The sums of several blocks or splits."""
    return np.sum([changes for changes, _ in parts], axis=0), RowOdds.joined([odds for _, odds in parts])


def make_scores(total: Sums, rows: int, unlabelled_rows: int, cv_errors: int | None) -> RoundScores:
    """The scores of a round, from the sums of all its rows."""
    (absolute, signed, unlabelled), odds = total
    return RoundScores(
        absolute / rows,
        signed / rows,
        (absolute + unlabelled) / (rows + unlabelled_rows) if unlabelled_rows else None,
        rows,
        round(odds.errors),
        odds.mean_absolute_loss,
        # A forest may rule out a row's own class, so that its loss is bounded.
        odds.loss(),
        cv_errors=cv_errors,
    )


def odds_of(actual: Floats, labels: Integers, counts: Floats | Integers) -> RowOdds:
    """The odds of labelled rows."""
    with np.errstate(divide="ignore"):
        logs = np.log(actual).T
    is_own = labels[:, None] == np.arange(logs.shape[1])
    own_logs = logs[is_own]
    others = logs[~is_own].reshape(len(labels), logs.shape[1] - 1).T
    possible = own_logs > -np.inf
    against_own = np.where(possible, others - np.where(possible, own_logs, 0.0), np.inf)
    weights = counts.astype(np.float64)
    return RowOdds(against_own, weights, float(weights @ find_errors(actual, labels)))


def find_errors(probabilities: Floats, labels: Integers) -> Flags:
    """Which rows are wrong; a tie falls to the first class."""
    highest = probabilities.max(axis=0, initial=0)
    wrong: Flags = np.argmax(probabilities >= highest - _EQUAL, axis=0) != labels
    return wrong
