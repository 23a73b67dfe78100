"""Reports of fits add up, and each kind of model is asked in its own way."""

from __future__ import annotations

import numpy as np
from sklearn.ensemble import RandomForestClassifier

from probfs.classifiers.estimators.tasks import FitReport, asks_trees, judge
from tests.support.fitted_estimators import fitted, rows_of
from tests.support.svm_tables import random_dataset


def test_reports_keep_the_first_warning_and_the_most_unjudged_rows() -> None:
    total = FitReport(2, 0, None, 3) + FitReport(1, 1, "first", 5) + FitReport(1, 1, "second", 0)
    assert total == FitReport(4, 2, "first", 5)


def test_trees_are_asked_one_by_one_where_a_column_is_a_feature_or_a_value() -> None:
    dataset = random_dataset(1, 30, "ct", 3)
    forest = RandomForestClassifier(3, random_state=0)
    assert asks_trees(fitted(dataset, forest, "single"))
    framed = fitted(dataset, forest, "filled")
    assert not asks_trees(framed)
    assert framed.estimator is not None
    found, unjudged = judge(framed, rows_of(dataset))
    assert unjudged == 0
    np.testing.assert_array_equal(found.T, framed.estimator.predict_proba(framed.cells.take(rows_of(dataset))))
