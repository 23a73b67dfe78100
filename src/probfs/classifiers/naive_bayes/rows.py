"""The log-odds of rows, kept up to date while features leave, and how much each feature changes their posteriors.

Each row has the log-odds of each class against the last one. Removing a feature subtracts its log-odds. Where class
weights are raised to a power (see ``Shrinkage``), the tables that rows look up are multiplied by it, and nothing else
here depends on it.

For the factors p of a feature at some slot let e_b = p_max/p_b - 1, p_max being the largest of them. For a row whose
most probable class is t let u_b = e_b - e_t, and U = Σ_b P_b·u_b. Then P_c - Q_c = P_c·(U - u_c) / (1 + e_t + U). As
u_t = 0 and the denominator is at least 1, the result keeps its relative precision however close P is to 0 or 1. A
feature of many columns together may have factors so far apart that P is 0 only because of them: then Q is computed from
the log-odds that are left.
"""

from __future__ import annotations

import math
import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import accumulate
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from probfs.classifiers.compiling import compile_loops, loops, why_not_compiled
from probfs.classifiers.naive_bayes.model import EVEN_ODDS, IMPOSSIBLE, LogOdds
from probfs.classifiers.options import EstimateName
from probfs.classifiers.protocol import Features
from probfs.classifiers.row_odds import RowOdds
from probfs.columns.dataset import Dataset, ValueCounts, weigh
from probfs.rows.blocks import EVERYTHING, Block, Part
from probfs.runtime.parallel import run_in_threads, split_range
from probfs.tables.arrays import Codes, Flags, Floats, Integers, code_type

_CELLS_PER_BLOCK = 1 << 16
_FARTHEST = 600.0
"""The largest range of log p over the classes for which p is divided out of P, which is 0 below e^-745."""
_CELLS_WORTH_A_THREAD = 300_000
"""With fewer cells, handing them to another thread takes longer than going through them."""


