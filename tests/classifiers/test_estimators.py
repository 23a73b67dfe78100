"""Estimators, a user's too: how they are asked, how columns reach them, and failures in one line."""

from __future__ import annotations

import pickle
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer, make_column_selector, make_column_transformer
from sklearn.ensemble import (
    ExtraTreesClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    StackingClassifier,
)
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import CategoricalNB, GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

import probfs
from probfs.classifiers.catalogue import UserEstimator
from probfs.classifiers.refitting.estimators import EstimatorTrainer, OutOfBagForest, seeded
from probfs.classifiers.refitting.rows import draw_donors
from probfs.classifiers.refitting.tables import Encoding, MatrixEncoder
from probfs.columns.dataset import Dataset, Feature
from probfs.errors import DataError, UsageError
from probfs.tables.arrays import Floats, text_array
from tests.support.datasets import frame_of, mixed_dataset, random_dataset

SELECTING = make_column_transformer(
    (StandardScaler(), make_column_selector(dtype_include="number")),
    (OneHotEncoder(handle_unknown="ignore"), make_column_selector(dtype_include=["object", "string"])),
)
"""A transformer that looks what kinds of columns there are."""
TEXTS = OneHotEncoder(handle_unknown="ignore")


def ranked(frame: pd.DataFrame, classifier: Any, **options: Any) -> probfs.Ranking:
    return probfs.rank(frame, target="sick", classifier=classifier, jobs=1, **options)


# How estimators are asked


@pytest.mark.parametrize(("classes", "trees", "counted"), [(2, 12, False), (3, 12, True), (3, 2, False)])
def test_out_of_bag_a_row_is_judged_by_the_trees_that_did_not_see_it(classes: int, trees: int, counted: bool) -> None:
    """The mean vote of the trees for which a row was not drawn, one row and tree after the other; of all trees for an
    unlabelled row, and the frequencies of the classes for a row that was drawn for every tree.
    """
    dataset = mixed_dataset(5, 30, "cdt", classes, 4, counted)
    forest = RandomForestClassifier(trees, random_state=2)
    model = EstimatorTrainer(dataset, forest, "onehot", "the test", out_of_bag=True).fit(np.arange(3), dataset.counts)
    assert isinstance(model, OutOfBagForest)
    # Each copy of a row is judged by the trees that it was not drawn for.
    copies = np.repeat(np.arange(len(dataset.counts)), dataset.counts).tolist()
    asked = list(zip(model.estimator.estimators_, model.estimator.estimators_samples_, strict=True))

    def judge(cells: Floats) -> Floats:
        means = []
        for row, own in enumerate(cells.astype(np.float32)):
            places = [place for place, copy in enumerate(copies) if copy == row] or [-1]
            votes = [tree.predict_proba(own[None])[0] for tree, known in asked for at in places if at not in known]
            means.append(np.mean(votes, axis=0) if votes else model.prior)
        return np.array(means).T

    cells = model.table.cells
    counts = np.concatenate([dataset.counts, dataset.unlabelled_counts])
    donors = draw_donors(counts, dataset.counts, 3, np.random.default_rng(1))
    found, changes = model.permute(np.arange(len(cells)), donors, 1)
    actual = judge(cells)
    np.testing.assert_allclose(found, actual, atol=1e-12)
    for feature in range(3):
        columns = model.table.owner == feature
        permuted = [judge(np.where(columns, cells[line], cells)) for line in donors]
        np.testing.assert_allclose(changes[:, :, feature], actual - np.mean(permuted, axis=0), atol=1e-12)
    drawn = [set(model.trained[own].tolist()) for _, own in asked]
    assert counted or model.report.unjudged == len(set.intersection(*drawn))
    assert model.report.unjudged or trees > 2


