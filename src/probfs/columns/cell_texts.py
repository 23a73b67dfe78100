"""What the texts of a table's cells mean: missing, dates, or numbers that are not written the plain way.

Only distinct texts are looked at, column by column, and the columns that come out of it hold plain numbers, declared
dates and missing cells: nothing behind this step knows how the file wrote them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow.compute as pc

from probfs.columns.date_texts import are_many_dates
from probfs.columns.mapping_file import MappingFile
from probfs.columns.missing_texts import (
    AUTO,
    NONE,
    is_unmistakable,
    looks_missing,
    mark_missing,
    texts_that_look_missing,
    without_values,
)
from probfs.columns.number_texts import NumberStyle, is_settled, respell_numbers, style_of_numbers
from probfs.columns.roles import ColumnChoice
from probfs.columns.rules import Among, Category, Groups, Rule
from probfs.errors import UsageError
from probfs.notes import Note, NoteKind
from probfs.tables.arrow_arrays import equal_mask, filled, mask_array
from probfs.tables.mixed_column import MixedColumn
from probfs.tables.number_block import NumberColumn
from probfs.tables.table import Column, Kind, Table, code_type, numbers_of
from probfs.text import listed, option, quoted

_FEWEST_NUMBERS = 3
"""Distinct numbers that a column must hold before another text in it is taken as missing unasked."""
_FEWEST_BESIDE_NA = 2
"""The same for texts that mean missing anywhere: 0, 1 and NA are no, yes and missing; 0, 1 and - may be 3 values."""
_MOST_SHOWN = 6


@dataclass(frozen=True)
class ColumnTexts:
    """What some texts of a column mean."""

    missing: tuple[str, ...] = ()
    """Texts that are taken as missing."""
    doubtful: tuple[str, ...] = ()
    """Texts that look like missing and are kept as values."""
    style: NumberStyle | None = None
    """How the column writes numbers, if not the plain way."""
    respelled: bool = False
    """Whether they are read as numbers."""
    dates: bool = False
    """Whether all texts that are not missing are dates, and read as such."""

    def read(self, column: Column) -> Column:
        """The column with its cells as they are meant."""
        if self.missing:
            column = without_values(column, self.missing)
        if self.dates and column.kind is Kind.TEXT:
            column = column.as_dates()
        return _respell(column, self.style) if self.respelled and self.style is not None else column


@dataclass(frozen=True)
class CellTexts:
    """What texts mean in a table, learned from it, for the table itself and for others with the same columns."""

    missing: tuple[str, ...]
    """The texts that mean missing in all columns, by the user's word and the mapping's."""
    columns: Mapping[str, ColumnTexts]
    """The columns in which some texts mean something else than they say, or may do."""
    decimal: str | None
    """What stands before decimals, by the user's word."""
    words: tuple[str, ...]
    """The user's words, AUTO or NONE, on texts that look like missing."""
    taken_for_words: Mapping[str, tuple[str, ...]]
    """Those of the words that are texts too, with the columns that hold them."""

    def read_columns(self, table: Table) -> Table:
        """A table whose missing cells are marked, with the cells of single columns as they are meant."""
        changed = {
            name: texts.read(table.columns[name])
            for name, texts in self.columns.items()
            if name in table.columns and (texts.missing or texts.respelled or texts.dates)
        }
        return replace(table, columns={**table.columns, **changed}) if changed else table

    def read(self, table: Table) -> Table:
        """A table with all of its cells as they are meant."""
        return self.read_columns(mark_missing(table, self.missing))

    def agreed_missing(self, table: Table, target: str) -> dict[str, list[str]]:
        """Texts that could be missing in all columns of the table as read, each with the columns it looks so in.

        A text that the target or a column of words holds as a value is not among them.
        """
        if NONE in self.words:
            return {}
        found: dict[str, list[str]] = {}
        for name, texts in self.columns.items():
            for text in (*texts.missing, *texts.doubtful):
                found.setdefault(text, []).append(name)
        for name, column in table.columns.items():
            for text in texts_that_look_missing(column):
                if name == target or name not in found.get(text, ()):
                    found.pop(text, None)
        return found

    def notes(self, used: Collection[str]) -> list[Note]:
        """What a user should know of the columns that are used."""
        columns = {name: texts for name, texts in self.columns.items() if name in used}
        missing = {name: texts.missing for name, texts in columns.items() if texts.missing}
        doubtful = {name: texts.doubtful for name, texts in columns.items() if texts.doubtful}
        notes = _style_notes(columns)
        if missing and AUTO in self.words:
            notes.append(NoteKind.MISSING_TEXTS.note(f"taken as missing: {_shown(missing)}", missing))
        elif missing:
            keep = f'{option("na", NONE)} keeps them as values, and so does the rule "category" in a mapping'
            among = "numbers and dates" if any(columns[name].dates for name in missing) else "numbers"
            message = f"taken as missing among {among}: {_shown(missing)}; {keep}"
            notes.append(NoteKind.MISSING_TEXTS.note(message, missing))
        if doubtful and NONE not in self.words:
            message = f"may mean missing: {_shown(doubtful)}; {option('na', AUTO)} takes them as missing"
            notes.append(NoteKind.MAY_BE_MISSING.note(message, doubtful))
        for word, names in self.taken_for_words.items():
            meaning = f"{option('na', word)} is a choice, not the text {quoted(word)} in {listed(names)}"
            message = f"{meaning}; a mapping's list of missing texts can name it"
            notes.append(NoteKind.WORD_FOR_MISSING.note(message, names))
        return notes


