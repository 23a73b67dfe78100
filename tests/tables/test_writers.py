"""Tables written in every format are read back as they were."""

from __future__ import annotations

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probfs.tables.formats import TABLE_FORMATS, is_writable
from probfs.tables.readers.frame import table_from_frame
from probfs.tables.table import Kind
from probfs.tables.writers import table_bytes
from tests.support.table_content import read_bytes, read_csv_text, table_content

NAMES = st.text(alphabet=st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=6).filter(str.strip)
VALUES = st.text(alphabet=st.sampled_from("ab ,'\"%?{}\\\n\té~"), min_size=1, max_size=5)


@given(
    st.lists(NAMES, min_size=2, max_size=4, unique=True),
    st.lists(st.lists(st.one_of(st.none(), VALUES), min_size=4, max_size=4), min_size=1, max_size=6),
    st.sampled_from(TABLE_FORMATS.names(is_writable)),
)
def test_what_is_written_is_read_back(names: list[str], rows: list[list[str | None]], format_name: str) -> None:
    columns = {name: [row[position] for row in rows] for position, name in enumerate(names)}
    table = table_from_frame(pd.DataFrame(columns, dtype=object).map(lambda cell: cell))
    if all(cell is None for cell in columns[names[-1]]) or all(cell is None for cell in columns[names[0]]):
        return
    assert table_content(read_bytes(table_bytes(table, format_name), f"t.{format_name}")) == columns


def test_a_carriage_return_in_a_cell_survives_being_written() -> None:
    frame = pd.DataFrame({"cr\rx": ["1", "2"], "y": ["p\rq", "r\r\ns"]})
    for kind in ("csv", "tsv"):
        back = read_bytes(table_bytes(table_from_frame(frame), kind), f"t.{kind}")
        assert table_content(back) == {"cr\rx": ["1", "2"], "y": ["p\rq", "r\r\ns"]}


@pytest.mark.parametrize("kind", ["parquet", "feather", "jsonl"])
def test_numbers_survive_typed_formats(kind: str) -> None:
    frame = pd.DataFrame({"n": [9007199254740993, 9007199254740992], "x": [0.1, float("nan")], "y": ["1", "2"]})
    back = read_bytes(table_bytes(table_from_frame(frame), kind), f"t.{kind}")
    assert table_content(back) == {"n": ["9007199254740993", "9007199254740992"], "x": ["0.1", None], "y": ["1", "2"]}
    assert [column.kind for column in back.columns.values()] == [Kind.NUMBER, Kind.NUMBER, Kind.TEXT]


def test_json_has_no_infinite_number() -> None:
    frame = pd.DataFrame({"x": [1e300, float("-inf")], "y": ["p", 'q"']})
    written = table_bytes(table_from_frame(frame), "jsonl").decode()
    assert written == '{"x": 1e+300, "y": "p"}\n{"x": "-inf", "y": "q\\""}\n'


def test_the_target_of_an_arff_file_is_nominal_even_if_its_classes_are_numbers() -> None:
    table = read_csv_text("a,y\n1.5,0\n2,1\n")
    text = table_bytes(table, "arff", "y").decode()
    assert "@attribute a numeric\n@attribute y {0,1}\n" in text
    assert "@attribute y numeric\n" in table_bytes(table, "arff").decode()


def test_formulas_are_guarded_in_delimited_formats() -> None:
    table = read_csv_text("a,y\n=1+1,p\n")
    assert table_bytes(table, "csv", safe=True) == b"a,y\n'=1+1,p\n"
    assert table_bytes(table, "tsv", safe=True) == b"a\ty\n'=1+1\tp\n"
    assert table_bytes(table, "csv") == b"a,y\n=1+1,p\n"
    assert table_content(read_bytes(table_bytes(table, "parquet", safe=True), "t.parquet"))["a"] == ["=1+1"]
