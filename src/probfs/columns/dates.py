"""Dates as people write them: in ISO form or a national one, with a month by number or name, and perhaps a time; or
months of years, which stand for their first day.

Whether the day or the month comes first is decided by all texts of a column, and nothing is guessed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from probfs.columns.numbers import (
    LETTER,
    SAMPLE,
    Doubt,
    NumberStyle,
    Texts,
    all_match,
    count_matches,
    find_number_style,
)
from probfs.notes import NoteKind
from probfs.tables.arrays import Flags, Integers, filled, index_array, is_empty, is_missing, known_numbers, mask_array
from probfs.tables.cells import Kind
from probfs.text import option

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
_DOUBTFUL_YEAR = "[4-6][0-9]"
"""Years of two digits below are 2000 to 2039, and above 1970 to 1999."""
_FIRST_OF_THE_LAST = 69
"""Years of two digits from this on are taken for 19.., if the user says that all are dates; as POSIX has it."""
_MICROSECONDS_OF_A_DAY = 86_400_000_000
_DAY_OF_MONTH, _MONTH_OF_YEAR = "(?:0?[1-9]|[12][0-9]|3[01])", "(?:0?[1-9]|1[0-2])"
_NAME, _WEEKDAY = rf"(?P<name>{LETTER}{{3,10}})\.?", rf"(?:{LETTER}{{2,10}}\.?,? )?"
_NTH, _YEAR = r"(?:st|nd|rd|th|\.|º)?", r"(?P<year>[0-9]{4}|[0-9]{2})"
_FORMS = {
    "year first": rf"^(?P<year>[0-9]{{4}}){_MARK}(?P<month>[0-9]{{1,2}}){_MARK}(?P<day>[0-9]{{1,2}}){_TIME}",
    "numbers": rf"^(?P<a>[0-9]{{1,2}})(?P<mark>{_MARK})(?P<b>[0-9]{{1,2}}){_MARK}(?P<c>[0-9]{{4}}|[0-9]{{2}}){_TIME}",
    "day first": rf"^{_WEEKDAY}(?P<day>[0-9]{{1,2}}){_NTH}[- /]?(?:de )?{_NAME}[- /,]*(?:de )?{_YEAR}{_TIME}",
    "month first": rf"^{_WEEKDAY}{_NAME} (?P<day>[0-9]{{1,2}}){_NTH},? (?P<year>[0-9]{{4}}){_TIME}",
    # A year of several centuries and a month of two digits: codes look otherwise.
    "month": r"^(?P<year>(?:1[6-9]|20|21)[0-9]{2})[-/](?P<month>0[1-9]|1[0-2])$",
    "named month": rf"^{_NAME}[- ,]*(?P<year>[0-9]{{4}})$",
    "digits": r"^(?P<year>[0-9]{4})(?P<month>[0-9]{2})(?P<day>[0-9]{2})$",
}
_AT_FIRST_SIGHT = {form: re.compile(pattern) for form, pattern in _FORMS.items()}


@dataclass(frozen=True)
class DateStyle:
    """How the texts of a column write dates, where that is not ISO's way."""

    form: str
    order: str = ""
    """Of day, month and year, where all of them are numbers."""
    kind, plain_form = Kind.DATE, _ISO

    def parse(self, texts: pa.Array) -> pa.TimestampArray:
        """The moments that texts mean; null for a text that is no date in this style."""
        found = pc.extract_regex(texts, _FORMS[self.form])
        parts = {field.name: pc.struct_field(found, field.name) for field in found.type}
        fields = dict(zip(self.order, "abc", strict=True)) if self.order else {"y": "year", "m": "month", "d": "day"}
        years = _whole(parts[fields["y"]])
        days = _whole(parts[fields["d"]]) if fields["d"] in parts else np.ones(len(years), dtype=np.int64)
        if "name" in parts:
            months = _meanings(parts["name"], lambda name: _MONTH_OF_NAME.get(name.lower(), -1))
        else:
            months = _whole(parts[fields["m"]])
        # 0001 stands for no date in many databases, and 01 for 2001.
        short = filled(pc.binary_length(parts[fields["y"]]), 0) == 2
        years = np.where(short, years + np.where(years < _FIRST_OF_THE_LAST, 2000, 1900), years)
        time = _time_of_day(parts)
        known = (years > 0) & (months >= 1) & (months <= 12) & (days >= 1) & (time != _NO_TIME)
        month = ((np.where(known, years, 1970) - 1970) * 12 + np.where(known, months, 1) - 1).astype("datetime64[M]")
        day = month.astype("datetime64[D]") + (np.where(known, days, 1) - 1)
        known &= day.astype("datetime64[M]") == month
        moments = index_array(day.astype(np.int64) * _MICROSECONDS_OF_A_DAY + np.where(known, time, 0))
        return pc.if_else(mask_array(known), moments, pa.nulls(1, pa.int64())[0]).cast(pa.timestamp("us"))


def are_iso_dates(texts: Texts) -> bool:
    """Whether texts, of which there is at least one, are all dates in ISO form, with a time of day but no zone behind
    them or not.
    """
    first = texts[:SAMPLE].to_pylist()
    if not (first and all(re.match(_ISO, text) for text in first) and all_match(texts, _ISO)):
        return False
    try:
        pc.cast(texts, pa.timestamp("us"))
    except pa.ArrowInvalid:
        return False
    return True


