"""What a classifier is fitted on, and what elimination needs of it: score the active features, and drop some."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np
import numpy.typing as npt

from probfs.classifiers.options import EstimateName
from probfs.classifiers.row_odds import Odds
from probfs.classifiers.scores import Score
from probfs.notes import Note
from probfs.rows.blocks import EVERYTHING, Part
from probfs.tables.arrays import Floats

if TYPE_CHECKING:
    from probfs.columns.dataset import Dataset, ValueCounts
    from probfs.rows.blocks import Blocks
    from probfs.tables.arrays import Integers

Features = npt.NDArray[np.intp]
"""Features by their positions in the dataset."""


@dataclass(frozen=True, eq=False)
class RoundScores:
    """The scores of every active feature, and how well the model with all of them does."""

    s_s: Floats
    s_a: Floats
    s_su: Floats | None
    rows: int
    errors: int
    absolute_loss: float
    log_loss: float
    exponent: float | None = None
    """The power that class weights were raised to; None for a classifier that does no such thing."""
    cv_errors: int | None = None
    """Errors of the model on cross-validated decision values, for classifiers that have such values anyway."""

    def driving(self, score: Score) -> Floats:
        """The score that decides which features leave."""
        found: Floats | None = getattr(self, score.key)
        if found is None:
            raise ValueError(f"the classifier gave no {score.key}")
        return found


class Classifier(Protocol):
    """A fitted classifier that can tell what each active feature does to its probabilities."""

    @property
    def active(self) -> Features: ...

    @property
    def calibrated(self) -> bool:
        """Whether fitting calibrates probabilities, so that they need no temperature. Such models are fitted anew in
        every round, so that whoever wants the odds of several rounds had better keep them.
        """

    @property
    def notes(self) -> tuple[Note, ...]:
        """What a user should know of the models, once the last round is over."""

    def score(self) -> RoundScores:
        """The scores of all active features."""

    def drop(self, features: Features) -> None: ...

    def odds(self, features: Sequence[int] | None = None) -> Odds:
        """Of the labelled rows, always in the same order, with the active features or with some others: of a calibrated
        classifier only with none, and with the active ones once these are scored.
        """


@dataclass(frozen=True)
class FitRequest:
    """What a classifier is fitted on, and how."""

    dataset: Dataset
    estimate: EstimateName
    folds: int | None
    seed: int
    rounds: Sequence[int]
    """How many features each round of the elimination will have."""
    on_note: Callable[[Note], None] = lambda note: None
    on_model: Callable[[int, int], None] | None = None
    """To be called with how many models have been fitted and how many there will be."""
    counts: ValueCounts | None = None
    """Those of the dataset, where they are known already."""
    blocks: Blocks | None = None
    """Where the rows are, for a classifier that takes blocks; the dataset may have one for each class only."""
    part: Part = EVERYTHING
    """Of the blocks."""


@dataclass(frozen=True)
class HoldOutRequest:
    """Rows that a model of some features is trained on, and rows that it judges."""

    dataset: Dataset
    features: Sequence[int]
    """By position in the dataset."""
    training: ValueCounts
    """The counts of the training rows, of all features."""
    held_out: Integers
    """How many copies of each row of the dataset are judged."""
    seed: int
