"""A classifier that fits models anew in every round: what a round is, whatever the model."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from joblib import cpu_count

from probfs.classifiers.protocol import Features, FitRequest, HoldOutRequest, RoundScores
from probfs.classifiers.refitting.models import Model, Report, Trainer, notes_on_models
from probfs.classifiers.refitting.rows import (
    UNLABELLED,
    Donors,
    Split,
    Sums,
    add_up,
    divide_rows,
    draw_donors,
    make_splits,
    odds_of,
    set_apart,
    sum_changes,
)
from probfs.classifiers.row_odds import RowOdds
from probfs.columns.dataset import Dataset
from probfs.notes import Note, NoteKind
from probfs.runtime.parallel import Workers
from probfs.tables.arrays import Floats
from probfs.text import counted, option

_PERMUTED_AT_A_TIME = 1 << 22
"""Permuted values (rows × features × permutations × classes) that are computed at a time: 32 MB."""
FEW_CELLS = 1 << 14
"""On tables with fewer cells, threads take longer to start than they save."""
EVERYTHING = slice(None)


@dataclass(frozen=True, eq=False)
class Task:
    """Fit a model without the rows that a split leaves out, and score the rows of the split with it."""

    trainer: Trainer
    features: Features
    split: Split
    donors: Donors | None = None
    """Permutations × scored rows."""
    threads: int = 1

    def fit(self) -> Model:
        return self.trainer.fit(self.features, self.split.training_counts(self.trainer.counts))


def fit_and_predict(task: Task) -> tuple[Floats, Report]:
    model = task.fit()
    return model.probabilities(task.split.scored), model.report


def fit_and_permute(task: Task) -> tuple[Sums, Report]:
    """Sum how a model's probabilities change with each feature permuted."""
    model, split, donors = task.fit(), task.split, task.donors
    assert donors is not None
    if len(task.features) == 1:
        # A model without its only feature knows nothing but the frequencies of the classes.
        actual = model.probabilities(split.scored)
        return sum_changes(split, EVERYTHING, actual, (actual - model.prior[:, None])[:, :, None]), model.report
    values_per_row = len(task.features) * len(donors) * len(model.prior)
    blocks = divide_rows(len(split.scored), values_per_row, _PERMUTED_AT_A_TIME)
    permuted = ((block, model.permute(split.scored[block], donors[:, block], task.threads)) for block in blocks)
    return add_up([sum_changes(split, block, *found) for block, found in permuted]), model.report


