"""Numbers as people write them: with separators between thousands, decimal commas, a currency, a percent sign, a unit,
or parentheses around those that are negative.

A few texts propose a style, one pattern tells whether all texts of the column have it, and nothing is guessed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from probfs.columns.choice import CUT_ABOVE
from probfs.notes import NoteKind
from probfs.tables.arrays import Floats
from probfs.tables.cells import OF_THOUSANDS, Kind
from probfs.text import listed, option

Texts: TypeAlias = "pa.Array | pa.ChunkedArray"
SAMPLE = 20
"""Texts that are looked at first: they rule out most columns, and propose a style."""
_LOOKED_AT = 1_000
_FEWEST_WITH_UNIT = 3
"""Distinct numbers that must have the same word behind them before it is taken for a unit."""
_SHORT_UNITS = "%kKMBmglsh"
"""Other single letters behind numbers are as often names, as of flats."""
_MOST_UNITS = 4
"""More different words behind numbers are no units."""
_BLANKS, _APOSTROPHES = " \u00a0\u2009\u202f", "'\u2019"
_MINUS = "-\u2212\u2013"
_SIGNS = (
    *("US$", "A$", "C$", "R$", "HK$", "S$", "NZ$", "$", "£", "¥", "₹", "€", "₽", "₩", "₺", "₴", "₪", "฿", "₫", "₱"),
    *("USD", "GBP", "JPY", "INR", "CAD", "AUD", "NZD", "SGD", "HKD", "CNY", "KRW", "MXN", "ILS", "THB", "PHP"),
    *("EUR", "CHF", "SEK", "NOK", "DKK", "PLN", "CZK", "HUF", "RUB", "UAH", "BRL", "TRY", "ZAR", "IDR", "VND"),
    *("Fr.", "SFr.", "kr.", "kr", "zł", "Kč", "Ft", "Rs.", "Rs"),
)
_OF_DECIMAL_POINTS = frozenset(_SIGNS[: _SIGNS.index("€")] + _SIGNS[_SIGNS.index("USD") : _SIGNS.index("EUR")])
"""Currencies of countries that write 1,234.5; behind all others a comma may begin the decimals."""
_TIMES_OF_DAY = frozenset({"am", "pm", "a.m.", "p.m.", "a.m", "p.m"})

LETTER = r"[^\x00-@\[-`{-~]"
"""Also what is no letter, beyond ASCII: compiling a pattern with all letters of Unicode takes 15 ms."""
_SIGN, _SPACE, _MONEY = rf"[+\{_MINUS}]", rf"[{_BLANKS}]*", "|".join(map(re.escape, _SIGNS))
_UNIT = rf"(?:{LETTER}|[°µ%‰\"'′″/])(?:{LETTER}|[°/²³·.^%-]){{0,14}}[23]?"
_EXPONENT = r"(?:[eE][+-]?[0-9]+)?"
_IN_SOME_STYLE = (
    rf"^(?P<open>\(?){_SPACE}{_SIGN}?{_SPACE}(?P<before>{_MONEY}|){_SPACE}(?:{_SIGN}|\()?{_SPACE}"
    rf"[.,]?[0-9](?:[0-9.,{_BLANKS}{_APOSTROPHES}]*[0-9])?[.,]?{_EXPONENT}"
    rf"-?{_SPACE}(?P<after>{_MONEY}|{_UNIT}|){_SPACE}[)-]?$"
)
_AT_FIRST_SIGHT = re.compile(_IN_SOME_STYLE)
_INTEGER = "(?:0|[1-9][0-9]*)"
"""Without a zero that it would lose as a number."""
_PLAIN_INTEGER = f"^[+-]?{_INTEGER}$"
_PLAIN = rf"^[+-]?(?:(?:{_INTEGER}(?:\.[0-9]*)?|\.[0-9]+){_EXPONENT}|(?i:inf|infinity))$"


@dataclass(frozen=True)
class NumberStyle:
    """How the texts of a column write numbers, where that is not the plain way (1234.5)."""

    decimal: str
    before: str = ""
    after: str = ""
    """What every number has before or behind it: a currency, a percent sign or a unit."""
    strict: bool = True
    """Whether every number must have it, and may not lose a zero; not where a user says that these are numbers."""
    shows_decimal: bool = field(default=False, compare=False)
    """Whether the texts it was found in would not all be numbers with the other decimal separator."""
    kind = Kind.NUMBER

    @cached_property
    def pattern(self) -> str:
        """The form of a number in this style."""
        affixes = map(re.escape, (self.before, self.after))
        before, after = affixes if self.strict else (f"(?:{affix})?" for affix in affixes)
        point, comma = (r"\.", ",") if self.decimal == "." else (",", r"\.")
        grouped = [f"[1-9][0-9]{{0,2}}(?:{mark}[0-9]{{3}})+" for mark in (comma, f"[{_BLANKS}]", f"[{_APOSTROPHES}]")]
        grouped += ["[1-9][0-9]?(?:,[0-9]{2})+,[0-9]{3}"] if comma == "," else []
        whole = "|".join([_INTEGER if self.strict else "[0-9]+", *grouped])
        number = f"(?:(?:{whole})(?:{point}[0-9]*)?|{point}[0-9]+){_EXPONENT}{_SPACE}{after}{_SPACE}"
        head = rf"{_SIGN}?{_SPACE}{before}{_SPACE}"
        negative = rf"(?:\({_SPACE}{head}|{head}\({_SPACE}){_SIGN}?{_SPACE}{number}\)"
        # As SAP writes it. Without decimals, it may be a mark like 2-.
        behind = f"{before}{_SPACE}(?:{whole}){point}[0-9]+(?:-{_SPACE}{after}|{_SPACE}{after}{_SPACE}-)"
        return f"^(?:{head}{_SIGN}?{_SPACE}{number}|{negative}|{behind})$"

    def parse(self, texts: pa.Array, *, all_fit: bool = False) -> pa.DoubleArray:
        """The numbers that texts mean; null for a text that is none in this style, unless it is known that all fit."""
        fitting = None if all_fit else pc.match_substring_regex(texts, self.pattern)
        if fitting is not None and not all_true(fitting):
            texts = pc.if_else(fitting, texts, pa.nulls(1, texts.type)[0])
        digits = texts
        for part in filter(None, (self.before, self.after)):
            digits = pc.replace_substring(digits, part, "", max_replacements=1)
        digits = pc.replace_substring(digits, "." if self.decimal == "," else ",", "")
        digits = pc.replace_substring(digits, ",", ".") if self.decimal == "," else digits
        try:
            return pc.cast(digits, pa.float64())
        except pa.ArrowInvalid:
            # Blanks, apostrophes between thousands and signs before a currency are rarer.
            signs, digits = pc.utf8_trim(digits, _BLANKS), pc.utf8_trim(digits, f"{_BLANKS}{_MINUS}+()")
        for mark in f"{_BLANKS}{_APOSTROPHES}":
            digits = pc.replace_substring(digits, mark, "")
        numbers = pc.cast(digits, pa.float64())
        is_negative = pc.match_substring_regex(signs, rf"^[\{_MINUS}(+]*[\{_MINUS}(]|-$")
        return pc.if_else(is_negative, pc.negate(numbers), numbers)

    @property
    def plain_form(self) -> str | None:
        """The form of numbers that are written the plain way; None where none is."""
        if self.strict and (self.before or self.after):
            return None
        return _PLAIN if self.decimal == "." else _PLAIN_INTEGER


@dataclass(frozen=True)
class Doubt:
    """Why texts that look like numbers or dates are not read so, or not for sure, and what decides it."""

    note: NoteKind
    why: str
    remedy: str
    of_decimals: bool = False
    """Whether it is only unknown which separator begins the decimals."""


def find_number_style(texts: Texts, decimal: str | None, *, by_hand: bool = False) -> NumberStyle | Doubt | None:
    """How texts without blanks around them write numbers; None if one of them is no number.

    ``decimal`` is the decimal separator by the user's word or by other columns, None without one. ``by_hand`` says that
    the column holds numbers by the user's word, whatever single texts look like.
    """
    first = texts[:SAMPLE].to_pylist()
    looks = [found for text in first if (found := _AT_FIRST_SIGHT.match(text))]
    if not looks or (len(looks) < len(first) and not by_hand):
        return None
    before, after = (max((found[side] for found in looks), key=len) for side in ("before", "after"))
    if after.lower() in _TIMES_OF_DAY:
        return None
    if by_hand and after.lower() == "e":
        # 1e beside 1e-3 is no number with a unit, but one whose exponent is cut off.
        after = ""
    styles = [NumberStyle(mark, before, after, strict=not by_hand) for mark in ".," if decimal in (None, mark)]
    likely = [style for style in styles if by_hand or all(re.match(style.pattern, text) for text in first)]
    matches = {style: count_matches(texts, style.pattern) for style in likely}
    most = max(matches.values(), default=0) if by_hand else len(texts)
    fitting = [style for style, number in matches.items() if number == most]
    if len(fitting) == 1:
        fitting = [replace(fitting[0], shows_decimal=True)]
    if by_hand:
        return fitting[0]
    if not fitting:
        patterns = [NumberStyle(mark, before, after).pattern for mark in ".,"]
        if all_match(texts, "|".join(patterns)) and not any(all_match(texts, pattern) for pattern in patterns):
            why = "look like numbers that do not all have the same decimal separator"
            return Doubt(NoteKind.MAY_BE_NUMBERS, why, "write all of them in one way")
        return _doubt_about_units(texts, (likely or styles)[0])
    has_unit = after and after not in (*_SIGNS, "%")
    if has_unit and not at_least(texts, _FEWEST_WITH_UNIT):
        return None
    if all(found["open"] for found in looks) and all_true(pc.starts_with(texts, "(")):
        return None
    if len(fitting) == 1:
        return fitting[0]
    commas, points = (count_matches(texts, f"[0-9]{mark}[0-9]") > 0 for mark in (",", r"\."))
    if not (commas or points) or ((before or after) in _OF_DECIMAL_POINTS and not (commas and points)):
        return fitting[0]
    remedy = f"{option('decimal', ',')} or {option('decimal', '.')} says which mark begins decimals"
    why = "look like numbers with decimal commas or thousands separators"
    return Doubt(NoteKind.MAY_BE_NUMBERS, why, remedy, of_decimals=True)


def _doubt_about_units(texts: Texts, style: NumberStyle) -> Doubt | None:
    """A doubt about numbers of which not all have the same currency or unit."""
    others = texts.filter(pc.invert(pc.match_substring_regex(texts, style.pattern)))
    if not all_match(others, _IN_SOME_STYLE):
        return None
    found = [_AT_FIRST_SIGHT.match(text) for some in (texts, others) for text in some[:_LOOKED_AT].to_pylist()]
    affixes = [{match[side] for match in found if match} for side in ("before", "after")]
    units = sorted(affix for affix in set().union(*affixes) if affix)
    are_units = all(len(unit) > 1 or unit in _SHORT_UNITS or unit in _SIGNS for unit in units)
    are_several = any(len(found) > 1 for found in affixes) and len(units) <= _MOST_UNITS
    if not (are_units and are_several and at_least(texts, CUT_ABOVE + 1)):
        return None
    lacking = ', or map the column as "number" if the others only lack the unit' if len(units) == 1 else ""
    why = f"look like numbers that do not all have the same unit ({listed(units)})"
    return Doubt(NoteKind.MAY_BE_NUMBERS, why, f"write all of them in one unit{lacking}")


def are_plain_numbers(texts: Texts) -> bool:
    """Whether texts, of which there is at least one, are all plain numbers that lose no zero."""
    first = texts[:SAMPLE].to_pylist()
    return bool(first) and all(re.match(_PLAIN, text) for text in first) and all_match(texts, _PLAIN)


def doubt_points(texts: Texts) -> Doubt | None:
    """A doubt whether the points of plain numbers stand between thousands, where each is followed by three digits."""
    pattern = f"^(?:{OF_THOUSANDS})$"
    if not (all(re.match(pattern, text) for text in texts[:SAMPLE].to_pylist()) and all_match(texts, pattern)):
        return None
    remedy = f"{option('decimal', ',')} reads 1.234 as 1234, and {option('decimal', '.')} as 1.234"
    why = "points are read as decimal points, but may separate thousands"
    doubt = Doubt(NoteKind.MAY_BE_THOUSANDS, why, remedy, of_decimals=True)
    return doubt if any_true(pc.match_substring(texts, ".")) else None


def point_is_decimal(numbers: Floats) -> bool:
    """Whether the points of numbers that a file has read are decimal; as texts, all others would have been kept."""
    size = np.abs(numbers[np.isfinite(numbers) & (numbers != np.rint(numbers))])
    is_decimal = (
        (size < 1) | (size >= 1000) | (np.rint(size * 100) / 100 == size) | (np.rint(size * 1000) / 1000 != size)
    )
    return bool(is_decimal.any())


# Questions about all texts of a column


def all_true(flags: Texts) -> bool:
    return bool(pc.all(flags, min_count=0).as_py())


def any_true(flags: Texts) -> bool:
    return bool(pc.any(flags).as_py())


def all_match(texts: Texts, pattern: str) -> bool:
    return all_true(pc.match_substring_regex(texts, pattern))


def count_matches(texts: Texts, pattern: str) -> int:
    return pc.sum(pc.match_substring_regex(texts, pattern), min_count=0).as_py() or 0


def at_least(values: Texts, number: int) -> bool:
    """Whether there are so many different values; most columns show it soon."""
    return any(pc.count_distinct(some).as_py() >= number for some in (values[:_LOOKED_AT], values))
