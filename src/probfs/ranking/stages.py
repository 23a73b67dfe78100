"""The stages from tables to a ranking. Where rows are is the business of an engine: it reads and encodes them; all that
comes after is asked of their blocks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol

import numpy as np

from probfs import __version__
from probfs.classifiers.protocol import Classifier, FitRequest
from probfs.classifiers.scores import SCORES
from probfs.columns.dataset import Dataset, ValueCounts
from probfs.columns.encode import encode
from probfs.errors import UsageError
from probfs.notes import Note
from probfs.ranking.elimination import Round, eliminate, schedule
from probfs.ranking.inputs import InputRequest, Inputs, read_inputs
from probfs.ranking.result import InputSummary, Ranking
from probfs.ranking.settings import Settings
from probfs.ranking.story import RoundCollector, gather_background
from probfs.ranking.uncertainty import check_rows, with_uncertainty
from probfs.rows.block import EVERYTHING, Block, Part, class_rows
from probfs.rows.blocks import Blocks, LocalBlocks
from probfs.runtime.progress import report
from probfs.screening.counting import count_part, numbers_before_cutting
from probfs.screening.screen import screen_part
from probfs.text import option

RANKING = "ranking"
"""The last stage; features that have left are counted, and models too by classifiers that fit many."""
OnNote = Callable[[Note], None]


@dataclass(frozen=True, eq=False)
class Encoded:
    """An encoded table: its rows in blocks, what is known of it, and the notes made on the way."""

    dataset: Dataset
    """With its rows where they are here, and with one for each class, which counts for all of them, elsewhere."""
    blocks: Blocks
    """With the numbers that features were cut from, for tests."""
    notes: tuple[Note, ...]

    @cached_property
    def names(self) -> list[str]:
        return [feature.name for feature in self.dataset.features]

    def part(self, part: Part) -> Dataset:
        """The features and rows of a part, as the dataset has them of all."""
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


class Engine(Protocol):
    """Where tables are read, and where their rows are kept."""

    def read(self, request: InputRequest) -> Inputs: ...

    def encode(self, inputs: Inputs, settings: Settings, on_note: OnNote) -> Encoded: ...


class LocalEngine:
    """Everything in this process."""

    def read(self, request: InputRequest) -> Inputs:
        return read_inputs(request)

    def encode(self, inputs: Inputs, settings: Settings, on_note: OnNote) -> Encoded:
        on_note(inputs.prepared.target_note)
        settings.model.check_columns(list(inputs.prepared.table.columns), inputs.prepared.table.source)
        report("encoding columns")
        dataset, notes = encode(inputs.prepared, inputs.unlabelled)
        # One after the other, as they are tested: all at once would take more memory than the table.
        blocks = LocalBlocks(Block(dataset, numbers_before_cutting(inputs.prepared, dataset)))
        return Encoded(dataset, blocks, announce_inputs(inputs, dataset, notes, settings, on_note))


def announce_inputs(
    inputs: Inputs, dataset: Dataset, notes: Sequence[Note], settings: Settings, on_note: OnNote
) -> tuple[Note, ...]:
    """Tell all notes made so far, those of encoding last; and refuse a dataset that lacks what the settings ask for."""
    notes = (*inputs.prepared.notes, *(note for table in inputs.unlabelled for note in table.notes), *notes)
    for note in notes:
        on_note(note)
    if SCORES[settings.score].needs_unlabelled and not dataset.unlabelled_rows:
        problem = f"{option('score', settings.score)}: there is no unlabelled row"
        ways = f"add some with {option('unlabeled', typed='FILE')}, or as rows without a value in the target"
        raise UsageError(f"{problem}; {ways}")
    if settings.uncertainty:
        check_rows(dataset, settings)
    return notes


def rank_table(
    engine: Engine, request: InputRequest, settings: Settings, on_note: OnNote, call: str | None = None
) -> Ranking:
    """Read, encode, test, eliminate. ``call`` is who asked, and said only where the ranking is to keep its background
    for a report.
    """
    inputs = engine.read(request)
    encoded = engine.encode(inputs, settings, on_note)
    settings.model.require_memory(encoded.dataset, settings.estimate, settings.folds or 0)
    report("testing columns")
    counts = encoded.blocks.ask(count_part, EVERYTHING)
    screening = screen_part(encoded.blocks, None, counts, settings.seed)
    tests = dict(zip(encoded.names, zip(screening.p.tolist(), screening.q.tolist(), strict=True), strict=True))
    background = None if call is None else gather_background(inputs.prepared, encoded.dataset, call)
    arranged = encoded.with_blocks(encoded.blocks.map(_arrange, settings))
    names, score = arranged.names, SCORES[settings.score]
    report("fitting the classifier")
    classifier = fit_classifier(arranged, settings, on_note=on_note, counts=counts)
    told = None if background is None else score
    collector = RoundCollector(names, tests, told, schedule(len(names), settings.step))
    _report_rounds(collector.follow(eliminate(classifier, names, score, settings.step), classifier), len(names))
    features = collector.features
    if settings.uncertainty:
        features = with_uncertainty(features, arranged, settings, fit_classifier, on_note)
    for note in classifier.notes:
        on_note(note)
    return Ranking(
        features,
        collector.summaries,
        summarize_inputs(inputs, encoded.dataset),
        settings,
        (*encoded.notes, *classifier.notes),
        __version__,
        None if background is None else replace(background, story=collector.story),
    )


def _arrange(block: Block, settings: Settings) -> Block:
    return Block(settings.model.arrange(block.dataset, settings.seed), number=block.number)


def _unlabelled_rows(block: Block, part: Part) -> int:
    return block.rows_of(part).unlabelled_rows


def fit_classifier(
    encoded: Encoded,
    settings: Settings,
    part: Part = EVERYTHING,
    rounds: Sequence[int] | None = None,
    on_note: OnNote | None = None,
    counts: ValueCounts | None = None,
) -> Classifier:
    """The chosen classifier, fitted to a part of an arranged table, for all rounds of the elimination or for some."""
    dataset = encoded.dataset if part is EVERYTHING else encoded.part(part)
    if not settings.model.takes_blocks:
        dataset = dataset.counted()
    return settings.model.fit(
        FitRequest(
            dataset=dataset,
            estimate=settings.estimate,
            folds=settings.folds,
            seed=settings.seed,
            rounds=schedule(len(dataset.features), settings.step) if rounds is None else rounds,
            on_note=on_note or (lambda note: None),
            on_model=None if on_note is None else lambda done, total: report(RANKING, done, total, "models"),
            counts=counts,
            blocks=encoded.blocks,
            part=part,
        )
    )


def _report_rounds(rounds: Iterator[Round], features: int) -> None:
    """Go through the rounds, and report each when it is over."""
    left = 0
    report(RANKING, left, features, "columns")
    for current in rounds:
        left += len(current.leaving)
        report(RANKING, left, features, "columns")


def summarize_inputs(inputs: Inputs, dataset: Dataset) -> InputSummary:
    """What the inputs are, once they are encoded."""
    prepared = inputs.prepared
    return InputSummary(
        source=prepared.table.source,
        target=prepared.target.name,
        target_reason=prepared.target.reason,
        classes=dataset.class_rows(),
        labelled_rows=dataset.rows,
        unlabelled_rows=dataset.unlabelled_rows,
        unlabelled_sources=tuple(table.source for table in inputs.unlabelled),
        features=len(dataset.features),
        dropped_rows=prepared.dropped_rows,
    )
