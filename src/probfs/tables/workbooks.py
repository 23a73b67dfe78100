"""Telling Excel workbooks from other files: light to import, as help lists the formats."""

from __future__ import annotations

import io
import re

ZIP_MAGIC = b"PK\x03\x04"
"""How zip archives begin, among them workbooks of today (.xlsx)."""
COMPOUND_FILE_MAGIC = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
"""How workbooks of before 2007 (.xls) begin, and other files of that time."""
ZIPPED_WORKBOOK_ENDINGS = (".xlsx", ".xlsm", ".xlsb")
_WORKBOOK_MEMBER = "xl/"
_MEMBER_START = re.compile(rb"PK\x03\x04.{26}" + _WORKBOOK_MEMBER.encode(), re.DOTALL)


def is_zipped_workbook(raw: io.BufferedReader, head: bytes, name: str) -> bool:
    """Whether a zip archive is a workbook: whether it has a folder ``xl``; ``head`` is how it begins.

    The members at the beginning show it nearly always; else the directory at the end does, if the stream can be read
    from there. A damaged archive is what its name says.
    """
    if _MEMBER_START.search(head):
        return True
    if not raw.seekable():
        return False
    import zipfile

    start = raw.tell()
    try:
        return any(name.startswith(_WORKBOOK_MEMBER) for name in zipfile.ZipFile(raw).namelist())
    except (zipfile.BadZipFile, ValueError, NotImplementedError):
        return name.lower().endswith(ZIPPED_WORKBOOK_ENDINGS)
    finally:
        raw.seek(start)
