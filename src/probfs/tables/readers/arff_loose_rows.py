"""Rows of ARFF that Weka cannot read: with blanks inside bare values, say; and what is wrong with all others."""

from __future__ import annotations

import re
from collections.abc import Sequence

from probfs.errors import DataError
from probfs.tables.readers.arff_header import Attribute
from probfs.tables.readers.arff_scanner import QUOTED, UNCLOSED_QUOTE, Scanner, unescape
from probfs.text import counted, quoted

_INDEX = re.compile(r"[0-9]{1,9}")
_COMMENT = re.compile(r"(?:^|\s)%")
_END = re.compile(r"\s*(?:%.*)?")
_TWO_WORDS = re.compile(r"[^\s'\"]\s+[^\s'\"{]")
_BLANK_BEHIND_QUOTE = re.compile(rf"(?:^|,)\s*(?:{QUOTED.pattern}) +[^ \t,%{{]")
_EMPTY_VALUE = "an empty value; a missing one is written ?"


class LooseRowParser:
    """Parses rows of one file in which commas or tabs separate values, and blanks do not."""

    def __init__(self, attributes: Sequence[Attribute], source: str) -> None:
        self._width = len(attributes)
        self._last = attributes[-1]
        self._source = source
        self.weighted = False
        """Whether any row so far has a weight; weights are ignored."""

    def parse_dense(self, line: str, number: int, words: int, rest: str) -> list[str | None]:
        """The values of a row that is not sparse.

        If blanks separated them, there would be ``words`` values; ``rest`` begins with what comes then and is no value.
        """
        text = _strip_weight(line)
        if not rest and _BLANK_BEHIND_QUOTE.search(text):
            raise self._count_error(words, number)
        values = self._split(text, number)
        if text != line and len(values) == self._width:
            self.weighted = True
        elif text != line and len(values) == self._width - 1 and self._last.may_hold(line[line.rindex("{") :]):
            # What looks like a weight is the last value.
            values = self._split(line, number)
        if len(values) == self._width:
            return values
        if rest.startswith(("'", '"')) and not QUOTED.match(rest):
            raise self._error(UNCLOSED_QUOTE, number)
        if "," in QUOTED.sub("", text):
            raise self._count_error(len(values), number)
        raise self._count_error(max(len(values), words), number, rest)

    def refuse_empty_cells(self, line: str, number: int) -> None:
        """Refuse a row of one cell for each attribute that is complete only if a blank separates two values in a cell.

        Weka would read ``New York,,5`` as three values, but more probably the second of them is missing.
        """
        text = _strip_weight(QUOTED.sub("''", line).partition("%")[0].strip())
        cells = [cell.strip() for cell in text.split(",")]
        while not cells[-1]:
            cells.pop()
        if len(cells) == self._width and "" in cells and any(map(_TWO_WORDS.search, cells)):
            raise self._error(_EMPTY_VALUE, number)

    def _split(self, text: str, number: int) -> list[str | None]:
        delimiter = "\t" if "\t" in text and "," not in QUOTED.sub("", text) else ","
        values: list[str | None] = []
        position: int | None = 0
        while position is not None:
            if len(values) == self._width and _END.fullmatch(text, position):
                # The delimiter before this is the last of its row.
                break
            value, position = self._parse_cell(text, position, delimiter, number)
            values.append(value)
        return values

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
            raise self._error(_EMPTY_VALUE, number)
        return None if bare == "?" else bare, None if end < 0 else end + 1

    def parse_sparse(self, line: str, number: int) -> list[tuple[int, str | None]]:
        """The indices and values of a sparse row."""
        scanner = Scanner(line, number, self._source)
        scanner.at_end()
        scanner.advance()
        values: dict[int, str | None] = {}
        while not scanner.at_end() and scanner.peek() != "}":
            index = self._parse_index(scanner)
            bare = scanner.peek() not in "'\""
            value = scanner.text(stop=",}")
            if index in values:
                raise scanner.error(f"index {index} stands twice in the row; keep one")
            values[index] = None if bare and value == "?" else value
        if scanner.at_end():
            raise scanner.error("the sparse row is never closed with '}'")
        scanner.advance()
        if not scanner.at_end():
            rest = scanner.rest().rstrip(", \t")
            if not (rest.startswith("{") and rest.endswith("}")):
                raise scanner.error(f"{quoted(scanner.rest())} after the row is not understood")
            self.weighted = True
        return list(values.items())

    def _parse_index(self, scanner: Scanner) -> int:
        index = scanner.text(stop=" \t,}")
        if not _INDEX.fullmatch(index) or scanner.is_before_comma() or scanner.at_end() or scanner.peek() == "}":
            raise scanner.error(f"a sparse row is {{index value, …}}; {quoted(index)} does not fit")
        if int(index) >= self._width:
            problem = f"index {index} is out of range: {counted(self._width, 'attribute')}, the first is 0"
            raise scanner.error(problem)
        return int(index)

    def _count_error(self, values: int, number: int, rest: str = "") -> DataError:
        if values == self._width:
            return self._error(f"{quoted(rest)} after the last value is not understood", number)
        problem = f"{counted(values, 'value')}, but {counted(self._width, 'attribute')} are declared"
        return self._error(f"{problem}; a missing one is written ?", number)

    def _error(self, problem: str, number: int) -> DataError:
        return DataError(problem, source=self._source, line=number)


def _strip_weight(line: str) -> str:
    """A dense row without the weight in braces that may follow it."""
    if line.endswith("}"):
        before, _, _ = line.rpartition("{")
        before = before.rstrip(" ")
        if before.endswith((",", "\t")):
            return before[:-1]
    return line
