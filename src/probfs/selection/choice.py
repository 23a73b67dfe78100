"""The choice of columns from one set of rows: screen, eliminate, cut.

It is made once from all rows, and again without each fold.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from probfs.classifiers.protocol import OddsClassifier
from probfs.classifiers.row_odds import Moments
from probfs.classifiers.scores import SCORES
from probfs.notes import Note
from probfs.ranking.candidates import Candidates, Screened, first_round, round_sizes, rounds_of, watch_first
from probfs.ranking.story import RoundCollector
from probfs.selection.curve import Curve, choose_size, compare_sizes, trace_curve
from probfs.selection.result import Size


@dataclass(frozen=True, eq=False)
class Choice:
    """The columns that were chosen, and how. Columns are named by their positions in the table."""

    screened: Screened
    curve: Curve
    """Of the columns that take part in the elimination."""
    size: int
    """How many of them are kept."""
    classifier: OddsClassifier
    collector: RoundCollector | None
    """What the rounds say; None where nobody asks."""
    notes: Sequence[Note]
    """On the model of all columns."""

    @property
    def kept(self) -> list[int]:
        """Best first."""
        return list(self.curve.order[: self.size])


def choose_columns(candidates: Candidates, keep: str | int, *, collect: bool = False, tell: bool = False) -> Choice:
    """Screen all columns, eliminate those that take part, and cut. ``collect`` keeps the rounds, that of all columns
    included, and ``tell`` their story.
    """
    screened, collector, notes = candidates.screen(), None, list[Note]()
    fitted = candidates.fit(screened.taking_part)
    rounds = rounds_of(candidates, screened, fitted)
    if collect:
        told = SCORES[candidates.settings.score] if tell else None
        collector = RoundCollector(candidates.names, screened, told, round_sizes(candidates, screened))
        rounds = chain(first_round(candidates, screened), rounds)
        rounds = collector.follow(watch_first(rounds, candidates, notes))
        if screened.leaving_first:
            # The round of all columns is no point of the curve.
            next(rounds)
    curve = trace_curve(fitted[0], rounds)

    def compare(best: Size) -> Iterator[tuple[Size, Moments]]:
        return compare_sizes(curve, best, lambda: candidates.fit(screened.taking_part))

    size = choose_size(curve.sizes, keep, len(candidates.always), compare)
    return Choice(screened, curve, size, fitted[0], collector, notes)
