"""The selector among scikit-learn's own estimators: pipelines, searches, frames, metadata, pickles."""

from __future__ import annotations

import inspect
import pickle
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import sklearn
from sklearn.base import clone
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.exceptions import NotFittedError
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.naive_bayes import BernoulliNB, GaussianNB
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.utils import get_tags

import probfs
from probfs import ProbabilisticSelector
from probfs.classifiers.catalogue import CLASSIFIERS
from tests.support.selector_tables import LABELS, SMALL, mixed_frame, with_target


@pytest.fixture
def routing() -> Iterator[None]:
    """Metadata are routed to whoever asks for them."""
    with sklearn.config_context(enable_metadata_routing=True):
        yield


def numbers(rows: int = 90, seed: int = 0) -> tuple[Any, Any]:
    """Six columns of numbers, of which the second and the fifth tell the class."""
    random = np.random.default_rng(seed)
    y = random.integers(0, 3, rows)
    matrix = random.normal(size=(rows, 6))
    matrix[:, 1] += 2 * y
    matrix[:, 4] -= 2 * (y == 1)
    return matrix, y


def test_attributes_say_what_became_of_each_column() -> None:
    frame, y = mixed_frame()
    selector = ProbabilisticSelector().fit(frame, y)
    assert sorted(selector.ranking_) == [1, 2, 3, 4, 5, 6]
    assert selector.support_.tolist() == (selector.ranking_ <= selector.n_features_).tolist()
    assert selector.support_.tolist() == selector.get_support().tolist()
    assert selector.n_features_in_ == 6
    assert selector.feature_names_in_.tolist() == list(frame.columns)
    assert selector.classes_.tolist() == LABELS.tolist()
    assert isinstance(selector.ranking_result_, probfs.Ranking)
    assert isinstance(selector.selection_result_, probfs.Selection)
    assert selector.ranking_result_.input.target == "y"
    assert dict(selector.ranking_result_.input.classes) == {name: (y == name).sum() for name in LABELS}
    assert {"colour", "grade"} <= set(selector.get_feature_names_out()) <= {"dose", "colour", "grade", "smokes"}


def test_columns_that_look_like_identifiers_come_last_with_a_warning() -> None:
    frame, y = mixed_frame()
    frame.insert(0, "row", np.arange(len(frame)))
    frame.insert(2, "lists", [[1, 2]] * len(frame))
    with pytest.warns(
        UserWarning, match="^left out, as they look like identifiers or hold no single values: 'row', 'li"
    ):
        selector = ProbabilisticSelector(n_features_to_select=6).fit(frame, y)
    assert selector.ranking_[[0, 2]].tolist() == [7, 8]
    assert np.isnan(selector.scores_).tolist() == [True, False, True, False, False, False, False, False]
    assert not selector.support_[[0, 2]].any()
    assert any("'row' (numbers the rows" in note for note in selector.ranking_result_.warnings)
    assert any("'lists' holds list" in note for note in selector.ranking_result_.warnings)
    with pytest.warns(UserWarning, match="'lists'"):
        kept = ProbabilisticSelector(n_features_to_select=7, keep_identifiers=True).fit(frame, y)
    assert kept.support_[0]


def test_rows_of_rare_classes_are_dropped_with_a_warning() -> None:
    matrix, y = numbers()
    y = np.append(y, 7)
    with pytest.warns(UserWarning, match="^1 row not learned from, as their classes have fewer rows than min_class=2$"):
        selector = ProbabilisticSelector().fit(np.vstack([matrix, matrix[:1]]), y)
    assert selector.classes_.tolist() == [0, 1, 2, 7]


def test_fitting_again_leaves_nothing_of_the_first_fit() -> None:
    frame, y = mixed_frame()
    selector = ProbabilisticSelector().fit(frame, y)
    selector.set_params(n_features_to_select=1).fit(*numbers())
    assert not hasattr(selector, "selection_result_")
    assert not hasattr(selector, "feature_names_in_")
    assert selector.get_feature_names_out().tolist() == ["x1"]


