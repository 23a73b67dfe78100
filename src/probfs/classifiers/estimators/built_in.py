"""The estimators of scikit-learn that come with names of their own, and how each likes its columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from joblib import cpu_count

from probfs.classifiers.estimators.recipe import MOST_SEED, Recipe
from probfs.classifiers.refitting.design_matrix import DesignMatrixBuilder, inverse_mean_square
from probfs.columns.dataset import Dataset

_MOST_STEPS = 1_000
_LEAF_OF_FOREST = 5
_LEAF_OF_BOOSTING = 20


def logistic_regression(dataset: Dataset, options: Mapping[str, Any]) -> Recipe:
    """C is chosen once, for the table with all its features, as the SVM's is."""
    from sklearn.linear_model import LogisticRegression

    name = "the logistic regression"
    cost = options["C"]
    if isinstance(cost, str):
        everything = np.arange(len(dataset.features))
        cells = DesignMatrixBuilder(dataset, name).build(everything, dataset.counts).cells[: len(dataset.labels)]
        cost = inverse_mean_square(cells, dataset.counts) if cells.shape[1] else 1.0
    estimator = LogisticRegression(C=cost, max_iter=_MOST_STEPS)
    return Recipe(estimator, "standardised", name, weighted=True, linear_terms=True)


def random_forest(options: Mapping[str, Any], seed: int) -> Recipe:
    from sklearn.ensemble import RandomForestClassifier

    estimator = RandomForestClassifier(
        n_estimators=options["trees"],
        min_samples_leaf=_LEAF_OF_FOREST if options["leaf"] == "auto" else options["leaf"],
        max_depth=_depth(options),
        random_state=seed % MOST_SEED,
        # In worker processes, which have a core each, this counts for nothing.
        n_jobs=options["jobs"] or cpu_count(),
    )
    return Recipe(estimator, "single", "the forest")


def gradient_boosting(dataset: Dataset, options: Mapping[str, Any], seed: int) -> Recipe:
    from sklearn.ensemble import HistGradientBoostingClassifier

    leaf = options["leaf"]
    if leaf == "auto":
        leaf = max(1, min(_LEAF_OF_BOOSTING, dataset.rows // _LEAF_OF_BOOSTING))
    estimator = HistGradientBoostingClassifier(
        max_iter=options["iterations"],
        learning_rate=options["learning_rate"],
        min_samples_leaf=leaf,
        max_depth=_depth(options),
        categorical_features=None,
        # Whether a model stops early would depend on the rows that it keeps for that.
        early_stopping=False,
        random_state=seed % MOST_SEED,
    )
    return Recipe(estimator, "native", "the boosting")


def _depth(options: Mapping[str, Any]) -> int | None:
    return None if options["depth"] == "any" else options["depth"]