def find_date_style(texts: Texts, order: str | None, *, by_hand: bool = False) -> DateStyle | Doubt | None:
    """How texts without blanks around them write dates, as far as the first and a pattern for all can tell; None if
    they are none.

    ``order`` is the user's word on day and month, dmy or mdy. ``by_hand`` says that the column holds dates by the
    user's word, whatever single texts look like.
    """
    first = texts[:SAMPLE].to_pylist()
    for form, pattern in _AT_FIRST_SIGHT.items():
        looks = [found for text in first if (found := pattern.match(text))]
        if not looks or (len(looks) < len(first) and not by_hand) or (form == "digits" and not by_hand):
            continue
        if form == "month" and all((int(found["year"]) + 1) % 100 == int(found["month"]) for found in looks):
            # Seasons from one year to the next, such as 2010-11.
            continue
        chosen, mark = "", ""
        if form == "numbers":
            marks = {found["mark"] for found in looks}
            if len(marks) > 1:
                # Whoever separates them in several ways may mean several orders.
                continue
            (mark,) = marks
            orders = ("dmy", "mdy", "ymd") if mark == "-" else ("dmy", "mdy")
            matches = {one: count_matches(texts, _in_order(one, mark)) for one in orders}
            most = max(matches.values()) if by_hand else len(texts)
            fitting = [one for one, number in matches.items() if number == most]
            if not fitting:
                continue
            chosen = order if order in fitting else fitting[0]
            if chosen != order and len(fitting) > 1:
                return _doubt("in which the day or the month may come first")
        short = _in_order(chosen, mark, _DOUBTFUL_YEAR) if chosen else _FORMS[form].replace(_YEAR, _DOUBTFUL_YEAR)
        if order is None and not by_hand and short != _FORMS[form] and count_matches(texts, short):
            return _doubt("whose years of two digits may be of this century or the last")
        return DateStyle(form, chosen)
    return None


def likely_kinds(values: pa.StringArray, order: str | None) -> dict[Kind, Flags]:
    """Which of some texts are numbers, and which are dates, in the style that most of them have."""
    texts = pc.utf8_trim_whitespace(values)
    number, date = find_number_style(texts, None, by_hand=True), find_date_style(texts, order or "dmy", by_hand=True)
    fit = {Kind.NUMBER: ~np.isnan(known_numbers(texts))}
    if isinstance(number, NumberStyle):
        fit[Kind.NUMBER] = fit[Kind.NUMBER] | ~is_missing(replace(number, strict=True).parse(texts))
    if isinstance(date, DateStyle):
        fit[Kind.DATE] = ~is_missing(date.parse(texts))
    return fit


def _in_order(order: str, mark: str, year: str = "(?:[0-9]{4}|[0-9]{2})") -> str:
    """The form of dates that are written in numbers, in some order of day, month and year."""
    fields = {"d": _DAY_OF_MONTH, "m": _MONTH_OF_YEAR, "y": year}
    return f"^{re.escape(mark).join(fields[field] for field in order)}{_TIME}"


def _doubt(why: str) -> Doubt:
    remedy = f"{option('dates', 'dmy')} or {option('dates', 'mdy')} reads them as dates"
    return Doubt(NoteKind.MAY_BE_DATES, f"look like dates {why}", remedy)


def _time_of_day(parts: Mapping[str, pa.StringArray]) -> Integers | int:
    """Microseconds since midnight in Greenwich, or wherever the text means; 0 without a time."""
    if not _is_there(parts, "hour"):
        return 0
    hours, minutes, seconds = (np.maximum(_whole(parts[name]), 0) for name in ("hour", "minute", "second"))
    wrong = (hours > 23) | (minutes > 59) | (seconds > 59)
    if _is_there(parts, "half"):
        half = _meanings(parts["half"], lambda text: {"a": 0, "p": 12}.get(text[:1].lower(), -1))
        wrong |= (half >= 0) & ((hours > 12) | (hours == 0))
        hours = np.where(half >= 0, hours % 12 + half, hours)
    if _is_there(parts, "zone"):
        minutes = minutes - _meanings(parts["zone"], _minutes_ahead)
    microseconds = ((hours * 60 + minutes) * 60 + seconds) * 1_000_000
    if _is_there(parts, "fraction"):
        microseconds += np.maximum(_whole(pc.utf8_rpad(parts["fraction"], 6, "0")), 0)
    return np.where(wrong, _NO_TIME, microseconds)


def _is_there(parts: Mapping[str, pa.StringArray], name: str) -> bool:
    """Whether some text has an optional part."""
    return name in parts and (pc.max(pc.binary_length(parts[name])).as_py() or 0) > 0


def _minutes_ahead(zone: str) -> int:
    """By how many minutes a time zone is ahead of Greenwich."""
    digits = zone.lstrip("+-").replace(":", "")
    minutes = int(digits[:2]) * 60 + int(digits[2:]) if digits.isdigit() else 0
    return -minutes if zone.startswith("-") else minutes


def _meanings(texts: pa.StringArray, meaning: Callable[[str], int]) -> Integers:
    """What each text means, -1 where there is none; of the different ones there are few."""
    encoded = texts.dictionary_encode()
    meanings = [*map(meaning, encoded.dictionary.to_pylist()), -1]
    return np.asarray(np.array(meanings, dtype=np.int64)[filled(encoded.indices, len(meanings) - 1)])


def _whole(digits: pa.StringArray) -> Integers:
    """Digits as numbers, -1 where there are none."""
    numbers = pc.cast(pc.if_else(is_empty(digits), pa.nulls(1, pa.string())[0], digits), pa.int64())
    return filled(numbers, -1).astype(np.int64)
