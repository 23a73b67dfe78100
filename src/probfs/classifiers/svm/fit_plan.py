"""Which SVMs a ranking fits, and about how long that takes."""

from __future__ import annotations

from dataclasses import dataclass

from probfs.classifiers.options import KernelName
from probfs.classifiers.refitting.fit_plan import FitPlan
from probfs.classifiers.svm.solver import Solver, choose_solver
from probfs.errors import UsageError
from probfs.text import option

MOST_HOURS = 2.0
"""Leave-one-out rankings that would take longer are refused."""


@dataclass(frozen=True)
class SvmFitPlan(FitPlan):
    """The SVMs of all rounds of a ranking, whose effort is in seconds on one core."""

    classes: int
    labelled_rows: int
    """Distinct ones."""
    kernel: KernelName
    columns_per_feature: float
    """Of the design matrix, in which every value of a category is a column."""

    models_beside = 1
    """It finds out which sigmoids decrease."""

    @property
    def model(self) -> str:
        return "the SVM"

    @property
    def seconds(self) -> float:
        """How long the ranking takes: a rough estimate, which may be off by several times."""
        return self.effort(self.models) / self.parallel

    def model_effort(self, features: int) -> float:
        """Measured: SVMs, sigmoids and the scoring of all rows. LIBSVM's time grows with the square of the rows."""
        rows, columns = self.labelled_rows, self.columns_per_feature * features
        binary_svms = 1 if self.classes == 2 else self.classes
        if choose_solver(self.kernel, rows, round(columns)) is Solver.INTERIOR_POINT:
            return binary_svms * (0.02 + rows * columns * (4e-7 + 4e-9 * columns))
        return binary_svms * (0.02 + rows**2 * (8e-8 + 9e-10 * columns))

    @property
    def remedy(self) -> str:
        if self.estimate != "loo" and self.kernel == "rbf":
            return f"a larger {option('step')}, {option('kernel', 'linear')} or fewer rows take less"
        return super().remedy

    def refuse_hours(self) -> None:
        """Refuse a leave-one-out ranking that would take hours."""
        hours = self.seconds / 3600
        if self.estimate == "loo" and hours > MOST_HOURS:
            chosen = option("estimate", "loo")
            problem = f"{chosen} with the SVM would fit {self.models:,} models, in about {hours:,.0f} hours"
            raise UsageError(f"{problem}; use {option('estimate', 'cv')}, or a larger {option('step')}")
