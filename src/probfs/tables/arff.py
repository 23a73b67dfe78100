"""ARFF, dense and sparse -> Table: pyarrow reads blocks of plain rows, liac-arff splits all others one by one.

Rows are what Weka takes them for: blanks and tabs separate values as well as commas, a comment or a weight may stand
behind a row. Blanks inside values, as people write them, are taken where commas or tabs give the right number.
"""

from __future__ import annotations

import contextlib
import csv
import re
from collections.abc import Iterable, Sequence
from operator import itemgetter
from typing import Any

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
_SPECIAL = b"\\%{}" + bytes(number for number in range(32) if number not in b"\t\n")
"""Characters that no plain row has."""
_BLANKS = re.compile(rb"[ \t]+")
_OUTER_COMMAS = re.compile(rb"^,|,$", re.MULTILINE)
_TRAILING_COMMAS = re.compile(rb",[ \t]*$", re.MULTILINE)
_DOUBLE = pa.float64()
_DICTIONARY = pa.dictionary(pa.int32(), pa.string())
_NUMBER = re.compile(r"[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|inf|infinity)", re.ASCII | re.IGNORECASE)
_TOKEN = re.compile(
    rf"""
    ((?:{QUOTED})(?=[\0-\x20,{{}}%]|\Z))
    | [^\0-\x20,{{}}%'"][^\0-\x20,{{}}]*
    | ([{{}}] | %.* | ['"].*)
    """,
    re.VERBOSE | re.DOTALL,
)
"""A value as Weka takes it, quoted or bare, or else: a brace, a comment, a quote that closes before no separator."""
_WEIGHT = re.compile(r"\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\s*")
_NOT_FOR_LIAC = re.compile(r"%|\\[^'\"\\tnrbf]|[\0-\x08\x0b\x0c\x0e-\x1f]|^,|,\s*(?:,|$)")
"""What liac-arff reads otherwise than Weka: comments behind rows, rare escapes, control characters, empty cells."""
_INDEX = re.compile(r"[0-9]{1,9}")
Row = Iterable[tuple[int, "str | None"]]


def read_arff(table_input: TableInput) -> Table:
    """Read an ARFF file; nominal attributes keep their declared values."""
    with table_input.as_utf8() as raw:
        text = open_text(raw)
        header = read_header(text, table_input.source)
        reader = _DataReader(header, table_input.source)
        reader.read(header.row_on_data_line.encode() + b"\n")
        while data := as_bytes(text.read(_BLOCK) + text.readline()):
            reader.read(data if data.endswith(b"\n") else data + b"\n")
        return reader.finish()


class _ValueError(Exception):
    """A value that is not what its attribute declares."""

    def __init__(self, text: str, problem: str) -> None:
        super().__init__(problem)
        self.text = text


