"""Columns that name their rows: row numbers, keys and free texts, which tell rows apart, not classes.

``rank``, ``inspect`` and ``suggest`` share this judgement. It looks at a column's distinct values and how many rows
hold each; only for row numbers and rising keys does it look at the order of the rows.
"""

from __future__ import annotations

import re

import numpy as np
import pyarrow.compute as pc

from probfs.columns.choice import CUT_ABOVE
from probfs.columns.numbers import Texts, count_matches
from probfs.columns.rules import some_numbers
from probfs.tables.arrays import Floats, Integers, index_array, loses_a_zero
from probfs.tables.cells import Kind
from probfs.tables.column import Column
from probfs.tables.table import Profile
from probfs.text import counted

_ID_NAME = re.compile(
    r"(?:^|[_\W])(?:id|ids|uuid|guid|idx|rownum|rownames?)$|^(?:id|uuid|guid)(?:[_\W]|$)"
    r"|(?:^|[_\W])(?:row|case|obs|record|sample|subject|patient|person|passenger|user|customer|order)id$",
    re.IGNORECASE,
)
_SUBJECT_NAME = re.compile(
    r"(?:^|[_\W])(?:patient|subject|participant|proband|person|individual|respondent|user|customer|client|household"
    r"|student|pupil|animal|mouse|donor|employee|driver|player|athlete|litter)s?"
    r"(?:[_\W]*(?:id|no|nr|num|number|code|key|name|uuid))?$|[_\W]id$",
    re.IGNORECASE,
)
_MAYBE_ID_NAME = re.compile(r"(?:^|[_\W])(?:key|index|row|nr|no|num|number)$", re.IGNORECASE)
"""Names of identifiers, or of amounts: a number of polyps, an index of prices."""
_CAMEL_ID = re.compile(r"[a-z](?:Id|ID|Uuid|UUID)$")
_A_TIME = re.compile(r"(?:^|[_\W])(?:year|yr|date|datetime|timestamp|time)(?:$|[_\W])", re.IGNORECASE)

# Dates, with a month by its number or name, and times of day.
_MONTH_NAME = (
    r"(?i:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)\.?"
)
_MONTH = rf"(?:\d{{1,2}}|{_MONTH_NAME})"
_YEAR = r"(?:\d{4}|\d{2})"
_WEEKDAY = r"(?:(?i:mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?i:day)?[.,]? )?"
_BETWEEN = r"(?:[-/ ]|\. ?)"
_DAY = (
    rf"{_WEEKDAY}(?:\d{{4}}{_BETWEEN}{_MONTH}(?:{_BETWEEN}\d{{1,2}})?|\d{{1,2}}{_BETWEEN}{_MONTH},?{_BETWEEN}{_YEAR}"
    rf"|{_MONTH_NAME}{_BETWEEN}(?:\d{{1,2}},?{_BETWEEN})?{_YEAR}|\d{{1,2}}/{_YEAR}|\d{{4}}[-/ ]?[QM]\d{{1,2}})"
)
_CLOCK = r"\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?: ?[AaPp]\.?[Mm]\.?)?(?:Z| ?[+-]\d{2}:?\d{2}| [A-Z]{3,4})?"
DATE_OR_TIME = rf"^(?:{_DAY}|(?:{_DAY}[T ]+)?{_CLOCK})$"
_A_DIGIT = r"\d"
# What a table does not read as numbers: a comma before the fraction or between thousands, a currency, a percentage.
_AMOUNT = r"^[<>~]? *[$€£]? *[+-]?(?:\d{1,3}(?:[,.' ]\d{3})+|\d+)?(?:[.,]\d+)?(?:[eE][+-]?\d+)? *[%$€£]?$"
_A_FRACTION_OR_UNIT = r"[.,%$€£]"

_FEWEST_NUMBERED_ROWS = 5
"""Fewer rows may hold 1, 2, 3 by chance."""
_FEWEST_NAMES = 2
_MOST = 0.5
_MANY_OF_A_NAME = 0.02
"""A column called id may number patients of whom each has several rows; with fewer different values it names groups."""
_NEARLY_ALL_TEXTS = 0.9
_NEARLY_ALL_NUMBERS = 0.95
_NEARLY_NUMERIC = 0.9
"""The share of numbers among the values above which the other values are taken for ways to write "missing"."""
_SMALL_STEP = 10
_DIGITS_OF_A_KEY = 5
_DIGITS_OF_A_LONG_KEY = 7
"""Few measurements have so many digits, all of them the same number."""
_SURE_REPEATS = 3
_MOST_ROUND = 0.25
"""Of keys, a tenth end in 0; of amounts of the same length, often many more."""


FEWEST_SUBJECTS = 10
"""Values of a column that decides the class, from which on they are rather subjects than kinds."""
_FEWEST_NAMED_SUBJECTS = 5
ROWS_OF_A_SUBJECT = 2
"""On average, at least."""


def seems_to_name_subjects(column: Column, profile: Profile, rows: int) -> bool:
    """Whether a column is called like one of subjects, or is a number (``nr``) of which each value has as many rows as
    any other, and repeats its values in so many labelled rows, as it would where several rows belong to each subject.
    """
    named = _SUBJECT_NAME.search(column.name) or _CAMEL_ID.search(column.name)
    if not named and _MAYBE_ID_NAME.search(column.name) and profile.distinct >= FEWEST_SUBJECTS:
        named = np.ptp(column.counts()[:-1]) == 0
    measured = column.kind is Kind.DATE or (column.kind is Kind.NUMBER and not profile.whole)
    several = _FEWEST_NAMED_SUBJECTS <= profile.distinct <= (rows - profile.missing) / ROWS_OF_A_SUBJECT
    return bool(named) and several and not measured


