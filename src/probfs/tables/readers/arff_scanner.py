"""Words, quoted texts and comments in one line of an ARFF file."""

from __future__ import annotations

import functools
import re

from probfs.errors import DataError

QUOTED = re.compile(r"'([^'\\]*(?:\\.[^'\\]*)*)'|\"([^\"\\]*(?:\\.[^\"\\]*)*)\"")
"""A text in quotes of either kind, with a backslash before a quote inside it."""
UNCLOSED_QUOTE = "a quote opens and is never closed on its line; close it, or put a backslash before it"
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "a": "\a", "v": "\v"}
_ESCAPE = re.compile(
    r"\\(?:u([0-9a-cA-Ce-fE-F][0-9a-fA-F]{3}|[dD][0-7][0-9a-fA-F]{2})|([0-3][0-7]{0,2}|[4-7][0-7]?)|(.))", re.DOTALL
)
"""A backslash sequence; ``\\u`` before the code of a surrogate, which is no character, stands for the letter u."""
_SEPARATORS = re.compile(r"[\s\0-\x20,]*")
_COMMA = re.compile(r"\s*,")
_WORD = re.compile(r"@[^\s\0-\x20,%{}'\"]*|\S+")
"""A keyword ends where any other token may begin; a word that is none is shown whole in the error about it."""


class Scanner:
    """Reads a line of ARFF from left to right, once, so that no line takes more than linear time."""

    def __init__(self, text: str, line: int, source: str) -> None:
        self.source = source
        self.restart(line, text)

    def restart(self, line: int, text: str) -> None:
        """Continue with another line."""
        self.line = line
        self._text = text
        self._position = 0

    def at_end(self) -> bool:
        """Skip blanks and commas, and say whether the line ends there or a comment begins."""
        match = _SEPARATORS.match(self._text, self._position)
        self._position = match.end() if match else self._position
        return self._position == len(self._text) or self._text[self._position] == "%"

    def is_before_comma(self) -> bool:
        """Whether a comma is the next character that is not a blank."""
        return _COMMA.match(self._text, self._position) is not None

    def peek(self) -> str:
        return self._text[self._position]

    def advance(self) -> None:
        self._position += 1

    def rest(self) -> str:
        return self._text[self._position :].strip()

    def skip_past(self, end: str) -> None:
        found = self._text.find(end, self._position)
        if found < 0:
            raise self.error(f"no {end!r} closes the bracket")
        self._position = found + 1

    def word(self) -> str:
        """A keyword, or everything up to the next blank."""
        match = _WORD.match(self._text, self._position)
        start, self._position = self._position, match.end() if match else self._position
        return self._text[start : self._position]

    def text(self, stop: str) -> str:
        """A quoted text, or the text up to one of the ``stop`` characters or a comment, without outer blanks."""
        if self.peek() in "'\"":
            return self._quoted_text()
        match = _bare_text(stop).match(self._text, self._position)
        start, self._position = self._position, match.end() if match else self._position
        return self._text[start : self._position].strip()

    def _quoted_text(self) -> str:
        match = QUOTED.match(self._text, self._position)
        if match is None:
            raise self.error(UNCLOSED_QUOTE)
        self._position = match.end()
        return unescape(match[1] if match[1] is not None else match[2])

    def error(self, problem: str) -> DataError:
        return DataError(problem, source=self.source, line=self.line)


@functools.cache
def _bare_text(stop: str) -> re.Pattern[str]:
    """Text up to one of the ``stop`` characters, or to a comment or a quoted text, which begin after a blank."""
    stops = re.escape(stop)
    return re.compile(rf"(?:[^\s{stops}%]|(?<!\s)%|(?![{stops}])\s(?!['\"]))*")


def unescape(text: str) -> str:
    """A quoted text with its backslash sequences replaced by the characters they stand for."""
    return _ESCAPE.sub(_escaped_character, text) if "\\" in text else text


def _escaped_character(escape: re.Match[str]) -> str:
    if escape[1]:
        return chr(int(escape[1], 16))
    if escape[2]:
        return chr(int(escape[2], 8))
    return _ESCAPES.get(escape[3], escape[3])
