"""Which columns of a file need not be read: known by their names, before a cell is."""

from __future__ import annotations

from collections.abc import Sequence

from probfs.columns.mapping_file import MappingFile
from probfs.columns.roles import ColumnChoice, resolve_names
from probfs.errors import UsageError
from probfs.tables.table import Table, unread_column


def columns_not_needed(names: Sequence[str], mapping: MappingFile, choice: ColumnChoice) -> frozenset[str]:
    """The columns that users leave out; none where a name is wrong, which is refused when the table is read.

    >>> sorted(columns_not_needed(["a", "b", "c", "y"], MappingFile(drop=("c",)), ColumnChoice(exclude=["a"])))
    ['a', 'c']
    >>> sorted(columns_not_needed(["a", "b", "c", "y"], MappingFile(), ColumnChoice(include=["a"])))
    ['b', 'c']
    """
    table = Table("", {name: unread_column(name, 0) for name in names}, 0)
    try:
        include, exclude = (resolve_names(table, getattr(choice, name), name) for name in ("include", "exclude"))
    except UsageError:
        return frozenset()
    dropped = {*mapping.drop, *exclude}
    # A target or a count that is also left out is a mistake of which messages want to know the cells.
    needed = {choice.target, mapping.target, choice.count}
    if not include:
        return frozenset(dropped.difference(needed))
    free = [name for name in names if name not in dropped and name != choice.count]
    # Without a name, the last column is the target; and what a mapping says of values is checked by the values.
    needed.update(free[-1:], include, mapping.columns, mapping.missing_cells)
    return frozenset(names).difference(name for name in needed if name is not None)
