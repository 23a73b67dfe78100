"""The same column in several files -> one column: types that must agree, and chunks one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa

from probfs.tables.arrays import double_array, text_array
from probfs.tables.cells import Kind, is_text
from probfs.tables.column import Column, dictionary_cells, missing_column, unread_column
from probfs.text import option, quoted

_TYPES = {
    Kind.TEXT: "text",
    Kind.NUMBER: "numbers",
    Kind.DATE: "dates",
    Kind.NESTED: "nested values",
    Kind.OTHER: "bytes",
}
_FINEST = {
    Kind.NUMBER: (pa.int64(), pa.uint64(), pa.float64()),
    Kind.DATE: (pa.timestamp("us"), pa.timestamp("ns")),
    Kind.TEXT: (pa.string(),),
}
"""Types into which cells of several types are put together, if nothing is lost by that."""


def has_values(column: Column) -> bool:
    """Whether a column has more than missing cells; it may also declare values that no row holds."""
    return (column.cells.null_count < column.rows and len(column.entries) > 0) or column.declared is not None


def join_columns(columns: Sequence[Column], sources: Sequence[str], *, union: bool = False) -> Column:
    """The column that holds the rows of some columns, one after the other.

    Types that differ make a column that cannot be used, which is an error for whoever wants its cells. With ``union``,
    lists of declared values need not agree.
    """
    first = columns[0]
    if _are_alike(columns):
        return Column(first.name, _in_chunks([column.cells for column in columns]), first.kind, stored=first.stored)
    if any(column.unread for column in columns):
        return unread_column(first.name, sum(column.rows for column in columns))
    if any(_type(column) != _type(first) for column in columns[1:]):
        columns = [_without_idle_declaration(column) for column in columns]
    # A column of nothing but missing cells agrees with all others.
    telling = [one for one in zip(columns, sources, strict=True) if one[0].problem is None and has_values(one[0])]
    problem = _find_problem(columns, sources, telling, union)
    if problem is not None:
        missing = np.concatenate([column.is_missing() for column in columns]).astype(np.uint8)
        cells = dictionary_cells(missing, text_array([Kind.OTHER.value]))
        return Column(first.name, cells, Kind.OTHER, problem=problem)
    telling = telling or [(first, sources[0])]
    template = telling[0][0]
    cells = _join_cells(columns, template)
    types = {column.stored for column, _ in telling}
    stored = template.stored if len(types) == 1 else None if None in types else cells.type
    declared, order = _join_declarations(telling), _longest_order(telling)
    return replace(template, cells=cells, stored=stored, declared=declared, order=order)


def _type(column: Column) -> tuple[Kind, bool, bool, bool]:
    return column.kind, column.declared is not None, column.categorical, column.ordered


def _are_alike(columns: Sequence[Column]) -> bool:
    """Whether all are plain columns of one type, which is nearly always so, and found fast, as tables may be wide."""
    kind, stored, dtype = columns[0].kind, columns[0].stored, columns[0].cells.type
    for column in columns:
        if column.problem is not None or column.kind is not kind or column.categorical or column.declared is not None:
            return False
        if column.cells.type != dtype or column.stored != stored:
            return False
    return True


def _in_chunks(parts: Sequence[pa.ChunkedArray]) -> pa.ChunkedArray:
    return pa.chunked_array([chunk for cells in parts for chunk in cells.chunks], parts[0].type)


def _join_cells(columns: Sequence[Column], template: Column) -> pa.ChunkedArray:
    """The cells in the type that they share, else in one that loses nothing, else as texts."""
    types = {column.cells.type for column in columns if has_values(column)}
    finest = () if template.is_nominal else _FINEST[template.kind]
    for dtype in types if len(types) == 1 else finest:
        try:
            return _in_chunks([_converted(column, dtype) for column in columns])
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            continue
    return _in_chunks([dictionary_cells(column.codes, column.values) for column in columns])


def _converted(column: Column, dtype: pa.DataType) -> pa.ChunkedArray:
    """The cells in another type, or an error of Arrow's where that would change some."""
    cells = column.cells
    if cells.type == dtype:
        return cells
    if not has_values(column):
        return pa.chunked_array([pa.nulls(column.rows, dtype)])
    held = cells.type.value_type if pa.types.is_dictionary(cells.type) else cells.type
    has_unit = getattr(held, "tz", None) or pa.types.is_decimal(held) or pa.types.is_duration(held)
    if is_text(held) is not is_text(dtype) or has_unit:
        raise pa.ArrowInvalid("cells would change")
    if pa.types.is_float32(held) or pa.types.is_float16(held):
        # As doubles that are written in the same digits.
        cells = pa.chunked_array([double_array(column.by_row)])
    return cells.cast(dtype)


def _without_idle_declaration(column: Column) -> Column:
    """The column without the list of values that it declares, if no row holds any of them."""
    if column.declared is None or not column.is_missing().all():
        return column
    return missing_column(column.name, column.rows)


def _find_problem(
    columns: Sequence[Column], sources: Sequence[str], telling: Sequence[tuple[Column, str]], union: bool
) -> str | None:
    """Why the columns cannot be used as one, as a message has it after the column's name."""
    for column, source in zip(columns, sources, strict=True):
        if column.problem is not None:
            return f"in {source} {column.problem}"
    for column, source in telling[1:]:
        first, first_source = telling[0]
        if _type(column) != _type(first):
            types = f"holds {_described(first)} in {first_source}, but {_described(column)} in {source}"
            return f"{types}; write it alike in all files, or leave it out"
    return (None if union else _find_other_declaration(telling)) or _find_other_order(telling)


def _described(column: Column) -> str:
    """The type of a column in words."""
    if column.declared is not None:
        return "declared values"
    if column.categorical:
        what = "" if column.kind is Kind.TEXT else f" of {_TYPES[column.kind]}"
        return f"{'ordered ' if column.ordered else ''}categories{what}"
    return _TYPES[column.kind]


def _find_other_declaration(telling: Sequence[tuple[Column, str]]) -> str | None:
    """Declared values may be more in one file than in others, but not different ones: those may be misspelt."""
    declared = [(column.declared.to_pylist(), source) for column, source in telling if column.declared is not None]
    if not declared:
        return None
    longest, longest_source = max(declared, key=lambda one: len(one[0]))
    known = set(longest)
    for values, source in declared:
        other = next((value for value in values if value not in known), None)
        if other is not None:
            problem = f"declares {quoted(other)} in {source}, but not in {longest_source}"
            return f"{problem}; declare the same values in both, or take all with {option('union', True)}"
    return None


def _find_other_order(telling: Sequence[tuple[Column, str]]) -> str | None:
    orders = [(column.order.to_pylist(), source) for column, source in telling if column.order is not None]
    if not orders:
        return None
    longest, longest_source = max(orders, key=lambda one: len(one[0]))
    for order, source in orders:
        known = set(order)
        if [value for value in longest if value in known] != order:
            problem = f"has its categories in another order in {source} than in {longest_source}"
            return f"{problem}; give them one order, or leave it out"
    return None


def _longest_order(telling: Sequence[tuple[Column, str]]) -> pa.StringArray | None:
    return max((column.order for column, _ in telling if column.order is not None), key=len, default=None)


def _join_declarations(telling: Sequence[tuple[Column, str]]) -> pa.StringArray | None:
    """The longest list of declared values, followed by those that only others declare."""
    lists = [column.declared for column, _ in telling if column.declared is not None]
    return pa.concat_arrays(sorted(lists, key=len, reverse=True)).unique() if lists else None
