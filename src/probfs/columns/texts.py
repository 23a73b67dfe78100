"""What the texts of a table's cells mean: missing, numbers or dates written in whatever way, or values.

The columns that come out of it hold numbers, dates or categories, and missing cells: nothing behind this step knows how
the file wrote them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from probfs.columns.choice import AUTO, CUT_ABOVE, NONE, ColumnChoice
from probfs.columns.dates import DateStyle, are_iso_dates, find_date_style, likely_kinds
from probfs.columns.identifiers import DATE_OR_TIME
from probfs.columns.mapping import ColumnMapping
from probfs.columns.missing import WORDS, mark_missing, without_texts
from probfs.columns.numbers import (
    Doubt,
    NumberStyle,
    Texts,
    all_match,
    any_true,
    are_plain_numbers,
    at_least,
    doubt_points,
    find_number_style,
    point_is_decimal,
)
from probfs.columns.rules import Rule, scale_of, some_numbers, speaks_of_texts
from probfs.notes import Note, NoteKind
from probfs.tables.arrays import (
    EXACT,
    code_type,
    double_array,
    filled,
    is_missing,
    looked_up,
    numpy_array,
    text_array,
)
from probfs.tables.cells import UNMISTAKABLE, Kind, is_text, texts_of
from probfs.tables.column import Column, dictionary_cells, numbers_of
from probfs.tables.table import Table
from probfs.text import and_more, counted, listed, option, quoted

_MOST_SHOWN = 6
_MOST_ALIKE = 3
_MOST_COMPARED = 10_000
"""A column of more different texts is not searched for those that differ only in case."""
_FEWEST_NUMBERS = 3
"""Distinct numbers that a column must hold before another text in it is taken as missing unasked."""
_FEWEST_BESIDE_NA = 2
"""The same for texts that mean missing anywhere: 0, 1 and NA are no, yes and missing; 0, 1 and - may be 3 values."""
_TRUTH_VALUES = {"true", "false"}
"""Values that are the same in capitals or not."""
_ANSWERS = ({"yes", "y", "true", "1"}, {"no", "n", "false", "0"})
"""Values that mean the same, perhaps."""
_NUMBER_IN_FRONT = r"^[^\w#&/]{0,3}(?:0|[1-9][0-9]{0,2})(?:[.,][0-9]+)?(?:[^0-9]|$)"
"""Numbers of more digits may be those of cases, and those led by a zero are codes."""
_A_NUMBER = r"[0-9]+(?:[.,][0-9]+)?"
_OF_NAMES = re.compile(r"[0.:-]*[A-Za-z]?")
"""What the numbers of versions, telephones and flats leave when each is written as 0."""
_MOST_FORMS = 4
_NEARLY_ALL = 0.9
_ROWS_OF_A_TEXT = 4
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
    """Groups of values that differ only in case, and are kept apart."""
    answers: tuple[str, ...] = ()
    """Values of which some mean the same, perhaps, as yes and 1 do."""
    example: str = ""
    """A text that is not read as it stands, as what it is read, and in how many cells such texts are."""
    merged: str = ""
    """The same for values that are merged because they differ only in case or in blanks around them."""

    @property
    def measures(self) -> bool:
        """Whether they are numbers with a currency, a percent sign or a unit, or look like numbers, dates or times."""
        has_unit = isinstance(self.style, NumberStyle) and bool(self.style.before or self.style.after)
        return has_unit or self.doubt is not None

    def describe(self) -> str:
        """What is not read as it stands, and what may be meant, in a few words."""
        doubt = "" if self.doubt is None else self.doubt.why
        alike = f"{and_more(self.alike, _MOST_ALIKE)} differ only in case" if self.alike else ""
        missing = f"{listed(self.missing)} missing" if self.missing else ""
        doubtful = f"{listed(self.doubtful)} may be missing" if self.doubtful else ""
        return "; ".join(filter(None, (self.example, self.merged, doubt, alike, missing, doubtful)))

    def read(self, column: Column, *, all_fit: bool = False) -> Column:
        """The column with its cells as they are meant; a cell that does not fit leaves it a column of texts.

        ``all_fit`` says that all texts but those for missing are known to be in the column's style.
        """
        if column.kind is not Kind.TEXT or column.problem is not None:
            return column
        if column.declared is not None or column.ordered:
            gone = numpy_array(pc.is_in(column.values, value_set=text_array(self.missing)))
            return column.without_values(gone) if self.missing and gone.any() else column
        cells = self._parse_cells(column.cells, all_fit)
        if cells is not None:
            return replace(column, cells=cells, kind=self.kind, stored=None)
        texts = pc.utf8_trim_whitespace(column.values)
        if self.spellings:
            places = pc.index_in(pc.utf8_lower(texts), value_set=text_array(list(self.spellings)))
            texts = pc.coalesce(pc.take(text_array(list(self.spellings.values())), places), texts)
        texts = self._without_missing(texts)
        all_fit = True
        if self.style is not None:
            parsed = self.style.parse(texts)
            all_fit = parsed.null_count == texts.null_count
            texts = pc.coalesce(texts_of(parsed), texts)
        if not texts.equals(column.values):
            # Those that are the same become one value.
            encoded = texts.dictionary_encode()
            values = encoded.dictionary
            new_codes = np.append(filled(encoded.indices, len(values)), len(values)).astype(code_type(len(values)))
            cells = dictionary_cells(looked_up(new_codes, column.codes), values)
            column = replace(column, cells=cells, typed=False, stored=None)
        as_dates = Kind.DATE if self.kind is Kind.DATE else Kind.TEXT
        is_read = all_fit and self.kind is not Kind.TEXT and numbers_of(column.values, as_dates) is not None
        return replace(column, kind=self.kind) if is_read else column

    def _parse_cells(self, cells: pa.ChunkedArray, all_fit: bool) -> pa.ChunkedArray | None:
        """Texts as numbers or moments; None where one is none, or where they are left as they are spelled."""
        has_codes = pa.types.is_dictionary(cells.type)
        if not (is_text(cells.type.value_type if has_codes else cells.type) and (self.style or not has_codes)):
            return None
        if self.kind is not Kind.NUMBER and self.style is None:
            return None
        parsed = []
        for chunk in cells.chunks:
            texts = self._without_missing(pc.utf8_trim_whitespace(chunk.dictionary if has_codes else chunk))
            try:
                if isinstance(self.style, NumberStyle):
                    found = self.style.parse(texts, all_fit=all_fit)
                else:
                    found = pc.cast(texts, pa.float64()) if self.style is None else self.style.parse(texts)
            except pa.ArrowInvalid:
                # A dictionary may hold what no row does.
                return self._parse_cells(cells, all_fit=False) if all_fit else None
            lost = pc.and_(texts.is_valid(), found.is_null())
            if any_true(lost) and (not has_codes or any_true(lost.take(chunk.indices))):
                return None
            parsed.append(found.take(chunk.indices) if has_codes else found)
        every = pa.chunked_array(parsed, pa.float64() if self.kind is Kind.NUMBER else pa.timestamp("us"))
        if self.kind is Kind.DATE:
            days = every.cast(pa.date32(), safe=False)
            return days if every.equals(days.cast(every.type)) else every
        exact = pc.less(pc.abs(every), double_array(np.array([EXACT]))[0])
        return every if self.style or pc.all(exact, min_count=0).as_py() else None

    def _without_missing(self, texts: pa.Array) -> pa.Array:
        gone = pc.is_in(texts, value_set=text_array(["", *self.missing]))
        return pc.if_else(gone, pa.nulls(1, texts.type)[0], texts) if any_true(gone) else texts


# What the texts of a column mean


def _learn(
    column: Column, rule: Rule | None, choice: ColumnChoice, decimal: str | None, *, is_target: bool
) -> tuple[ColumnTexts, Column]:
    """What the texts of a column mean, and the column as it is read by that."""
    cells = column.cells
    if is_text(cells.type):
        texts = cells.drop_null()
    elif _has_many_texts(cells):
        # To find which texts are different would take longer than to look at all of them.
        texts = cells.cast(cells.type.value_type).drop_null()
    else:
        texts = pa.chunked_array([column.values])
    texts = pc.utf8_trim_whitespace(texts)
    looks = pc.is_in(texts, value_set=WORDS)
    words = [word for word in pc.unique(texts.filter(looks)).to_pylist() if word and not speaks_of_texts(rule)]
    rest = texts.filter(pc.invert(looks)) if any_true(looks) else texts
    as_it_is = column.is_nominal or speaks_of_texts(rule)
    fewest = 1 if column.name == choice.time else CUT_ABOVE + 1
    learned = ColumnTexts() if as_it_is else _find_kind(rest, rule, choice, decimal, fewest)
    if learned.kind is Kind.TEXT and learned.doubt is None:
        learned = _merge_values(column, choice)
    judged = _judge_words(words, rest, learned, choice, is_target=is_target)
    read = judged.read(column, all_fit=isinstance(judged.style, NumberStyle) and judged.style.strict)
    if isinstance(judged.style, DateStyle) and read.kind is Kind.TEXT and scale_of(rule) is not Kind.DATE:
        # Some text looks like a date but is none, as 31.02.2024.
        judged = _judge_words(words, rest, _merge_values(column, choice), choice, is_target=is_target)
        read = judged.read(column)
    if judged.style is None or read.kind is Kind.TEXT:
        return judged, read
    changed = ~is_missing(read.cells)
    if judged.style.plain_form is not None:
        flags = []
        for chunk in cells.chunks:
            has_codes = isinstance(chunk, pa.DictionaryArray)
            texts = pc.utf8_trim_whitespace(chunk.dictionary if has_codes else chunk)
            is_plain = pc.match_substring_regex(texts, judged.style.plain_form)
            flags.append(is_plain.take(chunk.indices) if has_codes else is_plain)
        changed &= filled(pa.chunked_array(flags, pa.bool_()).combine_chunks().cast(pa.int64()), 1) == 0
    if changed.any():
        first = int(changed.argmax())
        meant = texts_of(read.cells[first : first + 1].combine_chunks())[0].as_py()
        judged = replace(judged, example=_example(cells[first].as_py(), meant, read.count_rows(changed)))
    return judged, read


def _has_many_texts(cells: pa.ChunkedArray) -> bool:
    """Whether the dictionaries of text cells are nearly as long as the column."""
    if not (pa.types.is_dictionary(cells.type) and is_text(cells.type.value_type)):
        return False
    return sum(len(chunk.dictionary) for chunk in cells.chunks) * _ROWS_OF_A_TEXT > len(cells) > _MOST_COMPARED


def _find_kind(texts: Texts, rule: Rule | None, choice: ColumnChoice, decimal: str | None, fewest: int) -> ColumnTexts:
    """What texts are, and how they write numbers or dates, if not plainly. Fewer different dates are categories."""
    scale = scale_of(rule)
    found: NumberStyle | DateStyle | Doubt | None = None
    if scale is Kind.DATE:
        found = None if are_iso_dates(texts) else find_date_style(texts, choice.dates, by_hand=True)
        return ColumnTexts(doubt=found) if isinstance(found, Doubt) else ColumnTexts(style=found, kind=Kind.DATE)
    with_points = decimal == "," and any_true(pc.match_substring(texts, "."))
    if not with_points and are_plain_numbers(texts):
        return ColumnTexts(kind=Kind.NUMBER, doubt=None if decimal or scale else doubt_points(texts))
    found = find_number_style(texts, decimal, by_hand=scale is Kind.NUMBER)
    if found is None and scale is None and at_least(texts, fewest):
        if are_iso_dates(texts):
            return ColumnTexts(kind=Kind.DATE)
        found = find_date_style(texts, choice.dates) or _doubt_about_form(texts, choice.dates)
    if found is None or isinstance(found, Doubt):
        return ColumnTexts(doubt=found)
    return ColumnTexts(style=found, kind=found.kind)


def _doubt_about_form(texts: Texts, order: str | None) -> Doubt | None:
    """A doubt about numbers, dates or times in forms that are not read."""
    if all_match(texts, DATE_OR_TIME):
        dates = likely_kinds(pc.unique(texts), order).get(Kind.DATE)
        # If nearly all are, whoever uses the column is told which one is none.
        if dates is not None and dates.mean() >= _NEARLY_ALL:
            return None
        why = f"look like dates or times in a form that is not read, like {quoted(texts[0].as_py())}"
        return Doubt(NoteKind.DATE_FORMAT, why, "write them like 2024-01-31, or as numbers")
    # Like 1h 41m, 120/80, 2305*, ~12 or 3.2 ± 0.1.
    beginning = texts.filter(pc.match_substring_regex(texts, _NUMBER_IN_FRONT))
    forms = pc.replace_substring_regex(beginning, _A_NUMBER, "0")
    several = pc.unique(forms).to_pylist()
    are_names = len(several) > _MOST_FORMS or all(map(_OF_NAMES.fullmatch, several))
    if len(beginning) < _NEARLY_ALL * len(texts) or are_names:
        return None
    if any(fit.mean() >= _NEARLY_ALL for fit in likely_kinds(pc.unique(texts), order).values()):
        return None
    shown = beginning.filter(pc.not_equal(forms, "0"))[0].as_py()
    why = f"hold numbers in a form that is not read, like {quoted(shown)}"
    return Doubt(NoteKind.MAY_BE_NUMBERS, why, "put one plain number in each cell, and split cells that hold several")


def _judge_words(
    words: Sequence[str], rest: Texts, texts: ColumnTexts, choice: ColumnChoice, *, is_target: bool
) -> ColumnTexts:
    """What a column's texts mean, given the words among them that look like missing and the rest."""
    kind = texts.kind
    if is_target and (kind is Kind.DATE or texts.style is None):
        # Classes keep their texts, unless these are numbers of which signs or separators must be understood.
        texts = replace(texts, kind=Kind.TEXT, style=None)
    if not words:
        return texts
    are_sure = all(text in UNMISTAKABLE for text in words)
    if kind is Kind.TEXT and texts.doubt is None:
        words = [text for text in words if text in UNMISTAKABLE]
    fewest = _FEWEST_BESIDE_NA if are_sure else _FEWEST_NUMBERS
    if AUTO in choice.na or (kind is not Kind.TEXT and NONE not in choice.na and at_least(rest, fewest)):
        return replace(texts, missing=tuple(words))
    # A column that keeps such a text as a value is none of numbers.
    return replace(texts if kind is Kind.TEXT else ColumnTexts(), doubtful=tuple(words))


