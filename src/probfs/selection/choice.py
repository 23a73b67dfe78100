"""The choice of columns from one set of rows: screen, eliminate, cut.

It is made once from all rows, and again without each fold for the honest estimate.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from probfs.classifiers.options import DEFAULT_FOLDS
from probfs.classifiers.protocol import FitRequest, OddsClassifier
from probfs.classifiers.row_odds import Moments, least_probability
from probfs.classifiers.scores import SCORES
from probfs.columns.dataset import Dataset, ValueCounts
from probfs.notes import Note
from probfs.ranking.elimination import schedule
from probfs.ranking.result import RankedFeature, RoundCollector, RoundSummary
from probfs.ranking.story import StoryRecorder
from probfs.screening.false_discoveries import q_values
from probfs.selection.curve import Curve, CurvePoint, EliminatedFeature, losses_along, trace_curve
from probfs.selection.cut import choose_size
from probfs.selection.rows import SelectionRows
from probfs.selection.settings import SelectionSettings
from probfs.tables.arrays import Floats, Integers

if TYPE_CHECKING:
    from probfs.classifiers.naive_bayes.grouping import RowStore


@dataclass(frozen=True, eq=False)
class Candidates:
    """What can be chosen from: a table's labelled rows, and what is known of its columns."""

    rows: SelectionRows
    always: tuple[int, ...]
    """Columns, by position, that are neither screened nor eliminated."""
    settings: SelectionSettings
    copies: tuple[tuple[int, ...], ...] = ()
    """Groups of columns, by position, that divide the rows in the same way."""

    @property
    def dataset(self) -> Dataset:
        return self.rows.dataset

    def represented(self, survivors: Integers) -> dict[int, int]:
        """The survivors that are copies, each with the one survivor that stands for all: one that is always kept, else
        the first by name. Columns that are always kept stand for themselves.
        """
        instead = {}
        surviving = set(survivors.tolist())
        for group in self.copies:
            own = sorted(surviving.intersection(group), key=lambda place: self.dataset.features[place].name)
            by_request = [place for place in own if place in self.always]
            first = (by_request or own)[:1]
            instead.update({place: first[0] for place in own if place not in (*first, *by_request)})
        return instead


@dataclass(frozen=True, eq=False)
class Choice:
    """The columns that were chosen, and how. Columns are named by their positions in the dataset."""

    p: Floats
    """NaN for columns that are never screened."""
    q: Floats
    curve: Curve
    """Of the survivors of the screen that are no copies."""
    size: int
    """How many of them are kept."""
    copies: dict[int, int]
    """The other survivors, each with the column that it is a copy of."""
    counts: ValueCounts
    notes: tuple[Note, ...]
    ranked: tuple[RankedFeature, ...]
    """The survivors that are no copies, as the elimination ranked them."""
    rounds: tuple[RoundSummary, ...]

    @property
    def kept(self) -> list[int]:
        """Best first."""
        return [own.feature for own in self.curve.order[: self.size]]


def choose_columns(
    candidates: Candidates,
    counts: ValueCounts | None = None,
    on_model: Callable[[int, int], None] | None = None,
    recorder: StoryRecorder | None = None,
) -> Choice:
    """Screen all columns, eliminate the survivors, and cut. ``counts`` are those of all columns, where they are known;
    ``on_model`` is for a classifier that fits many models, and ``recorder`` hears of the elimination.

    Of copies only one takes part in the elimination: two would each make the other dispensable, and count double.
    """
    counts = candidates.rows.count_values() if counts is None else counts
    p, q = _screen(candidates, counts)
    survivors = np.flatnonzero(~(q > candidates.settings.false_discoveries))
    copies = candidates.represented(survivors)
    table = _Survivors(candidates, survivors[~np.isin(survivors, list(copies))], counts)
    classifier = table.fit(on_model=on_model)
    collector = RoundCollector(table.names, table.tests(p, q))
    score = SCORES[candidates.settings.score]
    curve = trace_curve(classifier, table.names, score, table.always, collector.add, recorder)
    size = choose_size(curve.points, candidates.settings.keep, len(candidates.always), partial(table.compare, curve))
    order = tuple(replace(own, feature=table.position(own)) for own in curve.order)
    return Choice(p, q, replace(curve, order=order), size, copies, counts, classifier.notes, *collector.finish())


