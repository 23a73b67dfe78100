"""Compressed data and zip archives, told by their first bytes; unpacking, and refusing suspiciously much of it."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any, BinaryIO, Self, cast

from probfs.errors import DataError
from probfs.text import option, shown_bytes

_MOST_UNPACKED = 4 << 30
_ALWAYS_UNPACKED = 64 << 20
"""Compressed data may unpack to this many bytes however small it is."""
_MOST_RATIO = 250
"""Beyond that, how many times its own size compressed data may unpack to; tables seldom reach a fifth of this."""

ZIP_MAGIC = b"PK\x03\x04"
"""How zip archives begin, among them workbooks of today (.xlsx)."""
COMPOUND_FILE_MAGIC = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
"""How workbooks of before 2007 (.xls) begin, and other files of that time."""
ZIPPED_WORKBOOK_ENDINGS = (".xlsx", ".xlsm", ".xlsb")
_WORKBOOK_MEMBER = "xl/"
_MEMBER_START = re.compile(rb"PK\x03\x04.{26}" + _WORKBOOK_MEMBER.encode(), re.DOTALL)


@dataclass(frozen=True)
class Compression:
    """One way to compress a file."""

    name: str
    ending: str
    """What file names end in after the ending of their format."""
    magic: re.Pattern[bytes]
    """How its data begins."""
    open: Callable[[BinaryIO], Any]
    """A stream of the unpacked bytes."""


def _opener(module: str, name: str) -> Callable[[BinaryIO], Any]:
    """A class of the standard library that unpacks what it is given, imported when it is called."""
    return lambda packed: getattr(import_module(module), name)(packed)


def _open_zstd(packed: BinaryIO) -> Any:
    # The standard library has zstd from Python 3.14 on only.
    import pyarrow as pa

    return pa.CompressedInputStream(pa.PythonFile(packed, "r"), "zstd")


COMPRESSIONS = (
    Compression("gzip", ".gz", re.compile(rb"\x1f\x8b"), _opener("gzip", "open")),
    # The three letters alone could begin a CSV file; a block, or the end of empty data, follows them.
    Compression("bzip2", ".bz2", re.compile(rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)"), _opener("bz2", "BZ2File")),
    Compression("xz", ".xz", re.compile(rb"\xfd7zXZ\x00"), _opener("lzma", "LZMAFile")),
    Compression("zstd", ".zst", re.compile(rb"\x28\xb5\x2f\xfd"), _open_zstd),
)


def compression_of(head: bytes) -> Compression | None:
    """The compression of data that begins like this; None for data that is not compressed.

    >>> compression_of(b"a,b") is None, compression_of(bytes.fromhex("1f8b08")).name
    (True, 'gzip')
    """
    return next((compression for compression in COMPRESSIONS if compression.magic.match(head)), None)


def without_compression_ending(name: str) -> str:
    """A file name in lower case, without the ending of a compression.

    >>> without_compression_ending("t.csv.xz"), without_compression_ending("t.csv")
    ('t.csv', 't.csv')
    """
    for compression in COMPRESSIONS:
        if name.endswith(compression.ending):
            return name.removesuffix(compression.ending)
    return name


def most_unpacked(packed_bytes: int, chosen: int | None) -> int:
    """How many bytes may come from so many compressed ones; ``chosen`` is the user's own limit."""
    return min(_MOST_UNPACKED, max(_ALWAYS_UNPACKED, _MOST_RATIO * packed_bytes)) if chosen is None else chosen


def too_much_unpacked(packed: str, limit: int, source: str) -> DataError:
    """The error for data that unpacks to more than the limit; ``packed`` says which data."""
    problem = f"{packed} unpack to more than {shown_bytes(limit)}"
    return DataError(
        f"{problem}; if that is meant, allow it with {option('max_unpacked', typed='SIZE')}", source=source
    )


class UnpackedStream:
    """The unpacked bytes of compressed data, up to a limit."""

    def __init__(self, compression: Compression, packed: BinaryIO, source: str, most: int | None) -> None:
        self._name = compression.name
        self._packed = _CountingStream(packed)
        self._stream = compression.open(cast(BinaryIO, self._packed))
        self._source = source
        self._most = most
        self._unpacked = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._stream.close()

    def read(self, size: int) -> bytes:
        try:
            data = cast(bytes, self._stream.read(size))
        except _unpacking_errors() as error:
            if isinstance(error, OSError) and error.errno is not None:
                # The file could not be read, which is no fault of its content.
                raise
            early = isinstance(error, EOFError) or str(error).startswith("Truncated")
            problem = "ends too early" if early else "is damaged"
            remedy = "fetch or write the file again"
            raise DataError(f"the {self._name} data {problem}; {remedy}", source=self._source) from error
        self._unpacked += len(data)
        limit = most_unpacked(self._packed.bytes_read, self._most)
        if self._unpacked > limit:
            packed = f"the first {shown_bytes(self._packed.bytes_read)} of its {self._name} data"
            raise too_much_unpacked(packed, limit, self._source)
        return data


def _unpacking_errors() -> tuple[type[Exception], ...]:
    """What the streams raise; imported only once one has raised something."""
    import lzma
    import zlib

    return EOFError, OSError, zlib.error, lzma.LZMAError


class _CountingStream:
    """Counts the bytes read from a stream."""

    closed = False

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.bytes_read = 0

    def read(self, size: int = -1) -> bytes:
        data = self._stream.read(size)
        self.bytes_read += len(data)
        return data

    def close(self) -> None:
        """The stream belongs to whoever opened it."""


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
