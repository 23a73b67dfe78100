"""Table -> the bytes of a file that other tools read, one module for each format."""

from __future__ import annotations

import os

from probfs.runtime.output import format_by_ending
from probfs.tables.formats import CSV, TABLE_FORMATS, formats_by_ending, is_writable
from probfs.tables.table import Table
from probfs.tables.writers.plain_numbers import as_plain_numbers


def choose_table_format(
    path: str | os.PathLike[str] | None, chosen: str | None, parameter: str = "output", by_name: bool = True
) -> str:
    """The name of the format to write: the chosen one, else the one of the path's ending; CSV for standard output.

    ``parameter`` is the parameter by which users name the path, and ``by_name`` says whether they could choose.
    """
    if chosen is not None:
        return TABLE_FORMATS.get(chosen, TABLE_FORMATS.parameter, is_writable).name
    if path is None:
        return CSV.name
    return format_by_ending(path, formats_by_ending(is_writable), CSV.name, parameter, by_name)


def table_bytes(
    table: Table, format_name: str, target: str | None = None, *, safe: bool = False, plain_numbers: bool = False
) -> bytes:
    """The table as a file of one of the formats.

    The column called ``target`` is written as a list of classes even if they look like numbers, where the format tells
    these apart. With ``safe``, a text that a spreadsheet would take for a formula begins with an apostrophe in CSV and
    TSV. With ``plain_numbers``, texts that are numbers become numbers, where the format has both. A column that cannot
    be used cannot be written either.
    """
    table_format = TABLE_FORMATS.get(format_name, TABLE_FORMATS.parameter, is_writable)
    write = table_format.write
    assert write is not None
    for column in table.columns.values():
        table.usable(column)
    if plain_numbers and table_format.typed:
        table = as_plain_numbers(table, target)
    return write(table, target=target, safe=safe)
