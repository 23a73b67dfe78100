"""Opening what the user named: a file or standard input, gzipped or not, as UTF-8 bytes."""

from __future__ import annotations

import codecs
import contextlib
import gzip
import io
import os
import stat
import sys
import zlib
from collections.abc import Iterator
from typing import Any, BinaryIO, Self, cast

from probfs.errors import DataError, UsageError
from probfs.text import printable, shown_bytes

STANDARD_INPUT = "-"
_GZIP = b"\x1f\x8b"
_ARCHIVES = {
    b"PK\x03\x04": "a zip archive",
    b"BZh": "compressed with bzip2",
    b"\xfd7zXZ\x00": "compressed with xz",
    b"\x28\xb5\x2f\xfd": "compressed with zstd",
    _GZIP: "gzipped twice",
}
_BEGINNING = 1 << 18
"""How much of a file is looked at to see what it is."""
_MOST_UNPACKED = 4 << 30
_HONEST = 64 << 20
"""Up to that many bytes may come out of however few."""
_MOST_RATIO = 250
"""How many times its size gzip data may unpack to, beyond that; tables seldom come to a fifth of it."""
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def shown_name(path: str | os.PathLike[str]) -> str:
    """The name of an input as messages have it."""
    return "<stdin>" if os.fspath(path) == STANDARD_INPUT else printable(os.fspath(path)) or "''"


@contextlib.contextmanager
def open_source(
    path: str | os.PathLike[str], max_unpacked: int | None = None
) -> Iterator[tuple[io.BufferedReader, bytes]]:
    """The bytes of a file or of standard input, unzipped if they are gzip, and how they begin.

    A few bytes of gzip can unpack to more than any memory holds; what is more than ``max_unpacked`` is refused.
    """
    name = shown_name(path)
    with contextlib.ExitStack() as stack:
        try:
            raw, head = _with_beginning(_open(path, stack))
            if head.startswith(_GZIP):
                raw, head = _with_beginning(stack.enter_context(_Unpacked(raw, name, max_unpacked)))
            for magic, kind in _ARCHIVES.items():
                if head.startswith(magic):
                    raise DataError(f"is {kind}; unpack it first", source=name)
            yield raw, head
        except EOFError as error:
            raise DataError("the gzip data ends too early; fetch or write the file again", source=name) from error
        except (gzip.BadGzipFile, zlib.error) as error:
            raise DataError("the gzip data is damaged; fetch or write the file again", source=name) from error
        except OSError as error:
            raise DataError(f"cannot be read: {(error.strerror or str(error)).lower()}", source=name) from error


def _open(path: str | os.PathLike[str], stack: contextlib.ExitStack) -> io.BufferedReader:
    if os.fspath(path) == STANDARD_INPUT:
        if sys.stdin is None:
            raise DataError("standard input is closed", source=shown_name(path))
        return cast(io.BufferedReader, sys.stdin.buffer)
    if stat.S_ISDIR(os.stat(path).st_mode):
        raise DataError("is a directory; name a file in it", source=shown_name(path))
    return stack.enter_context(open(path, "rb"))


def _with_beginning(stream: BinaryIO | _Unpacked) -> tuple[io.BufferedReader, bytes]:
    """A stream from its start, and its first bytes; a pipe may bring even these in several pieces."""
    head = stream.read(_BEGINNING)
    raw = getattr(stream, "raw", None)
    if isinstance(raw, io.FileIO) and raw.seekable():
        opened = cast(io.BufferedReader, stream)
        opened.seek(-len(head), os.SEEK_CUR)
        return opened, head
    return io.BufferedReader(_Rejoined(head, stream), 1 << 20), head


class _Unpacked:
    """Gzip data unpacked, as long as it is not suspiciously much."""

    def __init__(self, packed: BinaryIO, source: str, most: int | None) -> None:
        self._packed = _Counted(packed)
        self._stream = gzip.GzipFile(fileobj=cast(BinaryIO, self._packed))
        self._source = source
        self._most = most
        self._unpacked = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._stream.close()

    def read(self, size: int) -> bytes:
        data = self._stream.read(size)
        self._unpacked += len(data)
        limit = _MOST_UNPACKED if self._most is None else self._most
        if self._most is None and self._unpacked > _HONEST:
            limit = min(limit, max(_HONEST, _MOST_RATIO * self._packed.read_so_far))
        if self._unpacked > limit:
            packed = shown_bytes(self._packed.read_so_far)
            problem = f"the first {packed} of its gzip data unpack to more than {shown_bytes(limit)}"
            raise DataError(f"{problem}; if that is meant, allow it with --max-unpacked SIZE", source=self._source)
        return data


class _Counted:
    """A stream that knows how much has been read of it."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.read_so_far = 0

    def read(self, size: int = -1) -> bytes:
        data = self._stream.read(size)
        self.read_so_far += len(data)
        return data


class _Rejoined(io.RawIOBase):
    """What was read of a stream to look at it, and then the rest."""

    def __init__(self, head: bytes, rest: BinaryIO | _Unpacked) -> None:
        self._head = io.BytesIO(head)
        self._rest = rest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._head.read(len(buffer)) or self._rest.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)


class Utf8Stream:
    """Bytes in some encoding, read as UTF-8 without a byte-order mark."""

    def __init__(self, raw: BinaryIO, encoding: str, source: str) -> None:
        self.source = source
        self._raw = raw
        self._offset = 0
        try:
            codec = codecs.lookup(encoding)
            b"a\0\0\0".decode(encoding, "replace")  # rot13 and zlib are codecs too, but of no text
            self._decoder = None if codec.name in ("utf-8", "utf-8-sig") else codec.incrementaldecoder()
        except (LookupError, TypeError, UnicodeError) as error:
            raise UsageError(f"--encoding: no encoding {encoding!r}; utf-8, latin-1, cp1252, utf-16 …") from error
        self._start = True
        self._encoding = encoding
        self.consumed = 0
        """How many bytes have been read."""

    def size(self) -> int | None:
        """How many bytes there are, if that is known."""
        raw = getattr(self._raw, "raw", None)
        status = os.fstat(raw.fileno()) if isinstance(raw, io.FileIO) else None
        return status.st_size if status is not None and stat.S_ISREG(status.st_mode) else None

    def read(self, size: int) -> bytes:
        """Up to about ``size`` bytes; none at the end only."""
        while True:
            chunk = self._raw.read(size)
            self.consumed += len(chunk)
            data = self._decoded(chunk)
            if self._start and (data or not chunk):
                self._start = False
                if data.startswith(_UTF16):
                    raise DataError("is UTF-16; say so with --encoding utf-16", source=self.source)
                data = data.removeprefix(codecs.BOM_UTF8)
            if data or not chunk:
                return data

    def _decoded(self, chunk: bytes) -> bytes:
        if self._decoder is None:
            return chunk
        try:
            text = self._decoder.decode(chunk, final=not chunk)
        except UnicodeError as error:
            start = getattr(error, "start", 0)
            problem = f"is not {self._encoding} near byte {self._offset + start}; try another --encoding"
            raise DataError(problem, source=self.source) from error
        self._offset += len(chunk)
        return text.encode("utf-8", "surrogatepass")
