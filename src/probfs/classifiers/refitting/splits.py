"""Which labelled rows each model of a round holds out of its training, and which rows it scores."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from probfs.classifiers.options import EstimateName
from probfs.classifiers.refitting.design_matrix import Positions
from probfs.columns.dataset import Dataset
from probfs.columns.folds import deal_folds
from probfs.tables.table import Integers

UNLABELLED = -1


@dataclass(frozen=True, eq=False)
class Split:
    """The rows that one model holds out, and the rows that it scores, both by their positions; labelled rows come
    first.
    """

    held_out: Positions
    held_out_copies: Integers
    """How many copies of each of these rows are held out; the model is trained on the others, if there are any."""
    scored: Positions
    scored_counts: Integers
    scored_labels: Integers
    """The class of each scored row, or UNLABELLED."""

    @classmethod
    def without_scoring(cls) -> Split:
        """Hold nothing out and score nothing: for a model of which only the fit is wanted."""
        nothing: Positions = np.empty(0, dtype=np.intp)
        no_counts = np.empty(0, dtype=np.int64)
        return cls(nothing, no_counts, nothing, no_counts, no_counts)


def make_splits(dataset: Dataset, estimate: EstimateName, folds: int | None, seed: int) -> list[Split]:
    """The splits of a round, one for each model that scores rows."""
    rows = np.arange(len(dataset.labels))
    unlabelled = len(rows) + np.arange(len(dataset.unlabelled_counts))
    no_labels = np.full(len(unlabelled), UNLABELLED)
    none = np.empty(0, dtype=np.int64)
    if estimate in ("resubstitution", "oob"):
        return [
            Split(
                none,
                none,
                np.concatenate([rows, unlabelled]),
                np.concatenate([dataset.counts, dataset.unlabelled_counts]),
                np.concatenate([dataset.labels, no_labels]),
            )
        ]
    if estimate == "cv":
        if folds is None:
            raise ValueError("cross-validation needs a number of folds")
        splits = list(_split_by_fold(dataset, folds, seed))
    else:
        splits = list(_split_by_row(dataset))
    if len(unlabelled):
        splits.append(Split(none, none, unlabelled, dataset.unlabelled_counts, no_labels))
    return splits


def _split_by_fold(dataset: Dataset, folds: int, seed: int) -> Iterator[Split]:
    for copies in deal_folds(dataset, folds, seed):
        held_out = np.flatnonzero(copies)
        yield Split(held_out, copies[held_out], held_out, copies[held_out], dataset.labels[held_out])


def _split_by_row(dataset: Dataset) -> Iterator[Split]:
    one = np.ones(1, dtype=np.int64)
    for row in range(len(dataset.labels)):
        # One copy is held out, but the model scores all copies of the row: it would be the same for each of them.
        position = np.array([row])
        yield Split(position, one, position, dataset.counts[position], dataset.labels[position])
