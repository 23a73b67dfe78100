"""A table whose blocks are on a cluster -> one condensed table, from which everything about its columns is decided.

Columns are counted value by value, but for those of many different numbers: the values of these would be as many as
there are rows. Numbers with fractions among them are summarized (``many_numbers``); whole numbers may be identifiers,
which are told by their values, so that very many of them are refused.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from probfs.cluster.connection import Cluster, identity
from probfs.cluster.counted_column import CountedColumn, join_condensed
from probfs.cluster.many_numbers import SummarizedNumbers, summarize_numbers
from probfs.cluster.number_tasks import CountedBlock, CountingPlan, count_between, count_block
from probfs.cluster.row_classes import RowClasses, learn_row_classes
from probfs.cluster.summarized_column import SummarizedColumn
from probfs.columns.choice import ColumnChoice
from probfs.columns.mapping import ColumnMapping
from probfs.columns.rules import Quantiles
from probfs.errors import DataError
from probfs.tables.cells import Kind
from probfs.tables.column import Column
from probfs.tables.joining import NO_ROWS
from probfs.tables.table import Table
from probfs.text import option, quoted

if TYPE_CHECKING:
    from distributed import Future

MANY_NUMBERS = 20_000
"""Different numbers in a block, beyond which a column is summarized."""
MOST_WHOLE_NUMBERS = 5_000_000
"""Different numbers in all blocks, beyond which a column that cannot be summarized is refused."""
_MOST_CLASSES = 256
"""For more classes, a histogram of numbers for each would be larger than the numbers."""


def _ignore(place: int) -> None:
    pass


class Condenser:
    """Condenses the blocks of one table."""

    def __init__(self, cluster: Cluster, blocks: Sequence[Future[Any]], source: str, plan: CountingPlan) -> None:
        self._cluster = cluster
        self._blocks = blocks
        self._source = source
        self._plan = plan

    def condense(
        self,
        mapping: ColumnMapping,
        choice: ColumnChoice,
        decimal: str | None,
        on_block: Callable[[int], None] = _ignore,
    ) -> Table:
        """The table of all blocks; ``on_block`` hears of each that was counted."""
        counted = self._count_blocks(on_block)
        table = replace(join_condensed([own.table for own in counted], union=self._plan.union), source=self._source)
        if not table.rows:
            raise DataError(NO_ROWS, source=self._source)
        many = list(dict.fromkeys(name for own in counted for name in own.many))
        if not many:
            return table
        rows = learn_row_classes(table, mapping, choice, decimal)
        if rows.quantity:
            # No classes: it will be refused, whatever its other columns hold.
            return table
        columns = self._summarized(many, rows, mapping, choice)
        return table.with_columns(columns)

    def _count_blocks(self, on_block: Callable[[int], None]) -> list[CountedBlock]:
        sent = self._cluster.submit("plan", identity, self._plan)
        return self._gather("condense", count_block, on_block, plan=sent)

    def _summarized(
        self, names: Sequence[str], rows: RowClasses, mapping: ColumnMapping, choice: ColumnChoice
    ) -> dict[str, Column]:
        """The columns that were not counted yet: summarized where that can be done, and else counted after all."""
        found: dict[str, SummarizedNumbers] = {}
        if len(rows.by_class) <= _MOST_CLASSES:
            rules = {name: mapping.columns.get(name) for name in names}
            intervals = {
                name: rule.intervals if isinstance(rule, Quantiles) else choice.bins for name, rule in rules.items()
            }
            found = summarize_numbers(self._cluster, self._blocks, rows, intervals)
        others = [name for name in names if name not in found]
        columns = self._count_columns({name: own.known for name, own in found.items()}, others)
        for name, own in found.items():
            column = columns[name]
            assert isinstance(column, CountedColumn)
            columns[name] = SummarizedColumn.of(column, own.known, own.summary, rows.labelled)
        return columns

    def _count_columns(self, known: Mapping[str, Any], others: Sequence[str]) -> dict[str, Column]:
        sent = self._cluster.submit("known", identity, known)
        counted = self._gather("count", count_between, plan=self._plan, known=sent, counted=others)
        joined = join_condensed([own.table for own in counted], union=self._plan.union)
        return {name: joined.columns[name] for name in (*known, *others)}

    def _gather(
        self, name: str, count: Callable[..., CountedBlock], on_block: Callable[[int], None] = _ignore, **others: Any
    ) -> list[CountedBlock]:
        """All blocks counted in some way, in their order."""
        tasks = self._cluster.map(name, count, self._blocks, **others)
        counted: dict[int, CountedBlock] = {}
        numbers = _DistinctNumbers(self._source, self._plan)
        for place, own in self._cluster.as_they_come(tasks):
            counted[place] = own
            numbers.add(own)
            on_block(place)
        self._cluster.release(tasks)
        return [counted[place] for place in range(len(self._blocks))]


def plan_counting(
    names: Sequence[str], target: str, mapping: ColumnMapping, choice: ColumnChoice, *, union: bool
) -> CountingPlan:
    """How the columns of a table are counted."""
    count = choice.count if choice.count in names else None
    cut_anyway = [
        name
        for name in names
        if name not in (target, count) and isinstance(mapping.columns.get(name), (Quantiles, type(None)))
    ]
    missing = choice.missing_texts(mapping)
    return CountingPlan(target, count, tuple(cut_anyway), missing, MANY_NUMBERS, MOST_WHOLE_NUMBERS, union)


class _DistinctNumbers:
    """Refuses columns of more numbers than one machine should hold as texts."""

    def __init__(self, source: str, plan: CountingPlan) -> None:
        self._source = source
        self._plan = plan
        self._values: dict[str, pa.StringArray] = {}

    def add(self, block: CountedBlock) -> None:
        for name in block.too_many:
            raise self._refusal(name)
        for name, column in block.table.columns.items():
            if column.kind is not Kind.NUMBER:
                continue
            known = self._values.get(name)
            own = column.values if known is None else pa.concat_arrays([known, column.values])
            if len(own) > self._plan.too_many:
                own = pc.unique(own)
            if len(own) > self._plan.too_many:
                raise self._refusal(name)
            self._values[name] = own

    def _refusal(self, name: str) -> DataError:
        problem = f"column {quoted(name)} holds more than {self._plan.too_many:,} different numbers"
        ways = f"leave out {option('engine', 'dask')}"
        if name not in (self._plan.target, self._plan.count):
            ways = f"leave it out with {option('exclude')}, or {ways}"
        return DataError(f"{problem}, too many to count on a cluster; {ways}", source=self._source)
