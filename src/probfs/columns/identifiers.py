"""Columns that name their rows: row numbers, keys and free texts, which tell rows apart, not classes.

``rank``, ``inspect`` and ``suggest`` share this judgement. It looks at a column's distinct values and how many rows
hold each; only for row numbers and rising keys does it look at the order of the rows.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from probfs.columns.choice import CUT_ABOVE
from probfs.tables.arrays import EXACT, Floats, Integers, index_array, is_number, mask_array, numpy_array
from probfs.tables.cells import Kind
from probfs.tables.column import Column, numbers_of
from probfs.tables.table import Profile
from probfs.text import counted

_ID_NAME = re.compile(
    r"(?:^|[_\W])(?:id|ids|uuid|guid|idx|rownum|rownames?)$|^(?:id|uuid|guid)(?:[_\W]|$)"
    r"|(?:^|[_\W])(?:row|case|obs|record|sample|subject|patient|person|passenger|user|customer|order)id$",
    re.IGNORECASE,
)
_MAYBE_ID_NAME = re.compile(r"(?:^|[_\W])(?:key|index|row|nr|no|number)$", re.IGNORECASE)
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
_DAY = (
    rf"(?:\d{{4}}[-/. ]{_MONTH}(?:[-/. ]\d{{1,2}})?|\d{{1,2}}[-/. ]{_MONTH}[-/. ]{_YEAR}"
    rf"|{_MONTH_NAME}[-/. ](?:\d{{1,2}},?[-/. ])?{_YEAR}|\d{{1,2}}/{_YEAR}|\d{{4}}[-/ ]?[QM]\d{{1,2}})"
)
_CLOCK = r"\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?: ?[AaPp]\.?[Mm]\.?)?(?:Z| ?[+-]\d{2}:?\d{2}| [A-Z]{3,4})?"
_DATE = rf"^(?:{_DAY}|(?:{_DAY}[T ]+)?{_CLOCK})$"
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
_FIRST_VALUES = 16


def identifier_reason(column: Column, profile: Profile, weights: Integers | None = None) -> str | None:
    """Why a column seems to name its rows, or None if it does not.

    ``profile`` is that of all rows, and ``weights`` says how many equal rows each row stands for, if there is a column
    of counts.
    """
    enough = _enough_for_name(column.name)
    # Most columns hold few values, which is known without a look at their cells.
    if column.kind is Kind.DATE or not (enough < 1 or profile.distinct > min(CUT_ABOVE, column.rows - 1)):
        return None
    if column.kind is Kind.NUMBER and not profile.whole:
        # Measurements.
        return None
    return _reason_for_rows(column, enough, weights) if column.is_numeric else _reason(column, enough, weights)


def _reason_for_rows(column: Column, enough: float, weights: Integers | None) -> str | None:
    """The reason for a column of whole numbers, by the number in each row."""
    by_row = column.by_row
    if len(by_row) >= _FEWEST_NUMBERED_ROWS and by_row[0] in (0, 1) and _rise_by_one(by_row):
        return f"numbers the rows from {int(by_row[0])} on"
    present = np.isfinite(by_row)
    if not pa.types.is_floating(column.cells.type) and np.any(np.abs(by_row[present]) >= EXACT):
        # As doubles, neighbours are the same.
        return _reason(column, enough, weights)
    counted_rows = present if weights is None else present & (weights > 0)
    numbers = np.unique(by_row[counted_rows])
    rows = int(np.count_nonzero(present) if weights is None else weights[present].sum())
    if len(numbers) <= min(enough, _MOST) * rows:
        return None

    def rises() -> bool:
        in_order = by_row[present]
        return len(np.unique(in_order)) == len(in_order) and _rise_in_small_steps(in_order)

    return _reason_for_numbers(column.name, numbers, rows, enough, rises)


def _reason(column: Column, enough: float, weights: Integers | None) -> str | None:
    """The reason for any other column, by its distinct values."""
    first = _first_row_number(column)
    if first is not None:
        return f"numbers the rows from {first} on"
    counts = column.counts(weights)
    seen = np.flatnonzero(counts[:-1])
    if len(seen) <= min(enough, _MOST) * counts[:-1].sum() or _begins_with_fractions(column):
        return None
    values = pc.utf8_trim_whitespace(column.values.take(index_array(seen)))
    numeric = is_number(values)
    if numeric.mean() < _NEARLY_NUMERIC:
        return _reason_for_texts(values, counts, enough)
    numbers = numbers_of(values.filter(mask_array(numeric)), Kind.NUMBER)
    if numbers is None or not _all_whole(numbers):
        return None
    if column.kind is Kind.TEXT and numeric.all() and numbers_of(values, Kind.TEXT) is None:
        # Texts that lose a zero as numbers, like postal codes, are names.
        return _reason_for_texts(values, counts, enough)
    finite = np.isfinite(numbers)
    codes, numbers = seen[numeric][finite], numbers[finite]

    def rises() -> bool:
        in_order = numbers[np.argsort(column.first_rows()[codes])]
        return not (column.counts()[codes] > 1).any() and _rise_in_small_steps(in_order)

    return _reason_for_numbers(column.name, numbers, int(counts[codes].sum()), enough, rises)


def _enough_for_name(name: str) -> float:
    """The share of different values above which a column of this name is an identifier; 1 for an ordinary name."""
    if _ID_NAME.search(name) or _CAMEL_ID.search(name):
        return _MANY_OF_A_NAME
    return _NEARLY_ALL_TEXTS if _MAYBE_ID_NAME.search(name) else 1.0


def _named_rows(distinct: int, present: int, enough: float) -> bool:
    """Whether a column whose name calls for ``enough`` different values has them; of few values, most must differ."""
    several = distinct > CUT_ABOVE or distinct >= _MOST * present
    return several and distinct >= _FEWEST_NAMES and distinct > enough * present


def look_like_dates(values: pa.StringArray) -> bool:
    """Whether texts are dates or times, as people write them."""
    return _mostly_match(values, _DATE, _A_DIGIT)


def _reason_for_texts(values: pa.StringArray, counts: Integers, enough: float) -> str | None:
    """Why texts that are mostly different seem to name their rows; ``counts`` ends with the missing cells."""
    if _mostly_match(values, _AMOUNT, _A_FRACTION_OR_UNIT) or look_like_dates(values):
        return None
    distinct, present = len(values), int(counts[:-1].sum())
    if _named_rows(distinct, present, enough):
        return f"named like an identifier, {_held(distinct, present)}"
    if distinct > CUT_ABOVE and distinct > _NEARLY_ALL_TEXTS * present and present >= _MOST * counts.sum():
        return f"text that is different in nearly every row, {_held(distinct, present)}"
    return None


def _reason_for_numbers(
    name: str, numbers: Floats, present: int, enough: float, rises: Callable[[], bool]
) -> str | None:
    """Why distinct whole numbers in so many rows seem to name them; ``rises`` says whether they grow from row to row in
    small steps.
    """
    distinct = len(numbers)
    if _named_rows(distinct, present, enough):
        return f"named like an identifier, {_held(distinct, present)}"
    nearly_all = distinct > CUT_ABOVE and distinct >= _NEARLY_ALL_NUMBERS * present
    # Keys are not negative, and years are dates.
    if not nearly_all or numbers.min() < 0 or _A_TIME.search(name):
        return None
    spread = float(numbers.max() - numbers.min())
    if spread < 2 * present:
        return f"whole numbers with few gaps, {_held(distinct, present)}"
    if rises():
        return f"whole numbers that rise from row to row, {_held(distinct, present)}"
    digits = np.floor(np.log10(np.maximum(numbers, 1))).astype(np.int64) + 1
    round_ones = float(np.mean(numbers % 10 == 0))
    # Of measurements in this range, so many would have repeated by chance: keys do not.
    would_repeat = present**2 >= 2 * spread * _SURE_REPEATS
    long = digits[0] >= (_DIGITS_OF_A_KEY if would_repeat else _DIGITS_OF_A_LONG_KEY)
    if long and (digits == digits[0]).all() and round_ones <= _MOST_ROUND:
        return f"whole numbers of {digits[0]} digits, {_held(distinct, present)}"
    return None


def _first_row_number(column: Column) -> str | None:
    """The number of the first row, 0 or 1, if the column numbers the rows in their order."""
    rows = column.rows
    if rows < _FEWEST_NUMBERED_ROWS or column.distinct() < rows:
        return None
    first_rows = column.first_rows()[:-1]
    held = np.flatnonzero(first_rows < rows)
    if len(held) < rows:
        return None
    codes = np.empty(rows, dtype=np.int64)
    codes[first_rows[held]] = held
    # The first cell rules out nearly every column.
    start = _python_numbers(column.values.slice(int(codes[0]), 1))
    if start not in ([0.0], [1.0]):
        return None
    numbers = numbers_of(column.values.take(index_array(codes)), Kind.NUMBER)
    return str(int(start[0])) if numbers is not None and _rise_by_one(numbers) else None


def _rise_by_one(numbers: Floats) -> bool:
    return np.array_equal(numbers, np.arange(len(numbers)) + numbers[0])


def _begins_with_fractions(column: Column) -> bool:
    """Whether the first values are numbers, with a fraction among them: that tells measurements at little cost."""
    numbers = _python_numbers(column.values.slice(0, _FIRST_VALUES))
    return any(math.isfinite(number) and not number.is_integer() for number in numbers)


def _python_numbers(values: pa.StringArray) -> list[float]:
    """A few texts as numbers, or none if one is not a number; for so few, Python is faster than a call of Arrow."""
    try:
        return [float(text) for text in values.to_pylist()]
    except ValueError:
        return []


def _all_whole(numbers: Floats) -> bool:
    """Whether no number has a fraction; an infinite one stands for a missing cell."""
    finite = numbers[np.isfinite(numbers)]
    return len(finite) > 0 and bool(np.all(finite == np.rint(finite)))


def _mostly_match(values: pa.StringArray, pattern: str, somewhere: str) -> bool:
    """Whether nearly all texts have a form, and at least one of them holds what tells that form from a mere number."""
    matching = pc.match_substring_regex(values, pattern)
    if numpy_array(matching).mean() < _NEARLY_NUMERIC:
        return False
    return bool(numpy_array(pc.match_substring_regex(values.filter(matching), somewhere)).any())


def _rise_in_small_steps(in_order: Floats) -> bool:
    """Whether each number is a little larger than the one before.

    A file may be sorted by a measurement, too, but the steps of that are seldom small.
    """
    steps = np.diff(in_order)
    return bool(np.all(steps > 0)) and float(np.median(steps)) <= _SMALL_STEP


def _held(distinct: int, present: int) -> str:
    return f"{counted(distinct, 'value')} in {counted(present, 'row')}"