def texts_named_missing(choice: ColumnChoice, mapping: MappingFile) -> tuple[str, ...]:
    """The texts that mean missing in all columns, by the user's word and the mapping's."""
    if {AUTO, NONE} <= set(choice.na):
        raise UsageError(f"{option('na')}: {AUTO} and {NONE} contradict each other; keep one of the two")
    return (*(text for text in choice.na if text not in (AUTO, NONE)), *mapping.missing)


def learn_texts(
    table: Table, mapping: MappingFile, choice: ColumnChoice, decimal: str | None, target: str
) -> CellTexts:
    """What the texts of a table mean, in which the cells that are missing by the user's word are marked."""
    words = tuple(word for word in (AUTO, NONE) if word in choice.na)
    unused = {*mapping.drop, *choice.exclude, choice.count}
    learned = {
        name: _learn_column(column, words, decimal, may_be_dates=name != target)
        for name, column in table.columns.items()
        if column.kind is Kind.TEXT
        and name not in unused
        and not _speaks_of_texts(mapping.columns.get(name))
        # Numbers as they are written plainly mean what they say, unless a point may stand between thousands.
        and (decimal == "," or not isinstance(column, NumberColumn))
    }
    telling = {name: texts for name, texts in learned.items() if texts is not None}
    holders = {word: tuple(name for name in learned if _holds(table.columns[name], word)) for word in words}
    both = {word: names for word, names in holders.items() if names}
    return CellTexts(texts_named_missing(choice, mapping), telling, decimal, words, both)


def _speaks_of_texts(rule: Rule | None) -> bool:
    """Whether a rule names texts as the file has them, or keeps them: then they mean what they say."""
    return isinstance(rule, (Category, Groups)) or (isinstance(rule, Among) and not rule.numbers)


def _holds(column: Column, text: str) -> bool:
    """Whether a column has a text, which is no number, as a value."""
    if isinstance(column, MixedColumn):
        return text in column.words
    return bool(pc.any(equal_mask(column.values, text), min_count=0).as_py())


def _learn_column(column: Column, words: Sequence[str], decimal: str | None, may_be_dates: bool) -> ColumnTexts | None:
    """What some texts of a column mean; a column of classes holds no dates, whatever it looks like."""
    if isinstance(column, MixedColumn) and decimal != ",":
        return _judge(column.words, words, column.numeric.distinct())
    looks = looks_missing(column.values)
    if column.declared:
        # A file lists values that no row may hold.
        looks &= column.counts()[:-1] > 0
    suspicious = looks.any()
    others = column.values.filter(mask_array(~looks)) if suspicious else column.values
    style = None if column.is_nominal else style_of_numbers(others, decimal)
    respelled = is_settled(style, decimal)
    dates = may_be_dates and not column.is_nominal and style is None and are_many_dates(others)
    if not suspicious:
        return ColumnTexts(style=style, respelled=respelled, dates=dates) if style or dates else None
    texts = column.values.filter(mask_array(looks)).to_pylist()
    numeric = not column.is_nominal and (style or dates or numbers_of(others, Kind.TEXT) is not None)
    return _judge(texts, words, len(others) if numeric else 0, style, respelled=respelled, dates=dates)


def _judge(
    texts: Sequence[str],
    words: Sequence[str],
    numbers: int,
    style: NumberStyle | None = None,
    *,
    respelled: bool = False,
    dates: bool = False,
) -> ColumnTexts | None:
    """What texts that look like missing mean beside so many different numbers, or dates; 0 if there are others beside
    them.
    """
    if not numbers:
        among_numbers = False
        texts = [text for text in texts if is_unmistakable(text)]
    else:
        fewest = _FEWEST_BESIDE_NA if all(map(is_unmistakable, texts)) else _FEWEST_NUMBERS
        among_numbers = numbers >= fewest and (style is None or respelled)
    if AUTO in words or (among_numbers and NONE not in words):
        return ColumnTexts(missing=tuple(texts), style=style, respelled=respelled, dates=dates)
    # A column that keeps such a text as a value is none of numbers.
    noticed = None if respelled else style
    return ColumnTexts(doubtful=tuple(texts), style=noticed) if texts or noticed else None


def _respell(column: Column, style: NumberStyle) -> Column:
    """The column with numbers in the plain way; two spellings of one number become one value."""
    encoded = respell_numbers(column.values, style).dictionary_encode()
    values = encoded.dictionary
    new_codes = np.append(filled(encoded.indices, len(values)), len(values)).astype(code_type(len(values)))
    return column.recoded(new_codes, values)


def _style_notes(columns: Mapping[str, ColumnTexts]) -> list[Note]:
    notes = []
    for style in NumberStyle:
        read = [name for name, texts in columns.items() if texts.style is style and texts.respelled]
        noticed = [name for name, texts in columns.items() if texts.style is style and not texts.respelled]
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
