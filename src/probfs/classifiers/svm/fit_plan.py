"""Which models a ranking fits: how many, in which tasks, and about how long that takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from probfs.classifiers.estimates import EstimateName
from probfs.classifiers.svm.options import KernelName, Removal
from probfs.classifiers.svm.solver import Solver, choose_solver
from probfs.errors import UsageError
from probfs.text import option

MOST_HOURS = 2.0
"""Leave-one-out rankings that would take longer are refused."""
_TASKS_PER_JOB = 2
_MOST_MODELS_PER_TASK = 8


@dataclass(frozen=True)
class FitPlan:
    """The models of all rounds of a ranking."""

    removal: Removal
    estimate: EstimateName
    splits: int
    classes: int
    labelled_rows: int
    """Distinct ones."""
    rounds: Sequence[int]
    """How many features each round starts with."""
    jobs: int
    kernel: KernelName
    columns_per_feature: float
    """Of the design matrix, in which every value of a category is a column."""

    @property
    def compares_models(self) -> bool:
        """Whether a round adds up, or subtracts, probabilities of different models."""
        return self.removal == "retrain" or self.splits > 1

    @property
    def models(self) -> int:
        return sum(self._models_in_round(features) for features in self.rounds)

    @property
    def tasks(self) -> int:
        return self.splits * sum(len(self.models_by_task(features)) for features in self.rounds)

    @property
    def parallel(self) -> int:
        """How many models are fitted at a time. The only model of a round is fitted on one core."""
        return self.jobs if self.compares_models else 1

    @property
    def seconds(self) -> float:
        """How long the ranking takes: a rough estimate, which may be off by several times."""
        return self.effort(self.models) / self.parallel

    def effort(self, models: int) -> float:
        """About how many seconds the first ``models`` of the ranking take, one at a time on one core."""
        seconds, remaining = 0.0, models
        for features in self.rounds:
            fitted = min(remaining, self._models_in_round(features))
            seconds += fitted * self._model_seconds(features)
            remaining -= fitted
        return seconds

    def _model_seconds(self, features: int) -> float:
        """Measured: SVMs, sigmoids and the scoring of all rows. LIBSVM's time grows with the square of the rows."""
        rows, columns = self.labelled_rows, self.columns_per_feature * features
        binary_svms = 1 if self.classes == 2 else self.classes
        if choose_solver(self.kernel, rows, round(columns)) is Solver.INTERIOR_POINT:
            return binary_svms * (0.02 + rows * columns * (4e-7 + 4e-9 * columns))
        return binary_svms * (0.02 + rows**2 * (8e-8 + 9e-10 * columns))

    @property
    def remedy(self) -> str:
        """What would take less time, in words."""
        if self.estimate == "loo":
            return f"{option('estimate', 'cv')} takes less"
        if self.kernel == "rbf":
            return f"a larger {option('step')}, {option('kernel', 'linear')} or fewer rows take less"
        return f"a larger {option('step')} takes less"

    def refuse_hours(self) -> None:
        """Refuse a leave-one-out ranking that would take hours."""
        hours = self.seconds / 3600
        if self.estimate == "loo" and hours > MOST_HOURS:
            chosen = option("estimate", "loo")
            problem = f"{chosen} with the SVM would fit {self.models:,} models, in about {hours:,.0f} hours"
            raise UsageError(f"{problem}; use {option('estimate', 'cv')}, or a larger {option('step')}")

    def models_by_task(self, features: int) -> list[Sequence[int | None]]:
        """The feature that each model of a round leaves out, in portions for the workers.

        The first model leaves out None; with permuted features it is the only one.
        """
        if self.removal == "permute":
            return [[None]]
        left_out: list[int | None] = [None, *range(features)]
        size = max(1, min(_MOST_MODELS_PER_TASK, -(-len(left_out) // (_TASKS_PER_JOB * self.jobs))))
        return [left_out[start : start + size] for start in range(0, len(left_out), size)]

    def _models_in_round(self, features: int) -> int:
        models = 1 if self.removal == "permute" else features + 1
        # One more finds out which sigmoids decrease.
        return self.splits * models + int(self.compares_models)
