"""The TOML of a mapping file, read within limits, and the line on which a key stands."""

from __future__ import annotations

import re
import tomllib
from typing import Any

from probfs.errors import MappingError

_TEXT_OR_COMMENT = re.compile(
    rb'"""(?:\\.|[^\\])*?"""|' rb"'''.*?'''|" rb'"(?:\\.|[^"\\\n])*"|' rb"'[^'\n]*'|#[^\n]*", re.DOTALL
)
_LONG_DOTTED_KEY = re.compile(rb"(?<![\w-])(?:[\w-]+[ \t]*\.[ \t]*){64}")
"""tomllib needs quadratic time and memory in the length of a dotted key."""
_LONGEST_KEY = 1_000
"""The line of a longer key is not searched for."""


def parse_toml(content: bytes, source: str) -> tuple[dict[str, Any], str]:
    """The document and its text; what TOML does not allow is an error with its line."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise MappingError("is not UTF-8, as TOML must be; save it as UTF-8", source=source, line=line) from error
    # A letter stands in for quoted parts and comments.
    bare = _TEXT_OR_COMMENT.sub(b"q", content)
    deep = _LONG_DOTTED_KEY.search(bare)
    if deep:
        line = bare.count(b"\n", 0, deep.start()) + 1
        raise MappingError("a key has more than 64 dotted parts; quote it if it is one name", source=source, line=line)
    try:
        return tomllib.loads(text), text
    except tomllib.TOMLDecodeError as error:
        raise _syntax_error(str(error), text, source) from error
    except ValueError as error:
        # What else tomllib raises: an integer of thousands of digits.
        raise MappingError("TOML: a number is too long to be read", source=source) from error
    except RecursionError as error:
        raise MappingError("lists or tables are nested too deeply", source=source) from error


def line_of(text: str, key: str) -> int | None:
    """The line on which a key is set, or else first named; tomllib keeps no positions, so this searches the text."""
    if len(key) > _LONGEST_KEY:
        return None
    name = re.escape(key)
    forms = (rf"^\s*(?:{name}|\"{name}\"|'{name}')\s*[=.]", rf"^\s*\[[^]\n]*{name}[\"']?\s*\]", rf"[\"']{name}[\"']")
    for form in forms:
        found = re.search(form, text, re.MULTILINE)
        if found:
            # The leading \s* may have crossed blank lines: count up to the last character of the match.
            return text.count("\n", 0, found.end() - 1) + 1
    return None


def _syntax_error(message: str, text: str, source: str) -> MappingError:
    place = re.search(r" \(at (?:line (\d+), column (\d+)|end of document)\)$", message)
    problem = message[: place.start()] if place else message
    problem = "TOML: " + problem[:1].lower() + problem[1:]
    if place and place[1]:
        return MappingError(problem, source=source, line=int(place[1]), column=int(place[2]))
    return MappingError(problem, source=source, line=text.count("\n") + 1)
