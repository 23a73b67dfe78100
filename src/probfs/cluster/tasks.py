"""What workers do with a block before it is asked: read its files, condense them, encode their rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from probfs.cluster.block_plan import BlockPlan
from probfs.cluster.encoding_plan import CodedBlock
from probfs.rows.block import Block
from probfs.tables.arrays import Integers
from probfs.tables.column import missing_column, unread_column
from probfs.tables.opening import display_name
from probfs.tables.reading import ReadOptions, read_parts
from probfs.tables.table import NoRowsError, Table


def read_block(plan: BlockPlan, reading: ReadOptions) -> Table:
    """The files of a block as one table."""
    source = display_name(plan.parts[0].path)
    try:
        return read_parts(plan.parts, reading, source)
    except NoRowsError as error:
        # Other blocks may have some.
        return Table(error.source or source, {name: missing_column(name, 0) for name in error.columns}, 0)


def names_of(table: Table) -> Table:
    """The table without its rows: its columns' names in order, and what the file says of the target."""
    return replace(table, columns={name: unread_column(name, 0) for name in table.columns}, lines=None, files=None)


def complete(table: Table, names: Sequence[str]) -> Table:
    """The table with these columns, in this order; the cells of those that it lacks are missing."""
    lacking = {name: missing_column(name, table.rows) for name in names if name not in table.columns}
    return replace(table, columns={name: table.columns.get(name) or lacking[name] for name in names})


def block_of(coded: CodedBlock) -> Block:
    return coded.block


def facts_of(coded: CodedBlock) -> tuple[int, Integers, Integers]:
    """How many rows without a class there are, and what is known of their cells."""
    return coded.block.dataset.unlabelled_rows, coded.present, coded.telling
