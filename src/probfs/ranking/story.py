"""What a report tells beside a result: what the table holds, how it was cut, how to make it again, and the story of the
elimination, which is the scores of all features that are left, in some of its rounds.

An elimination scores only the features that might be lowest. A recorder listens to it and scores the others too, in a
few rounds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from probfs.classifiers.protocol import Classifier, Features
from probfs.classifiers.scores import Score
from probfs.columns.dataset import Dataset
from probfs.columns.inspect import Inspection, inspect_table
from probfs.columns.prepare import PreparedTable
from probfs.columns.rules import cuts_numbers
from probfs.ranking.elimination import Round, schedule
from probfs.ranking.settings import Step
from probfs.tables.arrays import Floats

MOST_ROUNDS = 40
WRITING_A_REPORT = ".to_html('report.html')"
"""How a call in Python ends that writes a report."""


@dataclass(frozen=True)
class StoryRound:
    """What the features of a round score."""

    round: int
    scores: tuple[float, ...]
    """The driving score of each feature that is left, by rank: those that are left are the ones ranked first."""


Story = tuple[StoryRound, ...]


class StoryRecorder:
    """Hears of every round of one elimination, and keeps the scores of some."""

    def __init__(self, score: Score, step: Step | None) -> None:
        self._score = score
        self._step = step
        self._told: frozenset[int] = frozenset()
        self._heard: list[tuple[int, Features, Floats]] = []
        self._left: list[int] = []

    def follow(self, rounds: Iterator[Round], classifier: Classifier) -> Iterator[Round]:
        """The same rounds; each is heard of while the classifier still has its features."""
        for current in rounds:
            if current.number == 1:
                self._told = choose_rounds(schedule(len(current.active), self._step))
            if current.number in self._told:
                self._record(current, classifier)
            self._left += current.scored[list(current.leaving)].tolist()
            yield current

    def _record(self, current: Round, classifier: Classifier) -> None:
        complete = len(current.scored) == len(current.active)
        scores = current.scores if complete else classifier.score()
        self._heard.append((current.number, current.active, scores.driving(self._score)))

    @property
    def story(self) -> Story:
        """The rounds that were kept, once the elimination is over."""
        rank = np.empty(len(self._left), dtype=np.intp)
        rank[self._left] = np.arange(len(self._left))[::-1]
        return tuple(
            StoryRound(number, tuple(values[np.argsort(rank[active])].tolist()))
            for number, active, values in self._heard
        )


def choose_rounds(sizes: Sequence[int], most: int = MOST_ROUNDS) -> frozenset[int]:
    """The numbers of the rounds to tell of, given how many features each starts with: all, or ``most`` of them at most.

    From one to the next, about the same share of the features leaves. So the last rounds, in which the features that
    matter are left, are told one by one, and scoring all features in these rounds takes only as long as in the first
    round a few times over.

    >>> sorted(choose_rounds(range(100, 0, -1), most=8))
    [1, 45, 70, 84, 91, 96, 98, 100]
    """
    if len(sizes) <= most:
        return frozenset(range(1, len(sizes) + 1))
    chosen: frozenset[int] = frozenset()
    falling = -np.asarray(sizes)
    for number in range(2, 10 * most):
        wanted = np.geomspace(sizes[0], sizes[-1], number)
        found = frozenset((1 + np.minimum(np.searchsorted(falling, -wanted - 1e-9), len(sizes) - 1)).tolist())
        if len(found) > most:
            break
        chosen = found
    return chosen


@dataclass(frozen=True)
class Background:
    """Kept with a ranking or a selection where a report was asked for."""

    inspection: Inspection
    intervals: Mapping[str, tuple[str, ...]]
    """Those that features of numbers were cut into, by name."""
    story: Story
    call: str
    """The command, or the call in Python, that gave the result."""

    def with_top(self, number: int) -> Background:
        """The background of a result of which only the best features are listed; a command says so itself."""
        call = self.call.removesuffix(WRITING_A_REPORT)
        return self if call == self.call else replace(self, call=f"{call}.top({number}){WRITING_A_REPORT}")


def gather_background(prepared: PreparedTable, dataset: Dataset, call: str, story: Story = ()) -> Background:
    """``dataset`` is the prepared table, encoded; the story may come later."""
    cut = {plan.name for plan in prepared.features if cuts_numbers(plan.rule)}
    intervals = {own.name: tuple(own.own_labels().to_pylist()) for own in dataset.features if own.name in cut}
    return Background(inspect_table(prepared), intervals, story, call)
