"""Columns selected by estimators: those that tell only together are found, and a user's own estimator selects too."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_limits

import probfs


def xor(rows: int = 80) -> pd.DataFrame:
    generator = np.random.default_rng(3)
    first, second = generator.integers(0, 2, (2, rows))
    frame = pd.DataFrame({"noise": generator.integers(0, 3, rows).astype(str)})
    frame["one"], frame["other"] = np.array(["a", "b"])[first], np.array(["u", "v"])[second]
    return frame.assign(y=np.where(first ^ second, "yes", "no"))


@pytest.mark.parametrize(
    ("classifier", "options"),
    [
        ("forest", {"trees": 5, "permutations": 3}),
        (DecisionTreeClassifier(max_depth=3), {"permutations": 3}),
    ],
    ids=["forest", "estimator"],
)
def test_columns_that_tell_only_together_are_kept(classifier: Any, options: dict[str, Any]) -> None:
    with threadpool_limits(1):
        selection = probfs.select(xor(), target="y", classifier=classifier, folds=2, **options)
    assert set(selection.kept) == {"one", "other"}
    assert selection.honest is not None
    assert selection.honest.kept.errors < 0.2 * selection.honest.kept.rows
    assert all(own.q is None or np.isnan(own.q) for own in selection.features)


def test_a_linear_model_tests_columns_first() -> None:
    generator = np.random.default_rng(0)
    sick = np.arange(60) % 2
    frame = pd.DataFrame({"dose": generator.normal(size=60) + 2 * sick, "noise": generator.normal(size=60)})
    frame["sick"] = np.where(sick, "yes", "no")
    for classifier in ("logistic", GaussianNB()):
        selection = probfs.select(frame, target="sick", classifier=classifier, folds=0)
        assert selection.kept == ("dose",)
        assert selection.settings.model.default_estimate == "cv"
