"""The bounds that docs/sieve.md derives for many classes, with the loop's own functions in plain Python."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from probfs.kernels.loops import many_class_sieve_scan as scan
from probfs.kernels.loops.many_class_sieve_scan import count_padded_rows
from probfs.kernels.loops.sieve_bounds import ROWS_PER_CHECK, count_checks, largest_loss, rounding_error
from probfs.tables.table import Floats, Integers


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows as the loop sees them, and one feature's log-factors (class by value) with its value in each row."""

    log_weights: Floats
    labels: Integers
    counts: Floats
    log_factors: Floats
    values: Integers

    def changes(self) -> Floats:
        """P - Q of each class and row, times the row's count and in the loop's units."""
        behind = self.log_weights.max(axis=0) - self.log_weights
        top = self.log_weights.argmax(axis=0)
        logs = self.log_factors[:, self.values]
        excess = np.expm1(np.take_along_axis(logs, top[None], axis=0) - logs)
        probabilities = np.exp(-behind) / np.exp(-behind).sum(axis=0)
        mean = (probabilities * excess).sum(axis=0)
        unit = np.exp(-np.partition(behind, 1, axis=0)[1].min())
        changes: Floats = self.counts * probabilities * (mean - excess) / (1 + mean) / unit
        return changes

    def falls(self) -> Floats:
        """The feature's largest loss of each kind."""
        behind_others = self.log_factors.max(axis=0) - self.log_factors
        largest = [behind_others[c, self.values[self.labels == c]].max(initial=0.0) for c in range(len(behind_others))]
        return np.array([fall for log in largest for fall in (-np.expm1(-log), np.expm1(log))])


@st.composite
def random_rows(draw: st.DrawFn) -> Rows:
    random = np.random.default_rng(draw(st.integers(0, 10**6)))
    rows, classes = draw(st.integers(1, 300)), draw(st.integers(3, 7))
    labels = random.integers(0, classes, rows)
    log_weights = random.normal(0, draw(st.sampled_from([0.1, 3.0, 40.0])), (classes, rows))
    # Most rows favour their own class, some by far.
    log_weights[labels, np.arange(rows)] += draw(st.sampled_from([0.0, 2.0, 80.0]))
    values = draw(st.integers(1, 6))
    log_factors = random.normal(0, draw(st.sampled_from([0.001, 0.5, 2.0])), (classes, values))
    if draw(st.booleans()):
        # Classes that the feature does not tell apart: the changes of their probabilities cancel.
        log_factors[1:] = log_factors[1]
    return Rows(
        log_weights, labels, random.choice([0.0, 1.0, 1.0, 3.0], rows), log_factors, random.integers(0, values, rows)
    )


@settings(max_examples=60, deadline=None)
@given(random_rows())
def test_later_rows_take_no_more_than_the_largest_loss(rows: Rows) -> None:
    loop = Scan(rows, absolute=False)
    own = np.take_along_axis(rows.changes(), rows.labels[None], axis=0)[0]
    for block in range(count_checks(len(own)) + 1):
        rest = own[block * ROWS_PER_CHECK :].sum()
        bound = largest_loss(loop.kinds, rows.falls(), 0, loop.remaining, block)
        assert rest >= -bound * (1 + 1e-6) - 1e-25


@settings(max_examples=60, deadline=None)
@given(random_rows(), st.booleans())
def test_sums_in_single_precision_are_within_their_rounding_error(rows: Rows, absolute: bool) -> None:
    loop = Scan(rows, absolute)
    changes = rows.changes()
    own = np.take_along_axis(changes, rows.labels[None], axis=0)[0]
    exact = np.abs(changes).sum() / 2 if absolute else own.sum()
    total = loop.sum()
    span = np.exp(np.ptp(rows.log_factors, axis=0).max())
    falls = np.zeros(loop.kinds) if absolute else rows.falls()
    rounding = np.array([2.0**-17 * loop.classes * span])
    error = rounding_error(total, rounding, loop.kinds, falls, 0, loop.remaining, loop.blurred)
    assert abs(total - exact) <= 0.7 * error + 1e-25


class Scan:
    """The loop after its first two steps, for one feature."""

    def __init__(self, rows: Rows, absolute: bool) -> None:
        self.rows, self.absolute = rows, absolute
        self.classes, size = rows.log_weights.shape
        self.kinds = 2 * self.classes
        padded = count_padded_rows(size)
        self.ratio, self.weight = np.empty(self.classes * padded), np.empty(self.classes * padded, np.float32)
        self.lead, self.scale, self.own_weight = np.empty((3, padded), np.float32)
        self.table, self.top = np.empty((2, padded), np.int32)
        self.remaining = np.empty((count_checks(size) + 1) * (self.kinds + 1))
        unit = scan._compare_classes(
            np.arange(size), rows.log_weights.ravel(), size, self.classes, self.top, self.ratio
        )
        # Every class has a model of its own, whose tables are relative to this class.
        self.blurred = scan._compute_row_terms(
            rows.labels, rows.labels, rows.counts, size, self.classes, absolute, unit, self.ratio, self.weight,
            self.table, self.top, self.lead, self.scale, self.own_weight, self.remaining,
        )  # fmt: skip

    def sum(self) -> float:
        """The feature's sum over all rows."""
        logs, values = self.rows.log_factors, self.rows.values
        cells = np.zeros(len(self.top), np.uint8)
        cells[: len(values)] = values
        tables = np.expm1(logs[:, None] - logs[None]).astype(np.float32).ravel()
        zero, width = np.zeros(1, np.int64), np.array([logs.shape[1]])
        place, each = np.empty(ROWS_PER_CHECK, np.int32), np.empty(self.classes * ROWS_PER_CHECK, np.float32)
        at_top, mean, size = np.empty((3, ROWS_PER_CHECK), np.float32)
        estimate = np.zeros(1)
        for block in range(len(cells) // ROWS_PER_CHECK):
            scan._add_block(
                cells, 1, zero, zero, width, tables, self.classes, self.weight, self.table, self.top, self.lead,
                self.scale, self.own_weight, self.absolute, block, 0, place, each, at_top, mean, size, estimate,
            )  # fmt: skip
        return float(estimate[0])
