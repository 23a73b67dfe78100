"""Files -> Table: what a path names, in the format that it has."""

from __future__ import annotations

import os
from collections.abc import Sequence

from probfs.errors import DataError, UsageError
from probfs.tables.files import Part, find_parts, name_together
from probfs.tables.formats import (
    TABLE_FORMATS,
    TableFormat,
    format_of_content,
    format_of_magic,
    format_of_path,
    is_readable,
)
from probfs.tables.opening import ReadOptions, TableInput, display_name, open_source
from probfs.tables.table import Table
from probfs.text import option

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
    """Read files as one table, which messages call ``source``."""
    if len(parts) == 1:
        return read_part(parts[0], options)
    from probfs.tables.joining import read_many

    return read_many(parts, options, source, read_part)


def read_part(part: Part, options: ReadOptions) -> Table:
    """Read one file; the columns that stand in its path come before its own."""
    if not part.partition:
        return _read_file(part, options)
    from probfs.tables.joining import read_with_partition

    return read_with_partition(part, options, _read_file)


def _read_file(part: Part, options: ReadOptions) -> Table:
    source = display_name(part.path)
    with open_source(part.path, options.max_unpacked) as (raw, head):
        if options.format is not None:
            table_format = TABLE_FORMATS.get(options.format, "input_format", is_readable)
        else:
            table_format = format_of_path(part.path) or format_of_content(head, options.encoding)
        _refuse_other_options(table_format, options, source)
        _refuse_other_binary(table_format, head, source)
        assert table_format.read is not None
        delimiter = options.delimiter or table_format.delimiter
        others = "" if options.delimiter else table_format.other_delimiters
        return table_format.read(TableInput(raw, source, options, delimiter, others, part.row_groups))


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
