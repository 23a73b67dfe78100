"""Which models a ranking fits: how many, in which tasks, and about how long that takes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from probfs.classifiers.options import EstimateName, Removal
from probfs.text import option

_TASKS_PER_JOB = 2
_MOST_MODELS_PER_TASK = 8


@dataclass(frozen=True)
class FitPlan(ABC):
    """The models of all rounds of a ranking."""

    removal: Removal
    estimate: EstimateName
    splits: int
    rounds: Sequence[int]
    """How many features each round starts with."""
    jobs: int

    models_beside: ClassVar[int] = 0
    """How many models a round fits that score nothing, where it compares models."""

    @property
    @abstractmethod
    def model(self) -> str:
        """What is fitted, in words."""

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
        """How many models are fitted at a time. The only model of a round is fitted alone."""
        return self.jobs if self.compares_models else 1

    @property
    @abstractmethod
    def seconds(self) -> float | None:
        """How long the ranking takes: a rough estimate, or None where only its first models will tell."""

    @abstractmethod
    def model_effort(self, features: int) -> float:
        """What one model of so many features takes, and its scoring of rows, in any unit."""

    @property
    def remedy(self) -> str:
        """What would take less time, in words."""
        if self.estimate == "loo":
            return f"{option('estimate', 'cv')} takes less"
        return f"a larger {option('step')} takes less"

    def effort(self, models: int) -> float:
        """What the first ``models`` of the ranking take together, one at a time."""
        effort, remaining = 0.0, models
        for features in self.rounds:
            fitted = min(remaining, self._models_in_round(features))
            effort += fitted * self.model_effort(features)
            remaining -= fitted
        return effort

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
        return self.splits * models + self.models_beside * int(self.compares_models)
