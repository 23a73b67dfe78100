"""Naive Bayes against refits in exact fractions and the paper; what changes no ranking; shrinkage; losses of rows."""

from __future__ import annotations

import sys
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import probfs
from probfs.classifiers import compiling
from probfs.classifiers.catalogue import NaiveBayes
from probfs.classifiers.naive_bayes import classifier as classifier_module
from probfs.classifiers.naive_bayes import rows as rows_module
from probfs.classifiers.naive_bayes.classifier import FittedNaiveBayes, judge_held_out
from probfs.classifiers.naive_bayes.model import Shrinkage, ShrinkName
from probfs.classifiers.naive_bayes.rows import CompiledRows, Rows
from probfs.classifiers.options import EstimateName
from probfs.classifiers.protocol import HoldOutRequest
from probfs.classifiers.row_odds import Moments, RowOdds
from probfs.columns.dataset import Dataset
from probfs.columns.folds import deal_folds, order_by_content
from probfs.columns.together import put_together
from probfs.screening.counting import count_values
from tests.support import exact_naive_bayes as reference
from tests.support.datasets import (
    assert_as_refits,
    assert_same_rounds,
    dataset_of,
    eliminate_all,
    feature_of,
    fit_naive_bayes,
    problems,
    random_dataset,
    random_odds,
    two_valued_dataset,
    with_unlabelled,
)
from tests.support.exact_naive_bayes import Problem
from tests.support.plain_selection import log_weights, own_probability, predicted, problem_of

CHOICES: tuple[ShrinkName, ...] = ("auto", "on", "off")
HOW = st.fixed_dictionaries(
    {
        "score": st.sampled_from(["absolute", "signed", "unlabeled"]),
        "estimate": st.sampled_from(["loo", "resubstitution", "cv"]),
        "smoothing": st.sampled_from([0.0, 0.5, 1.0]),
        "step": st.sampled_from([1, 2, 0.3]),
        "shrink": st.sampled_from(["off", "off", "on", "auto"]),
        "compiled": st.booleans(),
        "merged": st.booleans(),
    }
)
PLAIN = {"step": 1, "shrink": "off", "compiled": False, "merged": False}


@settings(max_examples=120, deadline=None)
@given(problems(), HOW)
# A tie at score 0 between features that matter to no row, and a zero factor in every class.
@example(
    Problem(((0, 1), (0, 1), (1, 0), (1, 0)), (0, 0, 1, 1), (2, 2), 2),
    {"score": "signed", "estimate": "loo", "smoothing": 0.0, **PLAIN},
)
def test_order_scores_errors_and_losses_equal_exact_refits(problem: Problem, how: dict[str, Any]) -> None:
    estimate, smoothing, step, shrink = (how[name] for name in ("estimate", "smoothing", "step", "shrink"))
    score = "absolute" if how["score"] == "unlabeled" and not problem.unlabelled else how["score"]
    dataset = dataset_of(problem)
    folds = deal_folds(dataset, 3, 7).argmax(axis=0).tolist()
    exact_step = step if isinstance(step, int) else Fraction(str(step))
    expected = reference.eliminate(problem, score, estimate, Fraction(smoothing), exact_step, folds, shrink)
    if how["merged"]:
        dataset = order_by_content(dataset, 0)
    classifier = fit_naive_bayes(dataset, estimate, 3, smoothing, 7, shrink=shrink, compiled=how["compiled"])
    assert_as_refits(classifier, problem, score, expected, step)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("smoothing", [0.1, 0.3, 0.7, 1.0])
def test_factors_that_are_equal_but_for_rounding_give_exactly_zero(classes: int, smoothing: float) -> None:
    rows = [(value, label) for label in range(classes) for value in "uv" for _ in range(3 + 2 * label)]
    frame = pd.DataFrame({"z_even": [v for v, _ in rows], "a_same": "x", "y": [str(label) for _, label in rows]})
    ranking = probfs.rank(frame, target="y", smoothing=smoothing, estimate="resubstitution")
    assert [(f.feature, f.s_s, f.s_a) for f in ranking.features] == [("a_same", 0.0, 0.0), ("z_even", 0.0, 0.0)]


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize(("classes", "columns"), [(2, 150), (2, 230), (3, 400)])
def test_columns_that_decide_the_class_together_leave_the_other_columns_behind(
    classes: int, columns: int, compiled: bool
) -> None:
    """Each of them by 3.7 nats, so that together no double is as small as the probability of another class."""
    noise = random_dataset(40 * classes, 1, 2, classes, seed=1)
    telling = [feature_of(f"t{number}", classes, noise.labels) for number in range(columns)]
    every = put_together(replace(noise, features=(*noise.features, *telling)), {"all": [own.name for own in telling]})
    found = fit_naive_bayes(every, "loo", 0, 1.0, 0, compiled=compiled).score()
    without = fit_naive_bayes(noise, "loo", 0, 1.0, 0).score()
    assert found.absolute_loss < 1e-100
    assert found.s_a[1] == pytest.approx(without.absolute_loss, rel=1e-9)
    assert found.s_s[1] == pytest.approx(without.absolute_loss, rel=1e-9)
    assert found.s_s[0] < 1e-100


