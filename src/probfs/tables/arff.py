"""ARFF, dense and sparse -> Table: blocks of plain rows go to pyarrow, all others are split line by line."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from probfs.errors import DataError
from probfs.notes import NoteKind
from probfs.runtime.memory import require_memory
from probfs.tables.arff_header import Attribute, Header, read_header
from probfs.tables.arff_rows import RowParser
from probfs.tables.arrays import EXACT, Integers, double_array, filled, is_number, mask_array, numpy_array, text_array
from probfs.tables.cells import Kind, texts_of
from probfs.tables.column import Column, dictionary_cells
from probfs.tables.opening import MemoryGuard, TableInput, Utf8Stream, decode_line
from probfs.tables.row_lines import RowLines
from probfs.tables.table import NoRowsError, Table
from probfs.text import listed, quoted

_BLOCK = 16 << 20
"""How many characters are read at a time."""
_SPECIAL = b"\\%{}" + bytes(number for number in range(32) if number not in b"\t\n")
"""Characters that no plain row has."""
_BLANKS = re.compile(rb"[ \t]+")
_OUTER_COMMAS = re.compile(rb"^,|,$", re.MULTILINE)
_TRAILING_COMMAS = re.compile(rb",[ \t]*$", re.MULTILINE)
_BLANK = np.frombuffer(b" \t\n", np.uint8)
_DOUBLE = pa.float64()
_DICTIONARY = pa.dictionary(pa.int32(), pa.string())
_MISSING_NUMBERS = ("?", " ?", "nan", "NaN", "NAN")
_MANY_CELLS = 1 << 24
"""Cells of a block for which memory must be free: a sparse row of two bytes stands for as many as are declared."""


def read_arff(table_input: TableInput) -> Table:
    """Read an ARFF file; nominal attributes keep their declared values."""
    stream = table_input.as_utf8()
    text = io.TextIOWrapper(io.BufferedReader(_RawStream(stream), 1 << 20), "utf-8", "surrogateescape")
    numbered = enumerate(iter(text.readline, ""), 1)
    lines = ((number, decode_line(_encoded(line), number, stream.source).strip()) for number, line in numbered)
    header = read_header(lines, stream.source)
    reader, memory = _DataReader(header, stream.source), MemoryGuard(stream)
    memory.check(0)
    reader.read(header.row_on_data_line.encode() + b"\n")
    while data := _encoded(text.read(_BLOCK) + text.readline()):
        reader.read(data if data.endswith(b"\n") else data + b"\n")
        memory.check(reader.nbytes)
    return reader.finish()


class _RawStream(io.RawIOBase):
    """The text of a file, for Python to find its lines, whichever way they end."""

    def __init__(self, stream: Utf8Stream) -> None:
        self._stream = stream
        self._pending = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self._pending = self._pending or memoryview(self._stream.read(len(buffer)))
        size = min(len(buffer), len(self._pending))
        buffer[:size], self._pending = self._pending[:size], self._pending[size:]
        return size


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


class _MisfitError(Exception):
    """A text, given by its position among some, is not what its attribute declares."""

    def __init__(self, place: int) -> None:
        self.place = place


class _DataReader:
    """Reads the rows below @data into the columns that a header declares."""

    def __init__(self, header: Header, source: str) -> None:
        self._header = header
        self._source = source
        self._attributes = header.attributes
        self._parser = RowParser(header.attributes, source)
        self._next_line = header.lines
        self._lines: list[Integers] = []
        self._chunks: list[list[pa.Array]] = [[] for _ in header.attributes]
        self._numeric = [place for place, attribute in enumerate(header.attributes) if attribute.kind is Kind.NUMBER]
        lists = {attribute.nominal for attribute in header.attributes if attribute.nominal is not None}
        self._declared = {
            values: ({text: place for place, text in enumerate(values)}, text_array(values)) for values in lists
        }
        self._has_large = False
        """Whether some numbers are too large to be exact as doubles; the columns that have such hold texts."""
        self._row_bytes = 4 * (len(header.attributes) + len(self._numeric))

    @property
    def nbytes(self) -> int:
        """How many bytes the cells take, roughly."""
        return sum(map(len, self._lines)) * self._row_bytes

    def read(self, data: bytes) -> None:
        """Read the next lines."""
        first_line = self._next_line
        characters = np.frombuffer(data, np.uint8)
        ends = np.flatnonzero(characters == ord("\n"))
        self._next_line += len(ends)
        lines = np.arange(first_line, self._next_line)
        if b"%" in data or np.isin(characters[np.append(0, ends[:-1] + 1)], _BLANK).any():
            lines, data = _without_comments(lines, data)
        if not len(lines):
            return
        chunks = self._read_plain(data, len(lines)) or self._read_lines(data, lines)
        for column, more in zip(self._chunks, chunks, strict=True):
            column += more
        self._lines.append(lines)

    def finish(self) -> Table:
        """The table of all rows that were read."""
        if not self._lines:
            names = [attribute.name for attribute in self._attributes]
            problem = "has no data rows below @data; is the file cut off?"
            raise NoRowsError(problem, source=self._source, columns=names)
        columns = {}
        for attribute, chunks in zip(self._attributes, self._chunks, strict=True):
            if attribute.kind is Kind.NUMBER and self._has_large and any(chunk.type != _DOUBLE for chunk in chunks):
                chunks = [texts_of(chunk).dictionary_encode() if chunk.type == _DOUBLE else chunk for chunk in chunks]
            declared = None if attribute.nominal is None else self._declared[attribute.nominal][1]
            columns[attribute.name] = Column(attribute.name, pa.chunked_array(chunks), attribute.kind, declared)
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
        types = [_DOUBLE if attribute.kind is Kind.NUMBER else _DICTIONARY for attribute in self._attributes]
        table = _parse_csv(_separated_by_commas(data, width), rows, types, quote)
        if table is None or table.num_rows != rows or not _is_exact(table.select(self._numeric)):
            return None
        try:
            return [
                cells.chunks
                if attribute.kind is Kind.NUMBER
                else [self._fit(attribute, chunk, quote) for chunk in cells.chunks]
                for attribute, cells in zip(self._attributes, table.columns, strict=True)
            ]
        except _MisfitError:
            return None

    def _fit(self, attribute: Attribute, chunk: pa.DictionaryArray, quote: str) -> pa.Array:
        """Texts that pyarrow read, as their attribute declares them."""
        texts = chunk.dictionary.to_pylist()
        plain = [text.strip() for text in texts]
        if "" in plain or (quote and (plain != texts or "?" in texts or any(quote in text for text in texts))):
            # Blanks and question marks may have been in quotes or not.
            raise _MisfitError(0)
        codes, values = self._encode(attribute, [None if text == "?" else text for text in plain])
        return dictionary_cells(np.append(codes, len(values))[filled(chunk.indices, len(codes))], values).chunk(0)

    def _encode(self, attribute: Attribute, texts: Sequence[str | None]) -> tuple[Integers, pa.StringArray]:
        """The code of each text, and the values that codes stand for; the code after the last is a missing one."""
        if attribute.nominal is not None:
            places, values = self._declared[attribute.nominal]
        else:
            distinct = [text for text in dict.fromkeys(texts) if text is not None]
            places = {text: place for place, text in enumerate(distinct)}
            values = text_array([_iso_date(attribute, text, texts) for text in distinct])
        codes = np.array([len(values) if text is None else places.get(text, -1) for text in texts], np.int64)
        if codes.min(initial=0) < 0:
            raise _MisfitError(int(np.argmin(codes)))
        return codes, values

    def _read_lines(self, data: bytes, lines: Integers) -> list[list[pa.Array]]:
        """The cells of each column of a block, read row by row."""
        columns: list[int] = []
        texts: list[str | None] = []
        ends: list[int] = []
        for number, line in zip(lines.tolist(), data.split(b"\n"), strict=False):
            places, values = self._parser.parse(decode_line(line, number, self._source).strip(), number)
            columns.extend(places)
            texts.extend(values)
            ends.append(len(texts))
        if len(lines) * len(self._attributes) > _MANY_CELLS:
            require_memory(len(lines) * self._row_bytes, "this table", self._source)
        rows = np.repeat(np.arange(len(lines)), np.diff(ends, prepend=0))
        entries = _Entries(np.array(columns, np.int64), rows, texts, len(self._attributes))
        chunks = self._number_chunks(entries, lines)
        for place, attribute in enumerate(self._attributes):
            if attribute.kind is not Kind.NUMBER:
                # Sparse rows leave out the first declared value.
                default = attribute.nominal[0] if attribute.nominal else None
                chunks[place] = self._text_chunk(place, attribute, entries, lines, default)
        return [[chunks[place]] for place in range(len(self._attributes))]

    def _text_chunk(
        self, place: int, attribute: Attribute, entries: _Entries, lines: Integers, default: str | None
    ) -> pa.Array:
        """The cells of a column as its attribute declares them; rows without an entry have the default."""
        start, end = entries.span(place)
        try:
            codes, values = self._encode(attribute, [*entries.texts[start:end], default])
        except _MisfitError as error:
            raise self._misfit(entries, start + error.place, lines) from None
        cells = np.full(len(lines), codes[-1])
        cells[entries.rows[start:end]] = codes[:-1]
        return dictionary_cells(cells, values).chunk(0)

    def _number_chunks(self, entries: _Entries, lines: Integers) -> dict[int, pa.Array]:
        """The cells of each numeric attribute by its position."""
        chosen = np.flatnonzero(np.isin(entries.columns, self._numeric))
        texts = [entries.texts[entry] for entry in chosen.tolist()]
        array = text_array(["nan" if text is None else text.strip() for text in texts])
        are_numbers = is_number(array)
        # Weka's missing value is NaN, and may be written so.
        misfits = ~are_numbers & ~numpy_array(pc.equal(pc.utf8_lower(array), text_array(["nan"])[0]))
        if misfits.any():
            raise self._misfit(entries, int(chosen[np.argmax(misfits)]), lines)
        numbers = np.full(len(texts), np.nan)
        numbers[are_numbers] = numpy_array(array.filter(mask_array(are_numbers)).cast(pa.float64()))
        # Sparse rows leave out zeros.
        matrix = np.zeros((len(self._numeric), len(lines)))
        matrix[np.searchsorted(self._numeric, entries.columns[chosen]), entries.rows[chosen]] = numbers
        flat, size = double_array(matrix.ravel()), len(lines)
        chunks = {place: flat[row * size : (row + 1) * size] for row, place in enumerate(self._numeric)}
        for entry in chosen[~are_numbers].tolist():
            entries.texts[entry] = None
        for place in np.unique(entries.columns[chosen][np.abs(numbers) >= EXACT]).tolist():
            self._has_large = True
            chunks[place] = self._text_chunk(place, Attribute(""), entries, lines, "0")
        return chunks

    def _misfit(self, entries: _Entries, entry: int, lines: Integers) -> DataError:
        """A value that is not what its attribute declares."""
        attribute = self._attributes[entries.columns[entry]]
        if attribute.nominal is not None:
            problem = f"is not among the declared values: {listed(attribute.nominal)}; declare it too"
        elif attribute.kind is Kind.NUMBER:
            problem = "is not a number, as declared; ? is a missing one"
        else:
            problem = f"is not a date written as {quoted(attribute.date_format)}, as declared; ? is a missing one"
        message = f"column {quoted(attribute.name)}: {quoted(entries.texts[entry] or '')} {problem}"
        return DataError(message, source=self._source, line=int(lines[entries.rows[entry]]))


class _Entries:
    """The cells that rows have, column after column: the column, the row and the text of each."""

    def __init__(self, columns: Integers, rows: Integers, texts: Sequence[str | None], width: int) -> None:
        # numpy sorts numbers of two bytes several times faster.
        order = np.argsort(columns.astype(np.uint16) if width < 1 << 16 else columns, kind="stable")
        self.columns, self.rows = columns[order], rows[order]
        self.texts = [texts[entry] for entry in order.tolist()]
        self._starts = np.searchsorted(self.columns, np.arange(width + 1)).tolist()

    def span(self, column: int) -> tuple[int, int]:
        """Where the entries of a column begin and end."""
        return self._starts[column], self._starts[column + 1]


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


def _parse_csv(data: bytes, rows: int, types: Sequence[pa.DataType], quote: str) -> pa.Table | None:
    """What pyarrow reads from dense rows; None if it finds fault with them."""
    from pyarrow import csv

    names = [str(number) for number in range(len(types))]
    # Half of the data for each of two threads, but all at once where there are few rows: many columns in many pieces
    # take long. pyarrow takes no more than 2 GB.
    block_size = len(data) if len(types) > rows else max(1 << 20, len(data) // 2)
    try:
        return csv.read_csv(
            pa.BufferReader(data),
            read_options=csv.ReadOptions(column_names=names, block_size=min(block_size, 1 << 30)),
            parse_options=csv.ParseOptions(quote_char=quote or False, double_quote=False),
            convert_options=csv.ConvertOptions(
                column_types=dict(zip(names, types, strict=True)),
                # Among texts, only a bare ? is a missing one.
                null_values=["?"] if quote else _MISSING_NUMBERS,
                strings_can_be_null=bool(quote),
                quoted_strings_can_be_null=False,
            ),
        )
    except pa.ArrowInvalid:
        return None


def _is_exact(numbers: pa.Table) -> bool:
    """Whether all numbers are so small that each is a double of its own, and none is NaN."""
    # One call for all, as in wide tables the calls are what takes time.
    batches = numbers.to_batches() if numbers.num_columns else []
    matrices = [np.abs(batch.to_tensor(null_to_nan=True).to_numpy()) for batch in batches]
    missing = sum(column.null_count for column in numbers.columns)
    return sum(int(np.isnan(matrix).sum()) for matrix in matrices) == missing and not any(
        (matrix >= EXACT).any() for matrix in matrices
    )


def _iso_date(attribute: Attribute, text: str, texts: Sequence[str | None]) -> str:
    """A text of an attribute, which is one of some; a date in ISO form."""
    if attribute.parse_date is None:
        return text
    try:
        return attribute.parse_date(text)
    except (ValueError, OverflowError):
        raise _MisfitError(texts.index(text)) from None
