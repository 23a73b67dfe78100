"""Numbers as people write them: with separators between thousands, decimal commas, a currency, a percent sign, a unit,
or parentheses around those that are negative.

What the texts of a column mean is decided for all of them together, and only where there is no doubt.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from probfs.columns.choice import CUT_ABOVE
from probfs.notes import NoteKind
from probfs.tables.arrays import Floats, text_array
from probfs.tables.cells import OF_THOUSANDS, Kind
from probfs.tables.column import numbers_of
from probfs.text import listed, option

_SAMPLE = 20
"""Texts that are looked at first: they rule out most columns."""
_FEWEST_WITH_UNIT = 3
"""Distinct numbers that must have the same word behind them before it is taken for a unit."""
_SHORT_UNITS = "%kKMBmglsh"
"""Other single letters behind numbers are as often names, as of flats."""
_MOST_UNITS = 4
"""More different words behind numbers are no units."""
_BLANKS, _APOSTROPHES = " \u00a0\u2009\u202f", "'\u2019"
_MINUS = "\\-\u2212\u2013"
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
_SIGN, _SPACE, _MONEY = rf"[+{_MINUS}]?", rf"[{_BLANKS}]*", "|".join(map(re.escape, _SIGNS))
_UNIT = rf"(?:{LETTER}|[°µ%‰\"'′″/])(?:{LETTER}|[°/²³·.^%-]){{0,14}}[23]?"
_MIDDLE = rf"[0-9](?:[0-9.,{_BLANKS}{_APOSTROPHES}]*[0-9])?"
_SPLIT = rf"(?s)^(?P<head>[^0-9]*)(?P<digits>{_MIDDLE})(?P<tail>(?:[^0-9].*)?)$"
_HEAD = (
    rf"(?P<open>\(?){_SPACE}(?P<outer>{_SIGN}){_SPACE}(?P<before>{_MONEY}|){_SPACE}(?P<inner>[+{_MINUS}(]?){_SPACE}"
    r"(?P<point>[.,]?)"
)
_TAIL = rf"(?P<end>[.,]?)(?P<exponent>(?:[eE][+-]?[0-9]+)?){_SPACE}(?P<after>{_MONEY}|{_UNIT}|){_SPACE}(?P<close>\)?)"
"""What stands before the first digit and behind the last, beside what belongs to the digits themselves. Of a column
there are few different ones, so that each is taken apart once: one pattern for all would take ten times as long.
"""
_HEAD_PATTERN, _TAIL_PATTERN = re.compile(_HEAD), re.compile(_TAIL)
_AT_FIRST_SIGHT = re.compile(f"^{_HEAD}{_MIDDLE}{_TAIL}$")
_GROUPED = "[1-9][0-9]{{0,2}}(?:{mark}[0-9]{{3}})+"
_INDIAN = "[1-9][0-9]?(?:,[0-9]{2})+,[0-9]{3}"


def _digits_form(decimal: str, separator: str) -> str:
    """Digits with this decimal separator; all thousands are separated by the other one, or by blanks or apostrophes."""
    marks = (separator, f"[{_BLANKS}]", f"[{_APOSTROPHES}]")
    grouped = [_GROUPED.format(mark=mark) for mark in marks] + ([_INDIAN] if separator == "," else [])
    return rf"^(?:[0-9]+{decimal}?[0-9]*|{decimal}[0-9]+|(?:{'|'.join(grouped)})(?:{decimal}[0-9]*)?)$"


_DIGITS_FORMS = {".": _digits_form(r"\.", ","), ",": _digits_form(",", r"\.")}
_SEPARATORS = {".": f"[,{_BLANKS}{_APOSTROPHES}]", ",": f"[.{_BLANKS}{_APOSTROPHES}]"}


@dataclass(frozen=True)
class NumberStyle:
    """How the texts of a column write numbers, where that is not the plain way (1234.5)."""

    decimal: str
    before: str = ""
    after: str = ""
    """What every number has before or behind it: a currency, a percent sign or a unit."""
    strict: bool = True
    """Whether every number must have it; not where a user says that these are numbers."""
    kind = Kind.NUMBER

    def respell(self, texts: pa.StringArray) -> pa.StringArray:
        """The numbers in the plain way; null for a text that is no number in this style."""
        parts = _parts(texts)
        fits = pc.match_substring_regex(parts["digits"], _DIGITS_FORMS[self.decimal])
        for side, wanted in ((parts["before"], self.before), (parts["after"], self.after)):
            has_it = pc.is_in(side, value_set=text_array([wanted] if self.strict else [wanted, ""]))
            fits = pc.and_kleene(fits, has_it)
        signs = pc.binary_join_element_wise(parts["open"], parts["outer"], parts["inner"], text_array([""])[0])
        fits = pc.and_kleene(fits, pc.equal(pc.match_substring(signs, "("), _is(")", parts["close"])))
        digits = pc.replace_substring_regex(parts["digits"], _SEPARATORS[self.decimal], "")
        minus = pc.if_else(pc.match_substring_regex(signs, rf"[{_MINUS}(]"), text_array(["-"])[0], text_array([""])[0])
        plain = pc.replace_substring(digits, ",", ".") if self.decimal == "," else digits
        spelled = pc.binary_join_element_wise(minus, plain, parts["exponent"], text_array([""])[0])
        return pc.if_else(fits, spelled, pa.nulls(1, pa.string())[0])


@dataclass(frozen=True)
class Doubt:
    """Why texts that look like numbers or dates are not read so, or not for sure, and what decides it."""

    note: NoteKind
    why: str
    remedy: str
    of_decimals: bool = False
    """Whether it is only unknown which separator begins the decimals."""


def find_number_style(
    texts: pa.StringArray, decimal: str | None, *, by_hand: bool = False
) -> NumberStyle | Doubt | None:
    """How texts without blanks around them write numbers; None if one of them is no number, or if all are plainly so.

    ``decimal`` is the decimal separator by the user's word or by other columns, None without one. ``by_hand`` says that
    the column holds numbers by the user's word, whatever single texts look like.
    """
    first = texts[:_SAMPLE].to_pylist()
    if not by_hand and not (first and all(_AT_FIRST_SIGHT.match(text) for text in first)):
        return None
    with_points = decimal == "," and pc.any(pc.match_substring(texts, "."), min_count=0).as_py()
    if numbers_of(texts, Kind.TEXT) is not None and not with_points:
        return None
    parts = _parts(texts)
    known = parts["digits"].is_valid()
    if not pc.any(known, min_count=0).as_py() or not (by_hand or pc.all(known).as_py()):
        return None
    parts = {name: part.filter(known) for name, part in parts.items()}
    affixes = [sorted(pc.unique(parts[side]).to_pylist(), key=len) for side in ("before", "after")]
    before, after = (found[-1] for found in affixes)
    several = any(len(found) > 1 + (by_hand and found[0] == "") for found in affixes)
    digits = parts["digits"]
    fitting = [mark for mark in ".," if decimal in (None, mark) and _all_match(digits, _DIGITS_FORMS[mark])]
    fitting = fitting or ([decimal or "."] if by_hand else [])
    if not fitting or after.lower() in _TIMES_OF_DAY:
        return None
    if several:
        units = [affix for found in affixes for affix in found if affix]
        are_units = all(len(unit) > 1 or unit in _SHORT_UNITS or unit in _SIGNS for unit in units)
        are_few = are_units and len(units) <= _MOST_UNITS and len(texts) > CUT_ABOVE
        why = f"look like numbers of which not all have the same unit ({listed(units)})"
        remedy = 'write all of them in one unit, or map the column as "number" if some only lack it'
        return Doubt(NoteKind.MAY_BE_NUMBERS, why, remedy) if are_few else None
    if after and not (by_hand or after in (*_SIGNS, "%") or len(texts) >= _FEWEST_WITH_UNIT):
        return None
    if pc.all(_is("(", parts["open"])).as_py() and not by_hand:
        return None
    mark = fitting[0] if len(fitting) == 1 else _decimal_of(digits, before or after)
    if mark is None and not by_hand:
        remedy = f"{option('decimal', ',')} or {option('decimal', '.')} reads them as numbers"
        return Doubt(
            NoteKind.MAY_BE_NUMBERS,
            "look like numbers with decimal commas or thousands separators",
            remedy,
            of_decimals=True,
        )
    style = NumberStyle(mark or ".", before, after, strict=not by_hand)
    plain = style.respell(texts)
    if plain.equals(texts) or (not by_hand and (plain.null_count or numbers_of(plain, Kind.TEXT) is None)):
        return None
    return style


def _decimal_of(digits: pa.StringArray, affix: str) -> str | None:
    """The decimal separator of digits that may be read with either; None where that would be a guess."""
    commas, points = (pc.any(pc.match_substring(digits, mark)).as_py() for mark in ",.")
    is_known = not (commas or points) or (affix in _OF_DECIMAL_POINTS and not (commas and points))
    return "." if is_known else None


def doubt_points(texts: pa.StringArray) -> Doubt | None:
    """A doubt whether the points of plain numbers stand between thousands, where each is followed by three digits."""
    if not may_be_thousands(texts):
        return None
    remedy = f"{option('decimal', ',')} reads 1.234 as 1234, and {option('decimal', '.')} as 1.234"
    why = "read with decimal points, which may stand between thousands"
    return Doubt(NoteKind.MAY_BE_THOUSANDS, why, remedy, of_decimals=True)


def may_be_thousands(texts: pa.StringArray) -> bool:
    """Whether the points of plain numbers may stand between thousands, since each is followed by three digits."""
    has_points = pc.any(pc.match_substring(texts, "."), min_count=0).as_py()
    return bool(has_points) and _all_match(texts, f"^(?:{OF_THOUSANDS})$")


def point_is_decimal(numbers: Floats) -> bool:
    """Whether the points of numbers that a file has read are decimal; as texts, all others would have been kept."""
    size = np.abs(numbers[np.isfinite(numbers) & (numbers != np.rint(numbers))])
    return bool(
        np.any(
            (size < 1) | (size >= 1000) | (np.rint(size * 100) / 100 == size) | (np.rint(size * 1000) / 1000 != size)
        )
    )


def settles_decimal(style: NumberStyle, texts: pa.StringArray) -> bool:
    """Whether texts in some style show which separator begins the decimals in their table."""
    digits = _parts(texts)["digits"].drop_null()
    return not _all_match(digits, _DIGITS_FORMS["," if style.decimal == "." else "."])


def _parts(texts: pa.StringArray) -> Mapping[str, pa.StringArray]:
    """The parts of each number, null for a text that has not the form of one."""
    found = pc.extract_regex(texts, _SPLIT)
    valid, nothing = found.is_valid(), pa.nulls(1, pa.string())[0]
    head, digits, tail = (
        pc.if_else(valid, pc.struct_field(found, name), nothing) for name in ("head", "digits", "tail")
    )
    parts = _take_apart(head, _HEAD_PATTERN) | _take_apart(tail, _TAIL_PATTERN)
    parts["digits"] = pc.binary_join_element_wise(parts.pop("point"), digits, parts.pop("end"), text_array([""])[0])
    known = parts["digits"].is_valid()
    return {name: pc.if_else(known, part, nothing) for name, part in parts.items()}


def _take_apart(texts: pa.StringArray, pattern: re.Pattern[str]) -> dict[str, pa.StringArray]:
    """The groups of a pattern in each text, null where it does not fit."""
    encoded = texts.dictionary_encode()
    matches = [pattern.fullmatch(text) for text in encoded.dictionary.to_pylist()]
    return {
        name: text_array([None if match is None else match[name] for match in matches]).take(encoded.indices)
        for name in pattern.groupindex
    }


def _is(text: str, parts: pa.StringArray) -> pa.BooleanArray:
    return pc.equal(parts, text_array([text])[0])


def _all_match(texts: pa.StringArray, pattern: str) -> bool:
    return bool(pc.all(pc.match_substring_regex(texts, pattern), min_count=0).as_py())
