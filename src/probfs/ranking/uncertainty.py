"""How sure a ranking is: what it would be with other rows of the same kind.

Scores of single rows do not tell: all rows share one estimated model, which other rows would have made another. So
samples of the rows are ranked anew.

- Half samples: the rows of each class are split at random into two halves, 25 times, and each half is ranked. Ranks of
  halves scatter more than those of all rows, so their intervals are cautious.
- Jackknife (Tukey 1958): the rows are dealt at random into 20 groups, and the first round is scored without each. Of
  these scores θ_g, with mean θ̄, the standard error is √(19/20 · Σ (θ_g - θ̄)²).

Samples are drawn of distinct rows in an order that only their content decides, so that neither the order of the rows
nor whether equal rows are repeated or counted changes anything.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from time import monotonic
from typing import TYPE_CHECKING, Protocol

import numpy as np

from probfs.classifiers.protocol import Classifier
from probfs.classifiers.scores import SCORES
from probfs.columns.dataset import Dataset
from probfs.columns.folds import by_dropping_rare_classes, order_by_content
from probfs.errors import DataError
from probfs.notes import Note, NoteKind
from probfs.ranking.elimination import eliminate, schedule
from probfs.ranking.result import RankedFeature
from probfs.ranking.settings import Settings
from probfs.rows.block import EVERYTHING, Block, Part, RandomSample, SampleSeries
from probfs.rows.blocks import deal_starts
from probfs.runtime.progress import report
from probfs.tables.arrays import Floats, Integers
from probfs.text import duration, option, quoted

if TYPE_CHECKING:
    from probfs.ranking.stages import Encoded

PAIRS = 25
GROUPS = 20
OUTSIDE = 2
"""How many of the 50 ranks lie outside an interval at either end: 46 of 50 are at least the 90 % that it promises."""
STAGE = "measuring uncertainty"
_FEWEST_OF_A_CLASS = 4
"""So that each half has two, one of which can be left out."""
_MOST_ROWS = 10**9
"""numpy draws samples of fewer rows than this."""
_LONG_SECONDS = 60.0


class Fit(Protocol):
    """Fits the classifier of a ranking to a part of the rows, for rounds of so many features."""

    def __call__(self, encoded: Encoded, settings: Settings, part: Part, rounds: Sequence[int]) -> Classifier: ...


@dataclass(frozen=True)
class Uncertainty:
    """How sure a feature's scores in the first round and its rank are."""

    se_initial_s_s: float
    se_initial_s_a: float
    rank_low: int
    rank_high: int


def with_uncertainty(
    features: tuple[RankedFeature, ...],
    encoded: Encoded,
    settings: Settings,
    fit: Fit,
    on_note: Callable[[Note], None],
) -> tuple[RankedFeature, ...]:
    """The ranked features with their standard errors and rank intervals, which hold the ranks themselves."""
    found = measure_uncertainty(encoded, settings, fit, on_note)
    return tuple(
        replace(
            feature,
            se_initial_s_s=own.se_initial_s_s,
            se_initial_s_a=own.se_initial_s_a,
            rank_low=min(own.rank_low, feature.rank),
            rank_high=max(own.rank_high, feature.rank),
        )
        for feature in features
        for own in (found[feature.feature],)
    )


def measure_uncertainty(
    encoded: Encoded, settings: Settings, fit: Fit, on_note: Callable[[Note], None]
) -> dict[str, Uncertainty]:
    """The uncertainty of each feature, by name, for a ranking of this table."""
    check_rows(encoded.dataset, settings)
    blocks = encoded.blocks.map(_order, settings.seed)
    if blocks.here is not None:
        encoded = replace(encoded, dataset=blocks.here.dataset)
    else:
        features = tuple(sorted(encoded.dataset.features, key=lambda feature: feature.name))
        encoded = replace(encoded, dataset=replace(encoded.dataset, features=features))
    samples = _Samples(replace(encoded, blocks=blocks), settings, fit)
    ranks = samples.ranks_of_halves(on_note)
    errors = samples.jackknife_errors()
    ranks.sort(axis=0)
    columns = [*errors, ranks[OUTSIDE], ranks[-1 - OUTSIDE]]
    rows = zip(encoded.names, *(column.tolist() for column in columns), strict=True)
    return {name: Uncertainty(*own) for name, *own in rows}


