"""X, classes and row counts, as scikit-learn hands them over -> the table that ``rank`` and ``select`` read."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from probfs.errors import DataError
from probfs.notes import NoteKind
from probfs.tables.arrays import Flags, Integers, code_type, index_array, mask_array, text_array
from probfs.tables.cells import Kind
from probfs.tables.column import Column, text_column
from probfs.tables.csv_head import name_columns
from probfs.tables.frames import table_in_memory
from probfs.tables.table import Table
from probfs.text import quoted

TARGET = "y"
"""The name of a target that has none of its own."""
COUNT = "sample_weight"


@dataclass(frozen=True, eq=False)
class FeatureTable:
    """The columns of X as a table, and what the table calls each of them."""

    table: Table
    names: tuple[str | None, ...]
    """By position in X; None for a column that is not in the table."""


@dataclass(frozen=True, eq=False)
class TrainingTable:
    """The rows to learn from: features, classes and, where rows count for several, their counts."""

    table: Table
    names: tuple[str | None, ...]
    """What the table calls each column of X, by position; None for a column that is not in the table."""
    target: str
    count: str | None
    class_rows: tuple[int, ...]
    """How many rows each class has."""
    has_unlabelled_rows: bool


@dataclass(frozen=True, eq=False)
class Classes:
    """The class of each row."""

    name: str
    """What the target is called."""
    texts: Sequence[str]
    codes: Integers
    """Positions in ``texts``; their number for a row without a class."""


def training_table(data: Any, names: Sequence[str], classes: Classes, counts: Integers | None) -> TrainingTable:
    """The table of all rows that count for something; ``data`` is X, and ``names`` are those of its columns."""
    codes = classes.codes
    if counts is not None and not counts.all():
        present = counts > 0
        data, codes, counts = _some_rows(data, present), codes[present], counts[present]
    features = feature_table(data, names, "X")
    taken = {*names, *features.table.columns}
    target = _free_name(classes.name, taken)
    added = [_column_of_classes(target, classes.texts, codes)]
    by = None
    if counts is not None:
        by = _free_name(COUNT, {*taken, target})
        added.append(_column_of_counts(by, counts))
    *class_rows, unlabelled = added[0].counts(counts).tolist()
    columns = {**features.table.columns, **{column.name: column for column in added}}
    table = replace(features.table, columns=columns)
    return TrainingTable(table, features.names, target, by, tuple(class_rows), unlabelled > 0)


def feature_table(data: Any, names: Sequence[str], source: str) -> FeatureTable:
    """A data frame or a matrix as a table. Row indexes are not in it, nor are columns of lists or the like, of which a
    note says so.
    """
    table = replace(_read(data, names, source), source=source)
    usable = {name: column for name, column in table.columns.items() if column.problem is None}
    if not usable:
        raise DataError("no column holds texts or numbers; turn some into these", source=source)
    notes = [
        NoteKind.UNUSABLE.note(f"left out: {quoted(name)} {own.problem}", [name])
        for name, own in table.columns.items()
        if own.problem is not None
    ]
    header = name_columns(names, source)
    own_names = [None if place < header.indexes else name for place, name in enumerate(header.names)]
    known = tuple(name if name in usable else None for name in own_names)
    return FeatureTable(replace(table, columns=usable, notes=(*table.notes, *notes)), known)


def as_pandas(data: Any) -> Any:
    """Any data frame as one of pandas."""
    return data if _is_pandas(data) else pa.table(data).to_pandas()


def collected(data: Any) -> Any:
    """A lazy frame of polars as a frame; all else as it is."""
    return data.collect() if hasattr(data, "collect_schema") and hasattr(data, "collect") else data


def is_frame(data: Any) -> bool:
    """Whether columns have types of their own: in a frame of pandas, or of what offers an Arrow stream, as polars."""
    return _is_pandas(data) or (hasattr(data, "__arrow_c_stream__") and len(getattr(data, "shape", ())) == 2)


def _is_pandas(data: Any) -> bool:
    return hasattr(data, "iloc") and hasattr(data, "columns")


def _read(data: Any, names: Sequence[str], source: str) -> Table:
    if not is_frame(data):
        return table_in_memory(data, source, list(names))
    if not _is_pandas(data):
        return table_in_memory(pa.table(data).rename_columns(list(names)), source)
    return table_in_memory(data if list(data.columns) == list(names) else data.set_axis(list(names), axis=1), source)


def _some_rows(data: Any, present: Flags) -> Any:
    if not is_frame(data):
        return data[present]
    return data.iloc[np.flatnonzero(present)] if _is_pandas(data) else pa.table(data).filter(mask_array(present))


def _column_of_classes(name: str, texts: Sequence[str], codes: Integers) -> Column:
    # The caller says that these are classes, so no column of numbers is taken for a quantity, and no text for missing.
    return text_column(name, codes.astype(code_type(len(texts))), text_array(texts), declared=text_array(texts))


def _column_of_counts(name: str, counts: Integers) -> Column:
    return Column(name, pa.chunked_array([index_array(counts)]), Kind.NUMBER)


def _free_name(name: str, taken: Collection[str]) -> str:
    if name not in taken:
        return name
    return next(other for number in count(2) if (other := f"{name} ({number})") not in taken)


def class_texts(classes: npt.NDArray[Any]) -> list[str]:
    """The names of classes in messages and results."""
    return [str(own) for own in classes.tolist()]
