"""Files -> Table, one module for each format."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from probfs.errors import DataError, UsageError
from probfs.tables.formats import (
    TABLE_FORMATS,
    TableFormat,
    format_of_content,
    format_of_magic,
    format_of_path,
    is_readable,
)
from probfs.tables.parts import Part, find_parts, name_together
from probfs.tables.source import TableInput, Unneeded, display_name, open_source
from probfs.tables.table import Table
from probfs.text import option


@dataclass(frozen=True)
class ReadOptions:
    """How files are to be read, where they do not say so themselves."""

    format: str | None = None
    """The name of a table format; without one, the file's ending or else its first bytes decide."""
    delimiter: str | None = None
    """The character between cells of CSV and TSV; without one, a comma or what the first lines show, and a tab."""
    encoding: str = "utf-8"
    """The encoding of text formats."""
    max_unpacked: int | None = None
    """How many bytes compressed data may unpack to; without a limit, as many as are not suspicious."""
    decimal: str | None = None
    """What stands before the decimals of a number, a point or a comma; without one, a point."""
    union: bool = False
    """Whether files of one table may have other columns: where a file lacks one, its cells are missing."""
    unneeded: Unneeded | None = field(default=None, compare=False)
    """Which columns need not be read, in formats that can pass over them; without it, all are read."""

    def __post_init__(self) -> None:
        if self.format is not None:
            TABLE_FORMATS.get(self.format, "input_format", is_readable)
        if self.delimiter is not None and (
            len(self.delimiter) != 1 or not self.delimiter.isascii() or self.delimiter in '"\r\n\0'
        ):
            problem = f"{self.delimiter!r} is not one plain character, like ';' or a tab"
            raise UsageError(f"{option('delimiter')}: {problem}")
        if self.decimal not in (None, ".", ","):
            raise UsageError(f"{option('decimal')}: {self.decimal!r} is neither '.' nor ','")

    def for_another(self, path: str | os.PathLike[str]) -> ReadOptions:
        """The options for a further file: its format is its own, and a delimiter matters only if it has one."""
        known = format_of_path(path)
        delimiter = self.delimiter if known is None or known.delimiter else None
        return replace(self, format=None, delimiter=delimiter, unneeded=None)


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
    """Read files as one table, which messages call ``source``."""
    if len(parts) == 1:
        return read_part(parts[0], options)
    from probfs.tables.readers.many_files import read_many

    return read_many(parts, options, source)


def read_part(part: Part, options: ReadOptions) -> Table:
    """Read one file; the columns that stand in its path come before its own."""
    if not part.partition:
        return _read_file(part, options)
    from probfs.tables.readers.partition_columns import add_partition, unneeded_beside

    own = replace(options, unneeded=unneeded_beside(part.partition, options.unneeded))
    return add_partition(part.partition, lambda: _read_file(part, own))


def _read_file(part: Part, options: ReadOptions) -> Table:
    path = part.path
    source = display_name(path)
    with open_source(path, options.max_unpacked) as (raw, head):
        if options.format is not None:
            table_format = TABLE_FORMATS.get(options.format, "input_format", is_readable)
        else:
            table_format = format_of_path(path) or format_of_content(head, options.encoding)
        if options.delimiter is not None and not table_format.delimiter:
            problem = f"{source} is {table_format.title}, which has no delimiter to choose"
            raise UsageError(f"{option('delimiter')}: {problem}")
        _refuse_other_binary(table_format, head, source)
        assert table_format.read is not None
        delimiter = options.delimiter or table_format.delimiter
        others = "" if options.delimiter else table_format.other_delimiters
        limit, unneeded = options.max_unpacked, options.unneeded
        groups = part.row_groups
        return table_format.read(TableInput(raw, source, options.encoding, delimiter, others, limit, unneeded, groups))


def _refuse_other_binary(expected: TableFormat, head: bytes, source: str) -> None:
    """Refuse a binary file that is to be read as text; binary formats find their own faults."""
    if expected.magic:
        return
    other = format_of_magic(head)
    if other is not None:
        article = "an" if other.title[0] in "AEIOU" else "a"
        problem = f"is {article} {other.title} file, not {expected.title}; use {option('input_format', other.name)}"
        raise DataError(problem, source=source)
