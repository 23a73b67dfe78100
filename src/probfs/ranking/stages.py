"""The stages from tables to a ranking. Where rows are is the business of an engine: it reads and encodes them; all that
comes after is asked of their blocks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
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
from probfs.ranking.result import InputSummary, Ranking, collect
from probfs.ranking.settings import Settings
from probfs.ranking.story import StoryRecorder, gather_background
from probfs.ranking.uncertainty import check_rows, with_uncertainty
from probfs.rows.block import EVERYTHING, Block, Part, class_rows
from probfs.rows.blocks import Blocks, LocalBlocks
from probfs.runtime.progress import report
from probfs.screening.counting import count_part, numbers_before_cutting
from probfs.screening.screen import screen_part
from probfs.text import option

RANKING = "ranking"
"""The last stage; features that have left are counted, and models too by classifiers that fit many."""


def _ignore(note: Note) -> None:
    pass


@dataclass(frozen=True)
class Listeners:
    """Who is told of notes as they come."""

    on_note: Callable[[Note], None] = _ignore


@dataclass(frozen=True, eq=False)
class Encoded:
    """An encoded table: its rows in blocks, what is known of it, and the notes made on the way."""

    dataset: Dataset
    """With its rows where they are here, and with one for each class, which counts for all of them, elsewhere."""
    blocks: Blocks
    """With the numbers that features were cut from, for tests."""
    notes: tuple[Note, ...]

    @property
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


class Engine(Protocol):
    """Where tables are read, and where their rows are kept."""

    def read(self, request: InputRequest) -> Inputs: ...

    def encode(self, inputs: Inputs, settings: Settings, listeners: Listeners) -> Encoded: ...


class LocalEngine:
    """Everything in this process."""

    def read(self, request: InputRequest) -> Inputs:
        return read_inputs(request)

    def encode(self, inputs: Inputs, settings: Settings, listeners: Listeners) -> Encoded:
        listeners.on_note(inputs.prepared.target_note)
        settings.model.check_columns(list(inputs.prepared.table.columns), inputs.prepared.table.source)
        report("encoding columns")
        dataset, notes = encode(inputs.prepared, inputs.unlabelled)
        # One after the other, as they are tested: all at once would take more memory than the table.
        blocks = LocalBlocks(Block(dataset, numbers_before_cutting(inputs.prepared, dataset)))
        return Encoded(dataset, blocks, announce_inputs(inputs, dataset, notes, settings, listeners))


def announce_inputs(
    inputs: Inputs, dataset: Dataset, notes: Sequence[Note], settings: Settings, listeners: Listeners
) -> tuple[Note, ...]:
    """Tell all notes made so far, those of encoding last; and refuse a dataset that lacks what the settings ask for."""
    notes = (*inputs.prepared.notes, *(note for table in inputs.unlabelled for note in table.notes), *notes)
    for note in notes:
        listeners.on_note(note)
    if SCORES[settings.score].needs_unlabelled and not dataset.unlabelled_rows:
        problem = f"{option('score', settings.score)}: there is no unlabelled row"
        ways = f"add some with {option('unlabeled', typed='FILE')}, or as rows without a value in the target"
        raise UsageError(f"{problem}; {ways}")
    if settings.uncertainty:
        check_rows(dataset, settings)
    return notes


def rank_table(
    engine: Engine, request: InputRequest, settings: Settings, listeners: Listeners, call: str | None = None
) -> Ranking:
    """Read, encode, test, eliminate. ``call`` is who asked, and said only where the ranking is to keep its background
    for a report.
    """
    inputs = engine.read(request)
    encoded = engine.encode(inputs, settings, listeners)
    settings.model.require_memory(encoded.dataset, settings.estimate, settings.folds or 0)
    report("testing columns")
    counts = encoded.blocks.ask(count_part, EVERYTHING)
    screening = screen_part(encoded.blocks, None, counts, settings.seed)
    tests = dict(zip(encoded.names, zip(screening.p.tolist(), screening.q.tolist(), strict=True), strict=True))
    background = gather_background(inputs.prepared, encoded.dataset, call) if call is not None else None
    arranged = arrange_rows(encoded, settings)
    report("fitting the classifier")
    classifier = fit_classifier(arranged, settings, listeners=listeners, counts=counts)
    rounds = _reported(eliminate_features(classifier, arranged.names, settings), arranged.names)
    recorder = None if background is None else StoryRecorder(SCORES[settings.score], settings.step)
    heard = rounds if recorder is None else recorder.follow(rounds, classifier)
    features, summaries = collect(heard, arranged.names, tests)
    if settings.uncertainty:
        features = with_uncertainty(features, arranged, settings, fit_classifier, listeners.on_note)
    for note in classifier.notes:
        listeners.on_note(note)
    if background is not None and recorder is not None:
        background = replace(background, story=recorder.story)
    notes = (*encoded.notes, *classifier.notes)
    return Ranking(
        features, summaries, summarize_inputs(inputs, encoded.dataset), settings, notes, __version__, background
    )


def arrange_rows(encoded: Encoded, settings: Settings) -> Encoded:
    """The rows in the order that the classifier wants, and equal ones merged where it wants that."""
    blocks = encoded.blocks.map(_arrange, settings)
    return replace(encoded, blocks=blocks, dataset=encoded.dataset if blocks.here is None else blocks.here.dataset)


def _arrange(block: Block, settings: Settings) -> Block:
    return Block(settings.model.arrange(block.dataset, settings.seed), number=block.number)


def _unlabelled_rows(block: Block, part: Part) -> int:
    return block.rows_of(part).unlabelled_rows


def fit_classifier(
    encoded: Encoded,
    settings: Settings,
    part: Part = EVERYTHING,
    rounds: Sequence[int] | None = None,
    listeners: Listeners | None = None,
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
            on_note=_ignore if listeners is None else listeners.on_note,
            on_model=None if listeners is None else _report_model,
            counts=counts,
            blocks=encoded.blocks,
            part=part,
        )
    )


def eliminate_features(classifier: Classifier, names: Sequence[str], settings: Settings) -> Iterator[Round]:
    """The rounds of the elimination."""
    return eliminate(classifier, names, SCORES[settings.score], settings.step)


def _report_model(done: int, total: int) -> None:
    report(RANKING, done, total, "models")


def _reported(rounds: Iterator[Round], names: Sequence[str]) -> Iterator[Round]:
    """The rounds; each is reported when it is over."""
    report(RANKING, 0, len(names), "features")
    for current in rounds:
        yield current
        left = len(names) - len(current.active) + len(current.leaving)
        report(RANKING, left, len(names), "features")


def summarize_inputs(inputs: Inputs, dataset: Dataset) -> InputSummary:
    """What the inputs are, once they are encoded."""
    return InputSummary(
        source=inputs.prepared.table.source,
        target=inputs.prepared.target.name,
        target_reason=inputs.prepared.target.reason,
        classes=dataset.class_rows(),
        labelled_rows=dataset.rows,
        unlabelled_rows=dataset.unlabelled_rows,
        unlabelled_sources=tuple(table.source for table in inputs.unlabelled),
        features=len(dataset.features),
        dropped_rows=inputs.prepared.dropped_rows,
    )
