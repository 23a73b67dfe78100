"""How many binary SVMs were fitted, and how many of them deserve a note."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from probfs.classifiers.svm.binary_svm import BinarySvm


@dataclass(frozen=True)
class FitTally:
    """Binary SVMs in all, those whose sigmoid came out decreasing, and those that did not converge."""

    binary_svms: int = 0
    inverted: int = 0
    unconverged: int = 0

    @classmethod
    def of(cls, svms: Sequence[BinarySvm]) -> FitTally:
        return cls(len(svms), sum(svm.inverted for svm in svms), sum(not svm.converged for svm in svms))

    def __add__(self, other: FitTally) -> FitTally:
        return FitTally(
            self.binary_svms + other.binary_svms,
            self.inverted + other.inverted,
            self.unconverged + other.unconverged,
        )
