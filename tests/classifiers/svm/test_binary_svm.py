"""Class probabilities from the decision values of binary SVMs."""

from __future__ import annotations

import numpy as np
import pytest

from probfs.classifiers.refitting.training_rows import TrainingRows
from probfs.classifiers.svm.binary_svm import BinarySvm, compute_probabilities, make_frequency_svms

NOTHING = np.empty(0, dtype=np.intp)


def svm(slope: float, offset: float) -> BinarySvm:
    return BinarySvm(NOTHING, np.empty(0), 0.0, slope, offset)


def test_two_classes_have_the_probability_of_the_second() -> None:
    probabilities = compute_probabilities([np.array([0.0, 1.0])], [svm(2.0, -1.0)])
    assert probabilities == pytest.approx(1 / (1 + np.exp([[1.0, -1.0]])))


def test_more_classes_add_up_to_one_even_where_all_sigmoids_are_zero() -> None:
    svms = [svm(1.0, 0.0), svm(2.0, 1.0), svm(0.5, -1.0)]
    decisions = [np.array([0.3, -1e6]), np.array([-2.0, -1e6]), np.array([1.0, -1e6])]
    probabilities = compute_probabilities(decisions, svms)
    assert probabilities.sum(axis=0) == pytest.approx(1)
    assert probabilities[:, 1] == pytest.approx(1 / 3)


@pytest.mark.parametrize("counts", [[3, 5], [3, 5, 2]])
def test_a_model_without_features_gives_class_frequencies(counts: list[int]) -> None:
    positions = np.arange(len(counts))
    svms = make_frequency_svms(TrainingRows(positions, positions, np.array(counts), len(counts)))
    probabilities = compute_probabilities([np.zeros(1)] * len(svms), svms)
    expected = np.array(counts) / sum(counts)
    assert probabilities[:, 0] == pytest.approx(expected[-len(svms) :])