def _merge_values(column: Column, choice: ColumnChoice) -> ColumnTexts:
    """Which values are the same but for blanks around them, which never count, or for capitals, which count unless the
    user says otherwise, or in true and false.
    """
    values = column.values
    if column.ordered or column.declared is not None or (len(values) > _MOST_COMPARED and not choice.ignore_case):
        return ColumnTexts()
    trimmed = pc.utf8_trim_whitespace(values)
    texts, keys = trimmed.to_pylist(), pc.utf8_lower(trimmed).to_pylist()
    answers: tuple[str, ...] = ()
    if len(values) <= CUT_ABOVE:
        held = {key: text for key, text in zip(keys, texts, strict=True) if key not in _WORDS}
        same = any(len(held.keys() & meaning) > 1 for meaning in _ANSWERS)
        answers = tuple(held.values()) if same and held.keys() <= set[str]().union(*_ANSWERS) else ()
    if not (choice.ignore_case or _TRUTH_VALUES.intersection(keys)) and len(set(keys)) == len(values):
        return ColumnTexts(answers=answers)
    counts = column.counts().tolist()
    groups: dict[str, Counter[str]] = {}
    for text, key, count in zip(texts, keys, counts, strict=False):
        groups.setdefault(key, Counter())[text] += count
    merged = {key for key in groups if key and (choice.ignore_case or key in _TRUTH_VALUES)}
    spellings = {key: min(groups[key], key=lambda text: (-groups[key][text], text)) for key in merged}
    apart = [sorted(groups[key].keys() - set(UNMISTAKABLE)) for key in groups if key not in merged]
    alike = tuple(" and ".join(map(quoted, texts)) for texts in apart if len(texts) > 1)
    meant = [spellings.get(key, text) for text, key in zip(texts, keys, strict=True)]
    times = Counter(meant)
    cells = zip(values.to_pylist(), meant, counts, strict=False)
    changed = [(value, text, count) for value, text, count in cells if value != text and times[text] > 1]
    example = ""
    if changed:
        example = _example(changed[0][0], quoted(changed[0][1]), sum(count for *_, count in changed))
    return ColumnTexts(spellings=spellings, alike=alike, merged=example, answers=answers)


