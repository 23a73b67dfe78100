"""Rows as models of other rows see them, against refits in plain arithmetic."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from probfs.classifiers.naive_bayes.classifier import NaiveBayes
from probfs.classifiers.naive_bayes.held_out_rows import held_out_odds
from probfs.classifiers.protocol import HoldOutRequest
from probfs.classifiers.row_odds import RowOdds
from probfs.classifiers.tempered_sums import row_losses
from probfs.screening.value_counts import count_values
from tests.support.datasets import dataset_of, problems, random_dataset
from tests.support.exact_naive_bayes import Problem
from tests.support.plain_selection import PlainTable, log_weights, own_probability, predicted


@given(problems(), st.sampled_from([1.0, 0.3, 0.0]))
@settings(max_examples=60, deadline=None)
def test_held_out_rows_are_judged_as_by_a_refit(problem: Problem, smoothing: float) -> None:
    dataset = dataset_of(problem)
    draws = np.random.default_rng(len(problem.rows))
    held_out = draws.integers(0, 3, len(dataset.labels))
    features = [j for j in range(len(dataset.features)) if draws.random() < 0.7][::-1]
    odds = held_out_odds(HoldOutRequest(dataset, features, count_values(dataset), held_out, 0), smoothing)
    training, judged = PlainTable.of(dataset), PlainTable.of(replace(dataset, counts=held_out))
    weights = [
        (label, log_weights(training, training.rows, cells, features, smoothing)) for label, cells in judged.rows
    ]
    assert odds.rows == len(weights)
    assert odds.errors == sum(predicted(own) != label for label, own in weights)
    for temperature in (1.0, 0.4):
        plain = sorted(-np.log(max(own_probability(own, label, temperature), 1e-9)) for label, own in weights)
        found = np.repeat(row_losses(odds, temperature, 1e-9), odds.counts.astype(np.int64))
        np.testing.assert_allclose(np.sort(found), plain, atol=1e-9)


@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("compiled", [False, True])
def test_odds_do_not_depend_on_shrinkage_or_on_known_counts(classes: int, compiled: bool) -> None:
    dataset = random_dataset(60, 30, 4, classes, seed=1)
    plain = NaiveBayes(dataset, "loo", 0, 1.0, 0)
    shrunk = NaiveBayes(dataset, "loo", 0, 1.0, 0, shrink="on", compiled=compiled, counts=count_values(dataset))
    for dropped in ([], [3, 7], [0]):
        for model in (plain, shrunk):
            model.drop(np.array(dropped, dtype=np.intp))
        own, expected = shrunk.odds(), plain.odds()
        assert isinstance(own, RowOdds)
        assert isinstance(expected, RowOdds)
        np.testing.assert_allclose(own.against_own, expected.against_own, atol=1e-9)
        assert own.errors == expected.errors == plain.score().errors
