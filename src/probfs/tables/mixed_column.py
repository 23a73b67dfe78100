"""A column of plain numbers and of texts that may mean missing, such as NA, before it is decided what these mean."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

import pyarrow as pa

from probfs.tables.number_block import NumberColumn
from probfs.tables.table import Codes, Column


class MixedColumn(Column):
    """A column of texts like any other, made when it is asked for, and the numbers that are left without some of them.

    Nearly always the texts are found to mean missing, so that nobody asks for more than they and the numbers are.
    """

    numeric: NumberColumn
    """The column in which the texts that are no numbers are missing."""
    words: tuple[str, ...]
    """These texts, in the order of their first rows."""

    def __init__(self, numeric: NumberColumn, words: Sequence[str], make: Callable[[], Column]) -> None:
        # Not the base's: what is made on demand has no place among its fields.
        self.__dict__.update(name=numeric.name, kind=numeric.kind, numeric=numeric, words=tuple(words), _make=make)

    @cached_property
    def whole(self) -> Column:
        """The column with numbers and words alike as values."""
        made: Column = self.__dict__["_make"]()
        return made

    @property
    def rows(self) -> int:
        return self.numeric.rows

    @cached_property
    def codes(self) -> Codes:
        return self.whole.codes

    @cached_property
    def values(self) -> pa.StringArray:
        return self.whole.values
