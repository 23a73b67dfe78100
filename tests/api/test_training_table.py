"""X, classes and counts become the table that rank and select read."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from probfs.api.training_table import Classes, as_pandas, class_texts, feature_table, is_frame, training_table
from probfs.errors import DataError
from probfs.tables.column import Column
from probfs.tables.frames import table_in_memory
from probfs.tables.table import Table
from tests.support.selector_tables import mixed_frame


def cells(column: Column) -> list[str | None]:
    texts = [*column.values.to_pylist(), None]
    return [texts[code] for code in column.codes.tolist()]


def content(table: Table) -> dict[str, list[str | None]]:
    return {name: cells(column) for name, column in table.columns.items()}


def some_classes(codes: list[int], name: str = "y") -> Classes:
    return Classes(name, ["no", "yes"], np.array(codes, dtype=np.int64))


def test_a_frame_keeps_the_types_of_its_columns() -> None:
    frame, _ = mixed_frame(30)
    found = feature_table(frame, list(frame.columns), "X")
    expected = table_in_memory(frame, "X")
    assert content(found.table) == content(expected)
    assert [column.kind for column in found.table.columns.values()] == [own.kind for own in expected.columns.values()]
    assert found.names == tuple(frame.columns)
    assert found.table.source == "X"


@pytest.mark.parametrize("make", [lambda frame: frame.to_numpy(object), lambda frame: pa.table(frame)])
def test_a_matrix_and_an_arrow_table_hold_what_the_frame_holds(make: Any) -> None:
    frame, _ = mixed_frame(30)
    frame = frame.drop(columns="smokes")
    found = feature_table(make(frame), list(frame.columns), "X")
    assert content(found.table) == content(table_in_memory(frame, "X"))


def test_rows_that_count_for_nothing_are_not_in_the_table() -> None:
    frame = pd.DataFrame({"a": [1, 2, 3, 4], "b": list("xyzw")})
    for data in (frame, frame.to_numpy(object), pa.table(frame)):
        found = training_table(data, ["a", "b"], some_classes([0, 1, 2, 1]), np.array([2, 0, 1, 1]))
        assert content(found.table) == {
            "a": ["1", "3", "4"],
            "b": ["x", "z", "w"],
            "y": ["no", None, "yes"],
            "sample_weight": ["2", "1", "1"],
        }
        assert (found.target, found.count) == ("y", "sample_weight")
        assert (found.class_rows, found.has_unlabelled_rows) == ((2, 1), True)


def test_names_that_are_taken_get_a_number() -> None:
    frame = pd.DataFrame({"y": [1, 2], "y (2)": [1, 2], "sample_weight": [1, 2]})
    found = training_table(frame, list(frame.columns), some_classes([0, 1]), np.array([1, 2]))
    assert (found.target, found.count) == ("y (3)", "sample_weight (2)")
    assert not found.has_unlabelled_rows


def test_columns_of_containers_and_row_indexes_are_not_in_the_table() -> None:
    frame = pd.DataFrame({"Unnamed: 0": [0, 1], "lists": [[1], [2]], "a": [1, 2]})
    found = feature_table(frame, list(frame.columns), "X")
    assert found.names == (None, None, "a")
    assert list(found.table.columns) == ["a"]
    assert any("left out: 'lists' holds list" in note for note in found.table.notes)
    with pytest.raises(DataError, match="no column holds texts or numbers"):
        feature_table(frame[["lists"]], ["lists"], "X")


def test_two_columns_of_one_name_are_refused() -> None:
    frame = pd.DataFrame([[1, 2], [3, 4]], columns=["a", "a"])
    with pytest.raises(DataError, match="two columns are called 'a'"):
        feature_table(frame, ["a", "a"], "X")


def test_frames_are_told_from_matrices_and_series() -> None:
    frame = pd.DataFrame({"a": [1, 2]})
    assert is_frame(frame)
    assert is_frame(pa.table(frame))
    assert not is_frame(frame["a"])
    assert not is_frame(frame.to_numpy())
    assert not is_frame([[1], [2]])
    assert as_pandas(frame) is frame
    pd.testing.assert_frame_equal(as_pandas(pa.table(frame)), frame)


def test_classes_are_named_as_python_writes_them() -> None:
    assert class_texts(np.array([1, 2])) == ["1", "2"]
    assert class_texts(np.array([False, True])) == ["False", "True"]
    assert class_texts(np.array(["NA", "b"])) == ["NA", "b"]
