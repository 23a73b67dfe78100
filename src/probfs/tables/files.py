"""The files that make up one table: what patterns, folders and URLs stand for, in the order of their paths."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from urllib.parse import unquote

from probfs.errors import DataError, UsageError
from probfs.tables import urls
from probfs.tables.formats import TABLE_FORMATS, format_of_path
from probfs.tables.opening import STANDARD_INPUT, display_name, refuse_nul
from probfs.text import counted, quoted

_MISSING_PARTITION = "__HIVE_DEFAULT_PARTITION__"


@dataclass(frozen=True)
class Part:
    """One file of a table, and what the names of its folders say of all of its rows."""

    path: str
    """The path or the URL of the file; ``-`` for standard input."""
    partition: tuple[tuple[str, str], ...] = ()
    """Names and cells of the columns that stand in the path, as in ``year=2026/``; an empty cell is missing."""
    row_groups: tuple[int, ...] = ()
    """Which row groups of a Parquet file to read, in their order; all where none is named."""


def find_parts(paths: Sequence[str | os.PathLike[str]]) -> tuple[Part, ...]:
    """The files that paths, patterns, folders and URLs name together, sorted by their paths.

    Folders called ``key=value`` are columns, if they are below all folders that the arguments have in common. One
    plain path is taken as it is, and need not even exist.
    """
    names = [urls.as_local_path(os.fspath(path)) for path in paths]
    if STANDARD_INPUT in names and len(names) > 1:
        raise UsageError("standard input cannot be read together with files; name files only")
    if not names:
        raise UsageError("no file is named; name one or more")
    for name in names:
        refuse_nul(name)
    found = [_expand(name) for name in names]
    files = [file for _, some in found for file in some]
    if files == names[:1]:
        return (Part(names[0]),)
    _refuse_the_same_twice(files)
    _refuse_other_formats(sorted(files))
    # How many folders all paths begin with.
    roots = [root.rstrip("/").split("/") for root, _ in found]
    alike = takewhile(lambda folders: len(set(folders)) == 1, zip(*roots, strict=False))
    depth = len(list(alike)) if any(root for root, _ in found) else 0
    return tuple(Part(file, _partition(file, depth)) for file in sorted(files))


def name_together(paths: Sequence[str | os.PathLike[str]], parts: Sequence[Part]) -> str:
    """What messages call the table of some parts; the order in which they were named does not matter."""
    if len(parts) == 1:
        return display_name(parts[0].path)
    if len(paths) == 1:
        return f"{display_name(paths[0])} ({len(parts):,} files)"
    return f"{display_name(parts[0].path)} and {counted(len(parts) - 1, 'more file')}"


def may_be_many(path: str | os.PathLike[str]) -> bool:
    """Whether a path is a pattern or a folder, and not the name of a file."""
    return _is_pattern(os.fspath(path)) or _is_folder(os.fspath(path))


def _is_folder(name: str) -> bool:
    return urls.is_folder(name) if urls.is_url(name) else os.path.isdir(name)


def _is_pattern(name: str) -> bool:
    if urls.is_url(name):
        # Here, a question mark begins a query, and a bracket may stand around a host.
        return "*" in name
    return glob.has_magic(name) and not os.path.lexists(name)


def _expand(name: str) -> tuple[str, Sequence[str]]:
    """The files that one argument names, and the folder above whatever was not spelt out."""
    if _is_pattern(name):
        fixed = _fixed_folders(name)
        return fixed, _files_matching(name, fixed)
    if _is_folder(name):
        folder = name.rstrip("/") or "/"
        files = _tables_below(folder)
        if not files:
            endings = ", ".join(ending for known in TABLE_FORMATS for ending in known.endings)
            problem = f"is a directory without tables, which end in {endings}"
            raise DataError(f"{problem}; name its files by a pattern", source=display_name(name))
        return folder, files
    return name.rpartition("/")[0], [name]


def _fixed_folders(pattern: str) -> str:
    """The folders above a pattern, which may be called ``data [1]``, or a host [::1]."""
    fixed = ""
    for folder in pattern.split("/")[:-1]:
        longer = f"{fixed}{folder}/"
        if _is_pattern(longer):
            break
        fixed = longer
    return fixed.rstrip("/")


def _files_matching(pattern: str, fixed: str) -> list[str]:
    """The files that a pattern matches, which begins with folders that are no patterns."""
    start = len(fixed)
    if urls.is_url(pattern):
        matches = urls.matching_urls(pattern)
    else:
        matches = glob.glob(glob.escape(fixed) + pattern[start:], recursive=True)
    # Nobody asked for hidden ones, unless the pattern names some.
    matches = [match for match in matches if _is_hidden(pattern[start:]) or not _is_hidden(match[start:])]
    folders = [match for match in matches if _is_folder(match)]
    files = sorted(set(matches).difference(folders))
    if "**" not in pattern:
        # Two stars match the files in folders, too.
        files += [file for folder in folders for file in _tables_below(folder)]
    if not files:
        raise DataError("no file matches this pattern", source=display_name(pattern))
    return files


def _tables_below(folder: str) -> list[str]:
    """The files below a folder that have the ending of a table, without hidden ones."""
    files = urls.files_below(folder) if urls.is_url(folder) else _files_below(folder)
    start = len(folder.rstrip("/")) + 1
    return [file for file in sorted(files) if format_of_path(file) is not None and not _is_hidden(file[start:])]


def _files_below(folder: str) -> Iterator[str]:
    """All files in a folder and those below it, also behind links, each once."""
    seen: set[str] = set()

    def fail(error: OSError) -> None:
        reason = (error.strerror or str(error)).lower()
        raise DataError(f"cannot be read: {reason}", source=display_name(error.filename or folder)) from error

    for place, folders, names in os.walk(folder, onerror=fail, followlinks=True):
        real = os.path.realpath(place)
        if real in seen:
            folders.clear()
            continue
        seen.add(real)
        folders.sort()
        # A pipe or a socket would be waited for.
        yield from (path for name in names if os.path.isfile(path := os.path.join(place, name)))


def _is_hidden(path: str) -> bool:
    """Whether a part of a path is one of those that are passed over: hidden, or a mark like Spark's _SUCCESS."""
    return any(name.startswith(".") or (name.startswith("_") and "=" not in name) for name in path.split("/"))