def _order(block: Block, seed: int) -> Block:
    return Block(order_by_content(block.dataset, seed), number=block.number)


def check_rows(dataset: Dataset, settings: Settings) -> None:
    """Refuse a table that has too few rows to take samples of, or too many."""
    problem = None
    if dataset.rows < GROUPS:
        problem = f"needs {GROUPS} labelled rows, and there are {dataset.rows}"
    elif dataset.rows + dataset.unlabelled_rows >= _MOST_ROWS:
        problem = f"takes samples of fewer than {_MOST_ROWS:,} rows, and there are {dataset.rows:,}"
    elif SCORES[settings.score].needs_unlabelled and dataset.unlabelled_rows < 2:
        problem = "needs 2 unlabelled rows, and there is one"
    else:
        for name, own in dataset.class_rows().items():
            if own < _FEWEST_OF_A_CLASS:
                remedy = by_dropping_rare_classes(dataset, _FEWEST_OF_A_CLASS)
                problem = f"needs {_FEWEST_OF_A_CLASS} rows of each class, and {quoted(name)} has {own}"
                problem += f"; drop the class{remedy}" if remedy else ""
                break
    if problem is not None:
        raise DataError(f"{option('uncertainty', True)} {problem}", source=dataset.source)


class _Samples:
    """Samples of the rows, each of which is ranked."""

    def __init__(self, encoded: Encoded, settings: Settings, fit: Fit) -> None:
        self._encoded = encoded
        self._settings = settings
        self._fit = fit
        needs_unlabelled = SCORES[settings.score].needs_unlabelled
        starts = tuple(map(tuple, deal_starts(encoded.blocks, EVERYTHING).tolist()))
        self._series = SampleSeries(PAIRS, GROUPS, settings.seed, needs_unlabelled, starts)

    def ranks_of_halves(self, on_note: Callable[[Note], None]) -> Integers:
        """The rank of each feature in each half sample: halves × features."""
        names, settings = self._encoded.names, self._settings
        ranks = np.empty((2 * PAIRS, len(names)), dtype=np.int64)
        rounds = schedule(len(names), settings.step)
        start = monotonic()
        for number in range(2 * PAIRS):
            if number == 2:
                seconds = (monotonic() - start) * PAIRS
                if seconds > _LONG_SECONDS:
                    what = f"{2 * PAIRS} rankings of half of the rows"
                    message = f"{option('uncertainty', True)}: {what} take about {duration(seconds)}"
                    on_note(NoteKind.TIME.note(message))
            classifier = self._fit_sample(number, rounds)
            left = [
                int(current.scored[position])
                for current in eliminate(classifier, names, SCORES[settings.score], settings.step)
                for position in current.leaving
            ]
            ranks[number, left] = np.arange(len(names), 0, -1)
        return ranks

    def jackknife_errors(self) -> tuple[Floats, Floats]:
        """The standard errors of both scores of labelled rows in the first round."""
        features = len(self._encoded.names)
        scores = np.empty((2, GROUPS, features))
        for group in range(GROUPS):
            found = self._fit_sample(2 * PAIRS + group, [features]).score()
            scores[0, group], scores[1, group] = found.s_s, found.s_a
        report(STAGE, 2 * PAIRS + GROUPS, 2 * PAIRS + GROUPS, "samples")
        s_s, s_a = np.sqrt((GROUPS - 1) * scores.var(axis=1))
        return s_s, s_a

    def _fit_sample(self, number: int, rounds: Sequence[int]) -> Classifier:
        report(STAGE, number, 2 * PAIRS + GROUPS, "samples")
        return self._fit(self._encoded, self._settings, Part(sample=RandomSample(self._series, number)), rounds)
