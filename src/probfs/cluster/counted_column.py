"""Tables condensed to counts: one row for each text of the target, and columns that know how many rows hold each value.

What is decided about a table's columns depends on how many rows hold each value together with each text of the target,
on the rows' counts, and on where a value first stands. A condensed table knows just that. It is small, parts of a table
can be condensed where they are and joined, and everything that prepares a table takes it as it
takes the table itself. Where rows are counted, there is a condensed row for each text of the target and of the count.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property

import numpy as np
import pyarrow as pa

from probfs.columns.choice import TableNames
from probfs.tables.arrays import Codes, Flags, Integers, Rows, code_type, looked_up, mask_array
from probfs.tables.cells import Kind, encode_cells, null_where
from probfs.tables.column import NO_ROW, Column
from probfs.tables.joining import join_columns, join_notes, refuse_other_columns
from probfs.tables.table import Table
from probfs.text import counted

_DENSE = 1 << 16
"""Pairs of rows and values up to which a table of all pairs is counted, or as many as there are cells."""
_NO_CELLS = pa.chunked_array([pa.nulls(0)])


@dataclass(frozen=True, eq=False, kw_only=True)
class CountedColumn(Column):
    """A column of a condensed table: the value ``cell_codes[i]`` is held, in the condensed row ``cell_rows[i]``, by
    ``cell_counts[i]`` rows. The target, and the column of counts, have one such cell for each condensed row, in order.

    Weights are those of condensed rows: how much all rows weigh that one stands for, or 0 if they do not take part.
    """

    cell_codes: Codes
    distinct_cells: pa.Array
    """Doubles or texts, in the order of their codes."""
    cell_rows: Integers
    cell_counts: Integers
    row_counts: Integers
    """How many rows each condensed row stands for."""
    value_rows: Integers
    """The first row that holds each value, as ``first_rows`` has it."""

    @cached_property
    def _encoded(self) -> tuple[Codes, pa.Array]:
        return self.cell_codes, self.distinct_cells

    @property
    def is_numeric(self) -> bool:
        return False

    @property
    def rows(self) -> int:
        return int(self.row_counts.sum())

    def counts(self, weights: Integers | None = None) -> Integers:
        # Adds in double precision, exact up to 2**53 rows.
        return np.bincount(self.codes, self._weigh(weights), minlength=len(self.entries) + 1).astype(np.int64)

    def _weigh(self, weights: Integers | None) -> Integers:
        """The weight of each cell."""
        return self.cell_counts if weights is None else self.cell_counts * (weights // self.row_counts)[self.cell_rows]

    def is_missing(self) -> Flags:
        raise TypeError("a condensed column has no rows to look at; ask for missing_cells")

    def missing_cells(self, weights: Integers | None) -> tuple[Integers, Integers | None]:
        missing = self.codes == len(self.entries)
        return self.cell_rows[missing], self._weigh(weights)[missing]

    def coded_cells(self, rows: Rows, weights: Integers | None) -> tuple[Codes, Rows, Integers | None]:
        places = np.full(len(self.row_counts), -1)
        chosen = np.arange(len(places))[rows]
        places[chosen] = np.arange(len(chosen))
        by_row = np.zeros(len(places), dtype=np.int64)
        by_row[chosen] = self.row_counts[chosen] if weights is None else weights
        cell_places = places[self.cell_rows]
        own = cell_places >= 0
        return self.codes[own], cell_places[own], self._weigh(by_row)[own]

    def first_rows(self) -> Integers:
        return self.value_rows

    def recoded(self, new_codes: Codes, values: pa.Array, kind: Kind | None = None) -> Column:
        value_rows = np.full(len(values) + 1, NO_ROW)
        np.minimum.at(value_rows, new_codes.astype(np.intp), self.value_rows)
        return replace(
            self,
            kind=kind or self.kind,
            declared=None if self.declared is None else values,
            cell_codes=looked_up(new_codes, self.codes),
            distinct_cells=values,
            value_rows=value_rows,
        )

    def without_values(self, gone: Flags) -> Column:
        left = int(np.count_nonzero(~gone))
        new_codes = np.append(np.where(gone, left, np.cumsum(~gone) - 1), left)
        return self.recoded(new_codes.astype(code_type(left)), self.entries.filter(mask_array(~gone)))

    def distinct_rows(self) -> Column:
        """A column that is like this one, with a row for each value; the row of one that no row holds is missing."""
        own = {field.name: getattr(self, field.name) for field in fields(Column)}
        cells = pa.chunked_array([self.entries])
        return Column(**{**own, "cells": null_where(cells, self.value_rows[:-1] == NO_ROW)})

    def read_as(self, kind: Kind) -> Column:
        codes, entries = encode_cells(pa.chunked_array([self.values]), kind)
        return self.recoded(np.append(codes, len(entries)).astype(code_type(len(entries))), entries, kind)


@dataclass(frozen=True, eq=False)
class CondensedTable(Table):
    """A table of counted columns, whose ``row_counts`` say how many rows each condensed row stands for."""

    condensed_by: tuple[str, ...] = ()
    """The columns of whose texts each condensed row has one."""
    parts: tuple[Table, ...] = ()
    """The tables that were condensed, without columns: they say where a row stands."""

    def place(self, row: int) -> tuple[str, int, int | None]:
        for part in self.parts:
            if row < part.rows:
                return part.place(row)
            row -= part.rows
        raise IndexError("the table has fewer rows")

    @property
    def condensed_rows(self) -> Integers:
        """How many rows each condensed row stands for."""
        assert self.row_counts is not None, "the table is not condensed"
        return self.row_counts


def condense(table: Table, target: str | None, count: str | None) -> CondensedTable:
    """The table with all rows that share their texts of the target and of the count in one row."""
    for name, parameter in ((target, "target"), (count, "count")):
        if name is not None:
            TableNames.of(table).refuse_unknown(name, parameter)
    naming = [table.columns[name] for name in (target, count) if name is not None]
    texts = _combined([column.codes for column in naming], [len(column.entries) for column in naming], table.rows)
    _, row_of_each, row_counts = np.unique(texts, return_inverse=True, return_counts=True)
    columns = {name: _condense_column(column, row_of_each, row_counts) for name, column in table.columns.items()}
    own = {field.name: getattr(table, field.name) for field in fields(Table)}
    return CondensedTable(
        **{**own, "columns": columns, "row_counts": row_counts},
        condensed_by=tuple(column.name for column in naming),
        parts=(replace(table, columns={}),),
    )


def _combined(codes: Sequence[Codes], distinct: Sequence[int], rows: int) -> Integers:
    """One number for each row, the same where the codes of all columns are."""
    numbers = np.zeros(rows, dtype=np.int64)
    for own_codes, own_distinct in zip(codes, distinct, strict=True):
        numbers = numbers * (own_distinct + 1) + own_codes
    return numbers


def _condense_column(column: Column, row_of_each: Integers, row_counts: Integers) -> CountedColumn:
    cells = count_cells(column.codes, row_of_each, None, len(column.entries) + 1, len(row_counts))
    return _counted_column(column, *cells, row_counts, column.first_rows())


def _counted_column(
    like: Column, codes: Codes, rows: Integers, counts: Integers, row_counts: Integers, value_rows: Integers
) -> CountedColumn:
    """A column with the values of another, whose cells are counted."""
    own = {field.name: getattr(like, field.name) for field in fields(Column)}
    return CountedColumn(
        **{**own, "cells": _NO_CELLS},
        cell_codes=codes,
        distinct_cells=like.entries,
        cell_rows=rows,
        cell_counts=counts,
        row_counts=row_counts,
        value_rows=value_rows,
    )


def count_cells(
    codes: Codes, rows: Integers, counts: Integers | None, values: int, condensed_rows: int
) -> tuple[Codes, Integers, Integers]:
    """Codes below ``values`` and rows that occur together, by row and then by code, and how many times they do;
    ``counts`` says for how many each stands, None where for one.
    """
    keys = rows * values + codes
    if condensed_rows * values <= max(_DENSE, len(keys)):
        by_key = np.bincount(keys, counts, minlength=condensed_rows * values).astype(np.int64)
        found = np.flatnonzero(by_key)
        by_key = by_key[found]
    else:
        found, inverse = np.unique(keys, return_inverse=True)
        by_key = np.bincount(inverse, counts).astype(np.int64)
    return (found % values).astype(codes.dtype), found // values, by_key


def join_condensed(parts: Sequence[CondensedTable], *, union: bool = False) -> CondensedTable:
    """The condensed table of all rows of some parts, which follow each other, from the condensed tables of these.

    With ``union``, lists of declared values need not agree.
    """
    # What has no rows decides nothing.
    telling = [part for part in parts if part.rows] or parts[:1]
    first = telling[0]
    for part in parts:
        refuse_other_columns(first.columns, first.source, part.columns, part.source)
    parts = telling
    sources = [part.source for part in parts]
    merged = {name: _merge_values([part.columns[name] for part in parts], sources, union) for name in first.columns}
    sizes = [len(part.condensed_rows) for part in parts]
    naming = [merged[name] for name in first.condensed_by]
    texts = _combined([own.codes for own in naming], [len(own.values.entries) for own in naming], sum(sizes))
    _, rows = np.unique(texts, return_inverse=True)
    row_counts = np.bincount(rows, np.concatenate([part.condensed_rows for part in parts])).astype(np.int64)
    joined = _JoinedRows(np.split(rows, np.cumsum(sizes)[:-1]), row_counts, [part.rows for part in parts])
    others = len(set(sources)) - 1
    return replace(
        first,
        source=sources[0] + (f" and {counted(others, 'more file')}" if others else ""),
        columns={name: column.joined(joined) for name, column in merged.items()},
        rows=sum(part.rows for part in parts),
        lines=None,
        notes=join_notes(parts),
        row_counts=row_counts,
        parts=tuple(own for part in parts for own in part.parts),
    )


@dataclass(frozen=True, eq=False)
class _JoinedRows:
    """The rows of a joined table: which of them each part's rows are, and how many rows they stand for."""

    of_parts: Sequence[Integers]
    row_counts: Integers
    part_rows: Sequence[int]


