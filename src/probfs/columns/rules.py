"""What can be done to a column: each rule learns from the values of labelled rows, then gives any value its code.

A rule works on a column's distinct values, never on its cells, so its cost does not grow with the table. Values are
texts, or doubles for a column of numbers.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import ClassVar, Protocol, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from probfs.tables.arrays import (
    Codes,
    Flags,
    Floats,
    Integers,
    code_type,
    filled,
    index_array,
    numpy_array,
    short_number,
    text_array,
)
from probfs.tables.cells import Kind, numbers_by_row, texts_of
from probfs.text import counted, listed, option, quoted

UNKNOWN = -1
"""The code of a value that a rule has no place for; such a cell counts as missing."""
_OTHER = "other"
_FEW_POINTS = 32
"""Up to so many points, comparing all numbers with each is faster than a search for the numbers of each column."""
ORDERINGS: Mapping[str, Callable[[Floats, float], Flags]]
ORDERINGS = {"<=": operator.le, ">=": operator.ge, "<": operator.lt, ">": operator.gt}


class UnfitValueError(Exception):
    """A value that a rule cannot be applied to: its position among the values, and what is wrong with it."""

    def __init__(self, position: int, problem: str) -> None:
        super().__init__(problem)
        self.position = position
        self.problem = problem


@dataclass(frozen=True, eq=False)
class Seen:
    """The distinct values of a column's labelled rows, how many rows hold each, and what the file says of them."""

    values: pa.Array
    counts: Integers
    kind: Kind
    declared: pa.StringArray | None = None
    ordered: bool = False
    """Whether the values stand in the order that the column's type gives them."""

    def texts(self) -> pa.StringArray:
        """The values as texts in the order of their type, else sorted."""
        texts = texts_of(self.values)
        return texts if self.ordered else pc.take(texts, pc.sort_indices(texts))


class Coder(Protocol):
    """A rule that has learned what it needs: a fixed list of labels, and the label of any value."""

    @property
    def labels(self) -> pa.StringArray: ...

    def assign(self, values: pa.Array) -> Integers: ...


class Rule(Protocol):
    """What is to be done with a column, by the user's word or by default."""

    def learn(self, seen: Seen) -> Coder: ...

    def describe(self) -> str: ...


# Values as numbers


def end_label(point: float, kind: Kind) -> str:
    """A cut point the way people write it."""
    if kind is Kind.DATE:
        moment = np.datetime64(round(point * 1e6), "us")
        return str(moment).removesuffix(".000000").removesuffix("T00:00:00")
    return short_number(float(point))


def positions_in(values: pa.Array, among: pa.StringArray) -> Integers:
    """The position of each value among some texts, UNKNOWN where it is not there."""
    return filled(pc.index_in(texts_of(values), value_set=among), UNKNOWN).astype(np.int64)


def some_numbers(values: pa.Array, kind: Kind) -> Floats:
    """The values as numbers, NaN where one is not a number; 007 is 7 once the user asked for numbers."""
    if pa.types.is_floating(values.type):
        return np.full(len(values), np.nan) if kind is Kind.DATE else numpy_array(values)
    return numbers_by_row(pa.chunked_array([values]), kind)


def are_among(values: pa.Array, texts: pa.StringArray, numbers: Floats, kind: Kind) -> Flags:
    """For each value, whether it is one of some texts, or one of the numbers or dates among them however written."""
    numbers = numbers[~np.isnan(numbers)]
    among: Flags = positions_in(values, texts) != UNKNOWN
    return among | np.isin(some_numbers(values, kind), numbers) if len(numbers) else among


def finite_numbers(values: pa.Array, kind: Kind, *, strict: bool = True) -> Floats:
    """The values as numbers, none of which may be infinite, nor, if ``strict``, anything but a number."""
    numbers = some_numbers(values, kind)
    what = "number;"
    if kind is Kind.DATE:
        what = f"date, or not surely one; write it as 2024-01-31, or say {option('dates', 'dmy|mdy')},"
    not_a_number = f"is not a {what} map the column as \"category\", or list it in 'missing'"
    infinite = f'is infinite; name it with {option("na")}, or map the column as "category"'
    for wrong, problem in ((np.isnan(numbers) & strict, not_a_number), (np.isinf(numbers), infinite)):
        if wrong.any():
            position = int(wrong.argmax())
            text = texts_of(values[position : position + 1])[0].as_py()
            raise UnfitValueError(position, f"{quoted(text)} {problem}")
    return numbers


