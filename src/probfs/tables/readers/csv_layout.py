"""How a CSV file is laid out, told by its first records: what separates cells, and whether rows begin with a name."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from probfs.errors import DataError
from probfs.tables.readers.csv_records import CsvRecords

_ROWS_LOOKED_AT = 10
_LONGEST_NUMBER = 20
DELIMITER_NAMES = {";": "';'", "\t": "tab", "|": "'|'", ",": "','"}
"""Delimiters as messages show them."""


def recognise_delimiter(block: bytes, delimiter: str, others: Sequence[str], source: str) -> str:
    """The one of the ``others`` that splits the first records evenly, if ``delimiter`` does not split the header.

    If none of them does, or several do, it is ``delimiter``, and what is wrong with the file will be found with it.
    """
    if not others or len((_records(block, delimiter, 1, source) or [[]])[0]) > 1:
        return delimiter
    fitting = [other for other in others if _splits_evenly(_records(block, other, 1 + _ROWS_LOOKED_AT, source))]
    return fitting[0] if len(fitting) == 1 else delimiter


def rows_have_names(block: bytes, width: int, delimiter: str, source: str) -> bool:
    """Whether each of a block's rows begins with a name that the header of ``width`` columns does not count.

    So R's ``write.table`` writes row names. Rows can be too long for other reasons: a last cell that is empty in all of
    them comes from a delimiter at the end of each line; and where decimal commas split a column, the first cells are
    hardly all different, nor numbers in ascending order. A single column is left alone: commas in it are likelier.
    """
    # Nearly all files are told by their first row, and need no more than that.
    if width < 2 or [len(row) for row in _records(block, delimiter, 1, source) or ()] != [width + 1]:
        return False
    rows = _records(block, delimiter, None, source) or []
    if any(len(row) != width + 1 for row in rows) or all(row[-1] == "" for row in rows):
        return False
    names = [row[0] for row in rows if row[0].strip()]
    if not 1 < len(rows) == len(set(names)):
        return False
    numbers = [int(name) for name in names if name.isascii() and name.isdigit() and len(name) < _LONGEST_NUMBER]
    return len(numbers) < len(names) or numbers == sorted(numbers)


def _records(block: bytes, delimiter: str, most: int | None, source: str) -> list[list[str]] | None:
    """The first records of a block, None if one of them is broken."""
    try:
        return [record for _, record in islice(CsvRecords(source, delimiter, [block], 1), most)]
    except DataError:
        return None


def _splits_evenly(records: list[list[str]] | None) -> bool:
    """Whether header and rows have the same number of cells, or each row has one more, its name."""
    if records is None or len(records) < 2 or len(records[0]) < 2:
        return False
    widths = {len(record) for record in records[1:]}
    return widths in ({len(records[0])}, {len(records[0]) + 1})
