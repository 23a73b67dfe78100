"""A classifier that fits models anew in every round: what a round is, whatever the model."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from operator import add

import numpy as np

from probfs.classifiers.protocol import Features, RoundScores
from probfs.classifiers.refitting.donors import Donors, draw_donors
from probfs.classifiers.refitting.fit_plan import FitPlan
from probfs.classifiers.refitting.score_shares import ScoreShare
from probfs.classifiers.refitting.splits import Split
from probfs.classifiers.refitting.time_forecast import TimeForecast
from probfs.classifiers.row_odds import RowOdds
from probfs.classifiers.scores import Score
from probfs.columns.dataset import Dataset
from probfs.notes import Note
from probfs.runtime.processes import Workers


class RefittedClassifier(ABC):
    """The features that are still active, and the models of a round, of which subclasses know how to fit them."""

    compiled = False
    calibrated = True
    """Probabilities are taken as the models give them."""

    def __init__(
        self,
        dataset: Dataset,
        splits: Sequence[Split],
        plan: FitPlan,
        *,
        permutations: int | None,
        seed: int,
        on_model: Callable[[int, int], None] | None,
        on_note: Callable[[Note], None] | None,
    ) -> None:
        """Prepare to rank a dataset whose rows are ordered by content (``order_by_content``)."""
        if plan.removal == "permute" and permutations is None:
            raise ValueError("permuting features needs a number of permutations")
        self._dataset = dataset
        self._splits = splits
        self._plan = plan
        self._permutations = permutations or 0
        self._seed = seed
        self._on_model = on_model
        self._active: Features = np.arange(len(dataset.features))
        self._forecast = TimeForecast(plan, on_note or (lambda note: None))
        self._forecast.announce()
        self._workers = Workers(plan.jobs, plan.tasks)
        self._models = plan.models
        self._models_done = 0
        self._round = 0
        self._odds: RowOdds | None = None
        """Of the rows that the models of all active features scored; None before they are fitted."""

    @property
    def active(self) -> Features:
        return self._active

    @property
    @abstractmethod
    def notes(self) -> tuple[Note, ...]: ...

    @abstractmethod
    def _score_permuted(self) -> Iterable[ScoreShare]:
        """The shares of this round's models, features being removed by permuting them."""

    @abstractmethod
    def _score_retrained(self) -> Iterable[ScoreShare]:
        """The shares of this round's models, each feature being removed by a new model without it."""

    @abstractmethod
    def _judge_without_features(self) -> RowOdds:
        """The odds of the labelled rows by models that have no feature."""

    def drop(self, features: Features) -> None:
        self._active = np.setdiff1d(self._active, features, assume_unique=True)
        self._odds = None

    def odds(self) -> RowOdds:
        if self._odds is None:
            if len(self._active):
                raise ValueError("there are no odds before the active features are scored")
            self._odds = self._judge_without_features()
        return self._odds

    def lowest(self, score: Score, wanted: int) -> tuple[Features, RoundScores]:
        # Every round has models of its own, so nothing is known of its scores beforehand.
        return self.active, self.score()

    def score(self) -> RoundScores:
        self._forecast.start()
        self._round += 1
        shares = self._score_permuted() if self._plan.removal == "permute" else self._score_retrained()
        total = reduce(add, shares)
        self._odds = total.odds
        rows, unlabelled = self._dataset.rows, self._dataset.unlabelled_rows
        everywhere = total.labelled.absolute + total.unlabelled.absolute
        return RoundScores(
            total.labelled.absolute / rows,
            total.labelled.signed / rows,
            everywhere / (rows + unlabelled) if unlabelled else None,
            rows,
            round(total.odds.errors),
            total.absolute_loss / rows,
            # A forest may rule out a row's own class.
            total.odds.mean_loss,
        )

    def _draw_donors(self) -> Donors:
        """Donors for all rows. They are labelled ones, so that the scores of labelled rows do not depend on which
        unlabelled rows are given.
        """
        generator = np.random.default_rng([self._seed, self._round])
        counts, unlabelled_counts = self._dataset.counts, self._dataset.unlabelled_counts
        labelled = draw_donors(counts, counts, self._permutations, generator)
        if not len(unlabelled_counts):
            return labelled
        return np.hstack([labelled, draw_donors(unlabelled_counts, counts, self._permutations, generator)])

    def _report_models(self, fitted: int) -> None:
        self._models_done += fitted
        self._forecast.update(self._models_done)
        if self._on_model is not None:
            self._on_model(self._models_done, self._models)