class _DataReader:
    """Reads the rows below @data into the columns that a header declares."""

    def __init__(self, header: Header, source: str) -> None:
        self._header, self._source, self._attributes = header, source, header.attributes
        self._parser = _RowParser(header.attributes)
        self._next_line = header.lines
        self._lines: list[Integers] = []
        self._chunks: list[list[pa.Array]] = [[] for _ in header.attributes]
        lists = {attribute.nominal for attribute in header.attributes if attribute.nominal is not None}
        self._declared = {values: (_places(values), text_array(values)) for values in lists}

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
            declared = None if attribute.nominal is None else self._declared[attribute.nominal][1]
            columns[attribute.name] = Column(attribute.name, pa.chunked_array(chunks), Kind(attribute.kind), declared)
        notes = self._header.notes
        if self._parser.weighted:
            notes += (NoteKind.IGNORED.note(f"{self._source}: instance weights are ignored"),)
        lines = np.concatenate(self._lines)
        target = next((name for name in columns if name.lower() == "class"), None)
        hint = None if target is None else (target, "the ARFF attribute of that name")
        return Table(self._source, columns, len(lines), RowLines.of(lines), hint, notes)

    def _read_plain(self, data: bytes, rows: int) -> list[list[pa.Array]] | None:
        """The cells of each column of a block, if pyarrow can read it: dense rows, all separated alike."""
        width = len(self._attributes)
        if len(data.translate(None, _SPECIAL)) < len(data) or (width == 1 and b"\t" in data):
            return None
        quote = "".join(quote for quote in "'\"" if quote.encode() in data)
        # pyarrow would drop a byte-order mark.
        if data.startswith(b"\xef\xbb\xbf") or (quote and not _quotes_surround_values(data, quote.encode())):
            return None
        data = _separated_by_commas(data, width)
        types = [_DOUBLE if attribute.kind == "number" else _DICTIONARY for attribute in self._attributes]
        try:
            table = _parse_csv(data, types, quote)
            inexact = inexact_columns(table, [str(place) for place, dtype in enumerate(types) if dtype == _DOUBLE])
            if inexact:
                types = [_DICTIONARY if str(place) in inexact else dtype for place, dtype in enumerate(types)]
                table = _parse_csv(data, types, quote)
            columns = zip(self._attributes, table.columns, strict=True)
            cells = [[self._fit(attribute, chunk, quote) for chunk in column.chunks] for attribute, column in columns]
        except (pa.ArrowInvalid, _ValueError):
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
                    fitted.append([self._fit(attribute, text_array(column).dictionary_encode())])
                except _ValueError as error:
                    problem = f"column {quoted(attribute.name)}: {quoted(error.text)} {error}"
                    faults.append((some[column.index(error.text)], problem))
            if faults:
                line, problem = min(faults, key=itemgetter(0))
                raise DataError(problem, source=self._source, line=line)
            self._add(fitted)

    def _fit(self, attribute: Attribute, cells: pa.Array, quote: str | None = None) -> pa.Array:
        """Cells as their attribute declares them; where pyarrow has read them, ``quote`` says around which quotes."""
        if cells.type == _DOUBLE:
            return cells
        texts: list[str | None] = cells.dictionary.to_pylist()
        if quote is not None:
            texts = [_plain_value(text or "", quote) for text in texts]
        texts = [None if text is None else self._meaning(attribute, text) for text in texts]
        if attribute.nominal is not None:
            places, values = self._declared[attribute.nominal]
        else:
            places = _places(dict.fromkeys(text for text in texts if text is not None))
            values = text_array(list(places))
        codes = np.array([len(places) if text is None else places[text] for text in texts] + [len(places)])
        codes = codes[filled(cells.indices, len(texts))]
        if attribute.kind == "number":
            numbers = np.array([*map(float, places), np.nan])
            if np.all(np.abs(numbers[:-1]) < EXACT):
                return double_array(numbers[codes])
        return dictionary_cells(codes, values).chunk(0)

    def _meaning(self, attribute: Attribute, text: str) -> str | None:
        """The value that a text stands for, None if it is missing; an error if it is not what is declared."""
        if attribute.nominal is not None:
            if text in self._declared[attribute.nominal][0]:
                return text
            raise _ValueError(text, f"is not among the declared values: {listed(attribute.nominal)}; declare it too")
        if attribute.kind == "number":
            number = text.strip()
            # Weka's missing value is NaN, and may be written so.
            if number.lower() == "nan":
                return None
            if not _NUMBER.fullmatch(number):
                raise _ValueError(text, "is not a number, as declared; ? is a missing one")
            return number
        try:
            return text if attribute.parse_date is None else attribute.parse_date(text)
        except (ValueError, OverflowError):
            problem = f"is not a date written as {quoted(attribute.date_format)}, as declared; ? is a missing one"
            raise _ValueError(text, problem) from None


def _places(values: Iterable[str]) -> dict[str, int]:
    return {text: place for place, text in enumerate(values)}


