"""How sure a ranking is: what it would be with other rows of the same kind.

The scatter of single rows' scores does not show this: all rows are scored by one model, and other rows would have given
another model. So samples of the rows are ranked anew.

- Half samples: the rows of each class are split at random into two halves, 25 times, and each half is ranked. Ranks of
  halves scatter more than those of all rows, so their intervals are cautious.
- Stability (Nogueira, Sechidis & Brown 2018): how much the first k columns of the halves agree, beyond chance. k is the
  number of columns told from noise or, where that is none or all, half of the columns.
- Jackknife (Tukey 1958): the rows are dealt at random into 20 groups, and the first round is scored without each. Of
  these scores θ_g, with mean θ̄, the standard error is √(19/20 · Σ (θ_g - θ̄)²).

Samples are drawn of distinct rows in an order that only their content decides, so that neither the order of the rows
nor whether equal rows are repeated or counted changes anything.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from probfs.classifiers.scores import SCORES
from probfs.columns.dataset import Dataset
from probfs.columns.folds import by_dropping_rare_classes, order_by_content
from probfs.errors import DataError
from probfs.ranking.candidates import Candidates, order_columns
from probfs.ranking.result import RankedFeature, Stability
from probfs.ranking.settings import Settings
from probfs.rows.blocks import EVERYTHING, Block, Part, RandomSample, SampleSeries, deal_starts
from probfs.runtime.progress import report
from probfs.screening.counting import count_part
from probfs.text import option, quoted

PAIRS = 25
GROUPS = 20
OUTSIDE = 2
"""How many of the 50 ranks lie outside an interval at either end: 46 of 50 are at least the 90 % that it promises."""
STAGE = "measuring uncertainty"
_FEWEST_OF_A_CLASS = 4
"""So that each half has two, one of which can be left out."""
_MOST_ROWS = 10**9
"""numpy draws samples of fewer rows than this."""


def with_uncertainty(
    features: tuple[RankedFeature, ...], candidates: Candidates, first: int
) -> tuple[tuple[RankedFeature, ...], Stability | None]:
    """The ranked features with their standard errors and rank intervals, which hold the ranks themselves; and how
    stable the ``first`` of them are.

    All that led to the ranking is repeated with each half. Only tests of numbers are made by their intervals there.
    """
    settings, names = candidates.settings, candidates.names
    check_rows(candidates.encoded.dataset, settings)
    ordered = candidates.encoded.with_blocks(candidates.encoded.blocks.map(_order_rows, settings.seed))
    starts = tuple(map(tuple, deal_starts(ordered.blocks, EVERYTHING).tolist()))
    series = SampleSeries(PAIRS, GROUPS, settings.seed, SCORES[settings.score].needs_unlabelled, starts)

    def take_sample(number: int) -> Candidates:
        report(STAGE, number, 2 * PAIRS + GROUPS, "samples")
        sample = RandomSample(series, number)
        counts = ordered.blocks.ask(count_part, Part(sample=sample))
        return replace(
            candidates, encoded=ordered, counts=counts, sample=sample, on_note=lambda note: None, on_model=None
        )

    ranks = np.empty((2 * PAIRS, len(names)), dtype=np.int64)
    for number in range(2 * PAIRS):
        ranks[number, order_columns(take_sample(number))] = np.arange(len(names), 0, -1)
    in_first = (ranks <= first).mean(axis=0)
    ranks.sort(axis=0)
    every = np.arange(len(names))
    scored = []
    for group in range(GROUPS):
        classifier, columns = take_sample(2 * PAIRS + group).fit(every, [len(names)])
        scores = classifier.score()
        scored.append(np.array([scores.s_s, scores.s_a])[:, np.argsort(columns)])
    report(STAGE, 2 * PAIRS + GROUPS, 2 * PAIRS + GROUPS, "samples")
    s_s, s_a = np.sqrt((GROUPS - 1) * np.array(scored).var(axis=0))
    place_of = {name: place for place, name in enumerate(names)}
    measured = []
    for feature in features:
        place = place_of[feature.feature]
        measured.append(
            replace(
                feature,
                se_initial_s_s=float(s_s[place]),
                se_initial_s_a=float(s_a[place]),
                rank_low=min(int(ranks[OUTSIDE, place]), feature.rank),
                rank_high=max(int(ranks[-1 - OUTSIDE, place]), feature.rank),
                in_first_k=float(in_first[place]),
            )
        )
    part, halves = first / len(names), 2 * PAIRS
    if part == 1:
        return tuple(measured), None
    # Nogueira, Sechidis & Brown (2018), eq. (4), for sets of the same size.
    variance = (halves / (halves - 1) * in_first * (1 - in_first)).mean()
    return tuple(measured), Stability(float(1 - variance / (part * (1 - part))), first, halves)


def _order_rows(block: Block, seed: int) -> Block:
    """The block with its distinct rows in an order that their content decides, and its features as they were."""
    ordered = order_by_content(block.dataset, seed)
    features = {feature.name: feature for feature in ordered.features}
    names = [feature.name for feature in block.dataset.features]
    return Block(replace(ordered, features=tuple(features[name] for name in names)), number=block.number)


def check_rows(dataset: Dataset, settings: Settings) -> None:
    """Refuse a table that has too few rows to take samples of, or too many."""
    problem = None
    what = "rows" if dataset.groups is None else "subjects"
    if dataset.units < GROUPS:
        labelled = "labelled rows" if dataset.groups is None else what
        problem = f"needs {GROUPS} {labelled}, and there are {dataset.units}"
    elif dataset.rows + dataset.unlabelled_rows >= _MOST_ROWS:
        problem = f"takes samples of fewer than {_MOST_ROWS:,} rows, and there are {dataset.rows:,}"
    elif SCORES[settings.score].needs_unlabelled and dataset.unlabelled_rows < 2:
        problem = "needs 2 unlabelled rows, and there is one"
    else:
        for name, units in dataset.class_units().items():
            if units < _FEWEST_OF_A_CLASS:
                remedy = by_dropping_rare_classes(dataset, _FEWEST_OF_A_CLASS)
                problem = f"needs {_FEWEST_OF_A_CLASS} {what} of each class, and {quoted(name)} has {units}"
                problem += f"; drop the class{remedy}" if remedy else ""
                break
    if problem is not None:
        raise DataError(f"{option('uncertainty', True)} {problem}", source=dataset.source)
