"""What the texts of a table's cells mean: missing, numbers written in whatever way, or dates.

It is learned from the distinct texts of each column. The columns that come out of it hold numbers, dates or categories,
and missing cells: nothing behind this step knows how the file wrote them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from probfs.columns.choice import AUTO, CUT_ABOVE, NONE, ColumnChoice
from probfs.columns.mapping import ColumnMapping
from probfs.columns.rules import are_among, some_numbers, speaks_of_texts
from probfs.notes import Note, NoteKind
from probfs.tables.arrays import (
    EXACT,
    Flags,
    code_type,
    double_array,
    filled,
    is_empty,
    is_number,
    loses_a_zero,
    mask_array,
    numpy_array,
    parse_moments,
    text_array,
)
from probfs.tables.cells import AMONG_NUMBERS, UNMISTAKABLE, Kind, is_text
from probfs.tables.column import Column, numbers_of
from probfs.tables.table import Table
from probfs.text import listed, option, quoted

_SAMPLE = 20
"""Texts that are looked at first: they rule out most columns."""
_MOST_SHOWN = 6


# Ways to write numbers and dates


class NumberStyle(Enum):
    """How the texts of a column write numbers, where that is not the plain way (1234.5).

    A thousands separator stands before every group of three digits, and no zero stands before the first group: 1,234 or
    1 234 or 1'234, and 1.234 beside a decimal comma. Blanks and apostrophes mean nothing else in a number. A comma can
    also be a decimal one, so it separates thousands only where the user says that decimals have a point, or where some
    text of the column cannot be read otherwise (1,234,567 or 1,234.5 or 0.5).
    """

    THOUSANDS = "with thousands separators"
    DECIMAL_COMMA = "with decimal commas (1.234,5)"
    EITHER = "with decimal commas or thousands separators"

    def is_settled(self, decimal: str | None) -> bool:
        """Whether texts are to be read as numbers: always, unless commas were only guessed to be decimal."""
        return self is NumberStyle.THOUSANDS or (self is NumberStyle.DECIMAL_COMMA and decimal == ",")


_BLANK_OR_APOSTROPHE = "[ \u00a0\u2009\u202f]", "['\u2019]"


def _number_form(decimal: str, separator: str) -> str:
    """The form of numbers with a decimal separator, in which the other separator and blanks may mark thousands."""
    grouped = "|".join(
        rf"[1-9]\d{{0,2}}(?:{mark}\d{{3}})+(?:{decimal}\d*)?" for mark in (separator, *_BLANK_OR_APOSTROPHE)
    )
    plain = rf"(?:\d+{decimal}?\d*|{decimal}\d+)(?:[eE][+-]?\d+)?|(?i:inf|infinity)"
    return rf"^[+-]?(?:{plain}|{grouped})$"


_NUMBER_FORMS = {".": _number_form(r"\.", ","), ",": _number_form(",", r"\.")}
_SEPARATORS = {
    ".": "|".join([",", *_BLANK_OR_APOSTROPHE]),
    ",": "|".join([r"\.", *_BLANK_OR_APOSTROPHE]),
}
_ANY_NUMBER = re.compile("|".join(_NUMBER_FORMS.values()), re.ASCII)
# What numbers hold that are not written the plain way, by the user's decimal separator.
_NOT_PLAIN = {".": _SEPARATORS["."], ",": f"{_SEPARATORS[',']}|,", None: rf"{_SEPARATORS['.']}|\..*\."}
_ISO_DATE = r"^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?)?$"


def style_of_numbers(values: pa.StringArray, decimal: str | None) -> NumberStyle | None:
    """How the texts write numbers; None if one of them is no number, or if all are plainly numbers.

    ``decimal`` is the decimal separator by the user's word, None without one. It settles what the texts leave open;
    only then are decimal commas more than a guess.
    """
    if not all(_ANY_NUMBER.match(text.strip()) for text in values[:_SAMPLE].to_pylist()):
        return None
    trimmed = pc.utf8_trim_whitespace(values)
    if not _any_match(trimmed, _NOT_PLAIN[decimal]):
        return None
    fitting = [mark for mark in ".," if decimal in (None, mark) and _all_match(trimmed, _NUMBER_FORMS[mark])]
    if not fitting:
        return None
    style = NumberStyle.THOUSANDS if fitting == ["."] else NumberStyle.DECIMAL_COMMA
    if len(fitting) == 2:
        # Blanks and apostrophes separate thousands either way.
        style = NumberStyle.EITHER if _any_match(values, "[.,]") else NumberStyle.THOUSANDS
    respelled = respell_numbers(values, style)
    return style if not respelled.equals(values) and numbers_of(respelled, Kind.TEXT) is not None else None


def respell_numbers(values: pa.StringArray, style: NumberStyle) -> pa.StringArray:
    """The texts with numbers in the plain way, 1234.5; a text that is no number in this style stays as it is."""
    trimmed = pc.utf8_trim_whitespace(values)
    decimal = "." if style is NumberStyle.THOUSANDS else ","
    plain = pc.replace_substring(pc.replace_substring_regex(trimmed, _SEPARATORS[decimal], ""), ",", ".")
    fits = pc.match_substring_regex(trimmed, _NUMBER_FORMS[decimal])
    # A text without separators keeps the blanks around it, as in any other column of numbers.
    return pc.if_else(pc.and_(fits, pc.not_equal(plain, trimmed)), plain, values)


def are_dates(values: pa.StringArray) -> bool:
    """Whether texts, of which there is at least one, are all dates in ISO form, with a time of day but no zone behind
    them or not.
    """
    return _all_match(values[:1], _ISO_DATE) and _all_match(values, _ISO_DATE) and parse_moments(values) is not None


def _all_match(values: pa.StringArray, pattern: str) -> bool:
    return bool(pc.all(pc.match_substring_regex(values, pattern), min_count=0).as_py())


def _any_match(values: pa.StringArray, pattern: str) -> bool:
    return bool(pc.any(pc.match_substring_regex(values, pattern), min_count=0).as_py())


def _kind_of_texts(values: pa.StringArray, decimal: str | None) -> tuple[Kind, NumberStyle | None]:
    """What distinct texts are, and how they write numbers, if not plainly; numbers that are not settled are texts."""
    style = style_of_numbers(values, decimal)
    if style is not None:
        return Kind.NUMBER if style.is_settled(decimal) else Kind.TEXT, style
    if len(values) and numbers_of(values, Kind.TEXT) is not None:
        return Kind.NUMBER, None
    return Kind.DATE if len(values) > CUT_ABOVE and are_dates(values) else Kind.TEXT, None


# Texts that mean missing

ALSO_WORDS = ("None",)
"""Unmistakable texts that are as often a value, as in None, Some, Marked: a draft does not decide."""
_WORDS = text_array(sorted({*UNMISTAKABLE, *AMONG_NUMBERS}))
_FEWEST_NUMBERS = 3
"""Distinct numbers that a column must hold before another text in it is taken as missing unasked."""
_FEWEST_BESIDE_NA = 2
"""The same for texts that mean missing anywhere: 0, 1 and NA are no, yes and missing; 0, 1 and - may be 3 values."""


def looks_missing(values: pa.StringArray) -> Flags:
    """For each text, whether it means missing in some columns; blanks around it do not matter."""
    return numpy_array(pc.is_in(pc.utf8_trim_whitespace(values), value_set=_WORDS))


def mark_missing(table: Table, texts: Sequence[str]) -> Table:
    """The table with the cells that hold one of some texts made missing; among numbers, one of their numbers."""
    return table.with_columns(_without_texts(table.columns, texts)) if texts else table


def _without_texts(columns: Mapping[str, Column], texts: Sequence[str]) -> dict[str, Column]:
    """The columns with the cells that hold one of some texts made missing."""
    unwanted = text_array(texts)
    numbers = some_numbers(unwanted, Kind.NUMBER)
    numbers = numbers[~np.isnan(numbers)]
    are_exact = np.all((np.abs(numbers) < EXACT) | np.isinf(numbers))
    changed = {}
    for name, column in columns.items():
        if column.problem is not None:
            continue
        is_compared = column.is_numeric and (are_exact or pa.types.is_floating(column.cells.type))
        if is_compared and column.kind is Kind.NUMBER:
            gone = np.isin(column.by_row, numbers) if len(numbers) else np.zeros(1, dtype=np.bool_)
            by_row = True
        elif is_text(column.cells.type) and column.kind is not Kind.NUMBER and column.declared is None:
            gone = numpy_array(pa.concat_arrays(pc.is_in(column.cells, value_set=unwanted).chunks))
            by_row = True
        else:
            are_numbers = column.kind is Kind.NUMBER and not column.is_nominal
            gone = are_among(column.entries, unwanted, numbers if are_numbers else numbers[:0], Kind.NUMBER)
            by_row = False
        if gone.any():
            changed[name] = column.without_cells(gone) if by_row else column.without_values(gone)
    return changed


# What the texts of a column and of a table mean


@dataclass(frozen=True)
class ColumnTexts:
    """What the texts of a column mean."""

    missing: tuple[str, ...] = ()
    """Texts that are taken as missing."""
    doubtful: tuple[str, ...] = ()
    """Texts that look like missing and are kept as values."""
    style: NumberStyle | None = None
    """How the column writes numbers, if not the plain way."""
    kind: Kind = Kind.TEXT
    """What all texts that are not missing are read as."""

    def read(self, column: Column) -> Column:
        """The column with its cells as they are meant; a cell that does not fit leaves it a column of texts."""
        if column.kind is not Kind.TEXT or column.problem is not None:
            return column
        if self.missing:
            column = _without_texts({"": column}, self.missing).get("", column)
        if self.kind is Kind.TEXT or column.is_nominal:
            return column
        if self.style is not None:
            column = _respell_column(column, self.style)
        elif self.kind is Kind.NUMBER and is_text(column.cells.type):
            numbers = _as_doubles(column.cells)
            if numbers is not None:
                return replace(column, cells=numbers, kind=Kind.NUMBER)
        fits = numbers_of(column.values, self.kind if self.kind is Kind.DATE else Kind.TEXT) is not None
        return column.read_as(self.kind) if fits else column


def _as_doubles(cells: pa.ChunkedArray) -> pa.ChunkedArray | None:
    """Texts as numbers, of which an empty one is missing; None unless doubles tell all of them apart."""
    texts = pc.utf8_trim_whitespace(pc.if_else(is_empty(cells), pa.nulls(1, pa.string())[0], cells))
    try:
        numbers = pc.cast(texts, pa.float64())
    except pa.ArrowInvalid:
        return None
    exact = pc.less(pc.abs(numbers), double_array(np.array([EXACT]))[0])
    return numbers if pc.all(exact, min_count=0).as_py() else None


def _respell_column(column: Column, style: NumberStyle) -> Column:
    """The column with numbers in the plain way; two spellings of one number become one value."""
    encoded = respell_numbers(column.values, style).dictionary_encode()
    values = encoded.dictionary
    new_codes = np.append(filled(encoded.indices, len(values)), len(values)).astype(code_type(len(values)))
    return column.recoded(new_codes, values)


def _learn(column: Column, keywords: Sequence[str], decimal: str | None, *, is_target: bool) -> ColumnTexts:
    """What the texts of a column mean; a target keeps its texts, unless they are numbers of which commas or blanks must
    be understood.
    """
    found = _numbers_and_words(column) if decimal != "," else None
    if found is not None:
        words, others, kind, style = *found, Kind.NUMBER, None
    else:
        looks = looks_missing(column.values)
        if column.declared is not None:
            # A file lists values that no row may hold.
            looks &= column.counts()[:-1] > 0
        rest = column.values.filter(mask_array(~looks)) if looks.any() else column.values
        words, others = column.values.filter(mask_array(looks)).to_pylist(), len(rest)
        kind, style = (Kind.TEXT, None) if column.is_nominal else _kind_of_texts(rest, decimal)
        if words and kind is Kind.NUMBER:
            plain = rest if style is None else respell_numbers(rest, style)
            others = len(np.unique(some_numbers(plain, Kind.NUMBER)))
    if is_target and kind is Kind.DATE:
        kind = Kind.TEXT
    # Classes that are written plainly keep their spelling.
    read_as = Kind.TEXT if is_target and style is None else kind
    if not words:
        return ColumnTexts(style=style, kind=read_as)
    are_unmistakable = [text.strip() in UNMISTAKABLE for text in words]
    if kind is Kind.TEXT and style is None:
        words = [text for text, is_sure in zip(words, are_unmistakable, strict=True) if is_sure]
    fewest = _FEWEST_BESIDE_NA if all(are_unmistakable) else _FEWEST_NUMBERS
    if AUTO in keywords or (kind is not Kind.TEXT and others >= fewest and NONE not in keywords):
        return ColumnTexts(missing=tuple(words), style=style, kind=read_as)
    # A column that keeps such a text as a value is none of numbers.
    return ColumnTexts(doubtful=tuple(words), style=None if kind is Kind.NUMBER else style)


def _numbers_and_words(column: Column) -> tuple[list[str], int] | None:
    """The texts that look like missing and how many different numbers there are, of a column that its file gives as
    texts because of some words among plain numbers; None for any other. Its distinct texts are too many to look at.
    """
    if not is_text(column.cells.type) or column.is_nominal:
        return None
    first = column.cells[:_SAMPLE].to_pylist()
    if not is_number(text_array([text or "" for text in first])).any() or loses_a_zero(column.cells):
        return None
    trimmed = pc.utf8_trim_whitespace(column.cells)
    looks = pc.is_in(trimmed, value_set=_WORDS)
    numbers = _as_doubles(pc.if_else(looks, text_array([""])[0], trimmed))
    if numbers is None:
        return None
    words = pc.unique(column.cells.filter(looks)).to_pylist()
    # Adding zero turns -0 into 0.
    distinct = pc.count_distinct(pc.add(numbers, double_array(np.zeros(1))[0])).as_py()
    return [word for word in words if word], distinct


@dataclass(frozen=True)
class TableTexts:
    """What texts mean in a table, learned from it, for the table itself and for others with the same columns."""

    missing: tuple[str, ...]
    """The texts that mean missing in all columns, by the user's word and the mapping's."""
    columns: Mapping[str, ColumnTexts]
    """The columns in which some texts mean something else than they say, or may do."""
    decimal: str | None
    """The decimal separator, by the user's word."""
    keywords: tuple[str, ...]
    """The user's words, AUTO or NONE, on texts that look like missing."""
    keywords_found: Mapping[str, tuple[str, ...]]
    """Those of the words that are texts too, with the columns that hold them."""

    def read_columns(self, table: Table) -> Table:
        """A table whose missing cells are marked, with the cells of single columns as they are meant."""
        read = {name: texts.read(table.columns[name]) for name, texts in self.columns.items() if name in table.columns}
        # A number that means missing may have been written otherwise among texts: -999.0 for -999.
        if self.missing:
            numbers = {name: column for name, column in read.items() if column.kind is Kind.NUMBER}
            read |= _without_texts(numbers, self.missing)
        return table.with_columns(read)

    def read(self, table: Table) -> Table:
        """A table with all of its cells as they are meant."""
        return self.read_columns(mark_missing(table, self.missing))

    def notes(self, used: Collection[str]) -> list[Note]:
        """What a user should know of the columns that are used."""
        columns = {name: texts for name, texts in self.columns.items() if name in used}
        missing = {name: texts.missing for name, texts in columns.items() if texts.missing}
        doubtful = {name: texts.doubtful for name, texts in columns.items() if texts.doubtful}
        notes = _style_notes(columns)
        if missing:
            dates = any(columns[name].kind is Kind.DATE for name in missing)
            among = "" if AUTO in self.keywords else " among numbers and dates" if dates else " among numbers"
            keep = f'; {option("na", NONE)} keeps them as values, and so does the rule "category" in a mapping'
            message = f"taken as missing{among}: {_shown(missing)}{keep if among else ''}"
            notes.append(NoteKind.MISSING_TEXTS.note(message, missing))
        if doubtful and NONE not in self.keywords:
            message = f"may mean missing: {_shown(doubtful)}; {option('na', AUTO)} takes them as missing"
            notes.append(NoteKind.MAY_BE_MISSING.note(message, doubtful))
        for word, names in self.keywords_found.items():
            meaning = f"{option('na', word)} is a choice, not the text {quoted(word)} in {listed(names)}"
            message = f"{meaning}; a mapping's list of missing texts can name it"
            notes.append(NoteKind.WORD_FOR_MISSING.note(message, names))
        return notes