def test_the_seed_is_that_of_rank() -> None:
    frame, y = mixed_frame(60)
    data = with_target(frame, y)
    few: dict[str, Any] = {"n_features_to_select": 3, "estimate": "cv"}
    states: list[tuple[Any, int]] = [(None, 0), (0, 0), (np.int64(5), 5)]
    for state, seed in states:
        expected = probfs.rank(data, target="y", score="signed", estimate="cv", seed=seed)
        assert (
            ProbabilisticSelector(random_state=state, **few).fit(frame, y).ranking_result_.to_csv() == expected.to_csv()
        )
    first, second = (
        ProbabilisticSelector(random_state=np.random.RandomState(3), **few).fit(frame, y).ranking_result_
        for _ in range(2)
    )
    assert first == second
    assert first.settings.seed > 0
    with pytest.raises(ValueError, match="cannot be used to seed"):
        ProbabilisticSelector(random_state="dice").fit(frame, y)  # type: ignore[arg-type]  # the point of the test


@pytest.mark.parametrize("container", ["pandas", "polars"])
@pytest.mark.parametrize("given", ["pandas", "polars"])
def test_frames_come_out_as_they_are_asked_for(container: str, given: str) -> None:
    polars = pytest.importorskip("polars")
    frame, y = mixed_frame()
    frame = frame.astype({"grade": object})
    data = {"pandas": frame, "polars": polars.from_pandas(frame)}[given]
    selector = ProbabilisticSelector(n_features_to_select=4).set_output(transform=container).fit(data, y)
    found = selector.transform(data)
    expected = frame.loc[:, selector.support_]
    assert type(found).__module__.startswith(container)
    if container == "pandas":
        pd.testing.assert_frame_equal(found, expected, check_dtype=given == "pandas")
        assert found.dtypes["dose"] == np.float64
    else:
        assert found.equals(polars.from_pandas(expected))


@pytest.mark.parametrize("container", ["pandas", "polars"])
def test_a_matrix_comes_out_as_the_frame_that_is_asked_for(container: str) -> None:
    pytest.importorskip(container)
    matrix, y = numbers()
    found = ProbabilisticSelector(n_features_to_select=2).set_output(transform=container).fit_transform(matrix, y)
    assert type(found).__module__.startswith(container)
    assert list(found.columns) == ["x1", "x4"]
    assert np.array_equal(found.to_numpy(), matrix[:, [1, 4]])


def test_polars_and_pandas_choose_the_same() -> None:
    polars = pytest.importorskip("polars")
    frame, y = mixed_frame()
    by_pandas = ProbabilisticSelector().fit(frame, y)
    by_polars = ProbabilisticSelector().fit(polars.from_pandas(frame), polars.Series("y", y.tolist()))
    assert by_polars.ranking_result_.to_csv() == by_pandas.ranking_result_.to_csv()
    assert by_polars.feature_names_in_.tolist() == list(frame.columns)


def test_a_frame_comes_out_of_default_output_as_a_matrix_and_goes_back() -> None:
    matrix, y = numbers()
    frame = pd.DataFrame(matrix, columns=list("abcdef"))
    selector = ProbabilisticSelector(n_features_to_select=2)
    kept = selector.fit_transform(frame, y)
    assert isinstance(kept, np.ndarray)
    assert np.array_equal(kept, matrix[:, [1, 4]])
    back = selector.inverse_transform(kept)
    assert np.array_equal(back[:, [1, 4]], kept)
    assert not back[:, [0, 2, 3, 5]].any()


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_only_columns_that_are_kept_need_fit_into_a_matrix(library: str) -> None:
    matrix, y = numbers()
    frame = pd.DataFrame(matrix, columns=list("abcdef"))
    frame["when"] = pd.Timestamp("2024-01-31")
    frame["since"] = pd.Timedelta(3, "h")
    data: Any = frame
    if library != "pandas":
        data = pa.Table.from_pandas(frame)
    if library == "polars":
        data = pytest.importorskip("polars").from_arrow(data)
    kept = ProbabilisticSelector(n_features_to_select=2).fit(data, y).transform(data)
    assert kept.dtype == np.float64
    assert np.array_equal(kept, matrix[:, [1, 4]])
    every = ProbabilisticSelector(n_features_to_select=8).fit(data, y).transform(data)
    assert every.dtype == object
    assert every[0].tolist() == [*matrix[0].tolist(), frame["when"][0], frame["since"][0]]
    nothing = ProbabilisticSelector(min_features_to_select=0).fit(data, np.arange(len(y)) % 2)
    nothing.support_[:] = False
    with pytest.warns(UserWarning, match="No features were selected"):
        assert nothing.transform(data).shape == (len(y), 0)


