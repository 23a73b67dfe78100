"""What large tables are ranked with: compiled loops and merged rows, against the plain way."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from probfs.choices import Estimate

from probfs.classifiers.naive_bayes.classifier import NaiveBayes
from probfs.classifiers.naive_bayes.compiled_rows import LargeManyClassRows, LargeTwoClassRows
from probfs.classifiers.scores import SIGNED
from probfs.columns.dataset import Dataset
from probfs.columns.distinct_rows import merge_equal_rows
from probfs.ranking.elimination import Round, eliminate
from probfs.tables.table import Column
from tests.test_naive_bayes import random_dataset


def rounds(dataset: Dataset, estimate: Estimate, step: int = 7) -> list[Round]:
    backend = NaiveBayes(dataset, estimate, 3, 1.0, 0)
    names = [feature.name for feature in dataset.features]
    return list(eliminate(backend, names, SIGNED, step))


def same(first: list[Round], second: list[Round]) -> None:
    assert len(first) == len(second)
    for one, other in zip(first, second, strict=True):
        assert one.leaving == other.leaving
        for name in ("s_s", "s_a", "s_su"):
            scores, others = getattr(one.scores, name), getattr(other.scores, name)
            assert (scores is None) == (others is None)
            if scores is not None:
                assert scores.to_floats() == pytest.approx(others.to_floats(), rel=1e-11, abs=1e-15)
        assert one.scores.errors == other.scores.errors
        assert one.scores.absolute_loss == pytest.approx(other.scores.absolute_loss, rel=1e-11)
        assert one.scores.log_loss == pytest.approx(other.scores.log_loss, rel=1e-11)


@pytest.fixture
def compiling(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("probfs.classifiers.naive_bayes.classifier.WORTH_COMPILING", 0)


@pytest.mark.parametrize("estimate", ["loo", "resubstitution", "cv"])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("counted", [False, True])
def test_compiled_loops_give_what_numpy_does(
    estimate: Estimate, classes: int, counted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Over several blocks of rows and of features, with unlabelled rows, equal rows counted or not."""
    dataset = random_dataset(9_000, 40, 5, classes, seed=3)
    more = random_dataset(5_000, 40, 5, classes, seed=4)
    features = tuple(
        replace(one, unlabelled=other.labelled) for one, other in zip(dataset.features, more.features, strict=True)
    )
    counts = np.random.default_rng(5).integers(1, 9, 9_000) if counted else dataset.counts
    dataset = replace(dataset, features=features, counts=counts, unlabelled_counts=more.counts)
    plain = rounds(dataset, estimate)
    monkeypatch.setattr("probfs.classifiers.naive_bayes.classifier.WORTH_COMPILING", 0)
    same(rounds(dataset, estimate), plain)


@pytest.mark.usefixtures("compiling")
def test_rows_that_are_all_but_certain_are_left_to_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Thousands of informative columns bring probabilities within e^-1000 of 0 and 1."""
    dataset = random_dataset(60, 1_500, 2, 2, seed=1, signal=0.95)
    compiled = rounds(dataset, "loo", step=500)
    monkeypatch.setattr("probfs.classifiers.naive_bayes.classifier.WORTH_COMPILING", 10**18)
    same(compiled, rounds(dataset, "loo", step=500))


@pytest.mark.usefixtures("compiling")
@pytest.mark.parametrize(("classes", "kind"), [(2, LargeTwoClassRows), (3, LargeManyClassRows)])
def test_large_tables_are_ranked_by_compiled_loops(classes: int, kind: type) -> None:
    backend = NaiveBayes(random_dataset(50, 3, 3, classes, seed=0), "loo", 0, 1.0, 0)
    assert all(type(rows) is kind for rows in backend._labelled)


def test_the_number_of_threads_changes_nothing() -> None:
    program = """
import os
import sys
import numpy as np
from tests.test_naive_bayes import random_dataset
from probfs.runtime import threads as crew
from probfs.classifiers.naive_bayes import classifier as naive_bayes
crew.MOST_THREADS = int(os.environ["THREADS"])
naive_bayes.WORTH_COMPILING = 0
scores = naive_bayes.NaiveBayes(random_dataset(20_000, 70, 4, 2, seed=0), "loo", 0, 1.0, 0).score()
sys.stdout.write(repr(scores.s_s.to_floats().tolist() + scores.s_a.to_floats().tolist() + [scores.log_loss]))
"""
    root = Path(__file__).parent.parent
    outputs = {
        subprocess.run(
            [sys.executable, "-c", program],
            capture_output=True,
            text=True,
            check=True,
            cwd=root,
            env={"THREADS": threads, "PATH": "", "HOME": str(root), "PYTHONPATH": str(root)},
        ).stdout
        for threads in ("1", "2")
    }
    assert len(outputs) == 1


def test_equal_rows_are_merged_where_they_must_repeat() -> None:
    dataset = random_dataset(3_000, 4, 2, 2, seed=2)
    few = merge_equal_rows(dataset)
    assert len(few.counts) <= 3**4 * 2
    assert few.counts.sum() == 3_000
    assert few.class_rows() == dataset.class_rows()
    for estimate in ("loo", "resubstitution"):
        same(rounds(few, estimate, step=1), rounds(dataset, estimate, step=1))


def test_rows_that_need_not_repeat_are_left_alone() -> None:
    dataset = random_dataset(3_000, 12, 4, 2, seed=2)
    assert merge_equal_rows(dataset) is dataset


@pytest.mark.parametrize("rows", [1_000, 250_000, 250_001])
def test_cells_are_counted_by_twos_as_by_ones(rows: int) -> None:
    import pyarrow as pa

    codes = np.random.default_rng(0).integers(0, 4, rows).astype(np.uint8)
    column = Column("x", codes, pa.array(["a", "b", "c"]))
    assert column.counts().tolist() == np.bincount(codes, minlength=4).tolist()


def test_small_tables_do_not_import_numba() -> None:
    program = "import sys; from probfs.cli import run; run(sys.argv[1:]); print('numba' in sys.modules)"
    root = Path(__file__).parent.parent
    arguments = ["rank", str(root / "sample_data" / "breast_cancer.csv"), "--quiet"]
    result = subprocess.run([sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=True)
    assert result.stdout.splitlines()[-1] == "False"
