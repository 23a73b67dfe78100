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
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import CategoricalNB, GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

import probfs
from probfs.classifiers.estimators.column_transformers import keep_columns, takes_no_columns
from probfs.classifiers.estimators.own_estimator import describe, seeded, wrap_estimator
from probfs.errors import UsageError
from probfs.output.sentences import ranking_sentences


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
    ("classifier", "options", "problem"),
    [
        ("nb", {}, 'classifier="nb" has no such estimate'),
        ("svm", {}, 'classifier="svm" has no such estimate'),
        ("boosting", {}, 'classifier="boosting" has no such estimate'),
        (GaussianNB(), {}, "GaussianNB() has no such estimate"),
        (ExtraTreesClassifier(), {}, "ExtraTreesClassifier() has no such estimate"),
        (RandomForestClassifier(bootstrap=False), {}, "RandomForestClassifier(bootstrap=False) has no such estimate"),
        (
            RandomForestClassifier(3),
            {"categories": "frame"},
            'with categories="frame" trees cannot be asked one by one; use categories="onehot" or categories="codes", '
            "or another estimate",
        ),
    ],
)
def test_out_of_bag_is_for_forests_whose_trees_can_be_asked(
    classifier: Any, options: dict[str, Any], problem: str
) -> None:
    with pytest.raises(UsageError) as caught:
        probfs.rank(table(), target="sick", classifier=classifier, estimate="oob", **options)
    assert str(caught.value) == f'estimate="oob": {problem}; choose from loo, resubstitution, cv'


def test_a_user_s_forest_is_ranked_out_of_bag_as_the_built_in_one_is() -> None:
    own = RandomForestClassifier(7, min_samples_leaf=5)
    mine = probfs.rank(table(), target="sick", classifier=own, estimate="oob", seed=2**32 + 3)
    built_in = probfs.rank(table(), target="sick", classifier="forest", trees=7, estimate="oob", seed=2**32 + 3)
    assert mine.to_csv() == built_in.to_csv()
    assert own.random_state is None
    again = pickle.loads(pickle.dumps(mine))
    assert (again.to_json(), again.settings.model.name) == (mine.to_json(), "estimator")


def test_only_a_seed_that_was_left_open_is_set() -> None:
    assert seeded(DecisionTreeClassifier(random_state=9), 5).random_state == 9
    inner = seeded(make_pipeline(StandardScaler(), DecisionTreeClassifier()), 2**32 + 5)
    assert inner.get_params()["decisiontreeclassifier__random_state"] == 5


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
    ("estimator", "expected", "together"),
    [
        (GaussianNB(), "onehot", False),
        (LogisticRegression(), "onehot", False),
        (CategoricalNB(), "codes", False),
        (KNeighborsClassifier(), "onehot", True),
        (HistGradientBoostingClassifier(), "onehot", True),
        (make_pipeline(StandardScaler(), LogisticRegression()), "onehot", True),
        (make_pipeline(SELECTING, LogisticRegression()), "frame", True),
        (CalibratedClassifierCV(make_pipeline(SELECTING, LogisticRegression())), "frame", True),
    ],
)
def test_columns_come_as_the_estimator_likes_them(estimator: Any, expected: str, together: bool) -> None:
    own = wrap_estimator(estimator)
    assert (own.categories, own.sees_columns_together) == (expected, together)
    assert wrap_estimator(estimator, "onehot").categories == "onehot"


def test_numbers_are_cut_only_for_whoever_counts_categories_and_missing_ones_filled_for_whoever_refuses_them() -> None:
    frame = table()
    assert frame["dose"].isna().any()
    codes = probfs.rank(frame, target="sick", classifier=CategoricalNB(min_categories=6), bins=3, folds=2)
    assert any(note.startswith("cut into 3") for note in codes.warnings)
    assert codes.settings.bins == 3
    filled = probfs.rank(frame, target="sick", classifier=GaussianNB(), folds=2)
    assert not any(note.startswith("cut") for note in filled.warnings)
    assert {own.feature for own in filled.features[:2]} == {"dose", "site"}
    with pytest.raises(probfs.DataError, match=r"^Pipeline could not be fitted: Input X contains NaN$"):
        probfs.rank(frame, target="sick", classifier=make_pipeline(SELECTING, LogisticRegression()), folds=2)


@pytest.mark.parametrize("removal", ["permute", "retrain"])
def test_a_column_transformer_may_name_columns_that_leave(removal: Any) -> None:
    def ranked(columns: ColumnTransformer) -> list[probfs.RankedFeature]:
        estimator = make_pipeline(columns, LogisticRegression())
        chosen: dict[str, Any] = {"classifier": estimator, "removal": removal, "folds": 3, "jobs": 1}
        return list(probfs.rank(table().fillna(0.0), target="sick", **chosen).features)

    texts = OneHotEncoder(handle_unknown="ignore")
    by_name = ranked(ColumnTransformer([("a", StandardScaler(), ["dose", "noise"]), ("b", texts, ["site"])]))
    by_kind = ranked(SELECTING)
    assert [own.feature for own in by_name] == [own.feature for own in by_kind]
    assert [own.s_s for own in by_name] == pytest.approx([own.s_s for own in by_kind], abs=1e-6)
    # When all that it takes have left, the shares of the classes remain.
    only = ranked(ColumnTransformer([("a", StandardScaler(), ["dose"])]))
    assert by_name[0].feature == only[0].feature == "dose"
    assert [own.s_s for own in only[1:]] == [0, 0]


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