# Values as they are, by groups, or the rare ones together


@dataclass(frozen=True, eq=False)
class _ListCoder:
    """Labels for listed texts; a text that is not listed is ``other``."""

    labels: pa.StringArray
    texts: pa.StringArray
    codes: Integers | None = None
    """The label of each listed text; without them, the texts are the labels."""
    other: int = UNKNOWN

    def assign(self, values: pa.Array) -> Integers:
        found = positions_in(values, self.texts)
        return np.where(found == UNKNOWN, self.other, found if self.codes is None else self.codes[found])


@dataclass(frozen=True)
class Category:
    """The values as they are."""

    def learn(self, seen: Seen) -> Coder:
        labels = seen.texts() if seen.declared is None else seen.declared
        return _ListCoder(labels, labels)

    def describe(self) -> str:
        return "category"


@dataclass(frozen=True)
class Frequent:
    """The values that enough labelled rows hold; the others together become ``other``.

    Without a name by the user they are called other, or a name like it that no frequent value has; the user's name may
    be that of a frequent value, which they then join.
    """

    min_count: int
    other: str | None = None

    def learn(self, seen: Seen) -> Coder:
        frequent = seen.values.take(index_array(np.flatnonzero(seen.counts >= self.min_count)))
        labels = replace(seen, values=frequent).texts().to_pylist()
        if len(labels) == len(seen.values if seen.declared is None else seen.declared):
            return _ListCoder(text_array(labels), text_array(labels))
        name = free_name(_OTHER, labels) if self.other is None else self.other
        labels += [] if name in labels else [name]
        # A rare value may have the very name that all rare values go by: it is one of them, so that is its place.
        return _ListCoder(text_array(labels), text_array(labels), other=labels.index(name))

    def describe(self) -> str:
        name = quoted(_OTHER if self.other is None else self.other)
        return f"category, {name} for values in fewer than {counted(self.min_count, 'row')}"


def free_name(name: str, taken: Collection[str]) -> str:
    """The name, with underscores behind it if it is taken."""
    while name in taken:
        name += "_"
    return name


@dataclass(frozen=True)
class Groups:
    """Named groups of values; a value in none of them is ``other``, or keeps its name when there is no other."""

    groups: Mapping[str, Sequence[str]]
    other: str | None = None

    def learn(self, seen: Seen) -> Coder:
        labels = list(self.groups)
        members = {value.strip(): place for place, values in enumerate(self.groups.values()) for value in values}
        if self.other is None:
            known = texts_of(seen.values) if seen.declared is None else seen.declared
            for value in [value for value in known.to_pylist() if value not in members]:
                if value in self.groups:
                    at = int(positions_in(text_array([value]), texts_of(seen.values))[0])
                    raise UnfitValueError(at, f"{quoted(value)} is the name of a group but in none; list it in one")
                members[value] = len(labels)
                labels.append(value)
        elif self.other not in labels:
            labels.append(self.other)
        other = UNKNOWN if self.other is None else labels.index(self.other)
        codes = np.fromiter(members.values(), np.int64, len(members))
        return _ListCoder(text_array(labels), text_array(list(members)), codes, other)

    def describe(self) -> str:
        rest = "" if self.other is None else f", the rest {quoted(self.other)}"
        return f"groups {listed(self.groups)}{rest}"


# Numbers and dates cut into intervals


@dataclass(frozen=True, eq=False)
class CutCoder:
    """Numbers as the intervals between some points, each closed on the right."""

    points: Floats
    kind: Kind
    strict: bool = True
    """Whether a text among the numbers is an error (the user said: numbers) or a missing cell (we guessed so)."""

    @cached_property
    def labels(self) -> pa.StringArray:
        """The intervals as people write them."""
        ends = ["-inf", *(end_label(point, self.kind) for point in self.points), "inf"]
        intervals = [f"({low},{high}]" for low, high in pairwise(ends)]
        return text_array([*intervals[:-1], intervals[-1].replace("]", ")")])

    def assign(self, values: pa.Array) -> Integers:
        numbers = finite_numbers(values, self.kind) if self.strict else some_numbers(values, self.kind)
        return np.where(np.isnan(numbers), UNKNOWN, np.searchsorted(self.points, numbers, side="left"))


