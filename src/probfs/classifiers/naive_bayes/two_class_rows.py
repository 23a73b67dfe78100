"""Naive Bayes with two classes: everything is the log-odds L, and taking a feature away subtracts its own log-odds l.

Where weights are raised to a power A, A·L and A·l take the place of L and l in all that follows. What is kept up to
date is L itself.

Let p be the probability of a row's more probable class, q that of the other, and e = e^l - 1 for the feature's log-odds
l in favour of the more probable class. Then P - Q = p·q·e / (1 + q·e). As q ≤ ½ and e > -1 no digits cancel: the result
keeps its relative precision however close P is to 0 or 1, and costs one division for each cell.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

from probfs.classifiers.naive_bayes.counts import ClassConditionals, ClassCounts, SlotLayout, nearly_equal
from probfs.classifiers.naive_bayes.rows import (
    LARGEST_EXPONENT,
    ClassRows,
    add_exactly,
    shifted_exponent,
    sums_by_feature,
)
from probfs.classifiers.row_odds import RowOdds
from probfs.classifiers.sums import Fit, Sums
from probfs.kernels.constants import EVEN_ODDS_TOLERANCE
from probfs.tables.table import Codes, Floats, Integers


@dataclass(frozen=True, eq=False)
class OddsTables:
    """The factor by which each slot changes the odds of class 0 against class 1, in several forms."""

    log_odds: Floats
    excess: Floats
    """e for rows that favour class 0, then e for rows that favour class 1; infinite where a zero factor leaves. The one
    table that depends on the exponent, which is 1 at first.
    """
    zeros: npt.NDArray[np.int32] | None
    """Zero factors of class 1 less those of class 0."""
    prior: float

    @classmethod
    def of(cls, model: ClassConditionals) -> Self:
        for_first = model.share[:, 0] * model.whole[:, 1]
        for_second = model.share[:, 1] * model.whole[:, 0]
        for_second = np.where(nearly_equal(for_first, for_second), for_first, for_second)
        # From the counts themselves: equal factors give exactly 0, and near-equal ones lose no digits.
        excess_first = (for_first - for_second) / for_second
        excess_second = (for_second - for_first) / for_first
        near = np.abs(excess_first) < 0.5
        log_odds = np.where(near, np.log1p(np.where(near, excess_first, 0.0)), np.log(for_first / for_second))
        zeros = None
        if model.zeros is not None:
            zeros = model.zeros[:, 1].astype(np.int32) - model.zeros[:, 0]
            excess_first = np.select([zeros > 0, zeros < 0], [np.inf, -1.0], excess_first)
            excess_second = np.select([zeros < 0, zeros > 0], [np.inf, -1.0], excess_second)
        prior = float(model.log_prior[0] - model.log_prior[1])
        return cls(log_odds, np.concatenate([excess_first, excess_second]), zeros, prior)

    def set_exponent(self, exponent: float, slots: npt.NDArray[np.intp]) -> None:
        """Compute e anew at some slots; zero factors keep theirs, as a power of 0 is 0."""
        if self.zeros is not None:
            slots = slots[self.zeros[slots] == 0]
        shrunk = exponent * self.log_odds[slots]
        self.excess[slots] = np.expm1(shrunk)
        self.excess[slots + len(self.log_odds)] = np.expm1(-shrunk)


class TwoClassRows(ClassRows):
    """Rows whose state is their log-odds for class 0 and, without smoothing, how many zero factors favour it."""

    def __init__(self, codes: Codes, counts: Floats, label: int | None, layout: SlotLayout, tables: OddsTables) -> None:
        super().__init__(codes, counts, label, layout, tables.zeros is not None)
        self.tables = tables
        self.high = np.full(codes.shape[1], tables.prior)
        self.low = np.zeros(codes.shape[1])
        self.zeros = None if tables.zeros is None else np.zeros(codes.shape[1], dtype=np.int32)

    def update(self, features: npt.NDArray[np.intp], sign: int = 1) -> None:
        for which, rows in self.blocks(len(features)):
            for feature in features[which]:
                slots = self.codes[feature, rows] + self.layout.offset[feature]
                add_exactly(self.high[rows], self.low[rows], sign * self.tables.log_odds.take(slots))
                if self.zeros is not None and self.tables.zeros is not None:
                    self.zeros[rows] += sign * self.tables.zeros.take(slots)

    def add_at_once(self, features: npt.NDArray[np.intp]) -> None:
        for which, rows in self.blocks(len(features)):
            slots = self.slots(features[which], rows)
            self.high[rows] += self.tables.log_odds.take(slots).sum(axis=0)
            if self.zeros is not None and self.tables.zeros is not None:
                self.zeros[rows] += self.tables.zeros.take(slots).sum(axis=0, dtype=np.int32)

    def set_exponent(self, exponent: float, features: npt.NDArray[np.intp]) -> None:
        self.exponent = exponent
        self.tables.set_exponent(exponent, self.layout.slots_of(features))

    def gaps(self) -> Floats:
        gap = self.exponent * np.abs(self.high + self.low)
        return gap if self.zeros is None else np.where(self.zeros == 0, gap, np.inf)

    def _favours_second(self) -> npt.NDArray[np.bool_]:
        odds = self.high + self.low
        return odds < 0 if self.zeros is None else (self.zeros < 0) | ((self.zeros == 0) & (odds < 0))

    def sum_changes(self, features: npt.NDArray[np.intp], shift: int = 0) -> Sums:
        second = self._favours_second()
        side = np.where(second, -1.0, 1.0)
        ratio = np.exp(-self.gaps())
        q = ratio / (1 + ratio)
        scaled_ratio = ratio
        if shift:
            # A row closer to even odds than the shift allows for is not changed by these features, whatever its count.
            exponent = shifted_exponent(shift, self.exponent * side * self.high, self.exponent * side * self.low)
            scaled_ratio = np.exp(np.minimum(exponent, LARGEST_EXPONENT - np.log(self.counts.max(initial=1.0))))
            if self.zeros is not None:
                scaled_ratio[self.zeros != 0] = 0.0
        weight = self.counts * scaled_ratio / (1 + ratio) ** 2
        signed_weight = weight * (side if self.label == 0 else -side)
        table_start = np.where(second, self.layout.slots, 0)
        absolute, signed = np.zeros(len(features)), np.zeros(len(features))
        for which, rows in self.blocks(len(features)):
            slots = self.slots(features[which], rows)
            slots += table_start[rows]
            excess = self.tables.excess.take(slots)
            lost_zero = np.isinf(excess) if self.zeros is not None else None
            if lost_zero is not None and lost_zero.any():
                some = self._sums_where_a_zero_leaves(np.nonzero(lost_zero), slots, side, rows, shift)
                absolute[which] += some.absolute
                signed[which] += some.signed
                excess[lost_zero] = 0.0
            change = excess / (1 + q[rows] * excess)
            signed[which] += change @ signed_weight[rows]
            absolute[which] += np.abs(change, out=change) @ weight[rows]
        return Sums(absolute, signed)

    def _sums_where_a_zero_leaves(
        self,
        cells: tuple[npt.NDArray[np.intp], ...],
        slots: npt.NDArray[np.intp],
        side: Floats,
        rows: slice,
        shift: int,
    ) -> Sums:
        """The sums of cells whose removal takes a zero factor from the less probable class, making it possible."""
        feature, row = cells
        at = np.arange(rows.start, rows.stop)[row]
        change = self._change_where_a_zero_leaves(at, slots[cells] % self.layout.slots, side, shift) * self.counts[at]
        own = change * (side[at] if self.label == 0 else -side[at])
        return sums_by_feature(feature, change, own, len(slots))

    def _change_where_a_zero_leaves(self, at: Integers, slots: Integers, side: Floats, shift: int) -> Floats:
        """P - Q, in units of 2^-shift, of the more probable class of the rows ``at``, which always loses by it."""
        assert self.zeros is not None
        gap_high, gap_low = self._gap_without(at, slots, side)
        lead = np.abs(self.zeros[at])
        # One zero ahead: without it the finite gap decides. Level: the top class keeps its zeros and falls to 0.
        one_ahead = np.exp(np.minimum(shifted_exponent(shift, gap_high, gap_low), LARGEST_EXPONENT))
        one_ahead /= 1 + np.exp(np.minimum(-(gap_high + gap_low), LARGEST_EXPONENT))
        gap = self.exponent * np.abs(self.high[at] + self.low[at])
        level = np.ldexp(1 / (1 + np.exp(-gap)), min(shift, 1000))
        return np.select([lead == 1, lead == 0], [one_ahead, level], 0.0)

    def _gap_without(self, at: Integers, slots: Integers, side: Floats) -> tuple[Floats, Floats]:
        """The finite log-odds for the more probable class without a slot's factor, in two parts."""
        high, low = side[at] * self.high[at], side[at] * self.low[at]
        add_exactly(high, low, -side[at] * self.tables.log_odds[slots])
        return self.exponent * high, self.exponent * low

    def largest_excess(self) -> Floats:
        size = np.where(np.isfinite(self.tables.excess), np.abs(self.tables.excess), 0.0)
        return np.maximum.reduceat(size.reshape(2, -1).max(axis=0), self.layout.offset)

    def nearest_changes(self, features: npt.NDArray[np.intp]) -> Floats:
        second = self._favours_second()
        side = np.where(second, -1.0, 1.0)
        table_start = np.where(second, self.layout.slots, 0)
        gaps = self.gaps()
        nearest = np.full(len(features), np.inf)
        for which, rows in self.blocks(len(features)):
            slots = self.slots(features[which], rows)
            excess = self.tables.excess.take(slots + table_start[rows])
            distance = np.where(excess != 0, gaps[rows], np.inf)
            if self.zeros is not None:
                cells = np.nonzero(np.isinf(excess))
                at = np.arange(rows.start, rows.stop)[cells[1]]
                high, low = self._gap_without(at, slots[cells], side)
                lead = np.abs(self.zeros[at])
                distance[cells] = np.select([lead == 0, lead == 1], [0.0, np.maximum(high + low, 0.0)], np.inf)
            nearest[which] = np.minimum(nearest[which], distance.min(axis=1))
        return nearest

    def reach(self, counts: ClassCounts) -> Floats | None:
        if self.zeros is not None:
            return None
        size = np.where(counts.is_held(self.label), np.abs(self.tables.log_odds), 0.0)
        return np.maximum.reduceat(size, self.layout.offset)

    def squared_ranges(self) -> Floats:
        rows = self.layout.count(self.codes, self.counts)
        return np.add.reduceat(rows * self.tables.log_odds**2, self.layout.offset)

    def _odds_of_first(self) -> Floats:
        """The log-odds of class 0 at exponent 1, infinite if by a zero factor."""
        odds = self.high + self.low
        return odds if self.zeros is None else np.select([self.zeros > 0, self.zeros < 0], [np.inf, -np.inf], odds)

    def _errors(self, odds: Floats) -> float:
        predicted = np.where(odds >= -EVEN_ODDS_TOLERANCE, 0, 1)
        return float(self.counts[predicted != self.label].sum())

    def odds(self) -> RowOdds:
        odds = self._odds_of_first()
        return RowOdds((-odds if self.label == 0 else odds)[None], self.counts, self._errors(odds))

    def fit(self) -> Fit:
        odds = self._odds_of_first()
        margin = self.exponent * (odds if self.label == 0 else -odds)
        tail = np.exp(-np.abs(margin))
        miss = np.where(margin >= 0, tail, 1.0) / (1 + tail)
        loss = np.maximum(-margin, 0.0) + np.log1p(tail)
        return Fit(
            self._errors(odds),
            float(self.counts @ miss),
            float(self.counts @ loss),
        )
