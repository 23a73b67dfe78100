"""A classifier that fits models anew in every round: what a round is, whatever the model."""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import numpy as np
from joblib import cpu_count

from probfs.classifiers.options import EstimateName, Removal
from probfs.classifiers.protocol import Features, HoldOutRequest, RoundScores
from probfs.classifiers.refitting.rows import (
    UNLABELLED,
    Donors,
    Positions,
    Split,
    TrainingRows,
    divide_rows,
    draw_donors,
    make_splits,
    set_apart,
)
from probfs.classifiers.refitting.sums import PartialSums, add_up, make_scores, odds_of, sum_changes, sum_retrained
from probfs.classifiers.row_odds import RowOdds
from probfs.classifiers.scores import Score
from probfs.columns.dataset import Dataset
from probfs.notes import Note, NoteKind
from probfs.runtime.parallel import Workers
from probfs.runtime.threads import in_threads
from probfs.tables.arrays import Floats, Integers
from probfs.text import counted, option

Result = TypeVar("Result")

FEW_CELLS = 1 << 14
"""On tables with fewer cells, threads take longer to start than they save."""


class Model(Protocol):
    """A fitted model. Probabilities are classes × rows, but of two classes the second one only."""

    @property
    def block_cells(self) -> int:
        """How many permuted values (rows × features × permutations × classes) are computed at a time."""

    @property
    def threads_inside(self) -> bool:
        """Whether ``permute`` itself uses threads; otherwise several blocks of rows are permuted at a time."""

    @property
    def prior(self) -> Floats:
        """What a model without features says of every row: the frequencies of the classes."""

    @property
    def report(self) -> Any:
        """What notes are made of."""

    def probabilities(self, rows: Positions) -> Floats: ...

    def permute(self, rows: Positions, donors: Donors, threads: int) -> tuple[Floats, Floats]:
        """The probabilities of rows, and by how much they exceed the mean ones with each feature's value taken from
        the donors (permutations × rows): classes × rows, and classes × rows × features.
        """


class Trainer(Protocol):
    """Fits models on any features and training rows of a table; it can be sent to other processes."""

    @property
    def counts(self) -> Integers:
        """How often each labelled row occurs."""

    def fit(self, features: Features, training: Integers) -> Model:
        """The model of some features, trained on ``training`` copies of each labelled row."""


@dataclass(frozen=True, eq=False)
class FitTask:
    """A model to fit without the rows of a split, which it scores."""

    trainer: Trainer
    features: Features
    split: Split

    def fit(self) -> Model:
        return self.trainer.fit(self.features, self.split.training_counts(self.trainer.counts))


@dataclass(frozen=True, eq=False)
class PermuteTask(FitTask):
    """A model to fit, and to score rows with each feature permuted."""

    donors: Donors
    """Permutations × scored rows."""
    threads: int


def fit_and_permute(task: PermuteTask) -> tuple[PartialSums, Any]:
    """Fit a model, and sum how its probabilities change with each feature permuted."""
    model = task.fit()
    return permute_features(task, model), model.report


def permute_features(task: PermuteTask, model: Model) -> PartialSums:
    """Sum how a model's probabilities change with each feature permuted."""
    split = task.split
    if len(task.features) == 1:
        # A model without its only feature knows nothing but the frequencies of the classes.
        actual = model.probabilities(split.scored)
        return sum_changes(split, slice(0, len(split.scored)), actual, (actual - model.prior[:, None])[:, :, None])

    def sum_block(block: slice) -> PartialSums:
        changes = model.permute(split.scored[block], task.donors[:, block], task.threads)
        return sum_changes(split, block, *changes)

    values_per_row = len(task.features) * len(task.donors) * len(model.prior)
    blocks = divide_rows(len(split.scored), values_per_row, model.block_cells)
    return add_up(in_threads(sum_block, blocks, 1 if model.threads_inside else task.threads))


def fit_and_predict(task: FitTask) -> tuple[Floats, Any]:
    """Fit a model, and predict the rows that its split scores."""
    model = task.fit()
    return model.probabilities(task.split.scored), model.report


