"""Categorical Naive Bayes: leave-one-out by table look-up, removal by division, no refit anywhere."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, reduce
from operator import add
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from probfs.classifiers.extended_range import ExtendedFloats
from probfs.classifiers.naive_bayes.counts import ClassCounts, SlotLayout
from probfs.classifiers.naive_bayes.row_groups import GroupedRows, Grouping, RowGroups, RowStore
from probfs.classifiers.naive_bayes.score_floors import LogFloors, PlainFloors, ScoreFloors, curvature
from probfs.classifiers.naive_bayes.shrinkage import Shrinkage, ShrinkName
from probfs.classifiers.naive_bayes.underflow import sum_changes_of_any_size, underflow_limits
from probfs.classifiers.options import EstimateName
from probfs.classifiers.protocol import Features, RoundScores
from probfs.classifiers.row_odds import Odds
from probfs.classifiers.scores import ABSOLUTE, SIGNED, UNLABELED, Score
from probfs.columns.dataset import Dataset
from probfs.columns.folds import check_class_sizes
from probfs.columns.value_counts import ValueCounts
from probfs.kernels.constants import ROWS_PER_BLOCK
from probfs.kernels.unavailable import KernelUnavailable
from probfs.notes import Note, NoteKind
from probfs.runtime.memory import require_memory
from probfs.tables.table import Floats

if TYPE_CHECKING:
    from probfs.classifiers.naive_bayes.sieve import Sieve

Scores = tuple[ExtendedFloats, ExtendedFloats, ExtendedFloats | None]

_CELLS_WORTH_COMPILING = 100_000_000
"""Cells of all rounds together, times the number of classes less one, above which compiled loops save several times the
tenth of a second that loading them takes. The first time ever they are compiled, which takes a few seconds.
"""
_CELLS_PER_ROW = 15
"""In each round a row takes as long as this many cells for what depends on its odds alone."""
_CELLS_WORTH_PRUNING = 300_000
"""Cells of a round below which scoring all features is faster than finding out which can be skipped."""
_CELLS_WORTH_PLAIN_FLOORS = 60_000
"""The same where shrinkage acts, so that nearly all features can be skipped."""
_CLASSES_FOR_FLOORS = 5
_CLASSES_FOR_SIGNED_FLOORS = 3
"""Up to how many classes floors find the lowest features faster than the sieve where shrinkage acts."""
_NUMBERS_PER_VALUE = 6
"""How many numbers a model keeps for each class and value."""


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
        *,
        shrink: ShrinkName = "off",
        counts: ValueCounts | None = None,
        compiled: bool | None = None,
        prune: bool | None = None,
        store: RowStore | None = None,
    ) -> None:
        """``rounds`` says how many features each round will have; the default is one round of all features.

        ``shrink`` says whether class weights are raised to a power (see ``shrinkage``). ``counts`` are those of the
        dataset, where they are known already.
        ``compiled`` says whether loops are compiled, and ``prune`` whether features are skipped that cannot have the
        lowest scores of a round; with None, both are decided by the size of the table. Neither changes a ranking.
        Where there is a ``store``, the rows are there, and the dataset has only one for each class.
        """
        own_rows = len(dataset.counts) + len(dataset.unlabelled_counts)
        self._table_rows = own_rows if store is None else store.stored_rows
        self._compiled = self._is_worth_compiling(dataset, rounds) if compiled is None else compiled
        self._prune = prune
        self._rows = dataset.rows
        self._unlabelled_rows = dataset.unlabelled_rows
        self._classes = len(dataset.classes)
        self._active: Features = np.arange(len(dataset.features))
        self._is_active = np.ones(len(dataset.features), dtype=np.bool_)
        layout = SlotLayout.of([feature.values for feature in dataset.features])
        if estimate != "resubstitution":
            check_class_sizes(dataset)
        grouping = Grouping(layout, smoothing, estimate, folds, seed, self._compiled)
        groups: GroupedRows
        if store is None:
            needed = self._memory_needed(dataset, layout, folds if estimate == "cv" else 1)
            require_memory(needed, "ranking this", dataset.source)
            known = None if counts is None else ClassCounts(counts.class_rows, counts.by_slot)
            groups = RowGroups(dataset, grouping, known)
        else:
            groups = store.group(grouping)
        self._groups = groups
        self._counts = groups.counts
        self._labelled, self._unlabelled = groups.labelled, groups.unlabelled
        self._not_compiled_because = groups.not_compiled_because
        self._shrinkage = Shrinkage(shrink, self._counts, layout, smoothing)
        self._underflow_limits = underflow_limits([*self._labelled, *self._unlabelled])
        for rows in (*self._labelled, *self._unlabelled):
            rows.update(self._active)
        self._floors: dict[Score, ScoreFloors] = {}
        self._sieve: Sieve | None = None
        self._driven_by: Score | None = None
        self._follow_shrinkage()
        if prune is not False and dataset.features:
            self._floors = self._new_floors()

    @property
    def active(self) -> Features:
        return self._active

    def drop(self, features: Features) -> None:
        for rows in (*self._labelled, *self._unlabelled):
            rows.update(features, sign=-1)
        for floors in self._floors.values():
            floors.lower_after_removal(features)
        self._is_active[features] = False
        self._active = self._is_active.nonzero()[0]
        self._follow_shrinkage()

    def _follow_shrinkage(self) -> None:
        """Tell everything that depends on the exponent where it changes for the active features."""
        if not self._shrinkage.follow(self._active):
            return
        exponent = self._shrinkage.exponent
        for rows in (*self._labelled, *self._unlabelled):
            rows.set_exponent(exponent, self._active)
        # Scores under another exponent say nothing that would be worth having.
        self._floors = {score: self._plain_floors(score) for score in self._floors}
        if self._sieve is not None:
            self._sieve.follow_exponent(self._active)

    @property
    def notes(self) -> tuple[Note, ...]:
        # Nothing is fitted iteratively, so there is no convergence to report on.
        notes = [] if self._shrinkage.note is None else [self._shrinkage.note]
        if self._not_compiled_because is not None:
            message = f"compiled loops are not available ({self._not_compiled_because}), so this took longer"
            notes.append(NoteKind.NOT_COMPILED.note(message))
        return tuple(notes)

    @property
    def compiled(self) -> bool:
        """Whether loops are compiled: the table is large enough, and nothing stands in the way."""
        return self._compiled and self._not_compiled_because is None

    @property
    def calibrated(self) -> bool:
        """Never: columns that say the same make it too sure."""
        return False

    def odds(self) -> Odds:
        """The odds of the labelled rows, at exponent 1, with the active features."""
        return self._groups.odds()

    def score(self) -> RoundScores:
        return self._with_fit(self._score_features(self._active))

    def lowest(self, score: Score, wanted: int) -> tuple[Features, RoundScores]:
        if score != self._driven_by:
            self._driven_by = score
            self._choose_pruning(score)
        if self._sieve is not None:
            candidates = self._sieve.find_candidates(self._active, wanted)
            return candidates, self._with_fit(self._score_features(candidates))
        floors = self._floors.get(score)
        if floors is None or not (self._prune or self._is_worth_pruning()):
            return self._active, self.score()
        first = floors.first_batch(self._active, wanted)
        scores = self._score_features(first)
        rest = floors.second_batch(self._active, first, wanted)
        if not len(rest):
            return first, self._with_fit(scores)
        candidates = np.concatenate([first, rest])
        order = np.argsort(candidates)
        scores = _concatenate_scores([scores, self._score_features(rest)], order)
        return candidates[order], self._with_fit(scores)

    def _is_worth_compiling(self, dataset: Dataset, rounds: Sequence[int] | None) -> bool:
        features = rounds or [len(dataset.features)]
        cells = self._table_rows * (sum(features) + _CELLS_PER_ROW * len(features)) * (len(dataset.classes) - 1)
        return cells >= _CELLS_WORTH_COMPILING

    def _is_worth_pruning(self) -> bool:
        least = _CELLS_WORTH_PLAIN_FLOORS if self._shrinkage.acts else _CELLS_WORTH_PRUNING
        return self._table_rows * len(self._active) >= least

    def _choose_pruning(self, score: Score) -> None:
        """Whether floors or a sieve finds the features of the lowest scores, or neither.

        An elimination is driven by one score: bounds on the others are of no use to it. Without shrinkage the sieve
        beats floors; with it, floors fall slowly, and the more classes there are the faster.
        """
        floors = self._floors.get(score)
        most_classes = _CLASSES_FOR_SIGNED_FLOORS if score.signed else _CLASSES_FOR_FLOORS
        prefers_floors = self._shrinkage.acts and floors is not None and self._classes <= most_classes
        self._sieve = None if prefers_floors else self._build_sieve(score)
        self._floors = {score: floors} if floors is not None and self._sieve is None else {}

    def _build_sieve(self, score: Score) -> Sieve | None:
        if not self._compiled or self._prune is False:
            return None
        from probfs.classifiers.naive_bayes.sieve_choice import build_sieve

        groups = [*self._labelled, *(self._unlabelled if score.needs_unlabelled else [])]
        try:
            return build_sieve(groups, not score.signed, self._counts)
        except KernelUnavailable as error:
            self._not_compiled_because = error.reason
            return None

    def _score_features(self, features: Features) -> Scores:
        """Ŝ_S, Ŝ_A and, where there are unlabelled rows, Ŝ_SU of these features."""
        limits = self._underflow_limits[features]
        absolute, signed = sum_changes_of_any_size(self._labelled, features, limits)
        s_su = None
        if self._unlabelled:
            unlabelled, _ = sum_changes_of_any_size(self._unlabelled, features, limits)
            s_su = (absolute + unlabelled) / (self._rows + self._unlabelled_rows)
        s_s = absolute / self._rows
        s_a = signed / self._rows
        if self._floors:
            for score, driving in ((ABSOLUTE, s_s), (SIGNED, s_a), (UNLABELED, s_su)):
                if score in self._floors and driving is not None:
                    self._floors[score].record(features, driving, s_s if score.signed else driving)
        return s_s, s_a, s_su

    def _with_fit(self, scores: Scores) -> RoundScores:
        fit = reduce(add, (rows.fit() for rows in self._labelled))
        return RoundScores(
            *scores,
            self._rows,
            round(fit.errors),
            fit.absolute_loss / self._rows,
            fit.log_loss / self._rows,
            self._shrinkage.exponent,
        )

    def _new_floors(self) -> dict[Score, ScoreFloors]:
        """Floors, before any score is known, for the scores that can have them."""
        reaches = [rows.reach(self._counts) for rows in (*self._labelled, *self._unlabelled)]
        bounded = [reach for reach in reaches if reach is not None]
        if len(bounded) < len(reaches):
            return {}
        scores = [ABSOLUTE, *([UNLABELED] if self._unlabelled else [])]
        if self._shrinkage.acts:
            return {score: self._plain_floors(score) for score in (*scores, SIGNED)}
        reach = np.max(bounded, axis=0) * (1 if self._classes == 2 else 2)
        return {score: LogFloors(reach) for score in scores}

    def _plain_floors(self, score: Score) -> PlainFloors:
        reach = self._shrinkage.exponent * self._mean_ranges[score.needs_unlabelled]
        return PlainFloors(reach, curvature(self._classes))

    @cached_property
    def _mean_ranges(self) -> tuple[Floats, Floats]:
        """For each feature the root of its mean squared range at exponent 1, over labelled rows and over all."""
        labelled: Floats = np.sum([rows.squared_ranges() for rows in self._labelled], axis=0)
        everywhere = np.sum([labelled, *(rows.squared_ranges() for rows in self._unlabelled)], axis=0)
        return np.sqrt(labelled / self._rows), np.sqrt(everywhere / (self._rows + self._unlabelled_rows))

    def _memory_needed(self, dataset: Dataset, layout: SlotLayout, models: int) -> int:
        classes = len(dataset.classes)
        codes = layout.code_dtype.itemsize * len(dataset.features)
        # A copy of each row's codes, its weights in two parts, and what else a round keeps of it; and some tables for
        # each model, of which there is one for each class and fold.
        rows = self._table_rows * (codes + 40 + (16 * classes if classes > 2 else 16))
        # Two copies of the codes that a sieve goes through, padded to whole blocks.
        sieve = 0
        if self._compiled and self._table_rows <= ROWS_PER_BLOCK:
            from probfs.kernels.loops.sieve_bounds import ROWS_PER_CHECK

            sieve = 4 * len(dataset.features) * (self._table_rows + ROWS_PER_CHECK)
        return rows + sieve + models * classes * layout.slots * classes * 8 * _NUMBERS_PER_VALUE


def _concatenate_scores(parts: Sequence[Scores], order: npt.NDArray[np.intp]) -> Scores:
    """The scores of several lists of features as one list, in another order."""
    s_s, s_a, s_su = zip(*parts, strict=True)
    present = [scores for scores in s_su if scores is not None]
    return (
        ExtendedFloats.concatenate(s_s).take(order),
        ExtendedFloats.concatenate(s_a).take(order),
        ExtendedFloats.concatenate(present).take(order) if present else None,
    )
