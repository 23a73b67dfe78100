"""Table -> the bytes of a file that other tools read.

Typed formats get the cells in the types that they were read in; formats of text get each cell in all of its digits.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from probfs.errors import DataError
from probfs.runtime.output import format_by_ending
from probfs.tables.arrays import EXACT, Codes, index_array, short_number, text_array
from probfs.tables.cells import Kind, encode_exactly, is_text, numbers_by_row
from probfs.tables.column import Column, dictionary_cells, number_column
from probfs.tables.formats import CSV, TABLE_FORMATS, WRITABLE_FORMATS
from probfs.tables.table import Table
from probfs.text import delimited

_ROWS_AT_ONCE = 1 << 16
_LONG_WHOLE_NUMBER = r"^\s*[+-]?\d{16,}\.?0*\s*$"
"""A whole number, such as a key, that may lose digits as a double."""
_JSON_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?", re.ASCII)
_BARE = re.compile(r"[A-Za-z0-9_.:/+-]+")
_ESCAPES = {"\\": "\\\\", "'": "\\'", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_ESCAPED = re.compile(r"[\\'\n\r\t]")


def choose_table_format(
    path: str | os.PathLike[str] | None, chosen: str | None, parameter: str = "output", by_name: bool = True
) -> str:
    """The name of the format to write: the chosen one, else the one of the path's ending; CSV for standard output.

    ``parameter`` is the parameter by which users name the path, and ``by_name`` says whether they could choose.
    """
    if chosen is not None:
        return chosen
    if path is None:
        return CSV.name
    endings = {ending: name for name in WRITABLE_FORMATS for ending in TABLE_FORMATS[name].endings}
    return format_by_ending(path, endings, CSV.name, parameter, by_name)


def table_bytes(table: Table, format_name: str, target: str | None = None, *, safe: bool = False) -> bytes:
    """The table as a file of one of the formats.

    The column called ``target`` is written as a list of classes even if they look like numbers, where the format tells
    these apart. With ``safe``, a text that a spreadsheet would take for a formula begins with an apostrophe in CSV and
    TSV. A column that cannot be used cannot be written either.
    """
    if not table.columns:
        raise DataError("has no column left to write; drop fewer", source=table.source)
    for column in table.columns.values():
        table.usable(column)
    return TABLE_FORMATS[format_name].write(table, target, safe)


def _number_cells(column: Column) -> pa.ChunkedArray | None:
    """Texts that are all numbers as whole numbers or as doubles; None if some have too many digits for that."""
    try:
        whole = pc.cast(pc.utf8_trim_whitespace(column.values), pa.int64())
        return pa.chunked_array([whole.take(dictionary_cells(column.codes, column.values).chunk(0).indices)])
    except pa.ArrowInvalid:
        if pc.any(pc.match_substring_regex(column.values, _LONG_WHOLE_NUMBER)).as_py():
            return None
        return number_column(column.name, numbers_by_row(column.cells, Kind.NUMBER)).cells


def parquet_bytes(table: Table, target: str | None, safe: bool) -> bytes:
    """Columns in the types that they were read in."""
    import pyarrow.parquet as pq

    sink = pa.BufferOutputStream()
    pq.write_table(_arrow_table(table), sink)
    return bytes(sink.getvalue())


def feather_bytes(table: Table, target: str | None, safe: bool) -> bytes:
    """Columns in the types that they were read in, as an Arrow IPC file."""
    arrow = _arrow_table(table)
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, arrow.schema) as writer:
        writer.write_table(arrow.unify_dictionaries())
    return bytes(sink.getvalue())


def _arrow_table(table: Table) -> pa.Table:
    """The cells in the types that the file had; without such, texts as dictionaries, and numbers as plain ones."""
    arrays = {}
    for name, column in table.columns.items():
        cells = column.stored_cells
        if not column.typed and _holds_text(column):
            numbers = _number_cells(column) if column.kind is Kind.NUMBER else None
            texts = dictionary_cells(column.codes, column.values).cast(pa.dictionary(pa.int32(), pa.string()))
            cells = texts if numbers is None else numbers
        elif not column.typed and column.kind is Kind.NUMBER:
            known = column.by_row[~np.isnan(column.by_row)]
            if len(known) and np.all((known == np.floor(known)) & (np.abs(known) < EXACT)):
                cells = cells.cast(pa.int64())
        arrays[name] = cells
    return pa.Table.from_arrays(list(arrays.values()), names=list(arrays))


def _holds_text(column: Column) -> bool:
    dtype = column.cells.type
    return is_text(dtype.value_type if pa.types.is_dictionary(dtype) else dtype)


def _delimited_bytes(table: Table, target: str | None, safe: bool, delimiter: str) -> bytes:
    special = f'["\r\n{delimiter}]'
    # One empty cell alone would be a blank line, which is no row.
    missing = text_array(['""' if len(table.columns) == 1 else ""])

    def shown(column: Column, texts: pa.StringArray) -> pa.StringArray:
        if _holds_text(column) and (safe or pc.any(pc.match_substring_regex(texts, special), min_count=0).as_py()):
            texts = text_array([delimited([[text]], delimiter, safe)[:-1] for text in texts.to_pylist()])
        return pa.concat_arrays([texts, missing])

    return delimited([list(table.columns)], delimiter, safe).encode() + _join_rows(table, shown, delimiter, "\n")


csv_bytes = partial(_delimited_bytes, delimiter=",")
tsv_bytes = partial(_delimited_bytes, delimiter="\t")


def json_lines_bytes(table: Table, target: str | None, safe: bool) -> bytes:
    """An object a row, with null for a missing cell; numbers where the file that was read declared numbers."""
    first = next(iter(table.columns))

    def shown(column: Column, texts: pa.StringArray) -> pa.StringArray:
        key = ("{" if column.name == first else "") + json.dumps(column.name, ensure_ascii=False)
        written = []
        for text in texts.to_pylist():
            is_number = column.kind is Kind.NUMBER
            value = text if is_number and _JSON_NUMBER.fullmatch(text) else json.dumps(text, ensure_ascii=False)
            # JSON has no infinite number: it is written as text.
            if is_number and value != text and np.isfinite(float(text)):
                value = short_number(float(text))
            written.append(value)
        return text_array([f"{key}: {value}" for value in (*written, "null")])

    return _join_rows(table, shown, ", ", "}\n")


def arff_bytes(table: Table, target: str | None, safe: bool) -> bytes:
    """ARFF as Weka reads it: columns of numbers other than the target are numeric attributes, all others nominal ones.

    (liac-arff writes the value ``?`` as a missing cell and leaves quotes in names.)
    """
    header = ["@relation probfs", ""]

    def shown(column: Column, texts: pa.StringArray) -> pa.StringArray:
        numeric = column.kind is Kind.NUMBER and not column.categorical
        if not numeric and column.kind is not Kind.DATE and not column.is_nominal and len(texts):
            # Reading the texts as numbers may lose nothing.
            numbers = column.numbers()
            numeric = numbers is not None and len(np.unique(numbers[np.isfinite(numbers)])) == len(numbers)
        numeric = numeric and column.name != target
        listed = texts.to_pylist() if numeric else [_quote_arff(text) for text in texts.to_pylist()]
        kind = "numeric" if numeric else f"{{{','.join(listed)}}}"
        header.append(f"@attribute {_quote_arff(column.name)} {kind}")
        return text_array([*listed, "?"])

    rows = _join_rows(table, shown, ",", "\n")
    return "\n".join([*header, "", "@data", ""]).encode() + rows


def _quote_arff(text: str) -> str:
    """A name or value, in quotes unless it needs none: v1, 'two words', '?'."""
    if _BARE.fullmatch(text):
        return text
    return f"'{_ESCAPED.sub(lambda match: _ESCAPES[match[0]], text)}'"


def _join_rows(
    table: Table, shown: Callable[[Column, pa.StringArray], pa.StringArray], separator: str, end: str
) -> bytes:
    """A line for each row, of its cells as ``shown`` has them: it is given the distinct texts of a column, and returns
    what is written for each of them, and last for a missing cell.
    """
    columns: list[tuple[Codes, pa.LargeStringArray]] = []
    for column in table.columns.values():
        codes, texts = column.codes, column.values
        if not column.is_nominal and column.kind is Kind.NUMBER and _holds_text(column):
            codes, texts = encode_exactly(column.cells)
        elif not column.is_nominal and column.kind is Kind.DATE and not _holds_text(column):
            # In all digits, and with time zones.
            codes, texts = encode_exactly(column.stored_cells)
        # Large ones, as many rows together may have more bytes than one array of plain strings holds.
        columns.append((codes, shown(column, texts).cast(pa.large_string())))
    codes, texts = columns[-1]
    columns[-1] = codes, pc.binary_join_element_wise(texts, _scalar(end), _scalar(""))
    pieces = []
    for first in range(0, table.rows, _ROWS_AT_ONCE):
        cells = [texts.take(index_array(codes[first : first + _ROWS_AT_ONCE])) for codes, texts in columns]
        lines = pc.binary_join_element_wise(*cells, _scalar(separator))
        # The texts of an array stand one after the other.
        ends = np.frombuffer(lines.buffers()[1], np.int64)
        pieces.append(lines.buffers()[2].slice(0, int(ends[len(lines)])))
    return b"".join(pieces)


def _scalar(text: str) -> pa.LargeStringScalar:
    return text_array([text]).cast(pa.large_string())[0]
