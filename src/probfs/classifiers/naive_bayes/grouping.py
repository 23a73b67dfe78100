"""Which rows are scored by which model: the rows of a dataset in groups of one class and one model each."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from probfs.classifiers.naive_bayes.compiling import why_not_compiled
from probfs.classifiers.naive_bayes.model import IMPOSSIBLE, ClassCounts, LogOdds, SlotLayout
from probfs.classifiers.naive_bayes.rows import UNLABELLED, CompiledRows, Group, Rows, has_excess_table
from probfs.classifiers.options import EstimateName
from probfs.columns.dataset import Dataset
from probfs.tables.arrays import Codes, Floats, Integers

Members = npt.NDArray[np.intp]
"""Rows by their positions in the dataset."""


@dataclass(frozen=True, eq=False)
class Grouping:
    """Which model scores which rows, and how the models are made."""

    layout: SlotLayout
    smoothing: float
    estimate: EstimateName
    compiled: bool
    """Whether compiled loops go through the cells, where they can."""
    counts: ClassCounts
    """Of all labelled rows, wherever they are."""
    folds: tuple[ClassCounts, ...] = ()
    """Of each fold, for ``estimate="cv"``."""

    def group_labelled(self, dataset: Dataset, copies: Callable[[int], Integers]) -> Rows:
        """The labelled rows of a dataset that count for something; ``copies`` says how many of each a fold has."""
        counted = dataset.counts > 0
        by_class = [np.flatnonzero((dataset.labels == label) & counted) for label in range(len(dataset.classes))]
        columns = [feature.labelled for feature in dataset.features]
        classes = range(len(by_class))
        if self.estimate == "cv":
            of_folds = [copies(fold) for fold in range(len(self.folds))]
            members = [rows[own[rows] > 0] for own in of_folds for rows in by_class]
            counts = [of_folds[place // len(classes)][rows] for place, rows in enumerate(members)]
            models = [self._log_odds(self.counts.without(held_out)) for held_out in self.folds]
            scored = [(label, fold) for fold in range(len(self.folds)) for label in classes]
            return self._rows(columns, members, counts, scored, models)
        counts = [dataset.counts[members] for members in by_class]
        if self.estimate == "loo":
            models = [self._log_odds(self.counts, left_out=label) for label in classes]
            return self._rows(columns, by_class, counts, [(label, label) for label in classes], models)
        return self._rows(columns, by_class, counts, [(label, 0) for label in classes], [self._log_odds(self.counts)])

    def group_unlabelled(self, dataset: Dataset) -> Rows:
        """The unlabelled rows, scored by the model of all labelled rows, whatever scores the labelled ones."""
        columns = [feature.unlabelled for feature in dataset.features]
        members = np.flatnonzero(dataset.unlabelled_counts)
        counts = [dataset.unlabelled_counts[members]]
        return self._rows(columns, [members], counts, [(UNLABELLED, 0)], [self._log_odds(self.counts)])

    def _log_odds(self, counts: ClassCounts, left_out: int | None = None) -> LogOdds:
        return LogOdds.of(counts, self.layout, self.smoothing, left_out)

    def _rows(
        self,
        columns: Sequence[Codes],
        members: Sequence[Members],
        counts: Sequence[Integers],
        scored: Sequence[tuple[int, int]],
        models: Sequence[LogOdds],
    ) -> Rows:
        """Groups of rows one after the other: ``scored`` has the label and the model of each."""
        ends = np.cumsum([len(own) for own in counts]).tolist()
        groups = [
            Group(end - len(own), end, label, model)
            for own, end, (label, model) in zip(counts, ends, scored, strict=True)
            if len(own)
        ]
        compiled = self.compiled and why_not_compiled() is None and has_excess_table(models, self.layout)
        kind = CompiledRows if compiled else Rows
        impossible = math.inf if self.smoothing else IMPOSSIBLE
        row_counts: Floats = np.concatenate([np.empty(0), *counts])
        codes = _gather_codes(columns, np.concatenate(members), self.layout)
        return kind(codes, row_counts, groups, self.layout, models, impossible)


def _gather_codes(columns: Sequence[Codes], members: Members, layout: SlotLayout) -> Codes:
    """The codes of some rows as a matrix of features × rows, in the narrowest dtype that fits all of them."""
    matrix = np.empty((len(columns), len(members)), dtype=layout.code_dtype)
    for row, column in zip(matrix, columns, strict=True):
        row[:] = column.take(members)
    return matrix
