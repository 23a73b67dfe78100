"""Files that URLs name, such as s3://bucket/table.parquet: found and opened by fsspec, imported here only."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Callable
from typing import Any, TypeVar

from probfs.errors import DataError
from probfs.text import printable

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


class RemoteFile(io.RawIOBase):
    """A file of fsspec's, all of whose errors are of the operating system's kind, whatever its driver raises."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self.size: int | None = getattr(stream, "size", None)
        """How many bytes there are, if that is known."""

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        # A web server may give a file only from its beginning, and then does not say how long it is.
        return self.size is not None and bool(self._stream.seekable())

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        return int(self._stream.seek(offset, whence))

    def readinto(self, buffer: Any) -> int:
        try:
            data = self._stream.read(len(buffer))
        except Exception as error:
            raise OSError(_first_line(error)) from error
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        self._stream.close()
        super().close()


def open_url(url: str) -> RemoteFile:
    """The file that a URL names."""
    return RemoteFile(_ask(url, lambda files, path: files.open(path, "rb")))


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
