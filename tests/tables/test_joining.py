"""Several files as one table: columns in any order, types that must agree, folders; and what is known of columns."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probfs.errors import DataError
from probfs.notes import NoteKind
from probfs.runtime.progress import Progress, listening
from probfs.tables import reading
from probfs.tables.arrays import text_array
from probfs.tables.cells import Kind
from probfs.tables.column import Column, number_column, typed_column, unusable_column
from probfs.tables.reading import ReadOptions, join_columns, join_tables, read_table
from probfs.tables.table import Profile, Table, profile_columns
from tests.support.tables import cell_texts, put, read_csv_text, table_content

pytestmark = pytest.mark.usefixtures("in_folder")


def csv(name: str, text: str) -> Table:
    return replace(read_csv_text(text), source=name)


@pytest.mark.parametrize(
    ("second", "message"),
    [
        ("u,y\n1,0\n", "lacks 1 column of a.csv: 'age'; give all files the same columns, or use union=True to take th"),
        ("u,Age,y\n1,2,0\n", "lacks 1 column of a.csv: 'age', but has 'Age'; give"),
        ("u,y\n", "lacks 1 column of a.csv: 'age'; give"),
        ("u,age,y,z,w\n1,2,0,3,4\n", "has 2 columns that a.csv lacks: 'z', 'w'; give"),
        ("u,age,y\n1,2,0,1\n", "4 fields"),
        ("", "is empty"),
    ],
)
def test_other_columns_are_refused_and_the_file_is_named(second: str, message: str) -> None:
    put({"a.csv": "u,age,y\n1,2,0\n", "b.csv": second})
    with pytest.raises(DataError, match=rf"^b.csv(:2)?: {message}"):
        read_table(["a.csv", "b.csv"])


def test_all_columns_can_be_taken_and_the_last_stays_the_last() -> None:
    put({"a.csv": "u,y\n1,0\n", "b.csv": "y,z\n1,7\n", "c.csv": "w,u\n8,9\n"})
    whole = table_content(read_table("*.csv", ReadOptions(union=True)))
    assert whole == {"u": ["1", None, "9"], "z": [None, "7", None], "w": [None, None, "8"], "y": ["0", "1", None]}
    assert list(whole) == ["u", "z", "w", "y"]


def test_an_error_names_the_file_and_the_line_of_a_cell_and_equal_notes_are_one() -> None:
    texts = {"a": ["a: odd", "general"], "b": ["b: odd", "general", "b: rare"], "c": ["c: odd", "general"]}
    parts = [
        replace(csv(name, "u,y\n1,0\n\n2,0\n"), notes=tuple(map(NoteKind.IGNORED.note, notes)), left_out=("i",))
        for name, notes in texts.items()
    ]
    parts[1] = replace(parts[1], target_hint=("y", "says b"))
    whole = join_tables([*parts[:2], replace(parts[2], lines=None)], "t")
    assert whole.notes == ("a and 2 more files: odd", "general", "b: rare")
    assert (whole.target_hint, whole.left_out) == (("y", "says b"), ("i",))
    told = [str(whole.row_error(whole.columns["u"], row, "is bad")).removesuffix(": is bad") for row in range(6)]
    lines = ["a:2: column 'u'", "a:4: column 'u'", "b:2: column 'u'", "b:4: column 'u'"]
    assert told == [*lines, "c: column 'u', row 1", "c: column 'u', row 2"]


def test_partitions_come_before_the_columns_of_the_file() -> None:
    put(
        {"d/year=2025/month=01/a.csv": "u,y\n1,0\n", "d/year=2026/month=__HIVE_DEFAULT_PARTITION__/a.csv": "u,y\n2,1\n"}
    )
    content = {"year": ["2025", "2026"], "month": ["01", None], "u": ["1", "2"], "y": ["0", "1"]}
    assert list(table_content(read_table("d")).items()) == list(content.items())
    put({"e/k=1/a.csv": "u,y\n1,0\n", "e/z.csv": "u,y\n1,0\n"})
    with pytest.raises(DataError, match=r"^e/z.csv: lacks 1 column of e/k=1/a.csv: 'k'; "):
        read_table("e")
    assert table_content(read_table("e", ReadOptions(union=True)))["k"] == ["1", None]
    put({f"f/k={key}/a.csv": f"u,k,y\n1,{key}!,0\n" for key in (1, 2)})
    table = read_table("f")
    assert table_content(table)["k"] == ["1!", "2!"]
    assert table.notes == ("f/k=1/a.csv and 1 more file: holds 'k', so the folder of that name is not made a column",)


@pytest.mark.parametrize(
    ("ending", "header"), [("csv", "u,y\n"), ("arff", "@attribute u numeric\n@attribute y {0,1}\n@data\n")]
)
def test_a_file_without_rows_is_no_mistake_beside_others(ending: str, header: str) -> None:
    put({f"d/{name}.{ending}": header + rows for name, rows in (("a", ""), ("b", "1,0\n"), ("c", ""))})
    assert table_content(read_table("d")) == {"u": ["1"], "y": ["0"]}
    with pytest.raises(DataError, match=rf"^d/\[ac\].{ending} \(2 files\): none of these files has data rows$"):
        read_table(f"d/[ac].{ending}")


CELL = st.sampled_from(["1", "2.50", "007", "x", "", "NA", "1e3", "9007199254740993"])


@given(st.lists(st.lists(CELL, min_size=1, max_size=4), min_size=2, max_size=3))
def test_delimited_files_together_hold_what_they_would_hold_as_one(cells: list[list[str]]) -> None:
    put({f"g/{place}.csv": "".join(f"{cell},p\n" for cell in ("u", *some)) for place, some in enumerate(cells)})
    one = read_csv_text("u,y\n" + "".join(f"{cell},p\n" for some in cells for cell in some)).columns["u"]
    whole = read_table([f"g/{place}.csv" for place in range(len(cells))]).columns["u"]
    assert cell_texts(whole) == cell_texts(one)
    assert whole.kind is one.kind or not len(one.entries)


def typed(*cells: Any) -> list[Column]:
    return [typed_column("x", pa.chunked_array([pa.array(listed)])) for listed in cells]


def column(cells: str, kind: Kind = Kind.TEXT, declared: str | None = None, **more: Any) -> Column:
    """A column of one-letter cells, of which - is missing."""
    entries = pa.chunked_array([text_array([None if cell == "-" else cell for cell in cells]).dictionary_encode()])
    return Column("x", entries, kind, None if declared is None else text_array(list(declared)), **more)


def ordered(cells: str, order: str) -> Column:
    return column(cells, categorical=True, order=text_array(list(order)))


def joined(columns: Sequence[Column]) -> Column:
    return join_columns(columns, ("a.arff", "b.arff", "c.arff")[: len(columns)])


DAYS = typed(pa.array([0, None], pa.date32()), pa.array([1], pa.timestamp("s")))


@pytest.mark.parametrize(
    ("columns", "texts", "dtype"),
    [
        (typed([1, 2], [1.0, None, 2.5], [None]), ["1", "2", "1", None, "2.5", None], pa.float64()),
        (typed([1], pa.array([2**63], pa.uint64())), ["1", str(2**63)], None),
        (typed([2**53 + 1], [0.5]), [str(2**53 + 1), "0.5"], None),
        (typed(pa.array([1500], pa.duration("ms")), [2]), ["1.5", "2"], None),
        (typed(pa.array([0.1], pa.float32()), [0.1]), ["0.1", "0.1"], pa.float64()),
        (DAYS, ["1970-01-01 00:00:00", None, "1970-01-01 00:00:01"], None),
        (typed(["a", None], pa.array(["b"], pa.large_string())), ["a", None, "b"], pa.large_string()),
        (typed([True], ["b"]), ["true", "b"], None),
        ([column("--", declared="ab"), column("1", Kind.NUMBER), column("-")], [None, None, "1", None], None),
        ([column("-"), column("-")], [None, None], None),
        ([column("b", declared="ba"), column("c", declared="abc")], ["b", "c"], None),
        ([ordered("c", "abcd"), ordered("ab", "abd")], ["c", "a", "b"], None),
    ],
)
def test_columns_of_one_kind_are_joined_without_loss(columns: list[Column], texts: list[str], dtype: Any) -> None:
    whole = joined(columns)
    assert (whole.problem, cell_texts(whole)) == (None, texts)
    assert dtype is None or whole.cells.type == dtype


@pytest.mark.parametrize(
    ("columns", "values", "is_ordered", "declared"),
    [
        ([ordered("b", "abd"), ordered("ca", "abcd")], "abc", True, None),
        ([column("b", declared="ab"), column("c"), column("1", categorical=True)], "bc1", False, None),
        ([column("a", declared="ab"), column("c", declared="ac")], "abc", False, "abc"),
        ([column("-"), column("a", categorical=True)], "a", False, None),
    ],
)
def test_values_have_one_order(columns: list[Column], values: str, is_ordered: bool, declared: str | None) -> None:
    whole = joined(columns)
    assert (whole.problem, whole.is_nominal, whole.ordered) == (None, True, is_ordered)
    assert "".join(whole.values.to_pylist()) == values
    assert (None if whole.declared is None else "".join(whole.declared.to_pylist())) == declared


OTHER = "holds text in a.arff, but {} in b.arff; write it the same way in all files, or leave it out"


@pytest.mark.parametrize(
    ("second", "problem"),
    [
        (column("1", Kind.NUMBER), OTHER.format("numbers")),
        (DAYS[0], OTHER.format("dates")),
        (unusable_column("x", np.array([False]), Kind.NESTED, "holds lists"), "in b.arff holds lists"),
    ],
)
def test_columns_that_differ_make_one_that_cannot_be_used(second: Column, problem: str) -> None:
    whole = joined([column("a-"), second, column("-")])
    assert whole.is_missing().tolist() == [False, True, *second.is_missing().tolist(), True]
    with pytest.raises(DataError, match=f"^t: column 'x' {re.escape(problem)}"):
        Table("t", {"x": whole}, whole.rows).usable(whole)


def test_columns_that_are_not_needed_stay_in_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    real = pq.ParquetFile.read_row_groups

    def read(file: Any, groups: Sequence[int], columns: Sequence[str] | None = None) -> Any:
        asked.append(columns)
        return real(file, groups, columns=columns)

    def unneeded(names: Sequence[str]) -> set[str]:
        assert names == ["k", "a", "a.b", "c", "y"], "users may leave out what stands in the path, too"
        return {"k", "a.b", "c", "none"}

    monkeypatch.setattr(pq.ParquetFile, "read_row_groups", read)
    files: dict[str, Any] = {
        "k=1/p.parquet": {"a": [1], "a.b": ["x"], "c": [[1]], "y": ["0"]},
        "a.parquet": {"a": [1], "b": [2], "y": [0]},
    }
    put({name: pd.DataFrame(cells).to_parquet() for name, cells in files.items()})
    table = read_table("k=*/p.parquet", ReadOptions(unneeded=unneeded))
    assert asked == [["a", "y"]]
    assert [name for name, one in table.columns.items() if one.unread] == ["a.b", "c"]
    with pytest.raises(DataError, match=r"^k=1/p.parquet: column 'c' was not read$"):
        table.usable(table.columns["c"])
    asked.clear()
    # The first file decides, as in others the last column may be another; with a union, none is known to be the last.
    put({"b.parquet": pd.DataFrame({"y": [1], "b": [4], "a": [3]}).to_parquet()})
    table = read_table("*.parquet", ReadOptions(unneeded=lambda names: names[:-1]))
    assert [name for name, one in table.columns.items() if one.unread] == ["a", "b"]
    read_table("*.parquet", ReadOptions(unneeded=lambda names: names[:-1], union=True))
    assert asked == [["y"], ["y"], None, None]


def test_progress_is_that_of_all_files_and_memory_is_asked_for_on_the_way(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    monkeypatch.setattr(reading, "require_memory", lambda needed, *_: asked.append(needed))
    put({f"{name}.csv": "u,y\n1,0\n2,1\n" for name in "abcd"})
    told: list[Progress] = []
    with listening(told.append):
        read_table("*.csv")
    assert told == [Progress("reading", number, 4, "files") for number in range(4)]
    assert asked == [8 * cells for cells in (4, 8, 12, 16)]


@pytest.mark.parametrize("rows", [10_000, 10_001])
def test_numbers_that_repeat_in_many_rows_are_profiled_alike(rows: int) -> None:
    few = np.where(np.arange(rows) % 7 == 6, np.nan, np.arange(rows) % 7 * 0.5)
    columns = {"few": few, "many": np.arange(rows) / 2, "zeros": np.where(np.arange(rows) % 2, 0.0, -0.0)}
    expected = (Profile(6, rows // 7, False, True), Profile(rows, 0, False, False), Profile(1, 0, True, True))
    found = profile_columns([number_column(name, numbers) for name, numbers in columns.items()], None, 2)
    assert found == dict(zip(columns, expected, strict=True))
