"""Arrays of numpy: numbers of every type, texts, objects, structured and masked ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import probfs
from probfs.errors import UsageError
from probfs.tables.number_block import NumberColumn
from probfs.tables.readers.array import check_names, column_from_array, table_from_array
from probfs.tables.readers.frame import table_from_frame
from probfs.tables.readers.in_memory import table_in_memory
from probfs.tables.table import Kind
from tests.support.table_content import cell_texts, table_content


@given(
    numbers=arrays.arrays(
        st.sampled_from(["f8", "f4", "f2", "i8", "u8", "i1", ">f8", ">i4"]).map(np.dtype),
        st.tuples(st.integers(1, 8), st.integers(1, 4)),
        elements={"allow_nan": True, "allow_infinity": True},
    )
)
@settings(max_examples=40)
def test_an_array_of_numbers_holds_what_a_frame_of_it_holds(numbers: npt.NDArray[Any]) -> None:
    names = [f"x{place}" for place in range(numbers.shape[1])]
    plain = numbers.astype(numbers.dtype.newbyteorder("="))
    expected = table_content(table_from_frame(pd.DataFrame(plain, columns=names)))
    for array in (numbers, np.asfortranarray(numbers), numbers[::1, ::-1][:, ::-1]):
        table = table_from_array(array)
        assert table_content(table) == expected
        assert {column.kind for column in table.columns.values()} == {Kind.NUMBER}


@given(
    numbers=arrays.arrays(
        st.sampled_from(["f8", "f4", "i8", "f2"]).map(np.dtype),
        st.tuples(st.integers(1, 4), st.just(70)),
        elements=st.sampled_from([0, 1, -3, 100]),
        fill=st.nothing(),
    ),
    odd=st.sampled_from([0.5, -0.0, np.inf, np.nan]),
)
@settings(max_examples=25)
def test_a_wide_array_is_a_block_that_holds_what_its_columns_hold(numbers: npt.NDArray[Any], odd: float) -> None:
    if numbers.dtype.kind == "f":
        numbers[0, 5] = odd
    else:
        numbers[0, 5] = 2**60 + 1
    before = numbers.copy()
    table = table_from_array(numbers)
    assert sum(isinstance(column, NumberColumn) for column in table.columns.values()) >= 69
    for place, column in enumerate(table.columns.values()):
        assert cell_texts(column) == cell_texts(column_from_array(column.name, numbers[:, place]))
    np.testing.assert_array_equal(numbers, before, "what is read stays as it was")


def test_an_array_may_change_after_it_was_read() -> None:
    for rows in (2, 100):
        numbers = np.zeros((rows, 70), order="F")
        numbers[0] = -0.0
        table = table_from_array(numbers)
        numbers[:] = 7.0
        assert {tuple(column.values.to_pylist()) for column in table.columns.values()} == {("0",)}


@pytest.mark.parametrize(
    ("cells", "texts"),
    [
        (np.array([True, False]), ["true", "false"]),
        (np.array(["x", ""]), ["x", None]),
        (np.array(["x", "é"], dtype=np.dtypes.StringDType()), ["x", "é"]),
        (np.array([1, "x", None, 2.5, True], dtype=object), ["1", "x", None, "2.5", "true"]),
        (np.array([1, None, 2**60 + 1], dtype=object), ["1", None, str(2**60 + 1)]),
        (np.array(["2020-01-02", "NaT"], dtype="datetime64[D]"), ["2020-01-02 00:00:00", None]),
        (np.array([90, "NaT"], dtype="timedelta64[s]"), ["90", None]),
        (np.array([0.1], dtype=np.longdouble), ["0.1"]),
        (np.ma.masked_equal(np.array([2**60 + 1, 3]), 3), [str(2**60 + 1), None]),
        (np.ma.array(["x", "y"], mask=[True, False]), [None, "y"]),
    ],
    ids=str,
)
def test_cells_of_every_type_are_the_texts_of_a_csv(cells: npt.NDArray[Any], texts: list[str | None]) -> None:
    assert cell_texts(column_from_array("a", cells)) == texts
    assert cell_texts(table_from_array(cells[:, None]).columns["x0"]) == texts


def test_a_structured_array_has_a_column_for_each_field() -> None:
    array = np.array([("x", 1.5), ("y", 2.0)], dtype=[("letter", "U1"), ("number", "f8")])
    assert table_content(table_from_array(array)) == {"letter": ["x", "y"], "number": ["1.5", "2"]}
    with pytest.raises(UsageError, match="feature_names= goes with an array whose columns have no names"):
        probfs.rank(array, [0, 1], feature_names=["a", "b"])


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["a"], "feature_names=: 1 names for 2 columns"),
        (["a", "a"], "feature_names=: two columns are called 'a'"),
        (["a", " "], "feature_names=: a name is empty"),
        ("ab", "feature_names=: 'ab' is one text"),
    ],
)
def test_names_must_fit_the_columns(names: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        probfs.rank(np.eye(2), [0, 1], feature_names=names)
    assert check_names([1, np.str_("b")], 2, "n") == ["1", "b"]


@pytest.mark.parametrize("data", [pd.DataFrame({"a": [1, 2]}), "t.csv"], ids=["frame", "path"])
def test_names_go_with_arrays_only(data: Any) -> None:
    with pytest.raises(UsageError, match="feature_names= goes with an array"):
        probfs.rank(data, [0, 1], feature_names=["a"])


def test_other_arrays_are_read_as_those_of_numpy() -> None:
    class Tensor:
        def __init__(self, numbers: npt.NDArray[Any]) -> None:
            self._numbers = numbers

        def __array__(self, dtype: Any = None, copy: bool | None = None) -> npt.NDArray[Any]:
            return self._numbers

    numbers = np.array([[1, 2], [1, 3], [2, 2], [2, 3]] * 3)
    y = [0, 0, 1, 1] * 3
    with pytest.warns(PendingDeprecationWarning):
        matrix = np.asmatrix(numbers)
    assert table_content(table_in_memory(matrix, "data")) == table_content(table_from_array(numbers))
    assert probfs.rank(Tensor(numbers), Tensor(np.array(y))).to_csv() == probfs.rank(numbers, y).to_csv()  # type: ignore[arg-type]
