"""CSV records read by Python's csv module, with the line of each and of every fault."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator

from probfs.errors import DataError
from probfs.tables.readers.lines import LINE, decode_line

_LINE_END = re.compile(r"\r\n|\r|\n")
_LONGEST_CELL = 1 << 30


class CsvRecords:
    """Iterates over the records of blocks of bytes, each with the physical line on which it begins."""

    def __init__(self, source: str, delimiter: str, blocks: Iterable[bytes], first_line: int) -> None:
        self._source = source
        self._delimiter = delimiter
        self._blocks = iter(blocks)
        self._block = b""
        self._position = 0
        self._line = first_line - 1
        self._unfinished: list[str] = []

    @property
    def next_line(self) -> int:
        """The first line that has not been read."""
        return self._line + 1

    def __iter__(self) -> Iterator[tuple[int, list[str]]]:
        limit = csv.field_size_limit(_LONGEST_CELL)
        reader = csv.reader(self._lines(), delimiter=self._delimiter, strict=True)
        try:
            for record in reader:
                start = self._line - len(self._unfinished) + 1
                self._unfinished.clear()
                if record:
                    yield start, record
        except csv.Error as error:
            raise self._quote_error(str(error)) from error
        finally:
            csv.field_size_limit(limit)

    def remainder(self) -> bytes:
        """The rest of the current block, which begins on ``next_line``."""
        return self._block[self._position :]

    def _lines(self) -> Iterator[str]:
        for block in self._blocks:
            self._block = block
            for match in LINE.finditer(self._block):
                self._position = match.end()
                self._line += 1
                text = decode_line(match.group(), self._line, self._source)
                self._unfinished.append(text)
                yield text

    def _quote_error(self, problem: str) -> DataError:
        first_line = self._line - len(self._unfinished) + 1
        if "unexpected end" in problem:
            text = "".join(self._unfinished)
            line = first_line + len(_LINE_END.findall(text[: _unclosed_quote(text, self._delimiter)]))
            problem = "a quote opens here and is never closed; close it, or double a quote inside a cell"
            return DataError(problem, source=self._source, line=line)
        problem = "text follows a closing quote; double a quote inside a quoted cell"
        return DataError(problem, source=self._source, line=self._line)


def _unclosed_quote(text: str, delimiter: str) -> int:
    """The position of the quote that opens the last, unfinished cell of a record."""
    end = re.escape(delimiter)
    cell = re.compile(rf'"(?:[^"]|"")*"{end}|[^"{end}][^{end}]*{end}|{end}')
    position = 0
    while True:
        match = cell.match(text, position)
        if match is None:
            return position
        position = match.end()