class RefittedClassifier(ABC):
    """The features that are still active; subclasses know how to fit the models of a round."""

    calibrated = True
    """Probabilities are taken as the models give them."""
    models_beside = 0
    """How many models a round fits that score nothing, where it compares models with each other."""

    def __init__(
        self,
        dataset: Dataset,
        trainer: Trainer,
        name: str,
        *,
        removal: Removal,
        permutations: int | None,
        estimate: EstimateName,
        folds: int | None,
        seed: int,
        rounds: Sequence[int],
        jobs: int | None = None,
        on_model: Callable[[int, int], None] | None = None,
        on_note: Callable[[Note], None] | None = None,
    ) -> None:
        """Prepare to rank a dataset whose rows are ordered by content (``order_by_content``).

        ``name`` is what is fitted, for notes. ``permutations`` goes with ``removal="permute"`` and ``folds`` with
        ``estimate="cv"``. ``rounds`` says how many features each round will start with. ``jobs`` is the number of
        processes, one for each core by default. ``on_model`` is called with the number of models fitted so far and
        the number of all.
        """
        if removal == "permute" and permutations is None:
            raise ValueError("permuting features needs a number of permutations")
        self._dataset = dataset
        self._trainer = trainer
        self._permutations = permutations or 0
        self._removal = removal
        self._name = name
        self._estimate = estimate
        self._on_note = on_note
        self._seed = seed
        self._jobs = jobs or cpu_count()
        self._on_model = on_model
        self._splits = make_splits(dataset, estimate, folds, seed)
        self._active: Features = np.arange(len(dataset.features))
        tasks = sum(len(self._splits) * (1 if removal == "permute" else features + 1) for features in rounds)
        self._models = tasks + len(rounds) * self.models_beside * self._compares_models
        self._models_done = 0
        is_small = len(dataset.labels) * len(dataset.features) < FEW_CELLS
        self._workers = Workers(self._jobs, tasks, threads=1 if is_small else self._jobs)
        self._reports: list[Any] = []
        self._round = 0
        self._odds: RowOdds | None = None
        """Of the rows that the models of all active features scored; None before they are fitted."""

    @property
    @abstractmethod
    def notes(self) -> tuple[Note, ...]: ...

    def _prepare_round(self) -> Trainer:
        """The trainer of this round's models."""
        return self._trainer

    def _count_cv_errors(self, reports: Sequence[Any]) -> int | None:
        """Errors on cross-validated decision values, from the reports of this round."""
        return None

    @property
    def active(self) -> Features:
        return self._active

    @property
    def _compares_models(self) -> bool:
        """Whether a round adds up, or subtracts, probabilities of different models."""
        return self._removal == "retrain" or len(self._splits) > 1

    def drop(self, features: Features) -> None:
        self._active = np.setdiff1d(self._active, features, assume_unique=True)
        self._odds = None

    def odds(self) -> RowOdds:
        if self._odds is None:
            if len(self._active):
                raise ValueError("there are no odds before the active features are scored")
            self._odds = RowOdds.joined(list(self._judge_without_features()))
        return self._odds

    def lowest(self, score: Score, wanted: int) -> tuple[Features, RoundScores]:
        # Every round has models of its own, so nothing is known of its scores beforehand.
        return self.active, self.score()

    def score(self) -> RoundScores:
        self._announce()
        self._round += 1
        earlier = len(self._reports)
        trainer = self._prepare_round()
        parts = self._score_permuted(trainer) if self._removal == "permute" else self._score_retrained(trainer)
        total = add_up(list(parts))
        self._odds = total.odds
        cv_errors = self._count_cv_errors(self._reports[earlier:])
        return make_scores(total, self._dataset.rows, self._dataset.unlabelled_rows, cv_errors)

    def _announce(self) -> None:
        """Tell, before the first model of a leave-one-out ranking, how many there will be."""
        if self._estimate == "loo" and not self._round and self._on_note is not None:
            models = f"leave-one-out with {self._name}: {counted(self._models, 'model')} will be fitted"
            self._on_note(NoteKind.TIME.note(f"{models}; {option('estimate', 'cv')} takes less"))

    def make_permute_tasks(self, trainer: Trainer | None = None) -> list[PermuteTask]:
        """The tasks of a round whose features are removed by permuting them."""
        trainer = trainer or self._trainer
        donors = self._draw_donors()
        # The only model of a round leaves the other cores free for the scoring of its rows.
        threads = self._jobs if len(self._splits) == 1 else 1
        return [PermuteTask(trainer, self._active, split, donors[:, split.scored], threads) for split in self._splits]

    def _score_permuted(self, trainer: Trainer) -> Iterator[PartialSums]:
        return self._hear(self._workers.run(fit_and_permute, self.make_permute_tasks(trainer)))

    def _score_retrained(self, trainer: Trainer) -> Iterator[PartialSums]:
        subsets = [self._active, *(np.delete(self._active, place) for place in range(len(self._active)))]
        tasks = [FitTask(trainer, features, split) for split in self._splits for features in subsets]
        predicted = self._hear(self._workers.run(fit_and_predict, tasks))
        for split in self._splits:
            yield sum_retrained(split, next(predicted), itertools.islice(predicted, len(self._active)))

    def _hear(self, results: Iterator[tuple[Result, Any]]) -> Iterator[Result]:
        """The results of one model after the other, whose reports are kept."""
        for result, report in results:
            self._hear_of_model(report)
            yield result

    def _hear_of_model(self, report: Any) -> None:
        self._reports.append(report)
        self._models_done += 1
        if self._on_model is not None:
            self._on_model(self._models_done, self._models)

    def _judge_without_features(self) -> Iterator[RowOdds]:
        """The odds of the labelled rows by models that have no feature."""
        for split in self._splits:
            known = split.scored_labels != UNLABELLED
            if known.any():
                training = split.training_counts(self._dataset.counts)
                prior = TrainingRows.of(self._dataset.labels, training, len(self._dataset.classes)).prior
                actual = np.repeat(prior[:, None], int(known.sum()), axis=1)
                yield odds_of(actual, split.scored_labels[known], split.scored_counts[known])

    def _draw_donors(self) -> Donors:
        """Donors for all rows. They are labelled ones, so that the scores of labelled rows do not depend on which
        unlabelled rows are given.
        """
        generator = np.random.default_rng([self._seed, self._round])
        counts, unlabelled_counts = self._dataset.counts, self._dataset.unlabelled_counts
        labelled = draw_donors(counts, counts, self._permutations, generator)
        if not len(unlabelled_counts):
            return labelled
        return np.hstack([labelled, draw_donors(unlabelled_counts, counts, self._permutations, generator)])


def judge_held_out(request: HoldOutRequest, make_trainer: Callable[[Dataset], Trainer]) -> RowOdds:
    """The odds of the rows held out, in their order, by a model of the training rows.

    C, γ and whatever else depends on the table are those of a table that has only the features of the request.
    """
    table, split = set_apart(request.dataset, request.features, request.held_out, request.seed)
    task = FitTask(make_trainer(table), np.arange(len(table.features)), split)
    ((probabilities, _),) = Workers(1, 1).run(fit_and_predict, [task])
    return odds_of(probabilities, split.scored_labels, split.scored_counts)
