"""Fitted models of random tables, and what permuting does to them by one call of predict_proba for each shuffle."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from probfs.classifiers.estimators.column_encoders import make_encoder
from probfs.classifiers.estimators.fitted_model import FittedModel, fit_model
from probfs.classifiers.estimators.recipe import Encoding, Recipe
from probfs.classifiers.refitting.donors import Donors, draw_donors
from probfs.classifiers.refitting.splits import Split
from probfs.classifiers.refitting.training_rows import TrainingData
from probfs.columns.dataset import Dataset
from probfs.runtime.caught_warnings import dispatch_warnings
from probfs.tables.table import Floats


def fitted(dataset: Dataset, estimator: Any, encoding: Encoding, **more: Any) -> FittedModel:
    """The estimator fitted on all labelled rows and all features."""
    recipe = Recipe(estimator, encoding, "the test", **more)
    encoder = make_encoder(dataset, encoding, "the test")
    data = TrainingData(encoder, dataset.labels, dataset.counts, len(dataset.classes))
    everything = Split.without_scoring()
    with dispatch_warnings:
        return fit_model(recipe, data.matrix(np.arange(len(dataset.features)), everything), data.rows(everything))


def donors_of(dataset: Dataset, permutations: int = 4) -> Donors:
    """For all rows, labelled and unlabelled."""
    counts = np.concatenate([dataset.counts, dataset.unlabelled_counts])
    return draw_donors(counts, dataset.counts, permutations, np.random.default_rng(1))


def rows_of(dataset: Dataset) -> np.ndarray:
    """The positions of all distinct rows, labelled ones first."""
    return np.arange(len(dataset.labels) + len(dataset.unlabelled_counts))


def slow_changes(model: FittedModel, rows: np.ndarray, donors: Donors, features: int) -> tuple[Floats, Floats]:
    """The probabilities of rows, and by how much they exceed the mean ones with each feature permuted."""
    actual = model.predict(model.cells.take(rows))
    changes = np.zeros((*actual.shape, features))
    for feature in range(features):
        for line in donors:
            same = np.full(len(rows), feature)
            changes[:, :, feature] += actual - model.predict(model.cells.exchange(rows, same, line))
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
