"""Estimators, a user's too: how they are asked, how columns reach them, and failures in one line."""

from __future__ import annotations

import json
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
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

import probfs
from probfs.classifiers.catalogue import UserEstimator
from probfs.classifiers.refitting.estimators import EstimatorModel, EstimatorTrainer, OutOfBagForest, seeded
from probfs.classifiers.refitting.rows import Donors, draw_donors
from probfs.classifiers.refitting.tables import MOST_NATIVE_VALUES, Encoding, Matrix, MatrixEncoder
from probfs.columns.dataset import Dataset, Feature
from probfs.errors import DataError, UsageError
from probfs.output.sentences import ranking_sentences
from probfs.tables.arrays import Floats, Integers, text_array
from tests.support.datasets import frame_of, mixed_dataset, random_dataset


def fitted(dataset: Dataset, estimator: Any, encoding: Encoding, **more: Any) -> EstimatorModel:
    """The estimator fitted on all labelled rows and all features."""
    trainer = EstimatorTrainer(dataset, estimator, encoding, "the test", **more)
    model = trainer.fit(np.arange(len(dataset.features)), dataset.counts)
    assert isinstance(model, EstimatorModel)
    return model


def donors_of(dataset: Dataset, permutations: int = 4) -> Donors:
    """For all rows, labelled and unlabelled."""
    counts = np.concatenate([dataset.counts, dataset.unlabelled_counts])
    return draw_donors(counts, dataset.counts, permutations, np.random.default_rng(1))


def rows_of(dataset: Dataset) -> np.ndarray:
    """The positions of all distinct rows, labelled ones first."""
    return np.arange(len(dataset.labels) + len(dataset.unlabelled_counts))


def votes_of_trees(model: EstimatorModel, counts: Integers, rows: np.ndarray, cells: Floats) -> Floats:
    """The mean vote of the trees for which a row was not drawn, one row and tree after the other; of all trees for
    an unlabelled row, and the frequencies of the classes for a row that was drawn for every tree.
    """
    forest = model.estimator
    # Each copy of a row is judged by the trees that it was not drawn for.
    copies = np.repeat(np.arange(len(counts)), counts).tolist()
    means = []
    for row, own in zip(rows.tolist(), cells, strict=True):
        places = [place for place, copy in enumerate(copies) if copy == row] or [-1]
        votes = [
            tree.predict_proba(own[None].astype(np.float32))[0]
            for tree, known in zip(forest.estimators_, forest.estimators_samples_, strict=True)
            for place in places
            if place not in known
        ]
        means.append(np.mean(votes, axis=0) if votes else model.prior)
    return np.array(means).T


@pytest.mark.parametrize(("classes", "trees", "counted"), [(2, 12, False), (3, 12, True), (3, 2, False)])
def test_out_of_bag_a_row_is_judged_by_the_trees_that_did_not_see_it(classes: int, trees: int, counted: bool) -> None:
    dataset = mixed_dataset(5, 30, "cdt", classes, 4, counted)
    model = fitted(dataset, RandomForestClassifier(trees, random_state=2), "onehot", out_of_bag=True)
    rows, donors = rows_of(dataset), donors_of(dataset, 3)
    found, changes = model.permute(rows, donors, 1)
    assert isinstance(model, OutOfBagForest)
    assert isinstance(model.table, Matrix)
    actual = votes_of_trees(model, dataset.counts, rows, model.table.cells)
    np.testing.assert_allclose(found, actual, atol=1e-12)
    for feature in range(3):
        columns = model.table.owner == feature
        change = np.zeros_like(actual)
        for line in donors:
            permuted = model.table.cells.copy()
            permuted[:, columns] = model.table.cells[line][:, columns]
            # A row that has its own value again is not asked about again.
            change += (actual - votes_of_trees(model, dataset.counts, rows, permuted)) / len(donors)
        np.testing.assert_allclose(changes[:, :, feature], change, atol=1e-12)
    drawn = [set(model.trained[own].tolist()) for own in model.estimator.estimators_samples_]
    unjudged = model.report.unjudged
    assert counted or unjudged == len(set.intersection(*drawn))
    assert unjudged or trees > 2


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
        ("fit", "the test could not be fitted: columns are wrong"),
        ("predict", "the test failed to predict: no such thing"),
        ("shape", "predict_proba of the test must give 2 finite probabilities for each row, and does not"),
        ("nan", "predict_proba of the test must give 2 finite probabilities for each row, and does not"),
    ],
)
def test_failures_are_told_in_one_line(failure: str, message: str) -> None:
    with pytest.raises(DataError) as caught:
        fitted(mixed_dataset(1, 30, "cd"), Odd(failure), "onehot").probabilities(np.arange(15))
    assert str(caught.value) == message


def test_categories_of_too_many_values_are_one_hot_for_boosting() -> None:
    rows = MOST_NATIVE_VALUES + 1
    codes = np.arange(rows, dtype=np.uint16)
    labels = text_array([str(code) for code in codes])
    none = codes[:0]
    wide, narrow = Feature("wide", labels, codes, none), Feature("narrow", labels[:-1], codes.clip(max=rows - 2), none)
    ones = np.ones(rows, dtype=np.int64)
    dataset = Dataset((wide, narrow), ("a", "b"), np.arange(rows) % 2, ones, ones[:0])
    cells = MatrixEncoder(dataset, "native", "the test").build(np.arange(2), ones)
    assert np.bincount(cells.owner).tolist() == [rows, 1]
    assert cells.categorical is not None
    assert np.flatnonzero(cells.categorical).tolist() == [rows]


