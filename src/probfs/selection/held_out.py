"""Rows of a fold as models of other rows judge them: sums, which may come from several parts of the rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from probfs.classifiers.row_odds import Moments, RowOdds


@dataclass(frozen=True)
class TemperedModel:
    """A model of some features, by position, and its temperature; None where probabilities need none."""

    features: Sequence[int]
    temperature: float | None


@dataclass(frozen=True)
class JudgedRows:
    """The losses and errors of rows by the models of the kept, of all and of no columns."""

    kept: Moments
    every: Moments
    none: Moments
    difference: Moments
    """The losses of the kept columns less those of all."""
    errors: tuple[float, ...]

    @classmethod
    def of(cls, models: Sequence[TemperedModel], odds: Sequence[RowOdds], least: float) -> JudgedRows:
        """The odds are those of the models of the kept, of all and of no columns; no probability is taken to be less
        than the least.
        """
        kept, every, none = (own.losses(model.temperature, least) for model, own in zip(models, odds, strict=True))
        moments = [Moments.of(own.values, own.counts) for own in (kept, every, none)]
        return cls(moments[0], moments[1], moments[2], kept.minus(every), tuple(own.errors for own in odds))

    def __add__(self, other: JudgedRows) -> JudgedRows:
        return JudgedRows(
            self.kept + other.kept,
            self.every + other.every,
            self.none + other.none,
            self.difference + other.difference,
            tuple(own + more for own, more in zip(self.errors, other.errors, strict=True)),
        )