@pytest.mark.parametrize("container", ["default", "pandas", "polars"])
def test_lazy_frames_are_collected(container: str) -> None:
    polars = pytest.importorskip("polars")
    frame, y = mixed_frame()
    eager = polars.from_pandas(frame)
    selector = ProbabilisticSelector(n_features_to_select=2).set_output(transform=container)
    expected = selector.fit(eager, y, unlabeled=eager[:5]).transform(eager)
    ranking = selector.ranking_result_
    found = selector.fit(eager.lazy(), y, unlabeled=eager[:5].lazy()).transform(eager.lazy())
    assert selector.ranking_result_ == ranking
    assert selector.feature_names_in_.tolist() == list(frame.columns)
    assert type(found) is type(expected)
    assert pd.DataFrame(np.asarray(found)).equals(pd.DataFrame(np.asarray(expected)))


def test_missing_cells_pass_through() -> None:
    matrix, y = numbers()
    matrix[3, 1] = np.nan
    kept = ProbabilisticSelector(n_features_to_select=2).fit(matrix, y).transform(matrix)
    assert np.isnan(kept[3, 0])


def test_columns_of_another_name_or_number_are_refused_later_too() -> None:
    frame, y = mixed_frame()
    for container in ("default", "pandas"):
        selector = ProbabilisticSelector(n_features_to_select=2).set_output(transform=container).fit(frame, y)
        with pytest.raises(ValueError, match="feature names should match"):
            selector.transform(frame.rename(columns={"dose": "dosis"}))
        with pytest.raises(ValueError, match=r"feature names should match|expecting 6 features"):
            selector.transform(frame[["dose"]])


def test_an_unfitted_selector_says_so() -> None:
    with pytest.raises(NotFittedError):
        ProbabilisticSelector().transform([[1]])
    with pytest.raises(NotFittedError):
        ProbabilisticSelector().get_support()


def test_tags_say_what_is_taken() -> None:
    tags = get_tags(ProbabilisticSelector())
    assert tags.target_tags.required
    assert tags.input_tags.allow_nan
    assert tags.input_tags.string
    assert tags.input_tags.categorical
    assert not tags.input_tags.sparse
    assert tags.transformer_tags is not None


@pytest.mark.parametrize("fitted", [False, True])
def test_the_diagram_of_a_notebook_shows_the_selector(fitted: bool) -> None:
    selector = ProbabilisticSelector(n_features_to_select=2)
    if fitted:
        selector.fit(*numbers())
    html = make_pipeline(selector, GaussianNB())._repr_html_()
    assert "ProbabilisticSelector" in html
    assert "n_features_to_select" in selector._repr_html_()
    assert repr(selector) == "ProbabilisticSelector(n_features_to_select=2)"


def test_clones_have_the_parameters_and_nothing_else() -> None:
    selector = ProbabilisticSelector("svm", n_features_to_select=1, C=2.0, options={"na": "none"}).fit(*numbers(40))
    copy = clone(selector)
    assert copy.get_params() == selector.get_params()
    assert not hasattr(copy, "support_")


def test_parameters_of_an_estimator_as_classifier_can_be_set() -> None:
    selector = ProbabilisticSelector(BernoulliNB(alpha=2.0))
    assert selector.get_params()["classifier__alpha"] == 2.0
    assert clone(selector).set_params(classifier__alpha=0.5).classifier.alpha == 0.5
    assert selector.classifier.alpha == 2.0


@pytest.mark.parametrize("wanted", ["auto", 2])
@pytest.mark.parametrize("classifier", [*CLASSIFIERS.names(), LogisticRegression()], ids=str)
def test_every_classifier_finds_the_columns_that_tell(classifier: Any, wanted: Any) -> None:
    matrix, y = numbers(60)
    small = SMALL[classifier] if isinstance(classifier, str) else {"permutations": 2}
    selector = ProbabilisticSelector(classifier, n_features_to_select=wanted, **small).fit(matrix, y)
    assert selector.ranking_.argsort()[:2].tolist() in ([1, 4], [4, 1])
    assert selector.support_[[1, 4]].all()
    assert pickle.loads(pickle.dumps(selector)).ranking_result_.to_csv() == selector.ranking_result_.to_csv()


