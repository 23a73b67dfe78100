"""Columns of yes and no: comparisons and memberships."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from probfs.columns.rules.base import UNKNOWN, Coder, Seen, all_numbers, end_label, positions_in, some_numbers
from probfs.tables.arrow_arrays import text_array
from probfs.tables.table import Floats, Integers, Kind
from probfs.text import listed

Comparison = Callable[[Floats, float], npt.NDArray[np.bool_]]

ORDERINGS: Mapping[str, Comparison] = {
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
}


_NO_YES = ("no", "yes")


class _YesNoCoder:
    @property
    def labels(self) -> pa.StringArray:
        return text_array(_NO_YES)


@dataclass(frozen=True, eq=False)
class _OrderingCoder(_YesNoCoder):
    comparison: Comparison
    bound: float
    scale: Kind

    def assign(self, values: pa.StringArray) -> Integers:
        return self.comparison(all_numbers(values, self.scale), self.bound).astype(np.int64)


@dataclass(frozen=True)
class Ordering:
    """Yes where a number, or a date, is below or above a bound."""

    symbol: str
    bound: float
    scale: Kind = Kind.NUMBER

    def learn(self, seen: Seen) -> Coder:
        return _OrderingCoder(ORDERINGS[self.symbol], self.bound, self.scale)

    def describe(self) -> str:
        return f"yes/no: {self.symbol} {end_label(self.bound, self.scale)}"


@dataclass(frozen=True, eq=False)
class _AmongCoder(_YesNoCoder):
    texts: pa.StringArray
    numbers: Floats
    scale: Kind
    yes: int

    def assign(self, values: pa.StringArray) -> Integers:
        among = positions_in(values, self.texts) != UNKNOWN
        if len(self.numbers):
            among |= np.isin(some_numbers(values, self.scale), self.numbers)
        return np.where(among, self.yes, 1 - self.yes)


@dataclass(frozen=True)
class Among:
    """Yes where the value is one of a few (negated: none): the same number or date however written, or the text."""

    texts: tuple[str, ...]
    numbers: tuple[float, ...] = ()
    scale: Kind = Kind.NUMBER
    negated: bool = False

    def learn(self, seen: Seen) -> Coder:
        numbers = np.array(self.numbers, dtype=np.float64)
        return _AmongCoder(text_array(self.texts), numbers, self.scale, 0 if self.negated else 1)

    def describe(self) -> str:
        return f"yes/no: {'not ' if self.negated else ''}{listed(self.texts)}"
