"""Rows whose loops are compiled against the same rows in numpy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from probfs.classifiers.naive_bayes import row_loops
from probfs.classifiers.naive_bayes.classifier import NaiveBayes
from probfs.classifiers.naive_bayes.compiled_many_class_rows import CompiledManyClassRows
from probfs.classifiers.naive_bayes.compiled_two_class_rows import CompiledTwoClassRows
from probfs.classifiers.naive_bayes.many_class_rows import ManyClassRows
from probfs.classifiers.naive_bayes.row_loops import WorkShare, split_work
from probfs.classifiers.naive_bayes.two_class_rows import TwoClassRows
from probfs.classifiers.options import EstimateName
from probfs.classifiers.scores import SCORES
from probfs.kernels.constants import ROWS_PER_BLOCK
from probfs.kernels.kernel import Kernel
from probfs.kernels.loops.sieve_scan import gather_cells, sift_features
from probfs.kernels.loops.two_class_changes import sum_two_class_changes, update_two_class_rows
from probfs.kernels.unavailable import KernelUnavailable
from probfs.ranking.elimination import eliminate
from probfs.runtime.threads import ThreadPool
from tests.support.datasets import random_dataset, with_unlabelled
from tests.support.eliminations import assert_same_rounds, eliminate_all


@pytest.mark.parametrize("estimate", ["loo", "resubstitution", "cv"])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("counted", [False, True])
def test_compiled_loops_give_what_numpy_does(estimate: EstimateName, classes: int, counted: bool) -> None:
    """Over several blocks of rows and of features, with unlabelled rows, equal rows counted or not."""
    dataset = random_dataset(9_000, 40, 5, classes, seed=3)
    counts = np.random.default_rng(5).integers(1, 9, 9_000) if counted else dataset.counts
    dataset = with_unlabelled(replace(dataset, counts=counts), random_dataset(5_000, 40, 5, classes, seed=4))
    compiled = eliminate_all(dataset, estimate, step=7, compiled=True)
    assert_same_rounds(compiled, eliminate_all(dataset, estimate, step=7, compiled=False))


@pytest.mark.parametrize("score", ["absolute", "signed"])
@pytest.mark.parametrize("estimate", ["loo", "cv"])
@pytest.mark.parametrize("classes", [2, 3])
def test_codes_above_255_in_16_bits(classes: int, estimate: EstimateName, score: str) -> None:
    """In both loops of the rows and in both loops of the sieve."""
    dataset = random_dataset(500, 12, 300, classes, seed=0)
    dataset = with_unlabelled(dataset, random_dataset(100, 12, 300, classes, seed=1))
    assert all(feature.labelled.dtype == np.uint16 and feature.labelled.max() > 255 for feature in dataset.features)
    compiled = eliminate_all(dataset, estimate, step=1, score=score, compiled=True, prune=True)
    assert_same_rounds(compiled, eliminate_all(dataset, estimate, step=1, score=score, compiled=False, prune=False))


def test_codes_of_more_than_16_bits_are_left_to_numpy() -> None:
    dataset = random_dataset(400, 3, 70_000, 2, seed=0)
    classifier = NaiveBayes(dataset, "loo", 0, 1.0, 0, compiled=True)
    assert all(type(rows) is TwoClassRows for rows in classifier._labelled)
    plain = NaiveBayes(dataset, "loo", 0, 1.0, 0, compiled=False).score()
    assert classifier.score().s_s.to_floats().tolist() == plain.s_s.to_floats().tolist()


def test_rows_that_are_all_but_certain_are_left_to_numpy() -> None:
    """Thousands of informative columns bring probabilities within e^-1000 of 0 and 1."""
    dataset = random_dataset(60, 1_500, 2, 2, seed=1, signal=0.95)
    compiled = eliminate_all(dataset, "loo", step=500, compiled=True)
    assert_same_rounds(compiled, eliminate_all(dataset, "loo", step=500, compiled=False))


@pytest.mark.parametrize(
    ("classes", "compiled", "expected"),
    [
        (2, True, CompiledTwoClassRows),
        (3, True, CompiledManyClassRows),
        (2, False, TwoClassRows),
        (3, False, ManyClassRows),
        (2, None, TwoClassRows),
    ],
)
def test_the_caller_decides_what_is_compiled_or_else_the_size(
    classes: int, compiled: bool | None, expected: type
) -> None:
    dataset = random_dataset(50, 3, 3, classes, seed=0)
    classifier = NaiveBayes(dataset, "loo", 0, 1.0, 0, compiled=compiled)
    assert all(type(rows) is expected for rows in classifier._labelled)


def test_large_tables_are_compiled() -> None:
    dataset = random_dataset(20_000, 10, 3, 2, seed=0)
    classifier = NaiveBayes(dataset, "loo", 0, 1.0, 0, [10] * 1_000)
    assert all(type(rows) is CompiledTwoClassRows for rows in classifier._labelled)


@pytest.mark.parametrize("classes", [2, 3])
def test_numpy_does_the_work_where_there_is_no_kernel(classes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    dataset = random_dataset(300, 8, 3, classes, seed=0)
    dataset = with_unlabelled(dataset, random_dataset(50, 8, 3, classes, seed=1))
    expected = eliminate_all(dataset, "loo", step=1, compiled=False)

    def unavailable(kernel: Kernel, code_dtype: str = "") -> None:
        raise KernelUnavailable(kernel.name, "numba is broken")

    monkeypatch.setattr(Kernel, "load", unavailable)
    assert_same_rounds(eliminate_all(dataset, "loo", step=1, compiled=True), expected, exactly=True)


@pytest.mark.parametrize("missing", [gather_cells, sift_features], ids=lambda kernel: kernel.name)
def test_an_elimination_goes_on_where_there_is_no_sieve(missing: Kernel, monkeypatch: pytest.MonkeyPatch) -> None:
    """The loops over rows are there; those of the sieve are found missing before the first round."""
    load = Kernel.load

    def unavailable(kernel: Kernel, code_dtype: str = "uint8") -> Callable[..., Any]:
        if kernel is missing:
            raise KernelUnavailable(kernel.name, "too little memory to compile in")
        return load(kernel, code_dtype)

    dataset = random_dataset(300, 8, 3, 2, seed=0)
    expected = eliminate_all(dataset, "loo", step=1, compiled=True, prune=False)
    monkeypatch.setattr(Kernel, "load", unavailable)
    classifier = NaiveBayes(dataset, "loo", 3, 1.0, 0, compiled=True)
    rounds = list(eliminate(classifier, [feature.name for feature in dataset.features], SCORES["signed"], 1))
    assert_same_rounds(rounds, expected, exactly=True)
    assert classifier.notes == (
        "compiled loops are not available (too little memory to compile in), so this took longer",
    )


@pytest.mark.parametrize("compiled", [True, False, None])
def test_a_note_says_that_there_are_no_loops_where_they_would_have_been_used(
    compiled: bool | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    dataset = with_unlabelled(random_dataset(60, 3, 3, 2, seed=0), random_dataset(50, 3, 3, 2, seed=1))
    assert NaiveBayes(dataset, "loo", 3, 1.0, 0, compiled=compiled).notes == ()

    def fail(*_: object) -> None:
        raise ModuleNotFoundError("No module named 'numba'")

    monkeypatch.setattr("probfs.kernels.loader.load_kernel", fail)
    for loop in (update_two_class_rows, sum_two_class_changes):
        monkeypatch.setattr(loop, "_loaded", {})
    notes = NaiveBayes(dataset, "loo", 3, 1.0, 0, compiled=compiled).notes
    said = "compiled loops are not available (No module named 'numba'), so this took longer"
    assert notes == ((said,) if compiled else ()), "once, although there are two groups of rows"


def test_the_number_of_threads_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    dataset = random_dataset(40_000, 70, 4, 2, seed=0)
    rounds = []
    for pool in (ThreadPool(1), ThreadPool(2), ThreadPool(3)):
        monkeypatch.setattr(row_loops, "thread_pool", lambda pool=pool: pool)
        rounds.append(eliminate_all(dataset, "loo", step=35, compiled=True))
    for others in rounds[1:]:
        assert_same_rounds(others, rounds[0], exactly=True)


def test_work_is_split_by_blocks_of_rows_or_else_by_features(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_loops, "thread_pool", lambda: ThreadPool(2))
    assert split_work(100, 10, 1_000) == [WorkShare(0, 1, 0, 10)]
    by_rows = split_work(9 * ROWS_PER_BLOCK, 100, 3_600_000)
    assert by_rows == [WorkShare(0, 4, 0, 100), WorkShare(4, 9, 0, 100)]
    by_features = split_work(2 * ROWS_PER_BLOCK, 1_001, 8_000_000)
    assert by_features == [WorkShare(0, 2, 0, 500), WorkShare(0, 2, 500, 1_001)]
