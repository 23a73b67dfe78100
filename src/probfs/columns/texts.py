"""What the texts of a table's cells mean: missing, numbers written in whatever way, or dates.

Only distinct texts are looked at, column by column. The columns that come out of it hold numbers, dates or categories,
and missing cells: nothing behind this step knows how the file wrote them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from probfs.columns.choice import AUTO, CUT_ABOVE, NONE, ColumnChoice
from probfs.columns.mapping import ColumnMapping
from probfs.columns.number_styles import NumberStyle, all_match, is_settled, respell_numbers, style_of_numbers
from probfs.columns.rules import some_numbers, speaks_of_texts
from probfs.notes import Note, NoteKind
from probfs.tables.arrays import (
    EXACT,
    Flags,
    Floats,
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
from probfs.tables.table import Table, number_groups, number_matrix
from probfs.text import listed, option, quoted

ALSO_WORDS = ("None",)
"""Unmistakable texts that are as often a value, as in None, Some, Marked: a draft does not decide."""
_KNOWN = frozenset((*UNMISTAKABLE, *AMONG_NUMBERS))
_FEWEST_NUMBERS = 3
"""Distinct numbers that a column must hold before another text in it is taken as missing unasked."""
_FEWEST_BESIDE_NA = 2
"""The same for texts that mean missing anywhere: 0, 1 and NA are no, yes and missing; 0, 1 and - may be 3 values."""
_MOST_SHOWN = 6
_FEW_TEXTS = 64
_SAMPLE = 20
_LONGEST_WORD = 16
"""Bytes of the longest text that may mean missing, with blanks around it."""
_ISO_DATE = r"^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?)?$"
_FIRST_LOOK = re.compile(_ISO_DATE)


# Dates


def are_dates(values: pa.StringArray) -> bool:
    """Whether distinct texts, of which there is at least one, are all dates in ISO form, with a time of day but no zone
    behind them or not.
    """
    # The first text rules out nearly every column.
    if not _FIRST_LOOK.match(values[0].as_py()):
        return False
    return all_match(values, _ISO_DATE) and parse_moments(values) is not None


# Texts that mean missing


def looks_missing(values: pa.StringArray) -> Flags:
    """For each text, whether it means missing in some columns; blanks around it do not matter."""
    if len(values) <= _FEW_TEXTS:
        # Python looks through a few texts faster than Arrow is called.
        return np.array([text.strip() in _KNOWN for text in values.to_pylist()], dtype=np.bool_)
    looks = numpy_array(pc.binary_length(values)) <= _LONGEST_WORD
    short = values if looks.all() else values.filter(mask_array(looks))
    looks[looks] = numpy_array(pc.is_in(pc.utf8_trim_whitespace(short), value_set=text_array(sorted(_KNOWN))))
    return looks


def is_unmistakable(text: str) -> bool:
    """Whether a text means missing in any column.

    >>> is_unmistakable("NA"), is_unmistakable("-")
    (True, False)
    """
    return text.strip() in UNMISTAKABLE


def mark_missing(table: Table, texts: Sequence[str]) -> Table:
    """The table with the cells that hold one of some texts made missing; among numbers, one of their numbers."""
    if not texts:
        return table
    changed = {
        name: without_texts(column, texts)
        for name, column in table.columns.items()
        if not (column.is_numeric and column.kind is Kind.NUMBER) and column.problem is None
    }
    return table.with_columns(changed | _without_numbers(table.columns.values(), texts))


def _without_numbers(columns: Iterable[Column], texts: Sequence[str]) -> dict[str, Column]:
    """The columns of numbers that hold some of the numbers that texts are, with these cells made missing."""
    numbers = _numbers_among(texts)
    if not len(numbers):
        return {}
    own = [column for column in columns if column.kind is Kind.NUMBER and column.problem is None]
    changed = {
        column.name: column.without_cells(gone)
        for group in number_groups(own)
        for column, gone in zip(group, np.isin(number_matrix(group), numbers), strict=True)
        if gone.any()
    }
    return changed | {column.name: without_texts(column, texts) for column in own if not column.is_numeric}


def without_texts(column: Column, texts: Sequence[str]) -> Column:
    """The column with the cells that hold one of some texts made missing."""
    unwanted = text_array(texts)
    if is_text(column.cells.type) and column.declared is None:
        found = pc.is_in(column.cells, value_set=unwanted)
        gone = numpy_array(pa.concat_arrays(found.chunks))
        return column.without_cells(gone) if gone.any() else column
    gone = numpy_array(pc.is_in(column.values, value_set=unwanted))
    if column.kind is Kind.NUMBER and not column.is_nominal:
        gone = gone | np.isin(some_numbers(column.entries, Kind.NUMBER), _numbers_among(texts))
    return column.without_values(gone) if gone.any() else column


def _numbers_among(texts: Sequence[str]) -> Floats:
    """The numbers that some texts are, if they are such."""
    numbers = some_numbers(text_array(texts), Kind.NUMBER)
    return numbers[~np.isnan(numbers)]


# What a column's texts mean


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
            column = without_texts(column, self.missing)
        if self.kind is Kind.TEXT or column.is_nominal:
            return column
        if self.kind is Kind.NUMBER and self.style is not None:
            column = _respell(column, self.style)
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


def _respell(column: Column, style: NumberStyle) -> Column:
    """The column with numbers in the plain way; two spellings of one number become one value."""
    encoded = respell_numbers(column.values, style).dictionary_encode()
    values = encoded.dictionary
    new_codes = np.append(filled(encoded.indices, len(values)), len(values)).astype(code_type(len(values)))
    return column.recoded(new_codes, values)


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
        return table.with_columns(read | _without_numbers(read.values(), self.missing))

    def read(self, table: Table) -> Table:
        """A table with all of its cells as they are meant."""
        return self.read_columns(mark_missing(table, self.missing))

    def agreed_missing(self, table: Table, target: str) -> dict[str, list[str]]:
        """Texts that could be missing in all columns of the table as read, each with the columns it looks so in.

        A text that the target or a column of words holds as a value is not among them.
        """
        if NONE in self.keywords:
            return {}
        found: dict[str, list[str]] = {}
        for name, texts in self.columns.items():
            for text in (*texts.missing, *texts.doubtful):
                found.setdefault(text, []).append(name)
        for name, column in table.columns.items():
            if column.is_numeric or column.problem is not None:
                continue
            for text in column.values.filter(mask_array(looks_missing(column.values))).to_pylist():
                if name == target or name not in found.get(text, ()):
                    found.pop(text, None)
        return found

    def notes(self, used: Collection[str]) -> list[Note]:
        """What a user should know of the columns that are used."""
        columns = {name: texts for name, texts in self.columns.items() if name in used}
        missing = {name: texts.missing for name, texts in columns.items() if texts.missing}
        doubtful = {name: texts.doubtful for name, texts in columns.items() if texts.doubtful}
        notes = _style_notes(columns)
        if missing and AUTO in self.keywords:
            notes.append(NoteKind.MISSING_TEXTS.note(f"taken as missing: {_shown(missing)}", missing))
        elif missing:
            keep = f'{option("na", NONE)} keeps them as values, and so does the rule "category" in a mapping'
            dates = any(columns[name].kind is Kind.DATE for name in missing)
            among = "numbers and dates" if dates else "numbers"
            message = f"taken as missing among {among}: {_shown(missing)}; {keep}"
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
    learned = {name: _learn(column, keywords, decimal, classes=name == target) for name, column in columns.items()}
    telling = {name: texts for name, texts in learned.items() if texts is not None}
    if choice.count is not None:
        # Nothing but plain numbers can be counts.
        telling[choice.count] = ColumnTexts(kind=Kind.NUMBER)
    holders = {word: tuple(name for name in columns if _holds(columns[name], word)) for word in keywords}
    found = {word: names for word, names in holders.items() if names}
    return TableTexts(choice.missing_texts(mapping), telling, decimal, keywords, found)


def _holds(column: Column, text: str) -> bool:
    texts = column.cells if is_text(column.cells.type) else column.values
    return bool(pc.any(pc.equal(texts, text_array([text])[0]), min_count=0).as_py())


def _learn(column: Column, keywords: Sequence[str], decimal: str | None, *, classes: bool) -> ColumnTexts | None:
    """What the texts of a column mean; a column of classes keeps its texts, unless they are numbers of which
    commas or blanks must be understood.
    """
    if is_text(column.cells.type) and decimal != ",":
        known = _learn_doubles(column, keywords, classes=classes)
        if known is not None:
            return known
    values = column.values
    looks = looks_missing(values)
    if column.declared is not None:
        # A file lists values that no row may hold.
        looks &= column.counts()[:-1] > 0
    others = values.filter(mask_array(~looks)) if looks.any() else values
    kind, style = (Kind.TEXT, None) if column.is_nominal else _kind_of_texts(others, decimal)
    if kind is Kind.DATE and classes:
        kind = Kind.TEXT
    texts = values.filter(mask_array(looks)).to_pylist()
    different = len(others)
    if texts and kind is Kind.NUMBER:
        plain = others if style is None else respell_numbers(others, style)
        different = len(np.unique(some_numbers(plain, Kind.NUMBER)))
    return _judge(texts, keywords, different, kind, style, classes=classes)


def _kind_of_texts(values: pa.StringArray, decimal: str | None) -> tuple[Kind, NumberStyle | None]:
    """What distinct texts are, and how they write numbers, if not plainly; numbers that are not settled are texts."""
    style = style_of_numbers(values, decimal)
    if style is not None:
        return Kind.NUMBER if is_settled(style, decimal) else Kind.TEXT, style
    if len(values) and numbers_of(values, Kind.TEXT) is not None:
        return Kind.NUMBER, None
    return Kind.DATE if len(values) > CUT_ABOVE and are_dates(values) else Kind.TEXT, None


def _learn_doubles(column: Column, keywords: Sequence[str], *, classes: bool) -> ColumnTexts | None:
    """The same for a column that its file gives as texts because of some words among numbers; None for any other."""
    first = column.cells[:_SAMPLE].to_pylist()
    if not any(is_number(text_array([text or ""]))[0] for text in first) or loses_a_zero(column.cells):
        return None
    trimmed = pc.utf8_trim_whitespace(column.cells)
    looks = pc.is_in(trimmed, value_set=text_array(sorted(_KNOWN)))
    words = pc.unique(column.cells.filter(looks)).to_pylist()
    numbers = _as_doubles(pc.if_else(looks, text_array([""])[0], trimmed))
    if numbers is None:
        return None
    # Adding zero turns -0 into 0.
    distinct = pc.count_distinct(pc.add(numbers, double_array(np.zeros(1))[0])).as_py()
    return _judge([word for word in words if word], keywords, distinct, Kind.NUMBER, None, classes=classes)


def _judge(
    texts: Sequence[str],
    keywords: Sequence[str],
    others: int,
    kind: Kind,
    style: NumberStyle | None,
    *,
    classes: bool,
) -> ColumnTexts | None:
    """What texts that look like missing mean beside so many different others of a kind."""
    # Classes that are written plainly keep their spelling.
    read_as = Kind.TEXT if classes and style is None else kind
    if not texts:
        telling = read_as is not Kind.TEXT or style is not None
        return ColumnTexts(style=style, kind=read_as) if telling else None
    if kind is Kind.TEXT and style is None:
        among_numbers = False
        texts = [text for text in texts if is_unmistakable(text)]
    else:
        fewest = _FEWEST_BESIDE_NA if all(map(is_unmistakable, texts)) else _FEWEST_NUMBERS
        among_numbers = others >= fewest and kind is not Kind.TEXT
    if AUTO in keywords or (among_numbers and NONE not in keywords):
        return ColumnTexts(missing=tuple(texts), style=style, kind=read_as)
    # A column that keeps such a text as a value is none of numbers.
    noticed = None if kind is Kind.NUMBER else style
    return ColumnTexts(doubtful=tuple(texts), style=noticed) if texts or noticed else None


def _style_notes(columns: Mapping[str, ColumnTexts]) -> list[Note]:
    notes = []
    for style in NumberStyle:
        read = [name for name, texts in columns.items() if texts.style is style and texts.kind is Kind.NUMBER]
        noticed = [name for name, texts in columns.items() if texts.style is style and texts.kind is not Kind.NUMBER]
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
