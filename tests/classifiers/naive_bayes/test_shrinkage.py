"""Shrinkage against its definition by refits, and when it acts."""

from __future__ import annotations

from fractions import Fraction
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st

from probfs.classifiers.naive_bayes.classifier import FittedNaiveBayes
from probfs.classifiers.naive_bayes.shrinkage import Shrinkage, ShrinkName
from probfs.classifiers.options import EstimateName
from probfs.classifiers.scores import SCORES
from probfs.columns.dataset import Dataset, merge_equal_rows
from probfs.columns.folds import deal_folds
from probfs.ranking.elimination import eliminate
from tests.support import shrunk_naive_bayes as reference
from tests.support.datasets import (
    dataset_of,
    feature_of,
    problems,
    random_dataset,
    two_valued_dataset,
    with_unlabelled,
)
from tests.support.eliminations import assert_same_rounds, eliminate_all
from tests.support.exact_naive_bayes import Problem

Settings = tuple[ShrinkName, str, EstimateName, float, int | float]
CHOICES: tuple[ShrinkName, ...] = ("auto", "on", "off")
SETTINGS = st.tuples(
    st.sampled_from(["on", "on", "auto"]),
    st.sampled_from(["absolute", "signed", "unlabeled"]),
    st.sampled_from(["loo", "resubstitution", "cv"]),
    st.sampled_from([0.0, 0.5, 1.0]),
    st.sampled_from([1, 2, 0.3]),
)


@settings(max_examples=80, deadline=None)
@given(problems(), SETTINGS, st.booleans())
def test_order_scores_exponents_errors_and_losses_equal_refits(problem: Problem, how: Settings, compiled: bool) -> None:
    check_against_refits(problem, how, compiled)


@pytest.mark.slow
@settings(max_examples=3000, deadline=None)
@given(problems(), SETTINGS, st.booleans())
def test_the_same_on_thousands_of_tables(problem: Problem, how: Settings, compiled: bool) -> None:
    check_against_refits(problem, how, compiled)


def check_against_refits(problem: Problem, how: Settings, compiled: bool) -> None:
    """Equal rows are merged, so that rows have counts."""
    choice, score, estimate, smoothing, step = how
    if score == "unlabeled" and not problem.unlabelled:
        score = "absolute"
    dataset = dataset_of(problem)
    folds = deal_folds(dataset, 3, 7).argmax(axis=0).tolist()
    exact_step = step if isinstance(step, int) else Fraction(str(step))
    expected = reference.eliminate(problem, choice, score, estimate, Fraction(smoothing), exact_step, folds)
    with patch("probfs.columns.dataset._ROWS_PER_COMBINATION", 0):
        merged = merge_equal_rows(dataset)
    classifier = FittedNaiveBayes(merged, estimate, 3, smoothing, 7, shrink=choice, compiled=compiled)
    found = list(eliminate(classifier, problem.names, SCORES[score], step))
    for ours, theirs in zip(found, expected, strict=True):
        names = [problem.names[feature] for feature in ours.scored]
        note(f"round {ours.number}: {theirs}")
        assert tuple(names[position] for position in ours.leaving) == theirs.removed
        assert ours.scores.exponent == pytest.approx(theirs.exponent, rel=1e-14)
        for key, which in (("s_s", 0), ("s_a", 1), ("s_su", 2)):
            scores = getattr(ours.scores, key)
            wanted = [theirs.scores[name][which] for name in names]
            assert scores is None if wanted[0] is None else scores == pytest.approx(wanted, 1e-9, 1e-14)
        assert ours.scores.errors == theirs.errors
        assert ours.scores.absolute_loss == pytest.approx(theirs.absolute_loss, rel=1e-9, abs=1e-15)
        assert ours.scores.log_loss == pytest.approx(theirs.log_loss, rel=1e-9, abs=1e-15)


def shrinkage_of(dataset: Dataset, choice: ShrinkName, smoothing: float = 1.0) -> Shrinkage:
    return FittedNaiveBayes(dataset, "loo", 0, smoothing, 0, shrink=choice)._shrinkage


