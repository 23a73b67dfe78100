"""Selecting by the support vector machine and by other estimators, judged by cross-validation: no temperature."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_limits

import probfs
from probfs import DataError
from probfs.runtime.progress import Progress


def linear_frame(rows: int = 60) -> pd.DataFrame:
    """Two columns that tell the class, a near copy of one of them, and noise."""
    random = np.random.default_rng(0)
    first, second, noise = (random.normal(size=rows).round(3) for _ in range(3))
    sick = first + second + random.normal(size=rows) / 2 > 0
    copy = (first + random.normal(size=rows) / 3).round(3)
    return pd.DataFrame({"first": first, "second": second, "copy": copy, "noise": noise, "sick": sick})


def select(frame: pd.DataFrame, **keywords: Any) -> probfs.Selection:
    return probfs.select(frame, target="sick", **{"classifier": "svm", "folds": 0, "permutations": 5, **keywords})


@pytest.mark.parametrize(
    ("classifier", "options"),
    [
        ("svm", {"kernel": "rbf"}),
        ("forest", {"trees": 5, "permutations": 3, "jobs": 3}),
        (DecisionTreeClassifier(max_depth=3), {"permutations": 3}),
    ],
    ids=["svm", "forest", "estimator"],
)
def test_columns_that_tell_only_together_are_kept_and_none_is_tested(
    classifier: Any, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    fit, jobs = RandomForestClassifier.fit, set()

    def recording_fit(self: Any, *cells: Any, **more: Any) -> Any:
        jobs.add(self.n_jobs)
        return fit(self, *cells, **more)

    monkeypatch.setattr(RandomForestClassifier, "fit", recording_fit)
    one, other = np.random.default_rng(3).integers(0, 2, (2, 80))
    noise = np.random.default_rng(4).integers(0, 3, 80)
    frame = pd.DataFrame({"noise": noise, "one": one, "other": other}).astype(str).assign(sick=one ^ other)
    with threadpool_limits(1):
        selection = select(frame, classifier=classifier, **{"folds": 2, **options})
    assert set(selection.kept) == {"one", "other"}
    assert selection.honest is not None
    assert selection.honest.kept.errors < 0.2 * selection.honest.kept.rows
    assert {own.verdict for own in selection.features} <= {"keep", "weak", "redundant"}
    document = json.loads(selection.to_json())
    assert [own["temperature"] for own in document["sizes"]] == [None] * 4
    assert [(own["p"], own["q"]) for own in document["features"]] == [(None, None)] * 3
    assert document["settings"]["estimate"] == "cv"
    assert jobs == ({3} if classifier == "forest" else set()), "of the models of the folds, too"


def test_a_linear_choice_has_the_order_and_the_losses_of_a_ranking() -> None:
    frame = linear_frame()
    heard: list[Progress] = []
    selection = select(frame, on_progress=heard.append)
    verdicts = {own.feature: own.verdict for own in selection.features}
    assert verdicts["noise"] == "noise"
    assert verdicts["second"] == "keep"
    assert {verdicts["first"], verdicts["copy"]} == {"keep", "redundant"}
    survivors = [own for own in selection.features if own.verdict != "noise"]
    ranking = probfs.rank(
        frame,
        target="sick",
        classifier="svm",
        estimate="cv",
        permutations=5,
        score="signed",
        include=[own.feature for own in survivors],
    )
    assert [own.feature for own in ranking.features] == [own.feature for own in survivors]
    by_size = {own.features: own for own in ranking.rounds}
    for size in selection.sizes[1:]:
        assert size.log_loss == pytest.approx(by_size[size.features].log_loss, rel=1e-12)
        assert size.errors == by_size[size.features].errors
    models = [(own.done, own.total) for own in heard if own.unit == "models"]
    assert models[-1] == (33, 33)


def test_a_class_of_too_few_rows_for_two_to_train_on_is_refused() -> None:
    frame = linear_frame(20)[["first", "second", "sick"]].astype({"sick": str})
    frame.loc[:2, "sick"] = "rare"
    with pytest.raises(DataError, match=r"'rare' has 3 rows only, .* use folds=0, or drop the class with min_class=5"):
        select(frame, folds=3)
    assert select(frame, always="first").input.classes["rare"] == 3


def test_a_linear_model_tests_columns_first() -> None:
    generator = np.random.default_rng(0)
    sick = np.arange(60) % 2
    frame = pd.DataFrame(
        {"dose": generator.normal(size=60) + 2 * sick, "noise": generator.normal(size=60), "sick": sick}
    )
    for classifier in ("logistic", GaussianNB()):
        selection = probfs.select(frame, target="sick", classifier=classifier, folds=0)
        assert selection.kept == ("dose",)
        assert selection.settings.model.default_estimate == "cv"
