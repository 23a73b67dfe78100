"""The closed forms against refits in exact fractions, on random tables."""

from __future__ import annotations

from fractions import Fraction
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import example, given, note, settings
from hypothesis import strategies as st

from probfs.classifiers.naive_bayes.classifier import FittedNaiveBayes
from probfs.classifiers.options import EstimateName
from probfs.classifiers.scores import SCORES
from probfs.columns.choice import ColumnChoice
from probfs.columns.dataset import Dataset, merge_equal_rows
from probfs.columns.encode import encode
from probfs.columns.folds import deal_folds
from probfs.columns.mapping import ColumnMapping
from probfs.columns.prepare import prepare
from probfs.ranking.elimination import eliminate as product_eliminate
from probfs.tables.arrays import text_array
from probfs.tables.column import text_column
from probfs.tables.table import Table
from tests.support import exact_naive_bayes as reference
from tests.support.datasets import dataset_of, problems
from tests.support.exact_naive_bayes import Problem

TOLERANCE = 1e-9


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
    problem: Problem, how: tuple[str, EstimateName, float, int | float]
) -> None:
    check_against_refits(problem, *how)


@settings(max_examples=60, deadline=None)
@given(problems(), SETTINGS)
def test_compiled_loops_on_merged_rows_equal_exact_refits(
    problem: Problem, how: tuple[str, EstimateName, float, int | float]
) -> None:
    with patch("probfs.columns.dataset._ROWS_PER_COMBINATION", 0):
        check_against_refits(problem, *how, compiled=True)


@settings(max_examples=60, deadline=None)
@given(problems(), SETTINGS, st.booleans())
def test_missing_as_a_value_equals_exact_refits_with_one_value_more(
    problem: Problem, how: tuple[str, EstimateName, float, int | float], compiled: bool
) -> None:
    dataset = encoded_with_missing_as_a_value(problem)
    filled = problem.with_missing_as_a_value()
    assert [feature.values for feature in dataset.features] == list(filled.values)
    with patch("probfs.columns.dataset._ROWS_PER_COMBINATION", 0):
        check_against_refits(filled, *how, compiled=compiled, dataset=dataset)


def encoded_with_missing_as_a_value(problem: Problem) -> Dataset:
    """A problem as the encoder has it when it reads an ARFF file with all values declared and gaps in the cells."""
    columns = {}
    for j, (name, values) in enumerate(zip(problem.names, problem.values, strict=True)):
        cells = [values if row[j] is None else row[j] for row in (*problem.rows, *problem.unlabelled)]
        texts = text_array([str(value) for value in range(values)])
        columns[name] = text_column(name, np.array(cells, np.uint8), texts, declared=texts)
    labels = np.array([*problem.labels, *([problem.classes] * len(problem.unlabelled))], np.uint8)
    classes = text_array([f"c{label}" for label in range(problem.classes)])
    columns["y"] = text_column("y", labels, classes, declared=classes)
    table = Table("t.arff", columns, len(labels))
    dataset, _ = encode(prepare(table, ColumnMapping(), ColumnChoice(target="y", missing="value")))
    return dataset


@pytest.mark.slow
@settings(max_examples=4000)
@given(problems(), SETTINGS)
def test_the_same_on_thousands_of_tables(problem: Problem, how: tuple[str, EstimateName, float, int | float]) -> None:
    check_against_refits(problem, *how)


def check_against_refits(
    problem: Problem,
    score: str,
    estimate: EstimateName,
    smoothing: float,
    step: int | float,
    compiled: bool | None = None,
    dataset: Dataset | None = None,
) -> None:
    if score == "unlabeled" and not problem.unlabelled:
        score = "absolute"
    dataset = dataset_of(problem) if dataset is None else dataset
    folds = deal_folds(dataset, 3, 7).argmax(axis=0).tolist()
    exact_step = step if isinstance(step, int) else Fraction(str(step))
    expected = reference.eliminate(problem, score, estimate, Fraction(smoothing), exact_step, folds)
    classifier = FittedNaiveBayes(merge_equal_rows(dataset), estimate, 3, smoothing, 7, compiled=compiled)
    found = list(product_eliminate(classifier, problem.names, SCORES[score], step))
    assert len(found) == len(expected)
    for ours, theirs in zip(found, expected, strict=True):
        names = [problem.names[feature] for feature in ours.scored]
        note(f"round {ours.number}: {theirs}")
        assert tuple(names[position] for position in ours.leaving) == theirs.removed
        s_s, s_a = ours.scores.s_s, ours.scores.s_a
        for position, name in enumerate(names):
            exact = theirs.scores[name]
            assert s_s[position] == pytest.approx(float(exact[0]), rel=TOLERANCE, abs=1e-14)
            assert s_a[position] == pytest.approx(float(exact[1]), rel=TOLERANCE, abs=1e-14)
            if exact[2] is None:
                assert ours.scores.s_su is None
            else:
                assert ours.scores.s_su is not None
                assert ours.scores.s_su[position] == pytest.approx(float(exact[2]), rel=TOLERANCE, abs=1e-14)
        assert ours.scores.errors == theirs.errors
        assert ours.scores.absolute_loss == pytest.approx(float(theirs.absolute_loss), rel=TOLERANCE, abs=1e-14)
        assert ours.scores.log_loss == pytest.approx(theirs.log_loss, rel=TOLERANCE, abs=1e-14)