def _refuse_the_same_twice(files: Sequence[str]) -> None:
    named: dict[object, str] = {}
    for file in files:
        real = urls.file_system(file) if urls.is_url(file) else os.path.realpath(file)
        if real in named:
            other = "named twice" if named[real] == file else f"the same file as {display_name(named[real])}"
            raise DataError(f"is {other}; name each file once", source=display_name(file))
        named[real] = file


def _refuse_other_formats(files: Sequence[str]) -> None:
    known = [(file, table_format) for file in files if (table_format := format_of_path(file)) is not None]
    for file, table_format in known:
        first, expected = known[0]
        if table_format is not expected:
            problem = f"is {table_format.title}, but {display_name(first)} is {expected.title}"
            raise DataError(f"{problem}; name files of one format", source=display_name(file))


def _partition(path: str, depth: int) -> tuple[tuple[str, str], ...]:
    """The columns that the folders of a path stand for, from some depth on."""
    cells: dict[str, str] = {}
    for folder in path.split("/")[depth:-1]:
        key, _, value = folder.partition("=")
        if not key or key == folder:
            continue
        # Names of folders need not be UTF-8.
        name, cell = (unquote(os.fsencode(text), errors="replace") for text in (key, value))
        if name in cells:
            raise DataError(f"two of its folders are called {quoted(name)}; rename one", source=display_name(path))
        cells[name] = "" if value == _MISSING_PARTITION else cell
    return tuple(cells.items())
