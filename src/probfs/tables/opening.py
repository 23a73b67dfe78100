"""Opening an input (a file, a URL or standard input) as a file that can be read from any place; and how to read it.

What cannot be read twice (pipes, some URLs, compressed data, text in other encodings) is copied first: into memory, or
into a temporary file if it is large. Light to import, as help and shells need it: neither numpy nor pyarrow.
"""

from __future__ import annotations

import codecs
import contextlib
import io
import os
import re
import select
import stat
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import Any, BinaryIO, TypeAlias, TypeVar

from probfs.errors import DataError, UsageError
from probfs.runtime.progress import Progress, current_listener
from probfs.tables.urls import is_url, open_url
from probfs.text import first_line, option, printable, shown_bytes, shown_url

Result = TypeVar("Result")
STANDARD_INPUT = "-"
ZIP_MAGIC = b"PK\x03\x04"
"""How zip archives begin, among them workbooks of today (.xlsx)."""
COMPOUND_FILE_MAGIC = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
"""How workbooks of before 2007 (.xls) begin, and other files of that time."""
ZIPPED_WORKBOOK_ENDINGS = (".xlsx", ".xlsm", ".xlsb")
_NO_TABLES = (
    (0, b"SQLite format 3\0", "an SQLite database; write its table as CSV"),
    (0, b"%PDF-", "a PDF document, not a table; find the table itself"),
    (0, b"version https://git-lfs.github.com/spec/", "a pointer of Git LFS, not the file; fetch it with git lfs pull"),
    (257, b"ustar", "a tar archive; unpack it first"),
)
"""How files begin that hold no table, or none that is read: where, with which bytes, and what they are."""
ChooseColumns: TypeAlias = Callable[[Sequence[str]], Collection[str]]
"""Chooses some of a file's columns, given the names of all in their order."""
_CONTROL = re.compile(rb"[\0-\x08\x0e-\x1a\x1c-\x1f\x7f]")
_HIGH, _NOT_1252 = bytes(range(128, 256)), b"\x81\x8d\x8f\x90\x9d"
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_HEAD_BYTES = 1 << 18
"""How much of a file shows its format, and is read at least, so that reports of progress take no time to speak of."""
_PIECE = 1 << 20
_MOST_IN_MEMORY = 16 << 20
_ALWAYS_UNPACKED, _MOST_UNPACKED = 64 << 20, 4 << 30
"""Bytes that compressed data may always unpack to, and bytes that it may never exceed unless the user says so."""
_MOST_RATIO = 250
"""How many times its size compressed data may unpack to; tables seldom reach a fifth of this."""
COMPRESSIONS = {
    "gzip": (".gz", re.compile(rb"\x1f\x8b")),
    # The three letters alone could begin a CSV file; a block, or the end of empty data, follows them.
    "bzip2": (".bz2", re.compile(rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)")),
    "xz": (".xz", re.compile(rb"\xfd7zXZ\x00")),
    "zstd": (".zst", re.compile(rb"\x28\xb5\x2f\xfd")),
}
"""What file names end in after the ending of their format, and how the data begins."""
_MODULES = {"gzip": "gzip", "bzip2": "bz2", "xz": "lzma"}
"""The modules of the standard library, which has none for zstd before Python 3.14."""


@dataclass(frozen=True)
class ReadOptions:
    """How files are to be read, where they do not say so themselves."""

    input_format: str | None = None
    """The name of a table format; without one, the file's ending or else its first bytes decide."""
    delimiter: str | None = None
    """The character between cells of CSV and TSV; without one, a comma or what the first lines show, and a tab."""
    encoding: str | None = None
    """The encoding of text formats; without one, UTF-8, or what the bytes show."""
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
    skip_rows: int | None = None
    """How many lines, or rows of a sheet, to pass over before the header; without a number, those that look so."""
    no_header: bool = False
    """Whether the first row holds data, so that columns are named by their positions."""
    as_text: ChooseColumns | None = field(default=None, compare=False)
    """Which columns a text format must not read as numbers; without it, it reads all numbers as such."""
    unneeded: ChooseColumns | None = field(default=None, compare=False)
    """Which columns need not be read, in formats that can pass over them; without it, all are read."""

    def __post_init__(self) -> None:
        if self.delimiter is not None and (
            len(self.delimiter) != 1 or not self.delimiter.isascii() or self.delimiter in '"\r\n\0'
        ):
            problem = f"{self.delimiter!r} is not one plain character, like ';' or a tab"
            raise UsageError(f"{option('delimiter')}: {problem}")

    def for_another(self, path: str | os.PathLike[str]) -> ReadOptions:
        """The options for a further file, without those that its format has no use for."""
        from probfs.tables.formats import format_of_path

        known = format_of_path(path)
        unfit: dict[str, Any] = (
            {} if known is None else {name: getattr(ReadOptions(), name) for name in known.lacking()}
        )
        return replace(self, input_format=None, as_text=None, unneeded=None, **unfit)


class NotUtf8Error(DataError):
    """A text that is said to be UTF-8, or of which nothing is said, is not."""


@dataclass(frozen=True)
class TableInput:
    """An opened file as the reader of its format gets it."""

    raw: BinaryIO
    """The file's bytes, unpacked; it can be read from any place."""
    source: str
    """The file's name as messages show it."""
    options: ReadOptions = ReadOptions()
    delimiter: str = ""
    """What separates the cells of a delimited format."""
    other_delimiters: str = ""
    """What else may separate them, if the delimiter does not split the header."""
    row_groups: tuple[int, ...] = ()
    """Which parts of a Parquet file to read; all where none is named."""

    @contextlib.contextmanager
    def as_utf8(self) -> Iterator[BinaryIO]:
        """The file's text as UTF-8, whatever its encoding, from its beginning behind a byte-order mark."""
        encoding, raw = self.options.encoding or "utf-8", self.raw
        try:
            codec = codecs.lookup(encoding)
            "".encode(encoding)  # fails for rot13, zlib and other codecs that do not give text
        except (LookupError, ValueError) as error:
            problem = f"no encoding {encoding!r}; choose from utf-8, latin-1, cp1252, utf-16 …"
            raise UsageError(f"{option('encoding')}: {problem}") from error
        with contextlib.ExitStack() as stack:
            if codec.name not in ("utf-8", "utf-8-sig"):
                pieces = codecs.iterdecode(iter(lambda: self.raw.read(_PIECE), b""), encoding)
                raw = stack.enter_context(copy_of(self._recoded(pieces)))
            start = raw.tell()
            mark = raw.read(len(codecs.BOM_UTF8))
            if mark.startswith(_UTF16):
                raise NotUtf8Error(f"is UTF-16; say so with {option('encoding', 'utf-16')}", source=self.source)
            raw.seek(start + (len(mark) if mark == codecs.BOM_UTF8 else 0))
            yield raw

    def _recoded(self, pieces: Iterator[str]) -> Iterator[bytes]:
        try:
            for piece in pieces:
                yield piece.encode("utf-8", "surrogatepass")
        except UnicodeError as error:
            place = max(0, self.raw.tell() - 1) // _PIECE * _PIECE + getattr(error, "start", 0)
            problem = f"is not {self.options.encoding} near byte {place}; try another {option('encoding')}"
            raise DataError(problem, source=self.source) from error


def read_text(read: Callable[[TableInput], Result], table_input: TableInput) -> tuple[Result, str | None]:
    """What ``read`` makes of a text, and its encoding if it is not UTF-8: what its bytes show, unless users say."""
    start = table_input.raw.tell()
    try:
        return read(table_input), None
    except NotUtf8Error:
        if table_input.options.encoding is not None:
            raise
    table_input.raw.seek(start)
    # As plain UTF-8, the line at fault is found.
    encoding = _guess_encoding(table_input) or "utf-8"
    table_input.raw.seek(start)
    return read(replace(table_input, options=replace(table_input.options, encoding=encoding))), encoding


def _guess_encoding(table_input: TableInput) -> str | None:
    """The encoding of bytes that are not UTF-8: UTF-16 with its mark, or Windows-1252 if nothing speaks against it."""
    size = high = valid = 0
    while piece := table_input.raw.read(_PIECE):
        if not size and piece.startswith(_UTF16):
            return "utf-16"
        if _CONTROL.search(piece):
            raise DataError("holds binary data, not text; is it the right file?", source=table_input.source)
        plain = len(piece.translate(None, _HIGH))
        size, high = size + len(piece), high + len(piece) - plain
        valid += len(piece.decode("utf-8", "ignore").encode()) - plain
        if len(piece.translate(None, _NOT_1252)) < len(piece):
            return None
    # Text of other alphabets has more such letters; and damaged UTF-8 is mostly valid.
    return "cp1252" if high * 4 <= size and valid * 2 <= high else None


def display_name(path: str | os.PathLike[str]) -> str:
    """An input's name as messages show it."""
    text = os.fspath(path)
    if text == STANDARD_INPUT:
        return "<stdin>"
    return printable(shown_url(text) if is_url(text) else text) or "''"


def refuse_nul(path: str) -> None:
    """Refuse what no path can be, and Python calls a wrong value."""
    if "\0" in path:
        raise DataError("cannot be read: the path holds a NUL byte", source=display_name(path))


@contextlib.contextmanager
def open_source(
    path: str | os.PathLike[str], max_unpacked: int | None = None, *, most: int | None = None
) -> Iterator[tuple[BinaryIO, bytes]]:
    """The bytes of a file or of standard input, unpacked if they are compressed, and the first of them.

    A few compressed bytes can unpack to more than any memory holds: more than ``max_unpacked`` bytes are refused. Who
    wants only the beginning says how many bytes, at ``most``.
    """
    name = display_name(path)
    with contextlib.ExitStack() as stack:
        try:
            raw: Any = _open(path, stack)
            head = _peek(raw)
            compression = _compression_of(head)
            if compression is not None:
                raw = stack.enter_context(copy_of(_unpack(compression, raw, name, max_unpacked), most))
                head = _peek(raw)
                if again := _compression_of(head):
                    twice = f"is compressed twice, with {again} and then {compression}"
                    raise DataError(f"{twice}; unpack it first", source=name)
            # The members of a workbook are in a folder xl; behind a picture, the list at the end tells.
            if head.startswith(ZIP_MAGIC) and b"xl/" not in head:
                start = raw.tell()
                raw.seek(max(start, raw.seek(0, os.SEEK_END) - _HEAD_BYTES))
                if b"xl/" not in raw.read():
                    raise DataError("is a zip archive; unpack it first", source=name)
                raw.seek(start)
            for place, magic, what in _NO_TABLES:
                if head.startswith(magic, place):
                    raise DataError(f"is {what}", source=name)
            yield raw, head
        except OSError as error:
            raise DataError(f"cannot be read: {(error.strerror or str(error)).lower()}", source=name) from error


def _open(path: str | os.PathLike[str], stack: contextlib.ExitStack) -> Any:
    """The file as it is stored, or a copy if it cannot be read twice."""
    text = os.fspath(path)
    refuse_nul(text)
    stream: Any
    if text == STANDARD_INPUT:
        if sys.stdin is None:
            raise DataError("standard input is closed", source=display_name(path))
        stream = sys.stdin.buffer
    elif is_url(text):
        stream = stack.enter_context(contextlib.closing(open_url(text)))
    elif os.path.isdir(path):
        raise DataError("is a directory; name a file in it", source=display_name(path))
    else:
        stream = stack.enter_context(open(path, "rb", buffering=0))  # noqa: SIM115  # closed by the stack
    file = _CountedFile(stream, remote=is_url(text))
    if file.seekable():
        return io.BufferedReader(file, _HEAD_BYTES)
    return stack.enter_context(copy_of(iter(lambda: file.read(_HEAD_BYTES), b"")))


class _CountedFile(io.RawIOBase):
    """A file or standard input that reports to the progress listener how many bytes have been read."""

    def __init__(self, stream: Any, *, remote: bool) -> None:
        self._stream, self._remote = stream, remote
        # pyarrow reads in other threads, which do not know the listener.
        self._listener = current_listener()
        self._done = 0
        self._size: int | None = getattr(stream, "size", None)
        # A program may have replaced standard input by a stream that is no file.
        with contextlib.suppress(AttributeError, OSError):
            status = os.fstat(stream.fileno())
            self._size = status.st_size if stat.S_ISREG(status.st_mode) else None
        self._report()

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        # A web server may give a file only from its beginning, and then does not say how long it is.
        return bool(self._stream.seekable()) and not (self._remote and self._size is None)

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        return int(self._stream.seek(offset, whence))

    def readinto(self, buffer: Any) -> int:
        try:
            while (data := self._stream.read(len(buffer))) is None:
                # Standard input was set not to block, by this or another program, and no bytes are there yet.
                select.select([self._stream], [], [])
        except Exception as error:
            if not self._remote:
                raise
            # Drivers raise whatever they like.
            raise OSError(first_line(error)) from error
        buffer[: len(data)] = data
        self._done += len(data)
        self._report()
        return len(data)

    def _report(self) -> None:
        # The first bytes are read twice.
        done = self._done if self._size is None else min(self._done, self._size)
        self._listener(Progress("reading", done, self._size, "bytes"))


@contextlib.contextmanager
def copy_of(pieces: Iterable[bytes], most: int | None = None) -> Iterator[Any]:
    """A temporary file with these bytes; at ``most`` so many, give or take a piece."""
    # Here, as it imports what unpacks any archive.
    import tempfile

    with tempfile.SpooledTemporaryFile(_MOST_IN_MEMORY) as file:
        for piece in pieces:
            file.write(piece)
            if most is not None and file.tell() >= most:
                break
        file.seek(0)
        yield file


def _peek(raw: BinaryIO) -> bytes:
    start = raw.tell()
    head = raw.read(_HEAD_BYTES)
    raw.seek(start)
    return head


def _compression_of(head: bytes) -> str | None:
    return next((name for name, (_, magic) in COMPRESSIONS.items() if magic.match(head)), None)


def without_compression_ending(name: str) -> str:
    """A file name in lower case, without the ending of a compression.

    >>> without_compression_ending("t.csv.xz"), without_compression_ending("t.csv")
    ('t.csv', 't.csv')
    """
    return re.sub(r"\.(?:gz|bz2|xz|zst)$", "", name)


def refuse_suspicious_size(unpacked: int, packed: int, chosen: int | None, which: str, source: str) -> None:
    """Refuse data that unpacks to more than the user's limit, or to suspiciously many times its size."""
    limit = min(_MOST_UNPACKED, max(_ALWAYS_UNPACKED, _MOST_RATIO * packed)) if chosen is None else chosen
    if unpacked > limit:
        problem = f"{which} unpack to more than {shown_bytes(limit)}"
        remedy = f"if that is meant, allow it with {option('max_unpacked', typed='SIZE')}"
        raise DataError(f"{problem}; {remedy}", source=source)


def _unpack(compression: str, packed: BinaryIO, source: str, most: int | None) -> Iterator[bytes]:
    import lzma
    import zlib

    stream: Any
    if compression in _MODULES:
        stream = import_module(_MODULES[compression]).open(packed)
    else:
        import pyarrow as pa

        stream = pa.CompressedInputStream(pa.PythonFile(packed, "r"), compression)
    start, unpacked, data = packed.tell(), 0, None
    with stream:
        while data != b"":
            try:
                data = bytes(stream.read(_PIECE))
            except (EOFError, OSError, zlib.error, lzma.LZMAError) as error:
                if isinstance(error, OSError) and error.errno is not None:
                    # The file could not be read, which is no fault of its content.
                    raise
                early = isinstance(error, EOFError) or str(error).startswith("Truncated")
                problem = f"the {compression} data {'ends too early' if early else 'is damaged'}"
                raise DataError(f"{problem}; fetch or write the file again", source=source) from error
            unpacked += len(data)
            size = packed.tell() - start
            which = f"the first {shown_bytes(size)} of its {compression} data"
            refuse_suspicious_size(unpacked, size, most, which, source)
            yield data


def decode_line(line: bytes, number: int, source: str) -> str:
    """A line as text, or an error that says which byte of which line is at fault."""
    try:
        text = line.decode()
    except UnicodeDecodeError as error:
        problem = f"byte {error.start + 1} of the line (0x{line[error.start]:02x}) is not UTF-8"
        raise NotUtf8Error(f"{problem}; try {option('encoding', 'latin-1')}", source=source, line=number) from error
    if "\0" in text:
        raise DataError("holds a NUL byte; is it a text file?", source=source, line=number)
    return text
