"""Frames of every library and arrays: the same table in whatever form; its kept columns; the values to predict."""

from __future__ import annotations

import datetime
import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import numpy.typing as npt
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import probfs
from probfs.errors import DataError, UsageError
from probfs.tables.cells import Kind
from probfs.tables.frames import add_labels, column_of_labels, keep_columns, table_in_memory
from probfs.tables.table import Table
from tests.support.tables import cell_texts, table_content

Cells = list[Any]
NOON = datetime.datetime(2000, 1, 1, 12)
COLUMNS: dict[str, Cells] = {
    "fractions": [0.125, -7.5, None, 0.1, 2.0, 3.25, 0.1, None, 9.75, 1e-7, 1e6, 0.3],
    "few floats": [0.0, -0.0, 0.5, 2.0, 1e15, 1e22, 0.5, 0.0, None, 2.0, 1e22, 0.5],
    "integers": [*range(-3, 9)],
    "long integers": [2**53 + place % 5 for place in range(11)] + [None],
    "texts": ["a,b", '"', "NA", "?", "none", " x", "true", "é\n", "0.7", "-", None, "x"],
    "words": ["red", "green", None] * 4,
    "flags": [True, False, False, None] * 3,
    "days": [None, *(datetime.date(1999, 12, 31) + datetime.timedelta(place // 2) for place in range(11))],
    "moments": [NOON - datetime.timedelta(place % 4, place % 3) for place in range(12)],
}


class Stream:
    """Something that offers nothing but the Arrow C stream."""

    def __init__(self, table: pa.Table) -> None:
        self._table = table

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._table.__arrow_c_stream__(requested_schema)


def outcome(data: Any, **options: Any) -> str:
    """The ranking as JSON, without the table's name; or the error."""
    try:
        document = probfs.rank(data, target="y", **options).to_dict()
    except probfs.ProbfsError as error:
        return error.message
    del document["input"]["source"]
    return json.dumps(document)


FEATURES = pd.DataFrame({"a": list("xxyyxxyx"), "b": list("uvuvuvuv")})


def read(data: Any, names: Any = None) -> Table:
    return table_in_memory(data, "data", names)


def labelled(y: Any, mapping_target: str | None = None) -> Table:
    return add_labels(read(FEATURES), y, mapping_target)


@pytest.mark.parametrize("score", ["absolute", "signed"])
@pytest.mark.parametrize("classes", [["p", "q", None], ["b", "a", "c"], [True, False], [0, 1, 2]], ids=str)
def test_a_table_has_the_same_ranking_in_every_form(classes: Cells, score: str) -> None:
    columns = {**COLUMNS, "y": classes * (12 // len(classes))}
    table = pa.table(columns)
    # -0, which is 0 in a column of numbers, would be a text of its own in a file.
    plain = [pc.add(cells, 0.0) if pa.types.is_floating(cells.type) else cells for cells in table.columns]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "t.csv")
        pyarrow.csv.write_csv(pa.table(plain, names=table.column_names), path)
        expected = outcome(path, score=score)
        assert expected.startswith("{"), "a ranking, and no error"
    forms: dict[str, Any] = {
        "pandas": table.to_pandas(types_mapper={pa.int64(): pd.Int64Dtype(), pa.bool_(): pd.BooleanDtype()}.get),
        "pandas, objects": pd.DataFrame({name: pd.Series(cells, dtype=object) for name, cells in columns.items()}),
        "pandas, Arrow": table.to_pandas(types_mapper=pd.ArrowDtype),
        "polars": pl.DataFrame(columns, strict=False),
        "polars, lazy": pl.DataFrame(columns, strict=False).lazy(),
        "Arrow": table,
        "Arrow, chunks": pa.Table.from_batches(table.to_batches(max_chunksize=5), table.schema),
        "Arrow, a reader": table.to_reader(max_chunksize=7),
        "a stream": Stream(table),
        "DuckDB": duckdb.connect().from_arrow(table),
    }
    for form, data in forms.items():
        assert outcome(data, score=score) == expected, form
    array = np.array([*zip(*columns.values(), strict=True)], dtype=object)
    assert outcome(array, feature_names=list(columns), score=score) == expected


def test_ordered_categories_keep_their_order() -> None:
    levels, cells = ["low", "middle", "high", "never"], ["low", "high", "middle", None, "high"]
    from_pandas = pd.DataFrame({"a": pd.Categorical(cells, categories=levels, ordered=True)})
    for frame in (from_pandas, pl.DataFrame({"a": pl.Series(cells, dtype=pl.Enum(levels))})):
        column = read(frame).columns["a"]
        assert (column.categorical, column.ordered, column.values.to_pylist()) == (True, True, levels[:3])
        assert cell_texts(column) == cells


def test_categories_are_categories_even_if_they_are_numbers() -> None:
    numbers, y = np.tile(np.arange(30), 8), np.repeat(["p", "q"], 120)
    frame = pd.DataFrame({"a": numbers})
    assert any(note.startswith("cut into") for note in probfs.rank(frame, y).warnings)
    texts = pl.DataFrame({"a": numbers.astype(str)}).cast(pl.Categorical)
    for data in (frame.astype("category"), texts, pa.table({"a": pa.array(numbers).dictionary_encode()})):
        assert not any("cut" in note for note in probfs.rank(data, y).warnings)


def test_chunks_may_have_dictionaries_of_their_own() -> None:
    parts = [([0, 3, 2], [*"cbaa"]), ([2, 4, 5], ["unused", "a", "a", "b", None, "c"])]
    chunks = [pa.DictionaryArray.from_arrays(pa.array(codes, pa.int32()), pa.array(texts)) for codes, texts in parts]
    column = read(pa.table({"a": pa.chunked_array(chunks)})).columns["a"]
    assert cell_texts(column) == ["c", "a", "a", "a", None, "c"]
    assert sorted(column.values.to_pylist()) == ["a", "c"]


@pytest.mark.parametrize(
    ("cells", "texts"),
    [
        (pd.array([1, None, 2**53 + 1], dtype="Int64"), ["1", None, str(2**53 + 1)]),
        (pd.Series([1.0, 2.5, -0.0, float("nan"), float("inf")]), ["1", "2.5", "0", None, "inf"]),
        (pd.array([0.1, None, 3], dtype="Float32"), ["0.1", None, "3"]),
        (pd.Series([True, False, None]), ["true", "false", None]),
        (pd.Categorical(["x", None, "y"], categories=["y", "x", "unused"]), ["x", None, "y"]),
        (pd.Categorical([None, None]), [None, None]),
        (pd.to_datetime(pd.Series(["2020-01-02 03:04:05", None])), ["2020-01-02 03:04:05", None]),
        (pd.PeriodIndex(["2020-01", None], freq="M"), ["2020-01", None]),
        (pd.cut([1, 5, 9], [0, 5, 10]), ["(0, 5]", "(0, 5]", "(5, 10]"]),
        (pd.arrays.SparseArray([0, 0, 1]), ["0", "0", "1"]),
        (pd.Series([1, "one", "", None, 2.5, True]), ["1", "one", None, None, "2.5", "true"]),
        (pd.Series([10**30, 1, None], dtype=object), [str(10**30), "1", None]),
        (np.array(["x", "é"], dtype=np.dtypes.StringDType()), ["x", "é"]),
        (np.array(["2020-01-02", "NaT"], dtype="datetime64[D]"), ["2020-01-02 00:00:00", None]),
        (np.array([90, "NaT"], dtype="timedelta64[s]"), ["90", None]),
        (np.array([0.1], dtype=np.longdouble), ["0.1"]),
        (np.ma.masked_equal(np.array([2**60 + 1, 3]), 3), [str(2**60 + 1), None]),
        (np.ma.array(["x", "y"], mask=[True, False]), [None, "y"]),
    ],
    ids=str,
)
def test_cells_of_pandas_and_numpy_are_the_texts_of_a_csv(cells: Any, texts: list[str | None]) -> None:
    data = cells[:, None] if isinstance(cells, np.ndarray) else pd.DataFrame({"x0": cells})
    assert table_content(read(data)) == {"x0": texts}
    assert cell_texts(column_of_labels(cells)) == texts


@pytest.mark.parametrize(
    ("cells", "problem"),
    [
        ([[1], None], "holds list<"),
        ([[1], 2], "holds lists or other containers"),
        ([np.eye(2), None], "holds lists or other containers"),
        ([b"\xff", None], "holds binary"),
        (["\ud800", None], "holds text that is not valid Unicode"),
    ],
    ids=str,
)
def test_a_column_of_anything_may_be_left_out(cells: list[object], problem: str) -> None:
    frame = pd.DataFrame({"bad": pd.Series([*cells, *cells], dtype=object), "a": list("xxzz"), "y": list("ppqq")})
    with pytest.raises(DataError, match=rf"<frame>: column 'bad' {problem}.*, or leave it out$"):
        probfs.rank(frame, target="y")
    expected = probfs.rank(frame[["a", "y"]], target="y").to_csv()
    assert probfs.rank(frame, target="y", exclude=["bad"]).to_csv() == expected


@given(
    numbers=arrays.arrays(
        st.sampled_from(["f8", "f4", "f2", "i8", "u8", "i1", ">f8", ">i4"]).map(np.dtype),
        st.tuples(st.integers(1, 8), st.integers(1, 4)),
        elements={"allow_nan": True, "allow_infinity": True},
    )
)
@settings(max_examples=40)
def test_an_array_of_numbers_holds_what_its_columns_hold(numbers: npt.NDArray[Any]) -> None:
    plain = numbers.astype(np.float32 if numbers.dtype == np.float16 else numbers.dtype.newbyteorder("="))
    columns = {f"x{place}": plain[:, place].copy() for place in range(numbers.shape[1])}
    expected = table_content(read(pa.table(columns)))
    masked = np.ma.array(numbers, mask=np.zeros(numbers.shape, bool))
    for array in (numbers, np.asfortranarray(numbers), numbers[::1, ::-1][:, ::-1], masked):
        table = read(array)
        assert table_content(table) == expected
        assert {column.kind for column in table.columns.values()} == {Kind.NUMBER}


def test_what_was_read_may_change_later() -> None:
    numbers = np.zeros((100, 3), order="F")
    tables = [read(numbers), read(numbers[:, :1]), read(pd.DataFrame(numbers, copy=False))]
    numbers[:] = 7.0
    assert {tuple(column.values.to_pylist()) for table in tables for column in table.columns.values()} == {("0",)}


def test_columns_of_an_array_are_named_by_hand_or_by_their_places() -> None:
    assert list(read(np.eye(2), [1, np.str_("b")]).columns) == ["1", "b"]
    np.testing.assert_array_equal(keep_columns(np.arange(6).reshape(2, 3), ["x2", "x0"]), [[0, 2], [3, 5]])


NAMES: dict[str, Cells] = {"": [0, 1], "b": [1, 2], 'a "quoted" one': ["x", "y"], "c": [True, False]}


@pytest.mark.parametrize(
    "make",
    [
        *(pd.DataFrame, pl.DataFrame, pl.LazyFrame, pa.table, pa.record_batch),
        lambda cells: pa.table(cells).to_reader(),
        lambda cells: Stream(pa.table(cells)),
        lambda cells: duckdb.connect().from_arrow(pa.table({**cells, "x": cells.pop("")})),
    ],
)
def test_any_frame_can_be_reduced_and_stays_one_of_its_library(make: Callable[[Any], Any]) -> None:
    frame = make(dict(NAMES))
    reduced = keep_columns(frame, ["c", 'a "quoted" one'], ["not there"])
    assert type(reduced) is type(frame) or isinstance(frame, (Stream, pa.RecordBatchReader))
    assert list(read(reduced).columns) == ['a "quoted" one', "c"]


CELLS = ["p", "q", None, "p", "q", "p", "q", "p"]


@pytest.mark.parametrize(
    ("y", "name"),
    [
        (tuple(CELLS), ""),
        (pd.Series(CELLS, name=7), "7"),
        (pd.Index(CELLS, name="kind"), "kind"),
        (pd.DataFrame({"kind": CELLS}), "kind"),
        (pl.Series("kind", CELLS), "kind"),
        (pl.LazyFrame({"kind": CELLS}), "kind"),
        (pa.array(CELLS), ""),
        (pa.chunked_array([CELLS[:3], CELLS[3:]]), ""),
        (pa.record_batch({"kind": CELLS}), "kind"),
        (np.array(CELLS, dtype=object)[:, None], ""),
    ],
    ids=lambda value: type(value).__name__ if not isinstance(value, str) else value,
)
def test_values_to_predict_may_have_any_form(y: Any, name: str) -> None:
    column = column_of_labels(y)
    assert (column.name, cell_texts(column)) == (name, CELLS)
    table = labelled(y)
    assert table.target_hint == (name or "y", "given as y")
    assert list(table.columns) == ["a", "b", name or "y"]


def test_a_target_without_a_name_gets_one_that_no_column_has() -> None:
    frame = pd.DataFrame({name: list("xxyyxxyx") for name in ("y", "target", "class", "y (2)")})
    for taken, name in ((0, "y"), (1, "target"), (2, "class"), (3, "y (2)"), (4, "y (3)")):
        table = read(frame.iloc[:, :taken].assign(more=1))
        assert add_labels(table, CELLS).target_hint == (name, "given as y")
    assert labelled(CELLS, "kind").target_hint == ("kind", "given as y")


@pytest.mark.parametrize(
    ("call", "arguments", "message"),
    [
        (read, [{"a": [1]}], "data must be a path, a data frame (pandas, polars, pyarrow, DuckDB, or whatever has"),
        (read, [pl.Series([1, 2])], "not Series, which is a single column"),
        (read, [scipy.sparse.eye_array(3)], "not a sparse matrix; make it dense with .toarray()"),
        (read, [pl.DataFrame({"a": pl.Series([1], dtype=pl.Int128)})], "cannot be read through Arrow"),
        (read, [pl.DataFrame({"a": [], "y": []})], "<frame>: has no data rows"),
        (read, [pa.table({"a": []}).to_reader()], "<frame>: has no rows, or has been read before; a reader can be re"),
        (read, [pd.DataFrame()], "<frame>: has no columns"),
        (read, [np.zeros((2, 0))], "<array>: has no columns"),
        (read, [np.zeros((0, 2))], "<array>: has no data rows"),
        (read, [np.zeros(3)], "<array>: has 1 dimensions, but a table has two"),
        (read, [np.eye(2), ["a"]], "feature_names=: 'a' are not 2 different names; give a list"),
        (read, [np.eye(2), ["a", "a"]], "feature_names=: 'a', 'a' are not 2 different names"),
        (read, [np.eye(2), ["a", " "]], "are not 2 different names"),
        (read, [np.eye(2), "ab"], "feature_names=: 'ab' are not 2 different names"),
        (read, [FEATURES, ["a", "b"]], "feature_names= goes with an array, whose columns have no names"),
        (keep_columns, [pd.DataFrame({"b": [1]}), ["a"]], "frame: it has no column 'a'; choose from 'b'"),
        (keep_columns, [{"a": [1]}, ["a"]], "frame must be a data frame (pandas"),
        (keep_columns, [pd.Series([1]), ["a"]], "or a numpy array, not Series"),
        (labelled, [[0, 1]], "y has 2 values, but data has 8 rows"),
        (labelled, ["kind"], 'y must hold a value for each row; to name a column, use target="kind"'),
        (labelled, [{1, 2}], "not set"),
        (labelled, [3], "not int"),
        (labelled, [np.eye(8)], "not an array of shape (8, 8)"),
        (labelled, [FEATURES], "not a frame of 2 columns"),
        (labelled, [pd.Series(CELLS, name="a")], "y is called 'a', and so is a column of data; use target=\"a\" in "),
        (labelled, [pd.Series(CELLS, name="z"), "kind"], "y is called 'z', but the mapping's target is 'kind'"),
    ],
    ids=lambda value: value.__name__ if callable(value) else value if isinstance(value, str) else "",
)
def test_what_is_refused(call: Callable[..., Any], arguments: list[Any], message: str) -> None:
    with pytest.raises((DataError, UsageError)) as caught:
        call(*arguments)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_table_shows_its_columns_and_not_its_cells() -> None:
    table = table_in_memory(pd.DataFrame({"a": [1, 2], "b": ["x", "y"]} | {f"c{n}": [0, 1] for n in range(20)}), "data")
    assert repr(table).startswith("<Table of <frame>: 2 rows, 22 columns: 'a' (number), 'b' (text), 'c0' (number), ")
    assert repr(table).endswith(" and 10 more>")
