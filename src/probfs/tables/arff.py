"""ARFF, dense and sparse -> Table: pyarrow reads blocks of plain rows, liac-arff all others one by one.

Behind a row may stand a comment or a weight. Where liac-arff refuses a row, commas, or else tabs or blanks, separate
its values, as Weka has it.
"""

from __future__ import annotations

import contextlib
import csv
import re
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import pyarrow as pa

from probfs.errors import DataError
from probfs.notes import NoteKind
from probfs.runtime.memory import require_memory
from probfs.tables.arff_header import (
    QUOTED,
    UNCLOSED_QUOTE,
    Attribute,
    Header,
    as_bytes,
    open_text,
    read_header,
    unquote,
)
from probfs.tables.arrays import EXACT, Integers, double_array, filled, inexact_columns, text_array
from probfs.tables.cells import Kind, texts_of
from probfs.tables.column import Column, dictionary_cells
from probfs.tables.opening import TableInput, decode_line
from probfs.tables.table import NoRowsError, RowLines, Table
from probfs.text import counted, listed, quoted

_BLOCK = 16 << 20
"""How many characters are read at a time."""
_CELLS_AT_ONCE = 1 << 22
"""Cells of rows that are checked together: a sparse row of two bytes stands for as many as are declared."""
_SPECIAL = b"\\%{}'\"" + bytes(number for number in range(32) if number not in b"\t\n")
"""Characters that no plain row has."""
_BLANKS = re.compile(rb"[ \t]+")
_TRAILING_COMMAS = re.compile(rb",[ \t]*$", re.MULTILINE)
_DOUBLE = pa.float64()
_DICTIONARY = pa.dictionary(pa.int32(), pa.string())
_NUMBER = re.compile(r"[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|inf|infinity)", re.ASCII | re.IGNORECASE)
_QUOTED_VALUE = re.compile(rf"(?<![^\s,{{])({QUOTED})(?![^\s,{{}}%])")
_COMMENT = re.compile(r"(?:^|(?<=[\s,}\0]))%.*", re.DOTALL)
_WEIGHT = re.compile(r"(?<!^)[\s,]*\{\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\s*\}$")
_EMPTY = re.compile(r"(?:^|,)\s*(?:,|$)")
_NO_ESCAPE_OF_LIAC = re.compile(r"\\[^'\"\\tnrbf]")


def read_arff(table_input: TableInput) -> Table:
    """Read an ARFF file; nominal attributes keep their declared values."""
    with table_input.as_utf8() as raw:
        text = open_text(raw)
        header = read_header(text, table_input.source)
        reader = _DataReader(header, table_input.source)
        reader.read(header.row_on_data_line.encode() + b"\n")
        while data := as_bytes(text.read(_BLOCK) + text.readline()):
            reader.read(data.removesuffix(b"\n") + b"\n")
        return reader.finish()


class _RowError(Exception):
    """What is wrong with a row, or with a ``text`` in it."""

    def __init__(self, problem: str, text: str = "") -> None:
        super().__init__(problem)
        self.text = text


