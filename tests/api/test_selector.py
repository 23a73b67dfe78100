"""The selector among scikit-learn's estimators: what it keeps, takes, refuses and warns of; pipelines and checks."""

from __future__ import annotations

import inspect
import pickle
import re
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import polars
import pyarrow as pa
import pytest
import sklearn
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import BernoulliNB, GaussianNB
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

import probfs
from probfs import NaiveBayes, ProbabilisticSelector
from probfs.classifiers.catalogue import CLASSIFIERS

LABELS = np.array(["no", "yes"])


def mixed_frame(rows: int = 120, seed: int = 0) -> tuple[pd.DataFrame, npt.NDArray[Any]]:
    """Numbers, texts, categories, truth values and missing cells, of which some tell the class, and the classes."""
    random = np.random.default_rng(seed)
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


SMALL: dict[str, dict[str, Any]] = {
    "nb": {},
    "svm": {"permutations": 2},
    "logistic": {"permutations": 2},
    "forest": {"permutations": 2, "trees": 5},
    "boosting": {"permutations": 2, "iterations": 5},
}
"""Options with which the classifiers are fast: for tests of all that surrounds them."""


def with_target(frame: pd.DataFrame, y: npt.NDArray[Any]) -> pd.DataFrame:
    """The frame as ``probfs.rank`` and ``probfs.select`` take it."""
    return frame.assign(y=y)


ROWS = 6
MATRIX = np.arange(2.0 * ROWS).reshape(ROWS, 2)
CLASSES = np.array([0, 1, 0, 1, 0, 1])
TWO: dict[str, Any] = {"n_features_to_select": 2}


def numbers(rows: int = 90, seed: int = 0) -> tuple[Any, Any]:
    """Six columns of numbers, of which the second and the fifth tell the class."""
    random = np.random.default_rng(seed)
    y = random.integers(0, 3, rows)
    matrix = random.normal(size=(rows, 6))
    matrix[:, 1] += 2 * y
    matrix[:, 4] -= 2 * (y == 1)
    return matrix, y


def noise(rows: int = 60) -> tuple[pd.DataFrame, Any]:
    random = np.random.default_rng(1)
    return pd.DataFrame(random.normal(size=(rows, 3)), columns=["a", "b", "c"]), np.arange(rows) % 2


# What is kept


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


def test_a_number_of_columns_are_the_best_of_rank() -> None:
    frame, y = mixed_frame(60)
    said: dict[str, Any] = {"score": "absolute", "estimate": "cv", "folds": 4, "step": 2}
    options: dict[str, Any] = {"smoothing": 0.5, "bins": 3, "missing": "value", "exclude": ["dice"]}
    expected = probfs.rank(with_target(frame, y), target="y", seed=5, **said, **options)
    found = ProbabilisticSelector(n_features_to_select=3, random_state=5, options=options, **said).fit(frame, y)
    assert found.ranking_result_.to_csv() == expected.to_csv()
    assert set(found.get_feature_names_out()) == {feature.feature for feature in expected.features[:3]}


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
    expected = probfs.select(with_target(frame, y), target="y", **arguments)
    found = ProbabilisticSelector(**parameters).fit(frame, y)
    assert found.selection_result_.to_csv() == expected.to_csv()
    assert found.selection_result_.honest == expected.honest
    assert set(found.get_feature_names_out()) == set(expected.kept)
    places = [list(frame.columns).index(feature.feature) for feature in expected.features]
    assert found.ranking_[places].tolist() == [feature.rank for feature in expected.features]


