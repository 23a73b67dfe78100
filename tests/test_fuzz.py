"""Random tables, ARFF texts and mappings: nothing but the product's own errors ever leaves the library."""

from __future__ import annotations

import io
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from probfs.columns.choice import ColumnChoice
from probfs.columns.encode import encode
from probfs.columns.mapping import ColumnMapping, parse_mapping
from probfs.columns.prepare import apply_mapping, prepare
from probfs.errors import ProbfsError
from probfs.tables.arff import read_arff
from probfs.tables.csv import read_delimited
from probfs.tables.formats import TABLE_FORMATS, is_writable
from probfs.tables.json_lines import read_json_lines
from probfs.tables.opening import ReadOptions, TableInput
from probfs.tables.table import Table
from probfs.tables.writers import table_bytes
from probfs.text import is_unseen

TABLE = b"a,b,y\nx,1,p\nz,2,q\nx,2,p\nz,1.5,q\n,3,p\n"


def try_csv(data: bytes) -> None:
    for delimiter in (",", ";"):
        _try(partial(_read_and_use, data, delimiter))


def _read_and_use(data: bytes, delimiter: str) -> None:
    _use(read_delimited(_input(data, delimiter)))


def try_arff(data: bytes) -> None:
    _try(lambda: _use(read_arff(_input(data))))


def try_json_lines(data: bytes) -> None:
    _try(lambda: _use(read_json_lines(_input(data))))


def try_mapping(data: bytes) -> None:
    def apply() -> None:
        mapping = parse_mapping(data)
        table = read_delimited(_input(TABLE))
        _use(table, mapping)
        apply_mapping(prepare(table, mapping, ColumnChoice()))

    _try(apply)


TARGETS = {"csv": try_csv, "arff": try_arff, "jsonl": try_json_lines, "mapping": try_mapping}


def _try(work: Callable[[], None]) -> None:
    try:
        work()
    except ProbfsError as error:
        line = str(error)
        assert not any(map(is_unseen, line)), line


def _input(data: bytes, delimiter: str = ",") -> TableInput:
    raw: Any = io.BytesIO(data)
    return TableInput(io.BufferedReader(raw), "fuzz", ReadOptions(), delimiter)


def _use(table: Table, mapping: ColumnMapping | None = None) -> None:
    """Go on to what a ranking and every writer needs."""
    for name, column in table.columns.items():
        assert len(column.codes) == table.rows, name
        assert not len(column.codes) or int(column.codes.max()) <= len(column.values), name
    usable = {name: column for name, column in table.columns.items() if column.problem is None}
    for format_name in TABLE_FORMATS.names(is_writable):
        table_bytes(Table(table.source, usable, table.rows), format_name)
    for measured in (False, True):
        choice = ColumnChoice(numbers_as_they_are=measured)
        encode(prepare(table, mapping or ColumnMapping(), choice))


_HEADS = {
    "csv": "a,b,y\n",
    "arff": "@relation r\n@attribute a {x,'y z'}\n@attribute b numeric\n@attribute y string\n@data\n",
    "jsonl": '{"a": 1, "y": "p"}\n',
    "mapping": "[columns]\n",
}
_TOKENS = {
    "csv": [
        *(",", ",", "\n", "\n", "x,1,p\n", "z,2,q\n", '"', '"a,b"', ";", "\r", "NA", "1e400", "007", "-", " ", "é"),
        *("\0", "\ufeff"),
    ],
    "arff": [
        *("x,1,p\n", "'y z',?,q\n", "{1 2, 2 p}\n", "{", "}", ",", "\n", "?", "'", '"', "\\", "%", " ", "\t", "1", "x"),
        *("{2}", "nan", "é", "@data\n", "@attribute c {p,q}\n", "@attribute d date yyyy\n", "\r", "\ufeff"),
    ],
    "jsonl": [
        *('{"a": 2, "y": "q"}\n', '{"b": null}\n', "{", "}", '"a"', ":", ",", "\n", "1", "NaN", "[1]", "true"),
        *('"\\ud800"', '{"a": [1]}\n', "9" * 5000, " ", "\r", '"é"'),
    ],
    "mapping": [
        *('a = "category"\n', "b = { cut = [1, 2] }\n", 'a = { groups = { g = ["x"] }, other = "o" }\n', 'b = "> 1"\n'),
        *("b = { quantiles = 2 }\n", "a", "y", " = ", "{", "}", "[", "]", '"', "1", "1e9", "nan", "\n", ",", '"*" = '),
        *('"in [1"', "-1", "= 1\n", 'missing = ["x"]\n'),
    ],
}  # fmt: skip


def nearly_right(kind: str) -> st.SearchStrategy[bytes]:
    """A good beginning, and tokens of the format in any order."""
    tokens = st.lists(st.sampled_from(_TOKENS[kind]), max_size=25)
    return tokens.map(lambda some: (_HEADS[kind] + "".join(some)).encode())


STRATEGIES = {kind: nearly_right(kind) for kind in TARGETS}


CHECKS = [HealthCheck.too_slow, HealthCheck.data_too_large]


@pytest.mark.parametrize("kind", TARGETS)
@settings(max_examples=150, suppress_health_check=CHECKS)
@given(st.data())
def test_nearly_right_texts_are_read_or_refused(kind: str, data: st.DataObject) -> None:
    TARGETS[kind](data.draw(STRATEGIES[kind]))


@pytest.mark.parametrize("kind", TARGETS)
@settings(max_examples=100, suppress_health_check=CHECKS)
@given(st.binary(max_size=400))
def test_any_bytes_are_read_or_refused(kind: str, data: bytes) -> None:
    TARGETS[kind](data)