def _plain_value(text: str, quote: str) -> str | None:
    """A value that pyarrow has read, None for a missing one; blanks and ? may have been in quotes or not."""
    bare = text.strip()
    if not bare or (quote and (bare != text or bare == "?" or quote in text)):
        raise _ValueError(text, "is not plain")
    return None if bare == "?" else bare


def _quotes_surround_values(data: bytes, quote: bytes) -> bool:
    """Whether every quote, all of one kind, opens before a value or closes behind it, as far as counts can tell."""
    places = (b"," + quote, b"\n" + quote, quote + b",", quote + b"\n")
    around = data.startswith(quote) + sum(map(data.count, places))
    return len(quote) == 1 and b"," in data and data.count(quote) == around


def _without_comments(lines: Integers, data: bytes) -> tuple[Integers, bytes]:
    """The lines of a block that are neither blank nor comments: their numbers, and them."""
    texts = [line.strip() for line in data.split(b"\n")]
    kept = [place for place, text in enumerate(texts) if text and not text.startswith(b"%")]
    return lines[kept], b"".join(texts[place] + b"\n" for place in kept)


def _separated_by_commas(data: bytes, width: int) -> bytes:
    """Plain rows with a comma between values, and none elsewhere, if the first row shows that they have others."""
    if b"," not in data and width > 1:
        return _OUTER_COMMAS.sub(b"", _BLANKS.sub(b",", data))
    first_row = data[: data.find(b"\n")]
    return _TRAILING_COMMAS.sub(b"", data) if first_row.rstrip().endswith(b",") else data


