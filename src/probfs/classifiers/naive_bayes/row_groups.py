"""Which rows are scored by which model: the rows of a dataset in groups of one class and one model each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from probfs.classifiers.naive_bayes.counts import ClassConditionals, ClassCounts, SlotLayout
from probfs.classifiers.naive_bayes.many_class_rows import FactorTables, ManyClassRows
from probfs.classifiers.naive_bayes.rows import Rows
from probfs.classifiers.naive_bayes.two_class_rows import OddsTables, TwoClassRows
from probfs.classifiers.options import EstimateName
from probfs.classifiers.row_odds import Odds, RowOdds
from probfs.columns.dataset import Dataset
from probfs.columns.folds import deal_folds
from probfs.kernels.unavailable import KernelUnavailable
from probfs.tables.table import Codes, Floats, Integers

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
    """Whether compiled loops take the groups over, as far as they can."""


class GroupedRows(Protocol):
    """Rows in groups, wherever they are."""

    counts: ClassCounts
    """Of all labelled rows."""
    labelled: list[Rows]
    unlabelled: list[Rows]
    not_compiled_because: str | None
    """Why numpy does the work of compiled loops, where it does."""

    def odds(self) -> Odds:
        """Of the labelled rows, at exponent 1, with the features that are active now."""


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


class RowGroups:
    """The labelled and the unlabelled rows of a dataset, and the counts of the labelled ones."""

    def __init__(
        self,
        dataset: Dataset,
        grouping: Grouping,
        counts: ClassCounts | None = None,
        dealt: DealtRows | None = None,
    ) -> None:
        """``counts`` are those of the labelled rows, where they are known already. Where the dataset is a part of a
        larger table, they are those of the whole table, and ``dealt`` are its folds, if there are any.
        """
        self._layout = grouping.layout
        self._smoothing = grouping.smoothing
        self._compiled = grouping.compiled
        self.not_compiled_because: str | None = None
        estimate = grouping.estimate
        columns = [feature.labelled for feature in dataset.features]
        counted = dataset.counts > 0
        by_class = [np.flatnonzero((dataset.labels == label) & counted) for label in range(len(dataset.classes))]
        codes, parts = self._gather_codes(columns, by_class)
        class_counts = [dataset.counts[members].astype(np.float64) for members in by_class]
        self.counts = self.count_values(parts, class_counts) if counts is None else counts
        if estimate == "cv":
            # The rows in another order: both orders at once would take twice the memory.
            del codes, parts
            if dealt is None:
                dealt = DealtRows(deal_folds(dataset, grouping.folds, grouping.seed))
            self.labelled = self._group_by_fold(columns, by_class, dealt)
        else:
            self.labelled = self._group_by_class(codes, parts, class_counts, leave_out=estimate == "loo")
        self.unlabelled = self._group_unlabelled(dataset) if dataset.unlabelled_rows else []

    def odds(self) -> RowOdds:
        return RowOdds.joined([rows.odds() for rows in self.labelled])

    def _group_by_class(
        self, codes: Codes, parts: Sequence[Codes], class_counts: Sequence[Floats], leave_out: bool
    ) -> list[Rows]:
        """The rows of each class, scored by the model of all rows or, with ``leave_out``, of all other rows."""
        groups = []
        for label, (part, counts) in enumerate(zip(parts, class_counts, strict=True)):
            if not len(counts):
                # A part of a table may lack a class.
                continue
            left_out = label if leave_out else None
            model = ClassConditionals.of(self.counts, self._layout, self._smoothing, left_out)
            groups.append(make_rows(part, counts, label, self._layout, model))
        return self._compile(codes, groups)

    def _group_by_fold(self, columns: Sequence[Codes], by_class: Sequence[Members], dealt: DealtRows) -> list[Rows]:
        """The rows of each fold and class, scored by the model of all other folds."""
        members_of_folds = [(copies, members[copies[members] > 0]) for copies in dealt.copies for members in by_class]
        codes, parts = self._gather_codes(columns, [members for _, members in members_of_folds])
        counts = [copies[members].astype(np.float64) for copies, members in members_of_folds]
        groups = []
        classes = len(by_class)
        for fold in range(len(dealt.copies)):
            own = slice(fold * classes, (fold + 1) * classes)
            fold_codes, fold_counts = parts[own], counts[own]
            held_out = self.count_values(fold_codes, fold_counts) if dealt.counts is None else dealt.counts[fold]
            training = self.counts.without(held_out)
            model = ClassConditionals.of(training, self._layout, self._smoothing)
            groups += [
                make_rows(part, rows, label, self._layout, model)
                for label, (part, rows) in enumerate(zip(fold_codes, fold_counts, strict=True))
                if len(rows)
            ]
        return self._compile(codes, groups)

    def _group_unlabelled(self, dataset: Dataset) -> list[Rows]:
        columns = [feature.unlabelled for feature in dataset.features]
        codes, _ = self._gather_codes(columns, [np.arange(len(dataset.unlabelled_counts))])
        model = ClassConditionals.of(self.counts, self._layout, self._smoothing)
        group = make_rows(codes, dataset.unlabelled_counts.astype(np.float64), None, self._layout, model)
        return self._compile(codes, [group])

    def count_values(self, by_class: Sequence[Codes], counts: Sequence[Floats]) -> ClassCounts:
        """The counts of some rows, given class by class."""
        by_slot = [self._layout.count(codes, own) for codes, own in zip(by_class, counts, strict=True)]
        return ClassCounts(np.array([own.sum() for own in counts]), np.stack(by_slot, axis=1))

    def _gather_codes(self, columns: Sequence[Codes], groups: Sequence[Members]) -> tuple[Codes, list[Codes]]:
        """The codes of some groups of rows, a line for each feature, in the narrowest dtype that fits all of them; and
        each group's part of this matrix.
        """
        members = np.concatenate(groups)
        ends = np.cumsum([len(group) for group in groups])
        whole = _matrix_of_lines(columns)
        if whole is not None and whole.dtype == self._layout.code_dtype and _are_all(members, whole.shape[1]):
            return whole, np.split(whole, ends[:-1], axis=1)
        matrix = np.empty((len(columns), len(members)), dtype=self._layout.code_dtype)
        for line, column in zip(matrix, columns, strict=True):
            line[:] = column.take(members)
        return matrix, np.split(matrix, ends[:-1], axis=1)

    def _compile(self, codes: Codes, groups: Sequence[TwoClassRows | ManyClassRows]) -> list[Rows]:
        """The groups, taken over by compiled loops where these are wanted; ``codes`` are those of all groups."""
        if self._compiled and groups:
            from probfs.classifiers.naive_bayes.compiled_rows import compile_rows

            try:
                return list(compile_rows(codes, groups))
            except KernelUnavailable as error:
                # For lack of memory, perhaps; numpy needs less.
                self.not_compiled_because = error.reason
        return list(groups)


def _matrix_of_lines(columns: Sequence[Codes]) -> Codes | None:
    """The matrix whose lines these columns are, if they are all of its lines: then it need not be made again."""
    whole = columns[0].base if columns else None
    if not isinstance(whole, np.ndarray) or whole.ndim != 2 or len(whole) != len(columns):
        return None
    addresses = zip(columns, whole, strict=True)
    return (
        whole
        if all(own.ctypes.data == line.ctypes.data and own.shape == line.shape for own, line in addresses)
        else None
    )


def _are_all(members: Members, rows: int) -> bool:
    return len(members) == rows and np.array_equal(members, np.arange(rows))


def make_rows(
    codes: Codes, counts: Floats, label: int | None, layout: SlotLayout, model: ClassConditionals
) -> TwoClassRows | ManyClassRows:
    """Rows of one class, or without a label, that are scored by one model; no feature is active yet."""
    if len(model.log_prior) == 2:
        return TwoClassRows(codes, counts, label, layout, OddsTables.of(model))
    return ManyClassRows(codes, counts, label, layout, FactorTables.of(model))
