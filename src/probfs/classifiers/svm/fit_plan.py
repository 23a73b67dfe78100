"""Which models a ranking fits: how many, in which tasks, and how long that takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from probfs.classifiers.estimates import EstimateName
from probfs.classifiers.svm.options import Removal
from probfs.errors import UsageError
from probfs.text import counted, option

MOST_HOURS = 2.0
"""Leave-one-out rankings that would take longer are refused."""
_LONG_SECONDS = 60.0
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
    def seconds(self) -> float:
        """A rough estimate, from measurements: small fits take some milliseconds, large ones grow with the square of
        their rows.
        """
        binary_svms = 1 if self.classes == 2 else self.classes
        return self.models * binary_svms * (0.02 + 6e-8 * self.labelled_rows**2) / self.jobs

    @property
    def takes_long(self) -> bool:
        """Whether the user should be told what the ranking costs before it begins."""
        return self.seconds > _LONG_SECONDS

    def describe(self) -> str:
        """What the whole ranking costs, in words."""
        seconds = self.seconds
        time = counted(round(seconds), "second") if seconds < 120 else counted(round(seconds / 60), "minute")
        return f"{counted(self.models, 'model')} will be fitted, in about {time}"

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
