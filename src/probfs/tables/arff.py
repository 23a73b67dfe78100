"""ARFF, dense and sparse -> Table: blocks of plain rows go to pyarrow, others after each row was split and checked.

Rows are what Weka takes them for: blanks and tabs separate values as well as commas, a comment or a weight may stand
behind a row. Blanks inside values, as people write them, are taken where commas or tabs give the right number.
"""

from __future__ import annotations

import contextlib
import csv
import re
from collections.abc import Callable, Iterable, Sequence

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
from probfs.tables.arrays import Integers, filled, inexact_columns, text_array
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
_MISSING_NUMBERS = ("?", " ?", "nan", "NaN", "NAN")
_NUMBER = re.compile(r"[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|inf|infinity)", re.ASCII | re.IGNORECASE)
_TOKEN = re.compile(
    rf"""
    ((?:{QUOTED})(?=[\0-\x20,{{}}%]|\Z))
    | ([^\0-\x20,{{}}%'"][^\0-\x20,{{}}]*)
    | ([{{}}] | %.* | ['"].*)
    """,
    re.VERBOSE | re.DOTALL,
)
"""A value as Weka takes it, quoted or bare, or else: a brace, a comment, a quote that closes before no separator."""
_CELLS = {
    ",": re.compile(rf"[ \t]*(?:({QUOTED})[ \t]*|([^,]*))(?:,|\Z)"),
    "\t": re.compile(rf"[ ]*(?:({QUOTED})[ ]*|([^\t]*))(?:\t|\Z)"),
}
_OPENING_QUOTE = re.compile(r"(?:^|\s)['\"]")
_WEIGHT = re.compile(r"\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\s*")
_NOT_FOR_LIAC = re.compile(r"%|\\[^'\"\\tnrbf]|[\0-\x08\x0b\x0c\x0e-\x1f]|^,|,\s*(?:,|$)")
_INDEX = re.compile(r"[0-9]{1,9}")
Clean = Callable[[list[str]], "list[str | None] | None"]
"""Gives the values that texts stand for, None for a missing one; None in all, if that is not certain."""


def read_arff(table_input: TableInput) -> Table:
    """Read an ARFF file; nominal attributes keep their declared values."""
    stream, source = table_input.as_utf8(), table_input.source
    text = open_text(stream)
    header = read_header(text, source)
    reader = _DataReader(header, source)
    stream.check_memory(0)
    reader.read(header.row_on_data_line.encode() + b"\n")
    while data := as_bytes(text.read(_BLOCK) + text.readline()):
        reader.read(data if data.endswith(b"\n") else data + b"\n")
        stream.check_memory(reader.nbytes)
    return reader.finish()


