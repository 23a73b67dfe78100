"""What can be done to a column: each rule learns from the values of labelled rows, then gives any value its code.

A rule works on a column's distinct values, never on its cells, so its cost does not grow with the table.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from probfs.arrays import filled, mask_array, text_array
from probfs.table import Floats, Integers, Kind, is_number, numbers_of
from probfs.text import listed, quoted

UNKNOWN = -1
"""The code of a value that a rule has no place for; such a cell counts as missing."""

Comparison = Callable[[Floats, float], npt.NDArray[np.bool_]]

ORDERINGS: Mapping[str, Comparison] = {
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
}


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


class Coder(Protocol):
    """A rule that has learned what it needs: a fixed list of labels, and the label of any value."""

    @property
    def labels(self) -> pa.StringArray: ...

    def assign(self, values: pa.StringArray, kind: Kind) -> Integers: ...


class Rule(Protocol):
    """What the user, or the tool on its own, wants done with a column."""

    def learn(self, seen: Seen) -> Coder: ...

    def describe(self) -> str: ...


# --- categories -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _CategoryCoder:
    labels: pa.StringArray

    def assign(self, values: pa.StringArray, kind: Kind) -> Integers:
        return _positions(values, self.labels)


@dataclass(frozen=True)
class Category:
    """The values as they are."""

    def learn(self, seen: Seen) -> Coder:
        if seen.declared is not None:
            return _CategoryCoder(seen.declared)
        return _CategoryCoder(pc.take(seen.values, pc.sort_indices(seen.values)))

    def describe(self) -> str:
        return "category"


@dataclass(frozen=True, eq=False)
class _GroupCoder:
    labels: pa.StringArray
    members: pa.StringArray
    codes: Integers
    other: int = UNKNOWN

    def assign(self, values: pa.StringArray, kind: Kind) -> Integers:
        found = _positions(values, self.members)
        return np.where(found == UNKNOWN, self.other, self.codes[found])


@dataclass(frozen=True)
class Groups:
    """Named groups of values; a value in none of them is ``other``, or keeps its own name when there is no other."""

    groups: Mapping[str, Sequence[str]]
    other: str | None = None

    def learn(self, seen: Seen) -> Coder:
        labels = list(self.groups)
        members = {value: labels.index(name) for name, values in self.groups.items() for value in values}
        other = UNKNOWN
        if self.other is not None:
            if self.other not in labels:
                labels.append(self.other)
            other = labels.index(self.other)
        else:
            known = seen.values if seen.declared is None else seen.declared
            for value in known.to_pylist():
                if value in members:
                    continue
                if value in self.groups:
                    at = int(_positions(text_array([value]), seen.values)[0])
                    raise UnfitValueError(at, f"{quoted(value)} is the name of a group but in none; list it in one")
                members[value] = len(labels)
                labels.append(value)
        codes = np.fromiter(members.values(), np.int64, len(members))
        return _GroupCoder(text_array(labels), text_array(list(members)), codes, other)

    def describe(self) -> str:
        rest = "" if self.other is None else f", the rest {quoted(self.other)}"
        return f"groups {listed(self.groups)}{rest}"


# --- yes or no ------------------------------------------------------------------------------------------------------

_NO_YES = ("no", "yes")


@dataclass(frozen=True, eq=False)
class _OrderingCoder:
    comparison: Comparison
    bound: float
    scale: Kind

    @property
    def labels(self) -> pa.StringArray:
        return text_array(_NO_YES)

    def assign(self, values: pa.StringArray, kind: Kind) -> Integers:
        return self.comparison(_all_numbers(values, self.scale), self.bound).astype(np.int64)


@dataclass(frozen=True)
class Ordering:
    """Yes where a number, or a date, is below or above a bound."""

    symbol: str
    bound: float
    scale: Kind = Kind.NUMBER

    def learn(self, seen: Seen) -> Coder:
        return _OrderingCoder(ORDERINGS[self.symbol], self.bound, self.scale)

    def describe(self) -> str:
        return f"yes/no: {self.symbol} {_end_label(self.bound, self.scale)}"


@dataclass(frozen=True, eq=False)
class _AmongCoder:
    texts: pa.StringArray
    numbers: Floats
    scale: Kind
    yes: int

    @property
    def labels(self) -> pa.StringArray:
        return text_array(_NO_YES)

    def assign(self, values: pa.StringArray, kind: Kind) -> Integers:
        among = _positions(values, self.texts) != UNKNOWN
        if len(self.numbers):
            among |= np.isin(_some_numbers(values, self.scale), self.numbers)
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


# --- intervals ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _CutCoder:
    points: Floats
    kind: Kind
    strict: bool = True
    """Whether a text among the numbers is an error (the user said: numbers) or a missing cell (we guessed so)."""

    @property
    def labels(self) -> pa.StringArray:
        ends = ["-inf", *(_end_label(point, self.kind) for point in self.points), "inf"]
        closing = ["]"] * len(self.points) + [")"]
        return text_array(
            [f"({low},{high}{bracket}" for (low, high), bracket in zip(pairwise(ends), closing, strict=True)]
        )

    def assign(self, values: pa.StringArray, kind: Kind) -> Integers:
        if self.strict:
            return np.searchsorted(self.points, _all_numbers(values, self.kind), side="left")
        numbers = _some_numbers(values, self.kind)
        return np.where(np.isnan(numbers), UNKNOWN, np.searchsorted(self.points, numbers, side="left"))


@dataclass(frozen=True)
class Cut:
    """Intervals between given points, each closed on the right."""

    points: tuple[float, ...]
    scale: Kind = Kind.NUMBER

    def learn(self, seen: Seen) -> Coder:
        return _CutCoder(np.array(self.points, dtype=np.float64), self.scale)

    def describe(self) -> str:
        return f"{len(self.points) + 1} intervals at {', '.join(_end_label(p, self.scale) for p in self.points)}"


@dataclass(frozen=True)
class Quantiles:
    """Intervals that hold about equally many labelled rows."""

    intervals: int
    strict: bool = True

    def learn(self, seen: Seen) -> Coder:
        return _CutCoder(self.points(seen), seen.kind, self.strict)

    def points(self, seen: Seen) -> Floats:
        """The least value at or below which lies each i/k of the rows: no interpolation, so counted rows and
        repeated rows give the same points; the largest value is no point, since nothing would lie above it.
        """
        numbers, counts = _sorted_numbers(seen)
        below = np.cumsum(counts)
        if not len(below):
            return np.empty(0)
        # In Python's integers: rows may be counted in quadrillions.
        wanted = [-(-share * int(below[-1]) // self.intervals) for share in range(1, self.intervals)]
        points = np.unique(numbers[np.searchsorted(below, wanted, side="left")])
        inner: Floats = points[points < numbers[-1]]
        return inner

    def describe(self) -> str:
        return f"{self.intervals} intervals at quantiles"


@dataclass(frozen=True)
class Widths:
    """Intervals of equal width between the least and the greatest labelled value."""

    intervals: int

    def learn(self, seen: Seen) -> Coder:
        numbers, _ = _sorted_numbers(seen)
        if not len(numbers) or numbers[0] == numbers[-1]:
            return _CutCoder(np.empty(0), seen.kind)
        share = np.arange(1, self.intervals) / self.intervals
        # Not low + share·(high - low): the difference of extreme numbers is beyond a double.
        return _CutCoder(np.unique(numbers[0] * (1 - share) + numbers[-1] * share), seen.kind)

    def describe(self) -> str:
        return f"{self.intervals} intervals of equal width"


@dataclass(frozen=True)
class Numeric:
    """Numbers as they are, where the classifier can use numbers; one that cannot cuts them at quantiles."""

    fallback: Rule = field(default_factory=Category)

    def learn(self, seen: Seen) -> Coder:
        _all_numbers(seen.values, seen.kind)
        return self.fallback.learn(seen)

    def describe(self) -> str:
        return f"numeric, as {self.fallback.describe()}"


# --- shared ---------------------------------------------------------------------------------------------------------


def short_number(number: float) -> str:
    """A number the way people write it: 18, not 18.0.

    >>> short_number(18.0), short_number(0.25)
    ('18', '0.25')
    """
    return str(int(number)) if number.is_integer() and abs(number) < 1e15 else repr(number)


def _end_label(point: float, kind: Kind) -> str:
    if kind is Kind.DATE:
        moment = np.datetime64(round(point * 1e6), "us")
        return str(moment).removesuffix(".000000").removesuffix("T00:00:00")
    return short_number(float(point))


def _positions(values: pa.StringArray, among: pa.StringArray) -> Integers:
    return filled(pc.index_in(values, value_set=among), UNKNOWN).astype(np.int64)


def _some_numbers(values: pa.StringArray, kind: Kind) -> Floats:
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


def _all_numbers(values: pa.StringArray, kind: Kind) -> Floats:
    numbers = numbers_of(values, _as_numbers(kind))
    if numbers is None:
        position = int(np.argmin(is_number(values, kind)))
        text = quoted(values[position].as_py())
        wanted = "an ISO date" if kind is Kind.DATE else "a number"
        raise UnfitValueError(
            position, f"{text} is not {wanted}; map the column as \"category\", or list it in 'missing'"
        )
    infinite = np.flatnonzero(np.isinf(numbers))
    if len(infinite):
        position = int(infinite[0])
        text = quoted(values[position].as_py())
        raise UnfitValueError(position, f'{text} is infinite; name it with --na, or map the column as "category"')
    return numbers


def _sorted_numbers(seen: Seen) -> tuple[Floats, Integers]:
    numbers = _all_numbers(seen.values, seen.kind)
    order = np.argsort(numbers, kind="stable")
    return numbers[order], seen.counts[order]