class RefittedClassifier:
    """A classifier whose models are fitted anew in every round."""

    calibrated = True
    """Probabilities are taken as the models give them."""

    def __init__(self, trainer: Trainer, request: FitRequest, permutations: int | None, jobs: int | None) -> None:
        """Prepare to rank a dataset whose rows are ordered by content (``order_by_content``). Without permutations,
        models are retrained without each feature. ``jobs`` is the number of processes, one for each core by default.
        """
        self.trainer = trainer
        self.active: Features = np.arange(len(request.dataset.features))
        self._request = request
        self._dataset = dataset = request.dataset
        self._permutations = permutations
        self._jobs = jobs or cpu_count()
        self._splits = make_splits(dataset, request.estimate, request.folds, request.seed)
        self._follows = trainer.follows and (permutations is None or len(self._splits) > 1)
        tasks = sum(len(self._splits) * (features + 1 if permutations is None else 1) for features in request.rounds)
        self._models = tasks + len(request.rounds) * self._follows
        is_small = len(dataset.labels) * len(dataset.features) < FEW_CELLS
        self._workers = Workers(self._jobs, tasks, threads=1 if is_small else self._jobs)
        self._reports: list[Report] = []
        self._round = 0
        self._odds: RowOdds | None = None
        """Of the rows that the models of all active features scored; None before they are fitted."""
        trainer.check(dataset, self._splits, request.estimate)

    @property
    def notes(self) -> tuple[Note, ...]:
        return notes_on_models(self.trainer.name, self._reports)

    def drop(self, features: Features) -> None:
        self.active = np.setdiff1d(self.active, features, assume_unique=True)
        self._odds = None

    def odds(self, features: Sequence[int] | None = None) -> RowOdds:
        if features is None and len(self.active):
            assert self._odds is not None, "there are no odds before the active features are scored"
            return self._odds
        # The odds of models without a feature.
        judged = []
        for split in self._splits:
            known = np.flatnonzero(split.labels != UNLABELLED)
            if len(known):
                prior = self.trainer.training_rows(split.training_counts(self._dataset.counts)).prior
                judged.append(odds_of(np.repeat(prior[:, None], len(known), axis=1), split, known))
        return RowOdds.joined(judged)

    def score(self) -> RoundScores:
        if self._request.estimate == "loo" and not self._round:
            models = f"leave-one-out with {self.trainer.name}: {counted(self._models, 'model')} will be fitted"
            self._request.on_note(NoteKind.TIME.note(f"{models}; {option('estimate', 'cv')} takes less"))
        self._round += 1
        earlier, trainer = len(self._reports), self.trainer
        if self._follows:
            (model,) = Workers(1, 1).run(lambda counts: trainer.fit(self.active, counts), [trainer.counts])
            self._hear_of_model(model.report)
            trainer = trainer.following(model.report)
        parts = list(self._score_retrained(trainer) if self._permutations is None else self._score_permuted(trainer))
        (absolute, signed, unlabelled), odds = add_up(parts)
        self._odds = odds
        weight, others = odds.rows, self._dataset.unlabelled_rows
        rows = round(float(np.sum(odds.counts if odds.copies is None else odds.copies)))
        return RoundScores(
            absolute / weight,
            signed / weight,
            (absolute + unlabelled) / (weight + others) if others else None,
            rows,
            round(odds.errors),
            odds.mean_absolute_loss,
            # A forest may rule out a row's own class, so that its loss is bounded.
            odds.loss_and_derivatives(1.0)[0],
            # The first model of a round is the one of all rows and features, or one that has no such errors.
            cv_errors=self._reports[earlier].cv_errors,
        )

    def _score_permuted(self, trainer: Trainer) -> Iterator[Sums]:
        assert self._permutations is not None
        # Donors are labelled rows, so that the scores of these do not depend on which unlabelled rows are given.
        generator = np.random.default_rng([self._request.seed, self._round])
        donating = self._dataset.counts
        scored = [counts for counts in (donating, self._dataset.unlabelled_counts) if len(counts)]
        donors = np.hstack([draw_donors(counts, donating, self._permutations, generator) for counts in scored])
        # The only model of a round leaves the other cores free for the scoring of its rows.
        threads = self._jobs if len(self._splits) == 1 else 1
        tasks = [Task(trainer, self.active, split, donors[:, split.scored], threads) for split in self._splits]
        for sums, report in self._workers.run(fit_and_permute, tasks):
            self._hear_of_model(report)
            yield sums

    def _score_retrained(self, trainer: Trainer) -> Iterator[Sums]:
        subsets = [self.active, *(np.delete(self.active, place) for place in range(len(self.active)))]
        tasks = [Task(trainer, features, split) for split in self._splits for features in subsets]
        results = self._workers.run(fit_and_predict, tasks)
        for split in self._splits:
            predicted = []
            for probabilities, report in itertools.islice(results, len(subsets)):
                self._hear_of_model(report)
                predicted.append(probabilities)
            changes = np.stack([predicted[0] - without for without in predicted[1:]], axis=2)
            yield sum_changes(split, EVERYTHING, predicted[0], changes)

    def _hear_of_model(self, report: Report) -> None:
        self._reports.append(report)
        if self._request.on_model is not None:
            self._request.on_model(len(self._reports), self._models)


def judge_held_out(request: HoldOutRequest, make_trainer: Callable[[Dataset], Trainer]) -> RowOdds:
    """The odds of the rows held out, in their order, by a model of the training rows.

    C, γ and whatever else depends on the table are those of a table that has only the features of the request.
    """
    table, split = set_apart(request.dataset, request.features, request.held_out, request.seed)
    task = Task(make_trainer(table), np.arange(len(table.features)), split)
    ((probabilities, _),) = Workers(1, 1).run(fit_and_predict, [task])
    return odds_of(probabilities, split)
