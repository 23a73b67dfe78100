"""Rows with one feature from another row, against a loop over cells."""

from __future__ import annotations

import numpy as np
import pandas as pd

from probfs.classifiers.estimators.cells import FrameCells, MatrixCells, runs_of

ROWS, DONORS = np.array([0, 3, 3, 1, 2]), np.array([2, 2, 0, 3, 1])
FEATURES = np.array([0, 0, 1, 2, 2])


def test_a_feature_s_columns_come_from_the_donor_and_the_others_from_the_row() -> None:
    cells = MatrixCells(np.arange(20.0).reshape(4, 5), np.array([1, 3, 1]))
    expected = []
    for row, feature, donor in zip(ROWS.tolist(), FEATURES.tolist(), DONORS.tolist(), strict=True):
        own = cells.cells[row].tolist()
        for column, owner in enumerate([0, 1, 1, 1, 2]):
            if owner == feature:
                own[column] = cells.cells[donor, column].item()
        expected.append(own)
    assert cells.exchange(ROWS, FEATURES, DONORS).tolist() == expected
    assert cells.cells.tolist() == np.arange(20.0).reshape(4, 5).tolist()
    assert cells.columns == 5


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


def test_rows_vary_where_one_differs_and_missing_cells_are_alike() -> None:
    matrix = MatrixCells(np.array([[1.0, np.nan], [1.0, np.nan], [1.0, 2.0]]), np.array([1, 1]))
    frame = FrameCells(pd.DataFrame({"a": pd.Categorical(["x", "x", "x"]), "b": [np.nan, np.nan, 2.0]}))
    for cells in (matrix, frame):
        assert not cells.vary(np.array([0, 1]))
        assert cells.vary(np.array([0, 2]))
        assert not cells.vary(np.array([2]))
    assert not MatrixCells(np.empty((3, 0)), np.empty(0, dtype=np.int64)).vary(np.arange(3))


def test_runs_of_an_empty_list_are_none() -> None:
    assert list(runs_of(np.empty(0, dtype=np.int64))) == []
    assert list(runs_of(np.array([0, 0, 3]))) == [(0, slice(0, 2)), (3, slice(2, 3))]
