"""Missing cells: what means missing, what may, and whether missing cells tell the class, so that they are a value of
their own and not nothing, as in the paper.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cache

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from probfs.columns.rules import UNKNOWN, are_among, some_numbers
from probfs.columns.target import Target
from probfs.notes import Note, NoteKind
from probfs.tables.arrays import Flags, Floats, Integers, short_number, text_array
from probfs.tables.cells import AMONG_NUMBERS, UNMISTAKABLE, Kind
from probfs.tables.column import Column
from probfs.tables.table import Profile, Table
from probfs.text import and_more, counted, listed, option, quoted

ALSO_WORDS = ("None",)
"""Unmistakable texts that are as often a value, as in None, Some, Marked: a draft does not decide."""
WORDS = text_array(sorted({*UNMISTAKABLE, *AMONG_NUMBERS}))
"""Texts that mean missing in some columns."""
_CODES = frozenset(sign * float(10**digits - 1) for digits in range(1, 8) for sign in (1, -1))
"""Numbers that people write for a missing one: -9, 999 and the like."""
_FEWEST_CODES, _SHARE_OF_CODES = 5, 0.01
"""Rows that hold such a number before it is spoken of."""
_MOST_SHOWN = 6
LEAST_MISSING = 5
"""With fewer missing cells a column's missingness is never judged."""
SIGNIFICANCE = 1e-3
"""Missing cells tell the class where chance alone would deal them out so unevenly more rarely than this."""
_MOST_OUTCOMES = 1 << 18
"""Outcomes of the test that are summed up one by one; beyond, the normal law, which is as good for so many rows."""
_EQUALLY_LIKELY = 1 + 1e-7
"""Two outcomes whose probabilities differ by less are equally likely: the difference is rounding."""


# Cells that mean missing by the user's word


def mark_missing(table: Table, texts: Sequence[str], found: set[str] | None = None) -> Table:
    """The table with every cell made missing that holds one of the texts, or the same number written in another way.

    ``found`` collects the texts that some cell holds.
    """
    return table.with_columns(without_texts(table.columns, texts, found)) if texts else table


def without_texts(
    columns: Mapping[str, Column], texts: Sequence[str], found: set[str] | None = None
) -> dict[str, Column]:
    """The columns that hold some of the texts, with these cells made missing."""
    unwanted = text_array([text.strip() for text in texts])
    numbers = some_numbers(unwanted, Kind.NUMBER)
    found = set() if found is None else found
    changed = {}
    for name, column in columns.items():
        if column.problem is not None or (column.kind is Kind.NUMBER and np.isnan(numbers).all()):
            continue
        gone = _which_are(column, unwanted, numbers)
        if gone.any():
            by_row = column.is_numeric and column.kind is Kind.NUMBER
            changed[name] = column.without_cells(gone) if by_row else column.without_values(gone)
            for place, text in enumerate(texts):
                if text not in found and _which_are(column, unwanted[place:][:1], numbers[place:][:1]).any():
                    found.add(text)
    return changed


def _which_are(column: Column, texts: pa.StringArray, numbers: Floats) -> Flags:
    """Which cells of a column of numbers, or which values of any other column, equal one of the texts or numbers."""
    if column.is_numeric and column.kind is Kind.NUMBER:
        return np.isin(column.by_row, numbers)
    entries = column.entries
    values = entries if pa.types.is_floating(entries.type) else pc.utf8_trim_whitespace(entries)
    return are_among(values, texts, numbers, Kind.NUMBER)


def note_on_unused(texts: Iterable[str], found: set[str], columns: Iterable[Column]) -> list[Note]:
    """A warning about texts that are to mean missing and that no cell holds."""
    # On a cluster, some columns come without the numbers that were made missing.
    found = found.union(*(getattr(column, "marked", ()) for column in columns))
    unused = [text for text in dict.fromkeys(texts) if text not in found]
    if not unused:
        return []
    hint = f"; give {option('na')} once for each text" if any("," in text for text in unused) else ""
    message = f"{option('na')}: no cell holds {listed(unused)}{hint}"
    return [NoteKind.UNUSED_NA.note(message)]


