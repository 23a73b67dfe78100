"""Numbers as they are."""

from __future__ import annotations

from dataclasses import dataclass, field

import pyarrow as pa

from probfs.columns.rules.base import Coder, Rule, Seen, all_numbers, finite, some_numbers
from probfs.columns.rules.categories import Category
from probfs.tables.table import Floats, Kind


@dataclass(frozen=True)
class Numeric:
    """What a mapping calls numeric, for a classifier that counts: checked to be numbers, then cut if need be."""

    fallback: Rule = field(default_factory=Category)

    def learn(self, seen: Seen) -> Coder:
        all_numbers(seen.values, seen.kind)
        return self.fallback.learn(seen)

    def describe(self) -> str:
        return f"numeric, as {self.fallback.describe()}"


@dataclass(frozen=True)
class Measured:
    """Numbers as they are, for a classifier that measures: there is nothing to learn, and no list of values."""

    strict: bool = True
    """Whether a text among the numbers is an error (the user said: numbers) or a missing cell (we guessed so)."""

    def numbers(self, values: pa.StringArray, kind: Kind) -> Floats:
        """The number of each value; NaN, which stands for a missing cell, where there is none."""
        return all_numbers(values, kind) if self.strict else finite(values, some_numbers(values, kind))

    def describe(self) -> str:
        return "numeric"
