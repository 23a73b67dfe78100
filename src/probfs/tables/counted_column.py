"""Tables condensed to counts: one row for each text of the target, and columns that know how many rows hold each value.

What is decided about a table's columns depends on how many rows hold each value together with each text of the target,
on the rows' counts, and on where a value first stands. A condensed table knows just that. It is small, parts of a table
can be condensed where they are and joined, and everything that prepares a table takes it as it
takes the table itself. Where rows are counted, there is a condensed row for each text of the target and of the count.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from probfs.tables.arrow_arrays import looked_up
from probfs.tables.joined_columns import join_dictionaries
from probfs.tables.joining import join_notes, refuse_other_columns
from probfs.tables.table import NO_ROW, Codes, Column, Flags, Integers, Kind, Rows, Table
from probfs.text import counted

_DENSE = 1 << 16
"""Pairs of rows and values up to which a table of all pairs is counted, or as many as there are cells."""


@dataclass(frozen=True, eq=False, kw_only=True)
class CountedColumn(Column):
    """A column of a condensed table: ``codes[i]`` is held, in the condensed row ``cell_rows[i]``, by ``cell_counts[i]``
    rows. The target, and the column of counts, have one such cell for each condensed row, in order.

    Weights are those of condensed rows: how much all rows weigh that one stands for, or 0 if they do not take part.
    """

    cell_rows: Integers
    cell_counts: Integers
    standing_for: Integers
    """How many rows each condensed row stands for."""
    value_rows: Integers
    """The first row that holds each value, as ``first_rows`` has it."""

    @property
    def rows(self) -> int:
        return int(self.standing_for.sum())

    def counts(self, weights: Integers | None = None) -> Integers:
        # Adds in double precision, exact up to 2**53 rows.
        return np.bincount(self.codes, self._weigh(weights), minlength=len(self.values) + 1).astype(np.int64)

    def _weigh(self, weights: Integers | None) -> Integers:
        """The weight of each cell."""
        return (
            self.cell_counts if weights is None else self.cell_counts * (weights // self.standing_for)[self.cell_rows]
        )

    def is_missing(self) -> Flags:
        raise TypeError("a condensed column has no rows to look at; ask for missing_cells")

    def missing_cells(self, weights: Integers | None) -> tuple[Integers, Integers | None]:
        missing = self.codes == len(self.values)
        return self.cell_rows[missing], self._weigh(weights)[missing]

    def cells(self, rows: Rows, weights: Integers | None) -> tuple[Codes, Rows, Integers | None]:
        places = np.full(len(self.standing_for), -1)
        chosen = np.arange(len(places))[rows]
        places[chosen] = np.arange(len(chosen))
        by_row = np.zeros(len(places), dtype=np.int64)
        by_row[chosen] = self.standing_for[chosen] if weights is None else weights
        cell_places = places[self.cell_rows]
        own = cell_places >= 0
        return self.codes[own], cell_places[own], self._weigh(by_row)[own]

    def first_rows(self) -> Integers:
        return self.value_rows

    def recoded(self, new_codes: Codes, values: pa.StringArray) -> Column:
        value_rows = np.full(len(values) + 1, NO_ROW)
        np.minimum.at(value_rows, new_codes.astype(np.intp), self.value_rows)
        return replace(self, codes=looked_up(new_codes, self.codes), values=values, value_rows=value_rows)

    def as_dates(self) -> Column:
        return replace(self, kind=Kind.DATE)


def condense(table: Table, target: str | None, count: str | None) -> Table:
    """The table with all rows that share their texts of the target and of the count in one row."""
    naming = [table.column(name, kind) for name, kind in ((target, "target"), (count, "count")) if name is not None]
    texts = _combined([column.codes for column in naming], [column.distinct() for column in naming], table.rows)
    _, row_of_each, standing_for = np.unique(texts, return_inverse=True, return_counts=True)
    return replace(
        table,
        columns={name: _condense_column(column, row_of_each, standing_for) for name, column in table.columns.items()},
        standing_for=standing_for,
        condensed_by=tuple(column.name for column in naming),
        parts=(replace(table, columns={}),),
    )


def _combined(codes: Sequence[Codes], distinct: Sequence[int], rows: int) -> Integers:
    """One number for each row, the same where the codes of all columns are."""
    numbers = np.zeros(rows, dtype=np.int64)
    for own_codes, own_distinct in zip(codes, distinct, strict=True):
        numbers = numbers * (own_distinct + 1) + own_codes
    return numbers


def _condense_column(column: Column, row_of_each: Integers, standing_for: Integers) -> CountedColumn:
    codes, rows, counts = count_cells(column.codes, row_of_each, None, column.distinct() + 1, len(standing_for))
    return CountedColumn(
        column.name,
        codes,
        column.values,
        column.kind,
        column.declared,
        column.problem,
        column.categorical,
        column.ordered,
        column.order,
        cell_rows=rows,
        cell_counts=counts,
        standing_for=standing_for,
        value_rows=column.first_rows(),
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


def join_condensed(parts: Sequence[Table], *, union: bool = False) -> Table:
    """The condensed table of all rows of some parts, which follow each other, from the condensed tables of these.

    With ``union``, lists of declared values need not agree.
    """
    # What has no rows decides nothing.
    telling = [part for part in parts if part.rows] or parts[:1]
    first = telling[0]
    for part in parts:
        refuse_other_columns(first.columns, first.source, part.columns, part.source)
    parts = telling
    merged = {name: _merge_columns([part.columns[name] for part in parts], parts, union) for name in first.columns}
    sizes = [len(_standing_for(part)) for part in parts]
    naming = [merged[name] for name in first.condensed_by]
    texts = _combined([column.codes for column in naming], [len(column.values) for column in naming], sum(sizes))
    _, rows = np.unique(texts, return_inverse=True)
    standing_for = np.bincount(rows, np.concatenate([_standing_for(part) for part in parts])).astype(np.int64)
    joined = _JoinedRows(np.split(rows, np.cumsum(sizes)[:-1]), standing_for, [part.rows for part in parts])
    sources = list(dict.fromkeys(part.source for part in parts))
    more = f" and {counted(len(sources) - 1, 'more file')}" if len(sources) > 1 else ""
    return replace(
        first,
        source=sources[0] + more,
        columns={name: column.joined(joined) for name, column in merged.items()},
        rows=sum(part.rows for part in parts),
        lines=None,
        notes=join_notes(parts),
        standing_for=standing_for,
        parts=tuple(own for part in parts for own in part.parts),
    )


def _standing_for(part: Table) -> Integers:
    assert part.standing_for is not None, "the table is not condensed"
    return part.standing_for


@dataclass(frozen=True, eq=False)
class _JoinedRows:
    """The rows of a joined table: which of them each part's rows are, and how many rows they stand for."""

    of_parts: Sequence[Integers]
    standing_for: Integers
    part_rows: Sequence[int]


