"""The selector among scikit-learn's estimators: what it keeps, takes, refuses and warns of; pipelines and checks."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import polars
import pyarrow as pa
import pytest
import sklearn
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import BernoulliNB, GaussianNB
from sklearn.pipeline import Pipeline
from sklearn.utils.estimator_checks import check_estimator

import probfs
from probfs import NaiveBayes, ProbabilisticSelector
from probfs.classifiers.catalogue import CLASSIFIERS

LABELS = np.array(["no", "yes"])


def mixed_frame(rows: int = 120) -> tuple[pd.DataFrame, npt.NDArray[Any]]:
    """Numbers, texts, categories, truth values and missing cells, of which some tell the class, and the classes."""
    random = np.random.default_rng(0)
    y = random.integers(0, 2, rows)
    wrong = random.random((4, rows)) < 0.2
    frame = pd.DataFrame(
        {
            "dose": y + random.normal(size=rows),
            "colour": np.array(["red", "blue"])[y ^ wrong[0]],
            "grade": pd.Categorical(np.array(["low", "high"])[y ^ wrong[1]]),
            "smokes": (y ^ wrong[2]).astype(bool),
            "noise": random.normal(size=rows),
            "dice": random.integers(1, 7, rows),
        }
    )
    frame.loc[wrong[3], "dose"] = np.nan
    frame.loc[wrong[0] & wrong[1], "colour"] = None
    return frame, LABELS[y]


def fast(classifier: Any) -> dict[str, Any]:
    """Options with which a classifier is fast: for tests of all that surrounds them."""
    few = {"forest": {"trees": 5}, "boosting": {"iterations": 5}}
    return {} if classifier == "nb" else {"permutations": 2, **few.get(str(classifier), {})}


ROWS = 6
MATRIX = np.arange(2.0 * ROWS).reshape(ROWS, 2)
CLASSES = np.array([0, 1, 0, 1, 0, 1])
TWO: dict[str, Any] = {"n_features_to_select": 2}


def numbers(rows: int = 90) -> tuple[Any, Any]:
    """Six columns of numbers, of which the second and the fifth tell the class."""
    random = np.random.default_rng(0)
    y = random.integers(0, 3, rows)
    matrix = random.normal(size=(rows, 6))
    matrix[:, 1] += 2 * y
    matrix[:, 4] -= 2 * (y == 1)
    return matrix, y


# What is kept


def test_attributes_say_what_became_of_each_column() -> None:
    frame, y = mixed_frame()
    selector = ProbabilisticSelector().fit(frame, y)
    assert selector.support_.tolist() == (selector.ranking_ <= selector.n_features_).tolist()
    assert selector.n_features_in_ == 6
    assert selector.feature_names_in_.tolist() == list(frame.columns)
    assert selector.classes_.tolist() == LABELS.tolist()
    assert selector.ranking_result_.input.target == "y"
    assert dict(selector.ranking_result_.input.classes) == {name: (y == name).sum() for name in LABELS}
    assert {"colour", "grade"} <= set(selector.get_feature_names_out()) <= {"dose", "colour", "grade", "smokes"}
    random = ProbabilisticSelector(random_state=np.random.RandomState(3)).fit(frame, y)
    assert random.ranking_result_.settings.seed == np.random.RandomState(3).randint(np.iinfo(np.int32).max)


def test_a_number_of_columns_are_the_best_of_rank() -> None:
    frame, y = mixed_frame(60)
    said: dict[str, Any] = {"score": "absolute", "estimate": "cv", "folds": 4, "step": 2}
    options: dict[str, Any] = {"smoothing": 0.5, "bins": 3, "missing": "value", "exclude": ["dice"]}
    expected = probfs.rank(frame.assign(y=y), target="y", seed=5, **said, **options)
    found = ProbabilisticSelector(n_features_to_select=3, random_state=5, options=options, **said).fit(frame, y)
    assert found.ranking_result_.to_csv() == expected.to_csv()
    best = [feature.feature for feature in expected.features]
    assert list(frame.columns[np.argsort(found.ranking_)]) == [*best, "dice"]
    assert list(found.scores_[np.argsort(found.ranking_)][:5]) == [feature.s_s for feature in expected.features]
    assert set(found.get_feature_names_out()) == set(best[:3])


@pytest.mark.parametrize(
    ("parameters", "arguments"),
    [
        ({}, {"folds": 0}),
        ({"keep": "fewest", "folds": 3}, {"keep": "fewest", "folds": 3}),
        ({"false_discoveries": 1.0, "random_state": 3}, {"false_discoveries": 1.0, "seed": 3, "folds": 0}),
        (
            {"classifier": "svm", "options": {"always": ["noise"]}},
            {"classifier": "svm", "min_class": 3, "folds": 0, "always": ["noise"]},
        ),
    ],
)
def test_auto_keeps_what_select_keeps(parameters: dict[str, Any], arguments: dict[str, Any]) -> None:
    frame, y = mixed_frame(60)
    expected = probfs.select(frame.assign(y=y), target="y", **arguments)
    found = ProbabilisticSelector(**parameters).fit(frame, y)
    assert found.selection_result_.to_csv() == expected.to_csv()
    assert found.selection_result_.honest == expected.honest
    assert set(found.get_feature_names_out()) == set(expected.kept)
    places = [list(frame.columns).index(feature.feature) for feature in expected.features]
    assert found.ranking_[places].tolist() == [feature.rank for feature in expected.features]


@pytest.mark.parametrize("classifier", [*CLASSIFIERS, LogisticRegression()], ids=str)
def test_every_classifier_finds_the_columns_that_tell(classifier: Any) -> None:
    matrix, y = numbers(60)
    selector = ProbabilisticSelector(classifier, **TWO, step=0.5, options=fast(classifier)).fit(matrix, y)
    assert selector.support_.nonzero()[0].tolist() == [1, 4]
    assert pickle.loads(pickle.dumps(selector)).ranking_result_.to_csv() == selector.ranking_result_.to_csv()


@pytest.mark.parametrize(
    ("wanted", "number"), [(0.5, 3), (0.34, 2), (0.01, 1), (1.0, 6), (4, 4), (np.int64(2), 2), (np.float64(0.5), 3)]
)
def test_a_fraction_is_of_all_columns_and_as_it_is_written(wanted: float, number: int) -> None:
    frame, y = mixed_frame(40)
    selector = ProbabilisticSelector(n_features_to_select=wanted).fit(frame, y)
    assert selector.n_features_ == selector.support_.sum() == number
    # As binary numbers, 0.29 * 100 is a little less than 29.
    matrix = np.random.default_rng(0).integers(0, 2, (20, 100))
    hundred = ProbabilisticSelector(n_features_to_select=0.29, step=0.9, options={"screen": False})
    assert hundred.fit(matrix, matrix[:, 0] ^ (np.arange(20) == 3)).n_features_ == 29


def test_too_many_or_too_few_columns_are_a_warning() -> None:
    frame, y = mixed_frame(40)
    assert ProbabilisticSelector(n_features_to_select=6).fit(frame, y).support_.all(), "and without a warning"
    with pytest.warns(UserWarning, match="^n_features_to_select=9 asks for 9 columns, and 6 could be ranked; all of"):
        assert ProbabilisticSelector(n_features_to_select=9).fit(frame, y).support_.all()
    random = np.random.default_rng(1)
    noise, classes = pd.DataFrame(random.normal(size=(60, 3)), columns=["a", "b", "c"]), np.arange(60) % 2
    few = r"^0 columns are told from noise and worth keeping; kept all the same \(min_features_to_select=1\): '[abc]'$"
    with pytest.warns(UserWarning, match=few):
        selector = ProbabilisticSelector().fit(noise, classes)
    assert selector.selection_result_.kept == ()
    assert selector.get_feature_names_out().tolist() == [selector.selection_result_.features[0].feature]
    none = ProbabilisticSelector(min_features_to_select=0).fit(noise, classes)
    with pytest.warns(UserWarning, match="No features were selected"):
        assert none.transform(noise).shape == (60, 0)
    found = ProbabilisticSelector().fit(frame, y).n_features_
    with pytest.warns(probfs.ProbfsWarning, match="kept all the same"):
        assert ProbabilisticSelector(min_features_to_select=found + 1).fit(frame, y).n_features_ == found + 1


def test_columns_that_take_no_part_come_last_with_a_warning() -> None:
    frame, y = mixed_frame()
    frame.insert(0, "Unnamed: 0", np.arange(len(frame)))
    frame.insert(1, "row", np.arange(len(frame)))
    frame.insert(3, "lists", [[1, 2]] * len(frame))
    with pytest.warns(probfs.ProbfsWarning) as caught:
        selector = ProbabilisticSelector(n_features_to_select=6).fit(frame, y)
    assert {warning.filename for warning in caught} == {__file__}
    texts = " ".join(str(warning.message) for warning in caught)
    parts = ("unnamed first column was left out", "'row' (numbers the rows", "'lists' holds list")
    assert [texts.count(part) for part in parts] == [1, 1, 1]
    assert selector.ranking_[[0, 1, 3]].tolist() == [7, 8, 9]
    assert np.flatnonzero(np.isnan(selector.scores_)).tolist() == [0, 1, 3]
    assert ProbabilisticSelector(n_features_to_select=7, keep_identifiers=True).fit(frame, y).support_[1]
    with pytest.raises(probfs.DataError, match="no column holds texts or numbers"):
        ProbabilisticSelector().fit(frame[["lists"]], y)


def test_rows_of_rare_classes_are_dropped_with_a_warning() -> None:
    frame, _ = mixed_frame(40)
    y = np.arange(40) % 3
    y[np.flatnonzero(y == 2)[2:]] = 1
    with pytest.warns(probfs.ProbfsWarning, match="^2 rows dropped, of classes with fewer than 3 rows"):
        selector = ProbabilisticSelector("svm", min_features_to_select=0).fit(frame, y)
    assert selector.classes_.tolist() == [0, 1, 2]
    with pytest.raises(probfs.DataError, match="class '2' has 2 rows only"):
        ProbabilisticSelector("svm", min_class=2).fit(frame, y)


# What fit is given


@pytest.mark.parametrize(
    ("y", "value", "labels"),
    [
        (CLASSES, None, [0, 1]),
        (CLASSES.astype(float).tolist(), None, [0.0, 1.0]),
        (pd.Series(CLASSES.astype(bool), name=3), None, [False, True]),
        (list("bababa"), None, ["a", "b"]),
        (pd.Categorical(list("bababa")), None, ["a", "b"]),
        (pa.chunked_array([list("bab"), list("aba")]).to_pandas(), None, ["a", "b"]),
        (["?", "NA"] * 3, None, ["?", "NA"]),
        (np.array([0, 1, -1, 1, 0, -1]), None, [-1, 0, 1]),
        (np.array([0, 1, -1, 1, 0, -1]), -1, [0, 1]),
        (np.array([0, 1, np.nan, 1, 0, np.nan]), np.nan, [0, 1]),
        (pd.Series([0, 1, None, 1, 0, None], dtype=object), np.nan, [0, 1]),
        (np.array([0, 1, "?", 1, 0, "?"], dtype=object), "?", [0, 1]),
        (["0", "1", -1, "1", "0", -1], -1, ["0", "1"]),
    ],
)
def test_classes_of_all_types_are_found_and_rows_without_one_known_by_a_value(y: Any, value: Any, labels: Any) -> None:
    selector = ProbabilisticSelector(n_features_to_select=1, unlabeled_value=value, keep_identifiers=True)
    summary = selector.fit(MATRIX, y).ranking_result_.input
    assert selector.classes_.tolist() == labels
    assert list(summary.classes.values()) == [2 if len(labels) == 3 or value is not None else 3] * len(labels)
    assert (summary.target, summary.unlabelled_rows) == ("y", 0 if value is None else 2)


def test_masked_cells_are_missing_and_not_what_is_behind_the_mask() -> None:
    matrix, y = numbers()
    mask, no_class = np.random.default_rng(0).random(matrix.shape) < 0.2, np.arange(90) < 10
    selector = ProbabilisticSelector(n_features_to_select=2, unlabeled_value=np.nan)
    expected = clone(selector).fit(np.where(mask, np.nan, matrix), np.where(no_class, np.nan, y))
    masked = np.ma.masked_array(matrix, mask)
    found = clone(selector).fit(masked, np.ma.masked_array(y, no_class))
    assert found.ranking_result_.to_csv() == expected.ranking_result_.to_csv()
    np.testing.assert_array_equal(found.transform(masked), expected.transform(np.where(mask, np.nan, matrix)))
    texts = np.ma.masked_array(np.where(matrix > 0, "high", "low"), mask)
    summary = clone(selector).fit(texts, y).ranking_result_.input.basis
    assert summary is not None
    assert summary.missing_cells == mask.sum()


def test_rows_of_no_weight_have_no_class_and_names_are_kept_apart() -> None:
    texts = pd.DataFrame({"y": list("xyxyxz"), "sample_weight": list("uvuvuw")})
    for data, target in ((texts, "y (2)"), (texts.to_numpy(object), "y"), (pa.table(texts), "y (2)")):
        selector = ProbabilisticSelector(**TWO).fit(data, list("pqpqrr"), sample_weight=[2, 1, 1, 1, 0, 0])
        summary = selector.ranking_result_.input
        assert (summary.labelled_rows, summary.target, list(summary.classes)) == (5, target, ["p", "q"])


def test_unlabelled_rows_come_as_rows_of_their_own_or_by_their_value_in_y() -> None:
    matrix, y = numbers()
    few: dict[str, Any] = {"score": "unlabeled", "n_features_to_select": 2}
    apart = ProbabilisticSelector(**few).fit(matrix[:60], y[:60], unlabeled=matrix[60:])
    marked = np.where(np.arange(90) < 60, y, -1)
    within = ProbabilisticSelector(unlabeled_value=-1, **few).fit(matrix, marked)
    assert apart.ranking_result_.to_csv() == within.ranking_result_.to_csv()
    assert apart.ranking_result_.input.unlabelled_rows == 30
    assert apart.scores_[1] == {each.feature: each.s_su for each in apart.ranking_result_.features}["x1"]


@pytest.mark.parametrize(("classifier", "wanted"), [("nb", "auto"), ("svm", 2)])
def test_a_weight_counts_equal_rows(classifier: str, wanted: Any) -> None:
    frame, y = mixed_frame(50)
    weights = np.random.default_rng(0).integers(0, 4, 50)
    selector = ProbabilisticSelector(classifier, n_features_to_select=wanted)
    weighted = clone(selector).fit(frame, y, sample_weight=weights)
    repeated = clone(selector).fit(frame.loc[np.repeat(frame.index, weights)], np.repeat(y, weights))
    assert weighted.ranking_.tolist() == repeated.ranking_.tolist()
    np.testing.assert_allclose(weighted.scores_, repeated.scores_, rtol=1e-9)
    # Other weights are importances, of which only the proportions count, however large these are.
    importances = np.random.default_rng(0).uniform(0.5, 3, 50)
    once, far = (clone(selector).fit(frame, y, sample_weight=importances * by) for by in (1, 2e14))
    np.testing.assert_allclose(far.scores_, once.scores_, rtol=1e-9)


# What transform gives


@pytest.mark.parametrize(
    ("given", "container"),
    [("matrix", "pandas"), ("pandas", "default"), ("pandas", "polars"), ("polars", "polars"), ("lazy", "default")],
)
def test_frames_and_matrices_come_out_as_they_are_asked_for(container: str, given: str) -> None:
    frame, y = mixed_frame()
    frame = frame.astype({"grade": object})
    eager = polars.from_pandas(frame)
    matrix = frame[["dose", "noise", "dice"]].to_numpy()
    forms: dict[str, Any] = {"pandas": frame, "polars": eager, "lazy": eager.lazy(), "matrix": matrix}
    data = forms[given]
    selector = ProbabilisticSelector(n_features_to_select=2).set_output(transform=container).fit(data, y)
    found: Any = selector.transform(data)
    assert type(found).__module__.startswith("numpy" if container == "default" else container)
    if given == "matrix":
        np.testing.assert_array_equal(np.asarray(found), data[:, selector.support_])
    elif container == "default":
        assert pd.DataFrame(found).equals(pd.DataFrame(frame.loc[:, selector.support_].to_numpy()))
    else:
        assert found.equals(polars.from_pandas(frame.loc[:, selector.support_]))


def test_scikit_learn_says_what_comes_out_and_takes_it_back() -> None:
    frame, y = mixed_frame()
    selector = ProbabilisticSelector(n_features_to_select=4)
    with pytest.raises(NotFittedError):
        selector.transform(frame)
    with sklearn.config_context(transform_output="pandas"):
        pd.testing.assert_frame_equal(selector.fit(frame, y).transform(frame), frame.loc[:, selector.support_])
        assert isinstance(selector.set_output(transform="default").transform(frame), np.ndarray)
    matrix, y = numbers()
    kept = selector.set_params(**TWO).fit_transform(matrix, y)
    assert np.array_equal(selector.inverse_transform(kept)[:, [1, 4]], kept)
    # Only columns that are kept need fit into a matrix.
    frame = pd.DataFrame(matrix, columns=list("abcdef")).assign(when=pd.Timestamp("2024-01-31"))
    for data in (frame, polars.from_pandas(frame)):
        kept = ProbabilisticSelector(**TWO).fit(data, y).transform(data)
        assert (kept.dtype, kept.tolist()) == (np.float64, matrix[:, [1, 4]].tolist())
        every = ProbabilisticSelector(n_features_to_select=7).fit(data, y).transform(data)
        assert every[0].tolist() == [*matrix[0].tolist(), frame["when"][0]]


# Parameters

AUTO: dict[str, Any] = {"n_features_to_select": "auto"}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"y": None}, "requires y to be passed, but the target y is None"),
        ({"y": np.zeros(ROWS)}, "y holds 1 class, '0.0'; two or more are needed"),
        ({"sample_weight": [1, 0, 1, 0, 1, 0]}, "y holds 1 class, '0'"),
        ({"y": np.full(ROWS, -1)}, "y holds no class: each of its values is unlabeled_value=-1"),
        ({"y": np.array([0, 1, np.nan, 1, 0, 1])}, "Input y contains NaN"),
        ({"X": pd.DataFrame(MATRIX[:1]), "y": CLASSES[:1]}, "1 sample"),
        ({"X": pd.DataFrame(index=range(ROWS))}, "0 feature|at least one array"),
        ({"X": pd.DataFrame(np.where(MATRIX == 3, np.inf, MATRIX), columns=["a", "b"])}, "infinity in column 'b'"),
        ({"X": pa.table({"a": MATRIX[:, 0], "b": np.full(ROWS, -np.inf)})}, "infinity in column 'b'"),
        ({"unlabeled": MATRIX[:, :1]}, "1 features, but ProbabilisticSelector is expecting 2"),
        ({"unlabeled": MATRIX, **AUTO}, r"^unlabeled= goes with a number in n_features_to_select= only$"),
        ({"unlabeled": np.full((2, 2), np.inf)}, "infinity"),
        ({"sample_weight": [1, -1.5, 1, 1, 1, 1]}, "Negative values in data passed to .*sample_weight"),
        ({"sample_weight": [0] * ROWS}, "sample_weight=: every weight is zero, which leaves no row"),
        (
            {"sample_weight": [2**52, 2**52, 2, 0, 0, 0]},
            r"sample_weight=: as counts of rows, the weights add up to more than 2\^53; divide all",
        ),
        ({"sample_weight": [1, 1]}, "inconsistent numbers of samples"),
        ({"groups": [1, 1]}, "inconsistent numbers of samples"),
        ({"groups": [1, 1, 2, 2, None, 3]}, "groups=: some are missing"),
        ({"sample_weight": [1, np.nan, 1, 1, 1, 1]}, "sample_weight contains NaN"),
        ({"sample_weight": np.ma.masked_equal([1, 2, 3, 1, 2, 2], 3)}, "sample_weight contains NaN"),
        ({"groups": np.ma.masked_equal([1, 1, 2, 2, 3, 3], 3)}, "groups=: some are missing"),
        ({"estimate": "loo", **AUTO}, "^estimate= goes with a number in n_features_to_select= only$"),
        ({"step": 1, **AUTO}, "^step= goes with a number in n_features_to_select= only$"),
        ({"keep": "best"}, '^keep= goes with n_features_to_select="auto" only$'),
        ({"min_features_to_select": 1}, '^min_features_to_select= goes with n_features_to_select="auto" only$'),
        ({"score": "unlabeled", **AUTO}, "score=: 'unlabeled' is not one of absolute, signed"),
        ({"score": "unlabeled"}, 'score="unlabeled": there is no unlabelled row; add some with unlabeled='),
        *(
            ({"n_features_to_select": number}, "n_features_to_select=: .* is not one of")
            for number in ("most", 0, True, 1.5, -0.5)
        ),
        ({"keep": "worst", **AUTO}, "keep=: 'worst' is neither best nor fewest nor most nor a whole number from 0 on"),
        ({"min_features_to_select": -1, **AUTO}, "min_features_to_select=: -1 is not a whole number from 0 on"),
        ({"keep_identifiers": "no"}, "keep_identifiers=: 'no' is not True or False"),
        ({"min_class": 1000}, "min_class=1000: no class has 1,000 rows or more"),
        ({"classifier": "oracle"}, "classifier=: 'oracle' is not one of"),
        ({"options": ["na"]}, r"options=: \['na'\] is no dictionary of keywords"),
        ({"options": {"score": "signed"}}, "options=: 'score' is decided by the selector"),
        ({"options": {"join": "dose+dice"}}, "options=: 'join' is decided by the selector"),
        ({"random_state": -1}, "random_state=: -1 is not a whole number from 0 on"),
        ({"random_state": "dice"}, "cannot be used to seed"),
        ({"options": {"sparkle": 1}}, "unexpected keyword argument 'sparkle'"),
    ],
)
def test_what_is_wrong_with_the_data_or_a_parameter_is_named(given: dict[str, Any], message: str) -> None:
    fitted = {name: given.pop(name, default) for name, default in (("X", MATRIX), ("y", CLASSES))}
    fitted |= {name: given.pop(name) for name in ("sample_weight", "groups", "unlabeled") if name in given}
    chosen = {"n_features_to_select": 1, "unlabeled_value": -1, "keep_identifiers": True, **given}
    with pytest.raises((ValueError, TypeError), match=message):
        ProbabilisticSelector(**chosen).fit(**fitted)


@pytest.mark.parametrize("classifier", ["nb", probfs.NaiveBayes()], ids=str)
def test_options_of_a_classifier_can_be_set_and_searched(classifier: Any) -> None:
    frame, y = mixed_frame(60)
    selector = ProbabilisticSelector(classifier, n_features_to_select=2)
    assert selector.get_params()["classifier__smoothing"] == 1.0
    assert "classifier__smoothing" not in selector.get_params(deep=False)
    changed = clone(selector).set_params(classifier__smoothing=0.5, classifier__bins=3, score="absolute")
    assert changed.classifier == probfs.NaiveBayes(smoothing=0.5, bins=3)
    assert (changed.get_params()["score"], hasattr(changed, "score")) == ("absolute", False), "no method"
    assert selector.classifier == classifier, "the other selector keeps its classifier"
    grid = {"classifier__smoothing": [0.0, 1.0], "classifier__shrink": ["on", "off"]}
    search = GridSearchCV(selector, grid, cv=2, scoring=lambda found, *_: found.n_features_, error_score="raise")
    assert len(search.fit(frame, y).cv_results_["params"]) == 4
    with pytest.raises(ValueError, match=r"^Invalid parameter 'kernel' for NaiveBayes\(\); valid parameters are smoo"):
        selector.set_params(classifier__kernel="rbf")


@pytest.mark.parametrize("classifier", ["svm", probfs.SVM(kernel="rbf", jobs=2), BernoulliNB(alpha=2.0)], ids=str)
def test_selectors_are_shown_cloned_and_given_back(classifier: Any) -> None:
    selector = ProbabilisticSelector(classifier, options={"na": "none"})
    again = ProbabilisticSelector().set_params(**selector.get_params())
    assert (again.classifier is classifier, clone(again).options) == (True, {"na": "none"})
    assert f"classifier={classifier!r}" in repr(selector)
    if isinstance(classifier, BernoulliNB):
        assert clone(again).set_params(classifier__alpha=0.5).classifier.alpha == 0.5


# Among other estimators


def test_metadata_reach_the_selector_through_a_pipeline() -> None:
    matrix, y = numbers()
    weights = np.random.default_rng(0).integers(0, 3, 90)
    with sklearn.config_context(enable_metadata_routing=True):
        selector = ProbabilisticSelector(**TWO).set_fit_request(sample_weight=True, unlabeled=True)
        pipeline = Pipeline([("select", selector)], transform_input=["unlabeled"])
        pipeline.fit(matrix, y, sample_weight=weights, unlabeled=matrix[:20] + 1)
    summary = pipeline[-1].ranking_result_.input
    assert (summary.unlabelled_rows, summary.labelled_rows) == (20, weights.sum())


# The checks fit noise, rare classes and rows of their own numbers, of which the selector warns.
NOISY = pytest.mark.filterwarnings("ignore::UserWarning")


def all_checks(selector: ProbabilisticSelector) -> dict[str, str]:
    """The outcome of each check that did not pass; skipped are only those that need packages or settings."""
    results = check_estimator(selector, on_fail=None, on_skip=None)
    assert len(results) > 40
    failed = {check["check_name"]: repr(check["exception"]) for check in results if check["status"] != "passed"}
    failed.pop("check_array_api_input", None)
    return failed


@NOISY
@pytest.mark.parametrize(
    "selector",
    [
        ProbabilisticSelector(),
        ProbabilisticSelector(NaiveBayes(smoothing=0.5), n_features_to_select=1, estimate="cv", folds=2),
    ],
    ids=str,
)
def test_naive_bayes_passes(selector: ProbabilisticSelector) -> None:
    assert all_checks(selector) == {}


@NOISY
@pytest.mark.slow
@pytest.mark.parametrize("wanted", ["auto", 1])
@pytest.mark.parametrize("classifier", [*list(CLASSIFIERS)[1:], GaussianNB()], ids=str)
def test_other_classifiers_pass_everything(classifier: Any, wanted: Any) -> None:
    selector = ProbabilisticSelector(classifier, n_features_to_select=wanted, options=fast(classifier))
    assert all_checks(selector) == {}