class Rows:
    """Rows and their log-odds, in numpy."""

    def __init__(
        self,
        codes: Codes,
        counts: Floats,
        weights: Floats,
        labels: Integers | None,
        model: Integers,
        offset: Integers,
        models: LogOdds,
        impossible: float = math.inf,
        subjects: Integers | None = None,
    ) -> None:
        """``codes`` is a matrix of features × rows. ``counts`` says how many equal rows each row stands for,
        ``weights`` what these weigh together, and ``model`` which of the models judges it. Unlabelled rows have no
        ``labels``. A class whose log-weight is more than ``impossible`` below the largest has probability 0.
        """
        self.codes, self.counts, self.weights, self.subjects = codes, counts, weights, subjects
        self.labels, self.model, self.offset = labels, model, offset
        self.models = self._at_exponent_1 = models
        self.impossible = impossible
        others, _, self.slots = models.by_slot.shape
        self.classes = others + 1
        self.exponent = 1.0
        self.odds = np.empty((others, codes.shape[1]))
        self._active = np.zeros(len(codes), dtype=np.bool_)
        self._summed = -1
        """How many features were active when log-odds were last summed afresh; -1 before that."""
        self._row_odds: RowOdds | None = None
        """The odds with the active features, once they were asked for."""
        self._excess = np.empty(0)
        """e_b: classes × models × slots."""
        self._are_far = self._active
        """Whether the factors of a feature are too far apart to be divided out."""

    def bring(self, active: Flags, exponent: float = 1.0) -> Self:
        """Update the log-odds to those of these features, with class weights raised to this power."""
        gone = np.flatnonzero(self._active & ~active)
        left = int(np.count_nonzero(active))
        # Once half of the features have left, log-odds are summed afresh, so that rounding errors do not pile up.
        halved = len(gone) > 0 and 2 * left <= self._summed
        if halved or self._summed < 0 or exponent != self.exponent or np.any(active & ~self._active):
            self._begin(active, exponent)
            self._summed, self._row_odds = left, None
        elif len(gone):
            self._update(gone, -1)
            self._row_odds = None
        self._active = active.copy()
        return self

    def sum_changes(self, features: Features) -> Floats:
        """Σ ½ Σ_c |P_c - Q_c| and, of labelled rows, Σ (P_y - Q_y) for each of these features: 2 × features."""
        are_far = self._are_far[features]
        if not are_far.any():
            return self._divide_out(features)
        sums = np.empty((2, len(features)))
        sums[:, ~are_far] = self._divide_out(features[~are_far])
        logs = self._log_weights()
        for place in np.flatnonzero(are_far):
            slots, without = self._slots(features[[place]], slice(None))[0], logs.copy()
            without[:-1] -= [table.take(slots) for table in self.models.by_slot]
            p, q = (np.exp(each - each.max(axis=0)) for each in (logs, without))
            changes = p / p.sum(axis=0) - q / q.sum(axis=0)
            signed = 0.0 if self.labels is None else self.weights @ _of_own_class(changes, self.labels)
            sums[:, place] = self.weights @ np.abs(changes).sum(axis=0) / 2, signed
        return sums

    def _divide_out(self, features: Features) -> Floats:
        logs = self._log_weights()
        top = logs.argmax(axis=0)
        posterior = np.exp(logs - logs.max(axis=0))
        posterior /= posterior.sum(axis=0)
        sums, tables = np.zeros((2, len(features))), self._excess.reshape(self.classes, -1)
        for which, rows in self._blocks(len(features)):
            slots = self._slots(features[which], rows)
            p, of_top = posterior[:, rows], tables.take(slots + top[rows] * tables.shape[1])
            excess = [table.take(slots) - of_top for table in tables]
            mean = sum(of_class * u for of_class, u in zip(p, excess, strict=True))
            scale = self.weights[rows] / (1 + of_top + mean)
            sizes = sum(of_class * np.abs(mean - u) for of_class, u in zip(p, excess, strict=True))
            sums[0, which] += (sizes * scale).sum(axis=1) / 2
            if self.labels is not None:
                own = tables.take(slots + self.labels[rows] * tables.shape[1]) - of_top
                sums[1, which] += ((mean - own) * _of_own_class(p, self.labels[rows]) * scale).sum(axis=1)
        return sums

    def fit(self) -> Floats:
        """The number of errors, and weighted sums of 1 - P_y and of -log P_y. The rows must be labelled."""
        assert self.labels is not None
        logs, against_own = self._log_weights(), self._against_own()
        # Equal probabilities fall to the first class.
        wrong = np.argmax(logs >= logs.max(axis=0) - EVEN_ODDS, axis=0) != self.labels
        losses = np.logaddexp.reduce(against_own, axis=0, initial=0.0)
        misses = -np.expm1(-losses)
        losses[against_own.max(axis=0) > self.impossible] = np.inf
        # Dot products of many rows would wait for threads of BLAS.
        return np.array([each.sum() for each in (wrong * self.counts, misses * self.weights, losses * self.weights)])

    def sum_losses(self, sharpness: float, least: float) -> Floats:
        """``RowOdds.sums`` of these rows."""
        return self.row_odds().sums(sharpness, least)

    def row_odds(self) -> RowOdds:
        """The odds of these rows, which must be labelled, at exponent 1."""
        if self._row_odds is not None:
            return self._row_odds
        odds = self._against_own()
        if math.isfinite(self.impossible):
            behind = odds.max(axis=0, initial=0.0)
            odds[odds < behind - self.impossible] = -np.inf
            odds[:, behind > self.impossible] = np.inf
        if self.exponent != 1:
            odds /= self.exponent
        self._row_odds = RowOdds(odds, self.weights, float(self.fit()[0]), self.counts, self.subjects)
        return self._row_odds

    def _against_own(self) -> Floats:
        """The log-odds of every other class against a row's own."""
        assert self.labels is not None
        if self.classes == 2:
            return np.where(self.labels == 0, -self.odds, self.odds)
        logs = self._log_weights()
        others = [np.where(place < self.labels, logs[place], logs[place + 1]) for place in range(self.classes - 1)]
        return np.stack(others) - _of_own_class(logs, self.labels)

    def _begin(self, active: Flags, exponent: float) -> None:
        """Sum the log-odds of these features afresh, and make the tables of e that they need."""
        if exponent != self.exponent:
            self.exponent, self.models = exponent, self._at_exponent_1.raised_to(exponent)
        slots = np.flatnonzero(np.repeat(active, np.diff(self.offset, append=self.slots)))
        self._excess = np.zeros((self.classes, *self.models.by_slot.shape[1:]))
        by_slot = self.models.by_slot[:, :, slots]
        self._excess[:, :, slots] = self._make_excess(by_slot)
        far = (by_slot.max(axis=0).clip(0) - by_slot.min(axis=0).clip(max=0)).max(axis=0, initial=0) > _FARTHEST
        self._are_far = np.zeros_like(active)
        self._are_far[np.searchsorted(self.offset, slots[far], side="right") - 1] = True
        self.odds[:] = self.models.prior[:, self.model]
        self._update(np.flatnonzero(active), 1)

    def _make_excess(self, log_odds: Floats) -> Floats:
        """e_b of each class b, from log-odds of all classes but the last."""
        logs = np.concatenate([log_odds, np.zeros_like(log_odds[:1])])
        excess: Floats = np.expm1((logs.max(axis=0) - logs).clip(max=_FARTHEST))
        return excess

    def _update(self, features: Features, sign: int) -> None:
        """Add the log-odds of some features, or with sign -1 take them away."""
        for which, rows in self._blocks(len(features)):
            slots = self._slots(features[which], rows)
            for odds, table in zip(self.odds, self.models.by_slot, strict=True):
                odds[rows] += sign * table.take(slots).sum(axis=0)

    def _log_weights(self) -> Floats:
        """The log-weight of each class, that of the last being 0: classes × rows."""
        return np.concatenate([self.odds, np.zeros((1, self.odds.shape[1]))])

    def _blocks(self, features: int) -> Iterator[tuple[slice, slice]]:
        """Ranges of features and rows whose cells stay in the cache."""
        count = self.codes.shape[1]
        tall = max(1, min(count, _CELLS_PER_BLOCK // (8 * self.classes)))
        wide = max(1, _CELLS_PER_BLOCK // (tall * self.classes))
        for first_row in range(0, count, tall):
            for first in range(0, features, wide):
                yield slice(first, first + wide), slice(first_row, first_row + tall)

    def _slots(self, features: Features, rows: slice) -> npt.NDArray[np.intp]:
        """Where the cells of some rows stand in a class's table of models × slots."""
        slots = np.add(self.codes[features, rows], self.offset[features, None], dtype=np.intp)
        slots += self.model[rows] * self.slots
        return slots


class CompiledRows(Rows):
    """Rows in compiled loops."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        rows = self.codes.shape[1]
        self._labels = np.full(rows, -1) if self.labels is None else self.labels.astype(np.int64)
        self._model = self.model.astype(np.uint32)
        self._offsets = self.offset.astype(np.uint32)
        self._row_blocks = -(-rows // loops().ROWS_PER_BLOCK)
        self._posterior = np.empty((self.classes, rows))
        self._start = np.empty((2, rows), dtype=np.uint64)
        self._fit = np.empty((self._row_blocks, 4))

    def fit(self) -> Floats:
        errors, miss, loss, ruled_out = self._fit.sum(axis=0).tolist()
        return np.array([errors, miss, math.inf if ruled_out else loss])

    def sum_losses(self, sharpness: float, least: float) -> Floats:
        if math.isfinite(self.impossible):
            return super().sum_losses(sharpness, least)
        sums = np.empty((self._row_blocks, 3))
        call = partial(
            loops().sum_losses, self.odds, self._labels, self.weights, self.exponent, sharpness,
            -math.log(least), sums,
        )  # fmt: skip
        self._run(call, 20 * self.classes)
        total: Floats = sums.sum(axis=0)
        return total

    def _run(self, loop: Callable[..., object], cells_per_row: int) -> None:
        """Run a loop over all blocks of rows in threads; each row takes as long as so many cells."""
        parts = split_range(self._row_blocks, self.codes.shape[1] * cells_per_row // _CELLS_WORTH_A_THREAD)
        run_in_threads([partial(loop, *part) for part in parts])

    def _make_excess(self, log_odds: Floats) -> Floats:
        # For two classes the loop looks up p_t/p_b - 1 itself, for either top class t.
        if self.classes > 2:
            return super()._make_excess(log_odds)
        return np.asarray(np.expm1(np.concatenate([log_odds, -log_odds]).clip(max=_FARTHEST)))

    def _update(self, features: Features, sign: int) -> None:
        call = partial(
            loops().update, self.codes, features, self._offsets, self.models.by_slot, self._model, float(sign),
            self.odds,
            self.impossible, self._labels, self.counts, self.weights, self._posterior, self._start, self._fit,
        )  # fmt: skip
        self._run(call, self.classes * (2 * len(features) + 6))

    def _divide_out(self, features: Features) -> Floats:
        work = self.codes.shape[1] * (self.classes - 1) * len(features) // _CELLS_WORTH_A_THREAD
        sums = np.empty((len(features), 2, self._row_blocks))
        # Threads share the blocks of rows or, where there is only one, the features.
        parts = [(slice(None), part) for part in split_range(self._row_blocks, work)]
        if self._row_blocks == 1:
            parts = [(slice(*part), (0, 1)) for part in split_range(len(features), work)]
        loop = loops().sum_two_class_changes
        if self.classes > 2:
            loop = partial(loops().sum_changes, self._labels, self.weights)
        shared = self.codes, self._offsets, self._excess.ravel(), self._posterior, self._start
        run_in_threads([partial(loop, *shared, features[which], sums[which], *rows) for which, rows in parts])
        total: Floats = sums.sum(axis=2).T
        return total

    def compile(self) -> None:
        """Compile the loops for tables of this kind, or load them if that was done before."""
        self.bring(np.zeros(len(self.codes), dtype=np.bool_))
        self._divide_out(np.empty(0, dtype=np.intp))


def scale_smoothing(smoothing: float, counts: ValueCounts, rows: float) -> float:
    """The smoothing that has the same effect as if these rows weighed 1 on average: where weights grow steeply with
    time, the models of early rows would otherwise consist of little but smoothing.
    """
    return smoothing * float(counts.class_rows.sum()) / rows


def compile_rows(block: Block | None, code_dtype: np.dtype[Any], classes: int) -> str | None:
    """Compile the loops for codes of this type, or load them, in the process of a block, by running them on one row;
    why that failed, if it did.
    """

    def compile_one_row() -> None:
        models = LogOdds(np.zeros((classes - 1, 1, 2)), np.zeros((classes - 1, 1)))
        codes, zero = np.zeros((1, 1), dtype=code_dtype), np.zeros(1, dtype=np.int64)
        CompiledRows(codes, np.ones(1), np.ones(1), zero, zero, zero, models).compile()

    return compile_loops(compile_one_row)


def _of_own_class(by_class: Floats, labels: Integers) -> Floats:
    """The entry of each row's own class."""
    entries: Floats = np.take_along_axis(by_class, labels[None], axis=0)[0]
    return entries


@dataclass(frozen=True, eq=False)
class Model:
    """The models that judge the rows of all blocks: they follow from counts."""

    counts: ValueCounts
    """The counts of all labelled rows of all blocks."""
    smoothing: float
    estimate: EstimateName
    compiled: bool
    """Whether to use compiled loops, where they can be compiled."""
    folds: tuple[ValueCounts, ...] = ()
    """The counts of each fold, for ``estimate="cv"``."""
    rows_before: tuple[float, ...] = ()
    """For rows ordered in time, where each fold is judged by a model of the folds before it: how many rows those folds
    have, for each fold but the first, which is not judged.
    """
    left_out: tuple[Floats, ...] = ()
    """The different weights of the rows of each class, for ``estimate="loo"``."""
    part: Part = EVERYTHING
    key: str = field(default_factory=lambda: uuid.uuid4().hex)
    """By this key, blocks remember what they computed with the model."""

    @cached_property
    def of_all_rows(self) -> LogOdds:
        return LogOdds.of(self.counts, self.smoothing)

    @cached_property
    def of_labelled_rows(self) -> LogOdds:
        """One model for each class and weight that a left-out row can have, one for each fold, or one for all rows."""
        if self.estimate == "loo":
            left_out = [(label, weight) for label, weights in enumerate(self.left_out) for weight in weights.tolist()]
            return LogOdds.join([LogOdds.of(self.counts, self.smoothing, *row) for row in left_out])
        if self.rows_before:
            earlier = zip(accumulate(self.folds[:-1]), self.rows_before, strict=True)
            return LogOdds.join([LogOdds.of(known, scale_smoothing(self.smoothing, known, n)) for known, n in earlier])
        if self.estimate == "cv":
            return LogOdds.join([LogOdds.of(self.counts - fold, self.smoothing) for fold in self.folds])
        return self.of_all_rows

    def labelled_rows(self, dataset: Dataset, block: Block | None = None) -> Rows:
        """The labelled rows of a dataset with a count above 0. Where the model has folds, the dataset is that of a
        block whose rows were dealt out.
        """
        rows = np.flatnonzero(dataset.counts)
        model, counts = np.zeros_like(rows), dataset.counts[rows]
        if self.folds:
            assert block is not None, "the rows were not dealt out"
            assert block.places is not None
            if dataset.keeps_copies_together:
                # Each row is in one fold, and there may be very many folds.
                model = block.places[rows].astype(np.int64)
            else:
                copies = np.array([block.copies(fold) for fold in range(block.folds)])
                model, rows = np.nonzero(copies)
                counts = copies[model, rows]
            if self.rows_before:
                later = model > 0
                rows, model, counts = rows[later], model[later] - 1, counts[later]
        elif self.estimate == "loo":
            model = dataset.labels[rows].astype(np.int64)
            if dataset.weights is not None:
                starts, labels = np.cumsum([0, *map(len, self.left_out)]), model.copy()
                for label, known in enumerate(self.left_out):
                    of_class = labels == label
                    model[of_class] = starts[label] + np.searchsorted(known, dataset.weights[rows[of_class]])
        # Rows of one class and model, side by side, look up the same tables. Few different keys are sorted fast.
        keys = model * len(dataset.classes) + dataset.labels[rows]
        order = np.argsort(keys.astype(np.min_scalar_type(int(keys.max(initial=0)))), kind="stable")
        rows, model, counts = rows[order], model[order], counts[order]
        return self._make_rows(
            [feature.labelled for feature in dataset.features],
            rows,
            counts,
            weigh(counts, None if dataset.weights is None else dataset.weights[rows]),
            dataset.labels[rows].astype(np.int64),
            model,
            self.of_labelled_rows,
            None if dataset.groups is None else dataset.groups[rows],
        )

    def unlabelled_rows(self, dataset: Dataset) -> Rows:
        """The unlabelled rows, which the model of all labelled rows scores, whatever the estimate."""
        columns = [feature.unlabelled for feature in dataset.features]
        rows = np.flatnonzero(dataset.unlabelled_counts)
        counts = dataset.unlabelled_counts[rows]
        return self._make_rows(columns, rows, counts, weigh(counts, None), None, np.zeros_like(rows), self.of_all_rows)

    def _make_rows(
        self,
        columns: Sequence[Codes],
        rows: npt.NDArray[np.intp],
        counts: Integers,
        weights: Floats,
        labels: Integers | None,
        model: Integers,
        models: LogOdds,
        subjects: Integers | None = None,
    ) -> Rows:
        codes = np.empty((len(columns), len(rows)), dtype=code_type(int(self.counts.values.max(initial=0))))
        for own_codes, column in zip(codes, columns, strict=True):
            own_codes[:] = column.take(rows)
        kind = CompiledRows if self.compiled and why_not_compiled() is None else Rows
        impossible = math.inf if self.smoothing else IMPOSSIBLE
        own_counts = counts.astype(np.float64)
        return kind(codes, own_counts, weights, labels, model, self.counts.offset, models, impossible, subjects)