def test_parameters_of_an_estimator_are_searched() -> None:
    matrix, y = numbers(60)
    selector = ProbabilisticSelector(LogisticRegression(), n_features_to_select=2, step=4, folds=2, estimate="cv")
    grid = {
        "probabilisticselector__classifier__C": [0.1, 1.0],
        "probabilisticselector__removal": ["permute", "retrain"],
    }
    search = GridSearchCV(make_pipeline(selector, GaussianNB()), grid, cv=2, error_score="raise").fit(matrix, y)
    assert search.best_score_ > 0.7
    assert not hasattr(search.best_estimator_[0].classifier, "coef_"), "clones are fitted"


def test_a_pipeline_takes_texts_and_numbers() -> None:
    frame, y = mixed_frame()
    encode = ColumnTransformer(
        [("texts", OneHotEncoder(), make_column_selector(dtype_include=["object", "str", "category"]))],
        remainder=SimpleImputer(),
    )
    select = ProbabilisticSelector(n_features_to_select=3).set_output(transform="pandas")
    assert cross_val_score(make_pipeline(select, encode, LogisticRegression()), frame, y, cv=3).mean() > 0.7


@pytest.mark.parametrize("classifier", ["nb", probfs.NaiveBayes()], ids=str)
def test_options_of_a_classifier_can_be_set_and_searched(classifier: Any) -> None:
    frame, y = mixed_frame(60)
    selector = ProbabilisticSelector(classifier, n_features_to_select=2)
    assert selector.get_params()["classifier__smoothing"] == 1.0
    assert "classifier__smoothing" not in selector.get_params(deep=False)
    changed = clone(selector).set_params(classifier__smoothing=0.5, score="absolute")
    assert changed.classifier == probfs.NaiveBayes(smoothing=0.5)
    assert changed.get_params()["classifier__smoothing"] == 0.5
    assert changed.set_params(classifier__bins=3).classifier == probfs.NaiveBayes(smoothing=0.5, bins=3)
    assert selector.classifier == classifier, "the other selector keeps its classifier"
    by_name = ProbabilisticSelector("nb", n_features_to_select=2, smoothing=0.5, bins=3, score="absolute").fit(frame, y)
    assert changed.fit(frame, y).ranking_result_ == by_name.ranking_result_
    pipeline = make_pipeline(clone(selector), OneHotEncoder())
    assert pipeline.set_params(probabilisticselector__classifier__shrink="on")[0].classifier.shrink == "on"
    grid = {"classifier__smoothing": [0.0, 1.0], "classifier__shrink": ["on", "off"]}
    search = GridSearchCV(selector, grid, cv=2, scoring=lambda found, *_: found.n_features_, error_score="raise")
    assert len(search.fit(frame, y).cv_results_["params"]) == 4


def test_what_get_params_says_can_be_given_back() -> None:
    for classifier in ("nb", "svm", probfs.SVM(kernel="rbf", jobs=2), BernoulliNB(alpha=2.0)):
        selector = ProbabilisticSelector(classifier)
        again = ProbabilisticSelector().set_params(**selector.get_params())
        assert again.classifier is classifier
    both = ProbabilisticSelector().set_params(classifier="svm", classifier__kernel="rbf")
    assert both.classifier == probfs.SVM(kernel="rbf")


def test_nested_options_join_those_beside_a_name() -> None:
    selector = ProbabilisticSelector("svm", kernel="rbf")
    assert selector.get_params()["classifier__kernel"] == "rbf"
    selector.set_params(classifier__gamma=0.1)
    assert selector.classifier == probfs.SVM(kernel="rbf", gamma=0.1)
    assert selector.kernel is None
    assert ProbabilisticSelector(smoothing=-1).get_params()["classifier__smoothing"] == -1


def test_a_classifier_with_its_options_is_shown_and_cloned() -> None:
    selector = ProbabilisticSelector(probfs.Forest(trees=5), n_features_to_select=1)
    assert repr(selector) == "ProbabilisticSelector(classifier=Forest(trees=5), n_features_to_select=1)"
    assert clone(selector).classifier == probfs.Forest(trees=5)
    assert "Forest(trees=5)" in selector._repr_html_()


