"""The product's closed forms against exact refits, on random tables."""

from __future__ import annotations

from fractions import Fraction
from unittest.mock import patch

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given, note, settings
from hypothesis import strategies as st
from probfs.choices import Estimate, Score

from probfs.classifiers.naive_bayes.classifier import NaiveBayes
from probfs.classifiers.scores import SCORES
from probfs.columns.dataset import Dataset, Feature
from probfs.columns.distinct_rows import merge_equal_rows
from probfs.columns.folds import deal_folds
from probfs.ranking.elimination import eliminate as product_eliminate
from tests.support import exact_naive_bayes as reference
from tests.support.exact_naive_bayes import Problem

TOLERANCE = 1e-9


@st.composite
def problems(draw: st.DrawFn) -> Problem:
    classes = draw(st.integers(2, 4))
    features = draw(st.integers(1, 5))
    values = tuple(draw(st.integers(1, 4)) for _ in range(features))
    labels = [label for label in range(classes) for _ in range(2)]
    labels += draw(st.lists(st.integers(0, classes - 1), max_size=6))
    # Values that are declared and never seen, seen once, tied and missing all come up with so few rows.
    cells = [
        st.one_of(st.none(), st.integers(0, v - 1)) if draw(st.booleans()) else st.integers(0, v - 1) for v in values
    ]
    rows = tuple(draw(st.tuples(*cells)) for _ in labels)
    unlabelled = tuple(draw(st.lists(st.tuples(*cells), max_size=4)))
    return Problem(rows, tuple(labels), values, classes, unlabelled)


def dataset_of(problem: Problem) -> Dataset:
    """The product's own form of a reference problem, as its encoder would leave it."""
    features = []
    for j, (name, values) in enumerate(zip(problem.names, problem.values, strict=True)):
        labelled = [values if row[j] is None else row[j] for row in problem.rows]
        seen = set(labelled)
        unlabelled = [row[j] if row[j] in seen else values for row in problem.unlabelled]
        labels = pa.array([f"v{value}" for value in range(values)], pa.string())
        features.append(Feature(name, labels, np.array(labelled, np.uint8), np.array(unlabelled, np.uint8)))
    ones = np.ones(len(problem.rows), dtype=np.int64)
    return Dataset(
        tuple(features),
        tuple(f"c{label}" for label in range(problem.classes)),
        np.array(problem.labels),
        ones,
        np.ones(len(problem.unlabelled), dtype=np.int64),
    )


STEPS = (1, 2, 0.3)
SETTINGS = st.tuples(
    st.sampled_from(["absolute", "signed", "unlabeled"]),
    st.sampled_from(["loo", "resubstitution", "cv"]),
    st.sampled_from([0.0, 0.5, 1.0]),
    st.sampled_from(STEPS),
)


@settings(max_examples=120, deadline=None)
@given(problems(), SETTINGS)
# A tie at score 0 between features that matter to no row, and a zero factor in every class.
@example(Problem(((0, 1), (0, 1), (1, 0), (1, 0)), (0, 0, 1, 1), (2, 2), 2), ("signed", "loo", 0.0, 1))
def test_order_scores_errors_and_losses_equal_exact_refits(
    problem: Problem, how: tuple[Score, Estimate, float, int | float]
) -> None:
    check_against_refits(problem, *how)


@settings(max_examples=60, deadline=None)
@given(problems(), SETTINGS)
def test_compiled_loops_on_merged_rows_equal_exact_refits(
    problem: Problem, how: tuple[Score, Estimate, float, int | float]
) -> None:
    with (
        patch("probfs.classifiers.naive_bayes.classifier.WORTH_COMPILING", 0),
        patch("probfs.columns.distinct_rows._ROWS_PER_COMBINATION", 0),
    ):
        check_against_refits(problem, *how)


@pytest.mark.slow
@settings(max_examples=4000)
@given(problems(), SETTINGS)
def test_the_same_on_thousands_of_tables(problem: Problem, how: tuple[Score, Estimate, float, int | float]) -> None:
    check_against_refits(problem, *how)


def check_against_refits(
    problem: Problem, score: Score, estimate: Estimate, smoothing: float, step: int | float
) -> None:
    if score == "unlabeled" and not problem.unlabelled:
        score = "absolute"
    dataset = dataset_of(problem)
    folds = deal_folds(dataset, 3, 7).argmax(axis=0).tolist()
    exact_step = step if isinstance(step, int) else Fraction(str(step))
    expected = reference.eliminate(problem, score, estimate, Fraction(smoothing), exact_step, folds)
    backend = NaiveBayes(merge_equal_rows(dataset), estimate, 3, smoothing, 7)
    found = list(product_eliminate(backend, problem.names, SCORES[score], step))
    assert len(found) == len(expected)
    for ours, theirs in zip(found, expected, strict=True):
        names = [problem.names[feature] for feature in ours.scored]
        note(f"round {ours.number}: {theirs}")
        assert tuple(names[position] for position in ours.leaving) == theirs.removed
        s_s, s_a = ours.scores.s_s.to_floats(), ours.scores.s_a.to_floats()
        for position, name in enumerate(names):
            exact = theirs.scores[name]
            assert s_s[position] == pytest.approx(float(exact[0]), rel=TOLERANCE, abs=1e-15)
            assert s_a[position] == pytest.approx(float(exact[1]), rel=TOLERANCE, abs=1e-15)
            if exact[2] is None:
                assert ours.scores.s_su is None
            else:
                assert ours.scores.s_su is not None
                assert ours.scores.s_su.to_floats()[position] == pytest.approx(
                    float(exact[2]), rel=TOLERANCE, abs=1e-15
                )
        assert ours.scores.errors == theirs.errors
        assert ours.scores.absolute_loss == pytest.approx(float(theirs.absolute_loss), rel=TOLERANCE, abs=1e-15)
        assert ours.scores.log_loss == pytest.approx(theirs.log_loss, rel=TOLERANCE, abs=1e-15)
