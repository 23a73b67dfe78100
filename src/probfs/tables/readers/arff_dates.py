"""Dates in ARFF files, which declare their format as a pattern of java.text.SimpleDateFormat."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime, timedelta

_NAMED_ZONE = re.compile(r"\b(?:UTC|GMT|UT)$")
"""Java reads the name of a time zone where it writes an offset; only these three names are unambiguous."""
_YEARS_AHEAD = 20
"""How far in the future Java lets a year of two digits be; beyond that, it is in the past."""
# Letters of java.text.SimpleDateFormat and their directives in strptime.
_DATE_PARTS = {
    "yyyy": "%Y", "yy": "%y", "MMMM": "%B", "MMM": "%b", "MM": "%m", "M": "%m", "dd": "%d", "d": "%d",
    "HH": "%H", "H": "%H", "hh": "%I", "h": "%I", "mm": "%M", "m": "%M", "ss": "%S", "s": "%S",
    "SSS": "%f", "a": "%p", "Z": "%z", "X": "%z", "XX": "%z", "XXX": "%z", "z": "%z", "zz": "%z", "zzz": "%z",
    "y": "%Y", "yyy": "%Y", "D": "%j", "DD": "%j", "DDD": "%j",
    "E": "%a", "EE": "%a", "EEE": "%a", "EEEE": "%A",
}  # fmt: skip
_DATE_TOKEN = re.compile(r"'((?:[^']|'')*)'|([A-Za-z])\2*|[^A-Za-z']+")


def make_date_parser(pattern: str) -> Callable[[str], str] | None:
    """A function that turns a date written in a pattern of Java's into ISO form; None if the pattern is not supported.

    >>> parse = make_date_parser("dd.MM.yyyy HH:mm")
    >>> parse and parse("31.12.2020 07:05")
    '2020-12-31 07:05:00'
    """
    directives = []
    for match in _DATE_TOKEN.finditer(pattern):
        if match[1] is not None:
            directives.append((match[1].replace("''", "'") or "'").replace("%", "%%"))
        elif match[2] is not None:
            if match[0] not in _DATE_PARTS:
                return None
            directives.append(_DATE_PARTS[match[0]])
        else:
            directives.append(match[0].replace("%", "%%"))
    # strptime takes each directive only once.
    if len({part for part in directives if part.startswith("%")}) < sum(part.startswith("%") for part in directives):
        return None
    directive = "".join(directives)
    zoned, short_year = "%z" in directives, "%y" in directives

    def parse(text: str) -> str:
        moment = datetime.strptime(_NAMED_ZONE.sub("+0000", text) if zoned else text, directive)
        if short_year and moment.year > datetime.now().year + _YEARS_AHEAD:
            moment = moment.replace(year=moment.year - 100)
        if moment.tzinfo is not None:
            moment = (moment - (moment.utcoffset() or timedelta())).replace(tzinfo=None)
        return moment.isoformat(sep=" ")

    return parse
