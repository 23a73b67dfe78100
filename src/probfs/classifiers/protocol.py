"""The interface of fitted classifiers, which score the active features and drop some; and what they are fitted on."""

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
    """The power that class weights were raised to; None for a classifier that does not shrink log-odds."""
    cv_errors: int | None = None
    """Errors on cross-validated decision values, for classifiers that compute these values anyway."""

    def driving(self, score: Score) -> Floats:
        """The score that decides which features leave."""
        found: Floats | None = getattr(self, score.key)
        if found is None:
            raise ValueError(f"the classifier gave no {score.key}")
        return found


class Classifier(Protocol):
    """A fitted classifier that tells how each active feature changes its probabilities."""

    @property
    def active(self) -> Features: ...

    @property
    def calibrated(self) -> bool:
        """Whether probabilities are calibrated by fitting, and need no sharpness. Such models are fitted anew in every
        round, so that a caller who needs the odds of several rounds should keep them.
        """

    @property
    def notes(self) -> tuple[Note, ...]:
        """What a user should know of the models of all rounds; complete after the last round."""

    def score(self) -> RoundScores:
        """The scores of all active features."""

    def drop(self, features: Features) -> None: ...

    def odds(self, features: Sequence[int] | None = None) -> Odds:
        """The odds of the labelled rows, always in the same order, with the active features or with the given ones. A
        calibrated classifier knows those of the active features once they are scored, and those without a feature.
        """


@dataclass(frozen=True)
class FitRequest:
    """The data that a classifier is fitted to, and how it is fitted."""

    dataset: Dataset
    estimate: EstimateName
    folds: int | None
    seed: int
    rounds: Sequence[int]
    """The number of features of each round of the elimination."""
    on_note: Callable[[Note], None] = lambda note: None
    on_model: Callable[[int, int], None] | None = None
    """Called after each fit with how many models have been fitted and how many there will be."""
    counts: ValueCounts | None = None
    """The counts of the dataset, if they are known already."""
    blocks: Blocks | None = None
    """The rows, for a classifier that takes blocks; the dataset may then have only one row for each class."""
    part: Part = EVERYTHING
    """The part of the blocks that the model is made of."""


@dataclass(frozen=True)
class HoldOutRequest:
    """A model to train on some rows with some features, and other rows that it predicts."""

    dataset: Dataset
    features: Sequence[int]
    """By position in the dataset."""
    training: ValueCounts
    """The counts of the training rows, of all features."""
    held_out: Integers
    """How many copies of each row of the dataset are predicted."""
    seed: int