class _DataReader:
    """Reads the rows below @data into the columns that a header declares."""

    def __init__(self, header: Header, source: str) -> None:
        self._header, self._source, self._attributes = header, source, header.attributes
        self._parser = _RowParser(len(header.attributes))
        self._next_line = header.lines
        self._lines: list[Integers] = []
        self._chunks: list[list[pa.Array]] = [[] for _ in header.attributes]

    def read(self, data: bytes) -> None:
        """Read the next lines."""
        first_line = self._next_line
        self._next_line += data.count(b"\n")
        lines = np.arange(first_line, self._next_line)
        if b"%" in data or data[:1] in b" \t\n" or any(blank in data for blank in (b"\n ", b"\n\t", b"\n\n")):
            lines, data = _without_comments(lines, data)
        if not len(lines):
            return
        require_memory(8 * len(lines) * len(self._attributes), "this table", self._source)
        self._lines.append(lines)
        plain = self._read_plain(data, len(lines))
        if plain is not None:
            self._add(plain)
        else:
            self._read_rows(data.split(b"\n"), lines.tolist())

    def _add(self, cells: Iterable[list[pa.Array]]) -> None:
        for chunks, more in zip(self._chunks, cells, strict=True):
            chunks += more

    def finish(self) -> Table:
        """The table of all rows that were read."""
        if not self._lines:
            names = [attribute.name for attribute in self._attributes]
            problem = "has no data rows below @data; is the file cut off?"
            raise NoRowsError(problem, source=self._source, columns=names)
        columns = {}
        for attribute, chunks in zip(self._attributes, self._chunks, strict=True):
            if attribute.kind == "number" and {chunk.type for chunk in chunks} != {_DOUBLE}:
                chunks = [texts_of(chunk).dictionary_encode() if chunk.type == _DOUBLE else chunk for chunk in chunks]
            declared = None if attribute.nominal is None else text_array(attribute.nominal)
            columns[attribute.name] = Column(attribute.name, pa.chunked_array(chunks), Kind(attribute.kind), declared)
        notes = self._header.notes
        if self._parser.weighted:
            notes += (NoteKind.IGNORED.note(f"{self._source}: instance weights are ignored"),)
        lines = np.concatenate(self._lines)
        target = next((name for name in columns if name.lower() == "class"), None)
        hint = None if target is None else (target, "the ARFF attribute of that name")
        return Table(self._source, columns, len(lines), RowLines.of(lines), hint, notes)

    def _read_plain(self, data: bytes, rows: int) -> list[list[pa.Array]] | None:
        """The cells of each column of a block, if pyarrow can read it: dense rows without quotes, separated alike."""
        width = len(self._attributes)
        # pyarrow would drop a byte-order mark.
        if len(data.translate(None, _SPECIAL)) < len(data) or data.startswith(b"\xef\xbb\xbf"):
            return None
        if b"," not in data and width > 1:
            data = _BLANKS.sub(b",", data)
        if data[: data.find(b"\n")].rstrip().endswith(b","):
            data = _TRAILING_COMMAS.sub(b"", data)
        types = [_DOUBLE if attribute.kind == "number" else _DICTIONARY for attribute in self._attributes]
        try:
            table = _parse_csv(data, types)
            inexact = inexact_columns(table, [str(place) for place, dtype in enumerate(types) if dtype == _DOUBLE])
            if inexact:
                types = [_DICTIONARY if str(place) in inexact else dtype for place, dtype in enumerate(types)]
                table = _parse_csv(data, types)
            columns = zip(self._attributes, table.columns, strict=True)
            cells = [[self._fit(attribute, chunk) for chunk in column.chunks] for attribute, column in columns]
        except (pa.ArrowInvalid, _RowError):
            # Row by row, the line at fault is found.
            return None
        return cells if table.num_rows == rows else None

    def _read_rows(self, texts: Sequence[bytes], lines: Sequence[int]) -> None:
        """Read rows that are split one by one."""
        # Sparse rows leave out zeros and the first declared value.
        omitted = [
            "0" if known.kind == "number" else known.nominal[0] if known.nominal else None for known in self._attributes
        ]
        at_once = max(1, _CELLS_AT_ONCE // len(self._attributes))
        for first in range(0, len(lines), at_once):
            some = lines[first : first + at_once]
            rows, faults = [], []
            for text, line in zip(texts[first:], some, strict=False):
                cells = omitted.copy()
                try:
                    for place, value in self._parser.parse(decode_line(text, line, self._source).strip()):
                        cells[place] = value
                except _RowError as error:
                    faults.append((line, str(error)))
                    break
                rows.append(cells)
            fitted = []
            for attribute, column in zip(self._attributes, zip(*rows, strict=True), strict=bool(rows)):
                try:
                    fitted.append([self._fit(attribute, text_array(column).dictionary_encode(), split=True)])
                except _RowError as error:
                    problem = f"column {quoted(attribute.name)}: {quoted(error.text)} {error}"
                    faults.append((some[column.index(error.text)], problem))
            if faults:
                line, problem = min(faults)
                raise DataError(problem, source=self._source, line=line)
            self._add(fitted)

    def _fit(self, attribute: Attribute, cells: pa.Array, *, split: bool = False) -> pa.Array:
        """Cells as their attribute declares them; those that were ``split`` one by one may be ? or blank as texts."""
        if cells.type == _DOUBLE:
            return cells
        texts: list[str | None] = cells.dictionary.to_pylist()
        if not split:
            texts = [_bare_value(text or "") for text in texts]
        if attribute.nominal is None:
            texts = [None if text is None else _meaning(attribute, text) for text in texts]
        values = (
            dict.fromkeys(text for text in texts if text is not None)
            if attribute.nominal is None
            else attribute.nominal
        )
        places = {text: place for place, text in enumerate(values)}
        unknown = next((text for text in texts if text is not None and text not in places), None)
        if unknown is not None:
            problem = f"is not among the declared values: {listed(values)}; declare it too"
            raise _RowError(problem, unknown)
        codes = np.array([len(places) if text is None else places[text] for text in texts] + [len(places)])
        codes = codes[filled(cells.indices, len(texts))]
        if attribute.kind == "number":
            numbers = np.array([*map(float, places), np.nan])
            if np.all(np.abs(numbers[:-1]) < EXACT):
                return double_array(numbers[codes])
        return dictionary_cells(codes, text_array(list(places))).chunk(0)


def _meaning(attribute: Attribute, text: str) -> str | None:
    """The value that a text stands for, None if it is missing; an error if it is not what is declared."""
    if attribute.kind == "number":
        number = text.strip()
        # Weka's missing value is NaN, and may be written so.
        if number.lower() == "nan":
            return None
        if not _NUMBER.fullmatch(number):
            raise _RowError("is not a number, as declared; ? is a missing one", text)
        return number
    try:
        return text if attribute.parse_date is None else attribute.parse_date(text)
    except ValueError:
        problem = f"is not a date written as {quoted(attribute.date_format)}, as declared; ? is a missing one"
        raise _RowError(problem, text) from None


def _without_comments(lines: Integers, data: bytes) -> tuple[Integers, bytes]:
    """The lines of a block that are neither blank nor comments: their numbers, and them."""
    texts = [line.strip() for line in data.split(b"\n")]
    kept = [place for place, text in enumerate(texts) if text and not text.startswith(b"%")]
    return lines[kept], b"".join(texts[place] + b"\n" for place in kept)


def _parse_csv(data: bytes, types: Sequence[pa.DataType]) -> pa.Table:
    """What pyarrow reads from plain rows, with columns called by their places."""
    from pyarrow import csv

    column_types = {str(place): dtype for place, dtype in enumerate(types)}
    # Half of the data for each of two threads, but no more than pyarrow takes.
    block_size = min(max(1 << 20, len(data) // 2), 1 << 30)
    return csv.read_csv(
        pa.BufferReader(data),
        csv.ReadOptions(column_names=list(column_types), block_size=block_size),
        csv.ParseOptions(quote_char=False, ignore_empty_lines=False),
        csv.ConvertOptions(
            column_types=column_types, null_values=["?", " ?", "nan", "NaN", "NAN"], strings_can_be_null=False
        ),
    )


class _RowParser:
    """Splits rows that are not plain: quoted, sparse or weighted ones, and those with comments behind them."""

    def __init__(self, width: int) -> None:
        import arff

        self._width, self._texts = width, [str] * width
        self._dense, self._sparse = arff.DenseGeneratorData(), arff.LODGeneratorData()
        self._refusals = (arff.ArffException, ValueError, csv.Error)
        self.weighted = False
        """Whether any row so far has a weight; weights are ignored."""

    def parse(self, line: str) -> Iterable[tuple[int, str | None]]:
        """The position and the value of each cell, None for a missing one; a sparse row leaves out some."""
        values: list[str] = _QUOTED_VALUE.findall(line)
        # With NUL, which no line holds, in place of each quoted value.
        outline = _COMMENT.sub("", _QUOTED_VALUE.sub("\0", line)).rstrip(", \t")
        row = _WEIGHT.sub("", outline)
        self.weighted |= row != outline
        is_sparse = row.startswith("{")
        if not is_sparse and _EMPTY.search(row):
            raise _RowError("an empty value; a missing one is written ?")
        text = _fill(row, iter(values))
        if not _NO_ESCAPE_OF_LIAC.search(text):
            # What it refuses is split below, or else the reason found.
            with contextlib.suppress(*self._refusals):
                if not is_sparse:
                    return enumerate(next(self._dense.decode_rows((text,), self._texts)))
                decoded: dict[int, str | None] = next(self._sparse.decode_rows((text,), self._texts))
                if len(decoded) == row.count(",") + (row.strip("{ \t}") != ""):
                    return decoded.items()
        if is_sparse:
            known = f"from 0 to {self._width - 1}, each once"
            raise _RowError(f"the sparse row is not {{index value, …}} with indices {known}")
        return enumerate(self._split_dense(row, values))

    def _split_dense(self, row: str, values: list[str]) -> list[str | None]:
        for separator in (",",) if "," in row else ("\t", None):
            cells = row.split(separator)
            if len(cells) == self._width:
                rest = iter(values)
                return [_bare_value(_fill(cell, rest)) for cell in cells]
        if any(cell.strip()[:1] in ("'", '"') for cell in row.split(",")):
            raise _RowError(UNCLOSED_QUOTE)
        cells = row.split("," if "," in row else None)
        declared = f"{counted(self._width, 'attribute')} are declared"
        raise _RowError(f"{counted(len(cells), 'value')}, but {declared}; a missing one is written ?")


def _fill(outline: str, values: Iterator[str]) -> str:
    """An outline with the next quoted values in their places."""
    return re.sub("\0", lambda _: next(values), outline)


def _bare_value(cell: str) -> str | None:
    """The value of a cell, quoted or bare; None for a missing one."""
    bare = cell.strip()
    if not bare:
        raise _RowError("an empty value; a missing one is written ?")
    if bare[0] in "'\"" and not re.fullmatch(QUOTED, bare):
        raise _RowError(UNCLOSED_QUOTE)
    return None if bare == "?" else unquote(bare)
