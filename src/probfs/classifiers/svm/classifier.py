"""The SVM as a classifier to rank with: every round fits models and scores the active features."""

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
from probfs.classifiers.row_odds import RowOdds
from probfs.classifiers.scores import Score
from probfs.classifiers.svm.design_matrix import DesignMatrixBuilder
from probfs.classifiers.svm.donors import Donors, draw_donors
from probfs.classifiers.svm.fit_plan import FitPlan
from probfs.classifiers.svm.fitted_svm import FitOptions
from probfs.classifiers.svm.held_out_fit import HeldOutFit
from probfs.classifiers.svm.kernel_functions import choose_cost
from probfs.classifiers.svm.options import DEFAULT_GAMMA, Cost, Gamma, KernelName, Removal
from probfs.classifiers.svm.platt_scaling import TrainingSigmoids
from probfs.classifiers.svm.score_shares import FitTally, ScoreShare, sum_retrained
from probfs.classifiers.svm.solver import Solver, choose_solver
from probfs.classifiers.svm.splits import Split, check_training_sizes, make_splits
from probfs.classifiers.svm.tasks import (
    FitTask,
    PermuteTask,
    RetrainTask,
    find_decreasing_sigmoids,
    fit_and_permute,
    judge_rows,
    retrain_without_features,
)
from probfs.classifiers.svm.time_forecast import TimeForecast
from probfs.classifiers.svm.training_rows import TrainingData
from probfs.columns.dataset import Dataset
from probfs.runtime.processes import Workers, run_interruptibly
from probfs.tables.table import Floats
from probfs.text import counted, option

__all__ = ["Svm"]


