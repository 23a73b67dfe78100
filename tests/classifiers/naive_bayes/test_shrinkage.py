"""Shrinkage against its definition by refits, and when it acts."""

from __future__ import annotations

from fractions import Fraction
from unittest.mock import patch

import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st

from probfs.classifiers.estimates import EstimateName
from probfs.classifiers.naive_bayes.classifier import NaiveBayes
from probfs.classifiers.naive_bayes.shrinkage import ShrinkName
from probfs.classifiers.scores import SCORES
from probfs.columns.distinct_rows import merge_equal_rows
from probfs.columns.folds import deal_folds
from probfs.ranking.elimination import eliminate
from tests.support import shrunk_naive_bayes as reference
from tests.support.datasets import dataset_of, problems
from tests.support.exact_naive_bayes import Problem

Settings = tuple[ShrinkName, str, EstimateName, float, int | float]
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
    with patch("probfs.columns.distinct_rows._ROWS_PER_COMBINATION", 0):
        merged = merge_equal_rows(dataset)
    classifier = NaiveBayes(merged, estimate, 3, smoothing, 7, shrink=choice, compiled=compiled)
    found = list(eliminate(classifier, problem.names, SCORES[score], step))
    for ours, theirs in zip(found, expected, strict=True):
        names = [problem.names[feature] for feature in ours.scored]
        note(f"round {ours.number}: {theirs}")
        assert tuple(names[position] for position in ours.leaving) == theirs.removed
        assert ours.scores.exponent == pytest.approx(theirs.exponent, rel=1e-14)
        for key, which in (("s_s", 0), ("s_a", 1), ("s_su", 2)):
            scores = getattr(ours.scores, key)
            wanted = [theirs.scores[name][which] for name in names]
            assert scores is None if wanted[0] is None else scores.to_floats() == pytest.approx(wanted, 1e-9, 1e-14)
        assert ours.scores.errors == theirs.errors
        assert ours.scores.absolute_loss == pytest.approx(theirs.absolute_loss, rel=1e-9, abs=1e-15)
        assert ours.scores.log_loss == pytest.approx(theirs.log_loss, rel=1e-9, abs=1e-15)