def learn_texts(
    table: Table, mapping: ColumnMapping, choice: ColumnChoice, decimal: str | None, target: str | None
) -> TableTexts:
    """What the texts of a table mean, in which the cells that are missing by the user's word are marked."""
    keywords = tuple(word for word in (AUTO, NONE) if word in choice.na)
    unused = {*mapping.drop, *choice.exclude, choice.count}
    columns = {
        name: column
        for name, column in table.columns.items()
        if column.kind is Kind.TEXT
        and column.problem is None
        and name not in unused
        and not speaks_of_texts(mapping.columns.get(name))
    }
    learned = {name: _learn(column, keywords, decimal, is_target=name == target) for name, column in columns.items()}
    if choice.count is not None:
        # Nothing but plain numbers can be counts.
        learned[choice.count] = ColumnTexts(kind=Kind.NUMBER)
    holders = {word: tuple(name for name in columns if _holds(columns[name], word)) for word in keywords}
    found = {word: names for word, names in holders.items() if names}
    as_they_are = ColumnTexts()
    learned = {name: texts for name, texts in learned.items() if texts != as_they_are}
    return TableTexts(choice.missing_texts(mapping), learned, decimal, keywords, found)


def _holds(column: Column, text: str) -> bool:
    texts = column.cells if is_text(column.cells.type) else column.values
    return bool(pc.any(pc.equal(texts, text_array([text])[0]), min_count=0).as_py())


