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

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from time import monotonic

import numpy as np

from probfs.classifiers.protocol import Classifier
from probfs.classifiers.scores import SCORES
from probfs.columns.dataset import Dataset
from probfs.columns.folds import by_dropping_rare_classes, deal, order_by_content
from probfs.errors import DataError
from probfs.notes import Note, NoteKind
from probfs.ranking.elimination import eliminate, schedule
from probfs.ranking.settings import Settings
from probfs.runtime.progress import report
from probfs.tables.arrays import Floats, Integers, Labels
from probfs.text import duration, option, quoted

Fit = Callable[[Dataset, Sequence[int]], Classifier]
"""Fits the classifier of a ranking to some rows, for rounds of so many features."""

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


@dataclass(frozen=True)
class Uncertainty:
    """How sure a feature's scores in the first round and its rank are."""

    se_initial_s_s: float
    se_initial_s_a: float
    rank_low: int
    rank_high: int


def measure_uncertainty(
    dataset: Dataset, settings: Settings, fit: Fit, on_note: Callable[[Note], None]
) -> dict[str, Uncertainty]:
    """The uncertainty of each feature, by name, for a ranking of this dataset."""
    check_rows(dataset, settings)
    rows = order_by_content(dataset, settings.seed)
    names = [feature.name for feature in rows.features]
    generator = np.random.default_rng(settings.seed)
    ranks = _ranks_of_halves(rows, names, settings, fit, generator, on_note)
    errors = _jackknife_errors(rows, fit, generator)
    ranks.sort(axis=0)
    columns = [*errors, ranks[OUTSIDE], ranks[-1 - OUTSIDE]]
    return {name: Uncertainty(*own) for name, *own in zip(names, *(column.tolist() for column in columns), strict=True)}


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


def _ranks_of_halves(
    rows: Dataset,
    names: Sequence[str],
    settings: Settings,
    fit: Fit,
    generator: np.random.Generator,
    on_note: Callable[[Note], None],
) -> Integers:
    """The rank of each feature in each half sample: halves × features."""
    score = SCORES[settings.score]
    ranks = np.empty((2 * PAIRS, len(names)), dtype=np.int64)
    rounds = schedule(len(names), settings.step)
    start = monotonic()
    for number, half in enumerate(_halves(rows, generator, score.needs_unlabelled)):
        if number == 2:
            seconds = (monotonic() - start) * PAIRS
            if seconds > _LONG_SECONDS:
                what = f"{2 * PAIRS} rankings of half of the rows"
                message = f"{option('uncertainty', True)}: {what} take about {duration(seconds)}"
                on_note(NoteKind.TIME.note(message))
        report(STAGE, number, 2 * PAIRS + GROUPS, "samples")
        left = [
            int(current.scored[position])
            for current in eliminate(fit(half, rounds), names, score, settings.step)
            for position in current.leaving
        ]
        ranks[number, left] = np.arange(len(names), 0, -1)
    return ranks


def _jackknife_errors(rows: Dataset, fit: Fit, generator: np.random.Generator) -> tuple[Floats, Floats]:
    """The standard errors of both scores of labelled rows in the first round."""
    labelled = _take(rows, rows.counts, None)
    scores = np.empty((2, GROUPS, len(rows.features)))
    for number, group in enumerate(_deal_at_random(rows.labels, rows.counts, GROUPS, generator)):
        report(STAGE, 2 * PAIRS + number, 2 * PAIRS + GROUPS, "samples")
        found = fit(_take(labelled, rows.counts - group, None), [len(rows.features)]).score()
        scores[0, number], scores[1, number] = found.s_s, found.s_a
    report(STAGE, 2 * PAIRS + GROUPS, 2 * PAIRS + GROUPS, "samples")
    s_s, s_a = np.sqrt((GROUPS - 1) * scores.var(axis=1))
    return s_s, s_a


def _halves(rows: Dataset, generator: np.random.Generator, with_unlabelled: bool) -> Iterator[Dataset]:
    no_class = np.zeros(len(rows.unlabelled_counts), dtype=np.int8)
    for _ in range(PAIRS):
        halves = _deal_at_random(rows.labels, rows.counts, 2, generator)
        others: Sequence[Integers | None] = (None, None)
        if with_unlabelled:
            others = _deal_at_random(no_class, rows.unlabelled_counts, 2, generator)
        for own, unlabelled in zip(halves, others, strict=True):
            yield _take(rows, own, unlabelled)


def _deal_at_random(labels: Labels, counts: Integers, groups: int, generator: np.random.Generator) -> list[Integers]:
    """How many copies of each row fall to each of several groups, when those of each class are dealt out at random."""
    members = [np.flatnonzero(labels == label) for label in range(int(labels.max(initial=-1)) + 1)]
    sizes = deal(np.array([counts[own].sum() for own in members], dtype=np.int64), groups)
    left = counts.astype(np.int64)
    dealt = []
    for group in range(groups):
        taken = np.zeros(len(counts), dtype=np.int64)
        for label, own in enumerate(members):
            taken[own] = generator.multivariate_hypergeometric(left[own], sizes[group, label], method="marginals")
        left = left - taken
        dealt.append(taken)
    return dealt


def _take(rows: Dataset, counts: Integers, unlabelled_counts: Integers | None) -> Dataset:
    """The dataset with each row so many times, and without the unlabelled rows where they have no counts."""
    own = np.flatnonzero(counts)
    others = np.empty(0, dtype=np.intp) if unlabelled_counts is None else np.flatnonzero(unlabelled_counts)
    return replace(
        rows,
        features=tuple(replace(f, labelled=f.labelled[own], unlabelled=f.unlabelled[others]) for f in rows.features),
        labels=rows.labels[own],
        counts=counts[own],
        unlabelled_counts=np.empty(0, np.int64) if unlabelled_counts is None else unlabelled_counts[others],
    )
