"""What the texts of a table's cells mean: missing, numbers or dates written in whatever way, or values.

It is learned from the distinct texts of each column. The columns that come out of it hold numbers, dates or categories,
and missing cells: nothing behind this step knows how the file wrote them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from probfs.columns.choice import AUTO, CUT_ABOVE, NONE, ColumnChoice
from probfs.columns.dates import DateStyle, are_iso_dates, find_date_style
from probfs.columns.mapping import ColumnMapping
from probfs.columns.missing import WORDS, mark_missing, without_texts
from probfs.columns.numbers import (
    Doubt,
    NumberStyle,
    doubt_points,
    find_number_style,
    may_be_thousands,
    point_is_decimal,
    settles_decimal,
)
from probfs.columns.rules import Rule, scale_of, some_numbers, speaks_of_texts
from probfs.notes import Note, NoteKind
from probfs.tables.arrays import (
    EXACT,
    code_type,
    double_array,
    filled,
    is_empty,
    is_number,
    loses_a_zero,
    mask_array,
    numpy_array,
    text_array,
)
from probfs.tables.cells import UNMISTAKABLE, Kind, is_text
from probfs.tables.column import Column, numbers_of
from probfs.tables.table import Table
from probfs.text import and_more, counted, listed, option, quoted

_SAMPLE = 20
_MOST_SHOWN = 6
_MOST_COMPARED = 10_000
"""A column of more different texts is not searched for those that differ only in case."""
_FEWEST_NUMBERS = 3
"""Distinct numbers that a column must hold before another text in it is taken as missing unasked."""
_FEWEST_BESIDE_NA = 2
"""The same for texts that mean missing anywhere: 0, 1 and NA are no, yes and missing; 0, 1 and - may be 3 values."""
_TRUTH_VALUES = ("true", "false")
"""Values that are the same in capitals or not."""
_TRUTH = text_array(_TRUTH_VALUES)
_WORDS = frozenset(WORDS.to_pylist())


@dataclass(frozen=True)
class ColumnTexts:
    """What the texts of a column mean."""

    missing: tuple[str, ...] = ()
    """Texts that are taken as missing."""
    doubtful: tuple[str, ...] = ()
    """Texts that look like missing and are kept as values."""
    style: NumberStyle | DateStyle | None = None
    """How the column writes numbers or dates, if not the plain way."""
    doubt: Doubt | None = None
    """Why the column is not read as numbers or dates, though it looks so."""
    kind: Kind = Kind.TEXT
    """What all texts that are not missing are read as."""
    spellings: Mapping[str, str] = field(default_factory=dict)
    """The spelling of values that may be written in capitals or not, by that in small letters."""
    alike: tuple[str, ...] = ()
    """Values that differ only in case, and are kept apart."""
    example: str = ""
    """A text that is not read as it stands, as what it is read, and in how many cells such texts are."""
    merged: str = ""
    """The same, of values that differ only in case or in blanks around them."""

    @property
    def has_unit(self) -> bool:
        """Whether they are numbers with a currency, a percent sign or a unit."""
        return isinstance(self.style, NumberStyle) and bool(self.style.before or self.style.after)

    def describe(self) -> str:
        """What is not read as it stands, and what may be meant, in a few words."""
        doubt = "" if self.doubt is None else self.doubt.why
        alike = f"{listed(self.alike)} differ only in case" if self.alike else ""
        missing = f"{listed(self.missing)} missing" if self.missing else ""
        doubtful = f"{listed(self.doubtful)} may be missing" if self.doubtful else ""
        return "; ".join(filter(None, (self.example, self.merged, doubt, alike, missing, doubtful)))

    def read(self, column: Column) -> Column:
        """The column with its cells as they are meant; a cell that does not fit leaves it a column of texts."""
        if column.kind is not Kind.TEXT or column.problem is not None:
            return column
        if column.declared is not None or column.ordered:
            gone = numpy_array(pc.is_in(column.values, value_set=text_array(self.missing)))
            return column.without_values(gone) if self.missing and gone.any() else column
        if self.kind is Kind.NUMBER and self.style is None and is_text(column.cells.type):
            gone = pc.is_in(pc.utf8_trim_whitespace(column.cells), value_set=text_array(self.missing))
            numbers = _as_doubles(_null_where(column.cells, gone))
            if numbers is not None:
                return replace(column, cells=numbers, kind=Kind.NUMBER)
        meant = self.mean(column.values)
        if not meant.equals(column.values):
            column = _recode(column, meant)
        if self.kind is Kind.TEXT:
            return column
        fits = numbers_of(column.values, self.kind if self.kind is Kind.DATE else Kind.TEXT) is not None
        return column.read_as(self.kind) if fits else column

    def mean(self, values: pa.StringArray) -> pa.StringArray:
        """What each text of a column means: another text, or nothing."""
        texts = pc.utf8_trim_whitespace(values)
        if self.spellings:
            places = pc.index_in(pc.utf8_lower(texts), value_set=text_array(list(self.spellings)))
            texts = pc.coalesce(pc.take(text_array(list(self.spellings.values())), places), texts)
        texts = _null_where(texts, pc.is_in(texts, value_set=text_array(["", *self.missing])))
        return texts if self.style is None else pc.coalesce(self.style.respell(texts), texts)


def _null_where(texts: pa.Array, gone: pa.BooleanArray) -> pa.Array:
    return pc.if_else(gone, pa.nulls(1, texts.type)[0], texts)


def _recode(column: Column, texts: pa.StringArray) -> Column:
    """The column with other texts in place of its values; those that are the same become one value."""
    encoded = texts.dictionary_encode()
    values = encoded.dictionary
    new_codes = np.append(filled(encoded.indices, len(values)), len(values)).astype(code_type(len(values)))
    return column.recoded(new_codes, values)


def _as_doubles(cells: pa.ChunkedArray) -> pa.ChunkedArray | None:
    """Texts as numbers, of which an empty one is missing; None unless doubles tell all of them apart."""
    trimmed = pc.utf8_trim_whitespace(cells)
    try:
        numbers = pc.cast(_null_where(trimmed, is_empty(trimmed)), pa.float64())
    except pa.ArrowInvalid:
        return None
    exact = pc.less(pc.abs(numbers), double_array(np.array([EXACT]))[0])
    return numbers if pc.all(exact, min_count=0).as_py() else None


# What the texts of a column mean


def _learn(
    column: Column, rule: Rule | None, choice: ColumnChoice, decimal: str | None, *, is_target: bool
) -> ColumnTexts:
    """What the texts of a column mean; a target keeps its texts, unless they are numbers of which signs or separators
    must be understood.
    """
    as_it_is = column.is_nominal or speaks_of_texts(rule)
    found = None if as_it_is or decimal == "," else _numbers_and_words(column)
    if found is not None:
        words, distinct = found
        return _judge_words(words, ColumnTexts(kind=Kind.NUMBER), distinct, choice, is_target=is_target)
    values = pc.utf8_trim_whitespace(column.values)
    if column.declared is not None:
        # A file lists values that no row may hold.
        values = values.filter(mask_array(column.counts()[:-1] > 0))
    looks = numpy_array(pc.is_in(values, value_set=WORDS))
    rest = values.filter(mask_array(~looks)) if looks.any() else values
    words = [word for word in values.filter(mask_array(looks)).unique().to_pylist() if word]
    texts = ColumnTexts()
    if not as_it_is:
        texts = _find_kind(rest, rule, choice, decimal)
    elif speaks_of_texts(rule):
        words = []
    distinct = len(rest)
    if words and texts.kind is Kind.NUMBER:
        plain = rest if texts.style is None else texts.style.respell(rest)
        distinct = len(np.unique(some_numbers(plain, Kind.NUMBER)))
    if texts.kind is Kind.TEXT and texts.doubt is None and not column.ordered and column.declared is None:
        texts = _merge_values(column, choice)
    return _judge_words(words, texts, distinct, choice, is_target=is_target)


def _judge_words(
    words: Sequence[str], texts: ColumnTexts, distinct: int, choice: ColumnChoice, *, is_target: bool
) -> ColumnTexts:
    """What texts mean of which some look like missing, beside so many distinct numbers or other texts."""
    kind = texts.kind
    if is_target and kind is Kind.DATE:
        texts = replace(texts, kind=Kind.TEXT, style=None, example="")
    elif is_target and texts.style is None:
        # Classes that are written plainly keep their spelling.
        texts = replace(texts, kind=Kind.TEXT)
    if not words:
        return texts
    are_unmistakable = [text in UNMISTAKABLE for text in words]
    if kind is Kind.TEXT and texts.doubt is None:
        words = [text for text, is_sure in zip(words, are_unmistakable, strict=True) if is_sure]
    fewest = _FEWEST_BESIDE_NA if all(are_unmistakable) else _FEWEST_NUMBERS
    if AUTO in choice.na or (kind is not Kind.TEXT and distinct >= fewest and NONE not in choice.na):
        return replace(texts, missing=tuple(words))
    if kind is Kind.TEXT:
        return replace(texts, doubtful=tuple(words))
    # A column that keeps such a text as a value is none of numbers.
    return ColumnTexts(doubtful=tuple(words))


def _numbers_and_words(column: Column) -> tuple[list[str], int] | None:
    """The texts that look like missing and how many different numbers there are, of a column that its file gives as
    texts because of some words among plain numbers; None for any other. Its distinct texts are too many to look at.
    """
    if not is_text(column.cells.type):
        return None
    first = text_array([(text or "").strip() for text in column.cells[:_SAMPLE].to_pylist()])
    numbers_first = first.filter(mask_array(is_number(first)))
    if not len(numbers_first) or loses_a_zero(column.cells):
        return None
    if may_be_thousands(numbers_first) or (not _has_points(numbers_first) and _has_points(column.cells)):
        return None
    trimmed = pc.utf8_trim_whitespace(column.cells)
    looks = pc.is_in(trimmed, value_set=WORDS)
    numbers = _as_doubles(_null_where(trimmed, looks))
    if numbers is None:
        return None
    words = pc.unique(trimmed.filter(looks)).to_pylist()
    # Adding zero turns -0 into 0.
    distinct = pc.count_distinct(pc.add(numbers, double_array(np.zeros(1))[0])).as_py()
    return [word for word in words if word], distinct


def _has_points(texts: pa.Array | pa.ChunkedArray) -> bool:
    return bool(pc.any(pc.match_substring(texts, "."), min_count=0).as_py())


def _find_kind(texts: pa.StringArray, rule: Rule | None, choice: ColumnChoice, decimal: str | None) -> ColumnTexts:
    """What distinct texts are, and how they write numbers or dates, if not plainly."""
    scale = scale_of(rule)
    if scale is Kind.DATE:
        found = None if are_iso_dates(texts) else find_date_style(texts, choice.dates, by_hand=True)
        return ColumnTexts(style=found, kind=Kind.DATE) if not isinstance(found, Doubt) else ColumnTexts(doubt=found)
    number = find_number_style(texts, decimal, by_hand=scale is Kind.NUMBER)
    if isinstance(number, NumberStyle):
        return ColumnTexts(style=number, kind=Kind.NUMBER)
    if number is None and len(texts) and numbers_of(texts, Kind.TEXT) is not None:
        return ColumnTexts(kind=Kind.NUMBER, doubt=None if decimal or scale else doubt_points(texts))
    if number is not None or scale is Kind.NUMBER or len(texts) <= CUT_ABOVE:
        return ColumnTexts(doubt=number)
    if are_iso_dates(texts):
        return ColumnTexts(kind=Kind.DATE)
    date = find_date_style(texts, choice.dates)
    return ColumnTexts(doubt=date) if not isinstance(date, DateStyle) else ColumnTexts(style=date, kind=Kind.DATE)


def _merge_values(column: Column, choice: ColumnChoice) -> ColumnTexts:
    """Which values are the same but for blanks around them, which never count, or for capitals, which count unless the
    user says otherwise, or in true and false.
    """
    values = column.values
    if len(values) > _MOST_COMPARED and not choice.ignore_case:
        return ColumnTexts()
    trimmed = pc.utf8_trim_whitespace(values)
    small = pc.utf8_lower(trimmed)
    has_truth = pc.any(pc.is_in(small, value_set=_TRUTH), min_count=0).as_py()
    if not (choice.ignore_case or has_truth) and pc.count_distinct(small).as_py() == len(values):
        return ColumnTexts()
    groups: dict[str, Counter[str]] = {}
    cells = list(
        zip(values.to_pylist(), trimmed.to_pylist(), small.to_pylist(), column.counts().tolist(), strict=False)
    )
    for _, text, key, count in cells:
        groups.setdefault(key, Counter())[text] += count
    merged = {key for key in groups if key and (choice.ignore_case or key in _TRUTH_VALUES)}
    spellings = {key: min(groups[key], key=lambda text: (-groups[key][text], text)) for key in merged}
    apart = (texts.keys() - _WORDS for key, texts in groups.items() if key not in merged)
    alike = [text for texts in apart if len(texts) > 1 for text in sorted(texts)]
    meant = [spellings.get(key, text) for _, text, key, _ in cells]
    times = Counter(meant)
    other = [
        (value, text, count)
        for (value, _, _, count), text in zip(cells, meant, strict=True)
        if value != text and times[text] > 1
    ]
    example = _example(other) if other else ""
    return ColumnTexts(spellings=spellings, alike=tuple(alike), merged=example)


def _example(changed: Sequence[tuple[str, str, int]]) -> str:
    """Texts that are read as others, and in how many cells."""
    text, meant, _ = changed[0]
    return f"{counted(sum(count for *_, count in changed), 'cell')} like {quoted(text)}, which is {quoted(meant)}"


def _example_of_style(column: Column, texts: ColumnTexts) -> str:
    """A text of a column that is not written plainly, and in how many cells such texts are."""
    meant = texts.mean(column.values)
    changed = numpy_array(
        pc.fill_null(pc.not_equal(meant, pc.utf8_trim_whitespace(column.values)), mask_array(np.zeros(1, np.bool_))[0])
    )
    if texts.style is None or not changed.any():
        return ""
    first, cells = int(changed.argmax()), int(column.counts()[:-1][changed].sum())
    return f"{counted(cells, 'cell')} like {quoted(column.values[first].as_py())}, which is {meant[first].as_py()}"


# What the texts of a table mean


@dataclass(frozen=True)
class TableTexts:
    """What texts mean in a table, learned from it, for the table itself and for others with the same columns."""

    missing: tuple[str, ...]
    """The texts that mean missing in all columns, by the user's word and the mapping's."""
    columns: Mapping[str, ColumnTexts]
    """The columns of texts and numbers."""
    decimal: str | None
    """The decimal separator, by the user's word."""
    keywords: tuple[str, ...]
    """The user's words, AUTO or NONE, on texts that look like missing."""
    keywords_found: Mapping[str, tuple[str, ...]]
    """Those of the words that are texts too, with the columns that hold them."""

    def read_columns(self, table: Table, found: set[str] | None = None) -> Table:
        """A table whose missing cells are marked, with the cells of single columns as they are meant; ``found`` takes
        the texts that mean missing and that some cell holds.
        """
        read = {name: texts.read(table.columns[name]) for name, texts in self.columns.items() if name in table.columns}
        # A number that means missing may have been written otherwise: -999,0 or $-999.
        if self.missing:
            styled = {name: read[name] for name, texts in self.columns.items() if texts.style and name in read}
            read |= without_texts(styled, self.missing, found)
        return table.with_columns(read)

    def read(self, table: Table) -> Table:
        """A table with all of its cells as they are meant."""
        return self.read_columns(mark_missing(table, self.missing))

    def notes(self, used: Collection[str]) -> list[Note]:
        """What a user should know of the columns that are used."""
        columns = {name: texts for name, texts in self.columns.items() if name in used}
        missing = {name: texts.missing for name, texts in columns.items() if texts.missing}
        doubtful = {name: texts.doubtful for name, texts in columns.items() if texts.doubtful}
        notes = [*_notes_on_styles(columns), *_notes_on_doubts(columns), *_notes_on_values(columns)]
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
        if column.kind is Kind.TEXT and column.problem is None and name not in unused
    }

    def learn(name: str, decimal: str | None) -> ColumnTexts:
        return _learn(columns[name], mapping.columns.get(name), choice, decimal, is_target=name == target)

    learned = {name: learn(name, decimal) for name in columns}
    undecided = [name for name, texts in learned.items() if texts.doubt is not None and texts.doubt.of_decimals]
    if undecided and decimal is None:
        marks = set(_decimal_marks(table, learned))
        learned |= {name: learn(name, *marks) for name in undecided if len(marks) == 1}
    for name, texts in learned.items():
        if texts.style is not None:
            learned[name] = replace(texts, example=_example_of_style(columns[name], texts))
    # Nothing but plain numbers can be counts; and where one file has numbers, another may have texts.
    numbers = [name for name, column in table.columns.items() if column.kind is Kind.NUMBER and not column.is_nominal]
    learned |= dict.fromkeys(
        [*numbers, *([] if choice.count is None else [choice.count])], ColumnTexts(kind=Kind.NUMBER)
    )
    holders = {word: tuple(name for name in columns if _holds(columns[name], word)) for word in keywords}
    found = {word: names for word, names in holders.items() if names}
    return TableTexts(choice.missing_texts(mapping), learned, decimal, keywords, found)


