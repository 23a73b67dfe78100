"""The parameters of the selector become a call of rank or select, or are refused."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

import probfs
from probfs import ProbabilisticSelector
from probfs.api.selector_call import FOR_A_NUMBER, FOR_AUTO, OF_CLASSIFIERS
from probfs.classifiers.catalogue import CLASSIFIERS, known_options
from probfs.errors import UsageError
from tests.support.selector_tables import SMALL, mixed_frame, with_target


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"score": "loudest"}, "score=: 'loudest' is not one of absolute, signed, unlabeled"),
        ({"n_features_to_select": "most"}, "n_features_to_select=: 'most' is neither \"auto\" nor a number"),
        ({"n_features_to_select": 0}, "n_features_to_select=: 0 is none of"),
        ({"n_features_to_select": -3}, "n_features_to_select=: -3 is none of"),
        ({"n_features_to_select": True}, "n_features_to_select=: True is none of"),
        ({"n_features_to_select": 1.5}, "n_features_to_select=: 1.5 is none of"),
        ({"n_features_to_select": None}, "n_features_to_select=: None is none of"),
        ({"n_features_to_select": float("nan")}, "n_features_to_select=: nan is none of"),
        ({"keep": "worst"}, "keep=: 'worst' is not one of best, fewest, most"),
        ({"keep": 3}, "keep=: 3 is not one of .* a number goes into n_features_to_select="),
        ({"min_features_to_select": -1}, "min_features_to_select=: -1 is not a whole number from 0 on"),
        ({"false_discoveries": 2.0}, "false_discoveries=: "),
        ({"score": "unlabeled"}, 'score="unlabeled" goes with a number in n_features_to_select= only'),
        (
            {"score": "unlabeled", "n_features_to_select": 2},
            "there is no unlabelled row; give some to fit as unlab",
        ),
        ({"folds": 1}, "folds=: "),
        ({"n_features_to_select": 2, "folds": 3}, 'folds= goes with estimate="cv" only'),
        ({"n_features_to_select": 2, "step": 0}, "step=: 0"),
        ({"min_class": 0}, "min_class=: 0 is out of range"),
        ({"min_class": 1000}, "min_class=1000: no class has 1,000 rows or more"),
        ({"classifier": "oracle"}, "classifier=: 'oracle' is not one of"),
        ({"kernel": "rbf"}, 'kernel= goes with classifier="svm"'),
        ({"options": {"score": "signed"}}, "options=: 'score' is what parameters of the selector decide"),
        ({"options": {"count": "dice"}}, "options=: 'count' is what"),
        ({"options": {"y": [1]}}, "options=: 'y' is what"),
        ({"random_state": -1}, "random_state=: -1 is not a whole number from 0 on"),
    ],
)
def test_a_wrong_parameter_is_a_usage_error_that_names_it(parameters: dict[str, Any], message: str) -> None:
    frame, y = mixed_frame(40)
    with pytest.raises(UsageError if "1,000" not in message else probfs.DataError, match=message):
        ProbabilisticSelector(**parameters).fit(frame, y)


@pytest.mark.parametrize("name", [*FOR_AUTO, *FOR_A_NUMBER])
def test_a_parameter_without_a_meaning_is_refused_and_not_ignored(name: str) -> None:
    frame, y = mixed_frame(40)
    values: dict[str, Any] = {
        "keep": "best",
        "false_discoveries": 0.1,
        "min_features_to_select": 1,
        "estimate": "loo",
        "step": 1,
    }
    wanted: Any = "auto" if name in FOR_A_NUMBER else 2
    with pytest.raises(UsageError, match=rf"^{name}= goes with .*n_features_to_select=.* only$"):
        ProbabilisticSelector(n_features_to_select=wanted, **{name: values[name]}).fit(frame, y)


def test_unlabelled_rows_are_no_use_where_the_number_of_columns_is_found() -> None:
    frame, y = mixed_frame(40)
    with pytest.raises(UsageError, match=r"^unlabeled= goes with a number in n_features_to_select= only$"):
        ProbabilisticSelector().fit(frame, y, unlabeled=frame)


def test_classes_too_rare_for_the_classifier_are_dropped_if_two_are_left() -> None:
    frame, _ = mixed_frame(40)
    y = np.arange(40) % 3
    y[np.flatnonzero(y == 2)[2:]] = 1
    with pytest.warns(
        UserWarning, match="^2 rows not learned from, as their classes have fewer rows than min_class=3$"
    ):
        ProbabilisticSelector("svm", min_features_to_select=0).fit(frame, y)
    with pytest.raises(probfs.DataError, match=r"class '1' has 2 rows only, too few to hold some out; drop the class$"):
        ProbabilisticSelector("svm").fit(frame, np.arange(40) // 38)
    with pytest.raises(probfs.DataError, match="class '2' has 2 rows only"):
        ProbabilisticSelector("svm", min_class=2).fit(frame, y)


def test_an_unknown_option_is_a_type_error_as_in_rank() -> None:
    frame, y = mixed_frame(40)
    with pytest.raises(TypeError, match="unexpected keyword argument 'sparkle'"):
        ProbabilisticSelector(options={"sparkle": 1}).fit(frame, y)


def test_every_option_of_a_classifier_is_a_parameter() -> None:
    own = {name for name, _, _ in known_options()}
    # How columns reach a user's own estimator is an option of none that is registered.
    assert own - {"jobs"} == {*OF_CLASSIFIERS} - {"categories"}
    assert set(ProbabilisticSelector().get_params()) >= {*OF_CLASSIFIERS, "n_jobs"}


@pytest.mark.parametrize(
    ("parameters", "arguments"),
    [
        ({}, {}),
        ({"score": "absolute"}, {"score": "absolute"}),
        ({"step": 2, "smoothing": 0.5}, {"step": 2, "smoothing": 0.5}),
        ({"estimate": "cv", "folds": 4, "random_state": 5}, {"estimate": "cv", "folds": 4, "seed": 5}),
        ({"bins": 3, "missing": "value", "shrink": "off"}, {"bins": 3, "missing": "value", "shrink": "off"}),
        ({"options": {"exclude": ["dice"], "uncertainty": True}}, {"exclude": ["dice"], "uncertainty": True}),
        ({"classifier": "svm", "C": 0.5, "permutations": 3}, {"classifier": "svm", "C": 0.5, "permutations": 3}),
    ],
)
@pytest.mark.filterwarnings("ignore:left out")
def test_a_number_of_columns_are_the_best_of_rank(parameters: dict[str, Any], arguments: dict[str, Any]) -> None:
    frame, y = mixed_frame(60)
    expected = probfs.rank(with_target(frame, y), target="y", **{"score": "signed", **arguments})
    found = ProbabilisticSelector(n_features_to_select=3, **parameters).fit(frame, y)
    assert found.ranking_result_.to_csv() == expected.to_csv()
    assert set(found.get_feature_names_out()) == {own.feature for own in expected.features[:3]}
    key = "s_s" if parameters.get("score") == "absolute" else "s_a"
    for own in expected.features:
        place = frame.columns.get_loc(own.feature)
        assert found.ranking_[place] == own.rank
        assert found.scores_[place] == getattr(own, key)
    assert not hasattr(found, "selection_result_")


@pytest.mark.parametrize(
    ("parameters", "arguments"),
    [
        ({}, {"folds": 0}),
        ({"keep": "fewest", "folds": 3}, {"keep": "fewest", "folds": 3}),
        ({"false_discoveries": 1.0, "random_state": 3}, {"false_discoveries": 1.0, "seed": 3, "folds": 0}),
        ({"options": {"always": ["noise"]}}, {"always": ["noise"], "folds": 0}),
        ({"classifier": "svm"}, {"classifier": "svm", "min_class": 3, "folds": 0}),
    ],
)
def test_auto_keeps_what_select_keeps(parameters: dict[str, Any], arguments: dict[str, Any]) -> None:
    frame, y = mixed_frame(60)
    expected = probfs.select(with_target(frame, y), target="y", **arguments)
    found = ProbabilisticSelector(**parameters).fit(frame, y)
    assert found.selection_result_.to_csv() == expected.to_csv()
    assert found.selection_result_.honest == expected.honest
    assert set(found.get_feature_names_out()) == set(expected.kept)
    assert found.ranking_result_ is found.selection_result_.ranking
    for own in expected.features:
        place = frame.columns.get_loc(own.feature)
        assert found.ranking_[place] == own.rank
        assert np.array_equal(found.scores_[place], np.nan if own.s_a is None else own.s_a, equal_nan=True)


@given(st.data())
@examples(max_examples=25)
def test_any_number_of_columns_of_any_table_is_what_rank_says(data: st.DataObject) -> None:
    rows, columns = data.draw(st.integers(4, 12), "rows"), data.draw(st.integers(1, 4), "columns")
    cell = st.sampled_from(["u", "v", "w", None])
    lists = data.draw(
        st.lists(st.lists(cell, min_size=rows, max_size=rows), min_size=columns, max_size=columns), "cells"
    )
    frame = pd.DataFrame({f"c{place}": pd.Series(own, dtype=object) for place, own in enumerate(lists)})
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
    best = [own.feature for own in ranking.features]
    assert [frame.columns[place] for place in np.argsort(selector.ranking_)] == best
    assert set(selector.get_feature_names_out()) == set(best[:number])
    expected = [getattr(own, "s_a" if score == "signed" else "s_s") for own in ranking.features]
    np.testing.assert_allclose(selector.scores_[np.argsort(selector.ranking_)], expected, rtol=1e-9, atol=1e-14)


@pytest.mark.parametrize(
    ("wanted", "number"), [(0.5, 3), (0.34, 2), (0.01, 1), (1.0, 6), (4, 4), (np.int64(2), 2), (np.float64(0.5), 3)]
)
def test_a_fraction_is_of_all_columns(wanted: float, number: int) -> None:
    frame, y = mixed_frame(40)
    selector = ProbabilisticSelector(n_features_to_select=wanted).fit(frame, y)
    assert selector.n_features_ == selector.support_.sum() == number


def test_a_fraction_is_taken_as_it_is_written() -> None:
    random = np.random.default_rng(0)
    selector = ProbabilisticSelector(n_features_to_select=0.29, step=0.5)
    # As binary numbers, 0.29 * 100 is a little less than 29.
    assert selector.fit(random.integers(0, 2, (30, 100)), random.integers(0, 2, 30)).n_features_ == 29


def test_more_columns_than_there_are_is_a_warning() -> None:
    frame, y = mixed_frame(40)
    with pytest.warns(UserWarning, match="^n_features_to_select=9 asks for 9 columns, and 6 could be ranked; all of"):
        selector = ProbabilisticSelector(n_features_to_select=9).fit(frame, y)
    assert selector.support_.all()


def noise(rows: int = 60) -> tuple[pd.DataFrame, Any]:
    random = np.random.default_rng(1)
    return pd.DataFrame(random.normal(size=(rows, 3)), columns=["a", "b", "c"]), np.arange(rows) % 2


def test_of_mere_noise_the_best_column_is_kept_with_a_warning() -> None:
    frame, y = noise()
    message = (
        r"^0 columns are told from noise and worth keeping; kept all the same \(min_features_to_select=1\): '[abc]'$"
    )
    with pytest.warns(UserWarning, match=message):
        selector = ProbabilisticSelector().fit(frame, y)
    assert selector.selection_result_.kept == ()
    p = [own.p for own in selector.selection_result_.features]
    assert selector.n_features_ == 1
    assert selector.get_feature_names_out().tolist() == [selector.selection_result_.features[0].feature]
    assert p == sorted(p)  # type: ignore[type-var]  # each was tested


def test_nothing_is_kept_where_that_is_allowed() -> None:
    frame, y = noise()
    selector = ProbabilisticSelector(min_features_to_select=0).fit(frame, y)
    assert not selector.support_.any()
    with pytest.warns(UserWarning, match="No features were selected"):
        assert selector.transform(frame).shape == (60, 0)


def test_a_minimum_that_is_met_changes_nothing() -> None:
    frame, y = mixed_frame(60)
    kept = ProbabilisticSelector().fit(frame, y).n_features_
    assert ProbabilisticSelector(min_features_to_select=kept).fit(frame, y).n_features_ == kept
    with pytest.warns(UserWarning, match="kept all the same"):
        assert ProbabilisticSelector(min_features_to_select=kept + 1).fit(frame, y).n_features_ == kept + 1
    with pytest.warns(UserWarning, match="kept all the same"):
        assert ProbabilisticSelector(min_features_to_select=99).fit(frame, y).n_features_ == 6


@pytest.mark.parametrize("classifier", CLASSIFIERS.names())
def test_the_number_of_processes_is_no_option_of_results(classifier: str) -> None:
    frame, y = mixed_frame(40)
    few: dict[str, Any] = {"n_features_to_select": 2, "step": 4, **SMALL[classifier]}
    expected = ProbabilisticSelector(classifier, **few).fit(frame, y)
    found = ProbabilisticSelector(classifier, n_jobs=2, **few).fit(frame, y)
    assert found.ranking_result_.to_csv() == expected.ranking_result_.to_csv()


def test_no_process_at_all_is_an_error() -> None:
    frame, y = mixed_frame(40)
    with pytest.raises(ValueError, match="n_jobs == 0"):
        ProbabilisticSelector("svm", n_jobs=0).fit(frame, y)


@pytest.mark.parametrize("wanted", ["auto", 2])
@pytest.mark.parametrize(
    "options", [{"exclude": "dose"}, {"exclude": ["dose,smokes"]}, {"include": ["colour", "grade"]}]
)
def test_columns_that_the_user_left_out_are_no_surprise(wanted: Any, options: dict[str, Any]) -> None:
    frame, y = mixed_frame()
    selector = ProbabilisticSelector(n_features_to_select=wanted, options=options)
    with warnings.catch_warnings(action="error"):
        selector.fit(frame, y)
    assert not selector.support_[list(frame.columns).index("dose")]
    frame["row"] = np.arange(len(frame))
    if "exclude" in options:
        with pytest.warns(
            UserWarning, match="left out, as they look like identifiers or hold no single values: 'row';"
        ):
            selector.fit(frame, y)


def test_columns_that_the_mapping_drops_are_not_called_identifiers(tmp_path: Path) -> None:
    frame, y = mixed_frame()
    mapping = tmp_path / "mapping.toml"
    mapping.write_text('drop = ["dose"]\n')
    with pytest.warns(UserWarning, match="or are dropped by the mapping: 'dose'; "):
        ProbabilisticSelector(n_features_to_select=2, options={"mapping": mapping}).fit(frame, y)