@pytest.mark.parametrize(("features", "acts"), [(44, False), (46, True)])
def test_auto_shrinks_where_chance_moves_log_odds_by_more_than_3(features: int, acts: bool) -> None:
    """Two classes of 10 rows and 2 values without smoothing: τ² is 1/10 for each class and feature."""
    random = np.random.default_rng(0)
    codes = np.stack([random.permutation(np.arange(20) % 2) for _ in range(features)], axis=1)
    dataset = two_valued_dataset(codes, np.arange(20) // 10)
    assert [shrinkage_of(dataset, choice, 0.0).acts for choice in CHOICES] == [acts, True, False]
    assert shrinkage_of(dataset, "auto", 0.0).variance == pytest.approx(features / 5, rel=1e-14)


def test_missing_cells_and_values_that_no_row_has_do_not_count() -> None:
    """Of class a 2 rows have a value, of class b 3, and of the 4 values that smoothing knows there are 2."""
    labelled = np.array([0, 1, 4, 0, 1, 1, 4])
    features = (feature_of("f", 4, labelled), feature_of("constant", 2, np.zeros(7, np.int64)))
    ones = np.ones(7, np.int64)
    dataset = Dataset(features, ("a", "b"), np.array([0, 0, 0, 1, 1, 1, 1]), ones, ones[:0])
    assert shrinkage_of(dataset, "on", 0.5).variance == pytest.approx(2 / (2 + 2) ** 2 + 3 / (3 + 2) ** 2, rel=1e-14)


def test_the_exponent_is_held_until_a_twentieth_of_the_features_has_left() -> None:
    shrinkage = shrinkage_of(random_dataset(30, 100, 3, 2, seed=0), "on")
    exponents = []
    for left in range(99, 0, -1):
        shrinkage.follow(np.arange(left))
        exponents.append(shrinkage.exponent)
    assert len(set(exponents[:4])) == 1, "100 features left a first exponent, 99 to 96 hold it"
    assert exponents[4] > exponents[3]
    assert len(set(exponents[4:8])) == 1
    assert len(set(exponents[-18:])) == 18, "with fewer than 20 features, every one that leaves is a twentieth"
    assert exponents == sorted(exponents)


def test_columns_that_say_nothing_leave_the_exponent_at_1() -> None:
    dataset = two_valued_dataset(np.full((6, 3), 2), np.arange(6) % 2)
    classifier = FittedNaiveBayes(dataset, "loo", 0, 1.0, 0, shrink="on")
    assert classifier.score().exponent == 1.0
    assert classifier.notes == ()


@pytest.mark.parametrize("classes", [2, 3])
def test_no_prediction_changes(classes: int) -> None:
    dataset = random_dataset(60, 300, 3, classes, seed=0, signal=0.2)
    plain, shrunk = (FittedNaiveBayes(dataset, "loo", 0, 1.0, 0, shrink=choice).score() for choice in ("off", "auto"))
    assert plain.exponent == 1.0
    assert shrunk.exponent is not None
    assert shrunk.exponent < 0.1
    assert 0 < shrunk.errors == plain.errors
    assert shrunk.absolute_loss > plain.absolute_loss, "probabilities are more modest"


@pytest.mark.parametrize("score", ["absolute", "signed"])
@pytest.mark.parametrize("classes", [2, 3])
def test_a_wide_table_is_ranked_alike_however_it_is_computed(classes: int, score: str) -> None:
    """With the pool and floors as they are chosen for a large table."""
    dataset = random_dataset(80, 500, 3, classes, seed=1, signal=0.2)
    dataset = with_unlabelled(dataset, random_dataset(20, 500, 3, classes, seed=2))
    ways = [(True, None), (True, False), (False, True)]
    lazily, *others = (
        eliminate_all(dataset, "loo", 5, score, 1.0, compiled, prune, "auto") for compiled, prune in ways
    )
    for other in others:
        assert_same_rounds(lazily, other)


def test_a_note_says_what_was_done_and_how_to_do_without() -> None:
    (note,) = FittedNaiveBayes(random_dataset(60, 300, 3, 2, seed=0), "loo", 0, 1.0, 0, shrink="auto").notes
    assert note == (
        "log-odds were shrunk, to 0.029 of their size in the first round, because chance alone would move them by "
        'about ±5.8; such probabilities are good for ranking, and not calibrated (shrink="off" ranks without)'
    )


def test_the_note_of_a_table_that_auto_would_leave_alone_does_not_blame_chance() -> None:
    dataset = random_dataset(300, 5, 3, 2, seed=0)
    assert FittedNaiveBayes(dataset, "loo", 0, 1.0, 0, shrink="auto").notes == ()
    (note,) = FittedNaiveBayes(dataset, "loo", 0, 1.0, 0, shrink="on").notes
    assert note == (
        'log-odds were shrunk, to 0.89 of their size in the first round, as shrink="on" demands (chance alone would '
        "move them by about ±0.36); such probabilities are good for ranking, and not calibrated"
    )
