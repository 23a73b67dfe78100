"""What elimination needs of a classifier: score the active features, and drop some of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from probfs.classifiers.extended_range import Scaled

Features = npt.NDArray[np.intp]
"""Features by their positions in the dataset."""


@dataclass(frozen=True, eq=False)
class RoundScores:
    """The three scores of every active feature, and how well the model with all of them does."""

    s_s: Scaled
    s_a: Scaled
    s_su: Scaled | None
    rows: int
    errors: int
    absolute_loss: float
    log_loss: float

    def driving(self, score: str) -> Scaled:
        """The score that decides who leaves."""
        if score == "absolute":
            return self.s_s
        if score == "signed":
            return self.s_a
        if self.s_su is None:
            raise ValueError("no unlabelled rows to score")
        return self.s_su


class Backend(Protocol):
    """A fitted classifier that can tell what each active feature does to its probabilities."""

    @property
    def active(self) -> Features: ...

    def score(self) -> RoundScores:
        """The scores of all active features."""
        ...

    def lowest(self, score: str, wanted: int) -> tuple[Features, RoundScores]:
        """Some active features, in their order, among which are those with the ``wanted`` lowest scores and all that
        are tied with these; and their scores.
        """
        ...

    def drop(self, features: Features) -> None: ...

    @property
    def notes(self) -> tuple[str, ...]:
        """What a user should know of the models, once the last round is over."""
        ...