class Odd(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Fails as it is told to."""

    def __init__(self, failure: str) -> None:
        self.failure = failure

    def fit(self, cells: Any, labels: Any, sample_weight: Any = None) -> Odd:
        if self.failure == "fit":
            raise ValueError("columns are wrong.\nsecond line")
        warnings.warn("first line\nsecond line", ConvergenceWarning, stacklevel=1)
        warnings.warn("old", FutureWarning, stacklevel=1)
        self.classes_ = np.unique(labels)
        return self

    def predict_proba(self, cells: Any) -> Any:
        warnings.warn("of predictions", UserWarning, stacklevel=1)
        if self.failure == "predict":
            raise TypeError("no such thing")
        return np.full((len(cells), 3 if self.failure == "shape" else 2), np.nan if self.failure == "nan" else 0.5)


@pytest.mark.parametrize(
    ("failure", "message"),
    [
        ("fit", "Odd could not be fitted: columns are wrong"),
        ("predict", "Odd failed to predict: no such thing"),
        ("shape", "predict_proba of Odd must give 2 finite probabilities for each row, and does not"),
        ("nan", "predict_proba of Odd must give 2 finite probabilities for each row, and does not"),
    ],
)
def test_failures_are_told_in_one_line(mixed: pd.DataFrame, failure: str, message: str) -> None:
    with pytest.raises(DataError) as caught:
        ranked(mixed, Odd(failure), categories="onehot")
    assert str(caught.value) == message


def test_of_warnings_the_first_of_fits_is_told_and_deprecations_are_not(filled: pd.DataFrame) -> None:
    notes = ranked(filled, Odd("never"), folds=3, eliminate=False).warnings
    (told,) = [note for note in notes if note.code == "fit-warnings"]
    assert told == "3 of 3 fits warned: ConvergenceWarning: first line"


def test_a_ranking_says_that_copies_were_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    generator = np.random.default_rng(2)
    frame = pd.DataFrame({"a": generator.integers(0, 3, 90), "b": generator.integers(0, 2, 90), "sick": [0, 1] * 45})
    limit = "probfs.classifiers.refitting.estimators.MOST_COPIES"
    told = []
    for most in (60, 30):
        monkeypatch.setattr(limit, most)
        notes = ranked(frame, DecisionTreeClassifier(max_depth=2), folds=3).warnings
        told.append([note for note in notes if note.code == "fewer-copies"])
    expected = (
        "DecisionTreeClassifier is given at most 30 rows, so equal rows were given fewer times, in proportion, and at "
        "least once"
    )
    assert told == [[], [expected]]


@pytest.mark.parametrize(
    ("classes", "chosen"),
    [(2, {"estimate": "loo"}), (3, {"estimate": "cv", "folds": 3}), (4, {"estimate": "resubstitution"})],
)
def test_counting_categories_and_retraining_is_closed_form_naive_bayes(classes: int, chosen: dict[str, Any]) -> None:
    frame = frame_of(random_dataset(40, 3, 3, classes, seed=classes))
    chosen |= {"target": "y", "unlabeled": frame.iloc[3:9].drop(columns="y"), "count": "n"}
    frame["n"] = np.random.default_rng(0).integers(1, 4, len(frame))
    estimator = CategoricalNB(alpha=0.5, min_categories=3)
    own = probfs.rank(frame, classifier=estimator, removal="retrain", jobs=1, **chosen)
    closed = probfs.rank(frame, smoothing=0.5, shrink="off", **chosen)
    for key in ("initial_s_s", "initial_s_a", "initial_s_su"):
        found, expected = ({feature.feature: getattr(feature, key) for feature in r.features} for r in (own, closed))
        assert found == pytest.approx(expected, abs=1e-9), key
    assert own.rounds[0].absolute_loss == pytest.approx(closed.rounds[0].absolute_loss, abs=1e-9)
    # Of refitted models, no row's own probability is taken to be below 1 / (2 · rows).
    assert own.rounds[0].log_loss <= min(np.log(2 * frame["n"].sum()), closed.rounds[0].log_loss) + 1e-9
    assert own.rounds[0].errors == closed.rounds[0].errors


@pytest.mark.parametrize(
    ("classifier", "options", "who"),
    [
        *((name, {}, f'classifier="{name}"') for name in ("nb", "svm", "boosting")),
        (GaussianNB(), {}, "GaussianNB()"),
        (ExtraTreesClassifier(), {}, "ExtraTreesClassifier()"),
        (RandomForestClassifier(bootstrap=False), {}, "RandomForestClassifier(bootstrap=False)"),
        (RandomForestClassifier(3), {"categories": "frame"}, "RandomForestClassifier(n_estimators=3)"),
    ],
)
def test_out_of_bag_is_for_forests_whose_trees_can_be_asked(
    mixed: pd.DataFrame, classifier: Any, options: dict[str, Any], who: str
) -> None:
    with pytest.raises(UsageError) as caught:
        probfs.rank(mixed, target="sick", classifier=classifier, estimate="oob", **options)
    expected = f'estimate="oob": {who} has no such estimate; choose from loo, resubstitution, cv'
    assert str(caught.value) == expected


def test_a_user_s_forest_is_ranked_out_of_bag_as_the_built_in_one_is(mixed: pd.DataFrame) -> None:
    own = RandomForestClassifier(7, min_samples_leaf=5)
    mine = ranked(mixed, own, estimate="oob", seed=2**32 + 3)
    built_in = ranked(mixed, "forest", trees=7, estimate="oob", seed=2**32 + 3)
    assert mine.to_csv() == built_in.to_csv()
    assert own.random_state is None
    again = pickle.loads(pickle.dumps(mine))
    assert (again.to_json(), again.settings.model.name) == (mine.to_json(), "estimator")


def test_only_a_seed_that_was_left_open_is_set() -> None:
    assert seeded(DecisionTreeClassifier(random_state=9), 5).random_state == 9
    inner = seeded(make_pipeline(StandardScaler(), DecisionTreeClassifier()), 5)
    assert inner.get_params()["decisiontreeclassifier__random_state"] == 5


def test_an_estimator_may_tell_only_when_fitted_that_it_has_probabilities(filled: pd.DataFrame) -> None:
    stacked = StackingClassifier([("bayes", GaussianNB())], cv=2)
    assert not hasattr(stacked, "predict_proba")
    assert ranked(filled, stacked, folds=2, permutations=3).features[0].feature in {"dose", "site"}


# How columns reach them


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
    own = UserEstimator(estimator=estimator)
    assert (own.categories, own.sees_columns_together) == (expected, together)
    assert UserEstimator(estimator=estimator, categories="onehot").categories == "onehot"


def test_numbers_are_cut_only_for_whoever_counts_categories_and_missing_ones_filled_for_whoever_refuses_them(
    mixed: pd.DataFrame,
) -> None:
    codes = ranked(mixed, CategoricalNB(min_categories=6), bins=3, folds=2)
    assert any(note.startswith("cut into 3") for note in codes.warnings)
    assert codes.settings.bins == 3
    filled = ranked(mixed, GaussianNB(), folds=2)
    assert not any(note.startswith("cut") for note in filled.warnings)
    assert {own.feature for own in filled.features[:2]} == {"dose", "site"}
    with pytest.raises(probfs.DataError, match=r"^Pipeline could not be fitted: Input X contains NaN$"):
        ranked(mixed, make_pipeline(SELECTING, LogisticRegression()), folds=2)


def test_categories_of_more_than_255_values_are_one_hot_for_boosting() -> None:
    rows = 256
    codes = np.arange(rows, dtype=np.uint16)
    labels, none = text_array([str(code) for code in codes]), codes[:0]
    wide, narrow = Feature("wide", labels, codes, none), Feature("narrow", labels[:-1], codes.clip(max=rows - 2), none)
    ones = np.ones(rows, dtype=np.int64)
    dataset = Dataset((wide, narrow), ("a", "b"), np.arange(rows) % 2, ones, ones[:0])
    matrix = MatrixEncoder(dataset, "native", "the test").build(np.arange(2), ones)
    assert np.bincount(matrix.owner).tolist() == [rows, 1]
    assert matrix.categorical is not None
    assert np.flatnonzero(matrix.categorical).tolist() == [rows]


@pytest.mark.parametrize("encoding", ["onehot", "native", "filled"])
def test_a_number_that_no_training_row_has_says_nothing(encoding: Encoding) -> None:
    codes, ones = np.array([0, 1, 2, 2], dtype=np.uint8), np.ones(4, dtype=np.int64)
    feature = Feature("gaps", text_array([]), codes, codes[:2], np.array([3.0, 4.0]))
    dataset = Dataset((feature,), ("a", "b"), np.array([0, 1, 0, 1]), ones, ones[:2])
    matrix = MatrixEncoder(dataset, encoding, "the test").build(np.array([0]), np.array([0, 0, 1, 1]))
    assert (matrix.cells == 0).all()


@pytest.mark.parametrize("removal", ["permute", "retrain"])
def test_a_column_transformer_may_name_columns_that_leave(filled: pd.DataFrame, removal: str) -> None:
    def features(columns: ColumnTransformer) -> list[probfs.RankedFeature]:
        estimator = make_pipeline(columns, LogisticRegression())
        return list(ranked(filled, estimator, removal=removal, folds=3, exclude=["visits"]).features)

    by_name = features(
        ColumnTransformer([("a", StandardScaler(), ["dose", "noise", "visits"]), ("b", TEXTS, ["site"])])
    )
    by_kind = features(SELECTING)
    assert [own.feature for own in by_name] == [own.feature for own in by_kind]
    assert [own.s_s for own in by_name] == pytest.approx([own.s_s for own in by_kind], abs=1e-6)
    # When all that it takes have left, the shares of the classes remain.
    only = features(ColumnTransformer([("a", StandardScaler(), ["dose"])]))
    assert by_name[0].feature == only[0].feature == "dose"
    assert [own.s_s for own in only[1:]] == [0, 0]


def test_a_text_may_be_what_missing_cells_are_called(filled: pd.DataFrame) -> None:
    filled["site"] = ["(missing)", None, "((missing))", "north"] * 15
    ranking = ranked(filled, make_pipeline(SELECTING, LogisticRegression()), missing="value", folds=2)
    assert len(ranking.features) == 4
