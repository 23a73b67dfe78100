"""The names of columns: row indexes and columns without a name; and the names of a file, from its first lines alone.

A shell offers the names while a command is typed, and waits for the answer at every press of a key, so nothing is
imported here that takes longer than reading a header does, and a file that cannot be read has no names instead of an
error. The readers define what a file holds.
"""

from __future__ import annotations

import csv
import io
import os
import re
import stat
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from typing import TextIO

from probfs.errors import ProbfsError
from probfs.notes import Note, NoteKind
from probfs.tables.files import find_parts
from probfs.tables.formats import TABLE_FORMATS, TableFormat, format_of_content, format_of_path
from probfs.tables.opening import open_source
from probfs.tables.remote import is_url
from probfs.text import counted, listed

# What pandas calls a first column without a name, and again when such a file is written and read once more.
_PANDAS_INDEX = re.compile(r"Unnamed: 0(?:\.\d+)*")
_LONGEST_HEADER = 1 << 22
"""Characters to read at most."""
_OTHER_DELIMITERS = (";", "\t", "|")
_ATTRIBUTE = re.compile(
    r"""\s*@attribute\s+
    (?: '(?P<single>(?:[^'\\]|\\.)*)' | "(?P<double>(?:[^"\\]|\\.)*)" | (?P<plain>[^\s{'"][^\s{]*) )""",
    re.IGNORECASE | re.VERBOSE,
)
_ESCAPED_QUOTE = re.compile(r"\\(['\"\\% ])")
_FAILURES = (ProbfsError, OSError, EOFError, ValueError, LookupError, csv.Error)


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


def column_names(
    path: str, input_format: str | None = None, delimiter: str | None = None, encoding: str = "utf-8"
) -> list[str]:
    """The names of a table's columns, each once and in order; none if it is not to be read or understood.

    Of many files the first one is read; none of another computer is.
    """
    try:
        if is_url(path):
            return []
        first = find_parts([path])[0]
    except _FAILURES:
        return []
    partition = [name for name, _ in first.partition]
    return list(dict.fromkeys([*partition, *_file_names(first.path, input_format, delimiter, encoding)]))


def _file_names(path: str, input_format: str | None, delimiter: str | None, encoding: str) -> list[str]:
    try:
        # To open a pipe would wait for somebody to write to it.
        if not stat.S_ISREG(os.stat(path).st_mode):
            return []
        with open_source(path) as (raw, head):
            known = TABLE_FORMATS[input_format] if input_format else format_of_path(path)
            table_format = known or format_of_content(head, encoding)
            names = _names_in(raw, path, table_format, delimiter, encoding)
            return [name for name in names if name.strip()]
    except _FAILURES:
        return []


def _names_in(
    raw: io.BufferedReader, path: str, table_format: TableFormat, delimiter: str | None, encoding: str
) -> Iterable[str]:
    if table_format.name == "parquet":
        return _parquet_names(path)
    # A byte-order mark is no part of the first name.
    text = io.TextIOWrapper(raw, "utf-8-sig" if encoding.lower() in ("utf-8", "utf8") else encoding, newline="")
    try:
        if table_format.delimiter:
            return _delimited_names(_lines(text), delimiter, table_format.delimiter)
        return list(_arff_names(_lines(text))) if table_format.name == "arff" else []
    finally:
        text.detach()


def _lines(text: TextIO) -> Iterator[str]:
    """Lines with their ends, until there are more characters than any header has."""
    left = _LONGEST_HEADER
    while left > 0 and (line := text.readline(left)):
        left -= len(line)
        yield line


def _delimited_names(lines: Iterable[str], chosen: str | None, usual: str) -> list[str]:
    names = next((record for record in csv.reader(lines, delimiter=chosen or usual, strict=True) if record), [])
    if len(names) == 1 and chosen is None:
        for other in _OTHER_DELIMITERS:
            if other in names[0]:
                return next(csv.reader(names, delimiter=other))
    return names


def _arff_names(lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        if line.lstrip().lower().startswith("@data"):
            return
        match = _ATTRIBUTE.match(line)
        if match is not None and match["plain"] is not None:
            yield match["plain"]
        elif match is not None:
            yield _ESCAPED_QUOTE.sub(r"\1", match["single"] or match["double"] or "")


def _parquet_names(path: str) -> Iterator[str]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        names = pq.read_schema(path).names
    except pa.ArrowException:
        return
    # Under such a name pandas stores an index that has none.
    yield from (name for name in names if not name.startswith("__index_level_"))
