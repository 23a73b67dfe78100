"""Rows whose posteriors are kept up to date while features leave: sums of the changes that each feature makes to them.

The state of a row is the log-odds L_c of each class against the last one, in plain doubles. Taking a feature away
subtracts its log-odds. Where class weights are raised to a power A (see ``shrinkage``), A·L takes the place of L in all
that follows; what is kept up to date is L itself.

For a row with most probable class t let e_b = p_t/p_b - 1 for the feature's factors, and E = Σ_b P_b·e_b. Then
P_c - Q_c = P_c·(E - e_c) / (1 + E). As e_t = 0 and 1 + E ≥ P_t, digits cancel only where the result is really small:
it keeps its relative precision however close P is to 0 or 1.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Self

import numpy as np
import numpy.typing as npt

from probfs.classifiers.naive_bayes.compiling import loops
from probfs.classifiers.naive_bayes.model import EVEN_ODDS, LogOdds, SlotLayout
from probfs.classifiers.row_odds import RowOdds
from probfs.runtime.threads import run_in_threads, split_range
from probfs.tables.arrays import Codes, Flags, Floats, Integers

Features = npt.NDArray[np.intp]

UNLABELLED = -1
MOST_EXCESS = 1 << 24
"""Entries of a table of e for every model and pair of classes; where there would be more, e is computed cell by cell,
in numpy.
"""
_CELLS_PER_BLOCK = 1 << 16
_CELLS_WORTH_A_THREAD = 150_000
"""Cells below which handing them to another thread takes longer than going through them."""


@dataclass(frozen=True, eq=False)
class Sums:
    """Σ ½ Σ_c |P_c - Q_c| and Σ (P_y - Q_y) over some rows, one entry for each feature."""

    absolute: Floats
    signed: Floats

    def __add__(self, other: Sums) -> Sums:
        return Sums(self.absolute + other.absolute, self.signed + other.signed)


@dataclass(frozen=True)
class Fit:
    """Sums over some rows of the errors and losses of the model with all active features."""

    errors: float
    absolute_loss: float
    log_loss: float

    def __add__(self, other: Fit) -> Fit:
        return Fit(
            self.errors + other.errors,
            self.absolute_loss + other.absolute_loss,
            self.log_loss + other.log_loss,
        )


@dataclass(frozen=True)
class Group:
    """Consecutive rows of one class, or without a label, that are scored by one model."""

    first: int
    end: int
    label: int
    model: int

    @property
    def rows(self) -> slice:
        return slice(self.first, self.end)


class Rows:
    """Rows and their log-odds, in numpy. No feature is active at first."""

    def __init__(
        self,
        codes: Codes,
        counts: Floats,
        groups: Sequence[Group],
        layout: SlotLayout,
        models: Sequence[LogOdds],
        impossible: float = math.inf,
    ) -> None:
        """``codes`` is a matrix of features × rows, and ``counts`` says how many equal rows each row stands for.
        ``impossible`` is how far behind a class must lie for its probability to be called 0.
        """
        self.codes = codes
        self.counts = counts
        self.groups = groups
        self.layout = layout
        self.models = self._unshrunk = models
        self._impossible = impossible
        self.classes = 1 + len(models[0].prior)
        self.exponent = 1.0
        self.odds = np.empty((self.classes - 1, codes.shape[1]))
        self._is_active = np.zeros(len(codes), dtype=np.bool_)
        self._active, self._summed = 0, -1
        """How many features are active, and were when the log-odds were last summed from the beginning, if ever."""
        self._excess: Floats | None = None
        self._excess_is_current = False
        self._prepare()

    def _prepare(self) -> None:
        """Make what else a kind of rows keeps."""

    def bring(self, active: Flags, exponent: float = 1.0) -> Self:
        """Have these features, and no others, make up the log-odds, raised to this power."""
        gone = self._is_active & ~active
        if self._summed < 0 or np.any(active & ~self._is_active):
            self.activate(np.flatnonzero(active))
        elif gone.any():
            self.drop(np.flatnonzero(gone))
        if exponent != self.exponent:
            self.set_exponent(exponent)
        return self

    def activate(self, features: Features) -> None:
        """Have these features, and no others, make up the log-odds."""
        self._is_active[:] = False
        self._is_active[features] = True
        self._excess_is_current = False
        self._sum_log_odds()

    def drop(self, features: Features) -> None:
        """Take some features away."""
        self._is_active[features] = False
        self._active -= len(features)
        if 2 * self._active <= self._summed:
            # So that rounding errors of what was added and taken away do not pile up.
            self._sum_log_odds()
        else:
            self._update(features, -1)

    def set_exponent(self, exponent: float) -> None:
        """Raise all class weights to this power, from now on."""
        self.exponent = exponent
        self._excess_is_current = False
        if self._unshrunk[0].zeros is not None:
            self.models = [model.for_exponent(exponent) for model in self._unshrunk]
            self._prepare()
            self._sum_log_odds()

    def sum_changes(self, features: Features) -> Sums:
        """Σ ½ Σ_c |P_c - Q_c| and Σ (P_y - Q_y) over the rows, for each of these features."""
        posterior, top = self._posterior()
        absolute, signed = np.zeros(len(features)), np.zeros(len(features))
        for group in self.groups:
            for which, rows in self._blocks(group, len(features)):
                excess = self._excess_of(self._slots(features[which], rows), top[rows], group.model)
                p = posterior[:, rows]
                mean = _dot(p, excess)
                change = _dot(p, [np.abs(mean - e) for e in excess])
                scale = self.counts[rows] / (1 + mean)
                absolute[which] += (change * scale).sum(axis=1) / 2
                if group.label != UNLABELLED:
                    signed[which] += ((mean - excess[group.label]) * p[group.label] * scale).sum(axis=1)
        return Sums(absolute, signed)

    def fit(self) -> Fit:
        """Errors and losses of these rows, which must be labelled."""
        total = Fit(0.0, 0.0, 0.0)
        for group in self.groups:
            behind = self.exponent * self._behind(group.rows)
            wrong = self._wrong(behind, group)
            weights = np.exp(-behind)
            whole = weights.sum(axis=0)
            others = whole - weights[group.label]
            own = behind[group.label]
            leads = own == 0
            own[own > self._impossible] = np.inf
            # Where the row's own class leads, the weights of the others may add up to far less than 1.
            others[leads] = np.delete(weights[:, leads], group.label, axis=0).sum(axis=0)
            loss = np.where(leads, np.log1p(others), own + np.log(whole))
            counts = self.counts[group.rows]
            total += Fit(float(counts @ wrong), float(counts @ (others / whole)), float(counts @ loss))
        return total

    def row_odds(self) -> RowOdds:
        """The odds of these rows, which must be labelled, at exponent 1."""
        against_own = np.empty_like(self.odds)
        for group in self.groups:
            logs = self._log_weights(group.rows)
            if math.isfinite(self._impossible):
                logs[logs < logs.max(axis=0) - self._impossible / self.exponent] = -np.inf
            own = logs[group.label]
            ruled_out = np.isneginf(own)
            others = np.delete(logs, group.label, axis=0) - np.where(ruled_out, 0.0, own)
            against_own[:, group.rows] = np.where(ruled_out, np.inf, others)
        return RowOdds(against_own, self.counts, self.fit().errors)

    def squared_ranges(self) -> Floats:
        """For each feature the sum over rows of the squared range, at exponent 1, of log p(v|c) over the classes."""
        by_slot = np.zeros(self.layout.slots)
        for group in self.groups:
            rows = self.layout.count(self.codes[:, group.rows], self.counts[group.rows])
            by_slot += rows * self.models[group.model].squared_range
        return np.add.reduceat(by_slot, self.layout.offset)

    def _sum_log_odds(self) -> None:
        features = np.flatnonzero(self._is_active)
        self._active = self._summed = len(features)
        for group in self.groups:
            self.odds[:, group.rows] = self.models[group.model].prior[:, None]
        self._update(features, 1)

    def _update(self, features: Features, sign: int) -> None:
        for group in self.groups:
            table = self.models[group.model].by_slot
            for which, rows in self._blocks(group, len(features)):
                self.odds[:, rows] += sign * table.take(self._slots(features[which], rows), axis=1).sum(axis=1)

    def _log_weights(self, rows: slice) -> Floats:
        """The log-weight of each class, that of the last being 0, at exponent 1: classes × rows."""
        return np.concatenate([self.odds[:, rows], np.zeros((1, rows.stop - rows.start))])

    def _behind(self, rows: slice) -> Floats:
        """How far each class's log-weight lies behind the largest, at exponent 1: classes × rows."""
        weights = self._log_weights(rows)
        behind: Floats = weights.max(axis=0) - weights
        return behind

    def _wrong(self, behind: Floats, group: Group) -> npt.NDArray[np.bool_]:
        """Which rows of a group are predicted wrongly, by how far classes lie behind under the exponent; equal
        probabilities fall to the first class.
        """
        wrong: npt.NDArray[np.bool_] = np.argmax(behind <= EVEN_ODDS, axis=0) != group.label
        return wrong

    def _posterior(self) -> tuple[Floats, Integers]:
        """The class probabilities of all rows (classes × rows), and each row's most probable class."""
        behind = self._behind(slice(0, self.codes.shape[1]))
        weights = np.exp(-self.exponent * behind)
        return weights / weights.sum(axis=0), behind.argmin(axis=0)

    def _blocks(self, group: Group, features: int) -> Iterator[tuple[slice, slice]]:
        """Ranges of features and rows of a group whose cells stay in the cache."""
        tall = max(1, min(group.end - group.first, _CELLS_PER_BLOCK // (8 * self.classes)))
        wide = max(1, _CELLS_PER_BLOCK // (tall * self.classes))
        for first_row in range(group.first, group.end, tall):
            rows = slice(first_row, min(first_row + tall, group.end))
            for first in range(0, features, wide):
                yield slice(first, min(first + wide, features)), rows

    def _slots(self, features: Features, rows: slice) -> npt.NDArray[np.intp]:
        return np.add(self.codes[features, rows], self.layout.offset[features, None], dtype=np.intp)

    def _excess_of(self, slots: npt.NDArray[np.intp], top: Integers, model: int) -> list[Floats]:
        """e_b of each class b, for cells at these slots and rows with these top classes."""
        classes, width = self.classes, self.layout.slots
        if has_excess_table(self.models, self.layout):
            table = self._excess_table()[model].ravel()
            return [table.take(slots + (top * classes + c) * width) for c in range(classes)]
        logs = np.concatenate([self.models[model].by_slot, np.zeros((1, width))])
        of_top = logs[top, slots]
        return [np.expm1(self.exponent * (of_top - of_class.take(slots))) for of_class in logs]

    def _excess_table(self) -> Floats:
        """e = p_t/p_b - 1 under the exponent: models × t × b × slots. Only active features have theirs."""
        if self._excess is None:
            self._excess = np.zeros((len(self.models), self.classes, self.classes, self.layout.slots))
        if not self._excess_is_current:
            slots = self.layout.slots_of(np.flatnonzero(self._is_active))
            for table, model in zip(self._excess, self.models, strict=True):
                logs = self.exponent * np.concatenate([model.by_slot[:, slots], np.zeros((1, len(slots)))])
                for top, other in itertools.permutations(range(self.classes), 2):
                    table[top, other, slots] = np.expm1(logs[top] - logs[other])
            self._excess_is_current = True
        return self._excess


class CompiledRows(Rows):
    """The same by compiled loops, for tables that have an excess table."""

    def _prepare(self) -> None:
        self.codes = np.ascontiguousarray(self.codes)
        rows = self.codes.shape[1]
        sizes = [group.end - group.first for group in self.groups]
        self._labels = np.repeat(np.array([group.label for group in self.groups], dtype=np.int64), sizes)
        self._blocks_of_rows = -(-rows // loops().ROWS_PER_BLOCK)
        self._offsets = self.layout.offset.astype(np.uint32)
        self._model = np.repeat([group.model for group in self.groups], sizes).astype(np.uint32)
        self._tables = np.stack([model.by_slot for model in self.models])
        self._posterior_of_rows = np.empty((self.classes, rows))
        self._start = np.empty(rows, dtype=np.uint64)
        self._fit = np.empty((self._blocks_of_rows, 4))

    def set_exponent(self, exponent: float) -> None:
        super().set_exponent(exponent)
        self._update(np.empty(0, dtype=np.intp), 1)

    def fit(self) -> Fit:
        errors, miss, loss, ruled_out = self._fit.sum(axis=0).tolist()
        return Fit(errors, miss, math.inf if ruled_out else loss)

    def _update(self, features: Features, sign: int) -> None:
        call = partial(
            loops().update, self.codes, features, self._offsets, self._tables, self._model, float(sign), self.odds,
            self.exponent, self._impossible / self.exponent, self._labels, self.counts, np.uint64(self.layout.slots),
            self._posterior_of_rows, self._start, self._fit,
        )  # fmt: skip
        work = self.codes.shape[1] * self.classes * (2 * len(features) + 6)
        run_in_threads(
            [partial(call, *part) for part in split_range(self._blocks_of_rows, work // _CELLS_WORTH_A_THREAD)]
        )

    def sum_changes(self, features: Features) -> Sums:
        table, blocks = self._excess_table().ravel(), self._blocks_of_rows
        work = self.codes.shape[1] * (self.classes - 1) * len(features) // _CELLS_WORTH_A_THREAD
        # Threads share the blocks of rows or, where there is only one, the features.
        parts = [slice(*part) for part in (split_range(len(features), work) if blocks == 1 else [(0, len(features))])]
        sums = [np.empty((2, blocks, part.stop - part.start)) for part in parts]
        run_in_threads(
            [
                partial(self._sum_block_changes, table, features[part], own, *some)
                for part, own in zip(parts, sums, strict=True)
                for some in split_range(blocks, work)
            ]
        )
        return Sums(*np.concatenate(sums, axis=2).sum(axis=1))

    def _sum_block_changes(self, table: Floats, features: Features, sums: Floats, first: int, end: int) -> None:
        if self.classes == 2:
            loops().sum_two_class_changes(
                self.codes, features, self._offsets, table, self._posterior_of_rows, self._start, sums, first, end
            )
        else:
            loops().sum_changes(
                self.codes, features, self._offsets, table, np.uint64(self.layout.slots), self._posterior_of_rows,
                self._start, self._labels, self.counts, sums, first, end,
            )  # fmt: skip

    def compile(self) -> None:
        """Compile the loops for tables of this kind, or load them if that was done before."""
        self.activate(np.empty(0, dtype=np.intp))
        self.sum_changes(np.empty(0, dtype=np.intp))


def has_excess_table(models: Sequence[LogOdds], layout: SlotLayout) -> bool:
    """Whether a table of e for every model and pair of classes is small enough to keep."""
    return len(models) * (1 + len(models[0].prior)) ** 2 * layout.slots <= MOST_EXCESS


def _dot(weights: Floats, terms: Sequence[Floats]) -> Floats:
    """Σ_c weights_c · terms_c."""
    total: Floats = weights[0] * terms[0]
    for weight, term in zip(weights[1:], terms[1:], strict=True):
        total += weight * term
    return total
