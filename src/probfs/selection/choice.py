"""The choice of columns from one set of rows: screen, eliminate, judge the best k columns for every k, cut.

It is made once from all rows, and again without each fold.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from probfs.classifiers.protocol import Classifier
from probfs.classifiers.row_odds import Odds
from probfs.ranking.candidates import Candidates, Screened, rounds_of
from probfs.ranking.elimination import Round
from probfs.ranking.sharpness import judge_odds
from probfs.ranking.story import RoundCollector
from probfs.selection.result import TIE, Size, find_best


@dataclass(frozen=True)
class Curve:
    """The features in the order of elimination, the last to leave first, and what the first k of them achieve."""

    order: tuple[int, ...]
    """By their positions in the table."""
    sizes: tuple[Size, ...]
    """For k = 0, 1, … all features."""
    odds: tuple[Odds, ...] = field(compare=False)
    """The odds of the rows at every size."""


@dataclass(frozen=True, eq=False)
class Choice:
    """The columns that were chosen, and how. Columns are named by their positions in the table."""

    screened: Screened
    curve: Curve
    """The curve of the columns that take part in the elimination."""
    size: int
    """How many of them are kept."""
    classifier: Classifier
    collector: RoundCollector | None
    """The rounds for a result; None where none was asked for."""

    @property
    def kept(self) -> list[int]:
        """Best first."""
        return list(self.curve.order[: self.size])


def choose_columns(candidates: Candidates, keep: str | int, *, collect: bool = False, tell: bool = False) -> Choice:
    """Screen all columns, eliminate those that take part, and cut. ``collect`` keeps all rounds, including that of all
    columns, and ``tell`` keeps their story.
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
    size = choose_size(curve, keep, len(candidates.always))
    return Choice(screened, curve, size, fitted[0], collector)


# What the model of the best k columns achieves


def trace_curve(classifier: Classifier, rounds: Iterable[Round]) -> Curve:
    """Run the rounds of an elimination, and judge the model of the features that are left in each."""
    left: list[int] = []
    sizes: list[Size] = []
    odds: list[Odds] = []

    def judge() -> None:
        current = classifier.odds()
        # The search begins at the best sharpness of one feature more, which is near.
        sharpness, loss = judge_odds(classifier, current, sizes[-1].temperature if sizes else None)
        sizes.append(Size(len(classifier.active), loss, sharpness, round(current.errors)))
        odds.append(current)

    for current in rounds:
        judge()
        left.append(int(current.active[current.leaving[0]]))
    judge()
    return Curve(tuple(reversed(left)), tuple(reversed(sizes)), tuple(reversed(odds)))


# Where to cut


def choose_size(curve: Curve, keep: str | int, least: int) -> int:
    """How many columns to keep: ``keep`` says by which rule, or how many; never fewer than ``least``."""
    if isinstance(keep, int):
        return max(least, min(keep, len(curve.order)))
    best = find_best(curve.sizes[least:])
    if keep == "best":
        return best.features
    near = []
    # From many columns to few, as rows are brought from one size to the next by taking features away.
    for size in reversed(curve.sizes[least:]):
        excess = curve.odds[size.features].minus(size.temperature, curve.odds[best.features], best.temperature)
        if excess.mean <= excess.se * (1 + TIE) + TIE * best.log_loss:
            near.append(size.features)
    return min(near) if keep == "fewest" else max(near)
