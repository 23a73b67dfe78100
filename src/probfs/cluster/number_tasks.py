"""What workers do with columns of many different numbers: leave them uncounted, part them into ranges, sum those up.

See ``many_numbers`` for the order of these steps.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from probfs.cluster.counted_column import CondensedTable, condense
from probfs.cluster.number_ranges import Histogram, Images, Piece, Ranges, RowGroups, histogram, pieces
from probfs.cluster.range_summary import RangeSummary, summarize
from probfs.cluster.row_classes import RowClasses
from probfs.cluster.summarized_column import between_known_numbers, numbers_by_row
from probfs.columns.leakage import LeakLimits
from probfs.columns.target import row_counts
from probfs.columns.texts import mark_missing
from probfs.errors import DataError
from probfs.tables.arrays import Floats
from probfs.tables.cells import Kind
from probfs.tables.column import Column, unread_column
from probfs.tables.table import Table

RangeKey = tuple[str, int]
"""A column, and the place of one of its ranges."""
Shard = dict[RangeKey, Piece]
"""A block's numbers in some ranges."""


@dataclass(frozen=True)
class CountingPlan:
    """Which columns of a table are counted value by value."""

    target: str | None
    count: str | None
    may_be_summarized: tuple[str, ...]
    """The columns that are not counted, if they hold many different numbers, some with fractions."""
    missing: tuple[str, ...]
    """The texts that mean missing in all columns."""
    many: int
    """More different numbers in a block than these are not counted, if there is another way."""
    too_many: int
    """More of them are not counted in any case."""
    union: bool
    """Whether files may lack columns."""


@dataclass(frozen=True, eq=False)
class CountedBlock:
    """A condensed block, in which some columns are not counted, as if they had not been read."""

    table: CondensedTable
    many: tuple[str, ...] = ()
    """Columns of many different numbers, which can be summarized."""
    too_many: tuple[str, ...] = ()
    """Columns of very many numbers that cannot."""


def count_block(table: Table, plan: CountingPlan) -> CountedBlock:
    """Count the values of a block's columns, but for those of many different numbers."""
    many = [name for name in plan.may_be_summarized if _holds_many_fractions(table, name, plan)]
    too_many = [
        name
        for name, column in table.columns.items()
        if column.kind is Kind.NUMBER and name not in many and _more_numbers(column, plan.too_many)
    ]
    uncounted = {name: unread_column(name, table.rows) for name in (*many, *too_many)}
    counted = replace(table, columns={**table.columns, **uncounted})
    return CountedBlock(condense(counted, plan.target, plan.count), tuple(many), tuple(too_many))


def _more_numbers(column: Column, limit: int) -> bool:
    """Whether a column has more different numbers than a limit."""
    if column.rows <= limit:
        return False
    # Most columns of very many numbers are told by some of their rows, which are sorted sooner than all.
    if column.is_numeric and len(np.unique(column.by_row[: 2 * limit])) > limit + 1:
        return True
    return column.distinct() > limit


def _holds_many_fractions(table: Table, name: str, plan: CountingPlan) -> bool:
    """Whether a column has many different numbers, and some rows that count for something hold a fraction."""
    column = table.columns.get(name)
    if column is None or column.kind is not Kind.NUMBER or not _more_numbers(column, plan.many):
        return False
    marked = mark_missing(table.only({name, plan.count or name}), plan.missing)
    column = marked.columns[name]
    numbers = numbers_by_row(column) if _more_numbers(column, plan.many) else None
    if numbers is None:
        return False
    fractional = (numbers != np.rint(numbers)) & ~np.isnan(numbers)
    try:
        return bool((fractional & (row_counts(marked, plan.count) > 0)).any())
    except DataError:
        # Whoever reads the counts of all rows will say what is wrong.
        return False


@dataclass(frozen=True, eq=False)
class NumberCount:
    """The numbers of a column in some blocks, counted by their leading bits."""

    histogram: Histogram
    first: float
    """The number of the first row that takes part and has one; NaN if none has."""

    @classmethod
    def joined(cls, parts: Sequence[NumberCount]) -> NumberCount:
        first = next((part.first for part in parts if not np.isnan(part.first)), np.nan)
        return cls(Histogram.joined([part.histogram for part in parts]), first)