def test_a_text_may_be_what_missing_cells_are_called() -> None:
    frame = table().fillna(0.0)
    frame["site"] = ["(missing)", None, "((missing))", "north"] * 10
    estimator = make_pipeline(SELECTING, LogisticRegression())
    ranking = probfs.rank(frame, target="sick", classifier=estimator, missing="value", folds=2, jobs=1)
    assert {own.feature for own in ranking.features} == {"dose", "site", "noise"}


# --- seeds, weights, settings -----------------------------------------------------------------------------------------


def test_a_forest_sees_equal_rows_as_often_as_they_are_there() -> None:
    """Twelve different rows of three columns are too few to split, but they are 240."""
    generator = np.random.default_rng(3)
    first, second, noise = generator.integers(0, 2, (3, 240))
    frame = pd.DataFrame({"a": first, "b": second, "c": noise, "y": np.where(first ^ second, "yes", "no")})
    for options in ({"estimate": "oob"}, {"folds": 2}):
        ranking = probfs.rank(frame.astype(str), target="y", classifier="forest", trees=10, eliminate=False, **options)
        assert ranking.rounds[0].errors == 0
        assert ranking.features[2].feature == "c"


def _double(cells: Any) -> Any:
    return 2 * cells


def test_the_settings_name_the_estimator_in_one_line_without_addresses() -> None:
    estimator = make_pipeline(FunctionTransformer(_double), GaussianNB())
    assert "0x" in repr(estimator)
    ranking = probfs.rank(table().fillna(0.0), target="sick", classifier=estimator, folds=2, eliminate=False)
    recorded = json.loads(ranking.to_json())["settings"]
    assert list(recorded)[:2] == ["classifier", "estimator"]
    assert recorded["estimator"] == describe(estimator)
    assert not any(part in recorded["estimator"] for part in ("\n", "0x"))
    kept = [recorded[name] for name in ("classifier", "categories", "removal", "permutations", "trees")]
    assert kept == ["estimator", "onehot", "permute", 20, None]
    assert "Pipeline, 20 shuffles a column, 2-fold cross-validation" in " ".join(ranking_sentences(ranking))


# --- which columns a transformer takes --------------------------------------------------------------------------------

OF_TEXTS = make_column_selector(dtype_include=object)


def transformer(numbers: object) -> ColumnTransformer:
    steps = [("numbers", StandardScaler(), numbers), ("words", CountVectorizer(), "text")]
    return ColumnTransformer([*steps, ("rest", OneHotEncoder(), OF_TEXTS)])


def test_names_of_columns_that_are_gone_are_left_out() -> None:
    own = transformer(["a", "b", "c"])
    keep_columns(make_pipeline(own, StandardScaler()), ["c", "a", "d"])
    (_, numbers, columns), (_, words, text), (_, _, selector) = own.transformers
    assert (type(numbers), columns, words, text) == (StandardScaler, ["a", "c"], "drop", [])
    assert selector is OF_TEXTS
    own = transformer(["a"])
    keep_columns(own, ["text"])
    (_, _, columns), (_, words, text), _ = own.transformers
    assert (columns, type(words), text) == ([], CountVectorizer, "text")


@pytest.mark.parametrize("columns", [[0, 1], slice(0, 2), [True, False]])
def test_columns_chosen_by_position_are_refused(columns: object) -> None:
    with pytest.raises(UsageError, match="'numbers' chooses columns by position") as caught:
        probfs.rank(table(), target="sick", classifier=make_pipeline(transformer(columns), GaussianNB()))
    assert "\n" not in str(caught.value)


def test_what_is_dropped_and_what_remains() -> None:
    frame = pd.DataFrame({"a": [1.0, 2.0], "b": [3.0, 4.0]})

    def takes_none(step: object, columns: object, remainder: str = "drop") -> bool:
        return takes_no_columns(ColumnTransformer([("step", step, columns)], remainder=remainder), frame)

    assert takes_none(StandardScaler(), [])
    assert takes_none(OneHotEncoder(), OF_TEXTS)
    assert takes_none("drop", ["a"])
    assert takes_none("drop", ["a", "b"], remainder="passthrough")
    assert not takes_none("drop", ["a"], remainder="passthrough")
    assert not takes_none(StandardScaler(), ["a"])
    assert not takes_none("passthrough", "a")
    assert not takes_no_columns(StandardScaler(), frame)
