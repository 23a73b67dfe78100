"""Bytes from files, standard input and URLs (fsspec is imported here only), unpacked where they are compressed.

To add a compression, add a ``Compression``; no more than a plausible number of bytes may come out of one.
"""

from __future__ import annotations

import io
import os
import re
import select
import stat
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any, BinaryIO, TypeVar

from probfs.errors import DataError
from probfs.runtime.progress import Progress, current_listener
from probfs.text import option, printable, shown_bytes

# A chain begins with the name of a file system alone: simplecache::s3://bucket/table.csv.
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*(?:::.*)?://")
# Passwords may hold any character; a number behind a colon is a port, and two colons belong to a chain.
_USER = re.compile(r"(://)(?:[^/]*@|[^/@:]+:(?!:|\d+(?:[/?#]|$)).*@)")
_QUERY = re.compile(r"([?#]).*")
_URL_IN_TEXT = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*://\S+")
Answer = TypeVar("Answer")
_CHAIN = "::"
_WEB = ("http", "https")
_LOCAL = ("file://", "local://")
ZIP_MAGIC = b"PK\x03\x04"
"""How zip archives begin, among them workbooks of today (.xlsx)."""
COMPOUND_FILE_MAGIC = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
"""How workbooks of before 2007 (.xls) begin, and other files of that time."""
ZIPPED_WORKBOOK_ENDINGS = (".xlsx", ".xlsm", ".xlsb")
_WORKBOOK_MEMBER = "xl/"
_MEMBER_START = re.compile(rb"PK\x03\x04.{26}" + _WORKBOOK_MEMBER.encode(), re.DOTALL)
_MOST_UNPACKED = 4 << 30
_ALWAYS_UNPACKED = 64 << 20
"""Compressed data may unpack to this many bytes however small it is."""
_MOST_RATIO = 250
"""Beyond that, how many times its own size compressed data may unpack to; tables seldom reach a fifth of this."""


def is_url(path: str) -> bool:
    """Whether a path is a URL.

    >>> is_url("s3://bucket/table.csv"), is_url("table.csv")
    (True, False)
    """
    return _URL.match(path) is not None


def as_local_path(path: str) -> str:
    """The path that a URL of this machine's files stands for; others are left as they are.

    >>> as_local_path("file:///data/t.csv"), as_local_path("local://t.csv"), as_local_path("s3://bucket/t.csv")
    ('/data/t.csv', 't.csv', 's3://bucket/t.csv')
    """
    return next((path.removeprefix(own) for own in _LOCAL if path.startswith(own)), path)


def shown_url(url: str) -> str:
    """A URL for messages and documents, without what may be a password or a signature.

    >>> shown_url("https://me:secret@example.org/t.csv?signature=5f3")
    'https://…@example.org/t.csv?…'
    """
    return _QUERY.sub(r"\1…", _USER.sub(r"\1…@", url))


def open_url(url: str) -> Any:
    """The file that a URL names."""
    return _ask(url, lambda files, path: files.open(path, "rb"))


def is_folder(url: str) -> bool:
    """Whether a URL names a folder; on the web, only one that ends in a slash does, and a chain names a file."""
    if url.partition("://")[0] in _WEB:
        return url.endswith("/")
    return _CHAIN not in url and bool(_ask(url, lambda files, path: files.isdir(path)))


def identity(url: str) -> tuple[object, str]:
    """What is the same for two URLs of one file, such as ``memory://t`` and ``memory:///t``."""
    return _file_system(url)


def files_below(url: str) -> list[str]:
    """The URLs of all files in a folder and the folders below it."""
    return _ask(url, lambda files, path: _urls_of(files.find(path), url, files, path))


def matching_urls(url: str) -> list[str]:
    """The URLs of the files and folders that a pattern matches."""
    if _CHAIN in url:
        raise DataError("is a pattern in a chain of URLs; name the files one by one", source=printable(shown_url(url)))
    return _ask(url, lambda files, path: _urls_of(files.glob(path), url, files, path))


def _ask(url: str, question: Callable[[Any, str], Answer]) -> Answer:
    """What is asked of the file system of a URL, and of the path that the URL has there."""
    files, path = _file_system(url)
    try:
        return question(files, path)
    except Exception as error:
        raise _unreadable(url, error) from error


def _urls_of(found: list[str], url: str, files: Any, path: str) -> list[str]:
    """The URLs of paths that were found, written as the one that was given: its host is in no path."""
    given, own = url.rstrip("/"), path.rstrip("/")
    if own and given.endswith(own):
        return [given.removesuffix(own) + other for other in found]
    return [files.unstrip_protocol(other) for other in found]


def _file_system(url: str) -> tuple[Any, str]:
    """The file system of a URL, and the path that the URL has there."""
    source = printable(shown_url(url))
    try:
        from fsspec.core import url_to_fs
    except ImportError as error:
        raise DataError("is a URL, which takes fsspec to read; pip install 'probfs[remote]'", source=source) from error
    try:
        files, path = url_to_fs(url)
    except ImportError as error:
        raise DataError(f"its driver is not installed: {_first_line(error)}", source=source) from error
    except Exception as error:
        raise _unreadable(url, error) from error
    return files, path