class Svm:
    """A Platt-scaled support vector machine and the features that are still active."""

    compiled = False
    calibrated = True

    def __init__(
        self,
        dataset: Dataset,
        *,
        kernel: KernelName,
        C: Cost,  # noqa: N803  # the field's own name
        gamma: Gamma | None,
        removal: Removal,
        permutations: int | None,
        estimate: EstimateName,
        folds: int | None,
        seed: int,
        rounds: Sequence[int],
        jobs: int | None = None,
        on_model: Callable[[int, int], None] | None = None,
        on_note: Callable[[str], None] | None = None,
    ) -> None:
        """Prepare to rank a dataset whose rows are ordered by content (``order_by_content``).

        ``gamma`` is used with the RBF kernel only, ``permutations`` with ``removal="permute"`` and ``folds`` with
        ``estimate="cv"``. ``rounds`` says how many features each round will start with. ``jobs`` is the number of
        processes, one for each core by default. ``on_model`` is called with the number of models fitted so far and
        the number of all, and ``on_note`` with how long the ranking takes, if that is long.
        """
        if removal == "permute" and permutations is None:
            raise ValueError("permuting features needs a number of permutations")
        self._dataset = dataset
        self._removal = removal
        self._permutations = permutations or 0
        self._seed = seed
        self._jobs = jobs or cpu_count()
        self._active: Features = np.arange(len(dataset.features))
        builder = DesignMatrixBuilder(dataset)
        self._data = TrainingData(builder, dataset.labels, dataset.counts, len(dataset.classes))
        # C is chosen once, for the table with all its features: if it grew as features leave, late rounds, which
        # decide the best ranks, would fit the noise more closely.
        matrix = builder.build(self._active, dataset.counts)
        cells = matrix.cells[: len(dataset.labels)]
        self._widths = matrix.widths
        cost = choose_cost(kernel, C, cells, dataset.counts)
        self._options = FitOptions(kernel, cost, DEFAULT_GAMMA if gamma is None else gamma)
        self._splits = make_splits(dataset, estimate, folds, seed)
        check_training_sizes(dataset, self._splits, estimate)
        self._plan = FitPlan(
            removal,
            estimate,
            len(self._splits),
            len(dataset.classes),
            len(dataset.labels),
            rounds,
            self._jobs,
            kernel,
            cells.shape[1] / max(1, len(dataset.features)),
        )
        self._plan.refuse_hours()
        self._forecast = TimeForecast(self._plan, on_note or (lambda note: None))
        self._forecast.announce()
        self._workers = Workers(self._jobs, self._plan.tasks)
        self._models = self._plan.models
        self._models_done = 0
        self._on_model = on_model
        self._round = 0
        self._tally = FitTally()
        self._held_out: HeldOutFit | None = None
        """Of this round's model with all labelled rows and all active features."""
        self._first_held_out: HeldOutFit | None = None
        """Of the first round's."""
        self._odds: RowOdds | None = None
        """Of the rows that the models of all active features scored; None before they are fitted."""

    @property
    def active(self) -> Features:
        return self._active

    @property
    def notes(self) -> tuple[str, ...]:
        """What the user should know of the models that were fitted."""
        notes = []
        fits = counted(self._tally.binary_svms, "fit")
        if self._tally.inverted:
            notes.append(
                f"in {self._tally.inverted:,} of {fits} the sigmoid on cross-validated decision values came out "
                "decreasing (few rows, or columns that say little); the one on the training rows, or the share of the "
                "class, was used instead"
            )
        if self._tally.unconverged:
            problem = f"{self._tally.unconverged:,} of {fits} did not converge, so their scores are rough"
            notes.append(f"{problem}; a smaller {option('C')} or {option('count')} would help")
        if self._first_held_out is not None and self._first_held_out.note is not None:
            notes.append(self._first_held_out.note)
        return tuple(notes)

    def drop(self, features: Features) -> None:
        self._active = np.setdiff1d(self._active, features, assume_unique=True)
        self._odds = None

    def odds(self) -> RowOdds:
        if self._odds is None:
            if len(self._active):
                raise ValueError("there are no odds before the active features are scored")
            shared = (self._data, self._options, self._active, self._choose_solver(), None)
            tasks = [FitTask(*shared, split) for split in self._splits]
            self._odds = RowOdds.joined([judge_rows(task) for task in tasks])
        return self._odds

    def lowest(self, score: Score, wanted: int) -> tuple[Features, RoundScores]:
        # Every round has models of its own, so nothing is known of its scores beforehand.
        return self.active, self.score()

    def score(self) -> RoundScores:
        self._forecast.start()
        self._round += 1
        shares = self._score_permuted() if self._removal == "permute" else self._score_retrained()
        total = reduce(add, shares)
        self._tally += total.tally
        self._odds = total.odds
        rows, unlabelled = self._dataset.rows, self._dataset.unlabelled_rows
        everywhere = total.labelled.absolute + total.unlabelled.absolute
        scores = RoundScores(
            ExtendedFloats.of(total.labelled.absolute / rows),
            ExtendedFloats.of(total.labelled.signed / rows),
            ExtendedFloats.of(everywhere / (rows + unlabelled)) if unlabelled else None,
            rows,
            round(total.fit.errors),
            total.fit.absolute_loss / rows,
            total.fit.log_loss / rows,
            cv_errors=self._held_out.errors if self._held_out is not None else None,
        )
        self._first_held_out = self._first_held_out or self._held_out
        return scores

    # --- the tasks of a round ---------------------------------------------------------------------------------------

    def make_permute_tasks(self) -> list[PermuteTask]:
        """The tasks of this round when features are removed by permuting them."""
        sigmoids = self._choose_sigmoids() if self._plan.compares_models else None
        donors = self._draw_donors()
        # The only model of a round leaves the other cores free for the scoring of its rows.
        threads = self._jobs if len(self._splits) == 1 else 1
        solver = self._choose_solver()
        return [
            PermuteTask(
                self._data, self._options, self._active, solver, sigmoids, split, donors[:, split.scored], threads
            )
            for split in self._splits
        ]

    def _score_permuted(self) -> Iterator[ScoreShare]:
        for share, held_out in self._workers.run(fit_and_permute, self.make_permute_tasks()):
            self._report_models(1)
            if not self._plan.compares_models:
                self._held_out = held_out
            yield share

    def _score_retrained(self) -> Iterator[ScoreShare]:
        sigmoids, solver = self._choose_sigmoids(), self._choose_solver()
        by_task = self._plan.models_by_task(len(self._active))
        tasks = [
            RetrainTask(self._data, self._options, self._active, solver, sigmoids, split, left_out)
            for split in self._splits
            for left_out in by_task
        ]
        results = self._workers.run(retrain_without_features, tasks)
        for split in self._splits:
            yield sum_retrained(split, self._unpack_results(itertools.islice(results, len(by_task))))

    def _unpack_results(self, results: Iterable[tuple[list[Floats], FitTally]]) -> Iterator[Floats]:
        """The probabilities of one model after the other, as tasks are finished."""
        for probabilities, tally in results:
            self._report_models(len(probabilities))
            self._tally += tally
            yield from probabilities

    def _choose_sigmoids(self) -> TrainingSigmoids:
        """The sigmoids that all models of this round fit on training rows: those whose cross-validated sigmoid
        decreases in the model with all rows and all active features.
        """
        task = FitTask(self._data, self._options, self._active, self._choose_solver(), None, Split.without_scoring())
        decreasing, self._held_out, tally = run_interruptibly(find_decreasing_sigmoids, task)
        self._tally += tally
        self._report_models(1)
        return decreasing

    def _choose_solver(self) -> Solver:
        """The solver of all models of this round, by the shape of all labelled rows and all active features."""
        columns = int(self._widths[self._active].sum())
        return choose_solver(self._options.kernel, len(self._dataset.labels), columns)

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

    def _report_models(self, fitted: int) -> None:
        self._models_done += fitted
        self._forecast.update(self._models_done)
        if self._on_model is not None:
            self._on_model(self._models_done, self._models)
