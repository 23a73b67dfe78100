"""How ``rank`` and ``select`` order the columns of an encoded table: they test each column, set aside noise and
near-copies, and eliminate the others.

This happens once with all rows, and again with samples of the rows: without each fold, or with each half.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from probfs.classifiers.protocol import Classifier, FitRequest
from probfs.classifiers.scores import SCORES
from probfs.columns.dataset import Dataset, ValueCounts
from probfs.columns.folds import order_by_content
from probfs.errors import UsageError
from probfs.notes import Note
from probfs.ranking.elimination import Round, alphabetical_ranks, eliminate, leaving_order, schedule
from probfs.ranking.settings import Settings
from probfs.rows.blocks import EVERYTHING, Block, Blocks, Part, Sample, class_rows
from probfs.screening.near_copies import NearCopies, find_near_copies
from probfs.screening.screen import q_values, screen_part
from probfs.tables.arrays import Floats, Integers
from probfs.text import option, quoted

OnNote = Callable[[Note], None]
OnModel = Callable[[int, int], None]


@dataclass(frozen=True, eq=False)
class Encoded:
    """An encoded table: its rows in blocks, what is known of it, and the notes made on the way."""

    dataset: Dataset
    """Where rows are on a cluster, it has one row for each class, which counts for all rows of the class."""
    blocks: Blocks
    """They also hold the numbers that features were cut from, for tests."""
    notes: tuple[Note, ...]

    @cached_property
    def names(self) -> list[str]:
        return [feature.name for feature in self.dataset.features]

    def positions(self, names: Sequence[str]) -> tuple[int, ...]:
        """The positions of these features, each of which must not have become part of a pair."""
        for name in names:
            if name not in self.names:
                problem = f"{quoted(name)} is part of a pair of {option('join')}; keep one of the two"
                raise UsageError(f"{option('always')}: {problem}")
        return tuple(self.names.index(name) for name in names)

    def part(self, part: Part) -> Dataset:
        """The dataset of a part of the features and rows."""
        if part is EVERYTHING:
            return self.dataset
        if self.blocks.here is not None:
            return self.blocks.here.rows_of(part)
        features = self.dataset.features
        if part.features is not None:
            features = tuple(features[place] for place in part.features.tolist())
        unlabelled = np.array([self.blocks.ask(_unlabelled_rows, part)])
        counts = self.blocks.ask(class_rows, part)
        return replace(self.dataset, features=features, counts=counts, unlabelled_counts=unlabelled)

    def with_blocks(self, blocks: Blocks) -> Encoded:
        """The same table with its rows in other blocks."""
        return replace(self, blocks=blocks, dataset=self.dataset if blocks.here is None else blocks.here.dataset)


def _unlabelled_rows(block: Block, part: Part) -> int:
    return block.rows_of(part).unlabelled_rows


@dataclass(frozen=True, eq=False)
class Screened:
    """What tests say of the columns, which are named by their positions in the table."""

    p: Floats
    """NaN for columns that are never tested."""
    q: Floats
    taking_part: Integers
    """The columns that are eliminated one by one."""
    repeats: dict[int, int]
    """Each near-copy with the column that takes part in its place; by p and name."""
    noise: tuple[int, ...]
    """Columns that cannot be told from noise, by p and name."""
    copies: NearCopies = ()

    @property
    def leaving_first(self) -> list[int]:
        """The columns that leave before the elimination, the first one first."""
        return [*reversed(self.noise), *reversed(self.repeats)]


@dataclass(frozen=True, eq=False)
class Candidates:
    """Columns, and the rows by which they are judged."""

    encoded: Encoded
    counts: ValueCounts
    """Of these rows."""
    settings: Settings
    always: tuple[int, ...] = ()
    """Columns, by position, that are neither screened nor eliminated."""
    copies: NearCopies | None = None
    """Groups of columns that are nearly the same; None where they are yet to be found."""
    sample: Sample | None = None
    """Which of the rows; None for all."""
    on_note: OnNote = lambda note: None
    on_model: OnModel | None = None
    """For a classifier that fits many models."""
    times: int = 1
    """How many eliminations will run in all, to tell how many models will be fitted."""

    @property
    def names(self) -> list[str]:
        return self.encoded.names

    def fit(self, features: Integers, rounds: Sequence[int] | None = None) -> tuple[Classifier, Integers]:
        """Fit a classifier to some columns, and return it with these columns in its own order. ``rounds`` says how many
        columns each round will have: by default, the rounds are those of an elimination.
        """
        settings, everything = self.settings, len(features) == len(self.names) and self.sample is None
        part = EVERYTHING if everything else Part(features, self.sample)
        dataset, order = self.encoded.part(part), features
        if not settings.model.takes_blocks:
            dataset = order_by_content(dataset, settings.seed)
            position = {self.names[place]: place for place in features.tolist()}
            order = np.array([position[feature.name] for feature in dataset.features], dtype=np.int64)
        classifier = settings.model.fit(
            FitRequest(
                dataset=dataset,
                estimate=settings.estimate,
                folds=settings.folds_of_estimate(dataset.units),
                seed=settings.seed,
                rounds=schedule(len(features), settings.step) * self.times if rounds is None else rounds,
                on_note=self.on_note,
                on_model=self.on_model,
                counts=self.counts if everything else self.counts.of_features(order),
                blocks=self.encoded.blocks,
                part=part,
            )
        )
        return classifier, order

    def screen(self) -> Screened:
        """Test all columns, and set aside noise and near-copies: the other columns take part in the elimination."""
        settings = self.settings
        encoded, counts = self.encoded, self.counts
        p = screen_part(encoded.blocks, encoded.dataset, self.sample, counts, settings.seed)
        p[list(self.always)] = np.nan
        tested = ~np.isnan(p)
        q = np.full(len(p), np.nan)
        q[tested] = q_values(p[tested])
        is_noise = np.zeros(len(p), dtype=np.bool_)
        if settings.screen and not settings.model.sees_columns_together:
            is_noise = q > settings.noise_above
        survivors = self._by_p(p, np.flatnonzero(~is_noise).tolist())
        copies = self.copies
        if copies is None:
            alone = [place for place in survivors if place not in counts.members]
            copies = find_near_copies(encoded.blocks, encoded.dataset, counts, alone) if settings.screen else ()
        # Of near-copies, the one that is always kept takes part, or else the one with the smallest p.
        group_of = {place: number for number, group in enumerate(copies) for place in group}
        first: dict[int, int] = {}
        repeats = {}
        for place in survivors:
            group = group_of.get(place)
            if group is not None and first.setdefault(group, place) != place and place not in self.always:
                repeats[place] = first[group]
        taking_part = np.array(sorted(set(survivors).difference(repeats)), dtype=np.int64)
        return Screened(p, q, taking_part, repeats, tuple(self._by_p(p, np.flatnonzero(is_noise).tolist())), copies)

    def _by_p(self, p: Floats, columns: Iterable[int]) -> list[int]:
        # Columns that are always kept have no p, and come first. Equal p-values may differ by rounding.
        known = np.nan_to_num(p, nan=-1.0)
        return sorted(columns, key=lambda place: (float(f"{known[place]:.12g}"), self.names[place]))


# Rounds, in which columns are named by their positions in the table


def first_round(candidates: Candidates, screened: Screened) -> Iterator[Round]:
    """The round of all columns. Columns that were set aside leave in it; without elimination, all columns leave. Where
    no column was set aside, the elimination itself begins with all columns, and there is no such round.
    """
    score, step = SCORES[candidates.settings.score], candidates.settings.step
    if not screened.leaving_first and step is not None:
        return
    classifier, columns = candidates.fit(np.arange(len(candidates.names)), [len(candidates.names)])
    scores = classifier.score()
    place_of = np.argsort(columns)
    leaving = place_of[screened.leaving_first].tolist()
    if step is None:
        gone = frozenset(leaving)
        others = leaving_order(scores, score, alphabetical_ranks(candidates.names)[columns], len(columns))
        last = frozenset(place_of[list(candidates.always)].tolist())
        leaving += sorted((place for place in others if place not in gone), key=last.__contains__)
    yield Round(1, columns, scores, tuple(leaving), classifier)


def rounds_of(
    candidates: Candidates, screened: Screened, fitted: tuple[Classifier, Integers] | None = None
) -> Iterator[Round]:
    """The rounds in which the columns that take part are eliminated. The model is of these columns alone; it may have
    been ``fitted`` before.
    """
    settings = candidates.settings
    if settings.step is None or not len(screened.taking_part):
        return
    classifier, columns = fitted or candidates.fit(screened.taking_part)
    names = [candidates.names[place] for place in columns.tolist()]
    protected = np.flatnonzero(np.isin(columns, candidates.always)).tolist()
    before = bool(screened.leaving_first)
    for current in eliminate(classifier, names, SCORES[settings.score], settings.step, protected):
        yield replace(current, number=current.number + before, active=columns[current.active])


def order_columns(candidates: Candidates) -> Integers:
    """All columns, by position, the first to leave first."""
    screened = candidates.screen()
    rounds = first_round if candidates.settings.step is None else rounds_of
    left = [current.active[list(current.leaving)] for current in rounds(candidates, screened)]
    aside = [] if candidates.settings.step is None else screened.leaving_first
    return np.concatenate([np.array(aside, dtype=np.int64), *left])
