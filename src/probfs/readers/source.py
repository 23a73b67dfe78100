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
from typing import BinaryIO, cast

from probfs.errors import DataError, UsageError
from probfs.text import printable

STANDARD_INPUT = "-"
_GZIP = b"\x1f\x8b"
_ZIP = b"PK\x03\x04"
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def shown_name(path: str | os.PathLike[str]) -> str:
    """The name of an input as messages have it."""
    return "<stdin>" if os.fspath(path) == STANDARD_INPUT else printable(os.fspath(path))


@contextlib.contextmanager
def open_source(path: str | os.PathLike[str]) -> Iterator[io.BufferedReader]:
    """The bytes of a file or of standard input, unzipped if they are gzip, whatever the name says."""
    name = shown_name(path)
    with contextlib.ExitStack() as stack:
        try:
            raw = _open(path, stack)
            start = raw.peek(4)[:4]
            if start == _ZIP:
                raise DataError("is a zip archive; unpack it first", source=name)
            if start[:2] == _GZIP:
                raw = io.BufferedReader(cast(io.RawIOBase, stack.enter_context(gzip.GzipFile(fileobj=raw))), 1 << 20)
            yield raw
        except EOFError as error:
            raise DataError("the gzip data ends too early; fetch or write the file again", source=name) from error
        except (gzip.BadGzipFile, zlib.error) as error:
            raise DataError("the gzip data is damaged; fetch or write the file again", source=name) from error
        except OSError as error:
            raise DataError(f"cannot be read: {(error.strerror or str(error)).lower()}", source=name) from error


def _open(path: str | os.PathLike[str], stack: contextlib.ExitStack) -> io.BufferedReader:
    if os.fspath(path) == STANDARD_INPUT:
        return cast(io.BufferedReader, sys.stdin.buffer)
    if stat.S_ISDIR(os.stat(path).st_mode):
        raise DataError("is a directory; name a file in it", source=shown_name(path))
    return stack.enter_context(open(path, "rb"))


class Utf8Stream:
    """Bytes in some encoding, read as UTF-8 without a byte-order mark."""

    def __init__(self, raw: BinaryIO, encoding: str, source: str) -> None:
        self.source = source
        self._raw = raw
        self._offset = 0
        try:
            codec = codecs.lookup(encoding)
            self._decoder = None if codec.name in ("utf-8", "utf-8-sig") else codec.incrementaldecoder()
        except (LookupError, TypeError) as error:
            raise UsageError(f"--encoding: no encoding {encoding!r}; utf-8, latin-1, cp1252, utf-16 …") from error
        self._start = True
        self._encoding = encoding

    def read(self, size: int) -> bytes:
        """Up to about ``size`` bytes; none at the end only."""
        while True:
            chunk = self._raw.read(size)
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
