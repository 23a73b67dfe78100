"""Options of the built-in estimators reach scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest

from probfs.classifiers.catalogue import Boosting, Forest, Logistic
from probfs.classifiers.estimators.built_in import gradient_boosting, logistic_regression, random_forest
from tests.support import refitted_estimators as slow
from tests.support.svm_tables import random_dataset


def test_the_forest_has_its_options() -> None:
    plain = random_forest(Forest().in_effect(), 3)
    own = plain.estimator.get_params()
    assert (own["n_estimators"], own["min_samples_leaf"], own["max_depth"], own["random_state"]) == (100, 5, None, 3)
    assert plain.encoding == "single"
    chosen = random_forest(Forest(trees=7, leaf=2, depth=4, jobs=1).in_effect(), 2**32 + 1).estimator
    own = chosen.get_params()
    assert (own["n_estimators"], own["min_samples_leaf"], own["max_depth"], own["random_state"]) == (7, 2, 4, 1)
    assert own["n_jobs"] == 1


def test_boosting_has_its_options_and_small_leaves_in_small_tables() -> None:
    small = random_dataset(1, 60, "c", gaps=0)
    own = gradient_boosting(small, Boosting().in_effect(), 3).estimator.get_params()
    assert (own["max_iter"], own["learning_rate"], own["max_depth"], own["random_state"]) == (100, 0.1, None, 3)
    assert own["min_samples_leaf"] == small.rows // 20 == 3
    assert own["early_stopping"] is False
    large = random_dataset(1, 500, "c", gaps=0)
    assert gradient_boosting(large, Boosting().in_effect(), 3).estimator.min_samples_leaf == 20
    given = Boosting(iterations=4, learning_rate=0.5, leaf=9, depth=2).in_effect()
    own = gradient_boosting(large, given, 3).estimator.get_params()
    assert (own["max_iter"], own["learning_rate"], own["min_samples_leaf"], own["max_depth"]) == (4, 0.5, 9, 2)


def test_the_penalty_of_logistic_regression_follows_the_table_unless_it_is_given() -> None:
    dataset = random_dataset(1, 60, "cdt", counted=True)
    cells = np.hstack([slow.standardised(feature, dataset.counts) for feature in dataset.features])[
        : len(dataset.labels)
    ]
    repeated = np.repeat(cells, dataset.counts, axis=0)
    found = logistic_regression(dataset, Logistic().in_effect()).estimator.C
    assert found == pytest.approx(1 / np.mean(np.sum(repeated**2, axis=1)))
    assert logistic_regression(dataset, Logistic(C=3).in_effect()).estimator.C == 3.0
