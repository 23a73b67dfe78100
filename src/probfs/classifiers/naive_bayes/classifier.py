"""Categorical Naive Bayes: leave-one-out by table look-up, removal by division, no refit anywhere."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterable, Sequence
from functools import reduce
from operator import add
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from probfs.classifiers.estimates import EstimateName
from probfs.classifiers.extended_range import ExtendedFloats
from probfs.classifiers.naive_bayes.counts import ClassCounts, Layout, Model
from probfs.classifiers.naive_bayes.many_class_rows import FactorTables, ManyClassRows
from probfs.classifiers.naive_bayes.rows import LN2, Rows
from probfs.classifiers.naive_bayes.score_floors import Floors
from probfs.classifiers.naive_bayes.two_class_rows import OddsTables, TwoClassRows
from probfs.classifiers.protocol import Features, RoundScores
from probfs.classifiers.scores import ABSOLUTE, UNLABELED, Score
from probfs.classifiers.sums import Sums
from probfs.columns.dataset import Dataset
from probfs.columns.folds import check_class_sizes, deal_folds
from probfs.kernels import BLOCK, SIFTED
from probfs.runtime.memory import require_memory
from probfs.tables.table import Codes, Floats, Integers

if TYPE_CHECKING:
    from probfs.classifiers.naive_bayes.sieve import Sieve

Scores = tuple[ExtendedFloats, ExtendedFloats, ExtendedFloats | None]
Members = npt.NDArray[np.intp]
"""Rows by their positions in the dataset."""

_UNDERFLOWING = 2.0**-900
"""Times what a feature can make of it, a weight that has lost digits to underflow, or is 0."""
WORTH_COMPILING = 100_000_000
"""Cells of all rounds together, for each class but one, above which compiled loops save several times the tenth of a
second that loading them takes: the first time ever they must be compiled, which takes a few seconds.
"""
LOOP_CODES = ("uint8", "uint16")
"""The types of codes that there are compiled loops for."""
_ROW = 15
"""How many cells' time a row takes in each round, with all that depends on its odds alone."""
WORTH_SPARING = 300_000
"""Cells of a round below which computing all of them is faster than finding out which need not be."""
_TABLES = 6
"""How many numbers a model has for each class and value."""
_SATURATED = 600.0
"""When even the least certain row is surer than e^-600, a round works in units that fit that row from the start."""