def _example(text: str, meant: str, cells: int) -> str:
    """A text that is read as another, and in how many cells such texts are."""
    return f"{counted(cells, 'cell')} like {quoted(text)}, which is {meant}"


# What the texts of a table mean


@dataclass(frozen=True)
class TableTexts:
    """What texts mean in a table, learned from it, for others with the same columns."""

    missing: tuple[str, ...]
    """The texts that mean missing in all columns, by the user's word and the mapping's."""
    columns: Mapping[str, ColumnTexts]
    """The columns of texts and numbers."""
    decimal: str | None
    """The decimal separator, by the user's word."""
    keywords: tuple[str, ...]
    """The user's words, AUTO or NONE, on texts that look like missing."""
    keywords_found: Mapping[str, tuple[str, ...]]
    """The columns that hold one of these words as a text, by the word."""

    def read(self, table: Table) -> Table:
        """Another table with all of its cells as they are meant."""
        table = mark_missing(table, self.missing)
        names = self.columns.keys() & table.columns.keys()
        return self.with_columns(table, {name: self.columns[name].read(table.columns[name]) for name in names})

    def with_columns(self, table: Table, read: Mapping[str, Column], found: set[str] | None = None) -> Table:
        """The table with columns that were read; ``found`` collects the texts for missing that some cell holds."""
        # A number that means missing may have been written otherwise: -999,0 or $-999.
        styled = {name: column for name, column in read.items() if self.columns[name].style}
        return table.with_columns({**read, **(without_texts(styled, self.missing, found) if self.missing else {})})

    def notes(self, used: Collection[str]) -> Iterator[Note]:
        """What a user should know of the columns that are used."""
        columns = {name: texts for name, texts in self.columns.items() if name in used}
        yield from _notes_on_reading(columns)
        missing = {name: texts.missing for name, texts in columns.items() if texts.missing}
        if missing:
            dates = any(columns[name].kind is Kind.DATE for name in missing)
            among = "" if AUTO in self.keywords else " among numbers and dates" if dates else " among numbers"
            keep = f'; {option("na", NONE)} keeps them as values, and so does the rule "category" in a mapping'
            message = f"taken as missing{among}: {_shown(missing)}{keep if among else ''}"
            yield NoteKind.MISSING_TEXTS.note(message, missing)
        doubtful = {name: texts.doubtful for name, texts in columns.items() if texts.doubtful}
        if doubtful and NONE not in self.keywords:
            message = f"may mean missing: {_shown(doubtful)}; {option('na', AUTO)} takes them as missing"
            yield NoteKind.MAY_BE_MISSING.note(message, doubtful)
        for word, names in self.keywords_found.items():
            meaning = f"{option('na', word)} is a choice, not the text {quoted(word)} in {listed(names)}"
            message = f"{meaning}; a mapping's list of missing texts can name it"
            yield NoteKind.WORD_FOR_MISSING.note(message, names)


