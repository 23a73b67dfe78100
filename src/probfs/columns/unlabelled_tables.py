"""Tables of further rows without a class: whether they have the columns that they need."""

from __future__ import annotations

from collections.abc import Iterable

from probfs.errors import DataError
from probfs.notes import Note, NoteKind
from probfs.tables.table import Table
from probfs.text import counted, listed, option, quoted


def refuse_lacking_columns(table: Table, features: Iterable[str], labelled_source: str) -> None:
    """Refuse a table that lacks a feature of the labelled one."""
    lacking = [name for name in features if name not in table.columns]
    if lacking:
        problem = f"lacks {counted(len(lacking), 'column')} of {labelled_source}: {listed(lacking)}"
        raise DataError(f"{problem}; add them, or leave them out with {option('exclude')}", source=table.source)


def notes_on_lacking_counts(table: Table, count: str | None) -> list[Note]:
    """A note on a table without the column of counts, if there is to be one."""
    if count is None or count in table.columns:
        return []
    message = f"{table.source}: no column {quoted(count)}, so each of its rows counts once"
    return [NoteKind.COUNTED_ONCE.note(message, [count])]
