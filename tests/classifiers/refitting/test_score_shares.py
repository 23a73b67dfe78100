"""Sums over rows, against the formulas of the scores."""

from __future__ import annotations

from functools import reduce
from operator import add

import numpy as np
import pytest

from probfs.classifiers.refitting.score_shares import odds_of, sum_changes, sum_retrained
from probfs.classifiers.refitting.splits import UNLABELLED, Split
from probfs.classifiers.score_formulas import absolute_score, signed_score
from probfs.tables.table import Floats

ROWS, FEATURES = 20, 3
NOTHING = np.empty(0, dtype=np.int64)


def random_split(classes: int) -> tuple[Split, Floats, Floats]:
    """Rows of which the last five are unlabelled, with probabilities (classes × rows × …) with and without features."""
    generator = np.random.default_rng(classes)
    labels = np.append(generator.integers(0, classes, ROWS - 5), np.full(5, UNLABELLED))
    split = Split(NOTHING, NOTHING, np.arange(ROWS), generator.integers(1, 4, ROWS), labels)
    p, q = generator.random((classes, ROWS)), generator.random((classes, ROWS, FEATURES))
    return split, p / p.sum(axis=0), q / q.sum(axis=0)


def test_impossible_classes_have_infinite_odds() -> None:
    probabilities = np.array([[0.0, 1.0, 0.0], [0.25, 0.0, 0.0], [0.75, 0.0, 1.0]])
    odds = odds_of(probabilities, np.array([1, 1, 2]), np.array([1, 2, 1]))
    np.testing.assert_allclose(odds.against_own, [[-np.inf, np.inf, -np.inf], [np.log(3), np.inf, -np.inf]])
    assert odds.errors == 3


@pytest.mark.parametrize("classes", [2, 4])
def test_shares_of_blocks_add_up_to_the_scores(classes: int) -> None:
    split, p, q = random_split(classes)
    given_p, given_q = (p[1:], q[1:]) if classes == 2 else (p, q)
    blocks = [slice(0, 7), slice(7, 16), slice(16, ROWS)]
    shares = [
        sum_changes(split, block, given_p[:, block], given_p[:, block, None] - given_q[:, block]) for block in blocks
    ]
    total = reduce(add, shares)
    known = split.scored_labels != UNLABELLED
    labels, counts = split.scored_labels[known], split.scored_counts[known]
    for feature in range(FEATURES):
        own_p, own_q = p[:, known].T, q[:, known, feature].T
        assert total.labelled.absolute[feature] / counts.sum() == pytest.approx(absolute_score(own_p, own_q, counts))
        assert total.labelled.signed[feature] / counts.sum() == pytest.approx(
            signed_score(own_p, own_q, labels, counts)
        )
        everywhere = total.labelled.absolute[feature] + total.unlabelled.absolute[feature]
        expected = absolute_score(p.T, q[:, :, feature].T, split.scored_counts)
        assert everywhere / split.scored_counts.sum() == pytest.approx(expected)
    right = p[:, known][labels, np.arange(len(labels))]
    assert total.odds.errors == counts[p[:, known].argmax(axis=0) != labels].sum()
    np.testing.assert_allclose(1 / (1 + np.exp(total.odds.against_own).sum(axis=0)), right)
    np.testing.assert_array_equal(total.odds.counts, counts)
    assert total.absolute_loss == pytest.approx(counts @ (1 - right))
    least = 1 / (2 * counts.sum())
    assert total.odds.mean_loss == pytest.approx(-counts @ np.log(np.maximum(right, least)) / counts.sum())


@pytest.mark.parametrize("classes", [2, 4])
def test_retrained_models_are_summed_feature_by_feature(classes: int) -> None:
    split, p, q = random_split(classes)
    given_p, given_q = (p[1:], q[1:]) if classes == 2 else (p, q)
    expected = sum_changes(split, slice(0, ROWS), given_p, given_p[:, :, None] - given_q)
    found = sum_retrained(split, iter([given_p, *(given_q[:, :, feature] for feature in range(FEATURES))]))
    assert found.labelled.absolute == pytest.approx(expected.labelled.absolute)
    assert found.labelled.signed == pytest.approx(expected.labelled.signed)
    assert found.unlabelled.absolute == pytest.approx(expected.unlabelled.absolute)
    assert found.absolute_loss == expected.absolute_loss


def test_equally_probable_classes_fall_to_the_first() -> None:
    split = Split(NOTHING, NOTHING, np.arange(2), np.array([1, 1]), np.array([0, 1]))
    half = np.array([[0.5, 0.5 + 1e-14]])
    assert sum_changes(split, slice(0, 2), half, np.zeros((1, 2, 1))).odds.errors == 1