def read_texts(
    table: Table, mapping: ColumnMapping, choice: ColumnChoice, decimal: str | None, target: str | None, found: set[str]
) -> tuple[TableTexts, Table]:
    """What the texts of a table mean, and the table read accordingly.

    ``found`` collects the texts given as missing by the user that some cell holds.
    """
    missing, keywords = choice.missing_texts(mapping), tuple(word for word in (AUTO, NONE) if word in choice.na)
    table = mark_missing(table, missing, found)
    unused = {*mapping.drop, *choice.exclude, choice.count}
    columns = {
        name: column
        for name, column in table.columns.items()
        if column.kind is Kind.TEXT and column.problem is None and name not in unused
    }

    def learn(name: str, decimal: str | None) -> tuple[ColumnTexts, Column]:
        return _learn(columns[name], mapping.columns.get(name), choice, decimal, is_target=name == target)

    learned = {name: learn(name, decimal) for name in columns}
    undecided = [name for name, (texts, _) in learned.items() if texts.doubt is not None and texts.doubt.of_decimals]
    if undecided and decimal is None:
        marks = set(_decimal_marks(table, {name: texts for name, (texts, _) in learned.items()}))
        learned |= {name: learn(name, *marks) for name in undecided if len(marks) == 1}
    # Nothing but plain numbers can be counts; and where one file has numbers, another may have texts.
    numbers = [name for name, column in table.columns.items() if column.kind is Kind.NUMBER and not column.is_nominal]
    plain = ColumnTexts(kind=Kind.NUMBER)
    learned |= {
        name: (plain, plain.read(table.columns[name]))
        for name in (*numbers, choice.count)
        if name is not None and name in table.columns
    }
    held: dict[str, tuple[str, ...]] = {}
    for word in keywords:
        text = text_array([word])[0]
        names = tuple(
            name
            for name, column in columns.items()
            if any_true(pc.equal(column.cells if is_text(column.cells.type) else column.values, text))
        )
        held |= {word: names} if names else {}
    texts = TableTexts(missing, {name: meaning for name, (meaning, _) in learned.items()}, decimal, keywords, held)
    return texts, texts.with_columns(table, {name: column for name, (_, column) in learned.items()}, found)


