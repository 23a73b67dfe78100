"""The tables of several files -> one table of all their rows."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from probfs.errors import DataError
from probfs.notes import Note
from probfs.tables.arrow_arrays import text_array
from probfs.tables.joined_columns import JoinedDictionary, join_columns, join_dictionaries
from probfs.tables.joined_numbers import join_lone_numbers, join_wide_numbers, without_blocks
from probfs.tables.number_block import is_wide
from probfs.tables.row_lines import FileLines
from probfs.tables.table import Column, NoRowsError, Table
from probfs.text import counted, listed, nearest_name, option, quoted

__all__ = ["JoinedDictionary", "TableJoiner", "join_columns", "join_dictionaries", "join_tables"]


def join_tables(tables: Iterable[Table], union: bool, source: str) -> Table:
    """The rows of all tables, one after the other; the columns stand in the order of the first table.

    A column that is missing from a table is an error; with ``union`` its cells are missing. ``source`` is what messages
    call the whole.
    """
    joiner = TableJoiner(source, union)
    for table in tables:
        joiner.add(table)
    return joiner.finish()


_MORE_FILES = re.compile(r"(.+?) and ([\d,]+) more files?: (.*)", re.DOTALL)
NO_ROWS = "none of these files has data rows"


class TableJoiner:
    """Collects tables one by one, and keeps of each what the joined table needs."""

    def __init__(self, source: str, union: bool) -> None:
        self._source = source
        self._union = union
        self._tables: list[Table] = []
        self._columns: list[dict[str, Column]] = []
        self._empty: list[tuple[str, Sequence[str]]] = []
        self._rows = 0

    def add(self, table: Table) -> None:
        """Add the rows of a table."""
        if self._tables:
            self._check_names(table.source, table.columns)
        self._rows += table.rows
        columns = self._share_values(table.columns)
        wide = is_wide(len(columns), self._rows)
        self._columns.append(columns if wide else without_blocks(columns))
        if not wide and is_wide(len(columns), self._rows - table.rows):
            self._columns = [without_blocks(own) for own in self._columns]
        self._tables.append(replace(table, columns={}))

    def add_empty(self, source: str, columns: Sequence[str]) -> None:
        """Add a file that has columns, but no rows."""
        self._empty.append((source, columns))

    def finish(self) -> Table:
        if not self._tables:
            raise NoRowsError(NO_ROWS, source=self._source, columns=self._empty[0][1])
        for source, names in self._empty:
            self._check_names(source, names)
        sources = [table.source for table in self._tables]
        names = all_names(self._columns)
        joined = join_wide_numbers(self._columns, sources) if is_wide(len(names), self._rows) else {}
        columns: dict[str, Column] = {}
        for name in names:
            own = [self._take(place, name) for place in range(len(self._tables))]
            numbers = joined.get(name) or join_lone_numbers(own)
            columns[name] = numbers or join_columns(own, sources, union=self._union)
        hints = [table.target_hint for table in self._tables if table.target_hint is not None]
        left_out = tuple(dict.fromkeys(name for table in self._tables for name in table.left_out))
        notes = join_notes(self._tables)
        hint = hints[0] if hints else None
        return Table(self._source, columns, self._rows, None, hint, notes, left_out, self._file_lines())

    def _take(self, place: int, name: str) -> Column:
        """A column of a table, which is not kept: joined and apart, all of them would take twice the memory."""
        return self._columns[place].pop(name, None) or missing_column(name, self._tables[place].rows)

    def _share_values(self, columns: Mapping[str, Column]) -> dict[str, Column]:
        """The columns, with the same array of values as those of the table before where the values are the same."""
        before = self._columns[-1] if self._columns else {}
        return {name: _with_shared_values(column, before.get(name)) for name, column in columns.items()}

    def _file_lines(self) -> FileLines:
        rows = [table.rows for table in self._tables]
        sources, lines = zip(*((table.source, table.lines) for table in self._tables), strict=True)
        return FileLines(sources, np.cumsum([0, *rows[:-1]]), lines)

    def _check_names(self, source: str, names: Iterable[str]) -> None:
        if not self._union:
            refuse_other_columns(self._columns[0], self._tables[0].source, names, source)


def refuse_other_columns(expected: Collection[str], first: str, names: Iterable[str], source: str) -> None:
    """Refuse a file that has other columns than the first one; their order does not matter."""
    found = dict.fromkeys(names)
    lacking = [name for name in expected if name not in found]
    further = [name for name in found if name not in expected]
    if lacking:
        near = nearest_name(lacking[0], further)
        instead = "" if near is None else f", but has {quoted(near)}"
        problem = f"lacks {counted(len(lacking), 'column')} of {first}: {listed(lacking)}{instead}"
    elif further:
        problem = f"has {counted(len(further), 'column')} that {first} lacks: {listed(further)}"
    else:
        return
    remedy = f"give all files the same columns, or take those of all with {option('union', True)}"
    raise DataError(f"{problem}; {remedy}", source=source)


def all_names(tables: Sequence[Collection[str]]) -> list[str]:
    """The columns of the first of some tables; further ones stand before its last, which may be the target."""
    *others, last = tables[0]
    further = [name for columns in tables[1:] for name in columns if name not in tables[0]]
    return [*others, *dict.fromkeys(further), last]


def _with_shared_values(column: Column, other: Column | None) -> Column:
    # What is made on demand stays unmade.
    if type(column) is not Column or type(other) is not Column or not column.values.equals(other.values):
        return column
    return replace(column, values=other.values)


def missing_column(name: str, rows: int) -> Column:
    """A column that a file lacks."""
    return Column(name, np.zeros(rows, dtype=np.uint8), text_array([]))


def join_notes(tables: Sequence[Table]) -> tuple[Note, ...]:
    """The notes of all tables, those that are the same for several files only once."""
    alike: dict[str, tuple[str, Note]] = {}
    files: Counter[str] = Counter()
    for table in tables:
        for note in table.notes:
            begins, more, text = _without_files(note, table.source)
            alike.setdefault(text, (begins, note))
            files[text] += more + 1
    joined = []
    for text, (source, note) in alike.items():
        others = f" and {counted(files[text] - 1, 'more file')}" if files[text] > 1 else ""
        joined.append(note if note == text else note.reworded(f"{source}{others}: {text}"))
    return tuple(joined)


def _without_files(note: Note, source: str) -> tuple[str, int, str]:
    """The first file that a note is about, how many more there are, and what it says of them.

    A table may have been joined of several files itself, of which some other than the first may have the note.
    """
    joined = _MORE_FILES.match(note)
    if joined is not None:
        return joined[1], int(joined[2].replace(",", "")), joined[3]
    return source, 0, note.removeprefix(f"{source}: ")