def _style_notes(columns: Mapping[str, ColumnTexts]) -> list[Note]:
    notes = []
    for style in NumberStyle:
        written = {name: texts.kind is Kind.NUMBER for name, texts in columns.items() if texts.style is style}
        read = [name for name, are_numbers in written.items() if are_numbers]
        noticed = [name for name, are_numbers in written.items() if not are_numbers]
        if read:
            notes.append(NoteKind.NUMBER_STYLE.note(f"read as numbers {style.value}: {listed(read)}", read))
        if noticed:
            ways = [option("decimal", ","), option("decimal", ".")]
            how = ways[0] if style is NumberStyle.DECIMAL_COMMA else " or ".join(ways)
            message = f"look like numbers {style.value}: {listed(noticed)}; {how} reads them as numbers"
            notes.append(NoteKind.MAY_BE_NUMBERS.note(message, noticed))
    return notes


def _shown(texts_by_column: Mapping[str, Iterable[str]]) -> str:
    """Texts with the column they stand in.

    >>> _shown({"age": ["NA", "-"], "fare": ["?"]})
    "'NA', '-' in 'age', '?' in 'fare'"
    """
    shown = [f"{listed(texts)} in {quoted(name)}" for name, texts in texts_by_column.items()]
    rest = f" and {len(shown) - _MOST_SHOWN} more columns" if len(shown) > _MOST_SHOWN else ""
    return ", ".join(shown[:_MOST_SHOWN]) + rest
