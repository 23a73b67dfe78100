"""Opening an input: a file or standard input, gzipped or not, as bytes or as UTF-8."""

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
from dataclasses import dataclass
from typing import Any, BinaryIO, Self, cast

from probfs.errors import DataError, UsageError
from probfs.text import option, printable, shown_bytes

STANDARD_INPUT = "-"
_GZIP = b"\x1f\x8b"
_ARCHIVES = {
    b"PK\x03\x04": "a zip archive",
    b"BZh": "compressed with bzip2",
    b"\xfd7zXZ\x00": "compressed with xz",
    b"\x28\xb5\x2f\xfd": "compressed with zstd",
    _GZIP: "gzipped twice",
}
_HEAD_BYTES = 1 << 18
"""How much of a file is read to recognise its format."""
_MOST_UNPACKED = 4 << 30
_ALWAYS_UNPACKED = 64 << 20
"""Gzip data may unpack to this many bytes however small it is."""
_MOST_RATIO = 250
"""Beyond that, how many times its own size gzip data may unpack to; tables seldom reach a fifth of this."""
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def display_name(path: str | os.PathLike[str]) -> str:
    """An input's name as messages show it."""
    return "<stdin>" if os.fspath(path) == STANDARD_INPUT else printable(os.fspath(path)) or "''"


@dataclass(frozen=True)
class TableInput:
    """An opened file as the reader of its format gets it."""

    raw: io.BufferedReader
    source: str
    """The file's name as messages show it."""
    encoding: str
    """The encoding of a text format."""
    delimiter: str
    """What separates the cells of a delimited format."""
    other_delimiters: str = ""
    """What else may separate them, if the delimiter does not split the header."""

    def as_utf8(self) -> Utf8Stream:
        """The file's text as UTF-8, whatever its encoding."""
        return Utf8Stream(self.raw, self.encoding, self.source)

    def as_seekable(self) -> BinaryIO:
        """The file as a stream that can be read from its end; a pipe or gzip data is read into memory for that."""
        seekable = isinstance(self.raw.raw, io.FileIO) and self.raw.seekable()
        return self.raw if seekable else io.BytesIO(self.raw.read())


@contextlib.contextmanager
def open_source(
    path: str | os.PathLike[str], max_unpacked: int | None = None
) -> Iterator[tuple[io.BufferedReader, bytes]]:
    """The bytes of a file or of standard input, unpacked if they are gzip data, and the first of them.

    A few bytes of gzip data can unpack to more than any memory holds: more than ``max_unpacked`` bytes are refused.
    """
    name = display_name(path)
    with contextlib.ExitStack() as stack:
        try:
            raw, head = _read_head(_open(path, stack))
            if head.startswith(_GZIP):
                raw, head = _read_head(stack.enter_context(_LimitedGzip(raw, name, max_unpacked)))
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
            raise DataError("standard input is closed", source=display_name(path))
        return cast(io.BufferedReader, sys.stdin.buffer)
    if stat.S_ISDIR(os.stat(path).st_mode):
        raise DataError("is a directory; name a file in it", source=display_name(path))
    return stack.enter_context(open(path, "rb"))


def _read_head(stream: BinaryIO | _LimitedGzip) -> tuple[io.BufferedReader, bytes]:
    """A stream that still begins at its first byte, and its first bytes."""
    head = stream.read(_HEAD_BYTES)
    raw = getattr(stream, "raw", None)
    if isinstance(raw, io.FileIO) and raw.seekable():
        opened = cast(io.BufferedReader, stream)
        opened.seek(-len(head), os.SEEK_CUR)
        return opened, head
    return io.BufferedReader(_PrefixedStream(head, stream), 1 << 20), head


class _LimitedGzip:
    """Unpacks gzip data, and refuses suspiciously much of it."""

    def __init__(self, packed: BinaryIO, source: str, most: int | None) -> None:
        self._packed = _CountingStream(packed)
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
        if self._most is None and self._unpacked > _ALWAYS_UNPACKED:
            limit = min(limit, max(_ALWAYS_UNPACKED, _MOST_RATIO * self._packed.bytes_read))
        if self._unpacked > limit:
            packed = shown_bytes(self._packed.bytes_read)
            problem = f"the first {packed} of its gzip data unpack to more than {shown_bytes(limit)}"
            remedy = f"if that is meant, allow it with {option('max_unpacked', 'SIZE')}"
            raise DataError(f"{problem}; {remedy}", source=self._source)
        return data


class _CountingStream:
    """Counts the bytes read from a stream."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.bytes_read = 0

    def read(self, size: int = -1) -> bytes:
        data = self._stream.read(size)
        self.bytes_read += len(data)
        return data


class _PrefixedStream(io.RawIOBase):
    """Bytes that were read from a stream already, followed by the rest of the stream."""

    def __init__(self, prefix: bytes, rest: BinaryIO | _LimitedGzip) -> None:
        self._prefix = io.BytesIO(prefix)
        self._rest = rest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._prefix.read(len(buffer)) or self._rest.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)


class Utf8Stream:
    """Text in any encoding, read as UTF-8 without a byte-order mark."""

    def __init__(self, raw: BinaryIO, encoding: str, source: str) -> None:
        self.source = source
        self._raw = raw
        self._offset = 0
        try:
            codec = codecs.lookup(encoding)
            b"a\0\0\0".decode(encoding, "replace")  # fails for rot13, zlib and other codecs that do not give text
            self._decoder = None if codec.name in ("utf-8", "utf-8-sig") else codec.incrementaldecoder()
        except (LookupError, TypeError, UnicodeError) as error:
            problem = f"no encoding {encoding!r}; choose from utf-8, latin-1, cp1252, utf-16 …"
            raise UsageError(f"{option('encoding')}: {problem}") from error
        self._at_start = True
        self._encoding = encoding
        self.consumed = 0
        """How many bytes have been read, in the file's own encoding."""

    def size(self) -> int | None:
        """How many bytes the file has, if that is known."""
        raw = getattr(self._raw, "raw", None)
        status = os.fstat(raw.fileno()) if isinstance(raw, io.FileIO) else None
        return status.st_size if status is not None and stat.S_ISREG(status.st_mode) else None

    def read(self, size: int) -> bytes:
        """Up to about ``size`` bytes; empty only at the end."""
        while True:
            chunk = self._raw.read(size)
            self.consumed += len(chunk)
            data = self._decode(chunk)
            if self._at_start and (data or not chunk):
                self._at_start = False
                if data.startswith(_UTF16):
                    raise DataError(f"is UTF-16; say so with {option('encoding', 'utf-16')}", source=self.source)
                data = data.removeprefix(codecs.BOM_UTF8)
            if data or not chunk:
                return data

    def _decode(self, chunk: bytes) -> bytes:
        if self._decoder is None:
            return chunk
        try:
            text = self._decoder.decode(chunk, final=not chunk)
        except UnicodeError as error:
            start = getattr(error, "start", 0)
            problem = f"is not {self._encoding} near byte {self._offset + start}; try another {option('encoding')}"
            raise DataError(problem, source=self.source) from error
        self._offset += len(chunk)
        return text.encode("utf-8", "surrogatepass")