def identifier_reason(column: Column, profile: Profile, weights: Integers | None = None) -> str | None:
    """Why a column seems to name its rows, or None if it does not.

    ``profile`` is that of all rows, and ``weights`` says how many equal rows each row stands for, if there is a column
    of counts.
    """
    enough = _NEARLY_ALL_TEXTS if _MAYBE_ID_NAME.search(column.name) else 1.0
    if _ID_NAME.search(column.name) or _CAMEL_ID.search(column.name):
        enough = _MANY_OF_A_NAME
    # Most columns hold few values, or measurements, which is known without a look at their cells.
    few = enough == 1 and profile.distinct <= min(CUT_ABOVE, column.rows - 1)
    if few or column.kind is Kind.DATE or (column.kind is Kind.NUMBER and not profile.whole):
        return None
    if column.rows >= _FEWEST_NUMBERED_ROWS and column.distinct() >= column.rows:
        first_rows = column.first_rows()[:-1]
        held = np.flatnonzero(first_rows < column.rows)
        in_order = np.full(column.rows, np.nan)
        in_order[first_rows[held]] = some_numbers(column.entries, Kind.NUMBER)[held]
        if in_order[0] in (0, 1) and np.array_equal(in_order, np.arange(column.rows) + in_order[0]):
            return f"numbers the rows from {int(in_order[0])} on"
    counts = column.counts(weights)
    codes = np.flatnonzero(counts[:-1])
    if len(codes) <= min(enough, _MOST) * counts[:-1].sum():
        return None
    values = column.entries.take(index_array(codes))
    numbers = some_numbers(values, Kind.NUMBER)
    are_numbers = bool(np.mean(~np.isnan(numbers)) >= _NEARLY_NUMERIC)
    if are_numbers:
        finite = np.isfinite(numbers)
        if not finite.any() or np.any(numbers[finite] % 1):
            return None
        # Texts that would lose a zero as numbers are names, like postal codes.
        are_numbers = not (column.kind is Kind.TEXT and not np.isnan(numbers).any() and loses_a_zero(values))
    if are_numbers:
        codes, numbers = codes[finite], numbers[finite]
    elif _mostly_match(values, _AMOUNT, _A_FRACTION_OR_UNIT) or look_like_dates(values):
        return None
    distinct, present = len(codes), int(counts[codes].sum())
    several = distinct > CUT_ABOVE or distinct >= max(_FEWEST_NAMES, _MOST * present)
    why = "named like an identifier" if several and distinct > enough * present else None
    if why is None and distinct > CUT_ABOVE:
        if are_numbers and distinct >= _NEARLY_ALL_NUMBERS * present:
            why = _kind_of_keys(column, codes, numbers, present)
        elif not are_numbers and distinct > _NEARLY_ALL_TEXTS * present and present >= _MOST * counts.sum():
            why = "text that is different in nearly every row"
    return why and f"{why}, {counted(distinct, 'value')} in {counted(present, 'row')}"


def _kind_of_keys(column: Column, codes: Integers, numbers: Floats, present: int) -> str | None:
    """What kind of keys whole numbers seem to be that are nearly all different, in so many rows; None for amounts."""
    # Keys are not negative, and years are dates.
    if numbers.min() < 0 or _A_TIME.search(column.name):
        return None
    spread = float(numbers.max() - numbers.min())
    if spread < 2 * present:
        return "whole numbers with few gaps"
    # A file may be sorted by a measurement, too, but the steps of that are seldom small.
    steps = np.diff(numbers[np.argsort(column.first_rows()[codes])])
    if column.counts()[codes].max() == 1 and np.all(steps > 0) and np.median(steps) <= _SMALL_STEP:
        return "whole numbers that rise from row to row"
    digits = np.floor(np.log10(np.maximum(numbers, 1))).astype(np.int64) + 1
    # Of measurements in this range, so many would have repeated by chance: keys do not.
    would_repeat = present**2 >= 2 * spread * _SURE_REPEATS
    long = digits[0] >= (_DIGITS_OF_A_KEY if would_repeat else _DIGITS_OF_A_LONG_KEY)
    round_ones = float(np.mean(numbers % 10 == 0))
    if long and (digits == digits[0]).all() and round_ones <= _MOST_ROUND:
        return f"whole numbers of {digits[0]} digits"
    return None


def look_like_dates(values: Texts) -> bool:
    """Whether texts are dates or times, as people write them."""
    return _mostly_match(values, DATE_OR_TIME, _A_DIGIT)


def _mostly_match(values: Texts, pattern: str, somewhere: str) -> bool:
    """Whether nearly all texts have a form, and at least one of them holds what tells that form from a mere number."""
    trimmed = pc.utf8_trim_whitespace(values)
    matching = pc.match_substring_regex(trimmed, pattern)
    if count_matches(trimmed, pattern) < _NEARLY_NUMERIC * len(values):
        return False
    return count_matches(trimmed.filter(matching), somewhere) > 0
