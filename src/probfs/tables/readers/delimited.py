"""CSV and TSV: pyarrow for blocks that are plainly well formed, Python's csv module for all others.

The csv module is the definition of what a file says, and of what is wrong with it and on which line. pyarrow is some
twenty times faster but accepts an unclosed quote and text behind a closing one, so it is only given blocks in which
every quote has been seen to open or close a whole cell.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
import numpy.typing as npt

from probfs.errors import DataError
from probfs.runtime.threads import thread_pool
from probfs.tables.arrow_arrays import text_array
from probfs.tables.readers.cell_splitter import Splitter
from probfs.tables.readers.column_builder import ColumnBuilder, Encoded, LineRecorder, MemoryGuard
from probfs.tables.readers.lines import LINE, decoded, line_ends, parsed_block
from probfs.tables.source import Utf8Stream
from probfs.tables.table import Integers, Table
from probfs.text import counted, quoted

BLOCK_BYTES = 4 << 20
_ROWS_AT_ONCE = 20_000
_PARSERS = 2
"""Blocks read at a time; more would only take memory, as what comes before and after is done one by one."""
_QUOTE, _NEWLINE, _RETURN = ord('"'), ord("\n"), ord("\r")
_LINE_END = re.compile(r"\r\n|\r|\n")
_OTHER_DELIMITERS = {";": "';'", "\t": "tab", "|": "'|'", ",": "','"}


@dataclass(frozen=True, eq=False)
class _Cells:
    """A block of whole records as read by pyarrow, column by column; none if it is blank."""

    columns: Sequence[Sequence[Encoded]]
    rows: int
    line_ends: int
    """How many physical lines end in the block."""
    lines: Integers | None = None
    """On which of these each row begins, where that is not one after the other."""


_UNCLEAN = _Cells([], 0, 0)
"""What stands for a block in which not every quote opens or closes a whole cell."""


def read_delimited(stream: Utf8Stream, delimiter: str) -> Table:
    """Read a header and the rows below it."""
    return _Reader(stream, delimiter).read()


class _Reader:
    def __init__(self, stream: Utf8Stream, delimiter: str) -> None:
        self.stream = stream
        self.source = stream.source
        self.delimiter = delimiter
        self.lines = LineRecorder()
        self.columns: list[ColumnBuilder] = []
        self.blocks = _record_blocks(stream)
        self.next_line = 1

    def read(self) -> Table:
        first = next(self.blocks, None)
        if first is None:
            raise DataError("is empty; a header line and data rows are needed", source=self.source)
        header, rest = self._header(first)
        self.columns = [ColumnBuilder(name) for name in header]
        memory = MemoryGuard(self.stream, self.columns)
        memory.check()
        self.splitter = Splitter(self.stream, len(header), self.delimiter)
        self.splitter.prepare()
        parsed = _ahead(self._parse, chain([rest], self.blocks))
        for block, cells in parsed:
            if cells is _UNCLEAN:
                # Quotes inside cells: where records end is only known by reading them, one after the other.
                self._read_slowly(chain([block], (later for later, _ in parsed)))
            elif cells is None:
                self._read_slowly([block])
            else:
                self._take(cells)
            memory.check()
            self.splitter.prepare()
        if not self.lines.rows:
            raise DataError("has no data rows below the header; is the file cut off?", source=self.source)
        return Table(
            self.source,
            {column.name: column.finish()[0] for column in self.columns},
            self.lines.rows,
            self.lines.finish(),
        )

    def _header(self, first: bytes) -> tuple[list[str], bytes]:
        """The names in the first record, and what is left of its block."""
        start = first[:1000].lstrip().lower()
        if start.startswith((b"<!doctype", b"<html", b"<?xml")):
            raise DataError("is a web page or XML, not a table; was the download refused?", source=self.source)
        records = _Records(self.source, self.delimiter, chain([first], self.blocks), 1)
        for line, header in records:
            _check_header(header, self.delimiter, self.source, line)
            rest, self.next_line = records.remainder()
            return header, rest
        raise DataError("is empty; a header line and data rows are needed", source=self.source)

    def _parse(self, data: bytes) -> _Cells | None:
        """A block as pyarrow reads it, or None where it should not be left to pyarrow."""
        quotes = _quotes(data)
        if not _quotes_are_clean(data, quotes, self.delimiter):
            return _UNCLEAN
        ends = line_ends(data)
        if not data.strip(b"\r\n"):
            return _Cells([], 0, ends)
        if (
            b"\0" in data
            or (b"\r" in data and data.count(b"\r") != data.count(b"\r\n"))
            or data.startswith(b"\xef\xbb\xbf")
        ):
            return None
        table = self.splitter.split(data)
        if table is None:
            table = parsed_block(
                data, len(self.columns), threads=False, delimiter=self.delimiter, newlines_in_values=len(quotes) > 0
            )
        if table is None:
            return None
        regular = not len(quotes) and ends + (not data.endswith(b"\n")) == table.num_rows
        lines = None if regular else _record_lines(data, quotes)
        if lines is not None and len(lines) != table.num_rows:
            return None
        columns = [builder.encoded(cells) for builder, cells in zip(self.columns, table.columns, strict=True)]
        return _Cells(columns, table.num_rows, ends, lines)

    def _take(self, cells: _Cells) -> None:
        for builder, blocks in zip(self.columns, cells.columns, strict=bool(cells.rows)):
            builder.extend(blocks)
        if cells.lines is None:
            self.lines.append_run(self.next_line, cells.rows)
        else:
            self.lines.append(self.next_line + cells.lines)
        self.next_line += cells.line_ends

    def _read_slowly(self, blocks: Iterable[bytes]) -> None:
        rows: list[list[str]] = []
        lines: list[int] = []
        width = len(self.columns)
        records = _Records(self.source, self.delimiter, blocks, self.next_line)
        for line, row in records:
            if len(row) != width:
                problem = f"{counted(len(row), 'field')}, but the header has {width}"
                hint = "; quote a cell that contains the delimiter" if len(row) > width else "; is the line cut off?"
                raise DataError(problem + hint, source=self.source, line=line)
            rows.append(row)
            lines.append(line)
            if len(rows) == _ROWS_AT_ONCE:
                self._append(rows, lines)
                rows, lines = [], []
        self._append(rows, lines)
        self.next_line = records.next_line

    def _append(self, rows: list[list[str]], lines: list[int]) -> None:
        if rows:
            for builder, cells in zip(self.columns, zip(*rows, strict=True), strict=True):
                builder.append(text_array(cells))
            self.lines.append(lines)


class _Records:
    """Records by Python's csv module, each with the physical line on which it begins."""

    def __init__(self, source: str, delimiter: str, blocks: Iterable[bytes], first_line: int) -> None:
        self.source = source
        self._delimiter = delimiter
        self._blocks = iter(blocks)
        self._block = b""
        self._position = 0
        self._line = first_line - 1
        self._open: list[str] = []

    @property
    def next_line(self) -> int:
        return self._line + 1

    def __iter__(self) -> Iterator[tuple[int, list[str]]]:
        limit = csv.field_size_limit(1 << 30)
        reader = csv.reader(self._texts(), delimiter=self._delimiter, strict=True)
        try:
            for record in reader:
                start = self._line - len(self._open) + 1
                self._open.clear()
                if record:
                    yield start, record
        except csv.Error as error:
            raise self._bad_quote(str(error)) from error
        finally:
            csv.field_size_limit(limit)

    def remainder(self) -> tuple[bytes, int]:
        """What has not been read of the current block, and the line on which it begins."""
        return self._block[self._position :], self.next_line

    def _texts(self) -> Iterator[str]:
        for block in self._blocks:
            self._block = block
            for match in LINE.finditer(self._block):
                self._position = match.end()
                self._line += 1
                text = decoded(match.group(), self._line, self.source)
                self._open.append(text)
                yield text

    def _bad_quote(self, problem: str) -> DataError:
        first_line = self._line - len(self._open) + 1
        if "unexpected end" in problem:
            text = "".join(self._open)
            line = first_line + len(_LINE_END.findall(text[: _unclosed_quote(text, self._delimiter)]))
            return DataError(
                "a quote opens here and is never closed; close it, or double a quote inside a cell",
                source=self.source,
                line=line,
            )
        problem = "text follows a closing quote; double a quote inside a quoted cell"
        return DataError(problem, source=self.source, line=self._line)