def test_wrong_options_of_a_classifier_are_refused() -> None:
    selector = ProbabilisticSelector("nb")
    with pytest.raises(
        ValueError, match=r"^Invalid parameter 'kernel' for NaiveBayes\(\); valid parameters are smoothing, "
    ):
        selector.set_params(classifier__kernel="rbf")
    with pytest.raises(probfs.UsageError, match=r"^smoothing=: -1 is neither"):
        selector.set_params(classifier__smoothing=-1)
    with pytest.raises(ValueError, match="Invalid parameter 'clasifier'"):
        selector.set_params(clasifier="nb")
    assert selector.classifier == "nb"
    with pytest.raises(probfs.UsageError, match=r"^bins= goes with a classifier's name; give it to NaiveBayes"):
        ProbabilisticSelector(probfs.NaiveBayes(), bins=3).fit(*numbers())


def test_processes_are_the_classifier_s_where_it_says_how_many() -> None:
    found = {
        n_jobs: ProbabilisticSelector(classifier, n_features_to_select=1, step=5, n_jobs=n_jobs)
        .fit(*numbers(40))
        .ranking_result_.settings.model.in_effect()["jobs"]
        for n_jobs, classifier in [(None, probfs.SVM(jobs=2)), (2, probfs.SVM()), (1, "svm")]
    }
    assert found == {None: 2, 2: 2, 1: 1}


def test_the_step_is_that_of_rank() -> None:
    random = np.random.default_rng(0)
    matrix, y = random.normal(size=(40, 34)), np.arange(40) % 2
    steps: list[tuple[Any, list[int]]] = [(None, [34, 31, 28]), ("auto", [34, 31, 28]), (20, [34, 14])]
    for step, sizes in steps:
        selector = ProbabilisticSelector("logistic", n_features_to_select=2, step=step, folds=2, estimate="cv")
        result = selector.set_params(permutations=1).fit(matrix, y).ranking_result_
        assert [one.features for one in result.rounds][: len(sizes)] == sizes
        assert result.settings.step == (step or "auto")


def test_what_comes_out_is_asked_for_in_scikit_learn_s_ways() -> None:
    frame, y = mixed_frame()
    selector = ProbabilisticSelector(n_features_to_select=4)
    assert isinstance(selector.fit(frame, y).transform(frame), np.ndarray)
    with sklearn.config_context(transform_output="pandas"):
        pd.testing.assert_frame_equal(selector.transform(frame), frame.loc[:, selector.support_])
    copy = clone(selector.set_output(transform="pandas").set_output(transform=None))
    pd.testing.assert_frame_equal(copy.fit(frame, y).transform(frame), frame.loc[:, selector.support_])
    with sklearn.config_context(transform_output="pandas"):
        assert isinstance(copy.set_output(transform="default").transform(frame), np.ndarray)
    assert isinstance(selector.transform(frame), pd.DataFrame), "a clone has its own output"
    with pytest.raises(ValueError, match="output config must be"):
        copy.set_output(transform="tables").transform(frame)


def test_a_grid_search_finds_the_number_of_columns_and_the_score() -> None:
    frame, y = mixed_frame(90)
    frame = frame[["dose", "noise", "dice"]]
    pipeline = make_pipeline(ProbabilisticSelector(), SimpleImputer(), StandardScaler(), GaussianNB())
    grid = {
        "probabilisticselector__n_features_to_select": ["auto", 1, 0.67, 3],
        "probabilisticselector__score": ["signed", "absolute"],
    }
    search = GridSearchCV(pipeline, grid, cv=3, error_score="raise").fit(frame, y)
    assert len(search.cv_results_["params"]) == 8
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    assert "dose" in search.best_estimator_[0].get_feature_names_out()