@pytest.mark.parametrize("encoding", ["onehot", "native", "filled"])
def test_a_number_that_no_training_row_has_says_nothing(encoding: Encoding) -> None:
    codes = np.array([0, 1, 2, 2], dtype=np.uint8)
    ones = np.ones(4, dtype=np.int64)
    feature = Feature("gaps", text_array([]), codes, codes[:2], np.array([3.0, 4.0]))
    dataset = Dataset((feature,), ("a", "b"), np.array([0, 1, 0, 1]), ones, ones[:2])
    cells = MatrixEncoder(dataset, encoding, "the test").build(np.array([0]), np.array([0, 0, 1, 1]))
    assert (cells.cells == 0).all()


def test_a_ranking_says_that_copies_were_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    generator = np.random.default_rng(2)
    frame = pd.DataFrame({"a": generator.integers(0, 3, 90), "b": generator.integers(0, 2, 90), "y": ["n", "p"] * 45})
    chosen: dict[str, Any] = {"target": "y", "classifier": DecisionTreeClassifier(max_depth=2), "folds": 3}
    assert not any("in proportion" in note for note in probfs.rank(frame, **chosen, jobs=1).warnings)
    monkeypatch.setattr("probfs.classifiers.refitting.estimators.MOST_COPIES", 30)
    notes = [note for note in probfs.rank(frame, **chosen, jobs=1).warnings if "in proportion" in note]
    assert notes == [
        "DecisionTreeClassifier is given at most 30 rows, so equal rows were given fewer times, in proportion, and at "
        "least once"
    ]


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
            "RandomForestClassifier(n_estimators=3) has no such estimate",
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
    inner = seeded(make_pipeline(StandardScaler(), DecisionTreeClassifier()), 5)
    assert inner.get_params()["decisiontreeclassifier__random_state"] == 5


def test_an_estimator_may_tell_only_when_fitted_that_it_has_probabilities() -> None:
    stacked = StackingClassifier([("bayes", GaussianNB())], cv=2)
    assert not hasattr(stacked, "predict_proba")
    ranking = probfs.rank(table().fillna(0.0), target="sick", classifier=stacked, folds=2, permutations=3, jobs=1)
    assert ranking.features[0].feature in {"dose", "site"}


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
    own = UserEstimator(estimator=estimator)
    assert (own.categories, own.sees_columns_together) == (expected, together)
    assert UserEstimator(estimator=estimator, categories="onehot").categories == "onehot"


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


def test_a_text_may_be_what_missing_cells_are_called() -> None:
    frame = table().fillna(0.0)
    frame["site"] = ["(missing)", None, "((missing))", "north"] * 10
    estimator = make_pipeline(SELECTING, LogisticRegression())
    ranking = probfs.rank(frame, target="sick", classifier=estimator, missing="value", folds=2, jobs=1)
    assert {own.feature for own in ranking.features} == {"dose", "site", "noise"}


def _double(cells: Any) -> Any:
    return 2 * cells


def test_the_settings_name_the_estimator_in_one_line_without_addresses() -> None:
    estimator = make_pipeline(FunctionTransformer(_double), GaussianNB())
    assert "0x" in repr(estimator)
    ranking = probfs.rank(table().fillna(0.0), target="sick", classifier=estimator, folds=2, eliminate=False)
    recorded = json.loads(ranking.to_json())["settings"]
    assert list(recorded)[:2] == ["classifier", "estimator"]
    assert not any(part in recorded["estimator"] for part in ("\n", "0x"))
    kept = [recorded[name] for name in ("classifier", "categories", "removal", "permutations", "trees")]
    assert kept == ["estimator", "onehot", "permute", 20, None]
    assert "Pipeline, 20 shuffles a column, 2-fold cross-validation" in " ".join(ranking_sentences(ranking))


@pytest.mark.parametrize(
    ("columns", "problem"),
    [
        *((columns, "chooses columns by position") for columns in ([0, 1], slice(0, 2), [True, False])),
        (["doses", "noise"], "names 'doses', not a column of <frame>; did you mean 'dose'?"),
    ],
)
def test_columns_that_a_transformer_cannot_have_are_told_before_the_first_fit(columns: object, problem: str) -> None:
    estimator = make_pipeline(ColumnTransformer([("numbers", StandardScaler(), columns)]), LogisticRegression())
    for call in (probfs.rank, probfs.select):
        with pytest.raises(UsageError) as caught:
            call(table().fillna(0.0), target="sick", classifier=estimator, jobs=1)
        assert str(caught.value).startswith(f"classifier=: the ColumnTransformer's 'numbers' {problem}")


def test_a_transformer_may_name_a_column_that_is_left_out() -> None:
    naming = ColumnTransformer([("numbers", StandardScaler(), ["dose", "noise"])])
    estimator = make_pipeline(naming, LogisticRegression())
    ranking = probfs.rank(table().fillna(0.0), target="sick", classifier=estimator, exclude=["noise"], folds=2, jobs=1)
    assert {own.feature for own in ranking.features} == {"dose", "site"}
