"""The choice of columns from one set of rows: screen, eliminate, judge the best k columns for every k, cut.

It is made once from all rows, and again without each fold.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from probfs.classifiers.protocol import Classifier
from probfs.classifiers.row_odds import Moments, Odds
from probfs.ranking.candidates import Candidates, Screened, rounds_of
from probfs.ranking.elimination import Round
from probfs.ranking.sharpness import judge_odds
from probfs.ranking.story import RoundCollector
from probfs.selection.result import Size

_TIE = 1e-12
"""Losses that differ by no more than this, relative to their size, differ by rounding."""


@dataclass(frozen=True)
class Curve:
    """The features in the order of elimination, the last to leave first, and what the first k of them achieve."""

    order: tuple[int, ...]
    """By their positions in the table."""
    sizes: tuple[Size, ...]
    """For k = 0, 1, … all features."""
    odds: tuple[Odds, ...] = field(compare=False)
    """Of the rows at every size."""

    def compare(self, best: Size) -> Iterator[tuple[Size, Moments]]:
        """How much more than at one size the rows lose at each size, on average, from all features to none."""
        kept = self.odds[best.features]
        for size in reversed(self.sizes):
            yield size, self.odds[size.features].minus(size.temperature, kept, best.temperature)


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
    size = choose_size(curve.sizes, keep, len(candidates.always), curve.compare)
    return Choice(screened, curve, size, fitted[0], collector)


# What the model of the best k columns achieves


def trace_curve(classifier: Classifier, rounds: Iterable[Round]) -> Curve:
    """Go through the rounds of an elimination one by one, and judge the model of those that are left each time."""
    left: list[int] = []
    sizes: list[Size] = []
    odds: list[Odds] = []

    def judge() -> None:
        current = classifier.odds()
        # The best sharpness is soon found from that of one feature more.
        sharpness, loss = judge_odds(classifier, current, sizes[-1].temperature if sizes else None)
        sizes.append(Size(len(classifier.active), loss, sharpness, round(current.errors)))
        odds.append(current)

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
