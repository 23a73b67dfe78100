"""The files that make up one table: what patterns, folders and URLs stand for, in the order of their paths; and the
names of its columns without their cells, for a shell, which waits for them at every press of a key.

So neither numpy nor pyarrow is imported here, except for ARFF and Parquet files.
"""

from __future__ import annotations

import glob
import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO
from itertools import accumulate, takewhile
from typing import Any
from urllib.parse import unquote

from probfs.errors import DataError, ProbfsError, UsageError
from probfs.tables import urls
from probfs.tables.csv_head import open_csv
from probfs.tables.formats import TABLE_FORMATS, choose_format, format_of_path
from probfs.tables.opening import (
    STANDARD_INPUT,
    ReadOptions,
    TableInput,
    display_name,
    open_source,
    read_text,
    refuse_nul,
)
from probfs.text import counted, quoted

_MISSING_PARTITION = "__HIVE_DEFAULT_PARTITION__"
_LONGEST_HEADER = 1 << 22
"""Bytes of a file that are read at most for the names of its columns."""
_LONGEST_NAME = 1000
"""Characters of a name that is offered to a shell at most."""


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
    named: dict[object, str] = {}
    for file in files:
        real = urls.file_system(file) if urls.is_url(file) else os.path.realpath(file)
        if real in named:
            other = "named twice" if named[real] == file else f"the same file as {display_name(named[real])}"
            raise DataError(f"is {other}; name each file once", source=display_name(file))
        named[real] = file
    files.sort()
    known = [(file, table_format) for file in files if (table_format := format_of_path(file)) is not None]
    for file, table_format in known:
        first, expected = known[0]
        if table_format is not expected:
            problem = f"is {table_format.title}, but {display_name(first)} is {expected.title}"
            raise DataError(f"{problem}; name files of one format", source=display_name(file))
    # How many folders all paths begin with.
    roots = [root.rstrip("/").split("/") for root, _ in found]
    alike = takewhile(lambda folders: len(set(folders)) == 1, zip(*roots, strict=False))
    depth = len(list(alike)) if any(root for root, _ in found) else 0
    return tuple(Part(file, _partition(file, depth)) for file in files)


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
        # The folders above it may be called ``data [1]``, or a host [::1].
        above = list(accumulate(f"{folder}/" for folder in name.split("/")[:-1]))
        fixed = "".join(list(takewhile(lambda folder: not _is_pattern(folder), above))[-1:])
        start = len(fixed)
        if urls.is_url(name):
            matches = urls.matching_urls(name)
        else:
            matches = glob.glob(glob.escape(fixed) + name[start:], recursive=True)
        # Nobody asked for hidden ones, unless the pattern names some.
        matches = [match for match in matches if _is_hidden(name[start:]) or not _is_hidden(match[start:])]
        folders = [match for match in matches if _is_folder(match)]
        files = sorted(set(matches).difference(folders))
        if "**" not in name:
            # Two stars match the files in folders, too.
            files += [file for folder in folders for file in _tables_below(folder)]
        if not files:
            raise DataError("no file matches this pattern", source=display_name(name))
        return fixed, files
    if _is_folder(name):
        folder = name.rstrip("/") or "/"
        files = _tables_below(folder)
        if not files:
            endings = ", ".join(ending for known in TABLE_FORMATS.values() for ending in known.endings)
            problem = f"is a directory without tables, which end in {endings}"
            raise DataError(f"{problem}; name its files by a pattern", source=display_name(name))
        return folder, files
    return name.rpartition("/")[0], [name]


def _tables_below(folder: str) -> list[str]:
    """The files below a folder that have the ending of a table, without hidden ones."""
    files = urls.files_below(folder) if urls.is_url(folder) else _files_below(folder)
    start = len(folder.rstrip("/")) + 1
    return [file for file in sorted(files) if format_of_path(file) is not None and not _is_hidden(file[start:])]


def _files_below(folder: str) -> Iterator[str]:
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


def read_column_names(path: str, **reading: Any) -> list[str]:
    """The names of a table's columns in order, for a shell, read as the fields of ``ReadOptions`` say; none if that
    fails. Of several files the first one is read, and never one from another computer.
    """
    try:
        part = find_parts([path])[0] if not urls.is_url(path) else None
        # To open a pipe would wait for somebody to write to it.
        if part is None or not stat.S_ISREG(os.stat(part.path).st_mode):
            return []
        names = [*(name for name, _ in part.partition), *_names_in_file(part.path, ReadOptions(**reading))]
        return [name for name in dict.fromkeys(names) if len(name) <= _LONGEST_NAME]
    except (ProbfsError, OSError, ValueError):
        return []


def _names_in_file(path: str, options: ReadOptions) -> Sequence[str]:
    with open_source(path, most=_LONGEST_HEADER) as (raw, head):
        table_format = choose_format(path, head, options)
        first: Any = BytesIO(raw.read(_LONGEST_HEADER))
    if table_format.name == "parquet":
        import pyarrow.parquet as pq

        # Under such a name pandas stores an index that has none.
        return [name for name in pq.read_schema(path).names if name.strip() and not name.startswith("__index_level_")]
    if not table_format.delimiter and table_format.name != "arff":
        return []
    return read_text(_names_in_text, table_format.input_from(first, path, options))[0]


def _names_in_text(table_input: TableInput) -> Sequence[str]:
    if table_input.delimiter:
        with open_csv(table_input) as head:
            return head.columns.names[head.columns.indexes :]
    from probfs.tables.arff import open_text, read_header

    with table_input.as_utf8() as raw:
        return [attribute.name for attribute in read_header(open_text(raw), table_input.source)[0]]