def _decimal_marks(table: Table, learned: Mapping[str, ColumnTexts]) -> Iterator[str]:
    """The decimal separators that columns show beyond doubt."""
    for name, column in table.columns.items():
        texts = learned.get(name, ColumnTexts())
        if isinstance(texts.style, NumberStyle) and settles_decimal(texts.style, column.values):
            yield texts.style.decimal
        elif (
            _is_plain_number(column, texts)
            and texts.doubt is None
            and point_is_decimal(some_numbers(column.entries, Kind.NUMBER))
        ):
            yield "."


def _is_plain_number(column: Column, texts: ColumnTexts) -> bool:
    """Whether a file wrote a column as plain numbers, in digits that nobody has interpreted yet."""
    is_number = column.kind is Kind.NUMBER or (texts.kind is Kind.NUMBER and texts.style is None)
    return (
        is_number
        and (column.stored is None or column.kind is Kind.TEXT)
        and column.problem is None
        and not column.is_nominal
    )


def _holds(column: Column, text: str) -> bool:
    texts = column.cells if is_text(column.cells.type) else column.values
    return bool(pc.any(pc.equal(texts, text_array([text])[0]), min_count=0).as_py())


# What a user should know of that


def _notes_on_styles(columns: Mapping[str, ColumnTexts]) -> Iterator[Note]:
    keep = 'the rule "category" in a mapping keeps them as texts'
    for kind, note, what in (
        (Kind.NUMBER, NoteKind.NUMBER_STYLE, "numbers"),
        (Kind.DATE, NoteKind.DATE_STYLE, "dates"),
    ):
        found = {name: texts.example for name, texts in columns.items() if texts.example and texts.kind is kind}
        if found:
            yield note.note(f"read as {what}: {_with_examples(found)}; {keep}", found)


