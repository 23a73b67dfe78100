"""Names that are written from right to left, within sentences that are not: each is kept apart from its neighbours.

Without that, a browser lays such names out as one run of text: a list of them is read from its end, and numbers and
signs between two of them change places.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import TYPE_CHECKING

from probfs.rendering.report.content import harmless

if TYPE_CHECKING:
    from markupsafe import Markup

_TURNING = ("R", "AL", "AN")
_PARTS = re.compile(r"('[^']*')")
"""Names in quotes, and what is between them."""
_SEPARATORS = frozenset(",;:()'")
_BEGIN, _END = "\u2068", "\u2069"
"""The characters that begin and end an isolate: for texts that can hold no elements."""


def is_turning(text: str) -> bool:
    """Whether a text holds letters that are written from right to left, which turn what stands beside them.

    >>> is_turning("age"), is_turning("größe"), is_turning("גיל")
    (False, False, True)
    """
    return not text.isascii() and any(map(_turns, text))


def isolated(text: str) -> Markup:
    """A text for a page, with an element around each name that is written from right to left."""
    from markupsafe import Markup, escape

    parts = (Markup("<bdi>{}</bdi>").format(part) if turns else escape(part) for part, turns in split(harmless(text)))
    return Markup("").join(parts)


def with_isolates(text: str) -> str:
    """The same for a text that a script writes, with characters in place of elements."""
    return "".join(f"{_BEGIN}{part}{_END}" if turns else part for part, turns in split(text))


def split(text: str) -> Iterator[tuple[str, bool]]:
    """The parts of a text, and whether each is a name that is written from right to left.

    A name in quotes is one part; without them, it goes from its first such letter to the last one before a sign that
    separates names.

    >>> list(split("The first are 'גיל 12', שם."))
    [("The first are '", False), ('גיל 12', True), ("', ", False), ('שם', True), ('.', False)]
    """
    if not is_turning(text):
        yield text, False
        return
    plain = ""
    for part in _PARTS.split(text):
        pieces = [("'", False), (part[1:-1], True), ("'", False)] if _is_quoted(part) else _runs(part)
        for piece, turns in pieces:
            if not turns:
                plain += piece
                continue
            if plain:
                yield plain, False
            yield piece, True
            plain = ""
    if plain:
        yield plain, False


def _is_quoted(part: str) -> bool:
    return len(part) > 2 and part[0] == part[-1] == "'" and is_turning(part)


def _runs(text: str) -> Iterator[tuple[str, bool]]:
    """Runs from a letter that turns to the last one before a separator, and what is between them."""
    start = 0
    while start < len(text):
        first = next((place for place in range(start, len(text)) if _turns(text[place])), len(text))
        yield text[start:first], False
        last = end = first
        while end < len(text) and text[end] not in _SEPARATORS:
            last = end if _turns(text[end]) else last
            end += 1
        if first < len(text):
            yield text[first : last + 1], True
        start = last + 1


def _turns(character: str) -> bool:
    return unicodedata.bidirectional(character) in _TURNING