@dataclass(frozen=True, eq=False)
class _MergedColumn:
    """A column of several parts, with one list of values for all."""

    parts: Sequence[CountedColumn]
    values: Column
    """What the column is and holds, with a row for each value of each part."""
    new_codes: Sequence[Codes]
    """For each part, the new code of each value, and that of missing cells."""

    @property
    def codes(self) -> Codes:
        """The new codes of all parts' cells, one part after the other."""
        pairs = zip(self.new_codes, self.parts, strict=True)
        return np.concatenate([looked_up(new_codes, part.codes) for new_codes, part in pairs])

    def joined(self, rows: _JoinedRows) -> CountedColumn:
        """The column of the joined table."""
        part_rows = np.concatenate([own[part.cell_rows] for own, part in zip(rows.of_parts, self.parts, strict=True)])
        counts = np.concatenate([part.cell_counts for part in self.parts])
        size = len(self.values.entries) + 1
        codes, cell_rows, cell_counts = count_cells(self.codes, part_rows, counts, size, len(rows.row_counts))
        value_rows = np.full(size, NO_ROW)
        start = 0
        for new_codes, part, part_size in zip(self.new_codes, self.parts, rows.part_rows, strict=True):
            own = np.where(part.value_rows == NO_ROW, NO_ROW, part.value_rows + start)
            np.minimum.at(value_rows, new_codes.astype(np.intp), own)
            start += part_size
        return _counted_column(self.values, codes, cell_rows, cell_counts, rows.row_counts, value_rows)


def _merge_values(columns: Sequence[Column], sources: Sequence[str], union: bool) -> _MergedColumn:
    parts = [column for column in columns if isinstance(column, CountedColumn)]
    assert len(parts) == len(columns), "the table is not condensed"
    values = join_columns([part.distinct_rows() for part in parts], sources, union=union)
    by_part = np.split(values.codes, np.cumsum([len(part.entries) for part in parts])[:-1])
    missing = np.array([len(values.entries)], dtype=values.codes.dtype)
    return _MergedColumn(parts, values, [np.concatenate([own, missing]) for own in by_part])
