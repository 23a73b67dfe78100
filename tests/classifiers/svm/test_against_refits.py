"""The scores of the SVM against refits and really permuted matrices, on random tables."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from probfs.classifiers.svm.classifier import Svm
from probfs.columns.dataset import Dataset
from probfs.columns.folds import deal_folds
from probfs.ranking.elimination import schedule
from tests.support.expected_svm_rounds import expected_round
from tests.support.refitted_svm import SvmParameters
from tests.support.svm_tables import random_dataset


def check(dataset: Dataset, compared: int = 1, **chosen: Any) -> None:
    """Compare some rounds with the reference."""
    tolerance, parameters = 1e-6, SvmParameters(**chosen)
    svm = Svm(dataset, **asdict(parameters), rounds=schedule(len(dataset.features), 1), jobs=1)
    dealt = None if parameters.folds is None else deal_folds(dataset, parameters.folds, parameters.seed)
    for number in range(1, compared + 1):
        active = svm.active.tolist()
        scores = svm.score()
        expected = expected_round(dataset, parameters, active, number, dealt)
        np.testing.assert_allclose(scores.s_s, expected.s_s, rtol=0, atol=tolerance)
        np.testing.assert_allclose(scores.s_a, expected.s_a, rtol=0, atol=tolerance)
        assert (scores.s_su is None) == (not expected.s_su)
        if scores.s_su is not None:
            np.testing.assert_allclose(scores.s_su, expected.s_su, rtol=0, atol=tolerance)
        assert scores.errors == expected.errors
        assert scores.cv_errors == expected.cv_errors
        assert scores.absolute_loss == pytest.approx(expected.absolute_loss, abs=tolerance)
        svm.drop(svm.active[:1])


TABLES = {
    "quantities": random_dataset(1, 30, "cccc"),
    "categories": random_dataset(2, 30, "ttd"),
    "mixed": random_dataset(3, 40, "ctdcs"),
    "three classes": random_dataset(4, 45, "ctcd", classes=3),
    "unlabelled": random_dataset(5, 24, "ctd", unlabelled=17),
    "counted": random_dataset(6, 24, "ctd", unlabelled=9, counted=True),
    "two rows of a class": random_dataset(7, 9, "cct", classes=4),
    "one feature": random_dataset(8, 20, "c"),
    "missing as a value": random_dataset(13, 36, "cdts", unlabelled=8, counted=True, gaps=0.3, missing_is_value=True),
    "missing numbers as a value": random_dataset(14, 30, "ccd", classes=3, gaps=0.3, missing_is_value=True),
}


@pytest.mark.parametrize("removal", ["permute", "retrain"])
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("table", list(TABLES))
def test_scores_are_those_of_refits_and_permuted_matrices(table: str, kernel: str, removal: str) -> None:
    dataset = TABLES[table]
    check(dataset, min(3, len(dataset.features)), kernel=kernel, removal=removal)


@pytest.mark.parametrize("gamma", ["auto", 1e-6, 0.01, 0.3, 3.0, 40.0, 1e4])
def test_every_way_to_permute_under_rbf_gives_the_same(gamma: float | str) -> None:
    check(random_dataset(9, 60, "ccctd"), kernel="rbf", gamma=gamma, permutations=5)


@pytest.mark.parametrize("gamma", [0.01, 0.3, 3.0])
def test_rows_far_from_all_labelled_ones_are_scored_the_same(gamma: float) -> None:
    dataset = random_dataset(13, 30, "ccd", unlabelled=12)
    first = dataset.features[0]
    assert first.numbers is not None
    numbers = first.numbers.copy()
    numbers[np.setdiff1d(first.unlabelled, [*first.labelled, len(numbers)])[-2:]] = [40.0, 300.0]
    far = replace(dataset, features=(replace(first, numbers=numbers), *dataset.features[1:]))
    check(far, kernel="rbf", gamma=gamma, permutations=5)


@pytest.mark.parametrize("cost", [1e-3, 1.0, 100.0])
def test_the_cost_is_the_one_asked_for(cost: float) -> None:
    check(random_dataset(10, 40, "cct"), C=cost)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("removal", ["permute", "retrain"])
@pytest.mark.parametrize(("estimate", "folds"), [("cv", 3), ("cv", 10), ("loo", None)])
def test_held_out_rows_are_scored_by_models_that_never_saw_them(
    estimate: str, folds: int | None, removal: str, kernel: str
) -> None:
    dataset = random_dataset(11, 16, "ct", unlabelled=4, counted=True)
    check(dataset, estimate=estimate, folds=folds, removal=removal, kernel=kernel)


@settings(max_examples=25)
@given(
    seed=st.integers(0, 10**6),
    rows=st.integers(6, 30),
    kinds=st.text("cdts", min_size=1, max_size=5),
    classes=st.integers(2, 3),
    unlabelled=st.sampled_from([0, 0, 5]),
    counted=st.booleans(),
    kernel=st.sampled_from(["linear", "rbf"]),
    removal=st.sampled_from(["permute", "retrain"]),
)
@example(0, 6, "ss", 3, 0, False, "rbf", "retrain")
def test_random_tables(
    seed: int, rows: int, kinds: str, classes: int, unlabelled: int, counted: bool, kernel: str, removal: str
) -> None:
    dataset = random_dataset(seed, rows, kinds, classes, unlabelled, counted)
    check(dataset, kernel=kernel, removal=removal, permutations=3 if removal == "permute" else None)
