"""Fitted models of random tables, and what permuting does to them by one call of predict_proba for each shuffle."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from probfs.classifiers.estimators.model import EstimatorTrainer, FittedEstimator
from probfs.classifiers.estimators.recipes import Encoding, Recipe
from probfs.classifiers.refitting.rows import Donors, draw_donors
from probfs.columns.dataset import Dataset
from probfs.tables.arrays import Floats


def fitted(dataset: Dataset, estimator: Any, encoding: Encoding, **more: Any) -> FittedEstimator:
    """The estimator fitted on all labelled rows and all features."""
    trainer = EstimatorTrainer.of(dataset, Recipe(estimator, encoding, "the test", **more))
    return trainer.fit(np.arange(len(dataset.features)), dataset.counts)


def donors_of(dataset: Dataset, permutations: int = 4) -> Donors:
    """For all rows, labelled and unlabelled."""
    counts = np.concatenate([dataset.counts, dataset.unlabelled_counts])
    return draw_donors(counts, dataset.counts, permutations, np.random.default_rng(1))


def rows_of(dataset: Dataset) -> np.ndarray:
    """The positions of all distinct rows, labelled ones first."""
    return np.arange(len(dataset.labels) + len(dataset.unlabelled_counts))


def slow_changes(model: FittedEstimator, rows: np.ndarray, donors: Donors, features: int) -> tuple[Floats, Floats]:
    """The probabilities of rows, and by how much they exceed the mean ones with each feature permuted."""
    actual = model.predict(model.cells.take(rows), rows)
    changes = np.zeros((*actual.shape, features))
    for feature in range(features):
        for line in donors:
            same = np.full(len(rows), feature)
            changes[:, :, feature] += actual - model.predict(model.cells.exchange(rows, same, line), rows)
    return actual, changes / len(donors)


def without_codes_of_classes(dataset: Dataset, label: int) -> Dataset:
    """The dataset in which no labelled row is of one class, which stays a class."""
    kept = np.flatnonzero(dataset.labels != label)
    return replace(
        dataset,
        features=tuple(replace(own, labelled=own.labelled[kept]) for own in dataset.features),
        labels=dataset.labels[kept],
        counts=dataset.counts[kept],
    )
