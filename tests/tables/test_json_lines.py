"""JSON lines: what objects hold, line by line, and what is said of lines that are none."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probfs.errors import DataError
from probfs.tables.readers import ReadOptions, json_lines, read_table
from probfs.tables.table import Kind, Table
from tests.support.table_content import Write, cell_texts, read_bytes, table_content

NUMBERS = st.one_of(st.integers(), st.floats(allow_nan=False, allow_infinity=False))
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=4)
SCALARS = st.one_of(st.none(), st.booleans(), NUMBERS, TEXTS)
CELLS = st.one_of(SCALARS, st.lists(SCALARS, max_size=2), st.dictionaries(TEXTS, SCALARS, max_size=2))
ROWS = st.lists(st.dictionaries(st.sampled_from("abc"), CELLS, max_size=3), min_size=1, max_size=8)


def read(text: str | bytes) -> Table:
    return read_bytes(text.encode() if isinstance(text, str) else text, "t.jsonl")


def expected_text(value: Any) -> str | None:
    if value is None or value == "":
        return None
    return str(value).lower() if isinstance(value, bool) else value if isinstance(value, str) else repr(value)


@given(rows=ROWS, at_once=st.integers(1, 4), ends=st.sampled_from(["\n", "\r\n", "\n\n"]))
def test_every_object_is_a_row_and_every_key_a_column(rows: list[dict[str, Any]], at_once: int, ends: str) -> None:
    text = "".join(json.dumps(row) + ends for row in rows)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_lines, "_ROWS_AT_ONCE", at_once)
        patch.setattr(json_lines, "_READ_BYTES", 3 * at_once)
        if not any(rows):
            with pytest.raises(DataError, match="no keys"):
                read(text)
            return
        table = read(text)
    assert table.rows == len(rows)
    assert list(table.columns) == list(dict.fromkeys(key for row in rows for key in row))
    assert table.lines is not None
    step = 2 if ends == "\n\n" else 1
    assert [table.lines.line(row) for row in range(len(rows))] == [1 + step * row for row in range(len(rows))]
    for key, column in table.columns.items():
        values = [row.get(key) for row in rows]
        nested = [isinstance(value, (list, dict)) for value in values]
        if any(nested):
            assert column.kind is Kind.NESTED
            assert f"on line {1 + step * nested.index(True)}, which cannot be ranked" in str(column.problem)
            continue
        assert column.problem is None
        present = [value for value in values if value is not None]
        if all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in present):
            assert column.kind is Kind.NUMBER
            found = [None if text is None else float(text) for text in cell_texts(column)]
            assert found == [None if value is None else float(value) for value in values]
        else:
            assert column.kind is Kind.TEXT
            assert cell_texts(column) == [expected_text(value) for value in values]


def test_numbers_keep_what_their_spelling_says() -> None:
    table = read('{"n": 9007199254740993, "m": 1.50, "s": "1.50"}\n{"n": 1, "m": "x", "s": "007"}\n')
    assert table_content(table) == {"n": ["9007199254740993", "1"], "m": ["1.50", "x"], "s": ["1.50", "007"]}
    same = read('{"n": 1}\n{"n": 1.0}\n{"n": 1e0}\n{"n": NaN}\n{"n": -0}\n{"n": -Infinity}\n')
    assert table_content(same) == {"n": ["1", "1", "1", None, "0", "-inf"]}
    assert same.columns["n"].kind is Kind.NUMBER
    assert read('{"n": %s}\n' % ("9" * 10_000)).rows == 1, "no limit on digits"


def test_a_column_may_begin_late_and_end_early(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_lines, "_ROWS_AT_ONCE", 2)
    table = read('{"a": 1}\n{"a": 2}\n{"a": 3}\n\n{"b": "x"}\n{}\n{"b": null}')
    expected = {"a": ["1", "2", "3", None, None, None], "b": [None, None, None, "x", None, None]}
    assert table_content(table) == expected


def test_many_columns_of_one_cell_each_take_linear_time() -> None:
    table = read("".join(f'{{"k{row}": "x"}}\n' for row in range(2000)))
    assert (len(table.columns), table.rows) == (2000, 2000)
    assert table.columns["k1999"].counts().tolist() == [1, 1999]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "t.jsonl: is empty; JSON lines hold one object a line"),
        ("{}\n{}\n", "t.jsonl: has no columns, as its objects have no keys"),
        ('{"a": 1}\n\n[1, 2]\n', "t.jsonl:3: holds a list of 2 values, not an object; JSON lines"),
        ('{"a": 1}\n7\n', "t.jsonl:2: holds a single value, not an object"),
        ("null", "t.jsonl:1: holds null, not an object"),
        ('{"a": 1} {"a": 2}\n', "t.jsonl:1: is no JSON: extra data, at character 10; JSON lines"),
        ('{"a": 1}\n{"a": 1\n', "t.jsonl:2: is no JSON: "),
        ('{"a": 1, "b": 2, "a": 3}\n', "t.jsonl:1: holds a key twice"),
        ('{"a": ' + "[" * 100_000, "t.jsonl:1: is "),
        ('{"\\ud800": 1}\n', "t.jsonl: the key "),
        (b'{"a": "\xff"}\n', "t.jsonl:1: byte 8 of the line (0xff) is not UTF-8; try encoding="),
    ],
)
def test_what_is_no_row_is_refused_with_its_line(text: str | bytes, problem: str, tmp_path: object) -> None:
    with pytest.raises(DataError) as caught:
        read(text)
    assert problem.split(": ", 1)[1] in str(caught.value)
    assert f"t.jsonl{problem.removeprefix('t.jsonl').split(' ', 1)[0]}" in str(caught.value)


def test_a_key_that_stands_twice_deep_inside_is_nobodys_business() -> None:
    table = read('{"a": {"x": 1, "x": 2}, "y": "p"}\n')
    assert (table.columns["a"].kind, table.columns["y"].problem) == (Kind.NESTED, None)


def test_text_that_is_no_unicode_and_lists_may_be_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_lines, "_ROWS_AT_ONCE", 2)
    table = read('{"t": "x", "y": 1}\n{"y": 2}\n{"t": null, "y": 3}\n{"t": "\\ud800", "y": 4}\n{"t": [1]}\n')
    column = table.columns["t"]
    end = "turn it into text or numbers, or leave it out"
    assert column.problem == f"holds text on line 4 that is no valid Unicode; {end}"
    assert (column.kind, column.counts()[-1]) == (Kind.TEXT, 2)
    assert cell_texts(table.columns["y"]) == ["1", "2", "3", "4", None]


def test_other_encodings_names_and_standard_forms_are_read(write: Write) -> None:
    text = '\ufeff{"é": "ü", "y": 1}\r\n'
    for encoding in ("utf-8", "utf-16", "utf-32"):
        path = write("t.ndjson", text.removeprefix("\ufeff").encode(encoding))
        assert table_content(read_table(path, ReadOptions(encoding=encoding))) == {"é": ["ü"], "y": ["1"]}
    for name, options in (("t.txt", None), ("t.csv", ReadOptions(format="jsonl"))):
        assert table_content(read_table(write(name, text), options)) == {"é": ["ü"], "y": ["1"]}