def shrinkage_of(dataset: Dataset, choice: ShrinkName, smoothing: float = 1.0) -> Shrinkage:
    return fit_naive_bayes(dataset, "loo", 0, smoothing, 0, shrink=choice)._shrinkage


@pytest.mark.parametrize(("features", "acts"), [(44, False), (46, True)])
def test_auto_shrinks_where_chance_moves_log_odds_by_more_than_3(features: int, acts: bool) -> None:
    """Two classes of 10 rows and 2 values without smoothing: τ² is 1/10 for each class and feature."""
    random = np.random.default_rng(0)
    codes = np.stack([random.permutation(np.arange(20) % 2) for _ in range(features)], axis=1)
    dataset = two_valued_dataset(codes, np.arange(20) // 10)
    assert [shrinkage_of(dataset, choice, 0.0).acts for choice in CHOICES] == [acts, True, False]
    assert shrinkage_of(dataset, "auto", 0.0).variance == pytest.approx(features / 5, rel=1e-14)


def test_the_exponent_is_held_until_a_twentieth_of_the_features_has_left() -> None:
    shrinkage = shrinkage_of(random_dataset(30, 100, 3, 2, seed=0), "on")
    exponents = []
    for left in range(99, 0, -1):
        shrinkage.follow(np.arange(left))
        exponents.append(shrinkage.exponent)
    # 100 features left a first exponent, 99 to 96 hold it; of fewer than 20, every one that leaves is a twentieth.
    assert [len(set(part)) for part in (exponents[:4], exponents[4:8], exponents[-18:])] == [1, 1, 18]
    assert exponents[4] > exponents[3]
    assert exponents == sorted(exponents)


# Rows in numpy and by compiled loops, whatever the blocks, threads and features that left


def labelled_rows(model: FittedNaiveBayes) -> Rows:
    """The labelled rows as the model keeps them, brought up to date."""
    asked = model.odds()
    return asked.blocks.ask(classifier_module.labelled, asked.model, asked.state)


@pytest.mark.parametrize(
    ("estimate", "classes", "values", "counted"),
    [
        *(("loo", 2, 5, False), ("loo", 3, 5, True), ("resubstitution", 2, 5, True), ("cv", 2, 5, True)),
        *(("cv", 30, 5, False), ("loo", 3, 300, False), ("loo", 2, 70_000, False)),
    ],
)
def test_compiled_loops_give_what_numpy_does(estimate: EstimateName, classes: int, values: int, counted: bool) -> None:
    """Over several blocks of rows and of features, with codes of 8, 16 and 32 bits and unlabelled rows."""
    many = values == 5
    rows, features = (9_000, 20) if many else (500, 5)
    dataset = random_dataset(rows, features, values, classes, seed=3)
    assert dataset.features[0].labelled.dtype == np.min_scalar_type(values)
    counts = np.random.default_rng(5).integers(1, 9, rows) if counted else dataset.counts
    others = random_dataset(5_000, features, values, classes, seed=4)
    dataset = replace(dataset, counts=counts)
    dataset = with_unlabelled(dataset, others) if many else dataset
    compiled, plain = (eliminate_all(dataset, estimate, 7 if many else 1, compiled=way) for way in (True, False))
    assert_same_rounds(compiled, plain)


@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("compiled", [True, False])
def test_rounding_errors_do_not_pile_up_while_features_leave(classes: int, compiled: bool) -> None:
    """The odds of the last features are those of a model that never had the others."""
    dataset = random_dataset(50, 600, 3, classes, seed=1, signal=0.9)
    one_by_one = fit_naive_bayes(dataset, "loo", 0, 1e-60, 0, compiled=compiled)
    for feature in range(595):
        one_by_one.drop(np.array([feature]))
        one_by_one.score()
    afresh = fit_naive_bayes(replace(dataset, features=dataset.features[595:]), "loo", 0, 1e-60, 0)
    found, expected = (labelled_rows(model).row_odds().against_own for model in (one_by_one, afresh))
    np.testing.assert_allclose(found, expected, rtol=0, atol=2e-12)


@pytest.mark.parametrize("rows", [40_000, 2_000], ids=["by rows", "by features"])
def test_the_number_of_threads_changes_nothing(rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    dataset = random_dataset(rows, 70, 4, 2, seed=0)
    monkeypatch.setattr(rows_module, "_CELLS_WORTH_A_THREAD", 1000)
    rounds = []
    for cores in (1, 2, 3):
        monkeypatch.setattr("probfs.runtime.parallel.count_cores", lambda cores=cores: cores)
        rounds.append(eliminate_all(dataset, "loo", step=35, compiled=True))
    for others in rounds[1:]:
        assert_same_rounds(others, rounds[0], exactly=True)


@pytest.mark.parametrize(("compiled", "expected"), [(True, CompiledRows), (False, Rows), (None, Rows)])
def test_the_caller_decides_what_is_compiled_or_else_the_size(compiled: bool | None, expected: type) -> None:
    small = fit_naive_bayes(random_dataset(50, 3, 3, 3, seed=0), "loo", 0, 1.0, 0, compiled=compiled)
    assert type(labelled_rows(small)) is expected
    # 30 million cells, those of 15 more features in each round included.
    large, tables = random_dataset(20_000, 10, 3, 2, seed=0), ([10] * 60, [10] * 59 + [9])
    kinds = [type(labelled_rows(fit_naive_bayes(large, "loo", 0, 1.0, 0, rounds))) for rounds in tables]
    assert kinds == [CompiledRows, Rows]


def test_numpy_does_the_work_where_compiling_fails_and_one_note_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(rows: CompiledRows) -> None:
        raise OSError("no disk")

    monkeypatch.setattr(CompiledRows, "compile", fail)
    dataset = with_unlabelled(random_dataset(300, 8, 3, 2, seed=0), random_dataset(50, 8, 3, 2, seed=1))
    found, expected = (eliminate_all(dataset, "loo", compiled=way) for way in (True, False))
    assert_same_rounds(found, expected, exactly=True)
    notes = [fit_naive_bayes(dataset, "loo", 0, 1.0, 0, compiled=way).notes for way in (True, False)]
    assert notes == [("compiled loops are not available (no disk), so this took longer",), ()]


@pytest.mark.parametrize(("free", "loaded", "is_too_little"), [(-1, False, True), (0, False, False), (-1, True, False)])
def test_numba_is_not_loaded_into_too_little_memory(
    free: int, loaded: bool, is_too_little: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compiling, "free_memory", lambda: (768 << 20) + free)
    if not loaded:
        monkeypatch.delitem(sys.modules, "numba", raising=False)
    reason = compiling.why_not_compiled.__wrapped__()
    assert reason == ("numba takes up to 768 MB of memory, and 768 MB is free" if is_too_little else None)


def test_tables_that_do_not_fit_into_memory_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    monkeypatch.setattr(classifier_module, "require_memory", lambda needed, *_: asked.append(needed))
    dataset = random_dataset(5_000, 40, 3, 2, seed=0)
    NaiveBayes().require_memory(with_unlabelled(dataset, random_dataset(70, 40, 3, 2, seed=0)), "loo", 0)
    # Bytes of codes, log-odds and posteriors of rows, and tables of two models.
    assert asked == [5_070 * (40 + 2 * 16 + 48) + 4 * 2 * 2 * 40 * 4 * 8]


@given(problems(), st.sampled_from([1.0, 0.3, 0.0]))
@settings(max_examples=60, deadline=None)
def test_held_out_rows_are_judged_as_by_a_refit(problem: Problem, smoothing: float) -> None:
    dataset = dataset_of(replace(problem, together=()))
    draws = np.random.default_rng(len(problem.rows))
    held_out = draws.integers(0, 3, len(dataset.labels))
    if not held_out.any():
        held_out[0] = 1
    features = [j for j in range(len(dataset.features)) if draws.random() < 0.7][::-1]
    request = HoldOutRequest(dataset, features, count_values(dataset), held_out, 0)
    odds = judge_held_out(request, smoothing)
    training, judged = problem_of(dataset), problem_of(replace(dataset, counts=held_out))
    weights = [
        (label, log_weights(training, range(len(training.rows)), row, features, smoothing))
        for row, label in zip(judged.rows, judged.labels, strict=True)
    ]
    assert odds.rows == len(weights)
    assert odds.errors == sum(predicted(of_row) != label for label, of_row in weights)
    for sharpness in (1.0, 0.4):
        plain = sorted(-np.log(max(own_probability(of_row, label, sharpness), 1e-9)) for label, of_row in weights)
        found = np.repeat(odds.losses(sharpness, 1e-9), odds.counts.astype(np.int64))
        np.testing.assert_allclose(np.sort(found), plain, atol=1e-9)


@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("compiled", [False, True])
def test_odds_do_not_depend_on_shrinkage_or_on_known_counts(classes: int, compiled: bool) -> None:
    dataset = replace(random_dataset(90, 30, 4, classes, seed=1), counts=np.arange(90) // 60 + 1)
    plain = fit_naive_bayes(dataset, "loo", 0, 1.0, 0)
    shrunk = fit_naive_bayes(dataset, "loo", 0, 1.0, 0, shrink="on", compiled=compiled, counts=count_values(dataset))
    for dropped in ([], [3, 7], [0]):
        for model in (plain, shrunk):
            model.drop(np.array(dropped, dtype=np.intp))
        found, expected = (labelled_rows(model).row_odds().against_own for model in (shrunk, plain))
        np.testing.assert_allclose(found, expected, atol=1e-9)
        assert shrunk.odds().errors == plain.odds().errors == plain.score().errors
        for sharpness in (0.0, 0.3, 1.0):
            sums, wanted = (own.odds().loss_and_derivatives(sharpness) for own in (shrunk, plain))
            assert sums == pytest.approx(wanted, rel=1e-9)


# Losses of rows at any sharpness


@pytest.mark.parametrize("rows", [50, 100_000])
def test_sums_of_parts_add_up(rows: int) -> None:
    """Many rows are gone through some at a time."""
    odds = random_odds(0, rows, 3, 1.0, 0.3, zeros=True)
    parts = [RowOdds(odds.against_own[:, part], odds.counts[part], 0) for part in np.array_split(np.arange(rows), 13)]
    assert sum(part.sums(0.5, 0.01) for part in parts) == pytest.approx(odds.sums(0.5, 0.01))
    assert odds.sums(0.5, 0.01)[0] == pytest.approx(odds.counts @ odds.losses(0.5, 0.01))


def test_losses_by_hand() -> None:
    odds = RowOdds(np.log([[3.0, 1e9, 1.0], [4.0, 1.0, 1.0]]), np.ones(3), 1)
    odds.against_own[1, 2] = -np.inf
    np.testing.assert_allclose(odds.losses(1.0, 1 / 6), [np.log(6), np.log(6), np.log(2)])
    np.testing.assert_allclose(odds.losses(1.0, 1 / 20), [np.log(8), np.log(20), np.log(2)])
    np.testing.assert_allclose(odds.losses(0.5, 1 / 6), [np.log(3 + 3**0.5), np.log(6), np.log(2)])


@given(st.integers(0, 10**6), st.lists(st.integers(0, 20), max_size=4), st.sampled_from([0.0, 1e6]))
def test_moments_are_those_of_repeated_rows_and_parts_joined_are_all_rows(
    seed: int, cuts: list[int], far: float
) -> None:
    random = np.random.default_rng(seed)
    values, counts = random.normal(size=20) + far, random.integers(1, 4, 20).astype(np.float64)
    repeated = np.repeat(values, counts.astype(int))
    whole = Moments.of(values, counts)
    assert whole.mean == pytest.approx(repeated.mean())
    assert whole.se == pytest.approx(repeated.std(ddof=1) / np.sqrt(len(repeated)), rel=1e-6)
    assert Moments.of(values[:1], np.ones(1)).se == 0
    joined = Moments(0.0, 0.0, 0.0, 0.0)
    for part, rows in zip(np.split(values, sorted(cuts)), np.split(counts, sorted(cuts)), strict=True):
        joined += Moments.of(part, rows)
    assert (joined.rows, joined.mean) == pytest.approx((whole.rows, whole.mean), rel=1e-12, abs=1e-12)
    assert joined.squares == pytest.approx(whole.squares, rel=1e-8)
