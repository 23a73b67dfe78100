"""What must hold of any bytes at all: they are read, or refused by an error of the product's own."""

from __future__ import annotations

import io
from collections.abc import Callable
from functools import partial
from typing import Any

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
        apply_mapping(prepare(table, mapping, ColumnChoice()), mapping)

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


# --- texts that are nearly right --------------------------------------------------------------------------------------


def _mostly(good: str, bad: str) -> st.SearchStrategy[str]:
    """One of some words, and one time in twenty one of others; words are separated by bars."""
    return st.integers(0, 19).flatmap(lambda n: st.sampled_from((good if n else bad).split("|")))


_CELL = _mostly("|x|z|0|1.5|-0|7|é|p|q", 'nan|inf|1e400|"|""|"a|a"|\0|\x1b|\u202e|a,b|\'|{|}|%|\\|\ufeff|' + "9" * 40)
_END = _mostly("\n|\r\n", "\r|\n\n|")


@st.composite
def csv_texts(draw: st.DrawFn) -> bytes:
    delimiter = draw(_mostly(",", ";"))
    names = draw(st.lists(_mostly("a|b|c|d|é|a b|=1", '|"|a,b'), min_size=2, max_size=4, unique=True))
    rows = [names]
    for _ in range(draw(st.integers(0, 8))):
        width = len(names) + (draw(st.integers(0, 19)) == 19)
        rows.append([draw(_CELL) for _ in range(width)])
    end = draw(_END)
    lines = [delimiter.join(f'"{cell}"' if draw(st.integers(0, 9)) == 9 else cell for cell in row) for row in rows]
    return _spoiled(draw, (draw(_mostly("", "\ufeff")) + "".join(line + end for line in lines)).encode())


_TYPES: dict[str, st.SearchStrategy[str]] = {
    "numeric": _mostly("1|2.5|-3e2|?|0", "x|''|nan|1_0"),
    "REAL [0,1]": _mostly("1|0|?", "'1'"),
    "string": _mostly("x|'a b'|?|'?'|\"q\"|é", "'|a b|\\"),
    "date": _mostly("'2020-01-02T03:04:05'|?", "2020|x"),
    'date "yyyy-MM-dd"': _mostly("2020-01-02|'2020-12-31'|?", "2020-13-01"),
    "date 'HH:mm Z'": _mostly("'10:00 UTC'|'10:00 +0100'", "'10:00'"),
    "{x,1.5}": _mostly("x|1.5|?|'x'", "y|x y"),
    "{a, 'b c', \"d\"}": _mostly("a|'b c'|d|?", "b c|'?'"),
    "numeric {2}": _mostly("1|2", "x"),
    "{?,'?'}": _mostly("?|'?'", "x"),
    "{}": _mostly("?", "x"),
    "relational": _mostly("?", "x"),
    "{x,": _mostly("x", "y"),
    "": _mostly("x", "y"),
}
_COMMON_TYPES = list(_TYPES)[:8]


@st.composite
def arff_texts(draw: st.DrawFn) -> bytes:
    names = draw(st.lists(_mostly("a|'b c'|\"d\"|é|class|y", "a%b|'|@data|x{|{"), min_size=1, max_size=4, unique=True))
    kinds = [draw(st.sampled_from(list(_TYPES) if draw(st.integers(0, 9)) == 9 else _COMMON_TYPES)) for _ in names]
    lines = [draw(_mostly("@relation r|@RELATION 'a b'|% c", "|@relation a b|\ufeff@relation r"))]
    lines += [f"{draw(_mostly('@attribute|@ATTRIBUTE', '@attr'))} {n} {k}" for n, k in zip(names, kinds, strict=True)]
    lines.append(draw(_mostly("@data|@DATA", "@data % c|@dat")))
    for _ in range(draw(st.integers(0, 8))):
        cells = [draw(_TYPES[kind]) for kind in kinds]
        if draw(st.integers(0, 3)):
            lines.append(draw(_mostly(",|, ", "\t| ")).join(cells) + draw(_mostly("", "|,{2}|,{0.5} % c|%|,")))
        else:
            some = [f"{place} {cell}" for place, cell in enumerate(cells) if draw(st.booleans())]
            lines.append("{" + ", ".join(some) + draw(_mostly("}", "|,}|, 9 x}|, 0 0}|}, {3}")))
    return _spoiled(draw, draw(_mostly("\n|\r\n", "\r")).join(lines).encode())


_JSON_CELL = _mostly(
    '1|2.5|-0|"x"|"1"|""|null|true', 'NaN|-Infinity|1e400|[1]|{"k": [2]}|"\\ud800"|"\\u0000"|"\\n"|x|"|' + "9" * 5000
)


@st.composite
def json_lines_texts(draw: st.DrawFn) -> bytes:
    lines = []
    for _ in range(draw(st.integers(0, 8))):
        keys = [draw(_mostly('"a"|"b"|"y"', '"é"|""|"\\ud800"|a')) for _ in range(draw(st.integers(0, 3)))]
        members = (f"{key}: {draw(_JSON_CELL)}" for key in dict.fromkeys(keys))
        lines.append("{" + ", ".join(members) + draw(_mostly("}", "|,}|]|} {}")))
    return _spoiled(draw, draw(_mostly("\n|\r\n", "\r|\n\n")).join(lines).encode())


_RULE = _mostly(
    '"category"|{ groups = { g = ["x"] } }|{ groups = { g = ["x"] }, other = "o" }|"== x"|"in [\'x\', \'z\']"',
    '"in [x"|{}|1|[[]]|""|"=="|{ groups = { g = [] } }',
)
_NUMBER_RULE = _mostly(
    '"numeric"|"> 1"|{ cut = [1, 2] }|{ quantiles = 2 }|{ widths = 3 }|"category"',
    '{ cut = [2, 1] }|{ quantiles = 1e9 }|{ cut = [nan] }|{ widths = -1 }|"< inf"|">= 2020-01-01"|{ cut = [] }',
)


@st.composite
def mapping_texts(draw: st.DrawFn) -> bytes:
    top = {
        "target": _mostly('"y"|"b"', '"c"|1'),
        "drop": _mostly('["a"]|["b"]|[]', '"a"|["y"]'),
        "missing": _mostly('["x"]|["NA"]|["1", "2"]', '1|[1]'),
        "other": _mostly("1", "2"),
    }  # fmt: skip
    chosen = draw(st.lists(st.sampled_from(list(top)[: 4 if draw(st.integers(0, 9)) == 9 else 3]), unique=True))
    rules = {"a": _RULE, "b": _NUMBER_RULE, "y": _RULE, '"*"': _RULE}
    columns = draw(st.lists(st.sampled_from(list(rules)[: 4 if draw(st.integers(0, 9)) == 9 else 3]), unique=True))
    lines = [f"{key} = {draw(top[key])}" for key in chosen]
    lines += ["[columns]", *(f"{name} = {draw(rules[name])}" for name in columns)]
    return _spoiled(draw, "\n".join(lines).encode())


def _spoiled(draw: st.DrawFn, data: bytes) -> bytes:
    """One time in eight, with a few bytes changed, cut out or put in."""
    if draw(st.integers(0, 7)) < 7 or not data:
        return data
    position = draw(st.integers(0, len(data) - 1))
    return data[:position] + draw(st.binary(max_size=3)) + data[position + draw(st.integers(0, 3)) :]


STRATEGIES = {"csv": csv_texts(), "arff": arff_texts(), "jsonl": json_lines_texts(), "mapping": mapping_texts()}
