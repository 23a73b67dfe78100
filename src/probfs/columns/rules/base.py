"""What every rule is, and how rules read values as numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from probfs.tables.arrow_arrays import filled, mask_array
from probfs.tables.table import Floats, Integers, Kind, is_number, numbers_of
from probfs.text import option, quoted

UNKNOWN = -1
"""The code of a value that a rule has no place for; such a cell counts as missing."""


class UnfitValueError(Exception):
    """A value that a rule cannot be applied to: its position among the values, and what is wrong with it."""

    def __init__(self, position: int, problem: str) -> None:
        super().__init__(problem)
        self.position = position
        self.problem = problem


@dataclass(frozen=True, eq=False)
class Seen:
    """The distinct values of a column's labelled rows, how many rows hold each, and what the file says of them."""

    values: pa.StringArray
    counts: Integers
    kind: Kind
    declared: pa.StringArray | None = None
    ordered: bool = False
    """Whether the values stand in the order that the column's own type gives them."""

    def in_order(self, values: pa.StringArray) -> pa.StringArray:
        """Some of the values in the column's own order, else sorted by their texts."""
        return values if self.ordered else pc.take(values, pc.sort_indices(values))


class Coder(Protocol):
    """A rule that has learned what it needs: a fixed list of labels, and the label of any value."""

    @property
    def labels(self) -> pa.StringArray: ...

    def assign(self, values: pa.StringArray) -> Integers: ...


class Rule(Protocol):
    """What the user, or the tool on its own, wants done with a column."""

    def learn(self, seen: Seen) -> Coder: ...

    def describe(self) -> str: ...


def short_number(number: float) -> str:
    """A number the way people write it: 18, not 18.0.

    >>> short_number(18.0), short_number(0.25)
    ('18', '0.25')
    """
    return str(int(number)) if number.is_integer() and abs(number) < 1e15 else repr(number)


def end_label(point: float, kind: Kind) -> str:
    if kind is Kind.DATE:
        moment = np.datetime64(round(point * 1e6), "us")
        return str(moment).removesuffix(".000000").removesuffix("T00:00:00")
    return short_number(float(point))


def positions_in(values: pa.StringArray, among: pa.StringArray) -> Integers:
    return filled(pc.index_in(values, value_set=among), UNKNOWN).astype(np.int64)


def some_numbers(values: pa.StringArray, kind: Kind) -> Floats:
    """The values as numbers, NaN where one is not a number."""
    everything = numbers_of(values, _as_numbers(kind))
    if everything is not None:
        return everything
    numeric = is_number(values, kind)
    numbers = np.full(len(values), np.nan)
    read = numbers_of(pc.filter(values, mask_array(numeric)), _as_numbers(kind))
    if read is not None:
        numbers[numeric] = read
    return numbers


def _as_numbers(kind: Kind) -> Kind:
    """The kind under which a rule for numbers reads a column: 007 is 7 once the user asked for numbers."""
    return Kind.DATE if kind is Kind.DATE else Kind.NUMBER


def all_numbers(values: pa.StringArray, kind: Kind) -> Floats:
    numbers = numbers_of(values, _as_numbers(kind))
    if numbers is None:
        position = int(np.argmin(is_number(values, kind)))
        text = quoted(values[position].as_py())
        wanted = "an ISO date" if kind is Kind.DATE else "a number"
        raise UnfitValueError(
            position, f"{text} is not {wanted}; map the column as \"category\", or list it in 'missing'"
        )
    return finite(values, numbers)


def finite(values: pa.StringArray, numbers: Floats) -> Floats:
    """The same numbers, none of which may be infinite."""
    infinite = np.flatnonzero(np.isinf(numbers))
    if len(infinite):
        position = int(infinite[0])
        text = quoted(values[position].as_py())
        problem = f"{text} is infinite; name it with {option('na')}"
        raise UnfitValueError(position, f'{problem}, or map the column as "category"')
    return numbers


def sorted_numbers(seen: Seen) -> tuple[Floats, Integers]:
    numbers = all_numbers(seen.values, seen.kind)
    order = np.argsort(numbers, kind="stable")
    return numbers[order], seen.counts[order]