@given(st.data())
@examples(max_examples=10)
def test_any_number_of_columns_of_any_table_is_what_rank_says(data: st.DataObject) -> None:
    rows, columns = data.draw(st.integers(4, 12), "rows"), data.draw(st.integers(1, 4), "columns")
    cell = st.sampled_from(["u", "v", "w", None])
    lists = data.draw(
        st.lists(st.lists(cell, min_size=rows, max_size=rows), min_size=columns, max_size=columns), "cells"
    )
    frame = pd.DataFrame({f"c{place}": pd.Series(cells, dtype=object) for place, cells in enumerate(lists)})
    y = np.array(data.draw(st.lists(st.sampled_from("ab"), min_size=rows - 4, max_size=rows - 4), "y") + list("abab"))
    weights = np.array(data.draw(st.lists(st.integers(0, 3), min_size=rows - 4, max_size=rows - 4), "w") + [1] * 4)
    number = data.draw(st.integers(1, columns), "number")
    score = data.draw(st.sampled_from(["signed", "absolute"]), "score")
    selector = ProbabilisticSelector(
        n_features_to_select=number, score=score, keep_identifiers=True, min_class=1, estimate="resubstitution"
    )
    selector.fit(frame, y, sample_weight=weights)
    repeated = with_target(frame, y).loc[np.repeat(np.arange(rows), weights)]
    kwargs: dict[str, Any] = {"keep_identifiers": True, "min_class": 1, "estimate": "resubstitution"}
    ranking = probfs.rank(repeated, target="y", score=score, **kwargs)
    best = [feature.feature for feature in ranking.features]
    assert [frame.columns[place] for place in np.argsort(selector.ranking_)] == best
    assert set(selector.get_feature_names_out()) == set(best[:number])
    expected = [getattr(feature, "s_a" if score == "signed" else "s_s") for feature in ranking.features]
    np.testing.assert_allclose(selector.scores_[np.argsort(selector.ranking_)], expected, rtol=1e-9, atol=1e-14)


@pytest.mark.parametrize("classifier", [*CLASSIFIERS.names(), LogisticRegression()], ids=str)
def test_every_classifier_finds_the_columns_that_tell(classifier: Any) -> None:
    matrix, y = numbers(60)
    small = SMALL[classifier] if isinstance(classifier, str) else {"permutations": 2}
    selector = ProbabilisticSelector(classifier, **TWO, step=0.5, options=small).fit(matrix, y)
    assert selector.support_.nonzero()[0].tolist() == [1, 4]
    assert pickle.loads(pickle.dumps(selector)).ranking_result_.to_csv() == selector.ranking_result_.to_csv()


@pytest.mark.parametrize(
    ("wanted", "number"), [(0.5, 3), (0.34, 2), (0.01, 1), (1.0, 6), (4, 4), (np.int64(2), 2), (np.float64(0.5), 3)]
)
def test_a_fraction_is_of_all_columns(wanted: float, number: int) -> None:
    frame, y = mixed_frame(40)
    selector = ProbabilisticSelector(n_features_to_select=wanted).fit(frame, y)
    assert selector.n_features_ == selector.support_.sum() == number


def test_a_fraction_is_what_is_written() -> None:
    # As binary numbers, 0.29 * 100 is a little less than 29.
    matrix = np.random.default_rng(0).integers(0, 2, (20, 100))
    selector = ProbabilisticSelector(n_features_to_select=0.29, step=0.9, options={"screen": False})
    assert selector.fit(matrix, matrix[:, 0] ^ (np.arange(20) == 3)).n_features_ == 29


def test_too_many_or_too_few_columns_are_a_warning() -> None:
    frame, y = mixed_frame(40)
    assert ProbabilisticSelector(n_features_to_select=6).fit(frame, y).support_.all(), "and without a warning"
    with pytest.warns(UserWarning, match="^n_features_to_select=9 asks for 9 columns, and 6 could be ranked; all of"):
        assert ProbabilisticSelector(n_features_to_select=9).fit(frame, y).support_.all()
    few = r"^0 columns are told from noise and worth keeping; kept all the same \(min_features_to_select=1\): '[abc]'$"
    with pytest.warns(UserWarning, match=few):
        selector = ProbabilisticSelector().fit(*noise())
    assert selector.selection_result_.kept == ()
    assert selector.get_feature_names_out().tolist() == [selector.selection_result_.features[0].feature]


