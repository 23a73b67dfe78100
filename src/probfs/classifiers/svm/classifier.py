"""The Platt-scaled support vector machine: a model a round, asked what it would say with each feature shuffled, or
one more model for each feature that is left out.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import reduce
from operator import add

import numpy as np
from joblib import cpu_count

from probfs.classifiers.estimates import EstimateName
from probfs.classifiers.extended_range import ExtendedFloats
from probfs.classifiers.protocol import Features, RoundScores
from probfs.classifiers.scores import Score
from probfs.classifiers.settings import Settings
from probfs.classifiers.svm.design_matrix import Design, Positions
from probfs.classifiers.svm.donors import Donors, draw_donors
from probfs.classifiers.svm.fitted_model import SvmOptions
from probfs.classifiers.svm.kernel_functions import suitable_cost
from probfs.classifiers.svm.machine import ByTraining
from probfs.classifiers.svm.tasks import (
    UNLABELLED,
    LabelledTable,
    Part,
    RetrainTask,
    Scorer,
    ShuffleTask,
    Tally,
    Task,
    falling_sigmoids,
    fit_and_shuffle,
    fit_without,
    part_of_retrained,
)
from probfs.columns.dataset import Dataset
from probfs.columns.folds import deal_folds
from probfs.errors import DataError, UsageError
from probfs.runtime.processes import Workers, interruptibly
from probfs.tables.table import Floats
from probfs.text import counted, quoted

__all__ = ["Svm", "SvmOptions"]

LONGEST_HOURS = 2.0
_LONG_SECONDS = 60.0
_TASKS_PER_JOB = 2
_MOST_MODELS_IN_A_TASK = 8


class Svm:
    """A support vector machine and the features it still uses. The dataset must be canonical."""

    def __init__(
        self,
        dataset: Dataset,
        settings: Settings,
        rounds: Sequence[int],
        jobs: int | None = None,
        on_model: Callable[[int, int], None] | None = None,
    ) -> None:
        """``rounds`` says how many features each round will start with; ``jobs`` is the number of processes, if not
        one for each core; ``on_model`` is called with how many models have been fitted and how many there will be.
        """
        self._dataset = dataset
        self._seed = settings.seed
        self._jobs = jobs or cpu_count()
        self._active: Features = np.arange(len(dataset.features))
        self._table = LabelledTable(Design(dataset), dataset.labels, dataset.counts, len(dataset.classes))
        self._options = self._chosen_options(settings)
        self._scorers = _scorers(dataset, settings)
        _check_training(dataset, self._scorers, settings.estimate)
        self._round = 0
        self._tally = Tally()
        self._models_done = 0
        self._models = sum(self._models_in_a_round(features) for features in rounds)
        self._on_model = on_model
        tasks = len(self._scorers) * sum(len(self._chunks(features)) for features in rounds)
        self._workers = Workers(self._jobs, tasks)
        if settings.estimate == "loo":
            self._refuse_hours()

    @property
    def active(self) -> Features:
        return self._active

    @property
    def takes_long(self) -> bool:
        return self._seconds() > _LONG_SECONDS

    @property
    def cost(self) -> str:
        """What the whole ranking takes, in words."""
        seconds = self._seconds()
        time = f"{seconds:,.0f} seconds" if seconds < 120 else f"{seconds / 60:,.0f} minutes"
        return f"{counted(self._models, 'model')} will be fitted, in some {time}"

    @property
    def notes(self) -> tuple[str, ...]:
        """What a user should know about the models that were fitted."""
        notes = []
        if self._tally.inverted:
            share = f"{self._tally.inverted:,} of {counted(self._tally.machines, 'fit')}"
            notes.append(
                f"in {share} the sigmoid on cross-validated decision values came out decreasing (few rows, or columns "
                "that say little); the one on the training rows, or the share of the class, was used instead"
            )
        if self._tally.unconverged:
            share = f"{self._tally.unconverged:,} of {counted(self._tally.machines, 'fit')}"
            notes.append(f"{share} did not converge, so their scores are rough; a smaller --C or --count would help")
        return tuple(notes)

    def drop(self, features: Features) -> None:
        self._active = np.setdiff1d(self._active, features, assume_unique=True)

    def lowest(self, score: Score, wanted: int) -> tuple[Features, RoundScores]:
        # A model of its own each round: nothing is known of its scores beforehand.
        return self.active, self.score()

    def score(self) -> RoundScores:
        self._round += 1
        parts = self._shuffled() if self._options.removal == "permute" else self._retrained()
        total = reduce(add, parts)
        self._tally += total.tally
        rows, unlabelled = self._dataset.rows, self._dataset.unlabelled_rows
        everywhere = total.labelled.absolute + total.unlabelled.absolute
        return RoundScores(
            ExtendedFloats.of(total.labelled.absolute / rows),
            ExtendedFloats.of(total.labelled.signed / rows),
            ExtendedFloats.of(everywhere / (rows + unlabelled)) if unlabelled else None,
            rows,
            round(total.fit.errors),
            total.fit.absolute_loss / rows,
            total.fit.log_loss / rows,
        )

    def _chosen_options(self, settings: Settings) -> SvmOptions:
        assert settings.kernel is not None
        assert settings.C is not None
        assert settings.removal is not None
        # The cost is set once, by the table with all its features: with fewer of them a row on the wrong side does not
        # become dearer, and late rounds, which decide the best ranks, do not fit the noise more closely.
        cells = self._table.design.matrix(self._active, self._table.counts).cells[: len(self._table.labels)]
        cost = suitable_cost(settings.kernel, settings.C, cells, self._table.counts)
        return SvmOptions(
            settings.kernel, cost, settings.gamma or "scale", settings.removal, settings.permutations or 0
        )

    # --- the tasks of a round ---------------------------------------------------------------------------------------

    def shuffle_tasks(self) -> list[ShuffleTask]:
        """What there is to do in this round, when features are taken away by shuffling them."""
        by_training = self._kinds_of_sigmoid() if self._compares_models() else None
        donors = self._draw()
        # A single model leaves the other cores to the scoring of its rows.
        threads = self._jobs if len(self._scorers) == 1 else 1
        return [
            ShuffleTask(*self._common(by_training), scorer, donors[:, scorer.rows], threads) for scorer in self._scorers
        ]

    def _shuffled(self) -> Iterator[Part]:
        for part in self._workers.run(fit_and_shuffle, self.shuffle_tasks()):
            self._count_models(1)
            yield part

    def _retrained(self) -> Iterator[Part]:
        common = self._common(self._kinds_of_sigmoid())
        chunks = self._chunks(len(self._active))
        tasks = [RetrainTask(*common, scorer, chunk) for scorer in self._scorers for chunk in chunks]
        results = self._workers.run(fit_without, tasks)
        for scorer in self._scorers:
            yield part_of_retrained(scorer, self._probabilities(itertools.islice(results, len(chunks))))

    def _probabilities(self, results: Iterable[tuple[list[Floats], Tally]]) -> Iterator[Floats]:
        """Those of each model, as they come."""
        for probabilities, tally in results:
            self._count_models(len(probabilities))
            self._tally += tally
            yield from probabilities

    def _compares_models(self) -> bool:
        """Whether a round has several models, whose probabilities are added up or taken from each other."""
        return self._options.removal == "retrain" or len(self._scorers) > 1

    def _kinds_of_sigmoid(self) -> ByTraining:
        """Which machines' sigmoids are those of training rows, in all models of this round: those whose cross-validated
        sigmoid comes out decreasing when all rows and features are there.
        """
        nothing: Positions = np.empty(0, dtype=np.intp)
        no_counts = np.empty(0, dtype=np.int64)
        task = Task(*self._common(None), Scorer(nothing, no_counts, nothing, no_counts, no_counts))
        falling, tally = interruptibly(falling_sigmoids, task)
        self._tally += tally
        self._count_models(1)
        return falling

    def _common(self, by_training: ByTraining) -> tuple[LabelledTable, SvmOptions, Features, ByTraining]:
        return self._table, self._options, self._active, by_training

    def _draw(self) -> Donors:
        """Donors for all rows, labelled and unlabelled. They are labelled rows, so that what is said of a row does not
        depend on which unlabelled rows came along.
        """
        generator = np.random.default_rng([self._seed, self._round])
        shuffles, counts = self._options.permutations, self._dataset.counts
        labelled = draw_donors(counts, counts, shuffles, generator)
        if not len(self._dataset.unlabelled_counts):
            return labelled
        return np.hstack([labelled, draw_donors(self._dataset.unlabelled_counts, counts, shuffles, generator)])

    def _models_in_a_round(self, features: int) -> int:
        models = 1 if self._options.removal == "permute" else features + 1
        return len(self._scorers) * models + int(self._compares_models())

    def _chunks(self, features: int) -> list[Sequence[int | None]]:
        """What each model of a round does without, in portions for the workers; the first model has all features."""
        if self._options.removal == "permute":
            return [[None]]
        without: list[int | None] = [None, *range(features)]
        size = max(1, min(_MOST_MODELS_IN_A_TASK, -(-len(without) // (_TASKS_PER_JOB * self._jobs))))
        return [without[start : start + size] for start in range(0, len(without), size)]

    def _count_models(self, models: int) -> None:
        self._models_done += models
        if self._on_model is not None:
            self._on_model(self._models_done, self._models)

    # --- what it costs ----------------------------------------------------------------------------------------------

    def _seconds(self) -> float:
        """A rough estimate: as measured, a small fit takes some milliseconds, and a large one grows with its square."""
        machines = 1 if len(self._dataset.classes) == 2 else len(self._dataset.classes)
        return self._models * machines * (0.02 + 6e-8 * len(self._dataset.labels) ** 2) / self._jobs

    def _refuse_hours(self) -> None:
        hours = self._seconds() / 3600
        if hours > LONGEST_HOURS:
            problem = f"--estimate loo with the SVM would fit {self._models:,} models, in some {hours:,.0f} hours"
            raise UsageError(f"{problem}; use --estimate cv, or a larger --step")


def _scorers(dataset: Dataset, settings: Settings) -> list[Scorer]:
    """Which rows are scored by which model."""
    rows = np.arange(len(dataset.labels))
    others = len(rows) + np.arange(len(dataset.unlabelled_counts))
    no_labels = np.full(len(others), UNLABELLED)
    none = np.empty(0, dtype=np.int64)
    if settings.estimate == "resubstitution":
        return [
            Scorer(
                none,
                none,
                np.concatenate([rows, others]),
                np.concatenate([dataset.counts, dataset.unlabelled_counts]),
                np.concatenate([dataset.labels, no_labels]),
            )
        ]
    scorers = []
    if settings.folds is not None:
        for copies in deal_folds(dataset, settings.folds, settings.seed):
            held_out = np.flatnonzero(copies)
            scorers.append(Scorer(held_out, copies[held_out], held_out, copies[held_out], dataset.labels[held_out]))
    else:
        one = np.ones(1, dtype=np.int64)
        for row in rows:
            # Left out one at a time, all copies of a row are scored by the same model.
            place = rows[row : row + 1]
            scorers.append(Scorer(place, one, place, dataset.counts[place], dataset.labels[place]))
    if len(others):
        scorers.append(Scorer(none, none, others, dataset.unlabelled_counts, no_labels))
    return scorers


def _check_training(dataset: Dataset, scorers: Sequence[Scorer], estimate: EstimateName) -> None:
    """A sigmoid is cross-validated on the training rows: each class needs two of them, in every model."""
    held_out = np.zeros(len(dataset.classes))
    for scorer in scorers:
        of_class = np.bincount(dataset.labels[scorer.held_out], weights=scorer.copies, minlength=len(held_out))
        held_out = np.maximum(held_out, of_class)
    for label, (name, rows) in enumerate(dataset.class_rows().items()):
        least = rows - int(held_out[label])
        if rows < 2:
            problem = f"class {quoted(name)} has one row only, and the SVM's probabilities need two or more"
            raise DataError(f"{problem}; drop the row, or use --classifier nb", source=dataset.source)
        if least < 2:
            problem = f"class {quoted(name)} has {rows} rows, of which --estimate {estimate} leaves {least} to train on"
            raise DataError(f"{problem}; the SVM needs two: use --estimate resubstitution", source=dataset.source)
