"""ARFF, dense and sparse -> Table: pyarrow reads blocks of plain rows, others are split one by one.

Behind a row may stand a comment or a weight. Where no commas separate its values, blanks do, as Weka has it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from probfs.errors import DataError
from probfs.notes import NoteKind
from probfs.runtime.memory import require_memory
from probfs.tables.arff_header import (
    Attribute,
    Header,
    LineError,
    as_bytes,
    open_text,
    outline_of,
    read_header,
    split_values,
)
from probfs.tables.arrays import Integers, double_array, filled, known_numbers, text_array
from probfs.tables.cells import Kind
from probfs.tables.column import Column, dictionary_cells, typed_column
from probfs.tables.opening import TableInput, decode_line
from probfs.tables.table import NoRowsError, RowLines, Table
from probfs.text import counted, listed, quoted

_BLOCK = 16 << 20
"""How many characters are read at a time."""
_CELLS_AT_ONCE = 1 << 22
"""Cells of rows that are checked together: a sparse row of two bytes stands for as many as are declared."""
_SPECIAL = b"\\%{}'\"" + bytes(number for number in range(32) if number not in b"\t\n")
"""Characters that no plain row has."""
_DOUBLE = pa.float64()
_DICTIONARY = pa.dictionary(pa.int32(), pa.string())
_WEIGHT = re.compile(r"(?<!^)[\s,]*\{\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\s*\}$")


def read_arff(table_input: TableInput) -> Table:
    """Read an ARFF file; nominal attributes keep their declared values."""
    with table_input.as_utf8() as raw:
        text = open_text(raw)
        header = read_header(text, table_input.source)
        reader = _DataReader(header, table_input.source)
        while data := as_bytes(text.read(_BLOCK) + text.readline()):
            reader.read(data.removesuffix(b"\n") + b"\n")
        return reader.finish()


class _ValueError(Exception):
    """What is wrong with a ``text`` as a value of its attribute."""

    def __init__(self, problem: str, text: str) -> None:
        super().__init__(problem)
        self.text = text


class _DataReader:
    """Reads the rows below @data into the columns that a header declares."""

    def __init__(self, header: Header, source: str) -> None:
        self._header, self._source, self._attributes = header, source, header.attributes
        self._next_line = header.lines + 1
        self._lines: list[Integers] = []
        self._chunks: list[list[pa.Array]] = [[] for _ in header.attributes]
        self._weighted = False

    def read(self, data: bytes) -> None:
        """Read the next lines."""
        lines = np.arange(self._next_line, self._next_line + data.count(b"\n"))
        self._next_line += len(lines)
        if b"%" in data or data[:1] in b" \t\n" or any(blank in data for blank in (b"\n ", b"\n\t", b"\n\n")):
            # Lines that are blank or comments are no rows.
            texts = [line.strip() for line in data.split(b"\n")]
            kept = [place for place, text in enumerate(texts) if text and not text.startswith(b"%")]
            lines, data = lines[kept], b"".join(texts[place] + b"\n" for place in kept)
        if not len(lines):
            return
        require_memory(8 * len(lines) * len(self._attributes), "this table", self._source)
        self._lines.append(lines)
        if not self._read_plain(data, len(lines)):
            self._read_rows(data.split(b"\n"), lines.tolist())

    def finish(self) -> Table:
        """The table of all rows that were read."""
        if not self._lines:
            names = [attribute.name for attribute in self._attributes]
            problem = "has no data rows below @data; is the file cut off?"
            raise NoRowsError(problem, source=self._source, columns=names)
        columns, notes = {}, list(self._header.notes)
        for attribute, chunks in zip(self._attributes, self._chunks, strict=True):
            declared = None if attribute.nominal is None else text_array(attribute.nominal)
            kind = Kind.NUMBER if attribute.is_number else Kind.TEXT
            columns[attribute.name] = Column(attribute.name, pa.chunked_array(chunks), kind, declared)
            if attribute.date_format:
                dates = _parse_dates(columns[attribute.name].cells, attribute.date_format)
                if dates is None:
                    problem = f"column {quoted(attribute.name)}: not all cells are dates as declared, so they are texts"
                    notes.append(NoteKind.DATE_FORMAT.note(f"{self._source}: {problem}", [attribute.name]))
                else:
                    columns[attribute.name] = typed_column(attribute.name, dates)
        if self._weighted:
            notes.append(NoteKind.IGNORED.note(f"{self._source}: instance weights are ignored"))
        lines = np.concatenate(self._lines)
        target = next((name for name in columns if name.lower() == "class"), None)
        hint = None if target is None else (target, "the ARFF attribute of that name")
        return Table(self._source, columns, len(lines), RowLines.of(lines), hint, tuple(notes))

    def _read_plain(self, data: bytes, rows: int) -> bool:
        """Read a block, if pyarrow can: dense rows without quotes, between commas."""
        # pyarrow would drop a byte-order mark.
        if len(data.translate(None, _SPECIAL)) < len(data) or data.startswith(b"\xef\xbb\xbf"):
            return False
        try:
            table = _parse_csv(data, self._attributes)
            cells = [
                [self._plain_cells(attribute, chunk) for chunk in column.chunks]
                for attribute, column in zip(self._attributes, table.columns, strict=True)
            ]
        except (pa.ArrowInvalid, _ValueError):
            # Row by row, the line at fault is found.
            return False
        if table.num_rows != rows:
            return False
        for chunks, more in zip(self._chunks, cells, strict=True):
            chunks += more
        return True

    @staticmethod
    def _plain_cells(attribute: Attribute, cells: pa.Array) -> pa.Array:
        if cells.type == _DOUBLE:
            return cells
        texts = [text.strip() for text in cells.dictionary.to_pylist()]
        if "" in texts:
            raise _ValueError("is empty", "")
        return _declared_cells(attribute, cells.indices, [None if text == "?" else text for text in texts])

    def _read_rows(self, texts: Sequence[bytes], lines: Sequence[int]) -> None:
        """Read rows that are split one by one."""
        # Sparse rows leave out zeros and the first declared value.
        omitted = [
            "0" if known.is_number else known.nominal[0] if known.nominal else None for known in self._attributes
        ]
        at_once = max(1, _CELLS_AT_ONCE // len(self._attributes))
        for first in range(0, len(lines), at_once):
            rows, some = [], lines[first : first + at_once]
            for text, line in zip(texts[first:], some, strict=False):
                cells = omitted.copy()
                try:
                    for place, value in self._split(decode_line(text, line, self._source)):
                        cells[place] = value
                except LineError as error:
                    raise DataError(str(error), source=self._source, line=line) from error
                rows.append(cells)
            for attribute, chunks, column in zip(self._attributes, self._chunks, zip(*rows, strict=True), strict=True):
                encoded = text_array(column).dictionary_encode()
                try:
                    chunks.append(_declared_cells(attribute, encoded.indices, encoded.dictionary.to_pylist()))
                except _ValueError as error:
                    problem = f"column {quoted(attribute.name)}: {quoted(error.text)} {error}"
                    line = some[column.index(error.text)]
                    raise DataError(problem, source=self._source, line=line) from error

    def _split(self, line: str) -> Iterable[tuple[int, str | None]]:
        """The position and the value of each cell, None for a missing one; a sparse row leaves out some."""
        outline, quoted_values = outline_of(line)
        row = _WEIGHT.sub("", outline.rstrip(", \t"))
        self._weighted |= row != outline.rstrip(", \t")
        width = len(self._attributes)
        if row.startswith("{"):
            pairs = row.count(",") + 1 if row.strip("{} \t") else 0
            return self._split_sparse(re.sub("\0", lambda _: next(quoted_values), row), pairs)
        values = split_values(row, quoted_values)
        if len(values) != width:
            declared = f"{counted(width, 'attribute')} are declared"
            raise LineError(f"{counted(len(values), 'value')}, but {declared}; a missing one is written ?")
        return enumerate(values)

    def _split_sparse(self, row: str, pairs: int) -> Iterable[tuple[int, str | None]]:
        import arff

        width = len(self._attributes)
        problem = f"the sparse row is not {{index value, …}} with indices from 0 to {width - 1}, each once"
        try:
            decoded: dict[int, str | None]
            (decoded,) = arff.LODGeneratorData().decode_rows((row,), [str] * width)
        except (arff.ArffException, ValueError) as error:
            raise LineError(problem) from error
        if len(decoded) != pairs:
            raise LineError(problem)
        return decoded.items()


def _declared_cells(attribute: Attribute, indices: pa.Array, texts: Sequence[str | None]) -> pa.Array:
    """Cells as their attribute declares them, given the distinct texts, None for a missing one, and their indices."""
    places = filled(indices, len(texts))
    if attribute.is_number:
        numbers = known_numbers(text_array([text or "" for text in texts]))
        for text, number in zip(texts, numbers.tolist(), strict=True):
            # Weka's missing value is NaN, and may be written so.
            if number != number and text is not None and text.strip().lower() != "nan":
                raise _ValueError("is not a number, as declared; ? is a missing one", text)
        return double_array(np.append(numbers, np.nan)[places])
    known = list(dict.fromkeys(text for text in texts if text is not None))
    if attribute.nominal is not None:
        unknown = next((text for text in known if text not in attribute.nominal), None)
        if unknown is not None:
            raise _ValueError(f"is not among the declared values: {listed(attribute.nominal)}; declare it too", unknown)
        known = list(attribute.nominal)
    codes: dict[str | None, int] = {text: code for code, text in enumerate(known)}
    code_of_text = np.array([*(codes.get(text, len(known)) for text in texts), len(known)])
    return dictionary_cells(code_of_text[places], text_array(known)).chunk(0)


def _parse_dates(cells: pa.ChunkedArray, date_format: str) -> pa.ChunkedArray | None:
    """The dates that texts are; None if one of them is none."""
    texts = cells.cast(pa.string())
    dates = pc.strptime(texts, format=date_format, unit="s", error_is_null=True)
    return None if dates.null_count > texts.null_count else dates


def _parse_csv(data: bytes, attributes: Sequence[Attribute]) -> pa.Table:
    """What pyarrow reads from plain rows, with columns called by their places."""
    from pyarrow import csv

    types = {str(place): _DOUBLE if one.is_number else _DICTIONARY for place, one in enumerate(attributes)}
    # Half of the data for each of two threads, but no more than pyarrow takes.
    block_size = min(max(1 << 20, len(data) // 2), 1 << 30)
    return csv.read_csv(
        pa.BufferReader(data),
        csv.ReadOptions(column_names=list(types), block_size=block_size),
        csv.ParseOptions(quote_char=False, ignore_empty_lines=False),
        csv.ConvertOptions(column_types=types, null_values=["?", " ?", "nan", "NaN", "NAN"], strings_can_be_null=False),
    )
