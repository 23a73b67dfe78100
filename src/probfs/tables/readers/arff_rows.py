"""Data rows of ARFF, dense (cells in order) or sparse (index and value of some cells), parsed line by line."""

from __future__ import annotations

import re
from collections.abc import Iterable

from probfs.errors import DataError
from probfs.tables.readers.arff_scanner import QUOTED, UNCLOSED_QUOTE, Scanner, unescape
from probfs.text import counted, quoted

_INDEX = re.compile(r"[0-9]{1,9}")
_COMMENT = re.compile(r"(?:^|\s)%")


class RowParser:
    """Parses the rows of one file."""

    def __init__(self, width: int, source: str) -> None:
        self._width = width
        self._source = source
        self.weighted = False
        """Whether any row so far has a weight; weights are ignored."""

    def parse(self, line: str, number: int) -> Iterable[tuple[int, str | None]]:
        """The positions and values of a row's cells, None for a missing value; a sparse row leaves out some cells."""
        return self._parse_sparse(line, number).items() if line.startswith("{") else self._parse_dense(line, number)

    def _parse_dense(self, line: str, number: int) -> Iterable[tuple[int, str | None]]:
        text = self._strip_weight(line)
        delimiter = "\t" if "\t" in text and "," not in QUOTED.sub("", text) else ","
        values: list[str | None] = []
        position: int | None = 0
        while position is not None:
            value, position = self._parse_cell(text, position, delimiter, number)
            values.append(value)
        if len(values) != self._width:
            problem = f"{counted(len(values), 'value')}, but {counted(self._width, 'attribute')} are declared"
            raise self._error(f"{problem}; a missing one is written ?", number)
        return enumerate(values)

    def _parse_cell(self, text: str, position: int, delimiter: str, number: int) -> tuple[str | None, int | None]:
        """The value of the cell at a position, and the position of the next cell, if there is one."""
        while text[position : position + 1] == " ":
            position += 1
        if text[position : position + 1] in ("'", '"'):
            match = QUOTED.match(text, position)
            if match is None:
                raise self._error(UNCLOSED_QUOTE, number)
            end = text.find(delimiter, match.end())
            behind = text[match.end() : end if end >= 0 else len(text)].strip()
            if behind and not behind.startswith("%"):
                problem = f"{quoted(behind)} follows a closing quote; escape a quote inside with a backslash"
                raise self._error(problem, number)
            return unescape(match[1] if match[1] is not None else match[2]), None if behind or end < 0 else end + 1
        end = text.find(delimiter, position)
        bare = text[position : end if end >= 0 else len(text)]
        comment = _COMMENT.search(bare)
        if comment:
            bare, end = bare[: comment.start()], -1
        bare = bare.strip()
        if not bare:
            raise self._error("an empty value; a missing one is written ?", number)
        return None if bare == "?" else bare, None if end < 0 else end + 1

    def _strip_weight(self, line: str) -> str:
        """A dense row without the weight in braces that may follow it."""
        if line.endswith("}"):
            before, _, _ = line.rpartition("{")
            before = before.rstrip(" ")
            if before.endswith((",", "\t")):
                self.weighted = True
                return before[:-1]
        return line

    def _parse_sparse(self, line: str, number: int) -> dict[int, str | None]:
        scanner = Scanner(line, number, self._source)
        scanner.at_end()
        scanner.advance()
        values: dict[int, str | None] = {}
        while not scanner.at_end() and scanner.peek() != "}":
            if scanner.peek() == ",":
                scanner.advance()
                continue
            index = self._parse_index(scanner)
            bare = scanner.peek() not in "'\""
            value = scanner.text(stop=",}")
            if index in values:
                raise scanner.error(f"index {index} stands twice in the row; keep one")
            values[index] = None if bare and value == "?" else value
        if scanner.at_end() and not line.rstrip().endswith("}"):
            raise scanner.error("the sparse row is never closed with '}'")
        scanner.advance()
        if not scanner.at_end():
            rest = scanner.rest().lstrip(", ")
            if not (rest.startswith("{") and rest.endswith("}")):
                raise scanner.error(f"{quoted(scanner.rest())} after the row is not understood")
            self.weighted = True
        return values

    def _parse_index(self, scanner: Scanner) -> int:
        index = scanner.text(stop=" \t,}")
        if not _INDEX.fullmatch(index) or scanner.at_end() or scanner.peek() in ",}":
            raise scanner.error(f"a sparse row is {{index value, …}}; {quoted(index)} does not fit")
        if int(index) >= self._width:
            problem = f"index {index} is out of range: {counted(self._width, 'attribute')}, the first is 0"
            raise scanner.error(problem)
        return int(index)

    def _error(self, problem: str, number: int) -> DataError:
        return DataError(problem, source=self._source, line=number)
