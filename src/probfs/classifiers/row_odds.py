"""How probable each labelled row's own class is to a model that was not trained on the row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from probfs.classifiers.moments import Moments
from probfs.tables.table import Floats

if TYPE_CHECKING:
    from probfs.classifiers.tempered_sums import TemperedSums


def least_probability(rows: float) -> float:
    """The smallest probability that a row's own class is taken to have, in a table of so many rows: without it, one
    row that a model without smoothing rules out would make every mean infinite.
    """
    return 1 / (2 * rows)


class Losses(Protocol):
    """The log-loss of each of some rows at a temperature."""

    def minus(self, other: Any) -> Moments:
        """The differences to other losses of the same rows, row by row."""


class Odds(Protocol):
    """Labelled rows as a model sees them that was not trained on them, wherever they are: they tell sums alone."""

    @property
    def rows(self) -> float: ...

    @property
    def errors(self) -> float:
        """How many rows have a most probable class that is not their own."""

    def tempered(self, least: float, *, compiled: bool = False) -> Callable[[float], TemperedSums]:
        """A function from a temperature to the sums of all rows; no row's P is taken to be less than the least.
        ``compiled`` says whether there are so many rows that compiled loops pay.
        """

    def losses(self, temperature: float | None, least: float) -> Losses:
        """Without a temperature, probabilities are taken as they are."""


@dataclass(frozen=True, eq=False)
class RowLosses:
    """The losses of rows that are here."""

    values: Floats
    counts: Floats

    def minus(self, other: RowLosses) -> Moments:
        return Moments.of(self.values - other.values, self.counts)


@dataclass(frozen=True, eq=False)
class RowOdds:
    """The log-odds of every other class against a row's own, at exponent 1: (classes - 1) × rows.

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
        losses = np.logaddexp.reduce(self.against_own, axis=0, initial=0.0)
        return float(self.counts @ np.minimum(losses, -np.log(least_probability(self.rows))) / self.rows)

    def tempered(self, least: float, *, compiled: bool = False) -> Callable[[float], TemperedSums]:
        from probfs.classifiers.tempered_sums import compile_sums, sum_losses

        return (compile_sums(self, least) if compiled else None) or partial(sum_losses, self, least)

    def losses(self, temperature: float | None, least: float) -> RowLosses:
        from probfs.classifiers.tempered_sums import row_losses

        return RowLosses(row_losses(self, temperature, least), self.counts)

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