def fit_odds_classifier(
    dataset: Dataset,
    counts: ValueCounts,
    settings: SelectionSettings,
    on_model: Callable[[int, int], None] | None = None,
    store: RowStore | None = None,
) -> OddsClassifier:
    """The chosen classifier of all features of a dataset, whose counts are known; ``store`` has the rows, if the
    dataset has not.
    """
    classifier = settings.model.fit(
        FitRequest(
            dataset=dataset,
            estimate=settings.estimate,
            folds=min(DEFAULT_FOLDS, dataset.rows) if settings.estimate == "cv" else None,
            seed=settings.seed,
            rounds=schedule(len(dataset.features), 1),
            on_note=lambda note: None,
            on_model=on_model,
            counts=counts,
            store=store,
        )
    )
    assert isinstance(classifier, OddsClassifier)
    return classifier


def _screen(candidates: Candidates, counts: ValueCounts) -> tuple[Floats, Floats]:
    """The p-values and q-values of all columns; NaN for those that are never screened, among which none is false."""
    settings = candidates.settings
    if settings.model.sees_columns_together:
        untested = np.full(len(candidates.dataset.features), np.nan)
        return untested, untested
    p = candidates.rows.test_features(counts, settings.seed).copy()
    p[list(candidates.always)] = np.nan
    screened = ~np.isnan(p)
    q = np.full(len(p), np.nan)
    q[screened] = q_values(p[screened])
    return p, q


class _Survivors:
    """The columns that survived the screen as a table of their own, arranged as the classifier wants it."""

    def __init__(self, candidates: Candidates, survivors: Integers, counts: ValueCounts) -> None:
        """``survivors`` are positions in the whole table, and ``counts`` those of the whole table."""
        self._rows = candidates.rows
        self._settings = candidates.settings
        every = candidates.dataset.features
        self._dataset = self._rows.arrange(survivors, self._settings)
        self.names = [feature.name for feature in self._dataset.features]
        positions = {every[position].name: int(position) for position in survivors}
        self._positions = np.array([positions[name] for name in self.names], dtype=np.int64)
        self._counts = counts
        self.always = np.flatnonzero(np.isin(self._positions, candidates.always)).tolist()

    def position(self, eliminated: EliminatedFeature) -> int:
        """Where a feature of this table stands in the whole table."""
        return int(self._positions[eliminated.feature])

    def tests(self, p: Floats, q: Floats) -> dict[str, tuple[float | None, float | None]]:
        """p and q of each feature of this table, by name, from those of the whole table; None if it was not tested."""
        own = zip(self.names, p[self._positions].tolist(), q[self._positions].tolist(), strict=True)
        return {name: (None, None) if math.isnan(own_p) else (own_p, own_q) for name, own_p, own_q in own}

    def fit(
        self, features: Sequence[int] | None = None, on_model: Callable[[int, int], None] | None = None
    ) -> OddsClassifier:
        """A classifier of all features of this table, or of some."""
        places = np.arange(len(self.names)) if features is None else np.array(features, dtype=np.int64)
        dataset = replace(self._dataset, features=tuple(self._dataset.features[place] for place in places))
        counts = self._counts.of_features(self._positions[places])
        store = self._rows.store(self._positions[places], counts)
        return fit_odds_classifier(dataset, counts, self._settings, on_model, store)

    def compare(self, curve: Curve, best: CurvePoint) -> Iterator[tuple[CurvePoint, Moments]]:
        """How much more than at one point of the curve the rows lose at each point, on average.

        Unless the odds were kept, the elimination is gone through once more: the losses of all rows at all points would
        take more memory than the table.
        """
        kept = [own.feature for own in curve.order[: best.features]]
        odds = curve.odds[best.features] if curve.odds else self.fit(kept).odds()
        least_losses = odds.losses(best.temperature, least_probability(odds.rows))
        for point, losses in losses_along(curve, self.fit):
            yield point, losses.minus(least_losses)
