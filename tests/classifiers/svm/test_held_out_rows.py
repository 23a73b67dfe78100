"""Rows judged by an SVM of other rows, against scikit-learn's."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from probfs.classifiers.protocol import HoldOutRequest
from probfs.classifiers.svm.held_out_rows import held_out_odds
from probfs.columns.dataset import Dataset
from probfs.screening.value_counts import count_values
from tests.support.held_out_svm import held_out_probabilities
from tests.support.refitted_svm import SvmParameters
from tests.support.svm_tables import random_dataset


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize(
    ("dataset", "features"),
    [
        (random_dataset(1, 40, "cccc"), [3, 0]),
        (random_dataset(2, 45, "ccdt", classes=3), [1, 0, 3]),
        (random_dataset(3, 36, "cdt", counted=True, gaps=0.2, missing_is_value=True), [0, 1, 2]),
        (random_dataset(4, 30, "ct"), []),
        (random_dataset(5, 30, "cs"), [1]),
    ],
    ids=["numbers", "three classes", "counted", "no feature", "a constant"],
)
def test_held_out_rows_are_judged_as_by_a_refit(dataset: Dataset, features: list[int], kernel: str) -> None:
    held_out = np.where(np.arange(len(dataset.labels)) % 3 == 1, (dataset.counts + 1) // 2, 0)
    parameters = SvmParameters(kernel=kernel)  # type: ignore[arg-type]
    training = replace(dataset, counts=dataset.counts - held_out)
    request = HoldOutRequest(training, features, count_values(training), held_out, parameters.seed)
    odds = held_out_odds(request, parameters.kernel, parameters.C, parameters.gamma)
    expected = held_out_probabilities(training, features, held_out, parameters)
    members = np.flatnonzero(held_out)
    labels = dataset.labels[members]
    own = expected[np.arange(len(members)), labels]
    np.testing.assert_array_equal(odds.counts, held_out[members])
    np.testing.assert_allclose(1 / (1 + np.exp(odds.against_own).sum(axis=0)), own, atol=1e-6)
    assert odds.errors == held_out[members][expected.argmax(axis=1) != labels].sum()
