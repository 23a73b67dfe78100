"""Which estimators take a row's weight for so many equal rows, and how often rows are repeated for the others."""

from __future__ import annotations

from typing import Any

import numpy as np

from probfs.tables.table import Integers

MOST_COPIES = 1_000_000
"""Rows that an estimator is given, about: beyond, each row is repeated less often, in proportion."""
_SMOOTH_SOLVERS = ("lbfgs", "newton-cg", "newton-cholesky")
"""The solvers of a logistic regression that do not draw rows."""


def takes_weights_for_copies(estimator: Any) -> bool:
    """Whether a row of weight 5 is the same to an estimator as five equal rows: a few of scikit-learn's own of which
    that is known. Most do something to rows that weights do not reach: they scale, fold, draw or count them.
    """
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import BernoulliNB, CategoricalNB, ComplementNB, MultinomialNB

    # A subclass may do anything. GaussianNB smooths by a variance without weights.
    if type(estimator) is LogisticRegression:
        return estimator.solver in _SMOOTH_SOLVERS and estimator.class_weight != "balanced"
    return type(estimator) in (BernoulliNB, CategoricalNB, ComplementNB, MultinomialNB)


def choose_copies(counts: Integers, most: int | None = None) -> Integers:
    """How often each row is repeated: as often as it occurs, or in proportion to that, at least once each, where these
    are more rows than ``most``. What is lost by rounding down goes to the rows that lose most.

    >>> choose_copies(np.array([1, 60, 39]), 10)
    array([1, 6, 4])
    """
    allowed = MOST_COPIES if most is None else most
    total = int(counts.sum())
    if total <= allowed:
        return counts
    quotas = counts * (allowed / total)
    copies = np.floor(quotas).astype(np.int64)
    short = max(0, allowed - int(copies.sum()))
    copies[np.argsort(copies - quotas, kind="stable")[:short]] += 1
    found: Integers = np.maximum(copies, 1)
    return found