def _ahead(parse: Callable[[bytes], _Cells | None], blocks: Iterable[bytes]) -> Iterator[tuple[bytes, _Cells | None]]:
    """Blocks and what they hold, in their order, while threads of the pool parse the next ones."""
    return thread_pool().map_in_order(lambda block: (block, parse(block)), blocks, _PARSERS, ahead=_PARSERS + 1)


def _record_blocks(stream: Utf8Stream) -> Iterator[bytes]:
    """The stream in pieces that end where a record ends, as far as the quotes can be trusted."""
    pending = b""
    size = BLOCK_BYTES
    while True:
        chunk = stream.read(size)
        data = pending + chunk
        end = _last_record_end(data) if chunk else len(data)
        if end:
            yield data[:end]
            pending, size = data[end:], BLOCK_BYTES
        else:
            # A record longer than the block: take more each time, so that joining the pieces stays linear.
            pending, size = data, size * 2
        if not chunk:
            return


def _last_record_end(data: bytes) -> int:
    if b'"' not in data:
        return data.rfind(b"\n") + 1
    ends = np.flatnonzero(np.frombuffer(data, np.uint8) == _NEWLINE)
    outside = ends[np.searchsorted(_quotes(data), ends) % 2 == 0]
    return int(outside[-1]) + 1 if len(outside) else 0