def count_numbers(table: Table, rows: RowClasses, bins: Mapping[str, Images | None]) -> dict[str, NumberCount | None]:
    """Count the numbers of the columns that ``bins`` names; None of a column that does not hold plain numbers."""
    own, groups = rows.read(table, list(bins))
    counts: dict[str, NumberCount | None] = {}
    for name, own_bins in bins.items():
        numbers = numbers_by_row(own.columns[name])
        counts[name] = None if numbers is None else _count(numbers, groups, own_bins)
    return counts


def _count(numbers: Floats, groups: RowGroups, bins: Images | None) -> NumberCount:
    present = ~np.isnan(numbers) & (groups.groups <= groups.classes)
    first = float(numbers[present.argmax()]) if present.any() else np.nan
    return NumberCount(histogram(numbers, groups, bins), first)


def join_counts(parts: Sequence[dict[str, NumberCount | None]]) -> dict[str, NumberCount | None]:
    """The counts of several blocks, which follow each other, as one."""
    joined: dict[str, NumberCount | None] = {}
    for name in parts[0]:
        known = [own for part in parts if (own := part[name]) is not None]
        joined[name] = NumberCount.joined(known) if len(known) == len(parts) else None
    return joined


def part_numbers(
    table: Table, rows: RowClasses, ranges: Mapping[str, Ranges], shards: Sequence[Sequence[RangeKey]]
) -> list[Shard]:
    """A block's numbers range by range; ``shards`` says which ranges go together."""
    own, groups = rows.read(table, list(ranges))
    found: Shard = {}
    for name, own_ranges in ranges.items():
        numbers = numbers_by_row(own.columns[name])
        assert numbers is not None, "the numbers were counted before"
        found.update(((name, place), piece) for place, piece in enumerate(pieces(numbers, groups, own_ranges)))
    return [{key: found[key] for key in shard} for shard in shards]


@dataclass(frozen=True, eq=False)
class RangeQuestions:
    """What is asked of the ranges of some columns."""

    ranges: Mapping[str, Ranges]
    wanted: Mapping[str, Sequence[int]]
    """For each column, the ranks at which numbers are asked for."""
    few: int
    """So many numbers of a range are listed, if there are not more."""
    leaks: LeakLimits
    """Of more numbers, only leaks are."""


def summarize_shard(questions: RangeQuestions, keys: Sequence[RangeKey], parts: list[Shard]) -> list[RangeSummary]:
    """Summarize some ranges, from all blocks' numbers in them."""
    summaries = []
    for name, place in keys:
        own = summarize(
            place,
            [part[name, place] for part in parts],
            questions.ranges[name],
            questions.wanted[name],
            few=questions.few,
            least_weight=questions.leaks.fewest_rows,
        )
        if own.labelled.distinct > questions.few:
            own = replace(own, listed=own.listed.only(questions.leaks.leaking(own.listed.by_class)))
        summaries.append(own)
    return summaries


def count_between(
    table: Table, plan: CountingPlan, known: Mapping[str, Floats], counted: Sequence[str]
) -> CountedBlock:
    """Count some columns of a block that were not counted: all values, or known numbers and what lies in between."""
    naming = [name for name in (plan.target, plan.count) if name is not None]
    marked = mark_missing(table.only(known), plan.missing)
    own = dict(table.only({*naming, *counted}).columns)
    too_many = [name for name in counted if _more_numbers(own[name], plan.too_many)]
    own |= {name: unread_column(name, table.rows) for name in too_many}
    for name, known_numbers in known.items():
        numbers = numbers_by_row(marked.columns[name])
        assert numbers is not None, "the numbers were counted before"
        own[name] = between_known_numbers(name, numbers, known_numbers)
    return CountedBlock(condense(replace(table, columns=own), plan.target, plan.count), too_many=tuple(too_many))
