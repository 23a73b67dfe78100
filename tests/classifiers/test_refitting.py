"""Sums over rows against the formulas of the scores; which rows models hold out, and that donors are fair draws."""

from __future__ import annotations

from typing import get_args

import numpy as np
import pytest

from probfs.classifiers.options import EstimateName
from probfs.classifiers.refitting.rows import UNLABELLED, Split, draw_donors, make_splits
from probfs.classifiers.refitting.sums import add_up, make_scores, odds_of, sum_changes, sum_retrained
from tests.support.score_formulas import absolute_score, signed_score
from tests.support.svm_tables import random_dataset

ROWS, FEATURES = 20, 3


@pytest.mark.parametrize("classes", [2, 4])
def test_blocks_and_refits_add_up_to_the_scores(classes: int) -> None:
    generator = np.random.default_rng(classes)
    own = np.append(generator.integers(0, classes, ROWS - 5), np.full(5, UNLABELLED))
    split = Split(np.arange(ROWS), generator.integers(1, 4, ROWS), own)
    p, q = generator.random((classes, ROWS)), generator.random((classes, ROWS, FEATURES))
    p, q = p / p.sum(axis=0), q / q.sum(axis=0)
    blocks = [slice(0, 7), slice(7, 16), slice(16, ROWS)]
    by_block = add_up([sum_changes(split, block, p[:, block], p[:, block, None] - q[:, block]) for block in blocks])
    by_refit = sum_retrained(split, p, [q[:, :, feature] for feature in range(FEATURES)])
    known = own != UNLABELLED
    labels, counts = own[known], split.scored_counts[known]
    right = p[:, known][labels, np.arange(len(labels))]
    for total in (by_block, by_refit):
        scores = make_scores(total, int(counts.sum()), int(split.scored_counts[~known].sum()), None)
        assert scores.s_su is not None
        for feature in range(FEATURES):
            without = q[:, known, feature].T
            s_s, s_a, s_su = (float(each[feature]) for each in (scores.s_s, scores.s_a, scores.s_su))
            assert s_s == pytest.approx(absolute_score(p[:, known].T, without, counts))
            assert s_a == pytest.approx(signed_score(p[:, known].T, without, labels, counts))
            assert s_su == pytest.approx(absolute_score(p.T, q[:, :, feature].T, split.scored_counts))
        assert scores.errors == counts[p[:, known].argmax(axis=0) != labels].sum()
        assert scores.absolute_loss == pytest.approx(np.average(1 - right, weights=counts))
        clipped = np.maximum(right, 1 / (2 * counts.sum()))
        assert scores.log_loss == pytest.approx(np.average(-np.log(clipped), weights=counts))
        np.testing.assert_allclose(1 / (1 + np.exp(total.odds.against_own).sum(axis=0)), right)


def test_impossible_classes_have_infinite_odds() -> None:
    probabilities = np.array([[0.0, 1.0, 0.0], [0.25, 0.0, 0.0], [0.75, 0.0, 1.0]])
    odds = odds_of(probabilities, np.array([1, 1, 2]), np.array([1, 2, 1]))
    np.testing.assert_allclose(odds.against_own, [[-np.inf, np.inf, -np.inf], [np.log(3), np.inf, -np.inf]])
    assert odds.errors == 3
    # Of equally probable ones, the first is told.
    assert odds_of(np.array([[0.5, 0.5 - 1e-14], [0.5, 0.5 + 1e-14]]), np.array([0, 1]), np.array([1, 1])).errors == 1


@pytest.mark.parametrize("estimate", get_args(EstimateName))
def test_every_copy_of_every_row_is_scored_once_and_by_a_model_without_it(estimate: EstimateName) -> None:
    dataset = random_dataset(3, 12, "ct", unlabelled=5, counted=True)
    scored = np.zeros(12 + 5, dtype=np.int64)
    for split in make_splits(dataset, estimate, 3 if estimate == "cv" else None, seed=0):
        np.add.at(scored, split.scored, split.scored_counts)
        labelled = split.scored_labels != UNLABELLED
        assert (labelled == (split.scored < 12)).all()
        assert (split.scored_labels[labelled] == dataset.labels[split.scored[labelled]]).all()
        if estimate in ("cv", "loo") and labelled.any():
            held_out = split.scored_counts if estimate == "cv" else 1
            training = dataset.counts.copy()
            training[split.scored] -= held_out
            assert (split.training_counts(dataset.counts) == training).all()
    assert scored.tolist() == [*dataset.counts.tolist(), *dataset.unlabelled_counts.tolist()]


def test_donors_are_a_permutation_when_all_rows_count_once() -> None:
    ones = np.ones(50, dtype=np.int64)
    donors = draw_donors(ones, ones, 30, np.random.default_rng(0))
    assert (np.sort(donors, axis=1) == np.arange(50)).all()
    assert len({tuple(row) for row in donors.tolist()}) == 30


def test_donors_are_drawn_as_often_as_they_count() -> None:
    counts = np.array([1, 5, 10, 84])
    donors = draw_donors(np.array([3, 1, 40]), counts, 20_000, np.random.default_rng(0))
    for column in donors.T:
        assert np.bincount(column, minlength=4) / len(column) == pytest.approx(counts / 100, abs=0.02)
