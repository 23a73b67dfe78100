"""How probable each labelled row's own class is to a model that was not trained on the row, and how that loss changes
when all log-odds are made less sharp.

At sharpness b a class has the weight exp(b·L_c), L its log-weight. A class of weight 0 has weight 0 at sharpness 0 as
well, the limit of ever smaller ones. Rows whose own class has weight 0 are not changed by any sharpness: they have the
largest loss, and no part in the derivatives.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass
from functools import cached_property, partial
from itertools import accumulate, islice, repeat
from operator import mul
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from probfs.runtime.parallel import run_in_threads, split_range
from probfs.tables.arrays import Floats

_BLOCKS_WORTH_A_THREAD = 32


def least_probability(rows: float) -> float:
    """The smallest probability that a row's own class is taken to have, in a table of so many rows: without it, one
    row that a model without smoothing rules out would make every mean infinite.
    """
    return 1 / (2 * rows)


@dataclass(frozen=True)
class Moments:
    """How many rows there are, the mean of their values, and the sum of squared differences to it."""

    rows: float
    mean: float
    squares: float

    @classmethod
    def of(cls, values: Floats, counts: Floats) -> Moments:
        """Those of one value for each row; a row that counts for several is several rows."""
        rows = float(counts.sum())
        if not rows:
            return cls(0.0, 0.0, 0.0)
        mean = float(counts @ values) / rows
        return cls(rows, mean, float(counts @ (values - mean) ** 2))

    def __add__(self, other: Moments) -> Moments:
        # Chan, Golub & LeVeque (1983): no squares of means are subtracted from each other.
        rows = self.rows + other.rows
        if not rows:
            return self
        apart = other.mean - self.mean
        mean = (self.rows * self.mean + other.rows * other.mean) / rows
        return Moments(rows, mean, self.squares + other.squares + apart**2 * self.rows * other.rows / rows)

    @property
    def se(self) -> float:
        """The standard error of the mean."""
        return math.sqrt(self.squares / max(self.rows - 1, 1) / self.rows)


@dataclass(frozen=True)
class TemperedSums:
    """Sums over rows at one sharpness: of the losses, and of four derivatives of -log P_own by the sharpness."""

    loss: float
    slope: float
    curvature: float
    third: float
    fourth: float
    clipped: float
    """How many rows have the largest loss."""

    def __add__(self, other: TemperedSums) -> TemperedSums:
        return TemperedSums(*(one + two for one, two in zip(astuple(self), astuple(other), strict=True)))


class Losses(Protocol):
    """The log-loss of each of some rows at a sharpness."""

    def minus(self, other: Any) -> Moments:
        """The differences to other losses of the same rows, row by row."""


class Odds(Protocol):
    """Labelled rows as a model sees them that was not trained on them, wherever they are: they tell sums alone."""

    @property
    def rows(self) -> float: ...

    @property
    def errors(self) -> float:
        """How many rows have a most probable class that is not their own."""

    def tempered(self, least: float) -> Callable[[float], TemperedSums]:
        """A function from a sharpness to the sums of all rows; no row's P is taken to be less than the least."""

    def losses(self, sharpness: float | None, least: float) -> Losses:
        """Without a sharpness, probabilities are taken as they are. At an infinite one, a row whose own class is not
        the most probable loses 1, and one half if there is a tie.
        """


@dataclass(frozen=True, eq=False)
class RowLosses:
    """The losses of rows that are here."""

    values: Floats
    counts: Floats

    def minus(self, other: RowLosses) -> Moments:
        return Moments.of(self.values - other.values, self.counts)


