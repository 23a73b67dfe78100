"""The choice of columns from one set of rows: screen, eliminate, cut.

It is made once from all rows, and again without each fold.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from probfs.classifiers.options import DEFAULT_FOLDS
from probfs.classifiers.protocol import FitRequest, OddsClassifier
from probfs.classifiers.scores import SCORES
from probfs.columns.dataset import ValueCounts
from probfs.ranking.elimination import schedule
from probfs.ranking.stages import Encoded
from probfs.ranking.story import RoundCollector
from probfs.rows.block import Part, Sample
from probfs.screening.screen import q_values, screen_part
from probfs.selection.curve import Curve, choose_size, compare_sizes, trace_curve
from probfs.selection.settings import SelectionSettings
from probfs.tables.arrays import Floats, Integers

OnModel = Callable[[int, int], None]


@dataclass(frozen=True, eq=False)
class Candidates:
    """What can be chosen from: columns, and the labelled rows by which they are judged."""

    encoded: Encoded
    counts: ValueCounts
    """Of these rows."""
    always: tuple[int, ...]
    """Columns, by position, that are neither screened nor eliminated."""
    settings: SelectionSettings
    copies: tuple[tuple[int, ...], ...] = ()
    """Groups of columns, by position, that divide the rows in the same way."""
    sample: Sample | None = None
    """Which of the rows; None for all."""

    @property
    def names(self) -> list[str]:
        return self.encoded.names

    def fit(
        self, features: Integers, on_model: OnModel | None = None, repeats: int = 1
    ) -> tuple[OddsClassifier, Integers]:
        """A classifier of some columns, and the columns in the order that it has them in.

        ``repeats`` says how many classifiers like it are fitted in all.
        """
        settings, part = self.settings, Part(features, self.sample)
        dataset, order = self.encoded.part(part), features
        if not settings.model.takes_blocks:
            dataset = settings.model.arrange(dataset, settings.seed)
            position = {self.names[place]: place for place in features.tolist()}
            order = np.array([position[feature.name] for feature in dataset.features], dtype=np.int64)
        classifier = settings.model.fit(
            FitRequest(
                dataset=dataset,
                estimate=settings.estimate,
                folds=min(DEFAULT_FOLDS, dataset.rows) if settings.estimate == "cv" else None,
                seed=settings.seed,
                rounds=schedule(len(features), 1) * repeats,
                on_note=lambda note: None,
                on_model=on_model,
                counts=self.counts.of_features(order),
                blocks=self.encoded.blocks,
                part=part,
            )
        )
        assert isinstance(classifier, OddsClassifier)
        return classifier, order


@dataclass(frozen=True, eq=False)
class Choice:
    """The columns that were chosen, and how. Columns are named by their positions in the table."""

    p: Floats
    """NaN for columns that are never screened."""
    q: Floats
    curve: Curve
    """Of the survivors of the screen that are no copies."""
    size: int
    """How many of them are kept."""
    copies: dict[int, int]
    """The other survivors, each with the column that it is a copy of."""
    classifier: OddsClassifier
    collector: RoundCollector
    """What the elimination says of the survivors that are no copies."""

    @property
    def kept(self) -> list[int]:
        """Best first."""
        return list(self.curve.order[: self.size])


def choose_columns(
    candidates: Candidates, on_model: OnModel | None = None, *, tell: bool = False, repeats: int = 1
) -> Choice:
    """Screen all columns, eliminate the survivors, and cut. ``on_model`` is for a classifier that fits many models;
    ``tell`` keeps the story of the elimination, and ``repeats`` says how many such choices are made in all.

    Of copies only one takes part in the elimination: two would each make the other dispensable, and count double.
    """
    settings, score = candidates.settings, SCORES[candidates.settings.score]
    p, q = _screen(candidates)
    survivors = np.flatnonzero(~(q > settings.false_discoveries))
    copies = _represented(candidates, survivors)
    classifier, columns = candidates.fit(survivors[~np.isin(survivors, list(copies))], on_model, repeats)
    names = [candidates.names[place] for place in columns.tolist()]
    tested = zip(names, p[columns].tolist(), q[columns].tolist(), strict=True)
    tests = {name: (None, None) if math.isnan(own_p) else (own_p, own_q) for name, own_p, own_q in tested}
    collector = RoundCollector(names, tests, score if tell else None, schedule(len(names), 1))
    protected = np.flatnonzero(np.isin(columns, candidates.always)).tolist()
    curve = trace_curve(classifier, names, score, protected, collector)
    size = choose_size(
        curve.sizes,
        settings.keep,
        len(candidates.always),
        lambda best: compare_sizes(curve, best, lambda: candidates.fit(columns)[0]),
    )
    order = tuple(int(columns[place]) for place in curve.order)
    return Choice(p, q, replace(curve, order=order), size, copies, classifier, collector)


def _represented(candidates: Candidates, survivors: Integers) -> dict[int, int]:
    """The survivors that are copies, each with the one survivor that stands for all: one that is always kept, else the
    first by name. Columns that are always kept stand for themselves.
    """
    instead = {}
    surviving = set(survivors.tolist())
    for group in candidates.copies:
        members = sorted(surviving.intersection(group), key=lambda place: candidates.names[place])
        by_request = [place for place in members if place in candidates.always]
        first = (by_request or members)[:1]
        instead.update({place: first[0] for place in members if place not in (*first, *by_request)})
    return instead


def _screen(candidates: Candidates) -> tuple[Floats, Floats]:
    """The p-values and q-values of all columns; NaN for those that are never screened, among which none is false."""
    settings, encoded = candidates.settings, candidates.encoded
    if settings.model.sees_columns_together:
        untested = np.full(len(encoded.dataset.features), np.nan)
        return untested, untested
    p = screen_part(encoded.blocks, candidates.sample, candidates.counts, settings.seed).p.copy()
    p[list(candidates.always)] = np.nan
    screened = ~np.isnan(p)
    q = np.full(len(p), np.nan)
    q[screened] = q_values(p[screened])
    return p, q
