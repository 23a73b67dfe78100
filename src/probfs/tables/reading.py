"""Files -> Table: what a path names, in the format that it has; several files are one table of all their rows."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa

from probfs.errors import DataError, UsageError
from probfs.notes import Note, NoteKind
from probfs.runtime.memory import require_memory
from probfs.runtime.progress import listening, report
from probfs.tables.arrays import text_array
from probfs.tables.cells import Kind
from probfs.tables.column import Column, dictionary_cells, missing_column, text_column, unread_column, unusable_cells
from probfs.tables.files import Part, find_parts, name_together
from probfs.tables.formats import choose_format, format_of_magic
from probfs.tables.opening import ReadOptions as ReadOptions
from probfs.tables.opening import display_name, open_source, read_text
from probfs.tables.table import NoRowsError, Table
from probfs.text import counted, listed, nearest_name, option, quoted

NO_ROWS = "none of these files has data rows"
_MORE_FILES = re.compile(r"(.+?) and ([\d,]+) more files?: (.*)", re.DOTALL)
_KINDS = {Kind.TEXT: "text", Kind.NUMBER: "numbers", Kind.DATE: "dates"}


def read_table(
    data: str | os.PathLike[str] | Sequence[str | os.PathLike[str]], options: ReadOptions | None = None
) -> Table:
    """Read a table from a file, or from standard input when the path is ``-``.

    Several files, the files that a pattern matches, and those in a folder are read as one table.
    """
    paths = [data] if isinstance(data, (str, os.PathLike)) else data
    parts = find_parts(paths)
    return read_parts(parts, options or ReadOptions(), name_together(paths, parts))


def read_parts(
    parts: Sequence[Part], options: ReadOptions, source: str, shrink: Callable[[Table], Table] | None = None
) -> Table:
    """Read files one after the other as one table, which messages call ``source``; ``shrink`` may have each of several
    take less memory while others are read.
    """
    if len(parts) == 1:
        return read_part(parts[0], options)
    if options.union:
        # Until all files are read, it is not known which columns there are, nor which is the last.
        options = replace(options, unneeded=None)
    read: list[tuple[Part, Table]] = []
    empty: list[NoRowsError] = []
    held = 0
    for number, part in enumerate(parts):
        report("reading", number, len(parts), "files")
        # Files are counted, not the bytes of each.
        with listening(lambda progress: None):
            try:
                table = read_part(part, options)
            except NoRowsError as error:
                empty.append(error)
                continue
        if not options.union:
            expected = read[0][1] if read else table
            refuse_other_columns(expected.columns, expected.source, table.columns, table.source)
        read.append((part, table if shrink is None else shrink(table)))
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
    """The tables; where a text file has numbers and another one texts in a column, the numbers are read as texts."""
    found: dict[str, list[Column]] = {}
    for _, table in read:
        for name, column in table.columns.items():
            # Columns whose type the file declares are left alone.
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
    message = f"{table.source}: holds {listed(held)}, so the folder of that name is not made a column"
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
    message = f"{source}: is not UTF-8 and was read as {shown}; to read it otherwise, use {option('encoding')}"
    return replace(table, notes=(NoteKind.ENCODING.note(message), *table.notes))


def join_tables(parts: Sequence[Table], source: str) -> Table:
    """The rows of all tables, one after the other; the columns stand in the order of the first table.

    Where a table lacks a column, its cells are missing. ``source`` is what messages call
    the whole.
    """
    sources = [table.source for table in parts]
    columns = {
        name: join_columns([table.columns.get(name) or missing_column(name, table.rows) for table in parts], sources)
        for name in all_names([table.columns for table in parts])
    }
    files = tuple(replace(table, columns={}) for table in parts)
    hint = next((table.target_hint for table in parts if table.target_hint is not None), None)
    left_out = tuple(dict.fromkeys(name for table in parts for name in table.left_out))
    return Table(source, columns, sum(table.rows for table in parts), None, hint, join_notes(parts), left_out, files)


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
    remedy = f"give all files the same columns, or use {option('union', True)} to take the columns of all"
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
            # A table may have been joined of several files itself, of which not only the first may have the note.
            joined = _MORE_FILES.match(note)
            begins, text = (joined[1], joined[3]) if joined else (table.source, note.removeprefix(f"{table.source}: "))
            alike.setdefault(text, (begins, note))
            files[text] += 1 + (int(joined[2].replace(",", "")) if joined else 0)
    joined_notes = []
    for text, (source, note) in alike.items():
        others = f" and {counted(files[text] - 1, 'more file')}" if files[text] > 1 else ""
        joined_notes.append(note if note == text else note.reworded(f"{source}{others}: {text}"))
    return tuple(joined_notes)


def join_columns(columns: Sequence[Column], sources: Sequence[str]) -> Column:
    """The column that holds the rows of some columns, one after the other.

    Kinds that differ make a column that cannot be used, which is an error for whoever wants its cells. The values that
    types declare or order are those of all columns.
    """
    first = columns[0]
    # Nearly always all are plain columns of one type, which is found fast, as tables may be wide.
    if all(
        column.problem is None
        and not column.is_nominal
        and (column.kind, column.typed, column.cells.type) == (first.kind, first.typed, first.cells.type)
        for column in columns
    ):
        return replace(first, cells=_join_cells(columns), stored=_join_stored(columns))
    if any(column.unread for column in columns):
        return unread_column(first.name, sum(column.rows for column in columns))
    # A column of nothing but missing cells agrees with all others.
    held = [place for place, column in enumerate(columns) if column.problem or not column.is_missing().all()]
    for place in held:
        column, model, problem = columns[place], columns[held[0]], None
        if column.problem is not None:
            problem = f"in {sources[place]} {column.problem}"
        elif column.kind is not model.kind:
            types = f"{_KINDS[model.kind]} in {sources[held[0]]}, but {_KINDS[column.kind]} in {sources[place]}"
            problem = f"holds {types}; write it the same way in all files, or leave it out"
        if problem is not None:
            missing = np.concatenate([column.is_missing() for column in columns])
            return Column(first.name, unusable_cells(missing, Kind.OTHER), Kind.OTHER, problem=problem)
    # A column of missing cells may still declare values.
    kinds = {columns[place].kind for place in held}
    known = [
        column
        for place, column in enumerate(columns)
        if place in held or (column.declared is not None and kinds <= {column.kind})
    ]
    columns = [column if column in known else missing_column("", column.rows) for column in columns]
    return replace(
        known[0] if known else first,
        cells=_join_cells(columns),
        stored=_join_stored(columns),
        typed=all(column.typed for column in known) if known else first.typed,
        declared=_join_values([column.declared for column in known]),
        order=_join_values([column.order for column in known]),
        categorical=any(column.is_nominal for column in known),
    )


def _join_values(lists: Sequence[pa.StringArray | None]) -> pa.StringArray | None:
    """The values of all lists, in the order of the files; None unless every file has a list."""
    return pa.concat_arrays(lists).unique() if lists and None not in lists else None


def _join_cells(columns: Sequence[Column]) -> pa.ChunkedArray:
    """The cells in the type that they share, else in one that loses nothing, else as texts."""
    types = {column.cells.type for column in columns if not pa.types.is_null(column.cells.type)}
    cells = [column.cells for column in columns]
    if len(types) > 1 and not all(map(pa.types.is_dictionary, types)):
        cells = [part.cast(part.type.value_type) if pa.types.is_dictionary(part.type) else part for part in cells]
        cells = [part.cast(pa.timestamp("us")) if pa.types.is_date(part.type) else part for part in cells]
    joined = _concatenate(cells)
    if joined is None:
        joined = _concatenate([dictionary_cells(column.codes, column.values) for column in columns])
    return joined


def _concatenate(cells: Sequence[pa.ChunkedArray]) -> pa.ChunkedArray | None:
    """The cells in one type that has them all; None if there is none."""
    try:
        tables = [pa.Table.from_arrays([part], names=[""]) for part in cells]
        return pa.concat_tables(tables, promote_options="permissive").column(0)
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError):
        return None


def _join_stored(columns: Sequence[Column]) -> pa.ChunkedArray | None:
    first = columns[0].stored
    if not isinstance(first, pa.ChunkedArray) and all(column.stored == first for column in columns):
        return first
    return _concatenate([column.stored_cells for column in columns])
