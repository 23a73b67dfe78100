"""Users' own estimators: what is asked of them, how columns reach them, and that counting categories is Naive Bayes."""

from __future__ import annotations

import json
import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer, make_column_selector, make_column_transformer
from sklearn.ensemble import (
    ExtraTreesClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    StackingClassifier,
)
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import CategoricalNB, GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

import probfs
from probfs.classifiers.estimators.own_estimator import (
    choose_categories,
    describe,
    seeded,
    wrap_estimator,
)
from probfs.errors import UsageError
from probfs.rendering.ranking_summary import summary_sentences


def table(rows: int = 40, seed: int = 0) -> pd.DataFrame:
    generator = np.random.default_rng(seed)
    sick = np.arange(rows) % 2
    return pd.DataFrame(
        {
            "dose": np.where(generator.random(rows) < 0.1, np.nan, generator.normal(size=rows) + 2 * sick),
            "site": np.where(generator.random(rows) < 0.2 + 0.6 * sick, "north", "south"),
            "noise": generator.normal(size=rows),
            "sick": np.where(sick, "yes", "no"),
        }
    )


@settings(max_examples=20, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    classes=st.integers(2, 4),
    features=st.integers(1, 4),
    alpha=st.sampled_from([0.5, 1.0, 2.0]),
    counted=st.booleans(),
    unlabelled=st.integers(0, 4),
    estimate=st.sampled_from(["loo", "cv", "resubstitution"]),
)
def test_counting_categories_and_retraining_is_closed_form_naive_bayes(
    seed: int, classes: int, features: int, alpha: float, counted: bool, unlabelled: int, estimate: str
) -> None:
    generator = np.random.default_rng(seed)
    rows, values = 12 + classes, 3
    labels = np.sort(np.arange(rows) % classes)
    frame = pd.DataFrame(
        {
            f"c{number}": np.array(list("xyz"))[
                np.where(generator.random(rows) < 0.4, labels % values, generator.integers(values, size=rows))
            ]
            for number in range(features)
        }
    )
    # Every column has all of its values, so that both models smooth over as many.
    for name in list(frame):
        frame.loc[frame.index[:values], name] = list("xyz")
    frame["n"] = generator.integers(1, 4, rows) if counted else 1
    frame["y"] = np.array(list("abcd"))[labels]
    chosen: dict[str, Any] = {"target": "y", "count": "n", "estimate": estimate, "keep_identifiers": True}
    chosen |= {"unlabeled": frame.iloc[3 : 3 + unlabelled].drop(columns="y")} if unlabelled else {}
    chosen |= {"folds": 3} if estimate == "cv" else {}
    estimator = CategoricalNB(alpha=alpha, min_categories=values)
    own = probfs.rank(frame, classifier=estimator, categories="codes", removal="retrain", jobs=1, **chosen)
    closed = probfs.rank(frame, smoothing=alpha, shrink="off", **chosen)
    by_name = {feature.feature: feature for feature in closed.features}
    for found in own.features:
        expected = by_name[found.feature]
        for key in ("initial_s_s", "initial_s_a", "initial_s_su"):
            value = getattr(expected, key)
            assert getattr(found, key) == (None if value is None else pytest.approx(value, abs=1e-9)), key
    assert own.rounds[0].absolute_loss == pytest.approx(closed.rounds[0].absolute_loss, abs=1e-9)
    # Of refitted models, no row's own probability is taken to be below 1 / (2 · rows).
    most = np.log(2 * frame["n"].sum())
    assert own.rounds[0].log_loss <= min(most, closed.rounds[0].log_loss) + 1e-9
    assert own.rounds[0].errors == closed.rounds[0].errors


@pytest.mark.parametrize(
    ("estimator", "message"),
    [
        (RandomForestClassifier, "classifier=: RandomForestClassifier is a class; give an object of it"),
        (LinearSVC(), "classifier=: LinearSVC() has no predict_proba; wrap it in sklearn's CalibratedClassifierCV"),
        (SVC(), "classifier=: SVC() has no predict_proba"),
        (object(), "is not one of nb, svm, logistic, forest, boosting"),
        (7, "classifier=: 7 is not one of nb, svm, logistic, forest, boosting"),
        ("tree", "classifier=: 'tree' is not one of nb, svm, logistic, forest, boosting"),
    ],
    ids=["class", "LinearSVC", "SVC", "object", "number", "word"],
)
def test_what_is_no_estimator_with_probabilities_is_told_in_one_line(estimator: Any, message: str) -> None:
    for call in (probfs.rank, probfs.select):
        with pytest.raises(UsageError) as caught:
            call(table(), classifier=estimator)
        assert message in str(caught.value)
        assert "\n" not in str(caught.value)


