"""The table itself, and several files as one: columns in any order, types that must agree, partitions, progress."""

from __future__ import annotations

import gzip
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
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
from probfs.tables.column import Column, number_column, numbers_of, text_column, typed_column, unusable_column
from probfs.tables.files import Part
from probfs.tables.reading import ReadOptions, join_columns, join_tables, read_part, read_table
from probfs.tables.table import Profile, Table, number_matrix, profile_columns
from tests.support.random_tables import columns_together
from tests.support.tables import cell_texts, read_csv_text, table_content


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def put(name: str, content: str | bytes) -> None:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)


def csv(name: str, text: str) -> Table:
    return replace(read_csv_text(text), source=name)


def test_columns_may_come_in_any_order_and_files_be_compressed() -> None:
    put("d/a.csv", "u,v,y\n1,2,p\n")
    put("d/b.csv.gz", gzip.compress(b"y,v,u\nq,4,3\n"))
    assert table_content(read_table("d")) == {"u": ["1", "3"], "v": ["2", "4"], "y": ["p", "q"]}


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
    put("a.csv", "u,age,y\n1,2,0\n")
    put("b.csv", second)
    with pytest.raises(DataError, match=rf"^b.csv(:\d)?: {message}"):
        read_table(["a.csv", "b.csv"])


def test_all_columns_can_be_taken_and_the_last_stays_the_last() -> None:
    parts = [csv("a", "u,y\n1,0\n"), csv("b", "y,z\n1,7\n"), csv("c", "w,u\n8,9\n")]
    whole = table_content(join_tables(parts, "t"))
    assert whole == {"u": ["1", None, "9"], "z": [None, "7", None], "w": [None, None, "8"], "y": ["0", "1", None]}
    assert list(whole) == ["u", "z", "w", "y"]


def test_an_error_names_the_file_and_the_line_of_a_cell() -> None:
    parts = [csv("a", "u,y\n1,0\n\n2,0\n"), csv("b", "u,y\n3,0\n4,0\n"), replace(csv("c", "u,y\n5,0\n"), lines=None)]
    whole = join_tables(parts, "t")
    told = [str(whole.cell_error(whole.columns["u"], row, "is bad")).removesuffix(": is bad") for row in range(5)]
    lines = ["a:2: column 'u'", "a:4: column 'u'", "b:2: column 'u'", "b:3: column 'u'"]
    assert told == [*lines, "c: column 'u', row 1"]


def test_equal_notes_are_one_note_and_hints_are_kept() -> None:
    texts = {"a": ["a: odd", "general"], "b": ["b: odd", "general", "b: rare"], "c": ["c: odd", "general"]}
    parts = [
        replace(csv(name, "u,y\n1,0\n"), notes=tuple(map(NoteKind.IGNORED.note, notes)), left_out=("i",))
        for name, notes in texts.items()
    ]
    parts[1] = replace(parts[1], target_hint=("y", "says b"))
    whole = join_tables(parts, "t")
    assert whole.notes == ("a and 2 more files: odd", "general", "b: rare")
    assert (whole.target_hint, whole.left_out) == (("y", "says b"), ("i",))


def test_partitions_come_before_the_columns_of_the_file() -> None:
    put("d/year=2025/month=01/a.csv", "u,y\n1,0\n")
    put("d/year=2026/month=__HIVE_DEFAULT_PARTITION__/a.csv", "u,y\n2,1\n3,0\n")
    table = read_table("d")
    assert list(table.columns) == ["year", "month", "u", "y"]
    content = table_content(table)
    assert (content["year"], content["month"]) == (["2025", "2026", "2026"], ["01", None, None])
    put("e/k=1/a.csv", "u,y\n1,0\n")
    put("e/z.csv", "u,y\n1,0\n")
    with pytest.raises(DataError, match=r"^e/z.csv: lacks 1 column of e/k=1/a.csv: 'k'; "):
        read_table("e")
    assert table_content(read_table("e", ReadOptions(union=True)))["k"] == ["1", None]
    for key in (1, 2):
        put(f"f/k={key}/a.csv", f"u,k,y\n1,{key}!,0\n")
    table = read_table("f")
    assert table_content(table)["k"] == ["1!", "2!"]
    assert table.notes == ("f/k=1/a.csv and 1 more file: holds 'k', so the folder of that name is not made a column",)


ARFF = "@relation t\n@attribute u numeric\n@attribute y {0,1}\n@data\n"


@pytest.mark.parametrize(("ending", "header"), [("csv", "u,y\n"), ("arff", ARFF)])
def test_a_file_without_rows_is_no_mistake_beside_others(ending: str, header: str) -> None:
    for name, rows in (("a", ""), ("b", "1,0\n"), ("c", "")):
        put(f"d/{name}.{ending}", header + rows)
    assert table_content(read_table("d")) == {"u": ["1"], "y": ["0"]}
    with pytest.raises(DataError, match=rf"^d/\[ac\].{ending} \(2 files\): none of these files has data rows$"):
        read_table(f"d/[ac].{ending}")


