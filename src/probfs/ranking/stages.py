"""The stages from a file to its ranking, one function each, for ``probfs.rank`` and for commands that need some."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from probfs import __version__
from probfs.classifiers.protocol import Classifier, FitRequest
from probfs.classifiers.scores import SCORES
from probfs.columns.dataset import Dataset
from probfs.columns.encode import encode
from probfs.columns.prepare import PreparedTable
from probfs.errors import UsageError
from probfs.notes import Note
from probfs.ranking.elimination import Round, eliminate, schedule
from probfs.ranking.inputs import Inputs
from probfs.ranking.result import InputSummary, RankedFeature, Ranking, collect
from probfs.ranking.settings import Settings
from probfs.runtime.progress import report
from probfs.screening.cut_numbers import numbers_before_cutting
from probfs.screening.screen import screen
from probfs.text import option

if TYPE_CHECKING:
    from probfs.classifiers.naive_bayes.grouping import RowStore

RANKING = "ranking"
"""The last stage; features that have left are counted, and models too by classifiers that fit many."""


def _ignore(note: Note) -> None:
    pass


@dataclass(frozen=True)
class Listeners:
    """Who is told of notes, finished rounds and fitted models as they come."""

    on_note: Callable[[Note], None] = _ignore
    on_round: Callable[[Round], None] | None = None
    on_model: Callable[[int, int], None] | None = None
    on_assumed_target: Callable[[PreparedTable], None] | None = None
    """Told of a table whose target nobody named."""


@dataclass(frozen=True, eq=False)
class EncodedInputs:
    """A dataset, and the notes made on the way."""

    dataset: Dataset
    notes: tuple[Note, ...]

    @property
    def names(self) -> list[str]:
        return [feature.name for feature in self.dataset.features]


def encode_rows(inputs: Inputs, settings: Settings, listeners: Listeners) -> EncodedInputs:
    """Encode all rows, in their order."""
    listeners.on_note(inputs.prepared.target_note)
    settings.model.check_columns(list(inputs.prepared.table.columns), inputs.prepared.table.source)
    report("encoding columns")
    dataset, notes = encode(inputs.prepared, inputs.unlabelled)
    return announce_inputs(inputs, dataset, notes, settings, listeners)


def announce_inputs(
    inputs: Inputs, dataset: Dataset, notes: Sequence[Note], settings: Settings, listeners: Listeners
) -> EncodedInputs:
    """Tell all notes made so far, those of encoding last; and refuse a dataset that lacks what the settings ask for."""
    notes = (*inputs.prepared.notes, *(note for table in inputs.unlabelled for note in table.notes), *notes)
    for note in notes:
        listeners.on_note(note)
    if SCORES[settings.score].needs_unlabelled and not dataset.unlabelled_rows:
        problem = f"{option('score', settings.score)}: there is no unlabelled row"
        ways = f"add some with {option('unlabeled', typed='FILE')}, or as rows without a value in the target"
        raise UsageError(f"{problem}; {ways}")
    if settings.uncertainty:
        from probfs.ranking.uncertainty import check_rows

        check_rows(dataset, settings)
    if inputs.prepared.target.by_default and listeners.on_assumed_target is not None:
        listeners.on_assumed_target(inputs.prepared)
    return EncodedInputs(dataset, notes)


def screen_features(inputs: Inputs, encoded: EncodedInputs, settings: Settings) -> dict[str, tuple[float, float]]:
    """p and q of each feature, tested against the class: as numbers, too, where it was cut into intervals.

    The rows are those of the table, in their order.
    """
    report("testing columns")
    numbers = numbers_before_cutting(inputs.prepared, encoded.dataset)
    screening = screen(encoded.dataset, numbers, settings.seed)
    return dict(zip(encoded.names, zip(screening.p.tolist(), screening.q.tolist(), strict=True), strict=True))


def arrange_rows(encoded: EncodedInputs, settings: Settings) -> EncodedInputs:
    """The rows in the order that the classifier wants, and equal ones merged where it wants that."""
    return EncodedInputs(settings.model.arrange(encoded.dataset, settings.seed), encoded.notes)


def fit_classifier(
    dataset: Dataset, settings: Settings, listeners: Listeners, store: RowStore | None = None
) -> Classifier:
    """The chosen classifier, fitted with all features; ``store`` has the rows, if the dataset has not."""

    def model_done(done: int, total: int) -> None:
        report(RANKING, done, total, "models")
        if listeners.on_model is not None:
            listeners.on_model(done, total)

    report("fitting the classifier")
    rounds = schedule(len(dataset.features), settings.step)
    return _fit(dataset, rounds, settings, listeners.on_note, model_done, store)


def _fit(
    dataset: Dataset,
    rounds: Sequence[int],
    settings: Settings,
    on_note: Callable[[Note], None] = _ignore,
    on_model: Callable[[int, int], None] | None = None,
    store: RowStore | None = None,
) -> Classifier:
    return settings.model.fit(
        FitRequest(
            dataset=dataset,
            estimate=settings.estimate,
            folds=settings.folds,
            seed=settings.seed,
            rounds=rounds,
            on_note=on_note,
            on_model=on_model,
            store=store,
        )
    )


def eliminate_features(
    classifier: Classifier, names: Sequence[str], settings: Settings, listeners: Listeners
) -> Iterator[Round]:
    """The rounds of the elimination; listeners hear of a round when it is over."""
    report(RANKING, 0, len(names), "features")
    for current in eliminate(classifier, names, SCORES[settings.score], settings.step):
        yield current
        left = len(names) - len(current.active) + len(current.leaving)
        report(RANKING, left, len(names), "features")
        if listeners.on_round is not None:
            listeners.on_round(current)


def make_ranking(
    inputs: Inputs,
    encoded: EncodedInputs,
    classifier: Classifier,
    rounds: Iterator[Round],
    tests: Mapping[str, tuple[float, float]],
    settings: Settings,
    listeners: Listeners,
) -> Ranking:
    """Follow the rounds to their end, and put together what came of them."""
    features, summaries = collect(rounds, encoded.names, tests)
    if settings.uncertainty:
        features = _with_uncertainty(features, encoded.dataset, settings, listeners)
    for note in classifier.notes:
        listeners.on_note(note)
    summary = summarize_inputs(inputs, encoded.dataset)
    return Ranking(features, summaries, summary, settings, (*encoded.notes, *classifier.notes), __version__)


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


def _with_uncertainty(
    features: tuple[RankedFeature, ...], dataset: Dataset, settings: Settings, listeners: Listeners
) -> tuple[RankedFeature, ...]:
    """The ranked features with their standard errors and rank intervals, which hold the ranks themselves."""
    from probfs.ranking.uncertainty import measure_uncertainty

    def fit(sample: Dataset, rounds: Sequence[int]) -> Classifier:
        return _fit(sample, rounds, settings)

    found = measure_uncertainty(dataset, settings, fit, listeners.on_note)
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
