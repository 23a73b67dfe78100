"""Files -> Table: what a path names, in the format that it has; several files are one table of all their rows."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate

import numpy as np

from probfs.errors import DataError, UsageError
from probfs.notes import NoteKind
from probfs.runtime.memory import require_memory
from probfs.runtime.progress import Listener, Progress, current_listener, listening
from probfs.tables.arrays import text_array
from probfs.tables.cells import Kind
from probfs.tables.column import text_column
from probfs.tables.files import Part, find_parts, name_together
from probfs.tables.formats import TableFormat, choose_format, format_of_magic
from probfs.tables.joining import NO_ROWS, has_values, join_tables, refuse_other_columns
from probfs.tables.opening import ReadOptions, display_name, open_source
from probfs.tables.table import NoRowsError, Table
from probfs.text import listed, option

__all__ = ["ReadOptions", "read_part", "read_parts", "read_table"]


def read_table(
    data: str | os.PathLike[str] | Sequence[str | os.PathLike[str]], options: ReadOptions | None = None
) -> Table:
    """Read a table from a file, or from standard input when the path is ``-``.

    Several files, the files that a pattern matches, and those in a folder are read as one table.
    """
    paths = [data] if isinstance(data, (str, os.PathLike)) else data
    parts = find_parts(paths)
    return read_parts(parts, options or ReadOptions(), name_together(paths, parts))


def read_parts(parts: Sequence[Part], options: ReadOptions, source: str) -> Table:
    """Read files one after the other as one table, which messages call ``source``."""
    if len(parts) == 1:
        return read_part(parts[0], options)
    if options.union:
        # Which columns there are in all, and which is the last, is known only when all are read.
        options = replace(options, unneeded=None)
    tables: list[Table] = []
    read: list[Part] = []
    empty: list[NoRowsError] = []
    ends = list(accumulate((_size(part.path) for part in parts), initial=0))
    held = 0
    listener = current_listener()
    for part, start in zip(parts, ends, strict=False):
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
        held += 8 * table.rows * len(table.columns)
        # Each file may be small; and ranking the table will take about as much memory again as the table itself.
        require_memory(held, "this table", source)
        if options.unneeded is not None:
            # The first file decides: in another one, the last column may be another.
            unread = frozenset(name for name, column in table.columns.items() if column.unread)
            options = replace(options, unneeded=unread.intersection)
    if not tables:
        raise NoRowsError(NO_ROWS, source=source, columns=empty[0].columns)
    for without_rows in empty if not options.union else ():
        refuse_other_columns(tables[0].columns, tables[0].source, without_rows.columns, without_rows.source or "")
    _read_numbers_as_texts(tables, read, options)
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


def _read_numbers_as_texts(tables: list[Table], parts: Sequence[Part], options: ReadOptions) -> None:
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
    given = options.as_text
    again = replace(
        options, as_text=lambda names: mixed.intersection(names).union(() if given is None else given(names))
    )
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


def read_part(part: Part, options: ReadOptions) -> Table:
    """Read one file; the columns that stand in its path come before its own, as the last one may be the target.

    A column that the file itself has is the file's.
    """
    if not part.partition:
        return _read_file(part, options)
    folders = [name for name, _ in part.partition]
    unneeded = options.unneeded
    if unneeded is not None:
        # Users may also name columns of the path.
        options = replace(
            options, unneeded=lambda names: unneeded([*(name for name in folders if name not in names), *names])
        )
    try:
        table = _read_file(part, options)
    except NoRowsError as error:
        names = dict.fromkeys([*folders, *error.columns])
        raise NoRowsError(error.message, source=error.source or "", columns=tuple(names)) from error
    new = {
        name: text_column(name, np.zeros(table.rows, np.uint8), text_array([cell] if cell else []))
        for name, cell in part.partition
        if name not in table.columns
    }
    held = [name for name in folders if name in table.columns]
    message = f"{table.source}: holds {listed(held)}, so the folder of that name is no column"
    notes = (*table.notes, NoteKind.IGNORED.note(message, held)) if held else table.notes
    return replace(table, columns={**new, **table.columns}, notes=notes)


def _read_file(part: Part, options: ReadOptions) -> Table:
    source = display_name(part.path)
    with open_source(part.path, options.max_unpacked) as (raw, head):
        table_format = choose_format(part.path, head, options)
        _refuse_other_options(table_format, options, source)
        _refuse_other_binary(table_format, head, source)
        assert table_format.read is not None
        return table_format.read(table_format.input_from(raw, source, options, part.row_groups))


def _refuse_other_options(table_format: TableFormat, options: ReadOptions, source: str) -> None:
    """Refuse options that the format has no use for."""
    for parameter, given, taken, lacking in (
        ("delimiter", options.delimiter is not None, bool(table_format.delimiter), "no delimiter to choose"),
        ("sheet", options.sheet is not None, table_format.has_sheets, "no sheets"),
        ("skip_rows", options.skip_rows > 0, table_format.has_header_row, "no rows before its names"),
    ):
        if given and not taken:
            raise UsageError(f"{option(parameter)}: {source} is {table_format.title}, which has {lacking}")


def _refuse_other_binary(expected: TableFormat, head: bytes, source: str) -> None:
    """Refuse a binary file that is to be read as text; binary formats find their own faults."""
    other = None if expected.magic else format_of_magic(head)
    if other is not None:
        article = "an" if other.title[0] in "AEIOU" else "a"
        problem = f"is {article} {other.title} file, not {expected.title}; use {option('input_format', other.name)}"
        raise DataError(problem, source=source)
