"""Exchanged terms of a logistic regression against predict_proba of exchanged rows."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from probfs.classifiers.estimators.linear_terms import permute_terms
from tests.support.fitted_estimators import donors_of, fitted, rows_of, slow_changes, without_codes_of_classes
from tests.support.svm_tables import random_dataset


@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("missing_is_value", [False, True])
def test_terms_give_what_predict_proba_gives(classes: int, missing_is_value: bool) -> None:
    dataset = random_dataset(classes, 40, "cdtts", classes, 6, True, 0.2, missing_is_value)
    model = fitted(dataset, LogisticRegression(C=0.5, max_iter=500), "standardised")
    rows, donors = rows_of(dataset), donors_of(dataset)
    actual, changes = slow_changes(model, rows, donors, 5)
    found, found_changes = permute_terms(model, rows, donors)
    np.testing.assert_allclose(found, actual, atol=1e-12)
    np.testing.assert_allclose(found_changes, changes, atol=1e-12)
    # The last feature is always the same, but for missing cells.
    assert missing_is_value or (found_changes[:, :, 4] == 0).all()


@pytest.mark.parametrize("absent", [0, 2])
def test_a_class_without_training_rows_is_impossible(absent: int) -> None:
    dataset = without_codes_of_classes(random_dataset(5, 30, "cd", classes=3), absent)
    model = fitted(dataset, LogisticRegression(), "standardised")
    found, changes = permute_terms(model, rows_of(dataset), donors_of(dataset))
    assert (found[absent] == 0).all()
    np.testing.assert_allclose(found.sum(axis=0), 1)
    np.testing.assert_allclose(changes.sum(axis=0), 0, atol=1e-12)
