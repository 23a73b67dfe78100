"""Refusing a zipped workbook that would unpack to more than any memory holds."""

from __future__ import annotations

import re
import zipfile
import zlib
from typing import BinaryIO

from probfs.errors import DataError
from probfs.runtime.memory import require_memory
from probfs.tables.compression import most_unpacked, too_much_unpacked
from probfs.text import shown_bytes

_SHEET = re.compile(r"xl/worksheets/[^/]*\.xml", re.IGNORECASE)
# Most sheets have neither 27 columns nor 100,000 rows, and are looked through without a single match.
_WIDE_CELL = re.compile(rb""" r=["']([A-Z]{2,3})\d""")
_FAR_CELL = re.compile(rb""" r=["'][A-Z]{1,3}(\d{6,})""")
_NARROW, _NEAR = 26, 99_999
_CHUNK = 8 << 20
_LONGEST_REFERENCE = 32
_CELL_BYTES = 100
"""What a cell takes as the package reads it, and as an object of Python."""


def check_sheet_size(raw: BinaryIO, source: str, max_unpacked: int | None) -> None:
    """Refuse a workbook that unpacks to suspiciously much, or whose cells lie so far apart that they fill memory.

    Two cells, in the first and the last place of a sheet, are enough for 17 billion cells in between.
    """
    try:
        with zipfile.ZipFile(raw) as archive:
            members = archive.infolist()
            packed = sum(member.compress_size for member in members)
            limit = most_unpacked(packed, max_unpacked)
            if sum(member.file_size for member in members) > limit:
                raise too_much_unpacked(f"the {shown_bytes(packed)} of the workbook", limit, source)
            for member in members:
                if _SHEET.fullmatch(member.filename):
                    columns, rows = _extent(archive, member)
                    if columns > _NARROW or rows > _NEAR:
                        require_memory(_CELL_BYTES * columns * rows, "this sheet", source)
    except DataError:
        # It says what is wrong already, and is a ValueError too.
        raise
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError) as error:
        raise DataError("is a damaged Excel workbook; fetch it, or save it, again", source=source) from error


def _extent(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> tuple[int, int]:
    """How many columns and rows a sheet has at most."""
    columns, rows, rest = _NARROW, _NEAR, b""
    with archive.open(member) as stream:
        while chunk := stream.read(_CHUNK):
            text = rest + chunk
            columns = max([columns, *map(_column_number, set(_WIDE_CELL.findall(text)))])
            rows = max([rows, *map(int, set(_FAR_CELL.findall(text)))])
            rest = text[-_LONGEST_REFERENCE:]
    return columns, rows


def _column_number(letters: bytes) -> int:
    """The number of the column that a sheet calls AB, say.

    >>> _column_number(b"A"), _column_number(b"AB"), _column_number(b"XFD")
    (1, 28, 16384)
    """
    number = 0
    for letter in letters:
        number = 26 * number + letter - ord("A") + 1
    return number
