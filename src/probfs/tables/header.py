"""Headers as people write them: what columns are called, titles above the names, names that are data.

All formats that have a row of names come here with their first rows. Light to import, as shells ask for names.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, count, pairwise

from probfs.notes import Note, NoteKind
from probfs.text import counted, listed, option

ROWS_LOOKED_AT = 100
"""How many of the first rows tell names from data."""
# What pandas calls a first column without a name, and again when such a file is written and read once more.
_PANDAS_INDEX = re.compile(r"Unnamed: 0(?:\.\d+)*")
_COUNT = re.compile(r"\d{1,18}", re.ASCII)
_NUMBER = re.compile(r"\s*[+-]?(?:\d+[.,]?\d*|[.,]\d+)(?:[eE][+-]?\d+)?\s*", re.ASCII)


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
    """Find the row index among a file's columns, and name the other columns that have no name, or that of another.

    >>> name_columns(["", "a", "", "b", "a"], "t.csv").names
    ('', 'a', 'column 3', 'b', 'a.1')
    """
    indexes = 1 if names and not names[0].strip() else 0
    while indexes < len(names) and _PANDAS_INDEX.fullmatch(names[indexes]):
        indexes += 1
    if indexes == len(names):
        # A table of nothing else keeps them.
        indexes = 0
    complete, notes = tell_apart(names[indexes:], source, "column", indexes)
    if indexes:
        which = "the unnamed first column was" if indexes == 1 else f"the unnamed first {indexes} columns were"
        left_out = NoteKind.ROW_INDEX.note(f"{source}: {which} left out as a row index", names[:indexes])
        notes = [left_out, *notes]
    return NamedColumns((*names[:indexes], *complete), indexes, tuple(notes))


def tell_apart(names: Sequence[str], source: str, noun: str, first: int = 0) -> tuple[list[str], list[Note]]:
    """The names with one by position in place of each blank one, and a number behind those that repeat; and notes.

    ``first`` is the position of the first of them.
    """
    taken = {name for name in names if name.strip()}
    if len(taken) == len(names):
        return list(names), []
    unnamed, renamed, complete = list[str](), dict[str, str](), dict[str, None]()
    for position, name in enumerate(names, start=first + 1):
        new = name
        if not name.strip():
            usual = f"column {position}"
            others = chain([usual], (f"{usual} ({number})" for number in count(2)))
            new = next(other for other in others if other not in taken)
            unnamed.append(new)
        elif name in complete:
            new = next(other for number in count(1) if (other := f"{name}.{number}") not in taken)
            renamed[new] = name
        taken.add(new)
        complete[new] = None
    notes = []
    if unnamed:
        what = counted(len(unnamed), f"{noun} has no name", f"{noun}s have no name")
        message = f"{source}: {what}, so named by position: {listed(unnamed)}"
        notes.append(NoteKind.UNNAMED_COLUMNS.note(message, unnamed))
    if renamed:
        message = f"{source}: several {noun}s are called {listed(dict.fromkeys(renamed.values()))}"
        notes.append(NoteKind.EQUAL_NAMES.note(f"{message}; all but the first are renamed: {listed(renamed)}", renamed))
    return list(complete), notes


def read_header(rows: Sequence[Sequence[str]], titles: int, source: str, *, no_header: bool) -> NamedColumns:
    """Name the columns by the first row below some titles or, if there is no header, by their positions."""
    if no_header:
        return NamedColumns(tuple(f"column {place + 1}" for place in range(len(rows[0]))), 0, ())
    names, below = [name.strip() for name in rows[titles]], rows[titles + 1 :]
    columns = name_columns(names, source)
    notes = [*columns.notes, *note_data(names, below, source)]
    if titles:
        shown = [text for title in rows[:titles] if (text := " ".join(cell.strip() for cell in title if cell.strip()))]
        which = counted(titles, "title row above the header was", "title rows above the header were")
        what = f"{which} skipped{': ' if shown else ''}{listed(shown)}"
        notes.insert(0, NoteKind.TITLES.note(f"{source}: {what}; {option('skip_rows')} overrides this"))
    return NamedColumns(columns.names, columns.indexes, tuple(notes))


def count_titles(rows: Sequence[Sequence[str]]) -> int:
    """How many of the first rows of a file are titles, which hold few cells, or comments; a row of names follows.

    >>> count_titles([["Sales 2024"], ["", "", ""], ["city", "year", "sum"], ["Rome", "2024", "7"]])
    2
    """
    lengths = Counter(len(row) for row in rows if len(row) > 1 and not row[0].lstrip().startswith("#"))
    width = max(lengths, key=lambda length: (lengths[length], length), default=0)
    for place, row in enumerate(rows):
        if row[0].lstrip().startswith("#") and len(row) != width:
            continue
        texts = [cell for cell in row if cell.strip()]
        if len(row) == width == 2 and not row[0].strip() and texts:
            # The only name beside that of a row index.
            return place
        # A title may hold delimiters, or be padded with them.
        if len(texts) > max(1, width // (2 if len(row) < width else 3)):
            numbers = [cell for cell in texts if is_number(cell)]
            # Years may be names beside others.
            has_names = not numbers or (len(numbers) < len(texts) and _are_consecutive(numbers))
            fits = width - 1 <= len(row) <= width
            return place if has_names and fits and len(rows) > place + 1 else 0
    return 0


def note_data(names: Sequence[str], rows: Sequence[Sequence[str]], source: str) -> list[Note]:
    """A warning if the names look like data, so that the file may have no header: they are numbers above numbers, or
    values of their own columns.
    """
    numbers, repeated, columns = [], [], 0
    for name, *column in zip(names, *rows[:ROWS_LOOKED_AT], strict=False):
        cells = [cell for cell in column if cell.strip()]
        if not cells or not name.strip():
            continue
        columns += 1
        if all(map(is_number, cells)):
            if not is_number(name):
                return []
            numbers.append(name)
        if name in cells:
            repeated.append(name)
    if not repeated and _are_consecutive(numbers) if numbers else 2 * len(repeated) <= columns or len(rows) < 2:
        return []
    message = f"{source}: the header looks like data: {listed(numbers or repeated)}"
    return [NoteKind.NO_HEADER.note(f"{message}; if the file has no header, use {option('no_header', True)}")]


def holds_counts(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first row counts rows and features, and names the classes of the last column, as scikit-learn's files
    have it above rows of numbers.

    >>> holds_counts([["3", "2", "red", "blue"], ["1.5", "2", "0"], ["2.5", "3", "1"]])
    True
    """
    counts, classes, below = rows[0][:2], rows[0][2:], rows[1 : ROWS_LOOKED_AT + 1]
    if not classes or not below or not all(map(_COUNT.fullmatch, counts)) or any(map(is_number, classes)):
        return False
    told, features = map(int, counts)
    return told >= len(below) and all(len(row) == features + 1 and all(map(is_number, row)) for row in below)


def is_number(cell: str) -> bool:
    return _NUMBER.fullmatch(cell) is not None


def _are_consecutive(numbers: Sequence[str]) -> bool:
    """Whether numbers are names rather than data, as positions, years and wavelengths are: with equal steps."""
    values = [float(number.replace(",", ".")) for number in numbers]
    steps = [after - before for before, after in pairwise(values)]
    if not steps or steps[0] <= 0 or (len(steps) == 1 and steps[0] != 1):
        return False
    return all(math.isclose(step, steps[0], rel_tol=1e-6) for step in steps)
