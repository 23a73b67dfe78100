"""Dates as people write them: in ISO form or a national one, with a month by number or name, and perhaps a time.

Whether the day or the month comes first is decided by all texts of a column, and nothing is guessed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from probfs.columns.numbers import LETTER, Doubt
from probfs.notes import NoteKind
from probfs.tables.arrays import Integers, filled, is_empty, parse_moments, text_array
from probfs.tables.cells import Kind
from probfs.text import option

Moments = npt.NDArray[np.datetime64]
_SAMPLE = 20
"""Texts that are looked at first: they rule out most columns."""
_MONTHS = (
    "jan january januar janvier janv enero ene gennaio gen januari janeiro",
    "feb february februar février févr fév febrero febbraio februari fevereiro fev",
    "mar march märz mär mrz mars marzo maart mrt março",
    "apr april avril avr abril abr aprile",
    "may mai mayo maggio mag mei maio",
    "jun june juni juin junio giugno giu junho",
    "jul july juli juillet juil julio luglio lug julho",
    "aug august août aou agosto ago augustus",
    "sep sept september septembre septiembre settembre set setembro",
    "oct october oktober okt octobre octubre ottobre ott outubro out",
    "nov november novembre noviembre novembro",
    "dec december dezember dez décembre déc diciembre dic dicembre dezembro",
)
_MONTH_OF_NAME = {name: month for month, names in enumerate(_MONTHS, 1) for name in names.split()}
_ISO = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,6})?)?)?$"
_NO_TIME = np.iinfo(np.int64).min
"""In place of the time where there is no such time of day."""
_MARK = r"(?:/|-| |\. ?)"
_TIME = (
    r"(?:(?:T|,? +)(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2})"
    r"(?::(?P<second>[0-9]{2})(?:[.,](?P<fraction>[0-9]{1,6})[0-9]*)?)?"
    r" ?(?P<half>[AaPp]\.?[Mm]\.?)? ?(?P<zone>Z|UTC|GMT|[+-][0-9]{2}:?[0-9]{2})?)?$"
)
_SURELY_OF_THIS_CENTURY, _SURELY_OF_THE_LAST = 39, 70
"""Years of two digits up to the one are 2000 to 2039, and from the other on 1970 to 1999."""
_FIRST_OF_THE_LAST = 69
"""Years of two digits from this on are taken for 19.., if the user says that all are dates; as POSIX has it."""


_NAME, _WEEKDAY = rf"(?P<name>{LETTER}{{3,10}})\.?", rf"(?:{LETTER}{{2,10}}\.?,? )?"
_NTH, _YEAR = r"(?:st|nd|rd|th|\.|º)?", r"(?P<year>[0-9]{4}|[0-9]{2})"
_FORMS = {
    "year first": rf"^(?P<year>[0-9]{{4}}){_MARK}(?P<month>[0-9]{{1,2}}){_MARK}(?P<day>[0-9]{{1,2}}){_TIME}",
    "numbers": rf"^(?P<a>[0-9]{{1,2}})(?P<mark>{_MARK})(?P<b>[0-9]{{1,2}}){_MARK}(?P<c>[0-9]{{4}}|[0-9]{{2}}){_TIME}",
    "day first": rf"^{_WEEKDAY}(?P<day>[0-9]{{1,2}}){_NTH}[- /]?(?:de )?{_NAME}[- /,]*(?:de )?{_YEAR}{_TIME}",
    "month first": rf"^{_WEEKDAY}{_NAME} (?P<day>[0-9]{{1,2}}){_NTH},? (?P<year>[0-9]{{4}}){_TIME}",
    "digits": r"^(?P<year>[0-9]{4})(?P<month>[0-9]{2})(?P<day>[0-9]{2})$",
}
_AT_FIRST_SIGHT = {form: re.compile(pattern) for form, pattern in _FORMS.items()}


@dataclass(frozen=True)
class DateStyle:
    """How the texts of a column write dates, where that is not ISO's way."""

    form: str
    order: str = ""
    """Of day, month and year, where all of them are numbers."""
    kind = Kind.DATE

    def respell(self, texts: pa.StringArray) -> pa.StringArray:
        """The dates in ISO form; null for a text that is no date in this style."""
        moments = _Fields.of(texts, self.form).moments(self.order)
        spelled = text_array([None if text == "NaT" else text for text in moments.astype(str).tolist()])
        return pc.replace_substring_regex(spelled, r"(?:T00:00:00)?\.000000$", "")


def are_iso_dates(texts: pa.StringArray) -> bool:
    """Whether texts, of which there is at least one, are all dates in ISO form, with a time of day but no zone behind
    them or not.
    """
    first = len(texts) and re.match(_ISO, texts[0].as_py())
    every = first and pc.all(pc.match_substring_regex(texts, _ISO), min_count=0).as_py()
    return bool(every and parse_moments(texts) is not None)


def find_date_style(texts: pa.StringArray, order: str | None, *, by_hand: bool = False) -> DateStyle | Doubt | None:
    """How texts without blanks around them write dates; None if one of them is no date.

    ``order`` is the user's word on day and month, dmy or mdy. ``by_hand`` says that the column holds dates by the
    user's word, whatever single texts look like.
    """
    first = texts[:_SAMPLE].to_pylist()
    looks_so = any if by_hand else all
    for form, pattern in _AT_FIRST_SIGHT.items():
        if not first or not looks_so(map(pattern.match, first)) or (form == "digits" and not by_hand):
            continue
        fields = _Fields.of(texts, form)
        moments = {one: fields.moments(one) for one in fields.orders}
        wrong = {one: int(np.count_nonzero(np.isnat(found))) for one, found in moments.items()}
        fitting = [one for one in wrong if wrong[one] == min(wrong.values())]
        if not fitting or (wrong[fitting[0]] and not by_hand):
            continue
        chosen = order if order in fitting else fitting[0]
        if chosen != order and any(not np.array_equal(moments[one], moments[chosen], True) for one in fitting):
            return _doubt("in which the day or the month may come first")
        if order is None and not by_hand and fields.has_doubtful_years(chosen):
            return _doubt("whose years of two digits may be of this century or the last")
        return DateStyle(form, chosen)
    return None