CELL = st.sampled_from(["1", "2.50", "007", "x", "", "NA", "1e3", "9007199254740993"])


@given(st.lists(st.lists(CELL, min_size=1, max_size=4), min_size=2, max_size=3))
def test_delimited_files_together_hold_what_they_would_hold_as_one(cells: list[list[str]]) -> None:
    for place, some in enumerate(cells):
        put(f"g/{place}.csv", "u,y\n" + "".join(f"{cell},p\n" for cell in some))
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


def test_values_of_joined_columns_have_one_order() -> None:
    whole = joined([ordered("b", "abd"), ordered("ca", "abcd")])
    assert (whole.ordered, whole.values.to_pylist()) == (True, ["a", "b", "c"])
    whole = joined([column("b", declared="ab"), column("c"), column("1", categorical=True)])
    assert (whole.is_nominal, whole.declared, whole.values.to_pylist()) == (True, None, ["b", "c", "1"])
    whole = joined([column("a", declared="ab"), column("c", declared="ac")])
    assert (whole.problem, whole.values.to_pylist(), cell_texts(whole)) == (None, ["a", "b", "c"], ["a", "c"])
    assert joined([column("-"), column("a", categorical=True)]).categorical


OTHER = "holds text in a.arff, but {} in b.arff; write it the same way in all files, or leave it out"


@pytest.mark.parametrize(
    ("first", "second", "problem"),
    [
        (column("a-"), column("1", Kind.NUMBER), OTHER.format("numbers")),
        (column("a-"), DAYS[0], OTHER.format("dates")),
        (column("a-"), unusable_column("x", np.array([False]), Kind.NESTED, "holds lists"), "in b.arff holds lists"),
    ],
)
def test_columns_that_differ_make_one_that_cannot_be_used(first: Column, second: Column, problem: str) -> None:
    whole = joined([first, second, column("-")])
    assert str(whole.problem).startswith(problem)
    assert whole.is_missing().tolist()[:3] == [False, True, False]
    assert whole.is_missing()[-1]
    with pytest.raises(DataError, match=f"^t: column 'x' {re.escape(problem)}"):
        Table("t", {"x": whole}, whole.rows).usable(whole)


def test_columns_that_are_not_needed_stay_in_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    real = pq.ParquetFile.read_row_groups

    def read(file: Any, groups: Sequence[int], columns: Sequence[str] | None = None) -> Any:
        asked.append(columns)
        return real(file, groups, columns=columns)

    monkeypatch.setattr(pq.ParquetFile, "read_row_groups", read)
    put("d/k=1/p.parquet", pd.DataFrame({"a": [1], "a.b": ["x"], "c": [[1]], "y": ["0"]}).to_parquet())
    named: list[Sequence[str]] = []

    def unneeded(names: Sequence[str]) -> set[str]:
        named.append(names)
        return {"k", "a.b", "c", "none"}

    table = read_part(Part("d/k=1/p.parquet", (("k", "1"),)), ReadOptions(unneeded=unneeded))
    assert named == [["k", "a", "a.b", "c", "y"]], "users may leave out what stands in the path, too"
    assert asked == [["a", "y"]]
    assert [name for name, column in table.columns.items() if column.unread] == ["a.b", "c"]
    with pytest.raises(DataError, match=r"^d/k=1/p.parquet: column 'c' was not read$"):
        table.usable(table.columns["c"])
    asked.clear()
    # The first file decides, as in others the last column may be another; with a union, none is known to be the last.
    pd.DataFrame({"a": [1], "b": [2], "y": [0]}).to_parquet("p.parquet")
    pd.DataFrame({"y": [1], "b": [4], "a": [3]}).to_parquet("q.parquet")
    table = read_table("*.parquet", ReadOptions(unneeded=lambda names: names[:-1]))
    assert [name for name, column in table.columns.items() if column.unread] == ["a", "b"]
    read_table("*.parquet", ReadOptions(unneeded=lambda names: names[:-1], union=True))
    assert asked == [["y"], ["y"], None, None]


