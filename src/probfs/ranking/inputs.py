"""What is ranked: tables that the caller names or holds, read and, with the mapping, prepared."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from probfs.columns.choice import ColumnChoice, columns_as_text, columns_not_needed
from probfs.columns.mapping import ColumnMapping, load_mapping
from probfs.columns.prepare import PreparedTable, Role, prepare
from probfs.errors import UsageError
from probfs.runtime.parallel import count_cores
from probfs.runtime.progress import report
from probfs.tables.cells import Kind
from probfs.tables.files import find_parts, name_together
from probfs.tables.opening import STANDARD_INPUT
from probfs.tables.reading import ReadOptions, read_parts, read_table
from probfs.tables.table import Table
from probfs.text import option

if TYPE_CHECKING:
    from probfs.tables.frames import InMemory

Path: TypeAlias = "str | os.PathLike[str]"
MappingSource: TypeAlias = "Path | Mapping[str, Any] | None"
"""A mapping file, or a dictionary of what one would hold."""
Data: TypeAlias = "Path | Sequence[Path] | InMemory"
"""A table: a path, a pattern, a folder, several of these, or what a program holds in memory."""


_LARGE = 2 << 20
"""Bytes of a file above which Naive Bayes may well use its compiled loops."""


@dataclass(frozen=True, eq=False)
class Inputs:
    """All tables of a ranking, the labelled one prepared."""

    prepared: PreparedTable
    mapping: ColumnMapping
    unlabelled: tuple[Table, ...]


@dataclass(frozen=True)
class Labels:
    """What a caller passes beside a table that lacks them."""

    y: Any = None
    """The values to predict, one for each row; None where the target is a column of the table."""
    feature_names: Sequence[Any] | None = None
    """The names of the columns of an array."""


@dataclass(frozen=True, eq=False)
class InputRequest:
    """What is to be read, and how."""

    data: Data
    unlabelled: Data | Iterable[Data] | None
    mapping: MappingSource
    reading: ReadOptions
    choice: ColumnChoice
    labels: Labels = Labels()  # frozen
    every_column: bool = False
    """Whether cells of columns that are left out are read, too, to be shown."""


def read_prepared(
    data: Data,
    mapping: MappingSource,
    reading: ReadOptions,
    choice: ColumnChoice,
    labels: Labels | None = None,
    *,
    every_column: bool = False,
    keep_texts: bool = False,
) -> tuple[PreparedTable, ColumnMapping]:
    """Read a table and its mapping, and decide what every column is for.

    Cells of columns that are left out are read only where ``every_column`` is to be shown; with ``keep_texts``, text
    formats keep cells as they are spelled, to be written again.
    """
    column_mapping = load_mapping(mapping)
    labels = labels or Labels()
    options = reading_for(reading, column_mapping, choice, every_column=every_column)
    if keep_texts:
        options = replace(options, as_text=every_name)
    table = as_table(data, options, names=labels.feature_names)
    if labels.y is not None:
        table = _with_labels(table, data, labels.y, column_mapping, choice)
    report("preparing columns")
    return prepare(table, column_mapping, choice, reading.decimal), column_mapping


def reading_for(
    reading: ReadOptions, mapping: ColumnMapping, choice: ColumnChoice, *, every_column: bool = False
) -> ReadOptions:
    """How files are read whose columns are meant so: which cells nobody needs, and which are no numbers."""
    return replace(
        reading,
        na=choice.missing_texts(mapping),
        # With decimal commas, a point may stand between thousands.
        as_text=every_name if reading.decimal == "," else partial(columns_as_text, mapping=mapping, choice=choice),
        unneeded=None if every_column else partial(columns_not_needed, mapping=mapping, choice=choice),
    )


def every_name(names: Sequence[str]) -> Sequence[str]:
    """For ``ReadOptions.as_text``: no column of a text format is read as numbers."""
    return names


def read_inputs(request: InputRequest) -> Inputs:
    """Read the labelled table, its mapping and the tables of unlabelled rows."""
    others = as_tuple(request.unlabelled)
    # On two cores, reading leaves none to load them on.
    if count_cores() > 2 and not request.choice.numbers_as_they_are and _size(request.data) >= _LARGE:
        from probfs.classifiers.compiling import load_loops_ahead

        load_loops_ahead()
    paths = [path for data in (request.data, *others) for path in _listed(data) if isinstance(path, str)]
    if paths.count(STANDARD_INPUT) > 1:
        raise UsageError("standard input can be read only once; name files for the others")
    prepared, mapping_file = read_prepared(
        request.data,
        request.mapping,
        request.reading,
        request.choice,
        request.labels,
        every_column=request.every_column,
    )
    tables = [_as_unlabelled(other, request.reading, prepared) for other in others]
    return Inputs(prepared, mapping_file, tuple(tables))


def _listed(data: Any) -> Sequence[Any]:
    return data if isinstance(data, (list, tuple)) else (data,)


def _size(data: Data) -> int:
    """How many bytes some files have; 0 if that cannot be told."""
    try:
        return sum(os.path.getsize(path) for path in _listed(data) if isinstance(path, (str, os.PathLike)))
    except (OSError, ValueError):
        return 0


def _with_labels(table: Table, data: Data, y: Any, mapping: ColumnMapping, choice: ColumnChoice) -> Table:
    """The table with the values to predict as its last column."""
    from probfs.tables.frames import add_labels

    if choice.target is not None:
        raise UsageError(f"y and {option('target')} both say what to predict; keep one of the two")
    if _have_indexes_in_another_order(data, y):
        ways = "give y.loc[data.index] to match rows by index, or y.to_numpy() to match them by position"
        raise UsageError(f"y has the index of data in another order; {ways}")
    return add_labels(table, y, mapping.target)


def _have_indexes_in_another_order(data: Any, y: Any) -> bool:
    """Whether two objects of pandas have indexes by which their rows would be matched in another way."""
    from probfs.tables.frames import is_pandas

    if not (is_pandas(data) and is_pandas(y) and hasattr(data, "index") and hasattr(y, "index")):
        return False
    return not data.index.equals(y.index) and bool(data.index.isin(y.index).all() and y.index.isin(data.index).all())


def as_table(data: Data, reading: ReadOptions, parameter: str = "data", names: Sequence[Any] | None = None) -> Table:
    """The table that a parameter names or holds."""
    if isinstance(data, (str, os.PathLike, list, tuple)):
        paths = _listed(data)
        _check_paths(paths, parameter)
        if names is not None:
            raise UsageError(f"{option('feature_names')} goes with an array; the columns of a file have names")
        return read_table(paths, reading)
    from probfs.tables.frames import table_in_memory

    _refuse_reading(reading, parameter)
    return table_in_memory(data, parameter, names)


def _refuse_reading(reading: ReadOptions, parameter: str) -> None:
    """Refuse options that say how to read a file, where there is none."""
    given = {
        "input_format": reading.input_format is not None,
        "delimiter": reading.delimiter is not None,
        "max_unpacked": reading.max_unpacked is not None,
        "union": reading.union,
        "sheet": reading.sheet is not None,
        "skip_rows": reading.skip_rows is not None,
        "no_header": reading.no_header,
    }
    for name, is_given in given.items():
        if is_given and parameter == "data":
            raise UsageError(f"{option(name)} says how to read a file, but data is a table in memory; leave it out")


def _check_paths(paths: Sequence[Any], parameter: str) -> None:
    """Refuse a list of anything but paths."""
    for path in paths:
        if not isinstance(path, (str, os.PathLike)):
            from probfs.tables.frames import TAKEN

            problem = f"{parameter} must be {TAKEN}, not a list of {type(path).__name__}"
            raise UsageError(f"{problem}; only paths may be listed, so join others to one table first")


def _as_unlabelled(data: Data, reading: ReadOptions, prepared: PreparedTable) -> Table:
    """A table of further rows; the columns of an array are those of the labelled table, with its target or without."""
    from probfs.tables.frames import array_width

    if isinstance(data, (str, os.PathLike, list, tuple)):
        return _read_unlabelled(_listed(data), reading, prepared)
    width = array_width(data)
    if width is None:
        return as_table(data, reading, "unlabeled")
    names = list(prepared.table.columns)
    features = [name for name in names if name != prepared.target.name]
    if width not in (len(names), len(features)):
        problem = f"an array of {width:,} columns, but data has {len(features):,} beside the target"
        raise UsageError(f"{option('unlabeled')}: {problem}; give it the same ones")
    return as_table(data, reading, "unlabeled", features if width == len(features) else names)


def _read_unlabelled(paths: Sequence[Path], reading: ReadOptions, prepared: PreparedTable) -> Table:
    """A table of files whose format is their own, of which only the columns are read that the labelled rows need."""
    _check_paths(paths, "unlabeled")
    parts = find_parts(paths)
    options = reading_unlabelled(reading, parts[0].path, prepared)
    return read_parts(parts, options, name_together(paths, parts))


def reading_unlabelled(reading: ReadOptions, path: str, prepared: PreparedTable) -> ReadOptions:
    """How files of unlabelled rows are read, of which ``path`` is the first."""
    used = frozenset(plan.name for plan in prepared.plans if plan.role in (Role.FEATURE, Role.COUNT))
    texts = frozenset(name for name, column in prepared.table.columns.items() if column.kind is Kind.TEXT)
    as_text = every_name if reading.decimal == "," else texts.intersection
    return replace(reading.for_another(path), as_text=as_text, unneeded=partial(_names_beside, used))


def _names_beside(used: frozenset[str], names: Sequence[str]) -> frozenset[str]:
    return frozenset(names) - used


def as_tuple(data: Data | Iterable[Data] | None) -> tuple[Data, ...]:
    """Several tables, also when one was given, or none."""
    if data is None:
        return ()
    if isinstance(data, (str, os.PathLike)):
        return (data,)
    from probfs.tables.frames import is_table

    if is_table(data) or not isinstance(data, Iterable):
        return (cast("Data", data),)
    return tuple(data)