@dataclass(frozen=True)
class Cut:
    """Intervals between given points, each closed on the right."""

    points: tuple[float, ...]
    scale: Kind = Kind.NUMBER

    def learn(self, seen: Seen) -> Coder:
        return CutCoder(np.array(self.points, dtype=np.float64), self.scale)

    def describe(self) -> str:
        return f"{len(self.points) + 1} intervals at {', '.join(end_label(p, self.scale) for p in self.points)}"


@dataclass(frozen=True)
class Quantiles:
    """Intervals that hold about equally many labelled rows."""

    intervals: int
    strict: bool = True

    def learn(self, seen: Seen) -> Coder:
        return CutCoder(self.points(seen), seen.kind, self.strict)

    def points(self, seen: Seen) -> Floats:
        """The points of a column's values, as ``quantile_points`` has them."""
        numbers = finite_numbers(seen.values, seen.kind)
        if not len(numbers):
            return numbers
        points, counting = quantile_points(numbers[None, :], seen.counts, self.intervals)
        return np.asarray(points[counting])

    def describe(self) -> str:
        return f"{self.intervals} intervals at quantiles"


@dataclass(frozen=True)
class Widths:
    """Intervals of equal width between the least and the greatest labelled value."""

    intervals: int

    def learn(self, seen: Seen) -> Coder:
        numbers = finite_numbers(seen.values, seen.kind)
        if not len(numbers) or numbers.min() == numbers.max():
            return CutCoder(np.empty(0), seen.kind)
        share = np.arange(1, self.intervals) / self.intervals
        # Not low + share·(high - low): the difference of extreme numbers is beyond a double.
        return CutCoder(np.unique(numbers.min() * (1 - share) + numbers.max() * share), seen.kind)

    def describe(self) -> str:
        return f"{self.intervals} intervals of equal width"


def quantile_points(numbers: Floats, weights: Integers | None, intervals: int) -> tuple[Floats, Flags]:
    """The points at which each row of a matrix is cut, and which of them count.

    They are the least numbers at or below which lies each i/k of the table rows: no interpolation, so counted rows and
    repeated ones give the same points. A point does not count if it repeats the one before, or if it is the largest
    number, above which nothing lies. NaN is missing; every row has a number. ``weights`` says how many equal table rows
    each place stands for; None where each is one.
    """
    present = np.count_nonzero(~np.isnan(numbers), axis=1)
    if weights is None:
        places = rows_up_to_each_share(present, intervals) - 1
        # numpy sorts with SIMD, in less time than it partitions at several places.
        ordered = np.sort(numbers, axis=1)
    else:
        order = np.argsort(numbers, axis=1)
        ordered = np.take_along_axis(numbers, order, axis=1)
        below = np.cumsum(np.where(np.isnan(ordered), 0, weights[order]), axis=1)
        wanted = rows_up_to_each_share(below[:, -1], intervals)
        places = np.stack([np.searchsorted(rows, count) for rows, count in zip(below, wanted, strict=True)])
    points = np.take_along_axis(ordered, places, axis=1)
    counting = points < np.take_along_axis(ordered, present[:, None] - 1, axis=1)
    counting[:, 1:] &= points[:, 1:] > points[:, :-1]
    return points, counting