def note_on_codes(columns: Iterable[Column], profiles: Mapping[str, Profile]) -> list[Note]:
    """A note on numbers far outside of a column's others, like -999, that may mean missing."""
    codes_of = ((column.name, code_for_missing(column, profiles[column.name])) for column in columns)
    found = {name: code for name, code in codes_of if code is not None}
    if not found:
        return []
    shown = [f"{code} in {counted(rows, 'row')} of {quoted(name)}" for name, (code, rows) in found.items()]
    codes = dict.fromkeys(code for code, _ in found.values())
    message = f"far outside of all other numbers: {and_more(shown, _MOST_SHOWN)}"
    remedy = f"if that means missing, say {' '.join(option('na', code) for code in codes)}"
    return [NoteKind.CODE_FOR_MISSING.note(f"{message}; {remedy}", found)]


def code_for_missing(column: Column, profile: Profile) -> tuple[str, int] | None:
    """A number that may mean missing, and in how many rows it stands."""
    is_measured = column.kind is Kind.NUMBER and not column.is_nominal and column.problem is None
    if not is_measured or _CODES.isdisjoint((profile.least, profile.greatest)):
        return None
    by_row = column.is_numeric and not column.is_encoded
    numbers = column.by_row if by_row else column.numbers()
    if numbers is None:
        return None
    for code, end in ((profile.least, min), (profile.greatest, max)):
        if code not in _CODES:
            continue
        at = numbers == code
        rows = int(np.count_nonzero(at) if by_row else column.counts()[:-1][at].sum())
        if rows < max(_FEWEST_CODES, _SHARE_OF_CODES * column.rows):
            continue
        rest = numbers[~at & ~np.isnan(numbers)]
        low, high = float(rest.min(initial=np.inf)), float(rest.max(initial=-np.inf))
        is_far = abs(code - end(low, high)) > high - low or code < 0 <= low
        if low < high and is_far and np.any((rest > low) & (rest < high)):
            return short_number(code), rows
    return None


# Whether missing cells tell the class


def missing_cells_tell(column: Column, target: Target, weights: Integers | None) -> bool:
    """Whether the missing cells of labelled rows tell the class; ``weights`` has None where all rows weigh 1."""
    rows, cell_weights = column.missing_cells(weights)
    labels = target.labels[rows]
    known = labels != UNKNOWN
    missing = np.bincount(
        labels[known], None if cell_weights is None else cell_weights[known], minlength=len(target.classes)
    )
    return missingness_p_value(missing.tolist(), target.class_rows) < SIGNIFICANCE


def missingness_p_value(missing_by_class: Sequence[float], rows_by_class: Sequence[int]) -> float:
    """The probability that missing cells dealt out by chance would differ so much from the class frequencies.

    For each class an exact two-sided hypergeometric test: of all ways to choose which rows are missing, the share in
    which the number from this class is no more likely than the one at hand. The least of these probabilities, times
    the number of classes.
    """
    missing = [int(count) for count in missing_by_class]
    total, drawn = sum(rows_by_class), sum(missing)
    tests = (_two_sided(found, total, size, drawn) for found, size in zip(missing, rows_by_class, strict=True))
    return min(1.0, min(tests) * len(missing))


@cache
def _two_sided(found: int, total: int, size: int, drawn: int) -> float:
    """The probability of an outcome no likelier than ``found`` when ``drawn`` of ``total`` are drawn, ``size`` of which
    are of the class.
    """
    least, most = max(0, drawn + size - total), min(drawn, size)
    if most - least >= _MOST_OUTCOMES:
        mean = drawn * (size / total)
        deviation = math.sqrt(mean * ((total - size) / total) * ((total - drawn) / (total - 1)))
        return math.erfc(max(abs(found - mean) - 0.5, 0) / deviation / math.sqrt(2))
    # The logarithm of each outcome's probability, but for a constant, from the ratios of neighbours.
    outcomes = np.arange(least, most, dtype=np.float64)
    rising = np.log(size - outcomes) + np.log(drawn - outcomes)
    falling = np.log(outcomes + 1) + np.log(total - size - drawn + outcomes + 1)
    logarithms = np.concatenate([[0.0], np.cumsum(rising - falling)])
    probabilities = np.exp(logarithms - logarithms.max())
    probabilities /= probabilities.sum()
    return float(probabilities[probabilities <= probabilities[found - least] * _EQUALLY_LIKELY].sum())