class NaiveBayes:
    """A fitted Naive Bayes model and the features it still uses."""

    def __init__(
        self,
        dataset: Dataset,
        estimate: EstimateName,
        folds: int,
        smoothing: float,
        seed: int,
        rounds: Sequence[int] | None = None,
    ) -> None:
        """``rounds`` is how many features each round will have; one round of all is assumed otherwise."""
        self._table_rows = len(dataset.counts) + len(dataset.unlabelled_counts)
        features = rounds or [len(dataset.features)]
        cells = self._table_rows * (sum(features) + _ROW * len(features)) * (len(dataset.classes) - 1)
        self._compile = cells >= WORTH_COMPILING
        self._rows = dataset.rows
        self._unlabelled_rows = dataset.unlabelled_rows
        self._smoothing = smoothing
        self._layout = Layout.of([feature.values for feature in dataset.features])
        self._active: Features = np.arange(len(dataset.features))
        self._is_active = np.ones(len(dataset.features), dtype=np.bool_)
        if estimate != "resubstitution":
            check_class_sizes(dataset)
        require_memory(self._memory_needed(dataset, folds if estimate == "cv" else 1), "ranking this", dataset.source)
        self._labelled = self._labelled_rows(dataset, estimate, folds, seed)
        self._unlabelled = self._unlabelled_group(dataset)
        excess = [rows.largest_excess() for rows in (*self._labelled, *self._unlabelled)]
        # A sum below this is taken again in smaller units.
        self._underflowing = _UNDERFLOWING * (1 + np.maximum.reduce(excess))
        for rows in (*self._labelled, *self._unlabelled):
            rows.add(self._active)
        self._floors = self._no_floors()
        self._sieve: Sieve | None = None
        self._driven_by: Score | None = None

    @property
    def active(self) -> Features:
        return self._active

    def drop(self, features: Features) -> None:
        for rows in (*self._labelled, *self._unlabelled):
            rows.add(features, sign=-1)
        for floors in self._floors.values():
            floors.left(features)
        self._is_active[features] = False
        self._active = self._is_active.nonzero()[0]

    @property
    def notes(self) -> tuple[str, ...]:
        # Nothing is fitted step by step, so nothing can go wrong on the way.
        return ()

    def score(self) -> RoundScores:
        return self._with_fit(self._scores(self._active))

    def lowest(self, score: Score, wanted: int) -> tuple[Features, RoundScores]:
        if score != self._driven_by:
            self._go_by(score)
        if self._sieve is not None:
            found = self._sieve.may_be_lowest(self._active, wanted)
            return found, self._with_fit(self._scores(found))
        floors = self._floors.get(score)
        if floors is None or self._table_rows * len(self._active) < WORTH_SPARING:
            return self._active, self.score()
        batches = [floors.first(self._active, wanted)]
        scores = [self._scores(batches[0])]
        others = floors.others(self._active, batches[0], wanted)
        if len(others):
            batches.append(others)
            scores.append(self._scores(others))
        found = np.concatenate(batches)
        order = np.argsort(found)
        return found[order], self._with_fit(_joined(scores, order))

    def _go_by(self, score: Score) -> None:
        """An elimination goes by one score: what is known of others is of no use."""
        self._driven_by = score
        self._sieve = self._sieve_for(score)
        self._floors = {own: floors for own, floors in self._floors.items() if own == score and self._sieve is None}

    def _sieve_for(self, score: Score) -> Sieve | None:
        if not self._compile:
            return None
        with contextlib.suppress(OSError, ImportError):
            from probfs.classifiers.naive_bayes.sieve import sieve_for

            groups = [*self._labelled, *(self._unlabelled if score.needs_unlabelled else [])]
            return sieve_for(groups, not score.signed, self._counts)
        return None

    def _scores(self, features: Features) -> Scores:
        """Ŝ_S, Ŝ_A and, where there are unlabelled rows, Ŝ_SU of these features."""
        underflowing = self._underflowing[features]
        absolute, signed = _scaled_sums(self._labelled, features, underflowing)
        s_su = None
        if self._unlabelled:
            more, _ = _scaled_sums(self._unlabelled, features, underflowing)
            s_su = (absolute + more) / (self._rows + self._unlabelled_rows)
        s_s = absolute / self._rows
        if self._floors:
            for score, driving in ((ABSOLUTE, s_s), (UNLABELED, s_su)):
                if score in self._floors and driving is not None:
                    self._floors[score].computed(features, driving)
        return s_s, signed / self._rows, s_su

    def _with_fit(self, scores: Scores) -> RoundScores:
        fit = reduce(add, (rows.fit() for rows in self._labelled))
        return RoundScores(
            *scores,
            self._rows,
            round(fit.errors),
            fit.absolute_loss / self._rows,
            fit.log_loss / self._rows,
        )

    def _no_floors(self) -> dict[Score, Floors]:
        """Floors for the scores that have them, of which nothing is known yet.

        A signed score is a difference of what is for and against: bounds on it are too wide to spare anything.
        """
        reaches = []
        for rows in (*self._labelled, *self._unlabelled):
            reach = rows.reach(self._counts)
            if reach is None:
                return {}
            reaches.append(reach)
        reach = np.max(reaches, axis=0)
        return {score: Floors(reach) for score in (ABSOLUTE, *([UNLABELED] if self._unlabelled else []))}

    def _memory_needed(self, dataset: Dataset, models: int) -> int:
        classes = len(dataset.classes)
        codes = np.min_scalar_type(int(self._layout.values.max())).itemsize * len(dataset.features)
        # Each row's codes once more, its weights in two parts and what else a round keeps; and for each model, of which
        # there is one for each class and fold, some tables of factors.
        rows = self._table_rows * (codes + 40 + (16 * classes if classes > 2 else 16))
        # Twice what a sieve looks at, in lines of so many rows.
        sieve = 4 * len(dataset.features) * (self._table_rows + SIFTED) if self._table_rows <= BLOCK else 0
        return rows + sieve * self._compile + models * classes * self._layout.slots * classes * 8 * _TABLES

    # --- which rows are scored by which model -----------------------------------------------------------------------

    def _labelled_rows(self, dataset: Dataset, estimate: EstimateName, folds: int, seed: int) -> list[Rows]:
        columns = [feature.labelled for feature in dataset.features]
        by_class = [np.flatnonzero(dataset.labels == label) for label in range(len(dataset.classes))]
        codes, parts = self._matrix(columns, by_class)
        counts = [dataset.counts[members].astype(np.float64) for members in by_class]
        self._counts = self._count(parts, counts)
        if estimate == "cv":
            del codes, parts
            return self._held_out_rows(columns, by_class, deal_folds(dataset, folds, seed))
        groups = []
        for label, (own_codes, own) in enumerate(zip(parts, counts, strict=True)):
            left_out = label if estimate == "loo" else None
            model = Model.of(self._counts, self._layout, self._smoothing, left_out)
            groups.append(self._group(own_codes, own, label, model))
        return self._together(codes, groups)

    def _held_out_rows(self, columns: Sequence[Codes], by_class: Sequence[Members], dealt: Integers) -> list[Rows]:
        """Each fold's rows, scored by the model of all other folds."""
        of_folds = [(copies, members[copies[members] > 0]) for copies in dealt for members in by_class]
        codes, parts = self._matrix(columns, [members for _, members in of_folds])
        counts = [copies[members].astype(np.float64) for copies, members in of_folds]
        groups = []
        classes = len(by_class)
        for first in range(0, len(parts), classes):
            own_codes, own_counts = parts[first : first + classes], counts[first : first + classes]
            model = Model.of(self._counts.without(self._count(own_codes, own_counts)), self._layout, self._smoothing)
            groups += [
                self._group(part, own, label, model)
                for label, (part, own) in enumerate(zip(own_codes, own_counts, strict=True))
                if len(own)
            ]
        return self._together(codes, groups)

    def _unlabelled_group(self, dataset: Dataset) -> list[Rows]:
        if not self._unlabelled_rows:
            return []
        columns = [feature.unlabelled for feature in dataset.features]
        codes, _ = self._matrix(columns, [np.arange(len(dataset.unlabelled_counts))])
        model = Model.of(self._counts, self._layout, self._smoothing)
        return self._together(codes, [self._group(codes, dataset.unlabelled_counts.astype(np.float64), None, model)])

    def _count(self, by_class: Sequence[Codes], counts: Sequence[Floats]) -> ClassCounts:
        by_slot = [self._layout.count(codes, own) for codes, own in zip(by_class, counts, strict=True)]
        return ClassCounts(np.array([own.sum() for own in counts]), np.stack(by_slot, axis=1))

    def _matrix(self, columns: Sequence[Codes], groups: Sequence[Members]) -> tuple[Codes, list[Codes]]:
        """The codes of some groups of rows, a line for each feature, in the narrowest type that all of them fit; and
        each group's part of it.
        """
        kind = np.min_scalar_type(int(self._layout.values.max()))
        members = np.concatenate(groups)
        matrix = np.empty((len(columns), len(members)), dtype=kind)
        for line, column in zip(matrix, columns, strict=True):
            line[:] = column.take(members)
        ends = np.cumsum([len(group) for group in groups])
        return matrix, np.split(matrix, ends[:-1], axis=1)

    def _group(self, codes: Codes, counts: Floats, label: int | None, model: Model) -> TwoClassRows | ManyClassRows:
        if len(model.log_prior) == 2:
            return TwoClassRows(codes, counts, label, self._layout, OddsTables.of(model))
        return ManyClassRows(codes, counts, label, self._layout, FactorTables.of(model))

    def _together(self, codes: Codes, groups: Sequence[TwoClassRows | ManyClassRows]) -> list[Rows]:
        """The groups, or what does the same in compiled loops; ``codes`` are those of all groups."""
        if self._compile and codes.dtype.name in LOOP_CODES and not any(rows.has_zeros for rows in groups):
            # Only here is LLVM loaded, which takes longer than ranking a small table. Where it cannot be, for want of
            # memory perhaps, there is still numpy.
            with contextlib.suppress(OSError, ImportError):
                from probfs.classifiers.naive_bayes.compiled_rows import large

                return large(codes, groups)
        return list(groups)