def test_something_that_only_fits_is_told_what_it_lacks() -> None:
    class Fits:
        def fit(self) -> None: ...

        def __repr__(self) -> str:
            return "Fits()"

    with pytest.raises(UsageError, match=r"Fits\(\) is no estimator of scikit-learn's kind"):
        probfs.rank(table(), target="sick", classifier=Fits())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"categories": "frames"}, "categories=: 'frames' is not one of onehot, codes, frame"),
        ({"trees": 3}, 'trees= goes with classifier="forest" only'),
        ({"bins": 3}, 'bins= goes with classifier="nb" only'),
        ({"estimate": "oob"}, 'estimate="oob": GaussianNB() has no such estimate; choose from loo, resubstitution, cv'),
        ({"kernel": "rbf"}, 'kernel= goes with classifier="svm" only'),
    ],
)
def test_options_of_others_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        probfs.rank(table(), target="sick", classifier=GaussianNB(), **options)
    assert str(caught.value) == message


def test_categories_go_with_an_estimator_only() -> None:
    with pytest.raises(UsageError, match=r"^categories= goes with an estimator given as classifier= only$"):
        probfs.rank(table(), target="sick", classifier="forest", categories="onehot")
    with pytest.raises(UsageError, match=r"^categories= goes with an estimator given as classifier= only$"):
        probfs.select(table(), target="sick", categories="onehot")


@pytest.mark.parametrize("name", ["nb", "svm", "logistic", "boosting"])
def test_out_of_bag_is_for_forests(name: str) -> None:
    with pytest.raises(UsageError) as caught:
        probfs.rank(table(), target="sick", classifier=name, estimate="oob")
    assert str(caught.value) == (
        f'estimate="oob": classifier="{name}" has no such estimate; choose from loo, resubstitution, cv'
    )
    with pytest.raises(UsageError, match="has no such estimate"):
        probfs.rank(table(), target="sick", classifier=ExtraTreesClassifier(), estimate="oob")


def test_a_user_s_forest_is_ranked_out_of_bag_as_the_built_in_one_is() -> None:
    own = RandomForestClassifier(7, min_samples_leaf=5)
    mine = probfs.rank(table(), target="sick", classifier=own, estimate="oob", seed=3)
    built_in = probfs.rank(table(), target="sick", classifier="forest", trees=7, estimate="oob", seed=3)
    assert mine.to_csv() == built_in.to_csv()


def test_out_of_bag_needs_trees_that_can_be_asked_one_by_one() -> None:
    own = RandomForestClassifier(3)
    with pytest.raises(UsageError) as caught:
        probfs.rank(table(), target="sick", classifier=own, categories="frame", estimate="oob")
    assert str(caught.value) == (
        'estimate="oob": with categories="frame" trees cannot be asked one by one; use categories="onehot" or '
        'categories="codes", or another estimate; choose from loo, resubstitution, cv'
    )
    assert "oob" in wrap_estimator(own, "codes").estimates
    assert "oob" not in wrap_estimator(RandomForestClassifier(bootstrap=False), "codes").estimates