def test_a_minimum_of_columns_is_kept() -> None:
    selector = ProbabilisticSelector(min_features_to_select=0).fit(*noise())
    assert not selector.support_.any()
    with pytest.warns(UserWarning, match="No features were selected"):
        assert selector.transform(noise()[0]).shape == (60, 0)
    frame, y = mixed_frame(60)
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
    for part in ("unnamed first column was left out", "'row' (numbers the rows", "'lists' holds list"):
        assert texts.count(part) == 1, texts
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


def test_the_seed_is_that_of_rank() -> None:
    frame, y = mixed_frame(60)

    def seed(state: Any) -> int:
        selector = ProbabilisticSelector(n_features_to_select=3, random_state=state).fit(frame, y)
        return int(selector.ranking_result_.settings.seed)

    assert [seed(state) for state in (None, 0, np.int64(5))] == [0, 0, 5]
    assert seed(np.random.RandomState(3)) == seed(np.random.RandomState(3)) > 0
    with pytest.raises(ValueError, match="cannot be used to seed"):
        seed("dice")


# What fit is given


@pytest.mark.parametrize(
    ("y", "labels"),
    [
        (CLASSES, [0, 1]),
        (CLASSES.astype(float).tolist(), [0.0, 1.0]),
        (pd.Series(CLASSES.astype(bool), name=3), [False, True]),
        (list("bababa"), ["a", "b"]),
        (pd.Categorical(list("bababa")), ["a", "b"]),
        (pa.chunked_array([list("bab"), list("aba")]).to_pandas(), ["a", "b"]),
        ([-1, 1, -1, 1, -1, 1], [-1, 1]),
        (["?", "NA"] * 3, ["?", "NA"]),
    ],
    ids=["whole", "floats", "truth", "texts", "categories", "arrow", "minus-one", "like-missing"],
)
def test_classes_of_all_types_are_found(y: Any, labels: list[Any]) -> None:
    selector = ProbabilisticSelector(n_features_to_select=1, keep_identifiers=True).fit(MATRIX, y)
    assert selector.classes_.tolist() == labels
    summary = selector.ranking_result_.input
    assert dict(summary.classes) == {str(label): 3 for label in labels}
    assert (summary.target, summary.labelled_rows) == ("y", ROWS)


@pytest.mark.parametrize(
    ("y", "value"),
    [
        (np.array([0, 1, -1, 1, 0, -1]), -1),
        (np.array([0, 1, np.nan, 1, 0, np.nan]), np.nan),
        (pd.Series([0, 1, None, 1, 0, None], dtype=object), np.nan),
        (np.array([0, 1, "?", 1, 0, "?"], dtype=object), "?"),
        (["0", "1", -1, "1", "0", -1], -1),
    ],
    ids=["-1", "nan", "none", "text", "texts"],
)
def test_rows_without_a_class_are_known_by_a_value(y: Any, value: Any) -> None:
    selector = ProbabilisticSelector(n_features_to_select=1, unlabeled_value=value, keep_identifiers=True)
    summary = selector.fit(MATRIX, y).ranking_result_.input
    assert (len(selector.classes_), summary.labelled_rows, summary.unlabelled_rows) == (2, 4, 2)


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


@pytest.mark.parametrize(
    ("arguments", "message"),
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
    ],
)
def test_what_is_wrong_with_the_data_is_a_value_error(arguments: dict[str, Any], message: str) -> None:
    selector = ProbabilisticSelector(n_features_to_select=1, unlabeled_value=-1)
    with pytest.raises(ValueError, match=message):
        selector.fit(**{"X": MATRIX, "y": CLASSES, **arguments})