def test_progress_is_that_of_all_files_and_memory_is_asked_for_on_the_way(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    monkeypatch.setattr(reading, "require_memory", lambda needed, *_: asked.append(needed))
    for name in "abcd":
        put(f"{name}.csv", "u,y\n1,0\n2,1\n")
    told: list[Progress] = []
    with listening(told.append):
        read_table("*.csv")
    assert told == [Progress("reading", number, 4, "files") for number in range(4)]
    assert asked == [8 * cells for cells in (4, 8, 12, 16)]


# The table itself: its columns as numbers, and what is known of each


@pytest.mark.parametrize(
    ("texts", "kind", "expected"),
    [
        (["1", " 2.5 ", "-3e2"], Kind.TEXT, [1.0, 2.5, -300.0]),
        (["1", "x"], Kind.TEXT, None),
        (["007", "1"], Kind.TEXT, None),
        (["007", "1"], Kind.NUMBER, [7.0, 1.0]),
        (["nan"], Kind.NUMBER, None),
        (["1970-01-02 00:00:01"], Kind.DATE, [86401.0]),
        *((["1970-01-02", text], Kind.DATE, None) for text in ("tomorrow", "now", "today", "NaT")),
        ([], Kind.TEXT, []),
    ],
)
def test_texts_are_numbers_if_that_loses_nothing(texts: list[str], kind: Kind, expected: list[float] | None) -> None:
    numbers = numbers_of(text_array(texts), kind)
    assert (None if numbers is None else numbers.tolist()) == expected


def test_a_matrix_has_the_numbers_of_each_column() -> None:
    cells = [pa.array([1.5, None, float("nan")]), pa.array([1, 2, None]), pa.array([0.1, 2, 3], pa.float32())]
    columns = [typed_column(str(place), pa.chunked_array([numbers])) for place, numbers in enumerate(cells)]
    np.testing.assert_array_equal(number_matrix(columns), [[1.5, np.nan, np.nan], [1, 2, np.nan], [0.1, 2, 3]])
    np.testing.assert_array_equal(number_matrix(columns[:1] * 2), [[1.5, np.nan, np.nan]] * 2)


CELLS = st.sampled_from([None, 0.0, -0.0, 1.0, 2.0, 2.5, 1e300, float("inf")])


def profile_by_definition(cells: list[float | None], weights: list[int] | None, times: int) -> Profile:
    counted = [(cell, weight) for cell, weight in zip(cells, weights or [1] * len(cells), strict=True) if weight > 0]
    rows = Counter(cell for cell, _ in counted if cell is not None)
    missing = sum(weight for cell, weight in counted if cell is None)
    whole = all(cell == float("inf") or cell.is_integer() for cell in rows)
    return Profile(len(rows), missing, whole, max(rows.values(), default=0) >= times, float("inf") in rows)


@st.composite
def cells_and_weights(draw: st.DrawFn) -> tuple[list[list[float | None]], list[int] | None]:
    rows = draw(st.integers(1, 9))
    columns = draw(st.lists(st.lists(CELLS, min_size=rows, max_size=rows), min_size=1, max_size=4))
    return columns, draw(st.one_of(st.none(), st.lists(st.integers(0, 3), min_size=rows, max_size=rows)))


@pytest.mark.parametrize("together", [True, False])
@given(cells_and_weights(), st.integers(1, 4))
def test_columns_of_numbers_are_profiled_as_cell_by_cell(
    together: bool, table: tuple[list[list[float | None]], list[int] | None], times: int
) -> None:
    columns, weights = table
    as_numbers = [number_column(str(place), np.array(cells, dtype=float)) for place, cells in enumerate(columns)]
    with columns_together(together):
        found = profile_columns(as_numbers, None if weights is None else np.array(weights), times)
    assert found == {str(place): profile_by_definition(cells, weights, times) for place, cells in enumerate(columns)}


@pytest.mark.parametrize("rows", [10_000, 10_001])
def test_numbers_that_repeat_in_many_rows_are_profiled_alike(rows: int) -> None:
    few = np.where(np.arange(rows) % 7 == 6, np.nan, np.arange(rows) % 7 * 0.5)
    columns = {"few": few, "many": np.arange(rows) / 2, "zeros": np.where(np.arange(rows) % 2, 0.0, -0.0)}
    found = profile_columns([number_column(name, numbers) for name, numbers in columns.items()], None, 2)
    assert found == {
        "few": Profile(6, rows // 7, False, True),
        "many": Profile(rows, 0, False, False),
        "zeros": Profile(1, 0, True, True),
    }


def test_columns_of_other_kinds_are_profiled_by_their_values() -> None:
    dates = pa.chunked_array([pa.array([datetime(2020, 1, 1), None, datetime(2020, 1, 1), datetime(2021, 1, 1)])])
    spelled = pa.chunked_array([pa.array(["1", "1.0", "9007199254740993", None]).dictionary_encode()])
    columns = [
        text_column("text", np.array([0, 1, 1, 2], np.uint8), text_array(["x", "y"])),
        typed_column("date", dates),
        Column("spelled", spelled, Kind.NUMBER),
        unusable_column("list", np.array([True, False, False, True]), Kind.NESTED, "holds lists"),
    ]
    assert profile_columns(columns, None) == {
        "text": Profile(2, 1, True, True),
        "date": Profile(2, 1, True, True),
        "spelled": Profile(2, 1, True, True),
        "list": Profile(1, 2, True, True),
    }
    assert profile_columns(columns[:2], np.array([3, 2, 0, 1])) == {
        "text": Profile(2, 1, True, True),
        "date": Profile(2, 2, True, False),
    }