def test_a_column_transformer_and_a_union_hold_selectors() -> None:
    matrix, y = numbers()
    frame = pd.DataFrame(matrix, columns=list("abcdef"))
    first = ProbabilisticSelector(n_features_to_select=1)
    both = ColumnTransformer([("left", first, ["a", "b", "c"]), ("right", clone(first), ["d", "e", "f"])])
    both.set_output(transform="pandas")
    assert list(both.fit_transform(frame, y).columns) == ["left__b", "right__e"]
    union = FeatureUnion([("one", clone(first)), ("two", ProbabilisticSelector("svm", n_features_to_select=2))])
    assert union.fit(matrix, y).get_feature_names_out().tolist() == ["one__x1", "two__x1", "two__x4"]


def test_unlabelled_rows_come_as_rows_of_their_own_or_by_their_value_in_y() -> None:
    matrix, y = numbers()
    few: dict[str, Any] = {"score": "unlabeled", "n_features_to_select": 2}
    apart = ProbabilisticSelector(**few).fit(matrix[:60], y[:60], unlabeled=matrix[60:])
    marked = np.where(np.arange(90) < 60, y, -1)
    within = ProbabilisticSelector(unlabeled_value=-1, **few).fit(matrix, marked)
    assert apart.ranking_result_.to_csv() == within.ranking_result_.to_csv()
    assert apart.ranking_result_.input.unlabelled_rows == 30
    assert apart.scores_[1] == next(own.s_su for own in apart.ranking_result_.features if own.feature == "x1")
    assert within.classes_.tolist() == [0, 1, 2]


def test_auto_learns_from_labelled_rows_alone() -> None:
    matrix, y = numbers()
    marked = np.where(np.arange(90) < 60, y, -1)
    within = ProbabilisticSelector(unlabeled_value=-1).fit(matrix, marked)
    alone = ProbabilisticSelector().fit(matrix[:60], y[:60])
    assert within.selection_result_.to_csv() == alone.selection_result_.to_csv()


@pytest.mark.parametrize("wanted", ["auto", 2])
@pytest.mark.parametrize("classifier", ["nb", "svm"])
def test_a_weight_counts_equal_rows(classifier: str, wanted: Any) -> None:
    frame, y = mixed_frame(50)
    weights = np.random.default_rng(0).integers(0, 4, 50)
    selector = ProbabilisticSelector(classifier, n_features_to_select=wanted)
    weighted = clone(selector).fit(frame, y, sample_weight=weights)
    repeated = clone(selector).fit(frame.loc[np.repeat(frame.index, weights)], np.repeat(y, weights))
    assert weighted.ranking_.tolist() == repeated.ranking_.tolist()
    assert weighted.support_.tolist() == repeated.support_.tolist()
    np.testing.assert_allclose(weighted.scores_, repeated.scores_, rtol=1e-9)
    assert weighted.ranking_result_.input.labelled_rows == weights.sum()


@pytest.mark.usefixtures("routing")
def test_metadata_reach_the_selector_through_a_pipeline() -> None:
    matrix, y = numbers()
    weights = np.random.default_rng(0).integers(0, 3, 90)
    selector = ProbabilisticSelector(n_features_to_select=2).set_fit_request(sample_weight=True, unlabeled=True)
    pipeline = Pipeline(
        [("scale", StandardScaler().set_fit_request(sample_weight=False)), ("select", selector)],
        transform_input=["unlabeled"],
    )
    pipeline.fit(matrix, y, sample_weight=weights, unlabeled=matrix[:20] + 1)
    scaler = StandardScaler().fit(matrix)
    expected = clone(selector).fit(
        scaler.transform(matrix), y, sample_weight=weights, unlabeled=scaler.transform(matrix[:20] + 1)
    )
    assert pipeline[-1].ranking_result_.to_csv() == expected.ranking_result_.to_csv()
    assert pipeline[-1].ranking_result_.input.unlabelled_rows == 20
    assert pipeline[-1].ranking_result_.input.labelled_rows == weights.sum()


@pytest.mark.usefixtures("routing")
def test_weights_are_split_with_the_rows_in_a_grid_search() -> None:
    matrix, y = numbers()
    selector = ProbabilisticSelector().set_fit_request(sample_weight=True)
    classifier = GaussianNB().set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
    grid = {"probabilisticselector__n_features_to_select": [1, 2]}
    search = GridSearchCV(make_pipeline(selector, classifier), grid, cv=3, error_score="raise")
    search.fit(matrix, y, sample_weight=np.full(90, 2))
    assert search.best_estimator_[0].ranking_result_.input.labelled_rows == 180


