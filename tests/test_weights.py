"""Rows of which some are more important than others: weights as in exact refits, of which only proportions count."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

import probfs
from probfs.classifiers.row_odds import Moments
from probfs.columns.dataset import merge_equal_rows, normalise_weights
from probfs.columns.folds import deal_folds, order_by_content
from probfs.screening.column_tests import chi_squared_test
from probfs.screening.counting import count_values
from probfs.screening.screen import screen
from tests.support import exact_naive_bayes as reference
from tests.support.datasets import assert_as_refits, dataset_of, fit_naive_bayes, problems, random_dataset
from tests.support.exact_naive_bayes import Problem

# Naive Bayes, in closed form


@st.composite
def weighted_problems(draw: st.DrawFn) -> tuple[Problem, Any]:
    """Small tables of the reference, and as the encoder would leave them; some of their weights are equal."""
    problem = draw(problems())
    drawn = st.one_of(st.sampled_from([1, 2, 6]), st.integers(1, 1000))
    importance = draw(st.lists(drawn, min_size=len(problem.rows), max_size=len(problem.rows)))
    dataset = dataset_of(problem)
    exact = tuple(Fraction(own * len(importance), sum(importance)) for own in importance)
    weights = normalise_weights(np.array(importance) / 7, dataset.counts)
    return replace(problem, weights=exact), replace(dataset, weights=weights)


@settings(max_examples=150, deadline=None)
@given(
    weighted_problems(),
    st.sampled_from(["loo", "resubstitution", "cv"]),
    st.sampled_from(["absolute", "signed", "unlabeled"]),
    st.sampled_from([0.0, 0.5, 1.0]),
    st.sampled_from(["off", "on"]),
    st.booleans(),
)
def test_weighted_rows_equal_exact_refits(
    drawn: tuple[Problem, Any], estimate: Any, score: str, smoothing: float, shrink: Any, compiled: bool
) -> None:
    problem, dataset = drawn
    score = score if problem.unlabelled else "absolute"
    # Without smoothing, many columns that are one feature may rule a class out more often than doubles can tell.
    smoothing = 0.5 if problem.together else smoothing
    folds = deal_folds(dataset, 2, 7).argmax(axis=0).tolist()
    expected = reference.eliminate(problem, score, estimate, Fraction(smoothing), 1, folds, shrink)
    with patch("probfs.columns.dataset._ROWS_PER_COMBINATION", 0):
        dataset = merge_equal_rows(dataset)
    how = {"shrink": shrink, "compiled": compiled}
    classifier = fit_naive_bayes(dataset, estimate, 2, smoothing, 7, **how)
    assert_as_refits(classifier, problem, score, expected)


def test_many_different_weights_are_left_out_in_ten_folds(monkeypatch: pytest.MonkeyPatch) -> None:
    by_rows = probfs.rank(table(), target="y", weight="w", screen=False)
    monkeypatch.setattr("probfs.classifiers.naive_bayes.classifier._MOST_CELLS_LEFT_OUT", 100)
    ranking = probfs.rank(table(), target="y", weight="w", screen=False)
    (note,) = (note for note in ranking.warnings if note.code == "weight-folds")
    assert note.startswith("leaving out one by one of rows of 240 different weights and classes would take tables of")
    by_folds = probfs.rank(table(), target="y", weight="w", estimate="cv", screen=False)
    assert scores_of(ranking) == scores_of(by_folds) != scores_of(by_rows)


# What weights mean


def table(seed: int = 0, rows: int = 240) -> pd.DataFrame:
    random = np.random.default_rng(seed)
    labels = random.integers(0, 2, rows)
    columns = {"x": labels + random.normal(size=rows), "k": random.integers(0, 4, rows), "n": random.normal(size=rows)}
    columns["t"] = np.where(random.random(rows) < 0.3, random.integers(0, 2, rows), labels)
    return pd.DataFrame({**columns, "w": random.lognormal(size=rows), "y": np.array(["p", "q"])[labels]})


def scores_of(ranking: Any) -> dict[str, tuple[Any, ...]]:
    return {own.feature: (own.s_s, own.s_a, own.p, own.q) for own in ranking.features}


def assert_same(ours: Any, theirs: Any) -> None:
    assert list(scores_of(ours)) == list(scores_of(theirs))
    for own, other in zip(scores_of(ours).values(), scores_of(theirs).values(), strict=True):
        assert own == pytest.approx(other, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("options", [{}, {"estimate": "cv"}, {"classifier": "logistic"}, {"group": "t"}])
def test_only_proportions_of_weights_count(options: dict[str, Any]) -> None:
    frame = table()
    first = probfs.rank(frame, target="y", weight="w", **options)
    for factor in (3.7, 1e-200, 1e200):
        other = probfs.rank(frame.assign(w=frame["w"] * factor), target="y", weight="w", **options)
        assert_same(other, first)
    equal = probfs.rank(frame.assign(w=2.5), target="y", weight="w", **options)
    plain = probfs.rank(frame.drop(columns="w"), target="y", **options)
    assert scores_of(equal) == scores_of(plain)
    assert equal.rounds == plain.rounds


def test_a_row_of_weight_0_might_as_well_not_be_there() -> None:
    frame = table()
    zeros = frame.assign(w=np.where(np.arange(len(frame)) % 3, frame["w"], 0.0))
    ranking = probfs.rank(zeros, target="y", weight="w")
    assert scores_of(ranking) == scores_of(probfs.rank(zeros[zeros["w"] > 0], target="y", weight="w"))
    assert ranking.input.labelled_rows == 160
    rare = zeros.assign(y=np.where(zeros["w"] > 0, zeros["y"], "r"))
    assert set(probfs.rank(rare, target="y", weight="w").input.classes) == {"p", "q"}


def test_in_resubstitution_a_weight_of_2_is_a_row_that_is_repeated() -> None:
    frame = table()[["k", "t", "y"]].assign(w=np.where(np.arange(240) % 4, 1.0, 2.0))
    # Smoothing counts in units of the mean weight.
    options: dict[str, Any] = {"target": "y", "estimate": "resubstitution", "screen": False, "shrink": "off"}
    weighted = probfs.rank(frame, weight="w", smoothing=1 / 1.25, **options)
    repeated = probfs.rank(frame, count="w", smoothing=1.0, **options)
    for ours, theirs in zip(weighted.features, repeated.features, strict=True):
        assert ours.feature == theirs.feature
        assert ours.s_a == pytest.approx(theirs.s_a, rel=1e-9)
    assert weighted.rounds[0].log_loss == pytest.approx(repeated.rounds[0].log_loss, rel=1e-9)
    assert (weighted.input.labelled_rows, repeated.input.labelled_rows) == (240, 300)
    assert weighted.rounds[0].errors < repeated.rounds[0].errors, "errors are rows, whatever they weigh"


@pytest.mark.parametrize(
    "options",
    [{}, {"estimate": "cv"}, {"classifier": "logistic"}, {"classifier": "svm", "estimate": "cv"}, {"group": "g"}],
)
def test_the_order_and_the_repetition_of_rows_change_nothing(options: dict[str, Any]) -> None:
    frame = table(rows=60).assign(g=np.arange(60) // 3)[["k", "t", "g", "w", "y"]]
    frame["w"] = frame["w"].round(0) + 0.5
    frame = pd.concat([frame, frame, frame[:7]])
    ways: dict[str, Any] = {"target": "y", "weight": "w", "exclude": [] if "group" in options else ["g"], **options}
    if "classifier" in options:
        ways["jobs"] = 1
    first = probfs.rank(frame, **ways)
    shuffled = probfs.rank(frame.sample(frac=1, random_state=3)[["y", "t", "w", "g", "k"]], **ways)
    by_count = probfs.rank(frame.groupby(list(frame.columns), as_index=False).size(), count="size", **ways)
    for other in (shuffled, by_count):
        assert_same(other, first)


def test_sums_of_weights_are_exact() -> None:
    importance = np.random.default_rng(0).lognormal(sigma=3, size=1000)
    weights = normalise_weights(importance, np.ones(1000, dtype=np.int64))
    assert weights is not None
    assert sum(map(Fraction, weights.tolist())) == Fraction(float(weights.sum()))
    assert weights.mean() == pytest.approx(1, abs=1e-12)
    np.testing.assert_allclose(weights, importance / importance.mean(), rtol=1e-9, atol=1e-12)


# Tests


def test_tests_are_made_for_the_effective_number_of_rows() -> None:
    dataset = random_dataset(300, 6, 3, 2, seed=1, signal=0.4)
    weights = normalise_weights(np.where(np.arange(300) % 3, 1.0, 4.0), dataset.counts)
    weighted = replace(dataset, weights=weights)
    effective = (200 + 400) ** 2 / (200 + 1600)
    assert weighted.effective_rows == pytest.approx(effective)
    scale = effective / weighted.total_weight
    by_value = chi_squared_test(count_values(weighted).scaled(scale), 0, 0)
    distances = []
    for feature in dataset.features:
        table = np.zeros((3, 2))
        np.add.at(table, (feature.labelled, dataset.labels), weighted.row_weights * scale)
        expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / effective
        distances.append(((table - expected) ** 2 / expected).sum())
    assert by_value.p == pytest.approx(chi2.sf(distances, 2), rel=0.2, abs=1e-3)
    # These columns have no order.
    np.testing.assert_array_equal(screen(weighted), by_value.p)


def test_a_note_says_how_many_rows_say_as_much() -> None:
    frame = table()
    ranking = probfs.rank(frame, target="y", weight="w")
    effective = frame["w"].sum() ** 2 / (frame["w"] ** 2).sum()
    (note,) = (note for note in ranking.warnings if note.code == "effective-rows")
    assert note.startswith(
        f"with weight=, the 240 rows hold as much information as {effective:,.1f} rows of equal weight"
    )
    assert not note.is_warning


def test_errors_of_means_are_those_of_so_many_rows() -> None:
    values, weights = np.random.default_rng(0).normal(size=50), np.random.default_rng(1).random(50)
    moments = Moments.of(values, weights, np.ones(50))
    mean = np.average(values, weights=weights)
    effective = weights.sum() ** 2 / (weights**2).sum()
    assert moments.se == pytest.approx(np.sqrt(np.average((values - mean) ** 2, weights=weights) / (effective - 1)))
    halves = Moments.of(values[:20], weights[:20], np.ones(20)) + Moments.of(values[20:], weights[20:], np.ones(30))
    assert halves.se == pytest.approx(moments.se)
    copies = np.arange(50) % 3 + 1
    counted = Moments.of(values, weights * copies, copies.astype(np.float64))
    repeated = Moments.of(values.repeat(copies), weights.repeat(copies), np.ones(copies.sum()))
    assert counted.se == pytest.approx(repeated.se)


@pytest.mark.slow
@pytest.mark.parametrize("balanced", [False, True])
def test_how_often_noise_is_called_related(balanced: bool) -> None:
    p = []
    for seed in range(200):
        random = np.random.default_rng(seed)
        labels = (random.random(300) < 0.3).astype(int)
        frame = pd.DataFrame({"c": random.integers(0, 4, 300), "x": random.normal(size=300), "y": labels})
        frame["w"] = np.where(labels, 0.7, 0.3) if balanced else random.lognormal(size=300)
        ranking = probfs.rank(frame, target="y", weight="w", keep_identifiers=True)
        p += [own.p for own in ranking.features]
    rate = np.mean(np.array(p) <= 0.05)
    print(f"balanced {balanced}: {rate:.3f} of p-values are at most 0.05")
    assert rate <= 0.08


# What users meet


def test_the_column_of_weights_is_never_ranked_and_stays_in_the_reduced_table() -> None:
    frame = table()
    selection = probfs.select(frame, target="y", weight="w", folds=3)
    assert "w" not in [own.feature for own in selection.features]
    assert selection.reduced_columns == (*selection.kept, "y", "w")
    assert json.loads(selection.to_json())["settings"]["weight"] == "w"
    assert probfs.Selection.from_json(selection.to_json()).settings.weight == "w"
    assert selection.honest is not None
    assert selection.honest.kept.rows == 240


@pytest.mark.parametrize(
    ("cells", "problem"),
    [
        ({3: -1.0}, "column 'w', row 4: '-1' is not a weight; use finite numbers from 0 on"),
        ({3: np.inf}, "column 'w', row 4: 'inf' is not a weight"),
        ({3: "much"}, "column 'w', row 4: 'much' is not a weight"),
        ({3: None}, "column 'w', row 4: the weight is missing; write 0 to leave the row out"),
        (dict.fromkeys(range(240), 0.0), "column 'w': every weight is zero, which leaves no row"),
    ],
)
def test_what_is_no_weight_is_refused_in_one_line(cells: dict[int, Any], problem: str) -> None:
    frame = table()
    frame["w"] = [cells.get(row, weight) for row, weight in enumerate(frame["w"])]
    with pytest.raises(probfs.ProbfsError) as refusal:
        probfs.rank(frame, target="y", weight="w")
    assert problem in str(refusal.value)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"weight": "v"}, "weight=: no column 'v'"),
        ({"weight": "y"}, "column 'y' is the target and named by weight=; keep one of the two"),
        ({"weight": "w", "count": "w"}, "column 'w' is named by count= and named by weight=; keep one of the two"),
        ({"weight": "w", "include": ["w", "x"]}, "column 'w' is named by weight= and named by include="),
        (
            {"weight": "w", "mapping": {"columns": {"w": "category"}}},
            "column 'w' is named by weight= and given a rule in mapping",
        ),
        ({"weight": "w", "classifier": KNeighborsClassifier()}, "weight=: the fit of KNeighborsClassifier takes no"),
        ({"weight": "w", "classifier": make_pipeline(DecisionTreeClassifier())}, "weight=: the fit of Pipeline takes"),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_line(options: dict[str, Any], problem: str) -> None:
    with pytest.raises(probfs.ProbfsError) as refusal:
        probfs.rank(table(), target="y", **options)
    assert str(refusal.value).startswith(problem)
    assert "\n" not in str(refusal.value)


def test_unlabelled_rows_need_no_weight_and_weigh_1() -> None:
    frame = table()
    frame.loc[:19, "y"] = None
    given = probfs.rank(frame, target="y", weight="w", score="unlabeled")
    lacking = probfs.rank(
        frame.assign(w=frame["w"].where(frame["y"].notna())), target="y", weight="w", score="unlabeled"
    )
    assert given.input.unlabelled_rows == 20
    assert [own.s_su for own in given.features] == [own.s_su for own in lacking.features]
    zeros = frame.assign(w=frame["w"].where(np.arange(240) >= 5, 0.0))
    assert probfs.rank(zeros, target="y", weight="w", score="unlabeled").input.unlabelled_rows == 15


@pytest.mark.parametrize("classifier", ["logistic", "svm", "forest", "boosting", DecisionTreeClassifier(max_depth=2)])
def test_refitted_classifiers_are_given_weights(classifier: Any) -> None:
    frame = table()[["t", "k", "y"]]
    # Of two opposite halves, the heavier one is believed.
    frame["t"] = np.where(np.arange(240) < 120, frame["y"] == "p", frame["y"] == "q").astype(int)
    for heavy in (0, 1):
        frame["w"] = np.where((np.arange(240) < 120) == heavy, 9.0, 1.0)
        how: dict[str, Any] = {"classifier": classifier, "target": "y", "weight": "w", "jobs": 1}
        ranking = probfs.rank(frame, estimate="resubstitution", screen=False, **how)
        assert ranking.features[0].feature == "t"
        assert ranking.rounds[0].errors == pytest.approx(120, abs=12)
        assert ranking.rounds[0].absolute_loss < 0.35


def test_uncertainty_and_rows_in_order_keep_their_weights() -> None:
    frame = table()
    uncertain = probfs.rank(frame, target="y", weight="w", uncertainty=True)
    plain = probfs.rank(frame, target="y", weight="w")
    assert [own.s_a for own in uncertain.features] == [own.s_a for own in plain.features]
    errors = [own.se_initial_s_a for own in uncertain.features]
    without = probfs.rank(frame.drop(columns="w"), target="y", uncertainty=True).features
    assert errors != [own.se_initial_s_a for own in without]
    dataset = random_dataset(50, 2, 2, 2, seed=0)
    weighted = replace(dataset, weights=normalise_weights(np.arange(1.0, 51) % 3 + 1, dataset.counts))
    assert order_by_content(weighted, 0).total_weight == weighted.total_weight


def test_the_selector_takes_weights() -> None:
    frame = table()
    data, y, weights = frame[["x", "k", "n", "t"]], frame["y"], frame["w"]
    fitted = probfs.ProbabilisticSelector().fit(data, y, sample_weight=weights)
    assert fitted.selection_result_.settings.weight == "sample_weight"
    by_column = probfs.select(frame, target="y", weight="w")
    assert fitted.get_feature_names_out().tolist() == sorted(by_column.kept, key=list(data.columns).index)
    some = weights.where(np.arange(240) % 3 > 0, 0.0)
    without = probfs.ProbabilisticSelector().fit(data, y, sample_weight=some).selection_result_
    assert (without.input.labelled_rows, without.input.unlabelled_rows) == (160, 0)
    counts = probfs.ProbabilisticSelector().fit(data, y, sample_weight=np.arange(240) % 3)
    assert counts.selection_result_.settings.weight is None
    assert counts.selection_result_.settings.count == "sample_weight"
    with pytest.raises(ValueError, match="Negative values in data passed to"):
        probfs.ProbabilisticSelector().fit(data, y, sample_weight=weights - weights[0] - 0.5)


def test_a_rare_number_that_tells_the_class_is_told_from_noise() -> None:
    random = np.random.default_rng(0)
    rare = np.arange(400) < 16
    frame = pd.DataFrame({"x": (rare | (random.random(400) < 0.02)) * 1.0, "w": random.uniform(0.8, 1.2, 400)})
    frame["y"] = np.where(rare, "rare", "other")
    (feature,) = probfs.rank(frame, target="y", weight="w", classifier="logistic", permutations=1, jobs=1).features
    assert feature.p is not None
    assert feature.p < 1e-3


def test_one_row_of_nearly_all_weight_is_no_failure() -> None:
    frame = table()
    frame.loc[0, "w"] = 1e6
    selection = probfs.select(frame, target="y", weight="w", folds=0)
    assert min(size.log_loss for size in selection.sizes) >= 0