def _parse_csv(data: bytes, types: Sequence[pa.DataType], quote: str) -> pa.Table:
    """What pyarrow reads from plain rows, with columns called by their places."""
    from pyarrow import csv

    column_types = {str(place): dtype for place, dtype in enumerate(types)}
    # Half of the data for each of two threads, but no more than pyarrow takes.
    block_size = min(max(1 << 20, len(data) // 2), 1 << 30)
    return csv.read_csv(
        pa.BufferReader(data),
        csv.ReadOptions(column_names=list(column_types), block_size=block_size),
        csv.ParseOptions(
            quote_char=quote or False, double_quote=False, newlines_in_values=bool(quote), ignore_empty_lines=False
        ),
        csv.ConvertOptions(
            column_types=column_types,
            # Among texts, only a bare ? is a missing one.
            null_values=["?"] if quote else ["?", " ?", "nan", "NaN", "NAN"],
            strings_can_be_null=bool(quote),
            quoted_strings_can_be_null=False,
        ),
    )


class _RowError(Exception):
    """What is wrong with a row."""


class _RowParser:
    """Splits rows that are not plain: quoted, sparse or weighted ones, and those with comments behind them.

    liac-arff splits rows as the format's description has them. What it refuses, or reads otherwise than Weka, is split
    here, or refused with the reason.
    """

    def __init__(self, attributes: Sequence[Attribute]) -> None:
        import arff

        self._width, self._last = len(attributes), attributes[-1]
        self._texts = [str] * self._width
        self._dense, self._sparse = arff.DenseGeneratorData(), arff.LODGeneratorData()
        self._refusals = (arff.ArffException, ValueError, csv.Error)
        self.weighted = False
        """Whether any row so far has a weight; weights are ignored."""

    def parse(self, line: str) -> Row:
        """The position and the value of each cell, None for a missing one; a sparse row leaves out some."""
        is_sparse = line.lstrip(", \t").startswith("{")
        if not _NOT_FOR_LIAC.search(line):
            # What it refuses is split below, or else the reason found.
            with contextlib.suppress(*self._refusals):
                row: Any = next((self._sparse if is_sparse else self._dense).decode_rows((line,), self._texts))
                if not is_sparse:
                    return enumerate(row)
                if len(row) > line.count(","):
                    # Else an index may stand twice.
                    items: Row = row.items()
                    return items
        tokens = list(_TOKEN.finditer(line))
        comment = next((place for place, token in enumerate(tokens) if (token[2] or "").startswith("%")), len(tokens))
        line, tokens = line[: tokens[comment].start()] if tokens[comment:] else line, tokens[:comment]
        marks = [token[2] for token in tokens[-3:]]
        if len(tokens) > 3 and marks == ["{", None, "}"] and _WEIGHT.fullmatch(tokens[-2][0]):
            self.weighted = True
            line, tokens = line[: tokens[-3].start()].rstrip(", \t"), tokens[:-3]
        return self._split_sparse(tokens).items() if is_sparse else enumerate(self._split_dense(line, tokens))

    def _split_sparse(self, tokens: Sequence[re.Match[str]]) -> dict[int, str | None]:
        end = next((place for place, token in enumerate(tokens) if place and token[2]), len(tokens))
        if end == len(tokens) or tokens[end][2] != "}":
            _refuse_open_quote(tokens[end:])
            raise _RowError("the sparse row is never closed with '}'")
        if end + 1 < len(tokens):
            rest = " ".join(token[0] for token in tokens[end + 1 :])
            raise _RowError(f"{quoted(rest)} after the row is not understood")
        values: dict[int, str | None] = {}
        for place in range(1, end, 2):
            index = tokens[place][0]
            if not _INDEX.fullmatch(index) or place + 1 == end:
                raise _RowError(f"a sparse row is {{index value, …}}; {quoted(index)} does not fit")
            if int(index) >= self._width:
                raise _RowError(f"index {index} is out of range: {counted(self._width, 'attribute')}, the first is 0")
            if int(index) in values:
                raise _RowError(f"index {index} stands twice in the row; keep one")
            values[int(index)] = _value(tokens[place + 1][0])
        return values

    def _split_dense(self, line: str, tokens: Sequence[re.Match[str]]) -> list[str | None]:
        _refuse_open_quote(tokens)
        ends = [0, *(token.end() for token in tokens)]
        gaps = [line[end : token.start()] for end, token in zip(ends, tokens, strict=False)]
        separator = "," if any("," in gap for gap in gaps) else "\t"
        cells: list[str] = []
        joined_quotes = False
        for token, gap in zip(tokens, gaps, strict=True):
            if separator in gap or not cells:
                cells.append(token[0])
            else:
                # Blanks inside a value.
                cells[-1] += gap + token[0]
                joined_quotes |= bool(token[1]) or cells[-1][0] in "'\""
        if joined_quotes or len(cells) != self._width:
            places = 1 + sum(gap.count(separator) for gap in [*gaps, line[ends[-1] :]])
            if not tokens or places == self._width > len(cells):
                raise _RowError("an empty value; a missing one is written ?")
            if len(tokens) != self._width or any(token[2] for token in tokens):
                number = counted(len(cells) if len(cells) > 1 else len(tokens), "value")
                declared = f"{counted(self._width, 'attribute')} are declared"
                raise _RowError(f"{number}, but {declared}; a missing one is written ?")
            cells = [token[0] for token in tokens]
        values = [_value(cell) for cell in cells]
        last = values[-1]
        if last and "%" in last and (self._last.kind != "text" or last not in (self._last.nominal or (last,))):
            # To Weka, a comment begins here too.
            values[-1] = last.partition("%")[0].strip()
        return values


def _refuse_open_quote(tokens: Iterable[re.Match[str]]) -> None:
    """Refuse a row with a quote that closes before no separator, or nowhere."""
    rest = next((token[2] for token in tokens if token[2] and token[2][0] in "'\""), "")
    if closed := re.match(QUOTED, rest):
        behind = rest[closed.end() :].partition(",")[0].strip()
        raise _RowError(f"{quoted(behind)} follows a closing quote; escape a quote inside with a backslash")
    if rest:
        raise _RowError(UNCLOSED_QUOTE)


def _value(cell: str) -> str | None:
    """The value of a cell, quoted or bare; None for a missing one."""
    bare = cell.strip()
    if not bare:
        raise _RowError("an empty value; a missing one is written ?")
    return None if bare == "?" else unquote(bare)
