"""Opening an input: a file, a URL or standard input, compressed or not, as bytes or as UTF-8; and how it is to be read.

Light to import, as help and shells need it: neither numpy nor pyarrow.
"""

from __future__ import annotations

import codecs
import contextlib
import io
import os
import select
import stat
import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, BinaryIO, TypeAlias

from probfs.errors import DataError, UsageError
from probfs.runtime.memory import require_memory
from probfs.runtime.progress import Progress, current_listener
from probfs.tables.compression import ZIP_MAGIC, UnpackedStream, compression_of, is_zipped_workbook
from probfs.tables.remote import RemoteFile, is_url, open_url, shown_url
from probfs.text import option, printable

STANDARD_INPUT = "-"
ChooseColumns: TypeAlias = Callable[[Sequence[str]], Collection[str]]
"""Given the names of a file's columns in order, some of them."""
_HEAD_BYTES = 1 << 18
"""How much of a file is read to recognise its format."""
_BYTES_AT_ONCE = 1 << 18
"""How much of a file is read at least, so that reports of progress take no time to speak of."""
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_SMALL_FILE = 1 << 20
_BYTES_BETWEEN_CHECKS = 64 << 20
_PARSING_BYTES = 200 << 20
"""Memory that threads need at most to parse blocks; with less, pyarrow ends the process without a message."""


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
    """The decimal separator, a point or a comma; without one, a point."""
    union: bool = False
    """Whether files of one table may have different columns: where a file lacks one, its cells are missing."""
    na: tuple[str, ...] = ()
    """Texts that mean missing by the user's word."""
    sheet: str | None = None
    """Which sheet of an Excel workbook to read; without a name, the first."""
    skip_rows: int = 0
    """How many lines, or rows of a sheet, to pass over before the header."""
    as_text: ChooseColumns | None = field(default=None, compare=False)
    """Which columns a text format must not read as numbers; without it, it reads all numbers as such."""
    unneeded: ChooseColumns | None = field(default=None, compare=False)
    """Which columns need not be read, in formats that can pass over them; without it, all are read."""

    def __post_init__(self) -> None:
        if self.format is not None:
            from probfs.tables.formats import TABLE_FORMATS, is_readable

            TABLE_FORMATS.get(self.format, "input_format", is_readable)
        if self.delimiter is not None and (
            len(self.delimiter) != 1 or not self.delimiter.isascii() or self.delimiter in '"\r\n\0'
        ):
            problem = f"{self.delimiter!r} is not one plain character, like ';' or a tab"
            raise UsageError(f"{option('delimiter')}: {problem}")
        if self.decimal not in (None, ".", ","):
            raise UsageError(f"{option('decimal')}: {self.decimal!r} is neither '.' nor ','")
        if isinstance(self.skip_rows, bool) or not isinstance(self.skip_rows, int) or self.skip_rows < 0:
            raise UsageError(f"{option('skip_rows')}: {self.skip_rows!r} is not a whole number of rows, 0 or more")

    def for_another(self, path: str | os.PathLike[str]) -> ReadOptions:
        """The options for a further file: its format is its own, and others matter only where that has them."""
        from probfs.tables.formats import format_of_path

        known = format_of_path(path)
        return replace(
            self,
            format=None,
            delimiter=self.delimiter if known is None or known.delimiter else None,
            sheet=self.sheet if known is None or known.has_sheets else None,
            skip_rows=self.skip_rows if known is None or known.has_header_row else 0,
            as_text=None,
            unneeded=None,
        )


def display_name(path: str | os.PathLike[str]) -> str:
    """An input's name as messages show it."""
    text = os.fspath(path)
    if text == STANDARD_INPUT:
        return "<stdin>"
    return printable(shown_url(text) if is_url(text) else text) or "''"


@dataclass(frozen=True)
class TableInput:
    """An opened file as the reader of its format gets it."""

    raw: io.BufferedReader
    source: str
    """The file's name as messages show it."""
    options: ReadOptions = ReadOptions()
    delimiter: str = ""
    """What separates the cells of a delimited format."""
    other_delimiters: str = ""
    """What else may separate them, if the delimiter does not split the header."""
    row_groups: tuple[int, ...] = ()
    """Which parts of a Parquet file to read; all where none is named."""

    def as_utf8(self) -> Utf8Stream:
        """The file's text as UTF-8, whatever its encoding."""
        return Utf8Stream(self.raw, self.options.encoding, self.source)

    def as_seekable(self) -> BinaryIO:
        """The file as a stream that can be read from its end; pipes and compressed data are read into memory."""
        return self.raw if self.raw.seekable() else io.BytesIO(self.raw.read())