@dataclass(frozen=True, eq=False)
class _MergedColumn:
    """A column of several parts, with one list of values for all."""

    parts: Sequence[CountedColumn]
    like: Column
    """What the column is and holds, without rows."""
    new_codes: Sequence[Codes]
    """For each part, the new code of each value, and that of missing cells."""

    @property
    def values(self) -> pa.StringArray:
        return self.like.values

    @property
    def codes(self) -> Codes:
        """The new codes of all parts' cells, one part after the other."""
        pairs = zip(self.new_codes, self.parts, strict=True)
        return np.concatenate([looked_up(new_codes, part.codes) for new_codes, part in pairs])

    def joined(self, rows: _JoinedRows) -> CountedColumn:
        """The column of the joined table."""
        part_rows = np.concatenate([own[part.cell_rows] for own, part in zip(rows.of_parts, self.parts, strict=True)])
        counts = np.concatenate([part.cell_counts for part in self.parts])
        size = len(rows.standing_for)
        codes, cell_rows, cell_counts = count_cells(self.codes, part_rows, counts, len(self.values) + 1, size)
        value_rows = np.full(len(self.values) + 1, NO_ROW)
        start = 0
        for new_codes, part, part_size in zip(self.new_codes, self.parts, rows.part_rows, strict=True):
            own = np.where(part.value_rows == NO_ROW, NO_ROW, part.value_rows + start)
            np.minimum.at(value_rows, new_codes.astype(np.intp), own)
            start += part_size
        return CountedColumn(
            **{**vars(self.like), "codes": codes},
            cell_rows=cell_rows,
            cell_counts=cell_counts,
            standing_for=rows.standing_for,
            value_rows=value_rows,
        )


def _merge_columns(columns: Sequence[Column], tables: Sequence[Table], union: bool) -> _MergedColumn:
    parts = [column for column in columns if isinstance(column, CountedColumn)]
    assert len(parts) == len(columns), "the table is not condensed"
    joined = join_dictionaries(parts, [table.source for table in tables], union=union)
    return _MergedColumn(parts, joined.column, joined.translations)
