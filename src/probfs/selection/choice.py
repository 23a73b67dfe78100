"""The choice of columns from one set of rows: screen, eliminate, judge the best k columns for every k, cut.

It is made once from all rows, and again without each fold.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from probfs.classifiers.protocol import Classifier
from probfs.classifiers.row_odds import Moments, Odds
from probfs.ranking.candidates import Candidates, Screened, rounds_of
from probfs.ranking.elimination import Round
from probfs.ranking.sharpness import fit_sharpness
from probfs.ranking.story import RoundCollector
from probfs.selection.result import Size
from probfs.tables.arrays import Integers

_TIE = 1e-12
"""Losses that differ by no more than this, relative to their size, differ by rounding."""


@dataclass(frozen=True)
class Curve:
    """The features in the order of elimination, the last to leave first, and what the first k of them achieve."""

    order: tuple[int, ...]
    """By their positions in the table."""
    sizes: tuple[Size, ...]
    """For k = 0, 1, … all features."""
    odds: tuple[Odds, ...] = field(default=(), compare=False)
    """Of the rows at every size; only of a calibrated classifier, whose models take long to fit again."""


@dataclass(frozen=True, eq=False)
class Choice:
    """The columns that were chosen, and how. Columns are named by their positions in the table."""

    screened: Screened
    curve: Curve
    """Of the columns that take part in the elimination."""
    size: int
    """How many of them are kept."""
    classifier: Classifier
    collector: RoundCollector | None
    """What the rounds say; None where nobody asks."""

    @property
    def kept(self) -> list[int]:
        """Best first."""
        return list(self.curve.order[: self.size])


def choose_columns(candidates: Candidates, keep: str | int, *, collect: bool = False, tell: bool = False) -> Choice:
    """Screen all columns, eliminate those that take part, and cut. ``collect`` keeps the rounds, that of all columns
    included, and ``tell`` their story.
    """
    screened, collector = candidates.screen(), None
    fitted = candidates.fit(screened.taking_part)
    rounds = rounds_of(candidates, screened, fitted)
    if collect:
        collector = RoundCollector(candidates, screened, tell=tell)
        rounds = collector.rounds(fitted)
        if screened.leaving_first:
            # The round of all columns is no point of the curve.
            next(rounds)
    curve = trace_curve(fitted[0], rounds)

    def compare(best: Size) -> Iterator[tuple[Size, Moments]]:
        return compare_sizes(curve, best, lambda: candidates.fit(screened.taking_part))

    size = choose_size(curve.sizes, keep, len(candidates.always), compare)
    return Choice(screened, curve, size, fitted[0], collector)


# What the model of the best k columns achieves


def trace_curve(classifier: Classifier, rounds: Iterable[Round]) -> Curve:
    """Go through the rounds of an elimination one by one, and judge the model of those that are left each time."""
    left: list[int] = []
    sizes: list[Size] = []
    odds: list[Odds] = []

    def judge() -> None:
        current = classifier.odds()
        sharpness = None
        if classifier.calibrated:
            odds.append(current)
        else:
            # The best sharpness is soon found from that of one feature more.
            start = sizes[-1].temperature if sizes else None
            sharpness = fit_sharpness(current, 1.0 if start is None else start)
        sizes.append(Size(len(classifier.active), current.loss(sharpness), sharpness, round(current.errors)))

    for current in rounds:
        judge()
        left.append(int(current.active[current.leaving[0]]))
    judge()
    return Curve(tuple(reversed(left)), tuple(reversed(sizes)), tuple(reversed(odds)))


# Where to cut

Compare = Callable[[Size], Iterable[tuple[Size, Moments]]]
"""From one size to all, each with the moments of the row differences of its loss to that one's."""


def choose_size(sizes: Sequence[Size], keep: str | int, least: int, compare: Compare) -> int:
    """How many columns to keep: ``keep`` says by which rule, or how many; never fewer than ``least``."""
    if isinstance(keep, int):
        return max(least, min(keep, len(sizes) - 1))
    best = find_best(sizes[least:])
    if keep == "best":
        return best.features
    near = [
        size.features
        for size, difference in compare(best)
        if size.features >= least and difference.mean <= difference.se * (1 + _TIE) + _TIE * best.log_loss
    ]
    return min(near) if keep == "fewest" else max(near)


def find_best(sizes: Sequence[Size]) -> Size:
    """The size of the least loss; of equal losses, that of the fewest columns."""
    least = min(size.log_loss for size in sizes)
    return next(size for size in sizes if size.log_loss <= least + _TIE * abs(least))


def compare_sizes(
    curve: Curve, best: Size, fit: Callable[[], tuple[Classifier, Integers]]
) -> Iterator[tuple[Size, Moments]]:
    """How much more than at one size the rows lose at each size, on average, from all features to none.

    ``fit`` makes the classifier that the curve was traced with. Unless odds were kept, the elimination is gone through
    once more: the losses of all rows at all sizes would take more memory than the table.
    """
    classifier, columns = (None, np.empty(0)) if curve.odds else fit()
    place_of = {column: place for place, column in enumerate(columns.tolist())}
    order = [place_of.get(column, 0) for column in curve.order]
    kept = curve.odds[best.features] if classifier is None else classifier.odds(order[: best.features])
    for size in reversed(curve.sizes):
        odds = curve.odds[size.features] if classifier is None else classifier.odds()
        yield size, odds.minus(size.temperature, kept, best.temperature)
        if classifier is not None and size.features:
            classifier.drop(np.array([order[size.features - 1]]))
