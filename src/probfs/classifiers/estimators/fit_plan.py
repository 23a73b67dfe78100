"""Which models of an estimator a ranking fits. How long that takes is known once the first are fitted."""

from __future__ import annotations

from dataclasses import dataclass

from probfs.classifiers.refitting.fit_plan import FitPlan


@dataclass(frozen=True)
class EstimatorFitPlan(FitPlan):
    """The models of all rounds of a ranking; their effort is in an unknown unit."""

    name: str
    """Of the estimator, in words."""

    @property
    def model(self) -> str:
        return self.name

    @property
    def seconds(self) -> None:
        return None

    def model_effort(self, features: int) -> float:
        """About linear in the features, whether they are permuted or only looked at, beside what any fit takes."""
        return 1.0 + features
