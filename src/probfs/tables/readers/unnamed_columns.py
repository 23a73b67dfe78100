"""Columns without a name: a first one is a row index and left out, others are named by their position."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count

from probfs.notes import Note, NoteKind
from probfs.text import counted, listed

# What pandas calls a first column without a name, and again when such a file is written and read once more.
_PANDAS_INDEX = re.compile(r"Unnamed: 0(?:\.\d+)*")


@dataclass(frozen=True)
class NamedColumns:
    """The columns of a file, all of them named, of which the first few may be row indexes."""

    names: tuple[str, ...]
    """A name for every column; those of row indexes are as the file has them."""
    indexes: int
    """How many of the first columns are row indexes, to be left out."""
    notes: tuple[Note, ...]

    @property
    def left_out(self) -> tuple[str, ...]:
        """The names of the row indexes as the file has them."""
        return self.names[: self.indexes]


def name_columns(names: Sequence[str], source: str) -> NamedColumns:
    """Find the row index among a file's columns, and name the other columns that have no name.

    >>> name_columns(["", "a", "", "b"], "t.csv").names
    ('', 'a', 'column 3', 'b')
    """
    indexes = _leading_indexes(names)
    taken = set(names)
    complete = list(names)
    nameless = [position for position in range(indexes, len(names)) if not names[position].strip()]
    for position in nameless:
        complete[position] = _free_name(f"column {position + 1}", taken)
        taken.add(complete[position])
    notes = []
    if indexes:
        which = "the unnamed first column was" if indexes == 1 else f"the unnamed first {indexes} columns were"
        left_out = names[:indexes]
        notes.append(NoteKind.ROW_INDEX.note(f"{source}: {which} left out as a row index", left_out))
    if nameless:
        what = counted(len(nameless), "column has no name", "columns have no name")
        given = [complete[position] for position in nameless]
        message = f"{source}: {what}, so named by position: {listed(given)}"
        notes.append(NoteKind.UNNAMED_COLUMNS.note(message, given))
    return NamedColumns(tuple(complete), indexes, tuple(notes))


def _leading_indexes(names: Sequence[str]) -> int:
    """How many columns at the start are row indexes; a table of nothing else keeps them."""
    if not names or (names[0].strip() and not _PANDAS_INDEX.fullmatch(names[0])):
        return 0
    indexes = 1
    while indexes < len(names) and _PANDAS_INDEX.fullmatch(names[indexes]):
        indexes += 1
    return indexes if indexes < len(names) else 0


def _free_name(name: str, taken: set[str]) -> str:
    if name not in taken:
        return name
    return next(other for number in count(2) if (other := f"{name} ({number})") not in taken)