class Late(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Has the probabilities of what it fits, which has none."""

    def fit(self, cells: Any, labels: Any) -> Late:
        self.model_ = LinearSVC().fit(cells, labels)
        self.classes_ = self.model_.classes_
        return self

    @property
    def predict_proba(self) -> Any:
        return self.model_.predict_proba


def test_an_estimator_may_tell_only_when_fitted_that_it_has_probabilities() -> None:
    stacked = StackingClassifier([("bayes", GaussianNB())], cv=2)
    assert not hasattr(stacked, "predict_proba")
    ranking = probfs.rank(table().fillna(0.0), target="sick", classifier=stacked, folds=2, permutations=3, jobs=1)
    assert ranking.features[0].feature in {"dose", "site"}
    with pytest.raises(UsageError) as caught:
        probfs.rank(table().fillna(0.0), target="sick", classifier=Late(), folds=2, jobs=1)
    assert str(caught.value) == (
        "classifier=: Late has no predict_proba once it is fitted; wrap it in sklearn's CalibratedClassifierCV"
    )


# --- how columns reach it ---------------------------------------------------------------------------------------------

SELECTING = make_column_transformer(
    (StandardScaler(), make_column_selector(dtype_include="number")),
    (OneHotEncoder(handle_unknown="ignore"), make_column_selector(dtype_include=["object", "string"])),
)


@pytest.mark.parametrize(
    ("estimator", "expected"),
    [
        (GaussianNB(), "onehot"),
        (CategoricalNB(), "codes"),
        (HistGradientBoostingClassifier(), "onehot"),
        (make_pipeline(StandardScaler(), LogisticRegression()), "onehot"),
        (make_pipeline(SELECTING, LogisticRegression()), "frame"),
        (CalibratedClassifierCV(make_pipeline(SELECTING, LogisticRegression())), "frame"),
    ],
)
def test_columns_come_as_the_estimator_likes_them(estimator: Any, expected: str) -> None:
    assert choose_categories(estimator) == expected
    assert wrap_estimator(estimator).categories == expected
    assert wrap_estimator(estimator, "onehot").categories == "onehot"


def test_numbers_are_cut_only_for_whoever_counts_categories() -> None:
    frame = table()
    codes = probfs.rank(frame, target="sick", classifier=CategoricalNB(min_categories=6), bins=3, folds=2)
    assert any(note.startswith("cut into 3") for note in codes.warnings)
    assert codes.settings.bins == 3
    assert not any(
        note.startswith("cut") for note in probfs.rank(frame, target="sick", classifier=GaussianNB(), folds=2).warnings
    )


@pytest.mark.parametrize("removal", ["permute", "retrain"])
def test_a_column_transformer_may_name_columns_that_leave(removal: Any) -> None:
    naming = ColumnTransformer(
        [("numbers", StandardScaler(), ["dose", "noise"]), ("texts", OneHotEncoder(handle_unknown="ignore"), ["site"])]
    )
    frame = table().fillna(0.0)
    by_name = probfs.rank(
        frame, target="sick", classifier=make_pipeline(naming, LogisticRegression()), removal=removal, folds=3
    )
    by_kind = probfs.rank(
        frame, target="sick", classifier=make_pipeline(SELECTING, LogisticRegression()), removal=removal, folds=3
    )
    assert [own.feature for own in by_name.features] == [own.feature for own in by_kind.features]
    for one, other in zip(by_name.features, by_kind.features, strict=True):
        assert one.s_s == pytest.approx(other.s_s, abs=1e-6)
    assert by_name.features[0].feature == "dose"


def test_a_name_that_is_no_column_is_told_before_the_first_fit() -> None:
    frame = table().fillna(0.0)
    misspelt = ColumnTransformer([("numbers", StandardScaler(), ["dosis", "noise"])])
    for call in (probfs.rank, probfs.select):
        with pytest.raises(UsageError) as caught:
            call(frame, target="sick", classifier=make_pipeline(misspelt, LogisticRegression()), jobs=1)
        assert str(caught.value) == (
            "classifier=: the ColumnTransformer's 'numbers' names 'dosis', which is no column of <frame>; did you "
            "mean 'dose'?"
        )
    # A column that is there may be left out of the ranking.
    naming = ColumnTransformer([("numbers", StandardScaler(), ["dose", "noise"])])
    probfs.rank(
        frame, target="sick", classifier=make_pipeline(naming, LogisticRegression()), exclude=["noise"], folds=2, jobs=1
    )


@pytest.mark.parametrize("removal", ["permute", "retrain"])
def test_a_transformer_that_drops_all_columns_that_are_left_leaves_the_shares(removal: Any) -> None:
    naming = ColumnTransformer([("numbers", StandardScaler(), ["dose"])])
    frame = table().fillna(0.0)
    estimator = make_pipeline(naming, LogisticRegression())
    ranking = probfs.rank(frame, target="sick", classifier=estimator, removal=removal, folds=2, jobs=1)
    assert ranking.features[0].feature == "dose"
    assert [own.s_s for own in ranking.features[1:]] == [0, 0]


def test_a_text_may_be_what_missing_cells_are_called() -> None:
    frame = table().fillna(0.0)
    frame["site"] = ["(missing)", None, "((missing))", "north"] * 10
    estimator = make_pipeline(SELECTING, LogisticRegression())
    ranking = probfs.rank(frame, target="sick", classifier=estimator, missing="value", folds=2, jobs=1)
    assert {own.feature for own in ranking.features} == {"dose", "site", "noise"}


def test_an_estimator_that_refuses_missing_numbers_gets_the_mean() -> None:
    assert table()["dose"].isna().any()
    ranking = probfs.rank(table(), target="sick", classifier=GaussianNB(), folds=2)
    assert {own.feature for own in ranking.features[:2]} == {"dose", "site"}


def test_a_frame_keeps_missing_numbers_and_their_failure_is_one_line() -> None:
    with pytest.raises(probfs.DataError, match=r"^Pipeline could not be fitted: Input X contains NaN$"):
        probfs.rank(table(), target="sick", classifier=make_pipeline(SELECTING, LogisticRegression()), folds=2)


# --- seeds, weights, settings -----------------------------------------------------------------------------------------


def test_only_seeds_that_were_left_open_are_set() -> None:
    open_seed = make_pipeline(StandardScaler(), DecisionTreeClassifier())
    assert seeded(open_seed, 5).get_params()["decisiontreeclassifier__random_state"] == 5
    assert open_seed.get_params()["decisiontreeclassifier__random_state"] is None
    assert seeded(DecisionTreeClassifier(random_state=9), 5).random_state == 9
    assert seeded(DecisionTreeClassifier(), 2**32 + 5).random_state == 5
    assert seeded(GaussianNB(), 5).get_params() == GaussianNB().get_params()


def test_a_forest_sees_equal_rows_as_often_as_they_are_there() -> None:
    """Twelve different rows of three columns are too few to split, but they are 240."""
    generator = np.random.default_rng(3)
    first, second, noise = generator.integers(0, 2, (3, 240))
    frame = pd.DataFrame({"a": first, "b": second, "c": noise, "y": np.where(first ^ second, "yes", "no")})
    for options in ({"estimate": "oob"}, {"folds": 2}):
        ranking = probfs.rank(frame.astype(str), target="y", classifier="forest", trees=10, eliminate=False, **options)
        assert ranking.rounds[0].errors == 0
        assert ranking.features[2].feature == "c"


@pytest.mark.parametrize(
    ("estimator", "together"),
    [
        (LogisticRegression(), False),
        (GaussianNB(), False),
        (KNeighborsClassifier(), True),
        (make_pipeline(StandardScaler(), LogisticRegression()), True),
    ],
)
def test_linear_models_see_columns_one_by_one(estimator: Any, together: bool) -> None:
    assert wrap_estimator(estimator).sees_columns_together is together


def _double(cells: Any) -> Any:
    return 2 * cells


def test_the_settings_name_the_estimator_in_one_line_without_addresses() -> None:
    estimator = make_pipeline(FunctionTransformer(_double), GaussianNB())
    assert "0x" in repr(estimator)
    ranking = probfs.rank(table().fillna(0.0), target="sick", classifier=estimator, folds=2, eliminate=False)
    recorded = json.loads(ranking.to_json())["settings"]
    assert list(recorded)[:2] == ["classifier", "estimator"]
    assert recorded["classifier"] == "estimator"
    assert recorded["estimator"] == describe(estimator)
    assert "\n" not in recorded["estimator"]
    assert "0x" not in recorded["estimator"]
    assert recorded["categories"] == "onehot"
    assert (recorded["removal"], recorded["permutations"], recorded["trees"]) == ("permute", 20, None)
    summary = " ".join(summary_sentences(ranking))
    assert "Pipeline, 20 shuffles a column, 2-fold cross-validation" in summary


def test_rankings_by_an_estimator_can_be_pickled() -> None:
    ranking = probfs.rank(table(), target="sick", classifier=RandomForestClassifier(3), folds=2, eliminate=False)
    again = pickle.loads(pickle.dumps(ranking))
    assert again.to_json() == ranking.to_json()
    assert again.settings.model.name == "estimator"