def _notes_on_doubts(columns: Mapping[str, ColumnTexts]) -> Iterator[Note]:
    for doubt in dict.fromkeys(texts.doubt for texts in columns.values() if texts.doubt is not None):
        names = [name for name, texts in columns.items() if texts.doubt == doubt]
        taken = "" if doubt.note is NoteKind.MAY_BE_THOUSANDS else ", and are taken as texts"
        yield doubt.note.note(f"{doubt.why}{taken}: {listed(names)}; {doubt.remedy}", names)


def _notes_on_values(columns: Mapping[str, ColumnTexts]) -> Iterator[Note]:
    merged = {name: texts.merged for name, texts in columns.items() if texts.merged}
    if merged:
        yield NoteKind.MERGED_VALUES.note(f"taken as the same value: {_with_examples(merged)}", merged)
    alike = {name: texts.alike for name, texts in columns.items() if texts.alike}
    if alike:
        remedy = f"{option('ignore_case', True)} makes one value of them"
        yield NoteKind.MIXED_CASE.note(f"differ only in case: {_shown(alike)}; {remedy}", alike)


def _with_examples(examples: Mapping[str, str]) -> str:
    return and_more([f"{quoted(name)} ({example})" for name, example in examples.items()], _MOST_SHOWN)


def _shown(texts_by_column: Mapping[str, Iterable[str]]) -> str:
    """Texts with the column they stand in.

    >>> _shown({"age": ["NA", "-"], "fare": ["?"]})
    "'NA', '-' in 'age', '?' in 'fare'"
    """
    shown = [f"{listed(texts)} in {quoted(name)}" for name, texts in texts_by_column.items()]
    rest = f" and {len(shown) - _MOST_SHOWN} more columns" if len(shown) > _MOST_SHOWN else ""
    return ", ".join(shown[:_MOST_SHOWN]) + rest
