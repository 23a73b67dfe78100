"""Rows of ARFF that are not plain, split line by line: quoted, sparse or weighted ones, and those with comments.

liac-arff splits rows as the format's description has them. Some of what it refuses is found in files, as Weka or people
write it: comments and weights behind a row, blanks or tabs between values, blanks inside them. And some it reads
otherwise than Weka: it takes an empty cell for a missing one, the last of two values for one index, and escapes its own
way. Those rows are split here, or refused with the reason.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Sequence

import arff

from probfs.errors import DataError
from probfs.tables.arff_header import QUOTED, UNCLOSED_QUOTE, Attribute, unquote
from probfs.text import counted, quoted

_NOT_FOR_LIAC = re.compile(r"%|\\[^'\"\\tnrbf]|[\0-\x08\x0b\x0c\x0e-\x1f]|^,|,\s*(?:,|$)")
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
_INDEX = re.compile(r"[0-9]{1,9}")
_EMPTY_VALUE = "an empty value; a missing one is written ?"
Cells = tuple[Iterable[int], Iterable[str | None]]
"""The positions of a row's values, and these; None is a missing one."""


class RowParser:
    """Splits the rows of one file."""

    def __init__(self, attributes: Sequence[Attribute], source: str) -> None:
        self._width = len(attributes)
        self._last = attributes[-1]
        self._source = source
        self._texts = [str] * self._width
        self._dense, self._sparse = arff.DenseGeneratorData(), arff.LODGeneratorData()
        self.weighted = False
        """Whether any row so far has a weight; weights are ignored."""

    def parse(self, line: str, number: int) -> Cells:
        """The cells of a row, which stands on one line without blanks around it; a sparse row leaves out some."""
        is_sparse = line.lstrip(", \t").startswith("{")
        if not _NOT_FOR_LIAC.search(line):
            try:
                row = next((self._sparse if is_sparse else self._dense).decode_rows((line,), self._texts))
            except (arff.ArffException, ValueError, csv.Error):
                # It will be read below, or else the reason found.
                pass
            else:
                if not is_sparse:
                    return range(self._width), row
                if len(row) > line.count(","):
                    return row.keys(), row.values()
        try:
            return self._split_sparse(line) if is_sparse else (range(self._width), self._split_dense(line))
        except _RowError as error:
            raise DataError(str(error), source=self._source, line=number) from None

    def _split_sparse(self, line: str) -> Cells:
        tokens = _TOKEN.findall(line)[1:]
        end = next((place for place, token in enumerate(tokens) if token[2]), len(tokens))
        closing = tokens[end][2] if end < len(tokens) else ""
        if closing.startswith(("'", '"')):
            raise _RowError(UNCLOSED_QUOTE)
        if closing != "}":
            raise _RowError("the sparse row is never closed with '}'")
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
        return values.keys(), values.values()

    def _split_dense(self, line: str) -> list[str | None]:
        text = self._without_weight(_without_comment(line))
        words = _TOKEN.findall(text)
        split = _split_cells(text, "\t" if "\t" in text and "," not in text else ",")
        cells = list(split)
        while cells and not any(cells[-1]):
            cells.pop()
        if len(cells) != self._width or not all(map(any, cells)):
            if len(words) != self._width or any(word[2] for word in words):
                raise self._miscounted(split, words)
            if len(cells) == self._width:
                raise _RowError(_EMPTY_VALUE)
            cells = [word[:2] for word in words]
        values = [_value(*cell) for cell in cells]
        last = values[-1]
        if last and "%" in last and not self._last.may_hold(last):
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
        number = next((place for place, word in enumerate(words) if word[2]), len(words))
        rest = words[number][2] if number < len(words) else ""
        if closed := re.match(QUOTED, rest):
            behind = rest[closed.end() :].partition(",")[0].strip()
            return _RowError(f"{quoted(behind)} follows a closing quote; escape a quote inside with a backslash")
        if rest.startswith(("'", '"')):
            return _RowError(UNCLOSED_QUOTE)
        if any(not any(cell) for cell in cells[: self._width]):
            return _RowError(_EMPTY_VALUE)
        if len(cells) > 1:
            number = len(cells)
        elif rest and number == self._width:
            return _RowError(f"{quoted(rest)} after the last value is not understood")
        problem = f"{counted(number, 'value')}, but {counted(self._width, 'attribute')} are declared"
        return _RowError(f"{problem}; a missing one is written ?")


class _RowError(Exception):
    """What is wrong with a row."""


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
    return None if (text := bare.strip()) == "?" else text