@pytest.mark.usefixtures("routing")
def test_metadata_that_nobody_asked_for_are_refused() -> None:
    matrix, y = numbers()
    pipeline = make_pipeline(ProbabilisticSelector(n_features_to_select=2), GaussianNB())
    with pytest.raises(sklearn.exceptions.UnsetMetadataPassedError, match="sample_weight"):
        pipeline.fit(matrix, y, sample_weight=np.ones(90))
    request = ProbabilisticSelector().get_metadata_routing()
    assert set(request.fit.requests) == {"sample_weight", "unlabeled"}


def test_a_fitted_pipeline_is_loaded_in_another_process(tmp_path: Path) -> None:
    matrix, y = numbers()
    frame = pd.DataFrame(matrix, columns=list("abcdef"))
    pipeline = make_pipeline(ProbabilisticSelector().set_output(transform="pandas"), GaussianNB()).fit(frame, y)
    (tmp_path / "pipeline.pickle").write_bytes(pickle.dumps((pipeline, frame)))
    program = """
import pickle, sys
from pathlib import Path
pipeline, frame = pickle.loads(Path(sys.argv[1]).read_bytes())
print(*pipeline.predict(frame))
print(*pipeline[0].get_feature_names_out())
print(pipeline[0].ranking_result_.to_csv() + pipeline[0].selection_result_.to_csv(), end="")
"""
    command = [sys.executable, "-c", program, str(tmp_path / "pipeline.pickle")]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    predicted, names, csv = result.stdout.split("\n", 2)
    assert predicted == " ".join(map(str, pipeline.predict(frame)))
    assert names == " ".join(pipeline[0].get_feature_names_out())
    assert csv == pipeline[0].ranking_result_.to_csv() + pipeline[0].selection_result_.to_csv()


def test_many_classes_that_are_numbers_are_no_quantity() -> None:
    random = np.random.default_rng(0)
    y = np.repeat(np.arange(60), 4)
    matrix = np.column_stack([y // 12, random.integers(0, 5, 240)])
    selector = ProbabilisticSelector(n_features_to_select=1).fit(matrix, y)
    assert selector.support_.tolist() == [True, False]


def test_classes_called_like_missing_cells_are_classes() -> None:
    frame, y = mixed_frame()
    selector = ProbabilisticSelector().fit(frame, np.where(y == "no", "NA", "?"))
    assert selector.classes_.tolist() == ["?", "NA"]
    assert selector.ranking_result_.input.labelled_rows == len(frame)


def documented(section: str) -> list[tuple[list[str], str]]:
    """The names and the first line, type and default, of each entry in a section of the selector's docstring."""
    text = inspect.getdoc(ProbabilisticSelector)
    assert text is not None
    body = re.split(r"\n\n(?=\w+\n-)", text.split(f"{section}\n{'-' * len(section)}\n")[1])[0]
    entries = re.findall(r"^(\S[^:\n]*?)(?: : (.*))?$", body, re.MULTILINE)
    return [(names.split(", "), kind) for names, kind in entries]


def test_every_parameter_is_documented_with_its_default() -> None:
    names = [name for own, _ in documented("Parameters") for name in own]
    signature = inspect.signature(ProbabilisticSelector).parameters
    assert sorted(names) == sorted(signature)
    for own, kind in documented("Parameters"):
        stated = re.search(r"default=(\S+)$", kind)
        value = signature[own[0]].default
        # "default:" is in words: what None, for a parameter that was not given, comes to.
        assert (stated is None) == ("default:" in kind), own
        assert (
            value is None if stated is None else stated[1] == (f'"{value}"' if isinstance(value, str) else str(value))
        )


def test_every_attribute_is_documented_and_there() -> None:
    names = {name for own, _ in documented("Attributes") for name in own}
    frame, y = mixed_frame(40)
    selector = ProbabilisticSelector().fit(frame, y)
    assert names == {name for name in vars(selector) if name.endswith("_")}


def test_importing_probfs_imports_no_scikit_learn() -> None:
    program = "import sys, probfs; probfs.rank; probfs.select; print('sklearn' in sys.modules)"
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert result.stdout == "False\n"
