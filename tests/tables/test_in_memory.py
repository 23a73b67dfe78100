"""Frames of every library and arrays: the same table is the same table in whatever form."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.tree import DecisionTreeClassifier

import probfs
from probfs.errors import DataError, UsageError
from probfs.tables.readers.in_memory import array_width, is_table, table_in_memory
from tests.support.random_frames import Cells, Stream, array_of, csv_file, forms, outcome, tables
from tests.support.table_content import table_content


@given(columns=tables(), score=st.sampled_from(["absolute", "signed"]))
@settings(max_examples=25)
def test_a_table_has_the_same_ranking_in_every_form(columns: dict[str, Cells], score: str) -> None:
    options: dict[str, Any] = {"target": "y", "score": score}
    with tempfile.TemporaryDirectory() as folder:
        expected = outcome(csv_file(pa.table(columns), Path(folder)), **options)
    for form, data in forms(columns).items():
        assert outcome(data, **options) == expected, form
    assert outcome(array_of(columns), feature_names=list(columns), **options) == expected


@given(columns=tables(kinds=("fractions", "floats", "few floats", "integers")))
@settings(max_examples=20)
def test_an_array_of_numbers_and_its_labels_have_the_ranking_of_the_file(columns: dict[str, Cells]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        expected = outcome(csv_file(pa.table(columns), Path(folder)), target="y", reason=False)
    names = list(columns)[:-1]
    numbers = np.array([columns[name] for name in names], dtype=np.float64).T
    for array in (numbers, np.asfortranarray(numbers), np.ma.masked_invalid(numbers)):
        assert outcome(array, columns["y"], feature_names=names, reason=False) == expected


@given(columns=tables())
@settings(max_examples=10)
def test_a_selection_is_the_same_in_every_form(columns: dict[str, Cells]) -> None:
    def selected(data: Any, y: Any = None, **options: Any) -> str:
        try:
            return probfs.select(data, y, folds=2, **options).to_csv()
        except probfs.ProbfsError as error:
            return error.message

    expected = selected(pa.table(columns), target="y")
    features = {name: cells for name, cells in columns.items() if name != "y"}
    for data in (pl.DataFrame(columns, strict=False), forms(columns)["pandas"]):
        assert selected(data, target="y") == expected
    assert selected(pa.table(features), pa.array(columns["y"])) == expected


CATEGORIES = ["low", "high", "middle"]


def ordered(cells: list[str | None]) -> dict[str, Any]:
    """The same ordered categories, in which low comes before middle and high, in several libraries."""
    names = ["low", "middle", "high", "never"]
    codes = pa.array([None if cell is None else names.index(cell) for cell in cells], pa.int8())
    return {
        "pandas": pd.Series(pd.Categorical(cells, categories=names, ordered=True)),
        "polars": pl.Series(cells, dtype=pl.Enum(names)),
        "Arrow": pa.DictionaryArray.from_arrays(codes, pa.array(names), ordered=True),
    }


@pytest.mark.parametrize("library", ["pandas", "polars", "Arrow"])
def test_classes_stand_in_the_order_of_their_categories(library: str) -> None:
    features = pd.DataFrame({"a": list("xyzxyzxyz")})
    ranking = probfs.rank(features, ordered([*CATEGORIES] * 3)[library])
    assert list(ranking.input.classes) == ["low", "middle", "high"], "and one that no row has is none"
    assert list(probfs.rank(features, [*CATEGORIES] * 3).input.classes) == ["high", "low", "middle"]


@pytest.mark.parametrize("library", ["pandas", "polars", "Arrow"])
def test_the_values_of_a_column_stand_in_the_order_of_its_categories(library: str) -> None:
    frame: dict[str, Callable[[Any], Any]] = {
        "pandas": lambda cells: pd.DataFrame({"a": cells}),
        "polars": lambda cells: pl.DataFrame({"a": cells}),
        "Arrow": lambda cells: pa.table({"a": cells}),
    }
    cells = [*CATEGORIES, None, "high"]
    column = table_in_memory(frame[library](ordered(cells)[library]), "data").columns["a"]
    assert (column.categorical, column.ordered, column.values.to_pylist()) == (True, True, ["low", "middle", "high"])
    assert [[*column.values.to_pylist(), None][code] for code in column.codes] == cells


ORDERED = pd.DataFrame(
    {
        "a": np.random.default_rng(4).choice(CATEGORIES, 60),
        "b": np.random.default_rng(5).normal(size=60),
        "y": np.random.default_rng(6).choice(["p", "q"], 60),
    }
)
ORDERED.loc[::7, "a"] = None
ORDERED.loc[ORDERED.a == "middle", "y"] = "p"
IN_ORDER = ORDERED.assign(a=ORDERED.a.astype(pd.CategoricalDtype(["low", "middle", "high", "never"], ordered=True)))


@pytest.mark.parametrize(
    ("classifier", "options"),
    [
        ("nb", {}),
        ("svm", {}),
        ("logistic", {}),
        ("forest", {"trees": 5}),
        ("boosting", {"iterations": 3}),
        (DecisionTreeClassifier(max_depth=2, random_state=0), {"categories": "onehot"}),
    ],
    ids=str,
)
def test_an_order_of_categories_changes_no_number(classifier: Any, options: dict[str, Any]) -> None:
    ranked: Callable[..., probfs.Ranking] = partial(probfs.rank, target="y", classifier=classifier, **options)
    assert ranked(IN_ORDER).to_csv() == ranked(ORDERED).to_csv()
    assert ranked(IN_ORDER, missing="value").to_csv() == ranked(ORDERED, missing="value").to_csv()


@pytest.mark.parametrize("categories", ["codes", "frame"])
def test_an_estimator_that_gets_categories_as_they_are_gets_them_in_their_order(categories: str) -> None:
    stump = DecisionTreeClassifier(max_depth=1, random_state=0)
    estimator = make_pipeline(FunctionTransformer(_codes_of_categories), stump) if categories == "frame" else stump
    options: dict[str, Any] = {"classifier": estimator, "categories": categories, "include": "a"}
    ranked: Callable[..., probfs.Ranking] = partial(probfs.rank, target="y", **options)
    # One cut tells the last of the texts, "middle", from both others, but not the one in the middle.
    assert ranked(IN_ORDER.dropna()).features[0].initial_s_s != ranked(ORDERED.dropna()).features[0].initial_s_s


def _codes_of_categories(frame: pd.DataFrame) -> pd.DataFrame:
    return pd.DataFrame({name: frame[name].astype("category").cat.codes for name in frame.columns})


def test_categories_are_categories_even_if_they_are_numbers() -> None:
    # 30 numbers, which are cut unless they are categories; and a target of 60, which is a quantity.
    numbers = np.tile(np.arange(30), 8)
    y = np.repeat(["p", "q"], 120)
    frame = pd.DataFrame({"a": numbers})
    assert any(note.startswith("cut into") for note in probfs.rank(frame, y).warnings)
    for data in (
        frame.astype("category"),
        pl.DataFrame({"a": numbers.astype(str)}).cast(pl.Categorical),
        pa.table({"a": pa.array(numbers).dictionary_encode()}),
    ):
        assert not any("cut" in note for note in probfs.rank(data, y).warnings)
    quantity = pd.Series(np.tile(np.arange(60), 4))
    with pytest.raises(DataError, match="is a quantity"):
        probfs.rank(frame, quantity)
    assert len(probfs.rank(frame, quantity.astype("category")).input.classes) == 60


def test_what_an_unordered_category_is_called_and_where_it_stands_does_not_matter() -> None:
    cells = list("bcabcaabcc") * 4
    y = list("ppqqp") * 8
    expected = probfs.rank(pa.table({"a": cells}), y).to_csv()
    tables: list[Any] = [
        pd.DataFrame({"a": pd.Categorical(cells, categories=list("xcba"))}),
        pl.DataFrame({"a": cells}, schema={"a": pl.Categorical}),
        duckdb.sql("select unnest($cells)::enum('c', 'b', 'a') as a", params={"cells": cells}),
        pa.table({"a": chunks_with_dictionaries_of_their_own(cells)}),
    ]
    for data in tables:
        assert probfs.rank(data, y).to_csv() == expected


def chunks_with_dictionaries_of_their_own(cells: list[str]) -> pa.ChunkedArray:
    """The cells in chunks, whose dictionaries differ in order, hold entries twice, and some that no row has."""
    half = len(cells) // 2
    first = pa.DictionaryArray.from_arrays(
        pa.array(["cbaa".index(cell) for cell in cells[:half]], pa.int32()), pa.array(list("cbaa"))
    )
    entries = ["unused", "a", "a", "b", None, "c"]
    places = {"a": 2, "b": 3, "c": 5}
    second = pa.DictionaryArray.from_arrays(
        pa.array([places[cell] for cell in cells[half:]], pa.int32()), pa.array(entries)
    )
    return pa.chunked_array([first, second])


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"a": [1]}, "data must be a path, a data frame (pandas, polars, pyarrow, DuckDB, or whatever has"),
        ([[1, 2], [3, 4]], "or a numpy array, not a list of list; only paths may be listed"),
        (pd.Series([1, 2]), "not Series"),
        (pl.Series([1, 2]), "not Series, which is a single column"),
        (pa.array([1, 2]), "not Int64Array"),
        (scipy.sparse.eye_array(3), "not a sparse matrix; make it dense with .toarray()"),
        (7, "not int"),
    ],
    ids=lambda value: type(value).__name__ if not isinstance(value, str) else "",
)
def test_what_is_no_table_is_refused_with_what_is_one(data: Any, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        probfs.rank(data, target="a")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (pl.DataFrame({"a": pl.Series([1, 2], dtype=pl.Int128), "y": [1, 2]}), "cannot be read through Arrow"),
        (pl.DataFrame({"a": [], "y": []}), "<frame>: has no data rows$"),
        (pl.DataFrame(), "<frame>: has no columns"),
        (pa.table({}), "<frame>: has no columns"),
        (pa.Table.from_arrays([pa.array([1]), pa.array([2])], ["a", "a"]), "two columns are called 'a'"),
        (np.zeros((2, 0)), "<array>: has no columns"),
        (np.zeros((0, 2)), "<array>: has no data rows$"),
        (np.zeros(3), "<array>: has 1 dimensions, but a table has two"),
    ],
    ids=lambda value: type(value).__name__ if not isinstance(value, str) else "",
)
def test_a_table_without_rows_or_columns_is_refused_in_one_line(data: Any, message: str) -> None:
    with pytest.raises(DataError, match=message) as caught:
        probfs.rank(data)
    assert "\n" not in str(caught.value)


def test_a_reader_that_was_read_before_is_refused() -> None:
    reader = pa.table({"a": list("xyxy"), "y": list("ppqq")}).to_reader()
    probfs.rank(reader, target="y")
    with pytest.raises(DataError, match="a reader can be read only once"):
        probfs.rank(reader, target="y")


def test_a_nested_column_may_be_left_out_of_any_frame() -> None:
    columns = {"bad": [[1]] * 4, "a": list("xxzz"), "y": list("pqpq")}
    expected = probfs.rank(pa.table({name: columns[name] for name in "ay"}), target="y").to_csv()
    for data in (pl.DataFrame(columns), pa.table(columns), Stream(pa.table(columns))):
        with pytest.raises(DataError, match=r"<frame>: column 'bad' holds .*list.*, or leave it out$"):
            probfs.rank(data, target="y")
        assert probfs.rank(data, target="y", exclude="bad").to_csv() == expected


def test_nan_of_polars_is_missing_as_that_of_pandas_is() -> None:
    cells = [1.5, float("nan"), None, -0.0, 0.0]
    for data in (pl.DataFrame({"a": cells}), pa.table({"a": cells}), pd.DataFrame({"a": cells})):
        assert table_content(table_in_memory(data, "data")) == {"a": ["1.5", None, None, "0", "0"]}


def test_one_table_is_told_from_a_list_of_tables() -> None:
    frame = pd.DataFrame({"a": [1]})
    for data in (
        frame,
        pl.from_pandas(frame),
        pl.LazyFrame({"a": [1]}),
        pa.table({"a": [1]}),
        np.eye(2),
        Stream(frame),
    ):
        assert is_table(data), type(data)
    assert not is_table([frame])
    assert not is_table(frame for _ in range(2))
    assert (array_width(np.eye(3)), array_width(frame), array_width(np.zeros(3))) == (3, None, None)


def test_ranking_imports_no_library_of_frames_that_is_not_used() -> None:
    program = (
        "import sys, pyarrow, probfs; probfs.rank(pyarrow.table({'a': list('xyxy'), 'y': list('ppqq')}), target='y');"
        "print('polars' in sys.modules, 'duckdb' in sys.modules, 'sklearn' in sys.modules)"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert result.stdout.split() == ["False"] * 3