@dataclass(frozen=True, eq=False)
class RowOdds:
    """The log-odds of every other class against a row's own, at sharpness 1: (classes - 1) × rows.

    A class of weight 0 has odds of -infinity. Where the row's own class has weight 0, all odds are infinite.
    """

    against_own: Floats
    counts: Floats
    """How many equal rows each row stands for."""
    errors: float
    """How many rows have a most probable class that is not their own."""

    @property
    def rows(self) -> float:
        return float(self.counts.sum())

    @property
    def mean_loss(self) -> float:
        """The mean of -log P over rows, no row's P taken to be less than the least."""
        return float(self.counts @ np.minimum(self._losses, -np.log(least_probability(self.rows))) / self.rows)

    @property
    def mean_absolute_loss(self) -> float:
        """The mean of 1 - P over rows."""
        return float(self.counts @ -np.expm1(-self._losses) / self.rows)

    def tempered(self, least: float, *, compiled: bool = False) -> Callable[[float], TemperedSums]:
        from probfs.classifiers.compiling import why_not_compiled

        if compiled and why_not_compiled() is None and self._finite:
            return partial(self._sum_losses_compiled, least)
        return partial(self._sum_losses, least)

    def losses(self, sharpness: float | None, least: float) -> RowLosses:
        if sharpness == math.inf:
            most = self.against_own.max(axis=0)
            return RowLosses(np.where(most == 0, 0.5, (most > 0).astype(np.float64)), self.counts)
        top, total, _ = self._weights(1.0 if sharpness is None else sharpness)
        losses = np.minimum(top + np.log(total), -math.log(least))
        return RowLosses(np.where(self._impossible, -math.log(least), losses), self.counts)

    @classmethod
    def joined(cls, parts: Sequence[RowOdds]) -> RowOdds:
        """The odds of several groups of rows, one after the other."""
        if len(parts) == 1:
            return parts[0]
        return cls(
            np.concatenate([part.against_own for part in parts], axis=1),
            np.concatenate([part.counts for part in parts]),
            sum(part.errors for part in parts),
        )

    def _sum_losses(self, least: float, sharpness: float) -> TemperedSums:
        _, total, weights = self._weights(sharpness)
        odds = np.where(np.isfinite(self.against_own), self.against_own, 0.0)
        # The derivatives are the cumulants of the odds.
        # Repeated products, since numpy takes long for powers.
        moments = islice(accumulate(repeat(odds, 4), mul, initial=weights), 1, None)
        a, b, c, d = (moment.sum(axis=0) / total for moment in moments)
        third, fourth = c - a * (3 * b - 2 * a * a), d - 4 * a * c - 3 * b * b + 6 * a * a * (2 * b - a * a)
        fitted = np.where(self._impossible, 0.0, self.counts)
        losses = self.losses(sharpness, least).values
        derivatives = [float(fitted @ sums) for sums in (a, b - a**2, third, fourth)]
        clipped = self.counts @ (losses >= -math.log(least))
        return TemperedSums(*(float(self.counts @ losses), *derivatives, float(clipped)))

    def _sum_losses_compiled(self, least: float, sharpness: float) -> TemperedSums:
        from probfs.classifiers import loops

        blocks = -(-len(self.counts) // loops.ROWS_PER_BLOCK)
        sums = np.empty((blocks, 6))
        add_up = partial(
            loops.sum_tempered_losses, self.against_own, self.counts, float(sharpness), -math.log(least), sums
        )
        run_in_threads([partial(add_up, *part) for part in split_range(blocks, blocks // _BLOCKS_WORTH_A_THREAD)])
        return TemperedSums(*sums.sum(axis=0).tolist())

    @cached_property
    def _losses(self) -> Floats:
        losses: Floats = np.logaddexp.reduce(self.against_own, axis=0, initial=0.0)
        return losses

    @cached_property
    def _finite(self) -> bool:
        return bool(np.isfinite(self.against_own).all())

    @cached_property
    def _impossible(self) -> npt.NDArray[np.bool_]:
        """Whether each row's own class has weight 0."""
        return np.asarray(self.against_own[0] == np.inf)

    def _weights(self, sharpness: float) -> tuple[Floats, Floats, Floats]:
        """The largest log-weight of each row, the sum of all weights relative to it, and those of other classes."""
        with np.errstate(invalid="ignore"):
            logs = np.where(self.against_own == -np.inf, -np.inf, sharpness * self.against_own)
        logs = np.where(self._impossible, 0.0, logs)
        top: Floats = logs.max(axis=0, initial=0.0)
        weights = np.exp(logs - top)
        return top, np.exp(-top) + weights.sum(axis=0), weights