def _doubt(why: str) -> Doubt:
    remedy = f"{option('dates', 'dmy')} or {option('dates', 'mdy')} reads them as dates"
    return Doubt(NoteKind.MAY_BE_DATES, f"look like dates {why}", remedy)


@dataclass(frozen=True, eq=False)
class _Fields:
    """The numbers in texts of one form, -1 where a text has not the form."""

    numbers: list[Integers]
    """Year, month and day; or those whose order is to be found out."""
    orders: tuple[str, ...]
    """The orders that there may be."""
    has_short_years: bool
    microseconds: Integers
    """Since midnight."""

    @classmethod
    def of(cls, texts: pa.StringArray, form: str) -> _Fields:
        found = pc.extract_regex(texts, _FORMS[form])
        valid, nothing = found.is_valid(), pa.nulls(1, pa.string())[0]
        parts = {each.name: pc.if_else(valid, pc.struct_field(found, each.name), nothing) for each in found.type}
        year = parts["c" if form == "numbers" else "year"]
        has_short_years = bool(pc.any(pc.match_substring_regex(year, r"^[0-9][0-9]$"), min_count=0).as_py())
        orders: tuple[str, ...] = ("",)
        if form == "numbers":
            marks = set(parts["mark"].drop_null().to_pylist())
            orders = ("dmy", "mdy", "ymd") if has_short_years and "-" in marks else ("dmy", "mdy")
            # Whoever separates them in several ways may mean several orders.
            orders = orders if len(marks) == 1 else ()
            numbers = [_whole(parts[name]) for name in "abc"]
        else:
            names = parts["name"].to_pylist() if "name" in parts else []
            months = np.array([_MONTH_OF_NAME.get((name or "").lower(), -1) for name in names], dtype=np.int64)
            numbers = [_whole(year), months if "name" in parts else _whole(parts["month"]), _whole(parts["day"])]
        return cls(numbers, orders, has_short_years, _time_of_day(parts))

    def _in_order(self, order: str) -> list[Integers]:
        """Year, month and day."""
        return [self.numbers[order.index(field)] for field in "ymd"] if order else self.numbers

    def has_doubtful_years(self, order: str) -> bool:
        years = self._in_order(order)[0]
        between = (years > _SURELY_OF_THIS_CENTURY) & (years < _SURELY_OF_THE_LAST)
        return self.has_short_years and bool(between.any())

    def moments(self, order: str) -> Moments:
        """The moments that the texts mean, none where there is no such date."""
        years, months, days = self._in_order(order)
        if self.has_short_years:
            short = (years >= 0) & (years < 100)
            years = np.where(short, years + np.where(years < _FIRST_OF_THE_LAST, 2000, 1900), years)
        known = (years > 0) & (months >= 1) & (months <= 12) & (days >= 1) & (self.microseconds != _NO_TIME)
        month = ((np.where(known, years, 1970) - 1970) * 12 + np.where(known, months, 1) - 1).astype("datetime64[M]")
        day = month.astype("datetime64[D]") + (np.where(known, days, 1) - 1)
        known &= day.astype("datetime64[M]") == month
        moments = day.astype("datetime64[us]") + np.where(known, self.microseconds, 0)
        return np.where(known, moments, np.datetime64("NaT"))


def _time_of_day(parts: dict[str, pa.StringArray]) -> Integers:
    """Microseconds since midnight in Greenwich, or wherever the text means; 0 without a time."""
    if "hour" not in parts:
        return np.zeros(len(parts["year"]), dtype=np.int64)
    hours, minutes, seconds = (np.maximum(_whole(parts[name]), 0) for name in ("hour", "minute", "second"))
    fractions = np.maximum(_whole(pc.utf8_rpad(parts["fraction"], 6, "0")), 0)
    wrong = (hours > 23) | (minutes > 59) | (seconds > 59)
    half = pc.utf8_lower(pc.utf8_slice_codeunits(parts["half"], 0, 1))
    if half.null_count < len(half):
        by_half = np.array([{"a": 0, "p": 12}.get(text, -1) for text in half.to_pylist()])
        wrong |= (by_half >= 0) & ((hours > 12) | (hours == 0))
        hours = np.where(by_half >= 0, hours % 12 + by_half, hours)
    zone = pc.replace_substring(parts["zone"], ":", "")
    if zone.null_count < len(zone):
        offsets = (int(text or "0") if (text or "0")[-1].isdigit() else 0 for text in zone.to_pylist())
        ahead = np.array([np.sign(each) * (abs(each) // 100 * 60 + abs(each) % 100) for each in offsets])
        minutes = minutes - ahead
    microseconds = ((hours * 60 + minutes) * 60 + seconds) * 1_000_000 + fractions
    return np.where(wrong, _NO_TIME, microseconds)


def _whole(digits: pa.StringArray) -> Integers:
    """Digits as numbers, -1 where there are none."""
    numbers = pc.cast(pc.if_else(is_empty(digits), pa.nulls(1, pa.string())[0], digits), pa.int64())
    return filled(numbers, -1).astype(np.int64)
