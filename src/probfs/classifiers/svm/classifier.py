"""The SVM as a classifier to rank with: every round fits models and scores the active features."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np
from joblib import cpu_count

from probfs.classifiers.options import DEFAULT_GAMMA, Cost, EstimateName, Gamma, KernelName, Removal
from probfs.classifiers.protocol import RoundScores
from probfs.classifiers.refitting.classifier import RefittedClassifier
from probfs.classifiers.refitting.design_matrix import DesignMatrixBuilder
from probfs.classifiers.refitting.score_shares import ScoreShare, sum_retrained
from probfs.classifiers.refitting.splits import Split, make_splits
from probfs.classifiers.refitting.training_rows import TrainingData
from probfs.classifiers.row_odds import RowOdds
from probfs.classifiers.svm.fit_plan import SvmFitPlan
from probfs.classifiers.svm.fit_tally import FitTally
from probfs.classifiers.svm.fitted_svm import FitOptions
from probfs.classifiers.svm.held_out_fit import HeldOutFit
from probfs.classifiers.svm.kernel_functions import choose_cost
from probfs.classifiers.svm.platt_scaling import TrainingSigmoids
from probfs.classifiers.svm.solver import Solver, choose_solver
from probfs.classifiers.svm.tasks import (
    FitTask,
    PermuteTask,
    RetrainTask,
    find_decreasing_sigmoids,
    fit_and_permute,
    judge_rows,
    retrain_without_features,
)
from probfs.classifiers.svm.training_sizes import check_training_sizes
from probfs.columns.dataset import Dataset
from probfs.notes import Note, NoteKind
from probfs.runtime.processes import run_interruptibly
from probfs.tables.table import Floats
from probfs.text import counted, option

__all__ = ["Svm"]


class Svm(RefittedClassifier):
    """A Platt-scaled support vector machine and the features that are still active."""

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
        on_note: Callable[[Note], None] | None = None,
    ) -> None:
        """Prepare to rank a dataset whose rows are ordered by content (``order_by_content``).

        ``gamma`` is used with the RBF kernel only, ``permutations`` with ``removal="permute"`` and ``folds`` with
        ``estimate="cv"``. ``rounds`` says how many features each round will start with. ``jobs`` is the number of
        processes, one for each core by default. ``on_model`` is called with the number of models fitted so far and
        the number of all, and ``on_note`` with how long the ranking takes, if that is long.
        """
        self._jobs = jobs or cpu_count()
        builder = DesignMatrixBuilder(dataset, "the SVM")
        self._data = TrainingData(builder, dataset.labels, dataset.counts, len(dataset.classes))
        # C is chosen once, for the table with all its features: if it grew as features leave, late rounds, which
        # decide the best ranks, would fit the noise more closely.
        matrix = builder.build(np.arange(len(dataset.features)), dataset.counts)
        cells = matrix.cells[: len(dataset.labels)]
        self._widths = matrix.widths
        cost = choose_cost(kernel, C, cells, dataset.counts)
        self._options = FitOptions(kernel, cost, DEFAULT_GAMMA if gamma is None else gamma)
        splits = make_splits(dataset, estimate, folds, seed)
        check_training_sizes(dataset, splits, estimate)
        plan = SvmFitPlan(
            removal=removal,
            estimate=estimate,
            splits=len(splits),
            rounds=rounds,
            jobs=self._jobs,
            classes=len(dataset.classes),
            labelled_rows=len(dataset.labels),
            kernel=kernel,
            columns_per_feature=cells.shape[1] / max(1, len(dataset.features)),
        )
        plan.refuse_hours()
        super().__init__(
            dataset, splits, plan, permutations=permutations, seed=seed, on_model=on_model, on_note=on_note
        )
        self._tally = FitTally()
        self._held_out: HeldOutFit | None = None
        """Of this round's model with all labelled rows and all active features."""
        self._first_held_out: HeldOutFit | None = None
        """Of the first round's."""

    @property
    def notes(self) -> tuple[Note, ...]:
        """What the user should know of the models that were fitted."""
        notes = []
        fits = counted(self._tally.binary_svms, "fit")
        if self._tally.inverted:
            message = (
                f"in {self._tally.inverted:,} of {fits} the sigmoid on cross-validated decision values came out "
                "decreasing (few rows, or columns that say little); the one on the training rows, or the share of the "
                "class, was used instead"
            )
            notes.append(NoteKind.SIGMOID.note(message))
        if self._tally.unconverged:
            problem = f"{self._tally.unconverged:,} of {fits} did not converge, so their scores are rough"
            message = f"{problem}; a smaller {option('C')} or {option('count')} would help"
            notes.append(NoteKind.NOT_CONVERGED.note(message))
        if self._first_held_out is not None and self._first_held_out.note is not None:
            notes.append(self._first_held_out.note)
        return tuple(notes)

    def score(self) -> RoundScores:
        scores = super().score()
        self._first_held_out = self._first_held_out or self._held_out
        return replace(scores, cv_errors=self._held_out.errors if self._held_out is not None else None)

    def _judge_without_features(self) -> RowOdds:
        shared = (self._data, self._options, self._active, self._choose_solver(), None)
        return RowOdds.joined([judge_rows(FitTask(*shared, split)) for split in self._splits])

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
        for share, held_out, tally in self._workers.run(fit_and_permute, self.make_permute_tasks()):
            self._report_models(1)
            self._tally += tally
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
