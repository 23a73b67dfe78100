"""ARFF, dense and sparse -> Table: blocks of plain rows go to pyarrow, all others are read line by line."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pyarrow as pa
import pyarrow.compute as pc

from probfs.notes import NoteKind
from probfs.tables.arrow_arrays import equal_mask, replace_by_null
from probfs.tables.number_block import NumberColumn, is_wide
from probfs.tables.readers.arff_columns import finish_columns
from probfs.tables.readers.arff_header import Header, read_header
from probfs.tables.readers.arff_rows import RowParser
from probfs.tables.readers.arff_sparse import encode_exceptions, sparse_default
from probfs.tables.readers.cell_grid import parse_grid
from probfs.tables.readers.column_builder import ColumnBuilder
from probfs.tables.readers.grid_collector import GridCollector
from probfs.tables.readers.line_recorder import LineRecorder
from probfs.tables.readers.lines import LINE, decode_line, line_ends, newlines, parse_block
from probfs.tables.readers.memory_guard import MemoryGuard
from probfs.tables.readers.number_columns import block_of_declared_numbers
from probfs.tables.source import Utf8Stream
from probfs.tables.table import Column, Kind, NoRowsError, Table

_BLOCK_BYTES = 8 << 20
_NOT_PLAIN = re.compile(rb"['\"\\%{}\0-\x08\x0b\x0c\x0e-\x1f]|\r(?!\n)")
_BLANKS = re.compile(rb"[ \t]+")
_OUTER_COMMAS = re.compile(rb"^,|,(?=\r?$)", re.MULTILINE)
_TRAILING_COMMAS = re.compile(rb",[ \t]*(?=\r?$)", re.MULTILINE)


def read_arff(stream: Utf8Stream) -> Table:
    """Read an ARFF file; nominal attributes keep their declared values."""
    lines = _LineStream(stream)
    header = read_header(lines.header_lines(), stream.source)
    if header.row_on_data_line:
        lines.put_back(header.row_on_data_line)
    return _DataReader(stream, header).read(lines)


class _LineStream:
    """The lines of a header one by one, and then blocks of data lines."""

    def __init__(self, stream: Utf8Stream) -> None:
        self._stream = stream
        self._pending = b""
        self._position = 0
        self._next_line = 1

    def header_lines(self) -> Iterator[tuple[int, str]]:
        """Numbered lines without their outer blanks, read no further than they are asked for."""
        while True:
            match = LINE.match(self._pending, self._position)
            while match is None or match.end() == len(self._pending):
                # Dropping finished lines only here, and reading more each time, keeps the work linear.
                self._pending, self._position = self._pending[self._position :], 0
                chunk = self._stream.read(max(1 << 16, len(self._pending)))
                if not chunk:
                    match = LINE.match(self._pending)
                    break
                self._pending += chunk
                match = LINE.match(self._pending)
            if match is None:
                return
            self._position = match.end()
            number = self._next_line
            self._next_line += 1
            yield number, decode_line(match.group(), number, self._stream.source).strip()

    def put_back(self, text: str) -> None:
        """Let the data begin with a part of the header's last line."""
        self._pending, self._position = text.encode() + b"\n" + self._pending[self._position :], 0
        self._next_line -= 1

    def data_blocks(self) -> Iterator[tuple[int, bytes]]:
        """Blocks of whole lines after the header, each with the number of its first line."""
        line = self._next_line
        pending = self._pending[self._position :]
        while True:
            chunk = self._stream.read(_BLOCK_BYTES)
            data = pending + chunk
            end = data.rfind(b"\n") + 1 if chunk else len(data)
            if end:
                yield line, data[:end]
                line += line_ends(data[:end])
            pending = data[end:]
            if not chunk:
                return


