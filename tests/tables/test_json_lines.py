"""JSON lines: what objects hold, line by line, and what is said of lines that are none."""

from __future__ import annotations

import json
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probfs.errors import DataError
from probfs.tables import json_lines
from probfs.tables.cells import Kind
from probfs.tables.reading import ReadOptions, read_table
from probfs.tables.table import Table
from tests.support.tables import Write, cell_texts, read_bytes, table_content

NUMBERS = st.one_of(st.integers(), st.floats(allow_nan=False, allow_infinity=False))
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=4)
SCALARS = st.one_of(st.none(), st.booleans(), NUMBERS, TEXTS)
CELLS = st.one_of(SCALARS, st.lists(SCALARS, max_size=2), st.dictionaries(TEXTS, SCALARS, max_size=2))
ROWS = st.lists(st.dictionaries(st.sampled_from("abc"), CELLS, max_size=3), min_size=1, max_size=8).filter(any)


def read(text: str | bytes) -> Table:
    return read_bytes(text.encode() if isinstance(text, str) else text, "t.jsonl")


def expected_text(value: Any) -> str | None:
    if value is None or value == "":
        return None
    return str(value).lower() if isinstance(value, bool) else value if isinstance(value, str) else repr(value)


@given(rows=ROWS, at_once=st.integers(1, 4), ends=st.sampled_from(["\n", "\r\n", "\n\n"]))
def test_every_object_is_a_row_and_every_key_a_column(rows: list[dict[str, Any]], at_once: int, ends: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_lines, "_ROWS_AT_ONCE", at_once)
        table = read("".join(json.dumps(row) + ends for row in rows))
    assert list(table.columns) == list(dict.fromkeys(key for row in rows for key in row))
    assert table.lines is not None
    expected_lines = [1 + ends.count("\n") * row for row in range(len(rows))]
    assert list(table.lines) == expected_lines
    for key, column in table.columns.items():
        values = [row.get(key) for row in rows]
        nested = [isinstance(value, (list, dict)) for value in values]
        present = [value for value in values if value is not None]
        if any(nested):
            assert column.kind is Kind.NESTED
            assert f"on line {expected_lines[nested.index(True)]}, which cannot be ranked" in str(column.problem)
        elif all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in present):
            assert (column.kind, column.problem) == (Kind.NUMBER, None)
            found = [None if text is None else float(text) for text in cell_texts(column)]
            assert found == [None if value is None else float(value) for value in values]
            assert pa.types.is_floating(column.cells.type) or any(abs(value) >= 1e15 for value in present)
        else:
            assert (column.kind, column.problem) == (Kind.TEXT, None)
            assert cell_texts(column) == [expected_text(value) for value in values]


def test_numbers_keep_what_their_spelling_says() -> None:
    table = read('{"n": 9007199254740993, "m": 1.50, "s": "1.50"}\n{"n": 1, "m": "x", "s": "007"}\n')
    assert table_content(table) == {"n": ["9007199254740993", "1"], "m": ["1.50", "x"], "s": ["1.50", "007"]}
    same = read('{"n": 1}\n{"n": 1.0}\n{"n": 1e0}\n{"n": NaN}\n{"n": -0}\n{"n": -Infinity}\n')
    assert table_content(same) == {"n": ["1", "1", "1", None, "0", "-inf"]}
    assert same.columns["n"].kind is Kind.NUMBER
    assert read('{"n": %s}\n' % ("9" * 10_000)).rows == 1, "no limit on digits"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{}\n{}\n", ": has no columns, as its objects have no keys"),
        ('{"a": 1}\n\n[1, 2]\n', ":3: holds a list of 2 values, not an object; JSON lines"),
        ('{"a": 1}\n7\n', ":2: holds a single value, not an object"),
        ("null", ":1: holds null, not an object"),
        ('{"a": 1} {"a": 2}\n', ":1: is not JSON: extra data, at character 10; JSON lines"),
        ('{"\\ud800": 1}\n', ": the key "),
    ],
)
def test_what_is_no_row_is_refused_with_its_line(text: str | bytes, problem: str) -> None:
    with pytest.raises(DataError) as caught:
        read(text)
    assert f"t.jsonl{problem}" in str(caught.value)


def test_columns_that_cannot_be_used_may_be_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_lines, "_ROWS_AT_ONCE", 2)
    text = '{"t": "x", "y": 1}\n{"y": 2, "o": {"x": 1, "x": 2}}\n{"t": null, "y": 3}\n{"t": "\\ud800"}\n{"t": [1]}\n'
    columns = read(text).columns
    remedy = "turn it into text or numbers, or leave it out"
    assert columns["t"].problem == f"holds text on line 4 that is not valid Unicode; {remedy}"
    assert (columns["t"].kind, columns["t"].counts()[-1]) == (Kind.TEXT, 2)
    assert columns["o"].kind is Kind.NESTED, "keys that stand twice inside are nobody's business"
    assert cell_texts(columns["y"]) == ["1", "2", "3", None, None]


def test_other_encodings_and_names_are_read(write: Write) -> None:
    text = '{"é": "ü", "y": 1}\r\n'
    for name, encoding in (("t.ndjson", "utf-16"), ("t.jsonl", "utf-32"), ("t.txt", "utf-8-sig"), ("t.csv", "utf-8")):
        chosen = "jsonl" if name == "t.csv" else None
        table = read_table(write(name, text.encode(encoding)), ReadOptions(chosen, encoding=encoding))
        assert table_content(table) == {"é": ["ü"], "y": ["1"]}
