"""The log-odds of labelled rows by a model that was not trained on them, and how their loss changes with the sharpness
of all log-odds.

At sharpness b a class has the weight exp(b·L_c), L its log-weight. A class of weight 0 has weight 0 at sharpness 0 as
well, the limit of ever smaller ones. Rows whose own class has weight 0 are not changed by any sharpness: they have the
largest loss, and no part in the derivatives.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from probfs.tables.arrays import Flags, Floats, Integers

_ROWS_AT_A_TIME = 1 << 13
"""Rows whose odds stay in the cache while they are gone through several times."""
_NEVER = 1e150
"""Log-odds of a class of weight 0: their squares are finite, and even at the least sharpness their weight is 0."""
_LEAST_SHARPNESS = 1e-100


def least_probability(rows: float) -> float:
    """The smallest probability that a row's own class is taken to have, in a table of so many rows: without it, one
    row that a model without smoothing rules out would make every mean infinite.
    """
    return 1 / (2 * rows)


@dataclass(frozen=True)
class Moments:
    """The number of rows, or their weight; the mean of their values; the sum of squared differences from the mean; and
    the sum of the squared weights of single rows.
    """

    rows: float
    mean: float
    squares: float
    square_weights: float

    @classmethod
    def of(cls, values: Floats, counts: Floats, copies: Floats | None = None) -> Moments:
        """The moments of one value for each row; ``counts`` says how many equal rows it stands for or, with ``copies``,
        what that many equal rows weigh together.
        """
        rows = float(counts.sum())
        if not rows:
            return cls(0.0, 0.0, 0.0, 0.0)
        mean = float((counts * values).sum()) / rows
        square_weights = rows if copies is None else float((counts**2 / copies).sum())
        return cls(rows, mean, float((counts * (values - mean) ** 2).sum()), square_weights)

    def __add__(self, other: Moments) -> Moments:
        # Chan, Golub & LeVeque (1983): no squares of means are subtracted from each other.
        rows = self.rows + other.rows
        if not rows:
            return self
        apart = other.mean - self.mean
        mean = (self.rows * self.mean + other.rows * other.mean) / rows
        squares = self.squares + other.squares + apart**2 * self.rows * other.rows / rows
        return Moments(rows, mean, squares, self.square_weights + other.square_weights)

    @property
    def se(self) -> float:
        """The standard error of the mean, from the effective number of rows."""
        effective = self.rows**2 / self.square_weights
        return math.sqrt(self.squares / self.rows / max(effective - 1, 1))


class Odds(Protocol):
    """The log-odds of labelled rows, which may be on a cluster: only sums over rows can be asked for.

    Sharpness None leaves probabilities as they are. At infinite sharpness a row loses 1 if another class is more
    probable than its own, and one half if there is a tie.
    """

    @property
    def rows(self) -> float:
        """The number of rows, or their weight."""

    @property
    def errors(self) -> float:
        """How many rows have a most probable class that is not their own."""

    def loss_and_derivatives(self, sharpness: float) -> tuple[float, float, float]:
        """The mean log-loss, no row's P taken to be less than the least probability; and the slope and curvature of the
        sum of -log P over rows, by the sharpness.
        """

    def minus(self, sharpness: float | None, other: Any, other_sharpness: float | None) -> Moments:
        """The moments of how much more each row loses by these odds than by other odds of the same rows."""


@dataclass(frozen=True, eq=False)
class RowOdds:
    """The log-odds of each other class against the class of the row, at sharpness 1: (classes - 1) × rows.

    A class of weight 0 has odds of -infinity. Where the row's own class has weight 0, all odds are infinite.
    """

    against_own: Floats
    counts: Floats
    """How many equal rows each row stands for, or their weight."""
    errors: float
    """How many rows have a most probable class that is not their own."""
    copies: Floats | None = None
    """How many equal rows each row stands for, where ``counts`` are weights."""
    subjects: Integers | None = None
    """The subject of each row, if rows belong to subjects: standard errors are then those of means of subjects."""

    @classmethod
    def joined(cls, parts: Sequence[RowOdds]) -> RowOdds:
        """The odds of several groups of rows, one after the other."""
        copies = [part.copies for part in parts if part.copies is not None]
        subjects = [part.subjects for part in parts if part.subjects is not None]
        return cls(
            np.concatenate([part.against_own for part in parts], axis=1),
            np.concatenate([part.counts for part in parts]),
            sum(part.errors for part in parts),
            np.concatenate(copies) if copies else None,
            np.concatenate(subjects) if subjects else None,
        )

    @property
    def rows(self) -> float:
        return float(self.counts.sum())

    @property
    def mean_absolute_loss(self) -> float:
        """The mean of 1 - P over rows."""
        losses = np.logaddexp.reduce(self.against_own, axis=0, initial=0.0)
        return float(self.counts @ -np.expm1(-losses) / self.rows)

    def loss_and_derivatives(self, sharpness: float) -> tuple[float, float, float]:
        loss, slope, curvature = self.sums(sharpness, self._least).tolist()
        return loss / self.rows, slope, curvature

    def sums(self, sharpness: float, least: float) -> Floats:
        """The sum of the log-losses, no P taken to be less than the least, and the slope and curvature of the sum of
        -log P by the sharpness.
        """
        sums = np.zeros(3)
        for rows, weights, top, total in self._weigh(sharpness):
            losses = self._limited(rows, top + np.log(total), least)
            # The derivatives are the cumulants of the odds.
            weights *= self._finite[:, rows]
            mean = weights.sum(axis=0) / total
            weights *= self._finite[:, rows]
            variance = weights.sum(axis=0) / total - mean**2
            mean[self._impossible[rows]] = variance[self._impossible[rows]] = 0.0
            # One by one and not too long, dot products do not wait for threads of BLAS.
            sums += [self.counts[rows] @ each for each in (losses, mean, variance)]
        return sums

    def losses(self, sharpness: float | None, least: float) -> Floats:
        """The log-loss of each row, no P taken to be less than the least."""
        if sharpness == math.inf:
            most = self.against_own.max(axis=0)
            return np.where(most == 0, 0.5, (most > 0).astype(np.float64))
        losses = np.empty(len(self.counts))
        for rows, _, top, total in self._weigh(1.0 if sharpness is None else sharpness):
            losses[rows] = self._limited(rows, top + np.log(total), least)
        return losses

    def _limited(self, rows: slice, losses: Floats, least: float) -> Floats:
        return np.where(self._impossible[rows], -math.log(least), np.minimum(losses, -math.log(least)))

    def minus(self, sharpness: float | None, other: RowOdds, other_sharpness: float | None) -> Moments:
        least = self._least
        return self.moments(self.losses(sharpness, least) - other.losses(other_sharpness, least))

    @property
    def _least(self) -> float:
        return least_probability(float((self.counts if self.copies is None else self.copies).sum()))

    def moments(self, values: Floats) -> Moments:
        """The moments of one value for each row, or of the means of subjects."""
        if self.subjects is None:
            return Moments.of(values, self.counts, self.copies)
        _, of_row = np.unique(self.subjects, return_inverse=True)
        counts: Floats = np.bincount(of_row, self.counts).astype(np.float64)
        means = np.bincount(of_row, self.counts * values) / np.where(counts > 0, counts, 1.0)
        return Moments.of(means, counts, np.ones_like(counts))

    @cached_property
    def _finite(self) -> Floats:
        if np.isfinite(self.against_own).all():
            return self.against_own
        return np.where(self._impossible, 0.0, np.maximum(self.against_own, -_NEVER))

    @cached_property
    def _impossible(self) -> Flags:
        """Whether each row's own class has weight 0."""
        return np.asarray(self.against_own[0] == np.inf)

    def _weigh(self, sharpness: float) -> Iterator[tuple[slice, Floats, Floats, Floats]]:
        """For some rows at a time: the weights of their other classes relative to the largest of a row's weights, the
        logarithm of that, and the sum of a row's weights; its own class has weight 1.
        """
        for start in range(0, len(self.counts), _ROWS_AT_A_TIME):
            rows = slice(start, start + _ROWS_AT_A_TIME)
            logs = max(sharpness, _LEAST_SHARPNESS) * self._finite[:, rows]
            top = logs.max(axis=0, initial=0.0)
            logs -= top
            weights = np.exp(logs, out=logs)
            yield rows, weights, top, np.exp(-top) + weights.sum(axis=0)
