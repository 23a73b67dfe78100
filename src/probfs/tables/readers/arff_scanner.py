"""Words, quoted texts and comments in one line of an ARFF file."""

from __future__ import annotations

import re

from probfs.errors import DataError

QUOTED = re.compile(r"'((?:[^'\\]|\\.)*)'|\"((?:[^\"\\]|\\.)*)\"")
"""A text in quotes of either kind, with a backslash before a quote inside it."""
UNCLOSED_QUOTE = "a quote opens and is never closed on its line; close it, or put a backslash before it"
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_ESCAPE = re.compile(r"\\(?:u([0-9a-cA-Ce-fE-F][0-9a-fA-F]{3}|[dD][0-7][0-9a-fA-F]{2})|(.))", re.DOTALL)
"""A backslash sequence; ``\\u`` before the code of a surrogate, which is no character, stands for the letter u."""


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
        """Skip blanks, and say whether the line ends there or a comment begins."""
        text = self._text
        while self._position < len(text) and text[self._position].isspace():
            self._position += 1
        return self._position == len(text) or text[self._position] == "%"

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
        """Everything up to the next blank."""
        start = self._position
        while self._position < len(self._text) and not self._text[self._position].isspace():
            self._position += 1
        return self._text[start : self._position]

    def text(self, stop: str) -> str:
        """A quoted text, or the text up to one of the ``stop`` characters or a comment, without outer blanks."""
        if self.peek() in "'\"":
            return self._quoted_text()
        start = self._position
        text = self._text
        while self._position < len(text) and text[self._position] not in stop:
            if text[self._position] == "%" and text[self._position - 1].isspace():
                break
            self._position += 1
        return text[start : self._position].strip()

    def _quoted_text(self) -> str:
        match = QUOTED.match(self._text, self._position)
        if match is None:
            raise self.error(UNCLOSED_QUOTE)
        self._position = match.end()
        return unescape(match[1] if match[1] is not None else match[2])

    def error(self, problem: str) -> DataError:
        return DataError(problem, source=self.source, line=self.line)


def unescape(text: str) -> str:
    """A quoted text with its backslash sequences replaced by the characters they stand for."""
    return _ESCAPE.sub(_escaped_character, text) if "\\" in text else text


def _escaped_character(escape: re.Match[str]) -> str:
    if escape[1]:
        return chr(int(escape[1], 16))
    return _ESCAPES.get(escape[2], escape[2])