class _DataReader:
    """Reads the rows below @data into the columns that a header declares."""

    def __init__(self, header: Header, source: str) -> None:
        self._header, self._source, self._attributes = header, source, header.attributes
        self._parser = _RowParser(header.attributes)
        self._next_line = header.lines
        self._lines: list[Integers] = []
        self._chunks: list[list[pa.Array]] = [[] for _ in header.attributes]
        lists = {attribute.nominal for attribute in header.attributes if attribute.nominal is not None}
        self._declared = {
            values: ({text: place for place, text in enumerate(values)}, text_array(values)) for values in lists
        }
        # Sparse rows leave out zeros and the first declared value.
        self._omitted = ["0" if known.kind == "number" else "" for known in header.attributes]
        self._omitted = [
            _csv_cell(known.nominal[0]) if known.nominal else omitted
            for known, omitted in zip(header.attributes, self._omitted, strict=True)
        ]
        self._row_bytes = sum(8 if attribute.kind == "number" else 4 for attribute in header.attributes)

    @property
    def nbytes(self) -> int:
        """How many bytes the cells take, roughly."""
        return sum(map(len, self._lines)) * self._row_bytes

    def read(self, data: bytes) -> None:
        """Read the next lines."""
        first_line = self._next_line
        self._next_line += data.count(b"\n")
        lines = np.arange(first_line, self._next_line)
        if b"%" in data or data[:1] in b" \t\n" or any(blank in data for blank in (b"\n ", b"\n\t", b"\n\n")):
            lines, data = _without_comments(lines, data)
        if not len(lines):
            return
        self._lines.append(lines)
        plain = self._read_plain(data, len(lines))
        if plain is not None:
            self._add(plain)
        else:
            self._read_rows(data.split(b"\n"), lines.tolist())

    def _add(self, cells: list[list[pa.Array]]) -> None:
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
        quote = "".join(quote for quote in "'\"" if quote.encode() in data)
        if len(data.translate(None, _SPECIAL)) < len(data) or (width == 1 and b"\t" in data):
            return None
        # pyarrow would drop a byte-order mark.
        if data.startswith(b"\xef\xbb\xbf") or (quote and not _quotes_surround_values(data, quote.encode())):
            return None

        def clean(texts: list[str]) -> list[str | None] | None:
            plain = [text.strip() for text in texts]
            if "" in plain or (quote and (plain != texts or "?" in texts or any(quote in text for text in texts))):
                # Blanks and question marks may have been in quotes or not.
                return None
            return [None if text == "?" else text for text in plain]

        # Among texts, only a bare ? is a missing one.
        nulls = ["?"] if quote else _MISSING_NUMBERS
        return self._parse(_separated_by_commas(data, width), rows, clean, quote, nulls)

    def _read_rows(self, texts: Sequence[bytes], lines: Sequence[int]) -> None:
        """Read rows that are split and checked one by one, then written as CSV for pyarrow."""
        if len(lines) * len(self._attributes) > _CELLS_AT_ONCE:
            require_memory(len(lines) * self._row_bytes, "this table", self._source)
        at_once = max(1, _CELLS_AT_ONCE // len(self._attributes))
        for first in range(0, len(lines), at_once):
            some = zip(texts[first:], lines[first : first + at_once], strict=False)
            rows = [self._csv_row(text, line) for text, line in some]
            cells = self._parse("".join(rows).encode(), len(rows), list, '"', [""])
            assert cells is not None, "rows that were checked are plain"
            self._add(cells)

    def _csv_row(self, text: bytes, line: int) -> str:
        """A row with a comma between its cells; a missing one is empty, and texts are quoted."""
        cells = self._omitted.copy()
        try:
            for place, value in self._parser.parse(decode_line(text, line, self._source).strip()):
                cells[place] = "" if value is None else self._checked(value, self._attributes[place])
        except _RowError as error:
            raise DataError(str(error), source=self._source, line=line) from None
        return ",".join(cells) + "\n"

    def _checked(self, text: str, attribute: Attribute) -> str:
        """A value as a cell of CSV, or an error if it is not what its attribute declares."""
        if attribute.nominal is not None:
            if text in self._declared[attribute.nominal][0]:
                return _csv_cell(text)
            problem = f"is not among the declared values: {listed(attribute.nominal)}; declare it too"
        elif attribute.kind == "number":
            # Weka's missing value is NaN, and may be written so.
            number = text.strip()
            if _NUMBER.fullmatch(number) or number.lower() == "nan":
                return number if number.lower() != "nan" else ""
            problem = "is not a number, as declared; ? is a missing one"
        else:
            try:
                _iso_date(attribute, text)
                return _csv_cell(text)
            except (ValueError, OverflowError):
                problem = f"is not a date written as {quoted(attribute.date_format)}, as declared; ? is a missing one"
        raise _RowError(f"column {quoted(attribute.name)}: {quoted(text)} {problem}")

    def _parse(
        self, data: bytes, rows: int, clean: Clean, quote: str, nulls: Sequence[str]
    ) -> list[list[pa.Array]] | None:
        """The cells of each column of some rows in CSV; None if they are not what is declared."""
        types = [_DOUBLE if attribute.kind == "number" else _DICTIONARY for attribute in self._attributes]
        try:
            table = _parse_csv(data, rows, types, quote, nulls)
            inexact = inexact_columns(table, [str(place) for place, dtype in enumerate(types) if dtype == _DOUBLE])
            if inexact:
                types = [_DICTIONARY if str(place) in inexact else dtype for place, dtype in enumerate(types)]
                table = _parse_csv(data, rows, types, quote, nulls)
        except pa.ArrowInvalid:
            return None
        columns = zip(self._attributes, table.columns, strict=True)
        cells = [self._fit(attribute, own.chunks, clean) for attribute, own in columns]
        return None if table.num_rows != rows or None in cells else [chunks for chunks in cells if chunks is not None]

    def _fit(self, attribute: Attribute, chunks: list[pa.Array], clean: Clean) -> list[pa.Array] | None:
        """Cells that pyarrow read, as their attribute declares them."""
        if chunks and chunks[0].type == _DOUBLE:
            return chunks
        fitted = []
        for chunk in chunks:
            texts = clean(chunk.dictionary.to_pylist())
            encoded = None if texts is None else self._encode(attribute, texts)
            if encoded is None:
                return None
            codes, values = encoded
            cells = np.append(codes, len(values))[filled(chunk.indices, len(codes))]
            fitted.append(dictionary_cells(cells, values).chunk(0))
        return fitted

    def _encode(self, attribute: Attribute, texts: list[str | None]) -> tuple[Integers, pa.StringArray] | None:
        """The code of each text, and the values that codes stand for; the code after the last is a missing one."""
        if attribute.nominal is not None:
            places, values = self._declared[attribute.nominal]
            codes = [len(values) if text is None else places.get(text, -1) for text in texts]
            return None if -1 in codes else (np.array(codes, np.int64), values)
        if attribute.kind == "number":
            texts = [None if text is None or text.lower() == "nan" else text for text in texts]
        try:
            known = [_iso_date(attribute, text) for text in texts if text is not None]
        except (ValueError, OverflowError):
            return None
        ranks = np.cumsum([text is not None for text in texts]) - 1
        return np.where([text is None for text in texts], len(known), ranks), text_array(known)


def _iso_date(attribute: Attribute, text: str) -> str:
    # What was checked row by row is in ISO form already.
    return text if attribute.parse_date is None else attribute.parse_date(text)


def _csv_cell(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def _without_comments(lines: Integers, data: bytes) -> tuple[Integers, bytes]:
    """The lines of a block that are neither blank nor comments: their numbers, and them."""
    texts = [line.strip() for line in data.split(b"\n")]
    kept = [place for place, text in enumerate(texts) if text and not text.startswith(b"%")]
    return lines[kept], b"".join(texts[place] + b"\n" for place in kept)


def _quotes_surround_values(data: bytes, quote: bytes) -> bool:
    """Whether every quote, all of one kind, opens before a value or closes behind it, as far as counts can tell."""
    places = (b"," + quote, b"\n" + quote, quote + b",", quote + b"\n")
    return (
        b"," in data and len(quote) == 1 and data.count(quote) == data.startswith(quote) + sum(map(data.count, places))
    )


def _separated_by_commas(data: bytes, width: int) -> bytes:
    """Plain rows with a comma between values, and none elsewhere, if the first row shows that they have others."""
    if b"," not in data and width > 1:
        return _OUTER_COMMAS.sub(b"", _BLANKS.sub(b",", data))
    first_row = data[: data.find(b"\n")]
    return _TRAILING_COMMAS.sub(b"", data) if first_row.rstrip().endswith(b",") else data


def _parse_csv(data: bytes, rows: int, types: Sequence[pa.DataType], quote: str, nulls: Sequence[str]) -> pa.Table:
    """What pyarrow reads from dense rows."""
    from pyarrow import csv

    names = [str(number) for number in range(len(types))]
    # Half of the data for each of two threads, but all at once where there are few rows: many columns in many pieces
    # take long. pyarrow takes no more than 2 GB.
    block_size = len(data) if len(types) > rows else max(1 << 20, len(data) // 2)
    return csv.read_csv(
        pa.BufferReader(data),
        read_options=csv.ReadOptions(column_names=names, block_size=min(block_size, 1 << 30)),
        parse_options=csv.ParseOptions(
            quote_char=quote or False,
            double_quote=quote == '"',
            newlines_in_values=bool(quote),
            ignore_empty_lines=False,
        ),
        convert_options=csv.ConvertOptions(
            column_types=dict(zip(names, types, strict=True)),
            null_values=nulls,
            strings_can_be_null=bool(quote),
            quoted_strings_can_be_null=False,
        ),
    )


class _RowError(Exception):
    """What is wrong with a row."""


class _RowParser:
    """Splits rows that are not plain: quoted, sparse or weighted ones, and those with comments behind them.

    liac-arff splits rows as the format's description has them. What it refuses, or reads otherwise than Weka (an empty
    cell, two values for one index, some escapes), is split here, or refused with the reason.
    """

    def __init__(self, attributes: Sequence[Attribute]) -> None:
        import arff

        self._width, self._last = len(attributes), attributes[-1]
        self._texts = [str] * self._width
        self._dense, self._sparse = arff.DenseGeneratorData(), arff.LODGeneratorData()
        self._refusals = (arff.ArffException, ValueError, csv.Error)
        self.weighted = False
        """Whether any row so far has a weight; weights are ignored."""

    def parse(self, line: str) -> Iterable[tuple[int, str | None]]:
        """The position and the value of each cell, None for a missing one; a sparse row leaves out some."""
        is_sparse = line.lstrip(", \t").startswith("{")
        if not _NOT_FOR_LIAC.search(line):
            # What it refuses is split below, or else the reason found.
            with contextlib.suppress(*self._refusals):
                row = next((self._sparse if is_sparse else self._dense).decode_rows((line,), self._texts))
                cells: Iterable[tuple[int, str | None]] = row.items() if is_sparse else enumerate(row)
                if not is_sparse or len(row) > line.count(","):
                    return cells
        return self._split_sparse(line).items() if is_sparse else enumerate(self._split_dense(line))

    def _split_sparse(self, line: str) -> dict[int, str | None]:
        tokens = _TOKEN.findall(line)[1:]
        end = next((place for place, token in enumerate(tokens) if token[2]), len(tokens))
        closing = tokens[end][2] if end < len(tokens) else ""
        if closing != "}":
            unclosed = closing.startswith(("'", '"'))
            raise _RowError(UNCLOSED_QUOTE if unclosed else "the sparse row is never closed with '}'")
        values: dict[int, str | None] = {}
        for place in range(0, end, 2):
            index = tokens[place][1]
            if not _INDEX.fullmatch(index) or place + 1 == end:
                raise _RowError(f"a sparse row is {{index value, …}}; {quoted(''.join(tokens[place]))} does not fit")
            if int(index) >= self._width:
                raise _RowError(f"index {index} is out of range: {counted(self._width, 'attribute')}, the first is 0")
            if int(index) in values:
                raise _RowError(f"index {index} stands twice in the row; keep one")
            values[int(index)] = _value(*tokens[place + 1][:2])
        rest = [token for token in tokens[end + 1 :] if not token[2].startswith("%")]
        if rest and not (len(rest) == 3 and rest[0][2] + rest[2][2] == "{}" and _WEIGHT.fullmatch(rest[1][1])):
            raise _RowError(f"{quoted(' '.join(map(''.join, rest)))} after the row is not understood")
        self.weighted = self.weighted or bool(rest)
        return values

    def _split_dense(self, line: str) -> list[str | None]:
        text = self._without_weight(_without_comment(line) if "%" in line else line)
        split = _split_cells(text, "\t" if "\t" in text and "," not in text else ",")
        cells = list(split)
        while cells and not any(cells[-1]):
            cells.pop()
        if len(cells) != self._width or not all(map(any, cells)):
            words = _TOKEN.findall(text)
            if len(cells) == self._width or len(words) != self._width or any(word[2] for word in words):
                raise self._miscounted(split, words)
            cells = [word[:2] for word in words]
        values = [_value(*cell) for cell in cells]
        last = values[-1]
        if last and "%" in last and (self._last.kind != "text" or last not in (self._last.nominal or (last,))):
            # To Weka, a comment begins here too.
            values[-1] = last.partition("%")[0].strip()
        return values

    def _without_weight(self, text: str) -> str:
        """A dense row without the weight in braces that may follow it."""
        stripped = text.rstrip(", \t")
        if stripped.endswith("}"):
            before, _, weight = stripped[:-1].rpartition("{")
            if _WEIGHT.fullmatch(weight):
                self.weighted = True
                return before.rstrip(", \t")
        return text

    def _miscounted(self, cells: Sequence[tuple[str, str]], words: Sequence[tuple[str, str, str]]) -> _RowError:
        """What is wrong with a row that has another number of values than there are attributes."""
        rest = next((word[2] for word in words if word[2]), "")
        if closed := re.match(QUOTED, rest):
            behind = rest[closed.end() :].partition(",")[0].strip()
            return _RowError(f"{quoted(behind)} follows a closing quote; escape a quote inside with a backslash")
        if rest.startswith(("'", '"')):
            return _RowError(UNCLOSED_QUOTE)
        if not all(map(any, cells[: self._width])):
            return _RowError("an empty value; a missing one is written ?")
        problem = f"{counted(len(cells) if len(cells) > 1 else len(words), 'value')}"
        return _RowError(f"{problem}, but {counted(self._width, 'attribute')} are declared; a missing one is written ?")


def _without_comment(line: str) -> str:
    comment = next((token for token in _TOKEN.finditer(line) if token[3] and token[3].startswith("%")), None)
    return line[: comment.start()].rstrip() if comment else line


def _split_cells(text: str, delimiter: str) -> list[tuple[str, str]]:
    """The cells between delimiters, each quoted or bare; none if a quote opens in the midst of one or behind it."""
    cells: list[tuple[str, str]] = []
    for match in _CELLS[delimiter].finditer(text):
        bare = (match[2] or "").strip()
        if _OPENING_QUOTE.search(bare):
            return []
        cells.append((match[1] or "", bare))
        if match[0][-1:] != delimiter:
            break
    return cells


def _value(quoted_text: str, bare: str) -> str | None:
    if quoted_text:
        return unquote(quoted_text)
    return None if bare == "?" else bare
