"""Sparse ARFF, also with many attributes: the cells are right, and no attribute takes steps of its own."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probfs.errors import DataError
from probfs.tables.readers import arff as arff_reader
from probfs.tables.readers import arff_columns
from probfs.tables.readers.arff import read_arff
from probfs.tables.readers.arff_sparse import encode_exceptions
from probfs.tables.readers.column_builder import ColumnBuilder
from probfs.tables.source import Utf8Stream
from probfs.tables.table import Kind, Table
from tests.support.table_content import table_content

VALUES = {
    "numeric": ["1", "2.5", "2.50", "-0", "1e2", "+7", "nan", "0", "?"],
    "{x,y,z}": ["x", "y", "z", "?"],
    "string": ["u", "v w", "?"],
}
DEFAULTS = {"numeric": "0", "{x,y,z}": "x", "string": None}
SPELLINGS = {"2.50": "2.5", "-0": "0", "1e2": "100", "+7": "7", "nan": None, "?": None}
Entries = dict[int, str]


def _read(text: str) -> Table:
    return read_arff(Utf8Stream(io.BytesIO(text.encode()), "utf-8", "t.arff"))


@st.composite
def sparse_tables(draw: st.DrawFn) -> tuple[list[str], list[Entries]]:
    """The types of some attributes, and the entries of some rows."""
    kinds = draw(st.lists(st.sampled_from(sorted(VALUES)), min_size=1, max_size=5))
    row = st.fixed_dictionaries({}, optional={place: st.sampled_from(VALUES[kind]) for place, kind in enumerate(kinds)})
    return kinds, draw(st.lists(row, min_size=1, max_size=6))


def _sparse_text(kinds: list[str], rows: list[Entries]) -> str:
    head = "@relation r\n" + "".join(f"@attribute a{place} {kind}\n" for place, kind in enumerate(kinds))
    lines = ("{" + ", ".join(f"{place} {value}" for place, value in row.items()) + "}\n" for row in rows)
    return head + "@data\n" + "".join(lines)


def _cell(kind: str, row: Entries, place: int) -> str | None:
    if place not in row:
        return DEFAULTS[kind]
    return SPELLINGS.get(row[place], row[place])


@given(sparse_tables(), st.sampled_from([8 << 20, 16]))
def test_sparse_rows_hold_their_entries_and_defaults(table: tuple[list[str], list[Entries]], block_bytes: int) -> None:
    kinds, rows = table
    text = _sparse_text(kinds, rows)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(arff_reader, "_BLOCK_BYTES", block_bytes)
        found = _read(text)
        patch.setattr(arff_columns, "_FEW_TEXTS", 0)
        one_by_one = _read(text)
    expected = {f"a{place}": [_cell(kind, row, place) for row in rows] for place, kind in enumerate(kinds)}
    assert table_content(found) == table_content(one_by_one) == expected
    for name, column in found.columns.items():
        other = one_by_one.columns[name]
        assert column.values.to_pylist() == other.values.to_pylist()
        assert (column.kind, column.declared, column.codes.dtype) == (other.kind, other.declared, other.codes.dtype)
        if not column.declared:
            assert set(column.values.to_pylist()) == set(expected[name]) - {None}


def test_many_attributes_are_finished_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """Twenty thousand attributes once took six seconds, nearly all of them in steps that each attribute took alone."""
    monkeypatch.setattr(ColumnBuilder, "finish", None)
    monkeypatch.setattr(ColumnBuilder, "append", None)
    kinds = ["numeric", "{x,y,z}"] * 1_000
    table = _read(_sparse_text(kinds, [{0: "3", 1: "z", 1999: "?"}, {500: "0.25", 1999: "y"}]))
    content = table_content(table)
    assert len(content) == 2_000
    assert (content["a0"], content["a1"], content["a2"]) == (["3", "0"], ["z", "x"], ["0", "0"])
    assert (content["a500"], content["a1999"]) == (["0", "0.25"], [None, "y"])
    assert table.columns["a500"].kind is Kind.NUMBER
    assert table.columns["a1999"].values.to_pylist() == ["x", "y", "z"]


@pytest.mark.parametrize(
    ("entry", "message"),
    [({4: "w"}, "column 'a4': 'w' is not a number"), ({5: "w"}, "column 'a5': 'w' is not among the declared values")],
)
def test_a_value_that_does_not_fit_is_refused_among_many_attributes(entry: Entries, message: str) -> None:
    kinds = ["numeric", "{x,y,z}"] * 10
    with pytest.raises(DataError, match=message) as caught:
        _read(_sparse_text(kinds, [{0: "1"}, entry, {6: "w", **entry}]))
    assert caught.value.line == 24


def test_texts_are_in_the_order_of_their_first_appearance() -> None:
    encoded = encode_exceptions(
        ["0", "0", "0", None], [{0: "5", 1: None, 3: "7"}, {}, {0: "1", 1: "1", 2: "2", 3: "1"}, {2: "t"}], 4
    )
    assert [(codes.tolist(), texts.to_pylist()) for codes, texts in encoded] == [
        ([0, 3, 1, 2], ["5", "0", "7", None]),
        ([0, 0, 0, 0], ["0", None]),
        ([0, 0, 1, 0], ["1", "2", None]),
        ([1, 1, 0, 1], ["t", None]),
    ]
