"""Log-odds that are sums of terms, one of each feature: permuting a feature exchanges a row's term for its donor's."""

from __future__ import annotations

import numpy as np
from scipy.special import expit, softmax

from probfs.classifiers.estimators.cells import MatrixCells
from probfs.classifiers.estimators.fitted_model import FittedModel
from probfs.classifiers.refitting.design_matrix import Positions
from probfs.classifiers.refitting.donors import Donors
from probfs.tables.table import Floats


def permute_terms(model: FittedModel, rows: Positions, donors: Donors) -> tuple[Floats, Floats]:
    """The probabilities of some rows by a logistic regression, and by how much they exceed the mean ones with each
    feature permuted: classes × rows, and classes × rows × features.
    """
    cells, estimator = model.cells, model.estimator
    assert isinstance(cells, MatrixCells)
    assert estimator is not None
    values = cells.cells[rows] @ estimator.coef_.T + estimator.intercept_
    actual = _to_probabilities(model, values)
    changes = np.empty((len(actual), len(rows), len(cells.widths)))
    for feature in range(len(cells.widths)):
        columns = cells.columns_of(feature)
        terms = cells.cells[:, columns] @ estimator.coef_[:, columns].T
        # Differences before means, so that a feature without effect scores exactly 0, not a rounding error.
        change = np.zeros_like(actual)
        for donor in donors:
            exchange = terms[donor] - terms[rows]
            change += actual - _to_probabilities(model, values + exchange)
        changes[:, :, feature] = change / len(donors)
    return actual, changes


def _to_probabilities(model: FittedModel, values: Floats) -> Floats:
    """From log-odds of the second of two classes, or from the weights' logarithms of more: rows × classes."""
    if values.shape[1] == 1:
        second = expit(values[:, 0])
        return model.aligned(np.stack([1 - second, second], axis=1))
    return model.aligned(softmax(values, axis=1))
