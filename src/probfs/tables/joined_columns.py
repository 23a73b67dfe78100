"""The same column in several files -> one column: types that must agree, values merged, codes translated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from probfs.tables.arrow_arrays import looked_up, numpy_array, text_array
from probfs.tables.table import Codes, Column, Kind, code_type, unread_column, unusable_column
from probfs.text import option, quoted

_NO_CODES = np.empty(0, dtype=np.uint8)
_TYPES = {
    Kind.TEXT: "text",
    Kind.NUMBER: "numbers",
    Kind.DATE: "dates",
    Kind.NESTED: "nested values",
    Kind.OTHER: "bytes",
}


@dataclass(frozen=True, eq=False)
class JoinedDictionary:
    """What several columns are together, before any of their rows is looked at."""

    column: Column
    """The joined column, without rows: its values are those of the first column, then new ones of the second …"""
    translations: tuple[Codes, ...]
    """For each column, the new code of each of its codes; the last is that of missing cells."""


def join_dictionaries(columns: Sequence[Column], sources: Sequence[str], *, union: bool = False) -> JoinedDictionary:
    """Join columns of one name by what they are and hold; their codes are not used, and may be empty.

    Types that differ make a column that cannot be used, which is an error for whoever wants its cells. With ``union``,
    lists of declared values need not agree.
    """
    problem = _find_problem(columns, sources, union)
    if problem is not None:
        return _join_unusable(columns, problem)
    # A column of nothing but missing cells agrees with all others.
    telling = [column for column in columns if len(column.values)] or list(columns)
    first, dictionaries = telling[0], [column.values for column in columns]
    values, translations = merge_dictionaries([*_leading_values(telling), *dictionaries])
    column = replace(_without_rows(first), values=values, order=_join_orders(telling))
    return JoinedDictionary(column, tuple(translations[len(translations) - len(columns) :]))


def join_columns(columns: Sequence[Column], sources: Sequence[str], *, union: bool = False) -> Column:
    """The column that holds the rows of some columns, one after the other."""
    if any(column.unread for column in columns):
        return unread_column(columns[0].name, sum(column.rows for column in columns))
    if len(set(map(_type, columns))) > 1:
        columns = [_without_idle_declaration(column) for column in columns]
    joined = join_dictionaries(columns, sources, union=union)
    codes = np.empty(sum(column.rows for column in columns), dtype=code_type(len(joined.column.values)))
    row = 0
    for column, translation in zip(columns, joined.translations, strict=True):
        codes[row : row + column.rows] = looked_up(translation, column.codes)
        row += column.rows
    return replace(joined.column, codes=codes)


def merge_dictionaries(dictionaries: Sequence[pa.StringArray]) -> tuple[pa.StringArray, list[Codes]]:
    """Distinct texts in the order of their first appearance, and for each dictionary the new codes of its own.

    >>> values, (_, second) = merge_dictionaries([text_array(["a", "b"]), text_array(["c", "a"])])
    >>> values.to_pylist(), second.tolist()
    (['a', 'b', 'c'], [2, 0, 3])
    """
    encoded = pa.concat_arrays([_plain(texts) for texts in dictionaries]).dictionary_encode()
    values = encoded.dictionary
    places = numpy_array(encoded.indices).astype(code_type(len(values)))
    missing = np.array([len(values)], dtype=places.dtype)
    ends = np.cumsum([len(texts) for texts in dictionaries])
    return values, [np.concatenate([own, missing]) for own in np.split(places, ends[:-1])]


def _plain(texts: pa.StringArray) -> pa.StringArray:
    return texts if texts.type == pa.string() else texts.cast(pa.string())


def _without_rows(column: Column) -> Column:
    """The column's type and values, also of one that makes its codes on demand."""
    return Column(
        column.name,
        _NO_CODES,
        column.values,
        column.kind,
        column.declared,
        column.problem,
        column.categorical,
        column.ordered,
        column.order,
    )


def _without_idle_declaration(column: Column) -> Column:
    """The column without the list of values that it declares, if no row holds any of them."""
    if not column.declared or not column.is_missing().all():
        return column
    return Column(column.name, np.zeros(column.rows, dtype=np.uint8), text_array([]))


def _find_problem(columns: Sequence[Column], sources: Sequence[str], union: bool) -> str | None:
    """Why the columns cannot be used as one, as a message has it after the column's name."""
    for column, source in zip(columns, sources, strict=True):
        if column.problem is not None:
            return column.problem if column.unread else f"in {source} {column.problem}"
    telling = [(column, source) for column, source in zip(columns, sources, strict=True) if len(column.values)]
    for column, source in telling[1:]:
        first, first_source = telling[0]
        if _type(column) != _type(first):
            types = f"holds {_described(first)} in {first_source}, but {_described(column)} in {source}"
            return f"{types}; write it alike in all files, or leave it out"
    return _find_other_declaration(telling, union) or _find_other_order(telling)


def _find_other_declaration(telling: Sequence[tuple[Column, str]], union: bool) -> str | None:
    """Declared values may be more in one file than in others, but not different ones: those may be misspelt."""
    if union or not telling or not telling[0][0].declared:
        return None
    longest, longest_source = max(telling, key=lambda one: len(one[0].values))
    known = set(longest.values.to_pylist())
    for column, source in telling:
        if column.values is longest.values:
            continue
        other = next((value for value in column.values.to_pylist() if value not in known), None)
        if other is not None:
            problem = f"declares {quoted(other)} in {source}, but not in {longest_source}"
            return f"{problem}; declare the same values in both, or take all with {option('union', True)}"
    return None


def _find_other_order(telling: Sequence[tuple[Column, str]]) -> str | None:
    if not telling or not telling[0][0].ordered:
        return None
    longest, longest_source = max(telling, key=lambda one: len(_order(one[0])))
    order = _order(longest)
    for column, source in telling:
        own = _order(column)
        if [value for value in order if value in set(own)] != own:
            problem = f"has its categories in another order in {source} than in {longest_source}"
            return f"{problem}; give them one order, or leave it out"
    return None


def _order(column: Column) -> list[str]:
    order: list[str] = (column.values if column.order is None else column.order).to_pylist()
    return order


def _join_orders(telling: Sequence[Column]) -> pa.StringArray | None:
    return text_array(max(map(_order, telling), key=len)) if telling[0].ordered else None


def _leading_values(telling: Sequence[Column]) -> list[pa.StringArray]:
    """The values that come first, in the order that a declaration or a type gives them."""
    if telling[0].ordered:
        held = {value for column in telling for value in column.values.to_pylist()}
        return [text_array([value for value in max(map(_order, telling), key=len) if value in held])]
    if telling[0].declared:
        return [max((column.values for column in telling), key=len)]
    return []


def _join_unusable(columns: Sequence[Column], problem: str) -> JoinedDictionary:
    """A column of which only those cells are known that are missing."""
    template = unusable_column(columns[0].name, _NO_CODES.astype(np.bool_), Kind.OTHER, "")
    translations = [np.append(np.zeros(len(column.values), np.uint8), np.uint8(1)) for column in columns]
    return JoinedDictionary(replace(template, problem=problem), tuple(translations))


def _type(column: Column) -> tuple[Kind, bool, bool, bool]:
    return column.kind, column.declared, column.categorical, column.ordered


def _described(column: Column) -> str:
    """The type of a column in words."""
    if column.declared:
        return "declared values"
    if column.categorical:
        what = "" if column.kind is Kind.TEXT else f" of {_TYPES[column.kind]}"
        return f"{'ordered ' if column.ordered else ''}categories{what}"
    return _TYPES[column.kind]