def _scaled_sums(
    groups: Sequence[Rows], features: Features, underflowing: Floats
) -> tuple[ExtendedFloats, ExtendedFloats]:
    """Σ ½|P - Q| and Σ (P_y - Q_y) of each feature, however small; some are ``underflowing`` below a certain size."""
    least = min(rows.least_gap() for rows in groups)
    shift = int(least / LN2) if _SATURATED < least < math.inf else 0
    sums = _total(rows.sums(features, shift) for rows in groups)
    absolute, signed = ExtendedFloats.of(sums.absolute, -shift), ExtendedFloats.of(sums.signed, -shift)
    tiny = (sums.absolute < underflowing).nonzero()[0]
    while len(tiny):
        # In units that fit the features whose changes are largest; the others are left for another turn.
        nearest = np.minimum.reduce([rows.nearest_changes(features[tiny]) for rows in groups])
        tiny = tiny[np.isfinite(nearest)]
        if not len(tiny):
            break
        shift = int(nearest.min() / LN2)
        sums = _total(rows.sums(features[tiny], shift) for rows in groups)
        done = sums.absolute >= underflowing[tiny]
        if not done.any():
            break
        absolute = absolute.replaced(tiny[done], ExtendedFloats.of(sums.absolute[done], -shift))
        signed = signed.replaced(tiny[done], ExtendedFloats.of(sums.signed[done], -shift))
        tiny = tiny[~done]
    return absolute, signed


def _joined(parts: Sequence[Scores], order: npt.NDArray[np.intp]) -> Scores:
    """The scores of several lists of features as one list, in another order."""
    s_s, s_a, s_su = zip(*parts, strict=True)
    present = [scores for scores in s_su if scores is not None]
    return (
        ExtendedFloats.side_by_side(s_s).take(order),
        ExtendedFloats.side_by_side(s_a).take(order),
        ExtendedFloats.side_by_side(present).take(order) if present else None,
    )


def _total(parts: Iterable[Sums]) -> Sums:
    return reduce(add, parts)
