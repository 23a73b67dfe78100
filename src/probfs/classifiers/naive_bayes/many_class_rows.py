"""Naive Bayes with any number of classes.

Where weights are raised to a power A, log-weights and log-factors times A take the place of both in all that follows.
What is kept up to date are the log-weights themselves.

For a row with most probable class t let e_b = p_t/p_b - 1 for the feature's factors, and E = Σ_b P_b·e_b. Then
P_c - Q_c = P_c·(E - e_c) / (1 + E). As e_t = 0 and 1 + E ≥ P_t, digits cancel only where the result is really small.

The first axis of an array that has something for each class is the class.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Self

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

Places = npt.NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class FactorTables:
    """Each class's factor at every slot."""

    factors: Floats
    logs: Floats
    zeros: npt.NDArray[np.bool_] | None
    log_prior: Floats

    @classmethod
    def of(cls, model: ClassConditionals) -> Self:
        share, whole = model.share.T.copy(), model.whole.T.copy()
        zeros = None if model.zeros is None else model.zeros.T.copy()
        return cls(_equalize_nearly_equal(share / whole), np.log(share) - np.log(whole), zeros, model.log_prior)


class ManyClassRows(ClassRows):
    """Rows whose state is each class's log-weight and, without smoothing, its number of zero factors."""

    def __init__(
        self, codes: Codes, counts: Floats, label: int | None, layout: SlotLayout, tables: FactorTables
    ) -> None:
        super().__init__(codes, counts, label, layout, tables.zeros is not None)
        self.tables = tables
        self.factors = tables.factors
        """Raised to the exponent, in any unit for each slot."""
        self.distinct_parts = tables.factors
        """The factors less a number that those of a slot share, so that their differences lose no digits."""
        shape = len(tables.log_prior), codes.shape[1]
        self.high = np.repeat(tables.log_prior[:, None], shape[1], axis=1)
        self.low = np.zeros(shape)
        self.zeros = None if tables.zeros is None else np.zeros(shape, dtype=np.int32)

    def update(self, features: npt.NDArray[np.intp], sign: int = 1) -> None:
        for which, rows in self.blocks(len(features), 1 + len(self.high) // 8):
            for feature in features[which]:
                slots = self.codes[feature, rows] + self.layout.offset[feature]
                add_exactly(self.high[:, rows], self.low[:, rows], sign * self.tables.logs.take(slots, axis=1))
                if self.zeros is not None and self.tables.zeros is not None:
                    self.zeros[:, rows] += sign * self.tables.zeros.take(slots, axis=1).astype(np.int32)

    def add_at_once(self, features: Places) -> None:
        for which, rows in self.blocks(len(features), len(self.high)):
            slots = self.slots(features[which], rows)
            self.high[:, rows] += self.tables.logs.take(slots, axis=1).sum(axis=1)
            if self.zeros is not None and self.tables.zeros is not None:
                self.zeros[:, rows] += self.tables.zeros.take(slots, axis=1).sum(axis=1, dtype=np.int32)

    def set_exponent(self, exponent: float, features: Places) -> None:
        self.exponent = exponent
        slots = self.layout.slots_of(features)
        # Not from the table of logarithms, in which nearly equal factors are not equal.
        logs = np.log(self.tables.factors[:, slots])
        shrunk = exponent * (logs - logs.max(axis=0))
        self.factors, self.distinct_parts = np.ones_like(self.tables.factors), np.zeros_like(self.tables.factors)
        self.factors[:, slots] = np.exp(shrunk)
        # Factors to a small power are all close to 1.
        self.distinct_parts[:, slots] = np.where(shrunk.min(axis=0) > -1, np.expm1(shrunk), np.exp(shrunk))

    def gaps(self) -> Floats:
        return _gap_to_second(self._behind()[0])

    def _behind(self) -> tuple[Floats, Places]:
        behind, top = _behind(self.high, self.low, self.zeros)
        return self.exponent * behind, top

    def sum_changes(self, features: Places, shift: int = 0) -> Sums:
        behind, top = self._behind()
        weights = np.exp(-behind)
        total = weights.sum(axis=0)
        probabilities = weights / total
        scaled = self._scaled_weights(shift, behind, top) / total if shift else probabilities
        absolute, signed = np.zeros(len(features)), np.zeros(len(features))
        for which, rows in self.blocks(len(features), 1 + len(self.high) // 8):
            slots = self.slots(features[which], rows)
            excess = self._excess(slots, top[rows])
            if self.zeros is not None:
                some = self._split_off_lost_zeros(excess, slots, top[rows], rows, shift)
                absolute[which] += some.absolute
                signed[which] += some.signed
            mean = _dot(probabilities[:, rows], excess)
            scaled_mean = _dot(scaled[:, rows], excess) if shift else mean
            # In units of 2^-shift the top class's own probability may be beyond a double; it changes by the mean.
            top_change = np.abs(scaled_mean) / total[rows] if shift else 0.0
            change = top_change + sum(np.abs(mean - e) * w for e, w in zip(excess, scaled[:, rows], strict=True))
            absolute[which] += (change / (1 + mean)) @ self.counts[rows] / 2
            if self.label is not None:
                own = (mean - excess[self.label]) * scaled[self.label, rows]
                if shift:
                    own = np.where(top[rows] == self.label, scaled_mean / total[rows], own)
                signed[which] += (own / (1 + mean)) @ self.counts[rows]
        return Sums(absolute, signed)

    def _scaled_weights(self, shift: int, behind: Floats, top: Places) -> Floats:
        """The weights of all classes but the top one in units of 2^-shift; 0 for the top class."""
        high, low = _differences(self.high, self.low, top)
        shifted = shifted_exponent(shift, self.exponent * high, self.exponent * low)
        scaled = np.exp(np.minimum(shifted, LARGEST_EXPONENT))
        scaled[np.isinf(behind)] = 0.0
        scaled[top, np.arange(len(top))] = 0.0
        return scaled

    def _excess(self, slots: Places, top: Places) -> list[Floats]:
        """e_b for each class b: how much larger the top class's factor is, relatively."""
        at_top = self.distinct_parts.ravel().take(slots + top * self.layout.slots)
        pairs = zip(self.distinct_parts, self.factors, strict=True)
        return [(at_top - parts.take(slots)) / factors.take(slots) for parts, factors in pairs]

    def _split_off_lost_zeros(self, excess: list[Floats], slots: Places, top: Places, rows: slice, shift: int) -> Sums:
        """Put zero factors into ``excess``, except for cells whose removal brings a class back: the sums of those."""
        assert self.tables.zeros is not None
        zeros = [table.take(slots) for table in self.tables.zeros]
        top_zero = self.tables.zeros.ravel().take(slots + top * self.layout.slots)
        lost_zero = np.zeros(slots.shape, dtype=np.bool_)
        for own in zeros:
            lost_zero |= own & ~top_zero
        for own, e in zip(zeros, excess, strict=True):
            e[top_zero & ~own] = -1.0
            e[lost_zero] = 0.0
        feature, row = np.nonzero(lost_zero)
        change = self._change_where_a_zero_leaves(np.arange(rows.start, rows.stop)[row], slots[feature, row], shift)
        # Gains and losses are equal; where one side is a tiny difference of large numbers, the other is exact.
        larger = np.maximum(np.maximum(change, 0).sum(axis=0), np.maximum(-change, 0).sum(axis=0))
        own_change = np.zeros(len(row)) if self.label is None else change[self.label]
        return sums_by_feature(feature, larger, own_change, len(slots))

    def _change_where_a_zero_leaves(self, at: Integers, slots: Integers, shift: int) -> Floats:
        """P - Q of every class, in units of 2^-shift and times the row's count, by computing both."""
        before = np.exp(-self.exponent * _behind(self.high[:, at], self.low[:, at], self._zeros_at(at))[0])
        after = np.exp(-self._behind_without(at, slots))
        change: Floats = before / before.sum(axis=0) - after / after.sum(axis=0)
        return np.ldexp(change, min(shift, 1000)) * self.counts[at]

    def _zeros_at(self, at: Integers) -> npt.NDArray[np.int32] | None:
        return None if self.zeros is None else self.zeros[:, at]

    def _behind_without(self, at: Integers, slots: Integers) -> Floats:
        high, low = self.high[:, at], self.low[:, at]
        add_exactly(high, low, -self.tables.logs[:, slots])
        zeros = self._zeros_at(at)
        if zeros is not None and self.tables.zeros is not None:
            zeros = zeros - self.tables.zeros[:, slots]
        return self.exponent * _behind(high, low, zeros)[0]

    def largest_excess(self) -> Floats:
        span = self.factors.max(axis=0) / self.factors.min(axis=0)
        return np.maximum.reduceat(span, self.layout.offset)

    def nearest_changes(self, features: Places) -> Floats:
        gaps = self.gaps()
        nearest = np.full(len(features), np.inf)
        for which, rows in self.blocks(len(features), 1 + len(self.high) // 8):
            slots = self.slots(features[which], rows)
            distance = np.where(_classes_differ(self.tables.factors, slots), gaps[rows], np.inf)
            if self.tables.zeros is not None:
                cells = np.nonzero(_classes_differ(self.tables.zeros, slots))
                at = np.arange(rows.start, rows.stop)[cells[1]]
                after = _gap_to_second(self._behind_without(at, slots[cells]))
                distance[cells] = np.minimum(gaps[at], after)
            nearest[which] = np.minimum(nearest[which], distance.min(axis=1))
        return nearest

    def reach(self, counts: ClassCounts) -> Floats | None:
        if self.zeros is not None:
            return None
        held = counts.is_held(self.label)
        span = self.tables.logs.max(axis=0) - self.tables.logs.min(axis=0)
        return np.maximum.reduceat(np.where(held, span, 0.0), self.layout.offset)

    def squared_ranges(self) -> Floats:
        rows = self.layout.count(self.codes, self.counts)
        span = self.tables.logs.max(axis=0) - self.tables.logs.min(axis=0)
        return np.add.reduceat(rows * span**2, self.layout.offset)

    def _errors(self, behind: Floats) -> float:
        predicted = np.argmax(behind <= EVEN_ODDS_TOLERANCE, axis=0)
        return float(self.counts[predicted != self.label].sum())

    def odds(self) -> RowOdds:
        assert self.label is not None
        behind, _ = _behind(self.high, self.low, self.zeros)
        others = np.arange(len(behind)) != self.label
        own = behind[self.label]
        possible = np.where(np.isinf(own), 0.0, own)
        against_own = np.where(np.isinf(own), np.inf, possible - behind[others])
        return RowOdds(against_own, self.counts, self._errors(behind))

    def fit(self) -> Fit:
        assert self.label is not None
        behind, _ = _behind(self.high, self.low, self.zeros)
        errors = self._errors(behind)
        behind *= self.exponent
        weights = np.exp(-behind)
        others = weights.sum(axis=0, where=np.arange(len(weights))[:, None] != self.label)
        # When the own class leads, the weights of the others may add up to far less than 1.
        leads = behind[self.label] == 0
        loss = np.where(leads, np.log1p(others), behind[self.label] + np.log(weights.sum(axis=0)))
        return Fit(
            errors,
            float(self.counts @ (others / weights.sum(axis=0))),
            float(self.counts @ loss),
        )


def _equalize_nearly_equal(factors: Floats) -> Floats:
    """The factors, those of one slot made equal where they differ by rounding alone."""
    order = np.argsort(factors, axis=0)
    ascending = np.take_along_axis(factors, order, axis=0)
    for lower, higher in pairwise(ascending):
        np.copyto(higher, lower, where=nearly_equal(lower, higher))
    equalized = np.empty_like(factors)
    np.put_along_axis(equalized, order, ascending, axis=0)
    return equalized


def _dot(weights: Floats, terms: Sequence[Floats]) -> Floats:
    """Σ_c weights_c · terms_c."""
    total: Floats = weights[0] * terms[0]
    for weight, term in zip(weights[1:], terms[1:], strict=True):
        total += weight * term
    return total


def _classes_differ(tables: npt.NDArray[Any], slots: Places) -> npt.NDArray[np.bool_]:
    """Whether the classes' entries at each slot differ."""
    first = tables[0].take(slots)
    differ = np.zeros(slots.shape, dtype=np.bool_)
    for table in tables[1:]:
        differ |= table.take(slots) != first
    return differ


def _gap_to_second(behind: Floats) -> Floats:
    """The gap from the top class to the next."""
    second: Floats = np.partition(behind, 1, axis=0)[1]
    return second


def _differences(high: Floats, low: Floats, top: Places) -> tuple[Floats, Floats]:
    """The top class's log-weight less each class's, in two parts."""
    rows = np.arange(len(top))
    return high[top, rows] - high, low[top, rows] - low


def _behind(high: Floats, low: Floats, zeros: npt.NDArray[np.int32] | None) -> tuple[Floats, Places]:
    """How far each class's log-weight lies behind the top class's, infinite if by a zero; and the top class."""
    weight = high + low
    if zeros is not None:
        weight = np.where(zeros == zeros.min(axis=0, initial=2**30), weight, -np.inf)
    top = np.argmax(weight, axis=0)
    difference_high, difference_low = _differences(high, low, top)
    behind = np.maximum(difference_high + difference_low, 0.0)
    if zeros is not None:
        behind[np.isinf(weight)] = np.inf
    return behind, top
