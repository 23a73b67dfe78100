"""What is ranked: tables that the caller names or holds, read and, with the mapping, prepared."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from probfs.classifiers.options import UnfittedClassifier
from probfs.columns.choice import DEFAULT_BINS, ColumnChoice, columns_as_text, columns_not_needed
from probfs.columns.mapping import ColumnMapping, load_mapping
from probfs.columns.prepare import PreparedTable, Role, prepare
from probfs.errors import UsageError
from probfs.runtime.parallel import count_cores
from probfs.runtime.progress import report
from probfs.tables.cells import Kind
from probfs.tables.files import find_parts, name_together
from probfs.tables.opening import STANDARD_INPUT
from probfs.tables.reading import ReadOptions, read_parts, read_table
from probfs.tables.table import Table, recalling_header, without_blank_rows
from probfs.text import option

if TYPE_CHECKING:
    from probfs.tables.frames import InMemory

Path: TypeAlias = "str | os.PathLike[str]"
Data: TypeAlias = "Path | Sequence[Path] | InMemory"
"""A table: a path, a pattern, a folder, several of these, or what a program holds in memory."""
_OF_FILES = ("input_format", "delimiter", "max_unpacked", "union", "sheet", "skip_rows", "no_header")
"""Options that have a meaning for files only."""
_LARGE = 2 << 20
"""Bytes of a file above which Naive Bayes may well use its compiled loops."""


@dataclass(frozen=True, eq=False)
class Inputs:
    """All tables of a ranking, the labelled one prepared."""

    prepared: PreparedTable
    unlabelled: tuple[Table, ...]


@dataclass(frozen=True, eq=False)
class InputRequest:
    """What is to be read, and how."""

    data: Data
    mapping: Path | Mapping[str, Any] | None = None
    """A mapping file, or a dictionary of what one would hold."""
    reading: ReadOptions = field(default_factory=ReadOptions)
    choice: ColumnChoice = field(default_factory=ColumnChoice)
    y: Any = None
    """The values to predict, one for each row; None where the target is a column of the table."""
    feature_names: Sequence[Any] | None = None
    """The names of the columns of an array."""
    unlabelled: Data | Iterable[Data] | None = None
    every_column: bool = False
    """Whether columns that are left out are read, too, to be shown."""
    keep_texts: bool = False
    """Whether cells of text formats stay as they are spelled, so that they can be written again."""
    load_ahead: Callable[[], None] | None = None
    """Loads what a classifier needs for a large table, while that table is being read."""


def choose_columns(model: UnfittedClassifier, said: Mapping[str, Any]) -> ColumnChoice:
    """How columns are treated, by options and by what the classifier needs."""
    options = model.in_effect()
    return ColumnChoice(
        **said,
        bins=options.get("bins") or DEFAULT_BINS,
        numbers_as_they_are=model.takes_numbers,
        missing=model.missing,
        # Other classifiers ignore the order, and should give the same numbers for plain texts.
        keep_category_order=options.get("categories") in ("codes", "frame"),
    )


def read_prepared(request: InputRequest) -> PreparedTable:
    """Read the labelled table and its mapping, and decide what every column is for."""
    mapping, choice = load_mapping(request.mapping), request.choice
    options = reading_for(request.reading, mapping, choice, every_column=request.every_column)
    if request.keep_texts:
        options = replace(options, as_text=every_name)
    table = as_table(request.data, options, names=request.feature_names)
    if request.y is not None:
        table = _with_labels(table, request.data, request.y, mapping, choice)
    report("preparing columns")
    with recalling_header(table):
        return prepare(without_blank_rows(table), mapping, choice, request.reading.decimal)


def reading_for(
    reading: ReadOptions, mapping: ColumnMapping, choice: ColumnChoice, *, every_column: bool = False
) -> ReadOptions:
    """How files are read: which columns stay texts, and which columns need not be read at all."""
    return replace(
        reading,
        na=choice.missing_texts(mapping),
        as_text=partial(columns_as_text, mapping=mapping, choice=choice),
        unneeded=None if every_column else partial(columns_not_needed, mapping=mapping, choice=choice),
    )


def every_name(names: Sequence[str]) -> Sequence[str]:
    """As ``ReadOptions.as_text``: all columns stay texts."""
    return names


def read_inputs(request: InputRequest) -> Inputs:
    """Read the labelled table, its mapping and the tables of unlabelled rows."""
    others = as_tuple(request.unlabelled)
    if request.load_ahead is not None and count_cores() > 2:
        with suppress(OSError, ValueError):
            # On two cores, reading leaves none to load them on.
            if sum(map(os.path.getsize, _paths_of(request.data) or ())) >= _LARGE:
                request.load_ahead()
    paths = [path for data in (request.data, *others) for path in _paths_of(data) or ()]
    if paths.count(STANDARD_INPUT) > 1:
        raise UsageError("standard input can be read only once; name files for the others")
    prepared = read_prepared(request)
    return Inputs(prepared, tuple(_read_unlabelled(other, request.reading, prepared) for other in others))


def _paths_of(data: Any, parameter: str = "data") -> Sequence[Path] | None:
    """The paths that a parameter names; None for a table in memory."""
    if not isinstance(data, (str, os.PathLike, list, tuple)):
        return None
    paths = data if isinstance(data, (list, tuple)) else (data,)
    for path in paths:
        if not isinstance(path, (str, os.PathLike)):
            from probfs.tables.frames import TAKEN

            problem = f"{parameter} must be {TAKEN}, not a list of {type(path).__name__}"
            raise UsageError(f"{problem}; only paths may be listed, so join others to one table first")
    return paths


def _with_labels(table: Table, data: Any, y: Any, mapping: ColumnMapping, choice: ColumnChoice) -> Table:
    """The table with the values to predict as its last column."""
    from probfs.tables.frames import add_labels, is_pandas

    if choice.target is not None:
        raise UsageError(f"y and {option('target')} both say what to predict; keep one of the two")
    indexes = [held.index for held in (data, y) if is_pandas(held) and hasattr(held, "index")]
    if len(indexes) == 2:
        of_rows, of_y = indexes
        if not of_rows.equals(of_y) and of_rows.isin(of_y).all() and of_y.isin(of_rows).all():
            ways = "give y.loc[data.index] to match rows by index, or y.to_numpy() to match them by position"
            raise UsageError(f"y has the index of data in another order; {ways}")
    return add_labels(table, y, mapping.target)


def as_table(data: Data, reading: ReadOptions, names: Sequence[Any] | None = None) -> Table:
    """The table that ``data`` names or holds."""
    paths = _paths_of(data)
    if paths is not None:
        if names is not None:
            raise UsageError(f"{option('feature_names')} goes with an array; the columns of a file have names")
        return read_table(paths, reading)
    from probfs.tables.frames import table_in_memory

    for name in _OF_FILES:
        if getattr(reading, name) not in (None, False):
            raise UsageError(f"{option(name)} says how to read a file, but data is a table in memory; leave it out")
    return table_in_memory(data, "data", names)


def _read_unlabelled(data: Any, reading: ReadOptions, prepared: PreparedTable) -> Table:
    """A table of further rows; the columns of an array are those of the labelled table, with its target or without."""
    from probfs.tables.frames import array_width, table_in_memory

    paths = _paths_of(data, "unlabeled")
    if paths is not None:
        parts = find_parts(paths)
        options = reading_unlabelled(reading, parts[0].path, prepared)
        return without_blank_rows(read_parts(parts, options, name_together(paths, parts)))
    width = array_width(data)
    if width is None:
        return table_in_memory(data, "unlabeled")
    names = list(prepared.table.columns)
    features = [name for name in names if name != prepared.target.name]
    if width not in (len(names), len(features)):
        problem = f"an array of {width:,} columns, but data has {len(features):,} beside the target"
        raise UsageError(f"{option('unlabeled')}: {problem}; give it the same ones")
    return table_in_memory(data, "unlabeled", features if width == len(features) else names)


def reading_unlabelled(reading: ReadOptions, path: str, prepared: PreparedTable) -> ReadOptions:
    """How files of unlabelled rows, of which ``path`` is the first, are read: only the columns that labelled rows
    need.
    """
    used = frozenset(plan.name for plan in prepared.plans if plan.role in (Role.FEATURE, Role.COUNT))
    texts = frozenset(name for name, column in prepared.table.columns.items() if column.kind is Kind.TEXT)
    return replace(reading.for_another(path), as_text=texts.intersection, unneeded=partial(_names_beside, used))


def _names_beside(used: frozenset[str], names: Sequence[str]) -> frozenset[str]:
    return frozenset(names) - used


def as_tuple(data: Any) -> tuple[Any, ...]:
    """Several tables, also when one was given, or none."""
    if data is None:
        return ()
    from probfs.tables.frames import is_table

    is_one = isinstance(data, (str, os.PathLike)) or is_table(data) or not isinstance(data, Iterable)
    return (data,) if is_one else tuple(data)