def _unreadable(url: str, error: Exception) -> DataError:
    reason = "no such file or directory" if isinstance(error, FileNotFoundError) else _first_line(error)
    return DataError(f"cannot be read: {reason}", source=printable(shown_url(url)))


def _first_line(error: Exception) -> str:
    told = (getattr(error, "strerror", None) or str(error) or type(error).__name__).splitlines()
    # Drivers name the whole URL.
    return printable(_URL_IN_TEXT.sub(lambda url: shown_url(url[0]), told[0].rstrip(".")))


class FilledStream(io.RawIOBase):
    """A stream that fills every buffer, unless it ends; so the first bytes show the format, however they arrive."""

    _rest = memoryview(b"")

    def _pull(self, size: int) -> bytes:
        """The next bytes, about as many as ``size``; none at the end."""
        raise NotImplementedError

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        filled = 0
        while filled < len(buffer):
            self._rest = self._rest or memoryview(self._pull(len(buffer) - filled))
            piece = self._rest[: len(buffer) - filled]
            if not piece:
                break
            buffer[filled : filled + len(piece)] = piece
            filled, self._rest = filled + len(piece), self._rest[len(piece) :]
        return filled


class CountedStream(FilledStream):
    """A file or standard input; whoever listened when it was opened is told how much of it has been read.

    Formats that are read from here and there in a file are counted as the others: by bytes, wherever these stand.
    """

    def __init__(self, stream: Any, *, remote: bool = False) -> None:
        self._stream, self._remote = stream, remote
        # pyarrow reads in threads of its own.
        self._listener = current_listener()
        self.bytes_read = 0
        self.size: int | None = getattr(stream, "size", None) if remote else _size_of(stream)
        """How many bytes there are, if that is known."""
        self._report()

    def seekable(self) -> bool:
        # A web server may give a file only from its beginning, and then does not say how long it is.
        return bool(self._stream.seekable()) and not (self._remote and self.size is None)

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        return int(self._stream.seek(offset, whence))

    def _pull(self, size: int) -> bytes:
        try:
            while (data := self._stream.read(size)) is None:
                # Standard input was set not to block, by this or another program, and no bytes are there yet.
                select.select([self._stream], [], [])
        except Exception as error:
            if not self._remote:
                raise
            # Drivers raise whatever they like.
            raise OSError(_first_line(error)) from error
        self.bytes_read += len(data)
        self._report()
        return bytes(data)

    def _report(self) -> None:
        # Some formats have bytes that are read twice.
        done = self.bytes_read if self.size is None else min(self.bytes_read, self.size)
        self._listener(Progress("reading", done, self.size, "bytes"))


def _size_of(stream: Any) -> int | None:
    try:
        status = os.fstat(stream.fileno())
    except OSError:
        # A stream of a program's own, put in the place of standard input.
        return None
    return status.st_size if stat.S_ISREG(status.st_mode) else None


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
    ending = next((known.ending for known in COMPRESSIONS if name.endswith(known.ending)), "")
    return name.removesuffix(ending)


def refuse_suspicious_size(unpacked: int, packed: int, chosen: int | None, which: str, source: str) -> None:
    """Refuse data that unpacks to more than the user's own limit, or to suspiciously many times its size."""
    limit = min(_MOST_UNPACKED, max(_ALWAYS_UNPACKED, _MOST_RATIO * packed)) if chosen is None else chosen
    if unpacked > limit:
        problem = f"{which} unpack to more than {shown_bytes(limit)}"
        remedy = f"if that is meant, allow it with {option('max_unpacked', typed='SIZE')}"
        raise DataError(f"{problem}; {remedy}", source=source)


class UnpackedStream(FilledStream):
    """The unpacked bytes of compressed data, up to a limit."""

    def __init__(self, compression: Compression, packed: Any, source: str, most: int | None) -> None:
        self._name, self._source, self._most = compression.name, source, most
        self._packed: Any = packed.raw
        self._stream = compression.open(packed)
        self._unpacked = 0

    def close(self) -> None:
        self._stream.close()
        super().close()

    def _pull(self, size: int) -> bytes:
        import lzma
        import zlib

        try:
            data = bytes(self._stream.read(size))
        except (EOFError, OSError, zlib.error, lzma.LZMAError) as error:
            if isinstance(error, OSError) and error.errno is not None:
                # The file could not be read, which is no fault of its content.
                raise
            early = isinstance(error, EOFError) or str(error).startswith("Truncated")
            problem = f"the {self._name} data {'ends too early' if early else 'is damaged'}"
            raise DataError(f"{problem}; fetch or write the file again", source=self._source) from error
        self._unpacked += len(data)
        packed = self._packed.bytes_read
        which = f"the first {shown_bytes(packed)} of its {self._name} data"
        refuse_suspicious_size(self._unpacked, packed, self._most, which, self._source)
        return data


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
