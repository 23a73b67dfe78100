"""Data rows of ARFF, dense (cells in order) or sparse (index and value of some cells), parsed line by line.

A row is split as Weka splits it, whose tokenizer takes blanks and commas alike. Where that does not give a value for
each attribute, the row may be one that Weka cannot read but people write: commas or tabs, with blanks inside values.
``arff_loose_rows`` reads those, and says what is wrong with all others.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TypeAlias

from probfs.tables.readers.arff_header import Attribute
from probfs.tables.readers.arff_loose_rows import LooseRowParser
from probfs.tables.readers.arff_scanner import unescape

_TOKEN = re.compile(
    r"""
    ('[^'\\]*(?:\\.[^'\\]*)*'(?=[\0-\x20,{}%]|\Z) | "[^"\\]*(?:\\.[^"\\]*)*"(?=[\0-\x20,{}%]|\Z))
    | ([^\0-\x20,{}%'"][^\0-\x20,{}]*)
    | ([{}] | %.* | ['"].*)
    """,
    re.VERBOSE | re.DOTALL,
)
"""A quoted text, a bare one, or else: a brace, a comment, or a quote that does not close before a separator."""
_EMPTY_CELL = re.compile(r"\A[\0-\x20]*,|,[\0-\x20]*,")
_INDEX = re.compile(r"[0-9]{1,9}")
_WEIGHT = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")

Token: TypeAlias = tuple[str, str, str]
"""One of three texts, the others being empty: in quotes, bare, or no value."""
Cells: TypeAlias = Iterable[tuple[int, str | None]]
"""Positions and values, None for a missing one."""


class RowParser:
    """Parses the rows of one file."""

    def __init__(self, attributes: Sequence[Attribute], source: str) -> None:
        self._width = len(attributes)
        self._last = attributes[-1]
        self._loose = LooseRowParser(attributes, source)
        self._weighted = False

    @property
    def weighted(self) -> bool:
        """Whether any row so far has a weight; weights are ignored."""
        return self._weighted or self._loose.weighted

    def parse(self, line: str, number: int) -> Cells:
        """The positions and values of a row's cells; a sparse row leaves out some."""
        tokens = _TOKEN.findall(line)
        if not line.isascii():
            tokens = list(map(_strip_token, tokens))
        if tokens and tokens[0][2] == "{":
            entries = self._sparse_entries(tokens)
            return self._loose.parse_sparse(line, number) if entries is None else entries
        values = self._dense_values(tokens)
        if values is None:
            words = next((place for place, token in enumerate(tokens) if token[2]), len(tokens))
            values = self._loose.parse_dense(line, number, words, tokens[words][2] if words < len(tokens) else "")
        elif _EMPTY_CELL.search(line):
            self._loose.refuse_empty_cells(line, number)
        return enumerate(values)

    def _dense_values(self, tokens: list[Token]) -> list[str | None] | None:
        """A row's values, or None if Weka would not find one for each attribute and then the end or a weight."""
        width = self._width
        if len(tokens) < width:
            return None
        if "%" in (last := tokens[width - 1][1]) and not self._last.may_hold(last):
            # To Weka, a comment begins here too.
            tokens = [*tokens[: width - 1], ("", last.partition("%")[0], "")]
        if any(token[2] for token in tokens[:width]) or not self._is_end(tokens[width:]):
            return None
        return [_token_value(token) for token in tokens[:width]]

    def _sparse_entries(self, tokens: list[Token]) -> Cells | None:
        """Indices and values of a sparse row, or None if Weka would not find them in pairs and in order."""
        end = next((place for place, token in enumerate(tokens) if token[2] and place), 0)
        if not end % 2 or tokens[end][2] != "}":
            return None
        indices = [token[1] for token in tokens[1:end:2]]
        if not all(map(_INDEX.fullmatch, indices)):
            return None
        positions = list(map(int, indices))
        if positions and (positions[-1] >= self._width or any(map(int.__ge__, positions, positions[1:]))):
            return None
        if not self._is_end(tokens[end + 1 :]):
            return None
        return zip(positions, map(_token_value, tokens[2:end:2]), strict=True)

    def _is_end(self, tokens: list[Token]) -> bool:
        """Whether nothing, or a weight, follows a row's values, before a comment perhaps."""
        if tokens and tokens[-1][2].startswith("%"):
            tokens = tokens[:-1]
        if not tokens:
            return True
        opening, weight, closing = tokens if len(tokens) == 3 else (tokens[0],) * 3
        if opening[2] == "{" and closing[2] == "}" and _WEIGHT.fullmatch(weight[1]):
            self._weighted = True
            return True
        return False


def _strip_token(token: Token) -> Token:
    """The token without outer blanks that are no separators, such as a no-break space; a bare one of these is none."""
    quoted, bare, other = token
    stripped = bare.strip()
    return (quoted, stripped, other) if stripped or not bare else ("", "", bare)


def _token_value(token: Token) -> str | None:
    quoted, bare, _ = token
    if bare:
        return None if bare == "?" else bare
    return unescape(quoted[1:-1])