def rows_up_to_each_share(rows: Integers, intervals: int) -> Integers:
    """1/k … (k-1)/k of the table rows of each column, rounded up."""
    # Rows may be counted in quadrillions, so that a multiple of them is beyond 64 bits.
    whole, rest = np.divmod(rows[:, None], intervals)
    shares = np.arange(1, intervals)
    return np.asarray(whole * shares - (-rest * shares // intervals))


def interval_codes(numbers: Floats, points: Floats, counting: Flags) -> Codes:
    """For each number, how many of its row's counting points are below it; NaN comes after the last interval."""
    most = counting.shape[1]
    codes = np.zeros(numbers.shape, dtype=code_type(most + 2))
    if most <= _FEW_POINTS:
        for point in np.where(counting, points, np.inf).T:
            codes += numbers > point[:, None]
    else:
        for place, row in enumerate(numbers):
            codes[place] = np.searchsorted(points[place, counting[place]], row)
    absent = np.isnan(numbers)
    if absent.any():
        intervals = (np.count_nonzero(counting, axis=1) + 1).astype(codes.dtype)
        np.copyto(codes, np.broadcast_to(intervals[:, None], codes.shape), where=absent)
    return codes


# Numbers as they are


@dataclass(frozen=True)
class Numeric:
    """What a mapping calls numbers or dates, for a classifier that counts: checked to be such, then cut if need be."""

    fallback: Rule = field(default_factory=Category)
    scale: Kind | None = None
    """What they are by the user's word; without it, what the column holds."""

    def learn(self, seen: Seen) -> Coder:
        finite_numbers(seen.values, self.scale or seen.kind)
        return self.fallback.learn(seen)

    def describe(self) -> str:
        return f"{'numeric' if self.scale is None else 'date'}, as {self.fallback.describe()}"


@dataclass(frozen=True)
class Measured:
    """Numbers as they are, for a classifier that measures: there is nothing to learn, and no list of values."""

    strict: bool = True
    """Whether a text among the numbers is an error (the user said: numbers) or a missing cell (we guessed so)."""
    scale: Kind | None = None
    """What they are by the user's word; without it, what the column holds."""

    def numbers(self, values: pa.Array, kind: Kind) -> Floats:
        """The number of each value; NaN, which stands for a missing cell, where there is none."""
        return finite_numbers(values, self.scale or kind, strict=self.strict)

    def describe(self) -> str:
        return "date" if self.scale is Kind.DATE else "numeric"


# Columns of yes and no: comparisons and memberships, which have nothing to learn and are their own coders


class _YesNo:
    labels: ClassVar[pa.StringArray] = text_array(("no", "yes"))

    def learn(self, seen: Seen) -> Self:
        return self


@dataclass(frozen=True)
class Ordering(_YesNo):
    """Yes where a number, or a date, is below or above a bound."""

    symbol: str
    bound: float
    scale: Kind = Kind.NUMBER

    def assign(self, values: pa.Array) -> Integers:
        return ORDERINGS[self.symbol](finite_numbers(values, self.scale), self.bound).astype(np.int64)

    def describe(self) -> str:
        return f"yes/no: {self.symbol} {end_label(self.bound, self.scale)}"


@dataclass(frozen=True)
class Among(_YesNo):
    """Yes where the value is one of a few (negated: none): the same number or date however written, or the text."""

    texts: tuple[str, ...]
    numbers: tuple[float, ...] = ()
    scale: Kind = Kind.NUMBER
    negated: bool = False

    def assign(self, values: pa.Array) -> Integers:
        texts = text_array([text.strip() for text in self.texts])
        among = are_among(values, texts, np.array(self.numbers, dtype=np.float64), self.scale)
        return np.asarray(among != self.negated, dtype=np.int64)

    def describe(self) -> str:
        return f"yes/no: {'not ' if self.negated else ''}{listed(self.texts)}"


def speaks_of_texts(rule: Rule | None) -> bool:
    """Whether a rule names texts as the file has them, or keeps them: then they mean what they say."""
    return isinstance(rule, (Category, Groups)) or (isinstance(rule, Among) and not rule.numbers)


def scale_of(rule: Rule | None) -> Kind | None:
    """What a column holds by the word of its rule: numbers, dates, or None where a rule leaves that open."""
    if getattr(rule, "scale", None) is Kind.DATE:
        return Kind.DATE
    return Kind.NUMBER if isinstance(rule, Numeric) else None


def cuts_numbers(rule: Rule | Measured) -> bool:
    """Whether a rule makes intervals of numbers."""
    return isinstance(rule.fallback if isinstance(rule, Numeric) else rule, (Cut, Quantiles, Widths))
