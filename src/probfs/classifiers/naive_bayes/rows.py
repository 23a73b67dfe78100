"""Rows whose posteriors are kept up to date while features leave: sums of the changes that each feature makes to them.

The state of a row is the log-odds of each class against the last one, in plain doubles. Taking a feature away subtracts
its log-odds. Where class weights are raised to a power (see ``shrinkage``), the tables that rows look up are, so that
nothing else here knows of it.

For the factors p of a feature at some slot let e_b = p_max/p_b - 1, p_max being the largest of them. For a row whose
most probable class is t let u_b = e_b - e_t, and U = Σ_b P_b·u_b. Then P_c - Q_c = P_c·(U - u_c) / (1 + e_t + U). As
u_t = 0 and the denominator is at least 1, digits cancel only where the result is really small: it keeps its relative
precision however close P is to 0 or 1. Where the factors of many columns that are one feature lie so far apart that P
may be 0 only because of them, Q is computed from the log-odds that are left.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from probfs.classifiers.compiling import loops
from probfs.classifiers.naive_bayes.model import EVEN_ODDS, LogOdds
from probfs.classifiers.row_odds import RowOdds
from probfs.runtime.parallel import run_in_threads, split_range
from probfs.tables.arrays import Codes, Flags, Floats, Integers

Features = npt.NDArray[np.intp]

_CELLS_PER_BLOCK = 1 << 16
_FARTHEST = 600.0
"""The range of log p over the classes up to which it is divided out of P, which is 0 below e^-745."""
_CELLS_WORTH_A_THREAD = 150_000
"""Cells below which handing them to another thread takes longer than going through them."""


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
    ) -> None:
        """``codes`` is a matrix of features × rows, ``counts`` says how many equal rows each row stands for,
        ``weights`` what these weigh, and ``model`` which of the models scores it. Unlabelled rows have no ``labels``.
        ``impossible`` is how far behind a class must lie for its probability to be called 0.
        """
        self.codes = codes
        self.counts = counts
        self.weights = weights
        self.labels = labels
        self.model = model
        self.offset = offset
        self.models = self._at_exponent_1 = models
        self.impossible = impossible
        others, _, self.slots = models.by_slot.shape
        self.classes = others + 1
        self.subjects: Integers | None = None
        """The subject of each row, where rows belong to some."""
        self.exponent = 1.0
        self.odds = np.empty((others, codes.shape[1]))
        self._active = np.zeros(len(codes), dtype=np.bool_)
        self._summed = -1
        """How many features were active when log-odds were last summed from the beginning, if they were."""
        self._excess = np.empty(0)
        """e_b: classes × models × slots."""
        self._are_far = self._active
        """Whether the factors of a feature are too far apart to be divided out."""

    def bring(self, active: Flags, exponent: float = 1.0) -> Self:
        """Have these features, and no others, make up the log-odds, with class weights raised to this power."""
        gone = np.flatnonzero(self._active & ~active)
        left = int(np.count_nonzero(active))
        # Half of the features having left, sums are made afresh, so that rounding errors do not pile up.
        halved = len(gone) > 0 and 2 * left <= self._summed
        if halved or self._summed < 0 or exponent != self.exponent or np.any(active & ~self._active):
            self._begin(active, exponent)
            self._summed = left
        elif len(gone):
            self._update(gone, -1)
        self._active = active.copy()
        return self

    def sum_changes(self, features: Features) -> Floats:
        """Σ ½ Σ_c |P_c - Q_c| and, of labelled rows, Σ (P_y - Q_y) for each of these features: 2 × features."""
        are_far = self._are_far[features]
        if not are_far.any():
            return self._divide_out(features)
        sums = np.empty((2, len(features)))
        sums[:, ~are_far] = self._divide_out(features[~are_far])
        sums[:, are_far] = np.transpose([self._leave_out(feature) for feature in features[are_far]])
        return sums

    def _leave_out(self, feature: np.intp) -> Floats:
        """The sums of one feature, from the posteriors with and without it."""
        slots = self._slots(np.array([feature]), slice(None))[0]
        logs = self._log_weights()
        without = logs.copy()
        without[:-1] -= [table.take(slots) for table in self.models.by_slot]
        changes = _probabilities(logs) - _probabilities(without)
        signed = 0.0 if self.labels is None else self.weights @ _of_own_class(changes, self.labels)
        return np.array([self.weights @ np.abs(changes).sum(axis=0) / 2, signed])

    def _divide_out(self, features: Features) -> Floats:
        behind = self._behind()
        top = behind.argmin(axis=0)
        posterior = np.exp(-behind)
        posterior /= posterior.sum(axis=0)
        sums, tables = np.zeros((2, len(features))), self._excess.reshape(self.classes, -1)
        for which, rows in self._blocks(len(features)):
            slots = self._slots(features[which], rows)
            of_top = tables.take(slots + top[rows] * tables.shape[1])
            excess = [table.take(slots) - of_top for table in tables]
            p = posterior[:, rows]
            mean = _dot(p, excess)
            scale = self.weights[rows] / (1 + of_top + mean)
            sums[0, which] += (_dot(p, [np.abs(mean - u) for u in excess]) * scale).sum(axis=1) / 2
            if self.labels is not None:
                own_excess = tables.take(slots + self.labels[rows] * tables.shape[1]) - of_top
                sums[1, which] += ((mean - own_excess) * _of_own_class(p, self.labels[rows]) * scale).sum(axis=1)
        return sums

    def fit(self) -> Floats:
        """The number of errors, and weighted sums of 1 - P_y and of -log P_y. The rows must be labelled."""
        assert self.labels is not None
        behind = self._behind()
        # Equal probabilities fall to the first class.
        wrong = np.argmax(behind <= EVEN_ODDS, axis=0) != self.labels
        shares = np.exp(-behind)
        whole = shares.sum(axis=0)
        own_behind = _of_own_class(behind, self.labels)
        # Where the row's own class leads, those of the others may add up to far less than 1.
        shares[self.labels, np.arange(len(self.labels))] = 0.0
        others = shares.sum(axis=0)
        loss = np.where(own_behind == 0, np.log1p(others), own_behind + np.log(whole))
        loss[own_behind > self.impossible] = np.inf
        # Dot products of many rows would wait for threads of BLAS.
        sums = wrong * self.counts, others / whole * self.weights, loss * self.weights
        return np.array([each.sum() for each in sums])

    def row_odds(self) -> RowOdds:
        """The odds of these rows, which must be labelled, at exponent 1."""
        assert self.labels is not None
        if self.classes == 2:
            odds = np.where(self.labels == 0, -self.odds, self.odds)
        else:
            logs = self._log_weights()
            others = [np.where(place < self.labels, logs[place], logs[place + 1]) for place in range(self.classes - 1)]
            odds = np.stack(others) - _of_own_class(logs, self.labels)
        if math.isfinite(self.impossible):
            behind = odds.max(axis=0, initial=0.0)
            odds[odds < behind - self.impossible] = -np.inf
            odds[:, behind > self.impossible] = np.inf
        if self.exponent != 1:
            odds /= self.exponent
        return RowOdds(odds, self.weights, float(self.fit()[0]), self.counts, self.subjects)

    def _begin(self, active: Flags, exponent: float) -> None:
        """Sum the log-odds of these features from the beginning, and make the tables of e that they need."""
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

    def _behind(self) -> Floats:
        """How far each class's log-weight lies behind the largest: classes × rows."""
        weights = self._log_weights()
        behind: Floats = weights.max(axis=0) - weights
        return behind

    def _blocks(self, features: int) -> Iterator[tuple[slice, slice]]:
        """Ranges of features and rows whose cells stay in the cache."""
        count = self.codes.shape[1]
        tall = max(1, min(count, _CELLS_PER_BLOCK // (8 * self.classes)))
        wide = max(1, _CELLS_PER_BLOCK // (tall * self.classes))
        for first_row in range(0, count, tall):
            for first in range(0, features, wide):
                yield slice(first, min(first + wide, features)), slice(first_row, min(first_row + tall, count))

    def _slots(self, features: Features, rows: slice) -> npt.NDArray[np.intp]:
        """Where the cells of some rows stand in a class's table of models × slots."""
        slots = np.add(self.codes[features, rows], self.offset[features, None], dtype=np.intp)
        slots += self.model[rows] * self.slots
        return slots


class CompiledRows(Rows):
    """The same by compiled loops."""

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

    def _make_excess(self, log_odds: Floats) -> Floats:
        # Of two classes the loop takes p_t/p_b - 1 itself, for either t.
        if self.classes > 2:
            return super()._make_excess(log_odds)
        return np.asarray(np.expm1(np.concatenate([log_odds, -log_odds]).clip(max=_FARTHEST)))

    def _update(self, features: Features, sign: int) -> None:
        call = partial(
            loops().update, self.codes, features, self._offsets, self.models.by_slot, self._model, float(sign),
            self.odds,
            self.impossible, self._labels, self.counts, self.weights, self._posterior, self._start, self._fit,
        )  # fmt: skip
        work = self.codes.shape[1] * self.classes * (2 * len(features) + 6)
        run_in_threads([partial(call, *part) for part in split_range(self._row_blocks, work // _CELLS_WORTH_A_THREAD)])

    def _divide_out(self, features: Features) -> Floats:
        blocks = self._row_blocks
        work = self.codes.shape[1] * (self.classes - 1) * len(features) // _CELLS_WORTH_A_THREAD
        # Threads share the blocks of rows or, where there is only one, the features.
        parts = [slice(*part) for part in (split_range(len(features), work) if blocks == 1 else [(0, len(features))])]
        sums = [np.empty((2, blocks, part.stop - part.start)) for part in parts]
        run_in_threads(
            [
                partial(self._sum_block_changes, features[part], part_sums, *some)
                for part, part_sums in zip(parts, sums, strict=True)
                for some in split_range(blocks, work)
            ]
        )
        total: Floats = np.concatenate(sums, axis=2).sum(axis=1)
        return total

    def _sum_block_changes(self, features: Features, sums: Floats, first: int, end: int) -> None:
        shared = self.codes, features, self._offsets, self._excess.ravel(), self._posterior, self._start
        if self.classes == 2:
            loops().sum_two_class_changes(*shared, sums, first, end)
        else:
            loops().sum_changes(*shared, self._labels, self.weights, sums, first, end)

    def compile(self) -> None:
        """Compile the loops for tables of this kind, or load them if that was done before."""
        self.bring(np.zeros(len(self.codes), dtype=np.bool_))
        self._divide_out(np.empty(0, dtype=np.intp))


def _probabilities(log_weights: Floats) -> Floats:
    weights = np.exp(log_weights - log_weights.max(axis=0))
    probabilities: Floats = weights / weights.sum(axis=0)
    return probabilities


def _of_own_class(by_class: Floats, labels: Integers) -> Floats:
    """Of each column the entry of its row's class."""
    entries: Floats = by_class[-1]
    for c, of_class in enumerate(by_class[:-1]):
        # For few classes several times as fast as looking entries up.
        entries = np.where(labels == c, of_class, entries)
    return entries


def _dot(weights: Floats, terms: Sequence[Floats]) -> Floats:
    """Σ_c weights_c · terms_c."""
    total: Floats = weights[0] * terms[0]
    for weight, term in zip(weights[1:], terms[1:], strict=True):
        total += weight * term
    return total
