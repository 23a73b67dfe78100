"""Which rows are scored by which model: the rows of a dataset in groups of one class and one model each."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from probfs.classifiers.naive_bayes.compiling import why_not_compiled
from probfs.classifiers.naive_bayes.model import IMPOSSIBLE, ClassCounts, LogOdds, SlotLayout
from probfs.classifiers.naive_bayes.rows import UNLABELLED, CompiledRows, Fit, Group, Rows, Sums, has_excess_table
from probfs.classifiers.options import EstimateName
from probfs.classifiers.row_odds import Odds
from probfs.columns.dataset import Dataset
from probfs.columns.folds import deal_folds
from probfs.tables.arrays import Codes, Floats, Integers

Members = npt.NDArray[np.intp]
"""Rows by their positions in the dataset."""


@dataclass(frozen=True, eq=False)
class Grouping:
    """Which model scores which rows, and how the models are made."""

    layout: SlotLayout
    smoothing: float
    estimate: EstimateName
    folds: int
    seed: int
    compiled: bool
    """Whether compiled loops go through the cells, where they can."""

    def log_odds(self, counts: ClassCounts, left_out: int | None = None) -> LogOdds:
        return LogOdds.of(counts, self.layout, self.smoothing, left_out)

    def rows(
        self, codes: Codes, counts: Sequence[Floats], scored: Sequence[tuple[int, int]], models: Sequence[LogOdds]
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
        return kind(codes, np.concatenate([np.empty(0), *counts]), groups, self.layout, models, impossible)


class SummedRows(Protocol):
    """What Naive Bayes asks of rows, wherever they are."""

    def activate(self, features: Members) -> None: ...

    def drop(self, features: Members) -> None: ...

    def set_exponent(self, exponent: float) -> None: ...

    def sum_changes(self, features: Members) -> Sums: ...

    def fit(self) -> Fit: ...

    def squared_ranges(self) -> Floats: ...

    def row_odds(self) -> Odds: ...


@dataclass(frozen=True, eq=False)
class GroupedRows:
    """The labelled and the unlabelled rows of a table, and the counts of all labelled ones."""

    counts: ClassCounts
    labelled: SummedRows
    unlabelled: SummedRows | None


class RowStore(Protocol):
    """Where the rows of a dataset are, if not in the dataset itself."""

    @property
    def stored_rows(self) -> int:
        """How many rows are stored, labelled and unlabelled; one may count for several equal ones."""

    def group(self, grouping: Grouping) -> GroupedRows: ...


@dataclass(frozen=True, eq=False)
class DealtRows:
    """The folds of some rows."""

    copies: Integers
    """How many copies of each row are in each fold: folds × rows."""
    counts: Sequence[ClassCounts] | None = None
    """Of each fold, where other rows belong to it, too; None where these rows are all."""


def group_rows(
    dataset: Dataset, grouping: Grouping, counts: ClassCounts | None = None, dealt: DealtRows | None = None
) -> GroupedRows:
    """The rows of a dataset. ``counts`` are those of the labelled rows, where they are known already. Where the dataset
    is a part of a larger table, they are those of the whole table, and ``dealt`` are its folds, if there are any.
    """
    columns = [feature.labelled for feature in dataset.features]
    counted = dataset.counts > 0
    by_class = [np.flatnonzero((dataset.labels == label) & counted) for label in range(len(dataset.classes))]
    codes, parts = _gather_codes(columns, by_class, grouping.layout)
    class_counts = [dataset.counts[members].astype(np.float64) for members in by_class]
    if counts is None:
        counts = count_values(parts, class_counts, grouping.layout)
    if grouping.estimate == "cv":
        # The rows in another order: both orders at once would take twice the memory.
        del codes, parts
        dealt = dealt or DealtRows(deal_folds(dataset, grouping.folds, grouping.seed))
        labelled = _group_by_fold(columns, by_class, counts, dealt, grouping)
    elif grouping.estimate == "loo":
        models = [grouping.log_odds(counts, left_out=label) for label in range(len(by_class))]
        labelled = grouping.rows(codes, class_counts, [(label, label) for label in range(len(by_class))], models)
    else:
        scored = [(label, 0) for label in range(len(by_class))]
        labelled = grouping.rows(codes, class_counts, scored, [grouping.log_odds(counts)])
    return GroupedRows(counts, labelled, _group_unlabelled(dataset, counts, grouping))


def count_values(by_class: Sequence[Codes], counts: Sequence[Floats], layout: SlotLayout) -> ClassCounts:
    """The counts of some rows, given class by class."""
    by_slot = [layout.count(codes, rows) for codes, rows in zip(by_class, counts, strict=True)]
    return ClassCounts(np.array([rows.sum() for rows in counts]), np.stack(by_slot, axis=1))


def _group_by_fold(
    columns: Sequence[Codes], by_class: Sequence[Members], counts: ClassCounts, dealt: DealtRows, grouping: Grouping
) -> Rows:
    """The rows of each fold and class, scored by the model of all other folds."""
    folds, classes = len(dealt.copies), len(by_class)
    members = [rows[copies[rows] > 0] for copies in dealt.copies for rows in by_class]
    codes, parts = _gather_codes(columns, members, grouping.layout)
    row_counts = [
        copies[members[fold * classes + label]].astype(np.float64)
        for fold, copies in enumerate(dealt.copies)
        for label in range(classes)
    ]
    models = []
    for fold in range(folds):
        of_fold = slice(fold * classes, (fold + 1) * classes)
        held_out = (
            count_values(parts[of_fold], row_counts[of_fold], grouping.layout)
            if dealt.counts is None
            else dealt.counts[fold]
        )
        models.append(grouping.log_odds(counts.without(held_out)))
    scored = [(label, fold) for fold in range(folds) for label in range(classes)]
    return grouping.rows(codes, row_counts, scored, models)


def _group_unlabelled(dataset: Dataset, counts: ClassCounts, grouping: Grouping) -> Rows | None:
    """The unlabelled rows, scored by the model of all labelled rows."""
    if not dataset.unlabelled_rows:
        return None
    everything = [np.arange(len(dataset.unlabelled_counts))]
    codes, _ = _gather_codes([feature.unlabelled for feature in dataset.features], everything, grouping.layout)
    rows = [dataset.unlabelled_counts.astype(np.float64)]
    return grouping.rows(codes, rows, [(UNLABELLED, 0)], [grouping.log_odds(counts)])


def _gather_codes(columns: Sequence[Codes], groups: Sequence[Members], layout: SlotLayout) -> tuple[Codes, list[Codes]]:
    """The codes of some groups of rows as one matrix of features × rows, in the narrowest dtype that fits all of them;
    and each group's part of this matrix.
    """
    members = np.concatenate(groups)
    matrix = np.empty((len(columns), len(members)), dtype=layout.code_dtype)
    for row, column in zip(matrix, columns, strict=True):
        row[:] = column.take(members)
    ends = np.cumsum([len(group) for group in groups])
    return matrix, np.split(matrix, ends[:-1], axis=1)
