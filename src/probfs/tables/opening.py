"""Opening an input: a file, a URL or standard input, compressed or not, as bytes or as UTF-8; and how it is to be read.

Light to import, as help and shells need it: neither numpy nor pyarrow.
"""

from __future__ import annotations

import codecs
import contextlib
import io
import os
import stat
import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, BinaryIO, TypeAlias

from probfs.errors import DataError, UsageError
from probfs.runtime.memory import require_memory
from probfs.tables.streams import (
    ZIP_MAGIC,
    CountedStream,
    FilledStream,
    UnpackedStream,
    compression_of,
    is_url,
    is_zipped_workbook,
    open_url,
    shown_url,
)
from probfs.text import option, printable

STANDARD_INPUT = "-"
ChooseColumns: TypeAlias = Callable[[Sequence[str]], Collection[str]]
"""Given the names of a file's columns in order, some of them."""
_HEAD_BYTES = 1 << 18
"""How much of a file shows its format, and is read at least, so that reports of progress take no time to speak of."""
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_SMALL_FILE = 1 << 20
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

    @property
    def size(self) -> int | None:
        """How many bytes the file has, if that is known; those of compressed data are not."""
        raw = getattr(self.raw, "raw", None)
        return raw.size if isinstance(raw, CountedStream) else None

    def as_utf8(self) -> Utf8Stream:
        """The file's text as UTF-8, whatever its encoding."""
        return Utf8Stream(self)

    def as_seekable(self) -> BinaryIO:
        """The file as a stream that can be read from its end; pipes and compressed data are read into memory."""
        return self.raw if self.raw.seekable() else io.BytesIO(self.raw.read())


def display_name(path: str | os.PathLike[str]) -> str:
    """An input's name as messages show it."""
    text = os.fspath(path)
    if text == STANDARD_INPUT:
        return "<stdin>"
    return printable(shown_url(text) if is_url(text) else text) or "''"


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
            raw: Any = io.BufferedReader(_open(path, stack), _HEAD_BYTES)
            compression = compression_of(raw.peek())
            if compression is not None:
                unpacked = stack.enter_context(UnpackedStream(compression, raw, name, max_unpacked))
                raw = io.BufferedReader(unpacked, _HEAD_BYTES)
                again = compression_of(raw.peek())
                if again is not None:
                    twice = f"is compressed twice, with {again.name} and then {compression.name}"
                    raise DataError(f"{twice}; unpack it first", source=name)
            head = raw.peek()
            if head.startswith(ZIP_MAGIC) and not is_zipped_workbook(raw, head, name):
                raise DataError("is a zip archive; unpack it first", source=name)
            yield raw, head
        except OSError as error:
            raise DataError(f"cannot be read: {(error.strerror or str(error)).lower()}", source=name) from error


def _open(path: str | os.PathLike[str], stack: contextlib.ExitStack) -> CountedStream:
    if os.fspath(path) == STANDARD_INPUT:
        if sys.stdin is None:
            raise DataError("standard input is closed", source=display_name(path))
        return CountedStream(sys.stdin.buffer)
    if is_url(os.fspath(path)):
        return CountedStream(stack.enter_context(contextlib.closing(open_url(os.fspath(path)))), remote=True)
    if stat.S_ISDIR(os.stat(path).st_mode):
        raise DataError("is a directory; name a file in it", source=display_name(path))
    return CountedStream(stack.enter_context(open(path, "rb", buffering=0)))


class Utf8Stream(FilledStream):
    """Text in any encoding, read as UTF-8 without a byte-order mark."""

    def __init__(self, table_input: TableInput) -> None:
        self._raw, self.source, self._size = table_input.raw, table_input.source, table_input.size
        self._encoding = table_input.options.encoding
        self._consumed = 0
        """How many bytes have been read, in the file's own encoding."""
        try:
            codec = codecs.lookup(self._encoding)
            b"a\0\0\0".decode(self._encoding, "replace")  # fails for rot13, zlib and other codecs that do not give text
            self.is_plain = codec.name in ("utf-8", "utf-8-sig")
            self._decoder = None if self.is_plain else codec.incrementaldecoder()
        except (LookupError, TypeError, UnicodeError) as error:
            problem = f"no encoding {self._encoding!r}; choose from utf-8, latin-1, cp1252, utf-16 …"
            raise UsageError(f"{option('encoding')}: {problem}") from error
        self._at_start = True

    def _pull(self, size: int) -> bytes:
        while True:
            chunk = self._raw.read(size)
            data = self._decode(chunk)
            self._consumed += len(chunk)
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
            return self._decoder.decode(chunk, final=not chunk).encode("utf-8", "surrogatepass")
        except UnicodeError as error:
            place = self._consumed + getattr(error, "start", 0)
            problem = f"is not {self._encoding} near byte {place}; try another {option('encoding')}"
            raise DataError(problem, source=self.source) from error

    def check_memory(self, held: int) -> None:
        """Refuse a large file if memory will not hold the rest of it; ``held`` bytes are held of what was read."""
        total = max(self._consumed, self._size or 0)
        if total >= _SMALL_FILE:
            parsing = _PARSING_BYTES if self._size is None else min(_PARSING_BYTES, 8 * total)
            forecast_memory(held, self._consumed, total, self.source, parsing)


def forecast_memory(held: int, done: int, total: int, source: str, further: int = 0) -> None:
    """Refuse what memory will not hold, long before it runs out: ``done`` of ``total`` bytes have become ``held``."""
    # Ranking the table will take about as much memory again as the table itself.
    require_memory(2 * int(held * max(1.0, total / max(done, 1))) - held + further, "this table", source)


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
