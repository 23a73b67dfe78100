"""The table itself: lines of rows, columns by name and values as numbers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probfs.errors import DataError, UsageError
from probfs.tables.arrow_arrays import text_array
from probfs.tables.readers.line_recorder import LineRecorder
from probfs.tables.row_lines import RowLines
from probfs.tables.table import Column, Kind, Table, numbers_of, unusable_column
from tests.support.table_content import read_csv_text


@given(st.lists(st.lists(st.integers(1, 3), max_size=5), min_size=1, max_size=5).filter(any))
def test_the_line_of_every_row_is_kept(steps: list[list[int]]) -> None:
    """Blocks of rows, each a number of lines below the one before; every other block is recorded as a run."""
    recorder, lines, line = LineRecorder(), [], 1
    for number, block in enumerate(steps):
        consecutive = number % 2 == 1
        recorded = [line := line + (1 if consecutive and place else step) for place, step in enumerate(block)]
        if consecutive:
            recorder.append_run(recorded[0] if recorded else line, len(recorded))
        else:
            recorder.append(recorded)
        lines += recorded
    found = recorder.finish()
    assert found is not None
    assert recorder.rows == len(lines)
    assert [found.line(row) for row in range(len(lines))] == lines
    runs = RowLines.of(np.array(lines))
    assert [runs.line(row) for row in range(len(lines))] == lines


def test_an_unknown_column_is_a_mistake_in_the_parameter_that_names_it() -> None:
    table = read_csv_text("a,class\n1,p\n")
    assert table.column("class", "target") is table.columns["class"]
    with pytest.raises(UsageError, match=r"^count=: no column 'A ' in t\.csv; did you mean 'a'\?$"):
        table.column("A ", "count")


def test_an_error_about_a_cell_says_its_line() -> None:
    table = read_csv_text('a,y\n"1\n2",p\n\n3,q\n')
    error = table.cell_error(table.columns["y"], 1, "is wrong")
    assert str(error) == "t.csv:5: column 'y': is wrong"


@pytest.mark.parametrize(
    ("texts", "kind", "expected"),
    [
        (["1", " 2.5 ", "-3e2"], Kind.TEXT, [1.0, 2.5, -300.0]),
        (["1", "x"], Kind.TEXT, None),
        (["007", "1"], Kind.TEXT, None),
        (["007", "1"], Kind.NUMBER, [7.0, 1.0]),
        (["nan"], Kind.NUMBER, None),
        (["1970-01-02 00:00:01"], Kind.DATE, [86401.0]),
        (["tomorrow"], Kind.DATE, None),
        ([], Kind.TEXT, []),
    ],
)
def test_texts_are_numbers_if_that_loses_nothing(texts: list[str], kind: Kind, expected: list[float] | None) -> None:
    numbers = numbers_of(text_array(texts), kind)
    assert (None if numbers is None else numbers.tolist()) == expected


def test_a_column_that_cannot_be_used_says_so_to_whoever_uses_it() -> None:
    missing = np.array([True, False])
    column = unusable_column("a", missing, Kind.NESTED, "holds lists")
    table = Table("t.csv", {"a": column}, 2)
    assert column.counts().tolist() == [1, 1]
    with pytest.raises(DataError, match=r"^t\.csv: column 'a' holds lists; turn it into text .*, or leave it out$"):
        table.usable(column)
    usable = Column("b", column.codes, column.values)
    assert table.usable(usable) is usable


def test_some_columns_of_a_table_stay_as_they_are_in_its_own_order() -> None:
    table = read_csv_text("a,b,c\n1,,x\n2,y,\n")
    some = table.only(["c", "a", "unknown"])
    assert list(some.columns) == ["a", "c"]
    assert some.columns["c"] is table.columns["c"]
    assert (some.rows, some.source) == (table.rows, table.source)
