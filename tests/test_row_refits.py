"""Rows that belong to subjects, weigh more than others or come in time: judged as in exact refits, in whole folds."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2

from probfs.classifiers.options import EstimateName
from probfs.classifiers.refitting.rows import TrainingRows, make_splits
from probfs.classifiers.refitting.svm import cut_into_pieces
from probfs.classifiers.row_odds import Moments, RowOdds
from probfs.columns.dataset import Dataset, normalise_weights
from probfs.columns.folds import consecutive_folds, deal_folds, order_by_content
from probfs.errors import ProbfsError
from probfs.rows.blocks import EVERYTHING, Block, LocalBlocks, Part, WithoutFold, deal_blocks
from probfs.screening.column_tests import chi_squared_test
from probfs.screening.counting import count_folds, count_values
from probfs.screening.screen import screen
from tests.support import exact_naive_bayes as reference
from tests.support.datasets import assert_as_refits, dataset_of, fit_naive_bayes, problems, random_dataset
from tests.support.exact_naive_bayes import Problem


@st.composite
def problems_of(draw: st.DrawFn, about: str) -> tuple[Problem, Dataset]:
    """Small tables of the reference, and as the encoder would leave them, with subjects, weights or weights and times.

    Every class has rows of two subjects or more; some weights are equal.
    """
    problem = draw(problems())
    dataset, rows, early = dataset_of(problem), len(problem.rows), 2 * problem.classes
    if about == "group":
        subjects = draw(st.integers(2, 6))
        groups = draw(st.lists(st.integers(0, subjects - 1), min_size=rows, max_size=rows))
        for label in range(problem.classes):
            # The first rows of a problem are two of each class.
            groups[2 * label + 1] = (groups[2 * label] + 1) % subjects
        return problem, replace(dataset, groups=np.array(groups))
    drawn = st.one_of(st.sampled_from([1, 2, 50]), st.integers(1, 1000))
    importance = draw(st.lists(drawn, min_size=rows, max_size=rows))
    exact = tuple(Fraction(own * len(importance), sum(importance)) for own in importance)
    dataset = replace(dataset, weights=normalise_weights(np.array(importance) / 7, dataset.counts))
    if about == "time":
        times = draw(st.lists(st.integers(0, 3), min_size=early, max_size=early))
        times += draw(st.lists(st.integers(0, 9), min_size=rows - early, max_size=rows - early))
        dataset = replace(dataset, times=np.array(times) * 7)
    return replace(problem, weights=exact), dataset


def folds_or_refusal(dataset: Dataset, folds: int, seed: int = 7) -> Any:
    """How many copies of rows are in each fold, or None where some fold would leave nothing to learn from."""
    if folds > dataset.units:
        return None
    refused = None
    try:
        return deal_folds(dataset, folds, seed)
    except ProbfsError as error:
        refused = str(error)
    assert "a fold would hold all of them" in refused or "so that no later row can be judged" in refused
    return None


HOW = st.fixed_dictionaries(
    {
        "score": st.sampled_from(["absolute", "signed", "unlabeled"]),
        "smoothing": st.sampled_from([0.0, 0.5, 1.0]),
        "shrink": st.sampled_from(["off", "on"]),
        "compiled": st.booleans(),
        "merged": st.booleans(),
        "estimate": st.sampled_from(["loo", "cv", "resubstitution"]),
        "folds": st.integers(2, 5),
    }
)


@pytest.mark.parametrize("about", ["group", "weight", "time"])
@settings(max_examples=120, deadline=None)
@given(st.data(), HOW)
def test_rows_are_judged_as_in_exact_refits(about: str, data: st.DataObject, how: dict[str, Any]) -> None:
    problem, dataset = data.draw(problems_of(about))
    estimate: EstimateName = "cv" if about == "time" else how["estimate"]
    of_row: list[int] = []
    if estimate == "cv":
        dealt = folds_or_refusal(dataset, how["folds"])
        if dealt is None:
            return
        of_row = dealt.argmax(axis=0).tolist()
    elif dataset.groups is not None:
        estimate, of_row = "loo", dataset.groups.tolist()
    judged = "time" if about == "time" else "cv" if of_row else estimate
    # Without smoothing, many columns that are one feature may rule a class out more often than doubles can tell.
    is_sure = about == "group" or (about == "weight" and not problem.together)
    smoothing = how["smoothing"] if is_sure else max(how["smoothing"], 0.5)
    score = how["score"] if problem.unlabelled else "absolute"
    expected = reference.eliminate(problem, score, judged, Fraction(smoothing), 1, of_row, how["shrink"])
    if how["merged"]:
        dataset = order_by_content(dataset, 0)
    options = {"shrink": how["shrink"], "compiled": how["compiled"]}
    classifier = fit_naive_bayes(dataset, estimate, how["folds"], smoothing, 7, **options)
    assert_as_refits(classifier, problem, score, expected)


# Folds


def parts_of(dataset: Dataset, folds: int, seed: int) -> list[Any]:
    """How many copies of each row each fold of a block has."""
    block = deal_blocks(LocalBlocks(Block(dataset)), EVERYTHING, folds, seed).here
    assert block is not None
    return [block.copies(fold) for fold in range(folds)]


def subjects_split(dealt: Any, groups: Any) -> bool:
    """Whether rows of some subject are in several parts."""
    return any(np.count_nonzero(dealt[:, groups == subject].any(axis=1)) > 1 for subject in np.unique(groups))


@given(problems_of("group"), st.integers(2, 5), st.integers(2, 4), st.integers(0, 9))
def test_no_fold_splits_a_subject(drawn: tuple[Problem, Dataset], copies: int, folds: int, seed: int) -> None:
    dataset, random = drawn[1], np.random.default_rng(seed)
    own_rows = len(dataset.labels)
    dataset = dataset.take(np.tile(np.arange(own_rows), copies), np.arange(len(dataset.unlabelled_counts)))
    groups = np.arange(copies).repeat(own_rows) * 2 + random.integers(0, 2, len(dataset.labels))
    dataset = replace(dataset, groups=groups, counts=random.integers(1, 4, len(groups)))
    folds, ordered = min(folds, dataset.units), order_by_content(dataset, seed)
    assert ordered.rows == dataset.rows
    for rows in (dataset, ordered):
        dealt = folds_or_refusal(rows, folds, seed)
        if dealt is None:
            return
        np.testing.assert_array_equal(dealt.sum(axis=0), rows.counts)
        assert not subjects_split(dealt, rows.groups)
        np.testing.assert_array_equal(parts_of(rows, folds, seed), dealt)
        ways: list[tuple[EstimateName, int]] = [("loo", dataset.units), ("cv", folds)]
        for estimate, parts in ways:
            splits = [split for split in make_splits(rows, estimate, folds, seed) if split.left_out is not None]
            assert len(splits) == parts
            left_out = np.array([rows.counts - split.training_counts(rows.counts) for split in splits])
            assert not subjects_split(left_out, rows.groups)
    assert ordered.groups is not None
    training = TrainingRows.of(ordered.labels, ordered.counts, len(ordered.classes))
    pieces = cut_into_pieces(training, ordered.groups[training.positions])
    assert pieces.weights.sum() == dataset.rows


@given(problems_of("time"), st.integers(1, 3), st.integers(2, 5))
def test_folds_of_time_are_consecutive(drawn: tuple[Problem, Dataset], copies: int, folds: int) -> None:
    problem, dataset = drawn[0], replace(drawn[1], counts=drawn[1].counts * copies)
    if folds_or_refusal(dataset, folds) is None:
        return
    of_row = consecutive_folds(dataset, folds)
    assert dataset.times is not None
    order = np.argsort(dataset.times, kind="stable")
    assert (np.diff(of_row[order]) >= 0).all()
    assert of_row.max() < folds
    fold_of_time = dict(zip(dataset.times.tolist(), of_row.tolist(), strict=True))
    assert [fold_of_time[time] for time in dataset.times.tolist()] == of_row.tolist()
    assert (np.bincount(dataset.labels[of_row == 0], minlength=problem.classes) * copies).min() >= 2
    ordered = order_by_content(dataset, 0)
    assert ordered.times is not None
    expected = np.array([fold_of_time[time] for time in ordered.times.tolist()])
    splits = make_splits(ordered, "cv", folds, 0)
    splits = splits[: len(splits) - bool(len(ordered.unlabelled_counts))]
    assert sum(len(split.scored) for split in splits) == np.count_nonzero(expected)
    for split in splits:
        (fold,) = set(expected[split.scored].tolist())
        earlier = np.where(expected < fold, ordered.counts, 0)
        np.testing.assert_array_equal(split.training_counts(ordered.counts), earlier)
    np.testing.assert_array_equal(
        parts_of(ordered, folds, 0), [np.where(expected == fold, ordered.counts, 0) for fold in range(folds)]
    )
    block = deal_blocks(LocalBlocks(Block(ordered)), EVERYTHING, folds, 0).here
    assert block is not None
    for fold, counts in enumerate(count_folds(block)):
        part = block.rows_of(Part(sample=WithoutFold(fold, by_time=True)))
        assert part.rows == ordered.counts[expected < fold].sum()
        assert counts.class_rows.sum() == pytest.approx(ordered.row_weights[expected == fold].sum())


def test_equal_shares_of_rows_are_judged() -> None:
    dataset = replace(random_dataset(100, 1, 2, 2, seed=0), times=np.arange(100))
    assert np.bincount(consecutive_folds(dataset, 10)).tolist() == [10] * 10
    # A class that comes late is waited for, and the rest is divided.
    late = replace(dataset, labels=(np.arange(100) >= 53).astype(np.int64))
    assert np.bincount(consecutive_folds(late, 5)).tolist() == [56, 11, 11, 11, 11]


# Weights: sums, standard errors and tests


def test_sums_of_weights_are_exact() -> None:
    importance = np.random.default_rng(0).lognormal(sigma=3, size=1000)
    weights = normalise_weights(importance, np.ones(1000, dtype=np.int64))
    assert weights is not None
    assert sum(map(Fraction, weights.tolist())) == Fraction(float(weights.sum()))
    assert weights.mean() == pytest.approx(1, abs=1e-12)
    np.testing.assert_allclose(weights, importance / importance.mean(), rtol=1e-9, atol=1e-12)
    dataset = random_dataset(50, 2, 2, 2, seed=0)
    weighted = replace(dataset, weights=normalise_weights(np.arange(1.0, 51) % 3 + 1, dataset.counts))
    assert order_by_content(weighted, 0).total_weight == weighted.total_weight


def test_tests_are_made_for_the_effective_number_of_rows() -> None:
    dataset = random_dataset(300, 6, 3, 2, seed=1, signal=0.4)
    weights = normalise_weights(np.where(np.arange(300) % 3, 1.0, 4.0), dataset.counts)
    weighted, effective = replace(dataset, weights=weights), (200 + 400) ** 2 / (200 + 1600)
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


def test_errors_of_means_are_those_of_so_many_rows_or_subjects() -> None:
    values, weights = np.random.default_rng(0).normal(size=50), np.random.default_rng(1).random(50)
    moments, mean = Moments.of(values, weights, np.ones(50)), np.average(values, weights=weights)
    effective = weights.sum() ** 2 / (weights**2).sum()
    assert moments.se == pytest.approx(np.sqrt(np.average((values - mean) ** 2, weights=weights) / (effective - 1)))
    halves = Moments.of(values[:20], weights[:20], np.ones(20)) + Moments.of(values[20:], weights[20:], np.ones(30))
    assert halves.se == pytest.approx(moments.se)
    copies = np.arange(50) % 3 + 1
    counted = Moments.of(values, weights * copies, copies.astype(np.float64))
    repeated = Moments.of(values.repeat(copies), weights.repeat(copies), np.ones(copies.sum()))
    assert counted.se == pytest.approx(repeated.se)
    # Rows that repeat their subject's loss say nothing more about it.
    who = np.repeat(np.arange(50), 5)
    once = RowOdds(values[None], np.ones(50), 0)
    of_subjects = RowOdds(values[None, who], np.ones(250), 0, subjects=who)
    assert of_subjects.moments(values[who]).se == pytest.approx(once.moments(values).se)
    assert of_subjects.moments(values[who]).mean == pytest.approx(values.mean())
