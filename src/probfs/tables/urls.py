"""Files that URLs name, by way of fsspec, which is imported here only."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, TypeVar

from probfs.errors import DataError
from probfs.text import first_line, printable, shown_url

# A chain begins with the name of a file system alone: simplecache::s3://bucket/table.csv.
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*(?:::.*)?://")
_IPV6_HOST = re.compile(r"https?://(?:[^/@]*@)?\[[0-9A-Fa-f:.]+\]")
_NOT_FOUND = 404
Answer = TypeVar("Answer")


def is_url(path: str) -> bool:
    """Whether a path is a URL.

    >>> is_url("s3://bucket/table.csv"), is_url("table.csv")
    (True, False)
    """
    return _URL.match(path) is not None


def _is_chain(url: str) -> bool:
    """Whether a URL names a file inside of another; the colons of an address are none of a chain."""
    return "::" in _IPV6_HOST.sub("", url)


def as_local_path(path: str) -> str:
    """The path that a URL of this machine's files stands for; others are left as they are.

    >>> as_local_path("file:///data/t.csv"), as_local_path("local://t.csv"), as_local_path("s3://bucket/t.csv")
    ('/data/t.csv', 't.csv', 's3://bucket/t.csv')
    """
    return path.removeprefix("file://").removeprefix("local://")


def open_url(url: str) -> Any:
    return _ask(url, lambda files, path: files.open(path, "rb"))


def is_folder(url: str) -> bool:
    """Whether a URL names a folder; on the web, only one that ends in a slash does, and a chain names a file."""
    if url.startswith(("http://", "https://")):
        return url.endswith("/")
    return not _is_chain(url) and bool(_ask(url, lambda files, path: files.isdir(path)))


def files_below(url: str) -> list[str]:
    """The URLs of all files in a folder and the folders below it."""
    return _ask(url, lambda files, path: _urls_of(files.find(path), url, files, path))


def matching_urls(url: str) -> list[str]:
    """The URLs of the files and folders that a pattern matches."""
    if _is_chain(url):
        raise DataError("is a pattern in a chain of URLs; name the files one by one", source=printable(shown_url(url)))
    return _ask(url, lambda files, path: _urls_of(files.glob(path), url, files, path))


def file_system(url: str) -> tuple[Any, str]:
    """The file system of a URL and the path that it has there, which are the same for two URLs of one file."""
    source = printable(shown_url(url))
    try:
        from fsspec import filesystem
        from fsspec.core import url_to_fs
    except ImportError as error:
        raise DataError("is a URL, which takes fsspec to read; pip install 'probfs[remote]'", source=source) from error
    try:
        # fsspec takes the colons of such a host for those of a chain.
        files, path = (filesystem("http"), url) if _IPV6_HOST.match(url) else url_to_fs(url)
    except ImportError as error:
        raise DataError(f"its driver is not installed: {first_line(error)}", source=source) from error
    except Exception as error:
        raise DataError(f"cannot be read: {first_line(error)}", source=source) from error
    return files, path


def _ask(url: str, question: Callable[[Any, str], Answer]) -> Answer:
    """What is asked of the file system of a URL, and of the path that the URL has there."""
    files, path = file_system(url)
    try:
        return question(files, path)
    except Exception as error:
        raise DataError(f"cannot be read: {_reason(error)}", source=printable(shown_url(url))) from error


def _reason(error: BaseException) -> str:
    """What went wrong; on the web, fsspec calls everything a missing file, and what it was is the cause."""
    if not isinstance(error, FileNotFoundError):
        return first_line(error)
    cause = error.__cause__
    status = getattr(cause, "status", _NOT_FOUND)
    if status != _NOT_FOUND:
        return printable(f"the server answers {status} {getattr(cause, 'message', '')}".rstrip().lower())
    return first_line(cause).lower() if isinstance(cause, OSError) else "no such file or directory"


def _urls_of(found: list[str], url: str, files: Any, path: str) -> list[str]:
    """The URLs of paths that were found, written as the one that was given: its host is in no path."""
    given, given_path = url.rstrip("/"), path.rstrip("/")
    if given_path and given.endswith(given_path):
        return [given.removesuffix(given_path) + other for other in found]
    return [files.unstrip_protocol(other) for other in found]
