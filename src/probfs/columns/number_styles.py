"""Numbers written with decimal commas or thousands separators, told by a column's distinct texts.

A thousands separator stands before every group of three digits, and no zero stands before the first group: 1,234 or
1 234 or 1'234, and 1.234 beside a decimal comma. Blanks and apostrophes mean nothing else in a number. A comma can also
be a decimal one, so it separates thousands only where the user says that decimals have a point, or where some text of
the column cannot be read otherwise (1,234,567 or 1,234.5 or 0.5).
"""

from __future__ import annotations

import re
from enum import Enum

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from probfs.tables.arrays import numpy_array
from probfs.tables.cells import Kind
from probfs.tables.column import numbers_of

_BLANK = "[ \u00a0\u2009\u202f]"
_APOSTROPHE = "['\u2019]"
_SEPARATORS = (b",", b" ", b"'", "\u00a0".encode(), "\u2009".encode(), "\u202f".encode(), "\u2019".encode())
_SAMPLE = 20


class NumberStyle(Enum):
    """How the texts of a column write numbers, where that is not the plain way."""

    THOUSANDS = "with thousands separators"
    DECIMAL_COMMA = "with decimal commas (1.234,5)"
    EITHER = "with decimal commas or thousands separators"


def _pattern(decimal: str, comma_or_point: str) -> str:
    grouped = "|".join(
        rf"[1-9]\d{{0,2}}(?:{mark}\d{{3}})+(?:{decimal}\d*)?" for mark in (comma_or_point, _BLANK, _APOSTROPHE)
    )
    plain = rf"(?:\d+{decimal}?\d*|{decimal}\d+)(?:[eE][+-]?\d+)?|(?i:inf|infinity)"
    return rf"^[+-]?(?:{plain}|{grouped})$"


_WITH_POINT = _pattern(r"\.", ",")
_WITH_COMMA = _pattern(",", r"\.")
_WITH_ANY = re.compile(f"{_WITH_POINT}|{_WITH_COMMA}", re.ASCII)


def style_of_numbers(values: pa.StringArray, decimal: str | None) -> NumberStyle | None:
    """How the texts write numbers; None if one of them is no number, or if all are plainly numbers.

    ``decimal`` is the decimal separator by the user's word, None without one. It settles what the texts leave open;
    only then are decimal commas more than a guess.
    """
    if not all(_WITH_ANY.match(text.strip()) for text in values[:_SAMPLE].to_pylist()):
        return None
    trimmed = pc.utf8_trim_whitespace(values)
    if not (_may_hold(trimmed, _SEPARATORS) or _points_separate(trimmed, decimal)):
        return None
    with_point = decimal != "," and all_match(trimmed, _WITH_POINT)
    with_comma = decimal != "." and all_match(trimmed, _WITH_COMMA)
    if with_point and with_comma:
        # Blanks and apostrophes separate thousands either way.
        style = NumberStyle.EITHER if _may_hold(values, (b",", b".")) else NumberStyle.THOUSANDS
    elif with_point or with_comma:
        style = NumberStyle.THOUSANDS if with_point else NumberStyle.DECIMAL_COMMA
    else:
        return None
    respelled = respell_numbers(values, style)
    changed = not respelled.equals(values)
    return style if changed and numbers_of(respelled, Kind.TEXT) is not None else None


def is_settled(style: NumberStyle | None, decimal: str | None) -> bool:
    """Whether texts in a style are to be read as numbers: always, unless commas were only guessed to be decimal."""
    return style is NumberStyle.THOUSANDS or (style is NumberStyle.DECIMAL_COMMA and decimal == ",")


def respell_numbers(values: pa.StringArray, style: NumberStyle) -> pa.StringArray:
    """The texts with numbers in the plain way, 1234.5; a text that is no number in this style stays as it is."""
    trimmed = pc.utf8_trim_whitespace(values)
    if style is NumberStyle.THOUSANDS:
        matches = pc.match_substring_regex(trimmed, _WITH_POINT)
        plain = pc.replace_substring_regex(trimmed, f",|{_BLANK}|{_APOSTROPHE}", "")
    else:
        matches = pc.match_substring_regex(trimmed, _WITH_COMMA)
        plain = pc.replace_substring_regex(trimmed, rf"\.|{_BLANK}|{_APOSTROPHE}", "")
        plain = pc.replace_substring(plain, ",", ".")
    # A text without separators keeps the blanks around it, as in any other column of numbers.
    return pc.if_else(pc.and_(matches, pc.not_equal(plain, trimmed)), plain, values)


def _points_separate(values: pa.StringArray, decimal: str | None) -> bool:
    """Whether points may separate thousands: where decimals have a comma, or where a text has several points."""
    if decimal == "." or not _may_hold(values, (b".",)):
        return False
    return decimal == "," or numpy_array(pc.count_substring(values, ".")).max(initial=0) > 1


def all_match(values: pa.StringArray, pattern: str) -> bool:
    """Whether all texts have a form."""
    return bool(pc.all(pc.match_substring_regex(values, pattern), min_count=0).as_py())


def _may_hold(values: pa.StringArray, pieces: tuple[bytes, ...]) -> bool:
    """Whether a piece stands in the memory of the texts, which is much faster than to look at each text."""
    _, ends, data = values.buffers()
    if data is None or not len(values):
        return False
    # Columns may share the memory: only the part between the first text and the last is the column's own.
    own = np.frombuffer(ends, np.int32, len(values) + 1, values.offset * np.int32().itemsize)
    texts = data[int(own[0]) : int(own[-1])].to_pybytes()
    return any(piece in texts for piece in pieces)