@contextlib.contextmanager
def open_source(
    path: str | os.PathLike[str], max_unpacked: int | None = None
) -> Iterator[tuple[io.BufferedReader, bytes]]:
    """The bytes of a file or of standard input, unpacked if they are compressed, and the first of them.

    A few compressed bytes can unpack to more than any memory holds: more than ``max_unpacked`` bytes are refused.
    """
    name = display_name(path)
    with contextlib.ExitStack() as stack:
        try:
            raw, head = _read_head(_open(path, stack))
            compression = compression_of(head)
            if compression is not None:
                raw, head = _read_head(stack.enter_context(UnpackedStream(compression, raw, name, max_unpacked)))
                again = compression_of(head)
                if again is not None:
                    twice = f"is compressed twice, with {again.name} and then {compression.name}"
                    raise DataError(f"{twice}; unpack it first", source=name)
            if head.startswith(ZIP_MAGIC) and not is_zipped_workbook(raw, head, name):
                raise DataError("is a zip archive; unpack it first", source=name)
            yield raw, head
        except OSError as error:
            raise DataError(f"cannot be read: {(error.strerror or str(error)).lower()}", source=name) from error


def _open(path: str | os.PathLike[str], stack: contextlib.ExitStack) -> io.BufferedReader:
    if os.fspath(path) == STANDARD_INPUT:
        if sys.stdin is None:
            raise DataError("standard input is closed", source=display_name(path))
        return _counted(sys.stdin.buffer)
    if is_url(os.fspath(path)):
        return _counted(stack.enter_context(open_url(os.fspath(path))))
    if stat.S_ISDIR(os.stat(path).st_mode):
        raise DataError("is a directory; name a file in it", source=display_name(path))
    return _counted(stack.enter_context(open(path, "rb", buffering=0)))


def _read_head(stream: io.BufferedReader | UnpackedStream) -> tuple[io.BufferedReader, bytes]:
    """A stream that still begins at its first byte, and its first bytes."""
    head = stream.read(_HEAD_BYTES)
    if isinstance(stream, io.BufferedReader) and stream.seekable():
        stream.seek(-len(head), os.SEEK_CUR)
        return stream, head
    return io.BufferedReader(_PrefixedStream(head, stream), 1 << 20), head


def _counted(stream: BinaryIO | io.FileIO | RemoteFile) -> io.BufferedReader:
    return io.BufferedReader(_CountedStream(stream), _BYTES_AT_ONCE)


class _CountedStream(io.RawIOBase):
    """A file or standard input; whoever listened when it was opened is told how much of it has been read.

    Formats that are read from here and there in a file are counted as the others: by bytes, wherever these stand.
    """

    def __init__(self, stream: BinaryIO | io.FileIO | RemoteFile) -> None:
        self._stream = stream
        # pyarrow reads in threads of its own.
        self._listener = current_listener()
        self._bytes_read = 0
        self.size = _size_of(stream)
        """How many bytes there are, if that is known."""
        self._report()

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return self._stream.seekable()

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        return self._stream.seek(offset, whence)

    def readinto(self, buffer: Any) -> int:
        read: Any = self._stream.readinto  # type: ignore[union-attr]  # every binary stream has it
        while (told := read(buffer)) is None:
            # Standard input was set not to block, by this or another program, and the next bytes are not there yet.
            select.select([self._stream], [], [])
        number = int(told)
        self._bytes_read += number
        self._report()
        return number

    def _report(self) -> None:
        # What tells the format is read twice.
        done = self._bytes_read if self.size is None else min(self._bytes_read, self.size)
        self._listener(Progress("reading", done, self.size, "bytes"))


def _size_of(stream: BinaryIO | io.FileIO | RemoteFile) -> int | None:
    if isinstance(stream, RemoteFile):
        return stream.size
    try:
        status = os.fstat(stream.fileno())
    except OSError:
        # A stream of a program's own, put in the place of standard input.
        return None
    return status.st_size if stat.S_ISREG(status.st_mode) else None


class _PrefixedStream(io.RawIOBase):
    """Bytes that were read from a stream already, followed by the rest of the stream."""

    def __init__(self, prefix: bytes, rest: io.BufferedReader | UnpackedStream) -> None:
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
        """How many bytes the file has, if that is known; those of compressed data are not."""
        raw = getattr(self._raw, "raw", None)
        return raw.size if isinstance(raw, _CountedStream) else None

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


def decode_line(line: bytes, number: int, source: str) -> str:
    """A line as text, or an error that says which byte of which line is at fault."""
    try:
        text = line.decode()
    except UnicodeDecodeError as error:
        problem = f"byte {error.start + 1} of the line (0x{line[error.start]:02x}) is not UTF-8"
        raise DataError(f"{problem}; try {option('encoding', 'latin-1')}", source=source, line=number) from error
    if "\0" in text:
        raise DataError("holds a NUL byte; is it a text file?", source=source, line=number)
    return text


class MemoryGuard:
    """Checks from time to time whether there is memory for the rest of a large file, long before memory runs out."""

    def __init__(self, stream: Utf8Stream) -> None:
        self._stream = stream
        self._next_check = 0

    def check(self, held: int) -> None:
        """To be called before the first block and after each, with the bytes that are held so far."""
        done, total = self._stream.consumed, self._stream.size()
        if done < self._next_check or (done if total is None else total) < _SMALL_FILE:
            return
        self._next_check = done + _BYTES_BETWEEN_CHECKS
        expected = held if total is None else int(held * max(1.0, total / max(done, 1)))
        parsing = _PARSING_BYTES if total is None else min(_PARSING_BYTES, 8 * total)
        # Ranking the table will take about as much memory again as the table itself.
        require_memory(2 * expected - held + parsing, "this table", self._stream.source)