def test_rows_of_no_weight_have_no_class_and_names_are_kept_apart() -> None:
    texts = pd.DataFrame({"y": list("xyxyxz"), "sample_weight": list("uvuvuw")})
    for data, target in ((texts, "y (2)"), (texts.to_numpy(object), "y"), (pa.table(texts), "y (2)")):
        selector = ProbabilisticSelector(**TWO).fit(data, list("pqpqrr"), sample_weight=[2, 1, 1, 1, 0, 0])
        assert selector.classes_.tolist() == ["p", "q"]
        assert (selector.ranking_result_.input.labelled_rows, selector.ranking_result_.input.target) == (5, target)


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


def test_only_the_proportions_of_importances_count_however_large_these_are() -> None:
    frame, y = mixed_frame(50)
    weights = np.random.default_rng(0).uniform(0.5, 3, 50)
    selector = ProbabilisticSelector(n_features_to_select=2)
    expected = clone(selector).fit(frame, y, sample_weight=weights).scores_
    for scaled in (weights * 1e-300, weights * 2e14):
        np.testing.assert_allclose(clone(selector).fit(frame, y, sample_weight=scaled).scores_, expected, rtol=1e-9)
    assert scaled.sum() > 2**53


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


def test_only_columns_that_are_kept_need_fit_into_a_matrix() -> None:
    matrix, y = numbers()
    frame = pd.DataFrame(matrix, columns=list("abcdef")).assign(when=pd.Timestamp("2024-01-31"))
    for data in (frame, polars.from_pandas(frame)):
        kept = ProbabilisticSelector(n_features_to_select=2).fit(data, y).transform(data)
        assert kept.dtype == np.float64
        assert np.array_equal(kept, matrix[:, [1, 4]])
        every = ProbabilisticSelector(n_features_to_select=7).fit(data, y).transform(data)
        assert every[0].tolist() == [*matrix[0].tolist(), frame["when"][0]]


# Parameters


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"estimate": "loo"}, "^estimate= goes with a number in n_features_to_select= only$"),
        ({"step": 1}, "^step= goes with a number in n_features_to_select= only$"),
        ({"keep": "best", **TWO}, '^keep= goes with n_features_to_select="auto" only$'),
        ({"min_features_to_select": 1, **TWO}, '^min_features_to_select= goes with n_features_to_select="auto" only$'),
        ({"score": "unlabeled"}, "score=: 'unlabeled' is not one of absolute, signed"),
        ({"score": "unlabeled", **TWO}, 'score="unlabeled": there is no unlabelled row; add some with unlabeled='),
        *(
            ({"n_features_to_select": number}, "n_features_to_select=: .* is not one of")
            for number in ("most", 0, True, 1.5, -0.5)
        ),
        ({"keep": "worst"}, "keep=: 'worst' is neither best nor fewest nor most nor a whole number from 0 on"),
        ({"min_features_to_select": -1}, "min_features_to_select=: -1 is not a whole number from 0 on"),
        ({"keep_identifiers": "no"}, "keep_identifiers=: 'no' is not True or False"),
        ({"min_class": 1000}, "min_class=1000: no class has 1,000 rows or more"),
        ({"classifier": "oracle"}, "classifier=: 'oracle' is not one of"),
        ({"options": ["na"]}, r"options=: \['na'\] is no dictionary of keywords"),
        ({"options": {"kernel": "rbf"}}, 'kernel= goes with classifier="svm"'),
        ({"options": {"score": "signed"}}, "options=: 'score' is decided by the selector"),
        ({"options": {"join": "dose+dice"}}, "options=: 'join' is decided by the selector"),
        ({"random_state": -1}, "random_state=: -1 is not a whole number from 0 on"),
    ],
)
def test_a_wrong_parameter_is_an_error_that_names_it(parameters: dict[str, Any], message: str) -> None:
    frame, y = mixed_frame(40)
    with pytest.raises(probfs.ProbfsError, match=message):
        ProbabilisticSelector(**parameters).fit(frame, y)