def _decimal_marks(table: Table, learned: Mapping[str, ColumnTexts]) -> Iterator[str]:
    """The decimal separators that columns show beyond doubt."""
    for name, column in table.columns.items():
        texts = learned.get(name, ColumnTexts())
        if isinstance(texts.style, NumberStyle):
            if texts.style.shows_decimal:
                yield texts.style.decimal
            continue
        # Plain numbers, in digits that nobody has interpreted yet.
        is_text = column.kind is Kind.TEXT and texts.kind is Kind.NUMBER and texts.style is None and texts.doubt is None
        if is_text or (column.kind is Kind.NUMBER and not column.typed):
            usable = column.problem is None and not column.is_nominal
            if usable and point_is_decimal(some_numbers(column.entries, Kind.NUMBER)):
                yield "."


# What a user should know of that


def _notes_on_reading(columns: Mapping[str, ColumnTexts]) -> Iterator[Note]:
    """Notes on how numbers, dates and values are read, or may be meant."""
    for kind, note in ((Kind.NUMBER, NoteKind.NUMBER_STYLE), (Kind.DATE, NoteKind.DATE_STYLE)):
        found = {name: texts.example for name, texts in columns.items() if texts.example and texts.kind is kind}
        if found:
            keep = 'the rule "category" in a mapping keeps them as texts'
            yield note.note(f"read as {kind.value}s: {_with_examples(found)}; {keep}", found)
    for doubt in dict.fromkeys(texts.doubt for texts in columns.values() if texts.doubt is not None):
        names = [name for name, texts in columns.items() if texts.doubt == doubt]
        taken = "" if doubt.note is NoteKind.MAY_BE_THOUSANDS else ", and are taken as texts"
        yield doubt.note.note(f"{doubt.why}{taken}: {listed(names)}; {doubt.remedy}", names)
    merged = {name: texts.merged for name, texts in columns.items() if texts.merged}
    if merged:
        yield NoteKind.MERGED_VALUES.note(f"taken as the same value: {_with_examples(merged)}", merged)
    alike = {name: and_more(texts.alike, _MOST_ALIKE) for name, texts in columns.items() if texts.alike}
    if alike:
        shown = and_more([f"{groups} in {quoted(name)}" for name, groups in alike.items()], _MOST_SHOWN)
        remedy = f"{option('ignore_case', True)} merges them"
        yield NoteKind.MIXED_CASE.note(f"differ only in case: {shown}; {remedy}", alike)
    answers = {name: texts.answers for name, texts in columns.items() if texts.answers}
    if answers:
        remedy = "groups in a mapping merge them"
        yield NoteKind.MIXED_CASE.note(f"some values may mean the same: {_shown(answers)}; {remedy}", answers)


def _with_examples(examples: Mapping[str, str]) -> str:
    return and_more([f"{quoted(name)} ({example})" for name, example in examples.items()], _MOST_SHOWN)


def _shown(texts_by_column: Mapping[str, Iterable[str]]) -> str:
    return and_more([f"{listed(texts)} in {quoted(name)}" for name, texts in texts_by_column.items()], _MOST_SHOWN)
