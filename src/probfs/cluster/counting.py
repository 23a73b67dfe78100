"""Tables condensed to counts: what is known of a table's columns where its rows are elsewhere.

What is decided about columns depends on how many rows hold each value together with each text of the target and of the
count, and on where a value first stands. A condensed table has a row for each combination of these texts, and columns
that know just that. It is small; blocks of rows are condensed where they are, and joined; and ``prepare`` takes it as
it takes a whole table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np
import pyarrow as pa

from probfs.tables.arrays import Codes, Flags, Integers, Rows, double_array, index_array, numpy_array
from probfs.tables.column import NO_ROW, Column, dictionary_cells
from probfs.tables.joining import join_columns, join_notes
from probfs.tables.table import Table


@dataclass(frozen=True, eq=False, kw_only=True)
class CountedColumn(Column):
    """A column of a condensed table: each cell stands for some equal cells, whose rows one condensed row stands for.

    The columns that name condensed rows (the target, the count) have one cell for each of these, in order. Weights are
    those of condensed rows: how much all rows weigh that one stands for, or 0 if they do not take part.
    """

    cell_rows: Integers
    """The condensed row of each cell."""
    cell_counts: Integers
    """How many rows each cell stands for."""
    cell_places: Integers
    """The first of these rows."""
    row_counts: Integers
    """How many rows each condensed row stands for."""

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

    def missing_cells(self, weights: Integers | None) -> tuple[Integers, Integers | None]:
        missing = self.is_missing()
        return self.cell_rows[missing], self._weigh(weights)[missing]

    def count_rows(self, cells: Flags) -> int:
        return int(self.cell_counts[cells].sum())

    def coded_cells(self, weights: Integers | None) -> tuple[Codes, Rows, Integers | None]:
        return self.codes, self.cell_rows, self._weigh(weights)

    def first_rows(self) -> Integers:
        rows = np.full(len(self.entries) + 1, NO_ROW)
        np.minimum.at(rows, self.codes.astype(np.intp), self.cell_places)
        return rows


@dataclass(frozen=True, eq=False)
class CondensedTable(Table):
    """A table of counted columns."""

    columns: Mapping[str, CountedColumn]
    row_counts: Integers = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    parts: tuple[Table, ...] = ()
    """The tables that were condensed, without columns: they say where a row stands."""

    def place(self, row: int) -> tuple[str, int, int | None]:
        for part in self.parts:
            if row < part.rows:
                return part.place(row)
            row -= part.rows
        raise IndexError("the table has fewer rows")


def condense(table: Table, naming: Sequence[str]) -> CondensedTable:
    """The table with all rows in one that have the same texts in the ``naming`` columns."""
    rows, _ = _group(_combine([table.columns[name] for name in naming], table.rows))
    row_counts, places, counts = np.bincount(rows), np.arange(table.rows), np.ones(table.rows, dtype=np.int64)
    columns = {name: _count_cells(column, rows, counts, places, row_counts) for name, column in table.columns.items()}
    known = {**vars(table), "columns": columns, "row_counts": row_counts}
    return CondensedTable(**known, parts=(replace(table, columns={}),))


def bytes_of_columns(table: CondensedTable) -> dict[str, int]:
    return {name: column.cells.nbytes + 3 * column.cell_rows.nbytes for name, column in table.columns.items()}


def join_condensed(parts: Sequence[CondensedTable], naming: Sequence[str]) -> CondensedTable:
    """The condensed table of some parts, which have the same columns and follow each other."""
    # What has no rows decides nothing.
    parts = [part for part in parts if part.rows] or parts[:1]
    sources, sizes = [part.source for part in parts], [len(part.row_counts) for part in parts]
    columns = {
        name: join_columns([Column(**_fields_of(part.columns[name])) for part in parts], sources)
        for name in parts[0].columns
    }
    rows, _ = _group(_combine([columns[name] for name in naming], sum(sizes)))
    row_counts = np.bincount(rows, np.concatenate([part.row_counts for part in parts])).astype(np.int64)
    first_rows = np.cumsum([0, *sizes[:-1]])
    first_places = np.cumsum([0, *(part.rows for part in parts[:-1])])
    counted = {}
    for name, column in columns.items():
        own = [part.columns[name] for part in parts]
        cell_rows = np.concatenate([one.cell_rows + row for one, row in zip(own, first_rows, strict=True)])
        places = np.concatenate([one.cell_places + place for one, place in zip(own, first_places, strict=True)])
        counts = np.concatenate([one.cell_counts for one in own])
        counted[name] = _count_cells(column, rows[cell_rows], counts, places, row_counts)
    return replace(
        parts[0],
        columns=counted,
        rows=sum(part.rows for part in parts),
        lines=None,
        notes=join_notes(parts),
        row_counts=row_counts,
        parts=tuple(table for part in parts for table in part.parts),
    )


def _combine(columns: Sequence[Column], rows: int) -> Integers:
    """One number for each row, the same where the codes of all columns are."""
    numbers = np.zeros(rows, dtype=np.int64)
    for column in columns:
        numbers = numbers * (len(column.entries) + 1) + column.codes
    return numbers


def _group(keys: Integers) -> tuple[Integers, Integers]:
    """The group of each key, equal ones together, in the order in which they first appear; and where they do."""
    encoded = index_array(keys).dictionary_encode()
    groups: Integers = numpy_array(encoded.indices).astype(np.int64)
    firsts = np.empty(len(encoded.dictionary), dtype=np.int64)
    # Of the places that a group has, the last one written is the first.
    firsts[groups[::-1]] = np.arange(len(groups) - 1, -1, -1)
    return groups, firsts


def _count_cells(
    column: Column, rows: Integers, counts: Integers, places: Integers, row_counts: Integers
) -> CountedColumn:
    """A column with one cell for each value and condensed row that occur together, in the order of their first rows."""
    groups, firsts = _group(rows * (len(column.entries) + 1) + column.codes)
    codes = column.codes[firsts]
    if pa.types.is_floating(column.entries.type):
        cells = pa.chunked_array([double_array(np.append(numpy_array(column.entries), np.nan)[codes])])
    else:
        cells = dictionary_cells(codes, column.entries)
    return CountedColumn(
        **{**_fields_of(column), "cells": cells, "stored": None},
        cell_rows=rows[firsts],
        cell_counts=np.bincount(groups, counts).astype(np.int64),
        cell_places=places[firsts],
        row_counts=row_counts,
    )


def _fields_of(column: Column) -> dict[str, Any]:
    return {one.name: getattr(column, one.name) for one in fields(Column)}
