"""The tables of several files -> one table of all their rows: columns whose types must agree, notes once for all."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa

from probfs.errors import DataError
from probfs.notes import Note
from probfs.tables.cells import Kind
from probfs.tables.column import Column, dictionary_cells, missing_column, unread_column, unusable_cells
from probfs.tables.table import Table
from probfs.text import counted, listed, nearest_name, option, quoted

NO_ROWS = "none of these files has data rows"
_MORE_FILES = re.compile(r"(.+?) and ([\d,]+) more files?: (.*)", re.DOTALL)
_KINDS = {Kind.TEXT: "text", Kind.NUMBER: "numbers", Kind.DATE: "dates"}


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
        one.problem is None
        and not one.is_nominal
        and (one.kind, one.typed, one.cells.type) == (first.kind, first.typed, first.cells.type)
        for one in columns
    ):
        return replace(first, cells=_join_cells(columns), stored=_join_stored(columns))
    if any(column.unread for column in columns):
        return unread_column(first.name, sum(column.rows for column in columns))
    # A column of nothing but missing cells agrees with all others.
    held = [place for place, one in enumerate(columns) if one.problem or not one.is_missing().all()]
    for place in held:
        one, model, problem = columns[place], columns[held[0]], None
        if one.problem is not None:
            problem = f"in {sources[place]} {one.problem}"
        elif one.kind is not model.kind:
            types = f"{_KINDS[model.kind]} in {sources[held[0]]}, but {_KINDS[one.kind]} in {sources[place]}"
            problem = f"holds {types}; write it alike in all files, or leave it out"
        if problem is not None:
            missing = np.concatenate([column.is_missing() for column in columns])
            return Column(first.name, unusable_cells(missing, Kind.OTHER), Kind.OTHER, problem=problem)
    # It may declare values all the same.
    kinds = {columns[place].kind for place in held}
    known = [
        one for place, one in enumerate(columns) if place in held or (one.declared is not None and kinds <= {one.kind})
    ]
    columns = [one if one in known else missing_column("", one.rows) for one in columns]
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
    if len(types) > 1:
        cells = [one.cast(one.type.value_type) if pa.types.is_dictionary(one.type) else one for one in cells]
        cells = [one.cast(pa.timestamp("us")) if pa.types.is_date(one.type) else one for one in cells]
    joined = _concatenate(cells)
    if joined is None:
        parts = [dictionary_cells(column.codes, column.values).chunk(0) for column in columns]
        joined = pa.chunked_array(parts, parts[0].type)
    return joined


def _concatenate(cells: Sequence[pa.ChunkedArray]) -> pa.ChunkedArray | None:
    """The cells in one type that has them all; None if there is none."""
    try:
        tables = [pa.Table.from_arrays([one], names=[""]) for one in cells]
        return pa.concat_tables(tables, promote_options="permissive").column(0)
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError):
        return None


def _join_stored(columns: Sequence[Column]) -> pa.ChunkedArray | None:
    if all(column.stored is None for column in columns):
        return None
    return _concatenate([column.stored_cells for column in columns])
