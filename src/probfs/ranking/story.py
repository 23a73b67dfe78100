"""What is kept of an elimination: the features in the order in which they left, and a summary of each round. For a
report also what the table holds, how its columns were cut, the command to repeat, and the scores in some of the rounds.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from probfs.classifiers.protocol import Classifier, Features
from probfs.classifiers.scores import SCORES
from probfs.columns.dataset import Dataset
from probfs.columns.inspect import Inspection, inspect_table
from probfs.columns.prepare import PreparedTable
from probfs.columns.rules import cuts_numbers
from probfs.notes import Note
from probfs.ranking.candidates import Candidates, Screened, first_round, rounds_of
from probfs.ranking.elimination import Round, schedule
from probfs.ranking.result import RankedFeature, RoundSummary
from probfs.ranking.sharpness import notes_on_late_classes, notes_on_weak_models
from probfs.tables.arrays import Floats, Integers
from probfs.tables.opening import STANDARD_INPUT, display_name
from probfs.text import typed_command

MOST_ROUNDS = 40
Scores = tuple[float, float, float | None]


@dataclass(frozen=True)
class StoryRound:
    """The scores of the features of a round."""

    round: int
    scores: tuple[float, ...]
    """The score that decides, of each feature that is left, in the order of ranks."""


Story = tuple[StoryRound, ...]


@dataclass(frozen=True)
class Background:
    """Kept with a ranking or a selection where a report was asked for."""

    inspection: Inspection
    intervals: Mapping[str, tuple[str, ...]]
    """The intervals that numbers were cut into, by feature."""
    story: Story
    command: str | None
    """The command that gave the result; None in Python."""


def gather_background(prepared: PreparedTable, dataset: Dataset) -> Background:
    """``dataset`` is the prepared table, encoded; the story comes later."""
    cut = {plan.name for plan in prepared.features if cuts_numbers(plan.rule)}
    columns = [column for feature in dataset.features for column in feature.members or (feature,)]
    intervals = {each.name: tuple(each.categories().to_pylist()) for each in columns if each.name in cut}
    command = typed_command(reads_input=prepared.table.source == display_name(STANDARD_INPUT))
    return Background(inspect_table(prepared), intervals, (), command)


class RoundCollector:
    """Runs an elimination round by round, and keeps what results say about it."""

    def __init__(self, candidates: Candidates, screened: Screened, *, tell: bool = False) -> None:
        """With ``tell``, the story of a report is kept, too."""
        self._candidates = candidates
        self._screened = screened
        self._score = SCORES[candidates.settings.score]
        everything = [len(candidates.names)] if screened.leaving_first else []
        sizes = everything + schedule(len(screened.taking_part), candidates.settings.step)
        self._told_rounds = choose_rounds(sizes) if tell else frozenset()
        self._told: list[tuple[int, Features, Floats]] = []
        self._left: list[int] = []
        self._ranked: list[RankedFeature] = []
        self.summaries: list[RoundSummary] = []
        self.notes: list[Note] = []
        """On the model of all columns."""

    def rounds(self, fitted: tuple[Classifier, Integers] | None = None) -> Iterator[Round]:
        """All rounds; each is kept while its classifier still has its features. ``fitted`` is as for ``rounds_of``."""
        names, screened = self._candidates.names, self._screened
        first = first_round(self._candidates, screened)
        initial: dict[int, Scores] = {}
        dataset, settings, weak = self._candidates.encoded.dataset, self._candidates.settings, list[Note]()
        for current in chain(first, rounds_of(self._candidates, screened, fitted)):
            if current.number == 1:
                self.notes += notes_on_late_classes(current.scores, dataset)
                weak = notes_on_weak_models(current.classifier, current.scores, dataset, settings)
                initial = dict(zip(current.active.tolist(), _scores(current, range(len(current.active))), strict=True))
            elif current.number == 2 and weak and screened.leaving_first:
                # Much noise hides that the model of the other columns, the first of those that are ranked, is good.
                weak = weak if notes_on_weak_models(current.classifier, current.scores, dataset, settings) else []
            if current.number in self._told_rounds:
                self._told.append((current.number, current.active, current.scores.driving(self._score)))
            removed = []
            for position, scores in zip(current.leaving, _scores(current, current.leaving), strict=True):
                feature = int(current.active[position])
                tested = (_number(screened.p[feature]), _number(screened.q[feature]))
                content = (*scores, current.number, *initial[feature], *tested)
                instead = names[screened.repeats[feature]] if feature in screened.repeats else None
                rank = len(names) - len(self._ranked)
                self._ranked.append(RankedFeature(rank, names[feature], *content, instead=instead))
                self._left.append(feature)
                removed.append(names[feature])
            found = current.scores
            fit = (found.errors, found.rows, found.absolute_loss, found.log_loss, found.exponent, found.cv_errors)
            self.summaries.append(RoundSummary(current.number, len(current.active), tuple(removed), *fit))
            yield current
        self.notes += weak

    @property
    def features(self) -> tuple[RankedFeature, ...]:
        """In the order of ranks."""
        return tuple(reversed(self._ranked))

    @property
    def story(self) -> Story:
        """The rounds that were kept, once the elimination is over."""
        rank = np.empty(len(self._left), dtype=np.intp)
        rank[self._left] = np.arange(len(self._left))[::-1]
        return tuple(
            StoryRound(number, tuple(values[np.argsort(rank[active])].tolist()))
            for number, active, values in self._told
        )


def _scores(current: Round, positions: Sequence[int]) -> list[Scores]:
    # Item by item: in most rounds one feature leaves. Adding 0 makes -0.0, a tiny negative number, 0.0.
    s_s, s_a, s_su = current.scores.s_s.item, current.scores.s_a.item, current.scores.s_su
    return [
        (s_s(position) + 0.0, s_a(position) + 0.0, None if s_su is None else s_su.item(position) + 0.0)
        for position in positions
    ]


def _number(value: float) -> float | None:
    return None if math.isnan(value) else float(value)


def choose_rounds(sizes: Sequence[int], most: int = MOST_ROUNDS) -> frozenset[int]:
    """The numbers of the rounds in a story, given how many features each round starts with: ``most`` of them at most.

    From one of these rounds to the next, about the same proportion of the features leaves. So the last rounds, which
    have the features that matter, are all there.

    >>> sorted(choose_rounds(range(100, 0, -1), most=8))
    [1, 50, 75, 88, 94, 98, 100]
    """
    if len(sizes) <= most:
        return frozenset(range(1, len(sizes) + 1))
    wanted = np.geomspace(sizes[0], sizes[-1], most)
    found = np.searchsorted(-np.asarray(sizes), -wanted - 1e-9)
    return frozenset((1 + np.minimum(found, len(sizes) - 1)).tolist())