def test_other_mistakes_are_what_others_raise() -> None:
    frame, y = mixed_frame(40)
    with pytest.raises(probfs.UsageError, match=r"^unlabeled= goes with a number in n_features_to_select= only$"):
        ProbabilisticSelector().fit(frame, y, unlabeled=frame)
    with pytest.raises(TypeError, match="unexpected keyword argument 'sparkle'"):
        ProbabilisticSelector(options={"sparkle": 1}).fit(frame, y)


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


def test_selectors_are_shown_cloned_and_given_back() -> None:
    for classifier in ("svm", probfs.SVM(kernel="rbf", jobs=2), BernoulliNB(alpha=2.0)):
        selector = ProbabilisticSelector(classifier, options={"na": "none"})
        again = ProbabilisticSelector().set_params(**selector.get_params())
        assert (again.classifier is classifier, clone(again).options) == (True, {"na": "none"})
        assert f"classifier={classifier!r}" in repr(selector)
    assert clone(again).set_params(classifier__alpha=0.5).classifier.alpha == 0.5


def test_every_parameter_and_attribute_is_documented() -> None:
    text = inspect.getdoc(ProbabilisticSelector) or ""
    names = {
        name for listed in re.findall(r"^(\w[\w, ]*)(?: :.*|$)", text, re.MULTILINE) for name in listed.split(", ")
    }
    fitted = {name for name in vars(ProbabilisticSelector().fit(*mixed_frame(40))) if name.endswith("_")}
    assert {*inspect.signature(ProbabilisticSelector).parameters, *fitted} <= names


# Among other estimators


def test_metadata_reach_the_selector_through_a_pipeline() -> None:
    matrix, y = numbers()
    weights = np.random.default_rng(0).integers(0, 3, 90)
    with sklearn.config_context(enable_metadata_routing=True):
        selector = ProbabilisticSelector(n_features_to_select=2).set_fit_request(sample_weight=True, unlabeled=True)
        scale = StandardScaler().set_fit_request(sample_weight=False)
        pipeline = Pipeline([("scale", scale), ("select", selector)], transform_input=["unlabeled"])
        pipeline.fit(matrix, y, sample_weight=weights, unlabeled=matrix[:20] + 1)
    summary = pipeline[-1].ranking_result_.input
    assert (summary.unlabelled_rows, summary.labelled_rows) == (20, weights.sum())


QUICK = [
    ProbabilisticSelector(),
    ProbabilisticSelector(NaiveBayes(smoothing=0.5), n_features_to_select=1, estimate="cv", folds=2),
]
"""Selectors that pass all checks in a second or two."""
OTHERS = [name for name in CLASSIFIERS.names() if name != "nb"]
"""Checks that depend most on the classifier; the slow suite makes all of them for every classifier."""

# The checks fit noise, rare classes and rows of their own numbers, of which the selector warns.
NOISY = pytest.mark.filterwarnings("ignore::UserWarning")


def all_checks(selector: ProbabilisticSelector) -> dict[str, str]:
    """The outcome of each check that did not pass; skipped are only those that need packages or settings."""
    results = check_estimator(selector, on_fail=None, on_skip=None)
    assert len(results) > 40
    skipped = {check["check_name"] for check in results if check["status"] == "skipped"}
    assert skipped <= {"check_array_api_input"}
    return {
        check["check_name"]: repr(check["exception"])
        for check in results
        if check["status"] not in ("passed", "skipped")
    }


@NOISY
@pytest.mark.parametrize("selector", QUICK, ids=str)
def test_naive_bayes_passes(selector: ProbabilisticSelector) -> None:
    assert all_checks(selector) == {}


@NOISY
@pytest.mark.slow
@pytest.mark.parametrize("wanted", ["auto", 1])
@pytest.mark.parametrize("classifier", [*OTHERS, GaussianNB()], ids=str)
def test_other_classifiers_pass_everything(classifier: Any, wanted: Any) -> None:
    small = SMALL[classifier] if isinstance(classifier, str) else {"permutations": 2}
    assert all_checks(ProbabilisticSelector(classifier, n_features_to_select=wanted, options=small)) == {}
