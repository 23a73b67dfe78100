"""Files -> Table: what a path names, in the format that it has; several files are one table of all their rows."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import accumulate

import numpy as np

from probfs.errors import DataError, UsageError
from probfs.notes import NoteKind
from probfs.runtime.memory import require_memory
from probfs.runtime.progress import Progress, current_listener, listening
from probfs.tables.arrays import text_array
from probfs.tables.cells import Kind
from probfs.tables.column import Column, text_column
from probfs.tables.files import Part, find_parts, name_together
from probfs.tables.formats import choose_format, format_of_magic
from probfs.tables.joining import NO_ROWS, join_tables, refuse_other_columns
from probfs.tables.opening import ReadOptions, display_name, open_source, read_text
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
    read: list[tuple[Part, Table]] = []
    empty: list[NoRowsError] = []
    # Of a URL it is not known how many bytes it has before it is opened.
    sizes = (os.path.getsize(part.path) if os.path.exists(part.path) else 0 for part in parts)
    ends = list(accumulate(sizes, initial=0))
    held, listener = 0, current_listener()
    for part, start in zip(parts, ends, strict=False):

        def tell(progress: Progress, before: int = start) -> None:
            # Over the bytes of all files.
            if progress.unit == "bytes" and progress.total is not None and ends[-1]:
                progress = replace(progress, done=min(before + progress.done, ends[-1]), total=ends[-1])
            listener(progress)

        with listening(tell):
            try:
                table = read_part(part, options)
            except NoRowsError as error:
                empty.append(error)
                continue
        if not options.union:
            expected = read[0][1] if read else table
            refuse_other_columns(expected.columns, expected.source, table.columns, table.source)
        read.append((part, table))
        # Each file may be small; and ranking the table will take about as much memory again as the table itself.
        held += 8 * table.rows * len(table.columns)
        require_memory(held, "this table", source)
        if options.unneeded is not None:
            # The first file decides: in another one, the last column may be another.
            unread = frozenset(name for name, column in table.columns.items() if column.unread)
            options = replace(options, unneeded=unread.intersection)
    if not read:
        raise NoRowsError(NO_ROWS, source=source, columns=empty[0].columns)
    for without_rows in empty if not options.union else ():
        first = read[0][1]
        refuse_other_columns(first.columns, first.source, without_rows.columns, without_rows.source or "")
    return join_tables(_agreeing_on_numbers(read, options), source)


def _agreeing_on_numbers(read: Sequence[tuple[Part, Table]], options: ReadOptions) -> list[Table]:
    """The tables, read again as texts where formats of text have numbers in columns in which other files have texts."""
    found: dict[str, list[Column]] = {}
    for _, table in read:
        for name, column in table.columns.items():
            # Not by the word of a file.
            if column.problem is None and not column.typed and not column.is_nominal:
                found.setdefault(name, []).append(column)
    mixed = {
        name
        for name, columns in found.items()
        if {Kind.NUMBER, Kind.TEXT} <= {column.kind for column in columns}
        and any(column.kind is Kind.TEXT and not column.is_missing().all() for column in columns)
    }
    given = options.as_text
    again = replace(options, as_text=lambda names: mixed.intersection(names) | {*(given(names) if given else ())})

    def numbers_in(table: Table) -> Iterator[str]:
        return (name for name, column in table.columns.items() if column.kind is Kind.NUMBER and not column.typed)

    return [table if mixed.isdisjoint(numbers_in(table)) else read_part(part, again) for part, table in read]


def read_part(part: Part, options: ReadOptions) -> Table:
    """Read one file; columns from its path come before those in the file, as the last one may be the target.

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
        chosen = choose_format(part.path, head, options)
        for parameter, lacking in chosen.lacking().items():
            if getattr(options, parameter) not in (None, False):
                raise UsageError(f"{option(parameter)}: {source} is {chosen.title}, which has {lacking}")
        # Readers of binary formats check this themselves.
        other = None if chosen.magic else format_of_magic(head)
        if other is not None:
            article = "an" if other.title[0] in "AEIOU" else "a"
            problem = f"is {article} {other.title} file, not {chosen.title}; use {option('input_format', other.name)}"
            raise DataError(problem, source=source)
        table, encoding = read_text(chosen.read, chosen.input_from(raw, source, options, part.row_groups))
    if encoding is None:
        return table
    shown = {"cp1252": "Windows-1252", "utf-16": "UTF-16"}[encoding]
    message = f"{source}: is not UTF-8 and was read as {shown}; {option('encoding')} says otherwise"
    return replace(table, notes=(NoteKind.ENCODING.note(message), *table.notes))
