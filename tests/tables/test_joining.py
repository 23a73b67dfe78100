"""Tables of several files as one: columns in any order, where each row stands, notes, and what is refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from probfs.errors import DataError
from probfs.notes import NoteKind
from probfs.tables.joined_numbers import join_lone_numbers
from probfs.tables.joining import TableJoiner, join_tables
from probfs.tables.mixed_column import MixedColumn
from probfs.tables.number_block import NumberColumn
from probfs.tables.readers.arrow import table_from_arrow
from probfs.tables.table import Column, Table
from tests.support.table_content import read_bytes, read_csv_text, table_content

WIDTH = 70


def csv(name: str, text: str) -> Table:
    return replace(read_csv_text(text), source=name)


def wide(rows: int, changes: dict[tuple[int, int], str] | None = None, first: int = 0) -> str:
    """A CSV file of more columns than rows."""
    cells = [[str((row * 7 + place) % 5) for place in range(WIDTH)] for row in range(first, first + rows)]
    for (row, place), text in (changes or {}).items():
        cells[row][place] = text
    return "\n".join(",".join(line) for line in [[f"c{place}" for place in range(WIDTH)], *cells]) + "\n"


def test_columns_may_come_in_any_order() -> None:
    whole = join_tables([csv("a", "u,v,y\n1,2,0\n"), csv("b", "y,v,u\n1,4,3\n")], False, "t")
    assert table_content(whole) == {"u": ["1", "3"], "v": ["2", "4"], "y": ["0", "1"]}
    assert list(whole.columns) == ["u", "v", "y"]
    assert (whole.source, whole.rows) == ("t", 2)


@pytest.mark.parametrize(
    ("second", "message"),
    [
        (
            "u,y\n1,0\n",
            "^b: lacks 1 column of a: 'age'; give all files the same columns, or take those of all with union=True$",
        ),
        ("u,Age,y\n1,2,0\n", "^b: lacks 1 column of a: 'age', but has 'Age'; give"),
        ("u,age,y,z,w\n1,2,0,3,4\n", "^b: has 2 columns that a lacks: 'z', 'w'; give"),
    ],
)
def test_other_columns_are_refused(second: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        join_tables([csv("a", "u,age,y\n1,2,0\n"), csv("b", second)], False, "t")


def test_all_columns_can_be_taken_and_the_last_stays_the_last() -> None:
    parts = [csv("a", "u,y\n1,0\n"), csv("b", "y,z\n1,7\n"), csv("c", "w,u\n8,9\n")]
    whole = join_tables(parts, True, "t")
    assert table_content(whole) == {
        "u": ["1", None, "9"],
        "z": [None, "7", None],
        "w": [None, None, "8"],
        "y": ["0", "1", None],
    }
    assert list(whole.columns) == ["u", "z", "w", "y"]


def test_an_error_names_the_file_and_the_line_of_a_cell() -> None:
    whole = join_tables([csv("a", "u,y\n1,0\n\n2,0\n"), csv("b", "u,y\n3,0\n4,0\n")], False, "t")
    for code, place in enumerate(("a:2", "a:4", "b:2", "b:3")):
        assert str(whole.cell_error(whole.columns["u"], code, "is bad")) == f"{place}: column 'u': is bad"
    without_lines = [replace(csv(name, "u,y\n1,0\n2,0\n"), lines=None) for name in "ab"]
    again = join_tables(without_lines, False, "t")
    assert str(again.cell_error(again.columns["u"], 1, "is bad")) == "a: column 'u', row 2: is bad"
    assert again.place(3) == ("b", 1, None)


def test_equal_notes_are_one_note() -> None:
    texts = {name: (f"{name}: odd", "general", *([f"{name}: rare"] if name == "b" else [])) for name in "abc"}
    parts = [
        replace(csv(name, "u,y\n1,0\n"), notes=tuple(map(NoteKind.IGNORED.note, own))) for name, own in texts.items()
    ]
    assert join_tables(parts, False, "t").notes == ("a and 2 more files: odd", "general", "b: rare")


def test_hints_and_indexes_are_those_of_the_files() -> None:
    parts = [csv("a", "u,y\n1,0\n"), replace(csv("b", "u,y\n1,0\n"), target_hint=("y", "says b"), left_out=("i",))]
    whole = join_tables(parts, False, "t")
    assert (whole.target_hint, whole.left_out) == (("y", "says b"), ("i",))


def test_files_without_rows_only_need_the_same_columns() -> None:
    joiner = TableJoiner("t", union=False)
    joiner.add_empty("e", ["y", "u"])
    joiner.add(csv("a", "u,y\n1,0\n"))
    assert joiner.finish().rows == 1
    wrong = TableJoiner("t", union=False)
    wrong.add_empty("e", ["u"])
    wrong.add(csv("a", "u,y\n1,0\n"))
    with pytest.raises(DataError, match=r"^e: lacks 1 column of a: 'y'"):
        wrong.finish()
    nothing = TableJoiner("t", union=False)
    nothing.add_empty("e", ["u"])
    with pytest.raises(DataError, match=r"^t: none of these files has data rows$"):
        nothing.finish()


def test_equal_values_are_kept_once() -> None:
    joiner = TableJoiner("t", union=False)
    for name in "ab":
        joiner.add(csv(name, "u,y\n1,0\n2,1\n"))
    first, second = joiner._columns
    assert first["u"].values is second["u"].values


def assert_joined_as_read(*texts: str, kind: type[Column] | None = None, name: str = "c3") -> None:
    """Files joined are what they would be as one file."""
    header = texts[0].split("\n", 1)[0] + "\n"
    whole = read_csv_text(header + "".join(text.split("\n", 1)[1] for text in texts))
    joined = join_tables([csv(str(place), text) for place, text in enumerate(texts)], False, "t")
    if kind is not None:
        assert type(joined.columns[name]) is type(whole.columns[name]) is kind
    assert table_content(joined) == table_content(whole)
    for own, other in zip(joined.columns.values(), whole.columns.values(), strict=True):
        assert own.values.to_pylist() == other.values.to_pylist()
        assert (own.kind, own.distinct(), own.missing()) == (other.kind, other.distinct(), other.missing())


def test_wide_files_stay_blocks_of_numbers() -> None:
    assert_joined_as_read(wide(3), wide(4, first=3), wide(2, first=7), kind=NumberColumn)
    joined = join_tables([csv("a", wide(3)), csv("b", wide(2))], False, "t")
    assert len({own.block for own in joined.columns.values() if isinstance(own, NumberColumn)}) == 1


@pytest.mark.parametrize("text", ["", "0.0", "007", "x", "1e400", "NA", "."])
def test_wide_files_with_something_else_are_as_one_file(text: str) -> None:
    changes = {(1, 3): text}
    kinds: dict[str, type[Column]] = {"NA": MixedColumn, ".": MixedColumn, "": NumberColumn}
    for texts in (
        (wide(3, changes), wide(3)),
        (wide(3), wide(3, changes)),
        (wide(3, changes), wide(3, {(0, 3): "NA"})),
    ):
        assert_joined_as_read(*texts)
    assert_joined_as_read(wide(3, changes), wide(3), kind=kinds.get(text, Column))


def test_words_of_several_files_are_joined() -> None:
    texts = wide(3, {(0, 3): "NA"}), wide(3, {(2, 3): ".", (1, 3): "NA"})
    assert_joined_as_read(*texts, kind=MixedColumn)
    joined = join_tables([csv(str(place), text) for place, text in enumerate(texts)], False, "t").columns["c3"]
    assert isinstance(joined, MixedColumn)
    assert joined.words == ("NA", ".")


def test_many_wide_files_may_be_one_long_table() -> None:
    texts = [wide(30, first=30 * place) for place in range(4)]
    assert_joined_as_read(*texts, kind=Column)


def test_wide_parquet_and_arff_are_joined_as_read() -> None:
    numbers = np.arange(12 * WIDTH).reshape(12, WIDTH) % 7
    arrow = pa.table({f"c{place}": numbers[:, place] / (1 + place % 2) for place in range(WIDTH)})
    arrow = arrow.append_column("whole", pa.array(range(12)))
    parts = [table_from_arrow(arrow.slice(first, 4), str(first)) for first in (0, 4, 8)]
    joined, whole = join_tables(parts, False, "t"), table_from_arrow(arrow, "t")
    assert isinstance(joined.columns["c1"], NumberColumn)
    assert table_content(joined) == table_content(whole)
    header = "@relation t\n" + "".join(f"@attribute c{place} numeric\n" for place in range(WIDTH)) + "@data\n"
    rows = [",".join(map(str, row)) + "\n" for row in numbers.tolist()]
    files = [read_bytes((header + "".join(own)).encode(), "t.arff") for own in (rows[:5], rows[5:])]
    one = read_bytes((header + "".join(rows)).encode(), "t.arff")
    again = join_tables(files, False, "t")
    assert isinstance(again.columns["c1"], NumberColumn)
    assert table_content(again) == table_content(one)


def test_long_columns_of_many_numbers_stay_numbers() -> None:
    numbers = np.random.default_rng(1).normal(size=24_000)
    arrow = pa.table({"x": numbers, "y": np.arange(24_000) % 2})
    parts = [table_from_arrow(arrow.slice(first, 12_000), str(first)) for first in (0, 12_000)]
    joined = join_tables(parts, False, "t").columns["x"]
    assert isinstance(joined, NumberColumn)
    np.testing.assert_array_equal(joined.by_row, numbers)
    assert joined.values.equals(table_from_arrow(arrow, "t").columns["x"].values)
    short = table_from_arrow(arrow.slice(0, 100), "short")
    assert join_lone_numbers([parts[0].columns["x"], short.columns["x"]]) is None
    mixed = join_tables([parts[0], short], False, "t").columns["x"]
    expected = table_from_arrow(pa.concat_tables([arrow.slice(0, 12_000), arrow.slice(0, 100)]), "t").columns["x"]
    assert table_content(Table("", {"x": mixed}, 12_100)) == table_content(Table("", {"x": expected}, 12_100))