def _quotes(data: bytes) -> Integers:
    if b'"' not in data:
        return np.empty(0, dtype=np.int64)
    return np.flatnonzero(np.frombuffer(data, np.uint8) == _QUOTE)


def _quotes_are_clean(data: bytes, quotes: Integers, delimiter: str) -> bool:
    """Whether every first quote of a pair opens a cell (or doubles a quote) and every second one closes it."""
    if len(quotes) % 2:
        return False
    cells = np.frombuffer(data, np.uint8)
    before, after = quotes[0::2] - 1, quotes[1::2] + 1
    opens = _is_one_of(cells, before[before >= 0], (ord(delimiter), _NEWLINE, _QUOTE))
    closes = _is_one_of(cells, after[after < len(cells)], (ord(delimiter), _NEWLINE, _RETURN, _QUOTE))
    return opens and closes


def _is_one_of(cells: npt.NDArray[np.uint8], positions: Integers, allowed: tuple[int, ...]) -> bool:
    return bool(np.isin(cells[positions], allowed).all())


def _record_lines(data: bytes, quotes: Integers) -> Integers:
    """The physical line on which each record of a block begins, the first being 0; blank lines are no records."""
    cells = np.frombuffer(data, np.uint8)
    line_breaks = np.flatnonzero(cells == _NEWLINE)
    ends = line_breaks[np.searchsorted(quotes, line_breaks) % 2 == 0] if len(quotes) else line_breaks
    if not len(ends) or ends[-1] != len(cells) - 1:
        ends = np.append(ends, len(cells))
    starts = np.concatenate([[0], ends[:-1] + 1])
    length = ends - starts
    blank = (length == 0) | ((length == 1) & (cells[np.minimum(starts, len(cells) - 1)] == _RETURN))
    kept: Integers = starts[~blank]
    return np.searchsorted(line_breaks, kept)


def _unclosed_quote(text: str, delimiter: str) -> int:
    """Where the quote stands that opens the last, unfinished cell of a record."""
    end = re.escape(delimiter)
    cell = re.compile(rf'"(?:[^"]|"")*"{end}|[^"{end}][^{end}]*{end}|{end}')
    position = 0
    while True:
        match = cell.match(text, position)
        if match is None:
            return position
        position = match.end()


def _check_header(names: list[str], delimiter: str, source: str, line: int) -> None:
    if len(names) == 1:
        for other, shown in _OTHER_DELIMITERS.items():
            if other != delimiter and other in names[0]:
                problem = f"the header is one column and contains {shown}; use --delimiter {shown}"
                raise DataError(problem, source=source, line=line)
    first: dict[str, int] = {}
    for number, name in enumerate(names, start=1):
        if not name.strip():
            raise DataError(f"column {number} has no name; give it one", source=source, line=line)
        if name in first:
            problem = f"{quoted(name)} is column {first[name]} and {number}; rename one of them"
            raise DataError(problem, source=source, line=line)
        first[name] = number
