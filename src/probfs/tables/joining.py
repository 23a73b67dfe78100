"""The tables of several files -> one table of all their rows, and the columns that stand in the paths of files."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import TypeAlias

import numpy as np

from probfs.errors import DataError
from probfs.notes import Note, NoteKind
from probfs.runtime.memory import require_memory
from probfs.runtime.progress import Listener, Progress, current_listener, listening
from probfs.tables.arrays import text_array
from probfs.tables.cells import Kind
from probfs.tables.column import missing_column, text_column
from probfs.tables.files import Part
from probfs.tables.joined_column import has_values, join_columns
from probfs.tables.opening import ReadOptions
from probfs.tables.row_lines import FileLines
from probfs.tables.table import NoRowsError, Table
from probfs.text import counted, listed, nearest_name, option, quoted

ReadPart: TypeAlias = Callable[[Part, ReadOptions], Table]
NO_ROWS = "none of these files has data rows"
_MORE_FILES = re.compile(r"(.+?) and ([\d,]+) more files?: (.*)", re.DOTALL)
_BYTES_BETWEEN_CHECKS = 16 << 20


def read_many(parts: Sequence[Part], options: ReadOptions, source: str, read_part: ReadPart) -> Table:
    """Read files one after the other as one table, which messages call ``source``."""
    if options.union:
        # Which columns there are in all, and which is the last, is known only when all are read.
        options = replace(options, unneeded=None)
    tables: list[Table] = []
    read: list[Part] = []
    empty: list[NoRowsError] = []
    ends = list(accumulate((_size(part.path) for part in parts), initial=0))
    next_check = _BYTES_BETWEEN_CHECKS
    listener = current_listener()
    for part, start, end in zip(parts, ends, ends[1:], strict=False):
        with listening(_counting(listener, start, ends[-1])):
            try:
                table = read_part(part, options)
            except NoRowsError as error:
                empty.append(error)
                continue
        if tables and not options.union:
            refuse_other_columns(tables[0].columns, tables[0].source, table.columns, table.source)
        tables.append(table)
        read.append(part)
        if end >= next_check:
            next_check = end + _BYTES_BETWEEN_CHECKS
            _check_memory(tables, end, ends[-1], source)
        if options.unneeded is not None:
            # The first file decides: in another one, the last column may be another.
            unread = frozenset(name for name, column in table.columns.items() if column.unread)
            options = replace(options, unneeded=unread.intersection)
    if not tables:
        raise NoRowsError(NO_ROWS, source=source, columns=empty[0].columns)
    for without_rows in empty if not options.union else ():
        refuse_other_columns(tables[0].columns, tables[0].source, without_rows.columns, without_rows.source or "")
    _read_numbers_as_texts(tables, read, options, read_part)
    return join_tables(tables, options.union, source)


def _size(path: str) -> int:
    """The bytes of a file; 0 where that is not known before it is opened."""
    try:
        return os.stat(path).st_size
    except OSError:
        return 0


def _counting(listener: Listener, before: int, total: int) -> Listener:
    """A listener to the reading of one file, who tells of the bytes of all."""

    def tell(progress: Progress) -> None:
        if progress.unit == "bytes" and progress.total is not None and total:
            progress = replace(progress, done=min(before + progress.done, total), total=total)
        listener(progress)

    return tell


def _check_memory(tables: Sequence[Table], done: int, total: int, source: str) -> None:
    """Check whether there is memory for the rest of the files, each of which may be small."""
    held = sum(8 * table.rows * len(table.columns) for table in tables)
    # Ranking the table will take about as much memory again as the table itself.
    require_memory(2 * int(held * total / done) - held, "this table", source)


def _read_numbers_as_texts(
    tables: list[Table], parts: Sequence[Part], options: ReadOptions, read_part: ReadPart
) -> None:
    """Read those files again, as texts, that have numbers in columns where others have texts, in formats of text."""
    kinds: dict[str, Kind] = {}
    differ = {
        name
        for table in tables
        for name, column in table.columns.items()
        if kinds.setdefault(name, column.kind) is not column.kind
    }
    mixed = frozenset(
        name for name in differ if all(_some_hold(kind, name, tables) for kind in (Kind.NUMBER, Kind.TEXT))
    )
    own = options.as_text
    again = replace(options, as_text=lambda names: mixed.intersection(names).union(() if own is None else own(names)))
    for place, table in enumerate(tables if mixed else ()):
        if any(_some_hold(Kind.NUMBER, name, [table]) for name in mixed):
            tables[place] = read_part(parts[place], again)


def _some_hold(kind: Kind, name: str, tables: Sequence[Table]) -> bool:
    """Whether a column is of this kind in some of the tables, but not by the word of the file."""
    columns = [column for table in tables if (column := table.columns.get(name)) is not None and column.kind is kind]
    return any(
        column.problem is None and column.stored is None and not column.is_nominal and has_values(column)
        for column in columns
    )


def join_tables(tables: Iterable[Table], union: bool, source: str) -> Table:
    """The rows of all tables, one after the other; the columns stand in the order of the first table.

    A column that is missing from a table is an error; with ``union`` its cells are missing. ``source`` is what messages
    call the whole.
    """
    parts = list(tables)
    first = parts[0]
    for table in parts[1:] if not union else ():
        refuse_other_columns(first.columns, first.source, table.columns, table.source)
    sources = [table.source for table in parts]
    columns = {
        name: join_columns(
            [table.columns.get(name) or missing_column(name, table.rows) for table in parts], sources, union=union
        )
        for name in all_names([table.columns for table in parts])
    }
    rows = [table.rows for table in parts]
    files = FileLines(tuple(sources), np.cumsum([0, *rows[:-1]]), tuple(table.lines for table in parts))
    hint = next((table.target_hint for table in parts if table.target_hint is not None), None)
    left_out = tuple(dict.fromkeys(name for table in parts for name in table.left_out))
    return Table(source, columns, sum(rows), None, hint, join_notes(parts), left_out, files)


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


def read_with_partition(part: Part, options: ReadOptions, read_file: ReadPart) -> Table:
    """A file's table, with the columns that stand in its path before its own: the last one may be the target.

    A column that the file itself has is the file's.
    """
    own = [name for name, _ in part.partition]
    unneeded = options.unneeded
    if unneeded is not None:
        # Users may also name columns of the path.
        needless = unneeded
        options = replace(
            options, unneeded=lambda names: needless([*(name for name in own if name not in names), *names])
        )
    try:
        table = read_file(part, options)
    except NoRowsError as error:
        names = dict.fromkeys([*own, *error.columns])
        raise NoRowsError(error.message, source=error.source or "", columns=tuple(names)) from error
    new = {
        name: text_column(name, np.zeros(table.rows, np.uint8), text_array([cell] if cell else []))
        for name, cell in part.partition
        if name not in table.columns
    }
    held = [name for name in own if name in table.columns]
    notes = table.notes
    if held:
        message = f"{table.source}: holds {listed(held)}, so the folder of that name is no column"
        notes = (*notes, NoteKind.IGNORED.note(message, held))
    return replace(table, columns={**new, **table.columns}, notes=notes)