class _DataReader:
    """Reads the rows below @data into the columns that a header declares."""

    def __init__(self, stream: Utf8Stream, header: Header) -> None:
        self._source = stream.source
        self._header = header
        self._attributes = header.attributes
        # Plain cells hold a null where the file has a bare ?, and parsed ones None: no text means missing.
        self._columns = [ColumnBuilder(attribute.name, missing=None) for attribute in self._attributes]
        self._lines = LineRecorder()
        self._rows = RowParser(self._attributes, stream.source)
        self._grids = GridCollector(_clean_texts)
        self._memory = MemoryGuard(stream, [*self._columns, self._grids])
        self._reads_grids = True
        """Whether every block so far was a grid, so that the next one is tried."""

    def read(self, lines: _LineStream) -> Table:
        self._memory.check()
        for first_line, data in lines.data_blocks():
            if not self._read_plain(first_line, data):
                self._read_lines(first_line, data)
            self._memory.check()
        if not self._lines.rows:
            problem = "has no data rows below @data; is the file cut off?"
            names = [attribute.name for attribute in self._attributes]
            raise NoRowsError(problem, source=self._source, columns=names)
        return self._finish()

    def _finish(self) -> Table:
        empty = Table(self._source, {}, self._lines.rows, self._lines.finish())
        columns = self._finish_columns(empty)
        notes = self._header.notes
        if self._rows.weighted:
            notes += (NoteKind.IGNORED.note(f"{self._source}: instance weights are ignored"),)
        target = next((name for name in columns if name.lower() == "class"), None)
        hint = None if target is None else (target, "the ARFF attribute of that name")
        return Table(self._source, columns, empty.rows, empty.lines, hint, notes)

    def _finish_columns(self, table: Table) -> dict[str, Column]:
        numbers: dict[str, NumberColumn] = {}
        if self._grids.rows:
            plain = self._grids.plain_columns()
            declared = plain[[self._attributes[position].kind is Kind.NUMBER for position in plain.tolist()]]
            names = [self._attributes[position].name for position in declared.tolist()]
            numbers = block_of_declared_numbers(names, self._grids.numbers(declared))
        others = [position for position, attribute in enumerate(self._attributes) if attribute.name not in numbers]
        self._grids.hand_over(self._columns, others)
        builders, attributes = [self._columns[own] for own in others], [self._attributes[own] for own in others]
        finished = finish_columns(table, builders, attributes)
        return {own.name: numbers.get(own.name) or finished[own.name] for own in self._attributes}

    def _read_grid(self, first_line: int, data: bytes) -> bool:
        """Read a block of many columns and few rows of plain cells; return False, having read nothing, if it is not."""
        width, lines = len(self._columns), newlines(data) + (not data.endswith(b"\n"))
        if not self._reads_grids or not is_wide(width, self._grids.rows + lines):
            return False
        grid = parse_grid(data.replace(b", ", b","), width, ",", missing="?", zeros_lead=True)
        if grid is None:
            return False
        self._grids.append(grid)
        self._lines.append_run(first_line, grid.rows)
        return True

    def _give_up_grids(self) -> None:
        self._reads_grids = False
        self._grids.hand_over(self._columns)

    def _read_plain(self, first_line: int, data: bytes) -> bool:
        """Read a block of unquoted dense rows with pyarrow; return False, having read nothing, if it is not one."""
        if not data.strip(b"\r\n"):
            return True
        if _NOT_PLAIN.search(data) or data.startswith(b"\xef\xbb\xbf"):
            return False
        if b"\t" in data and len(self._columns) == 1:
            return False
        data = _separate_by_commas(data, len(self._columns))
        if self._read_grid(first_line, data):
            return True
        self._give_up_grids()
        table = parse_block(data, len(self._columns), quote_char=False)
        if table is None:
            return False
        if newlines(data) + (not data.endswith(b"\n")) != table.num_rows:
            return False
        blocks = [_trim_cells(cells) for cells in table.columns]
        if any(block is None for block in blocks):
            return False
        for builder, block in zip(self._columns, blocks, strict=True):
            builder.append(block)
        self._lines.append_run(first_line, table.num_rows)
        return True

    def _read_lines(self, first_line: int, data: bytes) -> None:
        """Read a block row by row; only cells that differ from the default of sparse rows are kept, as they are few."""
        self._give_up_grids()
        lines: list[int] = []
        exceptions: list[dict[int, str | None]] = [{} for _ in self._attributes]
        defaults = [sparse_default(attribute) for attribute in self._attributes]
        for number, match in enumerate(LINE.finditer(data), start=first_line):
            line = decode_line(match.group(), number, self._source).strip()
            if not line or line.startswith("%"):
                continue
            row = len(lines)
            for position, value in self._rows.parse(line, number):
                if value != defaults[position]:
                    exceptions[position][row] = value
            lines.append(number)
        encoded = encode_exceptions(defaults, exceptions, len(lines))
        for builder, block in zip(self._columns, encoded, strict=True):
            builder.extend([block])
        self._lines.append(lines)


def _separate_by_commas(data: bytes, width: int) -> bytes:
    """Plain rows with a comma between values, and none elsewhere, if the first row shows that they have others."""
    if b"," not in data and width > 1:
        return _OUTER_COMMAS.sub(b"", _BLANKS.sub(b",", data))
    first_row = data[: data.find(b"\n") + 1 or len(data)]
    return _TRAILING_COMMAS.sub(b"", data) if first_row.rstrip().endswith(b",") else data


def _clean_texts(cells: pa.StringArray) -> pa.StringArray:
    """Cells without outer blanks and with a null for each ?."""
    return replace_by_null(pc.utf8_trim_whitespace(cells), "?")


def _trim_cells(cells: pa.ChunkedArray) -> pa.ChunkedArray | None:
    """The cells without outer blanks and with a null for each ?, or None if any of them is empty."""
    chunks = []
    for chunk in cells.chunks:
        indices, dictionary = chunk.indices, pc.utf8_trim_whitespace(chunk.dictionary)
        if pc.any(equal_mask(dictionary, ""), min_count=0).as_py():
            return None
        if not dictionary.equals(chunk.dictionary):
            # Texts that differ only in their blanks are one value.
            encoded = dictionary.dictionary_encode()
            indices, dictionary = encoded.indices.take(indices), encoded.dictionary
        chunks.append(pa.DictionaryArray.from_arrays(indices, replace_by_null(dictionary, "?")))
    return pa.chunked_array(chunks)
