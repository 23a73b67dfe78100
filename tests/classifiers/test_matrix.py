"""Every encoding against an obvious one, cell by cell; and values with a permuted feature against permuted matrices."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics.pairwise import rbf_kernel

from probfs.classifiers import compiling
from probfs.classifiers.estimators.frames import FrameCells, FrameEncoder
from probfs.classifiers.refitting.matrix import MOST_NATIVE_VALUES, Encoding, LinearValues, Matrix, MatrixEncoder
from probfs.classifiers.svm import rbf
from probfs.classifiers.svm.rbf import RbfValues, compiled_donor_sums
from probfs.columns.dataset import Dataset, Feature
from probfs.tables.arrays import Floats, text_array
from tests.support import refits
from tests.support.svm_tables import random_dataset

CHOSEN = np.array([3, 0, 1])


def build(dataset: Dataset, encoding: Encoding, features: np.ndarray = CHOSEN) -> Matrix:
    training = np.arange(len(dataset.labels)) % 3
    return MatrixEncoder(dataset, encoding, "the test").build(features, training)


@pytest.mark.parametrize("missing_is_value", [False, True])
@pytest.mark.parametrize("encoding", ["standardised", "onehot", "filled", "native", "codes"])
def test_columns_are_the_obvious_ones(encoding: Encoding, missing_is_value: bool) -> None:
    dataset = random_dataset(1, 30, "ctdt", classes=3, unlabelled=6, gaps=0.3, missing_is_value=missing_is_value)
    cells = build(dataset, encoding)
    obvious = getattr(refits, encoding)
    training = np.arange(len(dataset.labels)) % 3
    blocks = [obvious(dataset.features[feature], training) for feature in CHOSEN]
    np.testing.assert_allclose(cells.cells, np.hstack(blocks), rtol=1e-12, atol=1e-12)
    assert cells.widths.tolist() == [block.shape[1] for block in blocks]
    if encoding == "native":
        assert cells.categorical is not None
        assert cells.categorical.tolist() == [True, False, True]
        return
    assert cells.categorical is None


def test_categories_of_too_many_values_are_one_hot_for_boosting() -> None:
    rows = MOST_NATIVE_VALUES + 1
    codes = np.arange(rows, dtype=np.uint16)
    labels = text_array([str(code) for code in codes])
    none = codes[:0]
    wide, narrow = Feature("wide", labels, codes, none), Feature("narrow", labels[:-1], codes.clip(max=rows - 2), none)
    ones = np.ones(rows, dtype=np.int64)
    dataset = Dataset((wide, narrow), ("a", "b"), np.arange(rows) % 2, ones, ones[:0])
    cells = build(dataset, "native", np.arange(2))
    assert cells.widths.tolist() == [rows, 1]
    assert cells.categorical is not None
    assert np.flatnonzero(cells.categorical).tolist() == [rows]
    assert build(dataset, "native", np.array([0])).categorical is None


@pytest.mark.parametrize("encoding", ["onehot", "native", "filled"])
def test_a_number_that_no_training_row_has_says_nothing(encoding: Encoding) -> None:
    codes = np.array([0, 1, 2, 2], dtype=np.uint8)
    ones = np.ones(4, dtype=np.int64)
    feature = Feature("gaps", text_array([]), codes, codes[:2], np.array([3.0, 4.0]))
    dataset = Dataset((feature,), ("a", "b"), np.array([0, 1, 0, 1]), ones, ones[:2])
    cells = MatrixEncoder(dataset, encoding, "the test").build(np.array([0]), np.array([0, 0, 1, 1]))
    assert (cells.cells == 0).all()


@pytest.mark.parametrize("nominal", [False, True])
@pytest.mark.parametrize("missing_is_value", [False, True])
def test_a_frame_has_names_numbers_and_categories(missing_is_value: bool, nominal: bool) -> None:
    dataset = random_dataset(2, 20, "ct", unlabelled=4, gaps=0.3, missing_is_value=missing_is_value)
    number, category = dataset.features
    dataset = replace(dataset, features=(number, replace(category, nominal=nominal)))
    cells = FrameEncoder(dataset).build(np.array([1, 0]), dataset.counts)
    assert list(cells.frame) == ["f1", "f0"]
    np.testing.assert_array_equal(cells.frame["f0"], refits.onehot(number, dataset.counts)[:, 0])
    texts = [*category.labels.to_pylist(), None]
    found = [text if isinstance(text, str) else None for text in cells.frame["f1"]]
    assert found == [texts[code] for code in refits.codes_of(category)]
    assert cells.frame["f1"].dtype == ("category" if nominal else pd.Series(["text"]).dtype)


ROWS, DONORS = np.array([0, 3, 3, 1, 2]), np.array([2, 2, 0, 3, 1])


FEATURES = np.array([0, 0, 1, 2, 2])


def test_a_frame_exchanges_as_a_matrix_does_and_keeps_its_types() -> None:
    frame = pd.DataFrame(
        {"a": [0.5, 1.5, np.nan, 3.5], "b": pd.Categorical(["x", "y", None, "x"]), "c": [1.0, 2.0, 3.0, 4.0]},
        index=[7, 7, 8, 9],
    )
    found = FrameCells(frame).exchange(ROWS, FEATURES, DONORS)
    assert found.dtypes.tolist() == frame.dtypes.tolist()
    sources = {name: ROWS.tolist() for name in frame}
    for place, (feature, donor) in enumerate(zip(FEATURES.tolist(), DONORS.tolist(), strict=True)):
        name = frame.columns[feature]
        sources[name] = [*sources[name][:place], donor, *sources[name][place + 1 :]]
    for name, source in sources.items():
        pd.testing.assert_series_equal(found[name], frame[name].iloc[source].reset_index(drop=True))
    assert FrameCells(frame).take(np.array([2, 0]))["c"].tolist() == [3.0, 1.0]
    assert FrameCells(frame[[]]).take(np.array([3, 0])).shape == (2, 0)


LABELLED, TABLE_ROWS = 90, 120


GAMMAS = [None, 1e-5, 0.05, 0.5, 5.0, 50.0, 1e3]


def random_matrix() -> Matrix:
    """Continuous, constant, one-hot and few-valued features; some unlabelled rows are far away."""
    generator = np.random.default_rng(0)
    continuous = generator.normal(size=TABLE_ROWS)
    continuous[-3:] = [8.0, -50.0, 1000.0]
    category = np.eye(4)[generator.integers(0, 4, TABLE_ROWS)]
    few = generator.integers(0, 3, TABLE_ROWS)
    return Matrix(np.column_stack([continuous, category, few]), np.array([1, 0, 4, 1]))


@pytest.mark.parametrize("cells_in_cache", [1 << 17, 1_000])
@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("gamma", GAMMAS)
def test_permuted_values_are_those_of_a_permuted_matrix(
    gamma: float | None, compiled: bool, cells_in_cache: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For the RBF kernel by numba and by numpy, and with the support vectors in one part or in several."""
    monkeypatch.setattr(rbf, "_WORTH_COMPILING", 0 if compiled else np.inf)
    monkeypatch.setattr(rbf, "_CELLS_IN_CACHE", cells_in_cache)
    matrix = random_matrix()
    generator = np.random.default_rng(1)
    support = np.sort(generator.choice(LABELLED, 60, replace=False))
    intercepts = np.array([0.3, -1.0])
    coefficients = generator.normal(size=(2, 60 if gamma is not None else matrix.cells.shape[1]))

    def decide(cells: Floats) -> Floats:
        inputs = cells if gamma is None else rbf_kernel(cells, matrix.cells[support], gamma)
        values: Floats = coefficients @ inputs.T + intercepts[:, None]
        return values

    donors = generator.integers(0, LABELLED, (3, TABLE_ROWS)).astype(np.int32)
    # Inner products and distances of far rows are large, and so are their rounding errors.
    tolerance = 1e-9 + 1e-14 * max(1, gamma or 0) * np.abs(matrix.cells[:, 0]) ** 2
    for rows in (np.arange(TABLE_ROWS), np.arange(5, 40)):
        if gamma is None:
            linear = LinearValues(matrix, coefficients, intercepts)
            actual, permuted = linear.of(rows), linear.permuted(rows, donors[:, rows], 1)
        else:
            values = RbfValues(matrix, LABELLED, gamma, support, coefficients, intercepts)
            actual, permuted = values.of(rows), values.permuted(rows, donors[:, rows], 2)
        assert (np.abs(actual - decide(matrix.cells[rows])) <= tolerance[rows]).all()
        assert (permuted[..., 1] == actual[:, None]).all(), "a constant feature changes nothing at all"
        for feature in range(4):
            columns = matrix.columns(feature)
            for donor, found in zip(donors, permuted[..., feature].swapaxes(0, 1), strict=True):
                cells = matrix.cells.copy()
                cells[:, columns] = matrix.cells[donor, columns]
                assert (np.abs(found - decide(cells[rows])) <= tolerance[rows]).all()


def test_without_numba_there_is_no_compiled_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    assert compiled_donor_sums() is not None
    monkeypatch.setattr(compiling, "why_not_compiled", lambda: "no compiler")
    compiled_donor_sums.cache_clear()
    assert compiled_donor_sums() is None
    compiled_donor_sums.cache_clear()
