"""Values as they are, by groups, or the rare ones together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from probfs.columns.rules.base import UNKNOWN, Coder, Seen, UnfitValueError, positions_in
from probfs.tables.arrow_arrays import mask_array, text_array
from probfs.tables.table import Integers
from probfs.text import counted, listed, quoted

_OTHER = "other"


@dataclass(frozen=True, eq=False)
class _CategoryCoder:
    labels: pa.StringArray

    def assign(self, values: pa.StringArray) -> Integers:
        return positions_in(values, self.labels)


@dataclass(frozen=True)
class Category:
    """The values as they are."""

    def learn(self, seen: Seen) -> Coder:
        if seen.declared is not None:
            return _CategoryCoder(seen.declared)
        return _CategoryCoder(seen.in_order(seen.values))

    def describe(self) -> str:
        return "category"


@dataclass(frozen=True, eq=False)
class _FrequentCoder:
    labels: pa.StringArray
    other: int

    def assign(self, values: pa.StringArray) -> Integers:
        found = positions_in(values, self.labels)
        # A rare value may have the very name that all rare values go by: it is one of them, so that is its place.
        return np.where(found == UNKNOWN, self.other, found)


@dataclass(frozen=True)
class Frequent:
    """The values that enough labelled rows hold; the others together become ``other``.

    Without a name of the user's own they are called other, or a name like it that no frequent value has; a name of the
    user's own may be that of a frequent value, which they then join.
    """

    min_count: int
    other: str | None = None

    def learn(self, seen: Seen) -> Coder:
        frequent = mask_array(seen.counts >= self.min_count)
        labels = seen.in_order(seen.values.filter(frequent)).to_pylist()
        known = len(seen.values if seen.declared is None else seen.declared)
        if len(labels) == known:
            return _FrequentCoder(text_array(labels), UNKNOWN)
        name = _free_name(labels) if self.other is None else self.other
        if name not in labels:
            labels.append(name)
        return _FrequentCoder(text_array(labels), labels.index(name))

    def describe(self) -> str:
        name = quoted(_OTHER if self.other is None else self.other)
        return f"category, {name} for values in fewer than {counted(self.min_count, 'row')}"


def _free_name(labels: Sequence[str]) -> str:
    name = _OTHER
    while name in labels:
        name += "_"
    return name


@dataclass(frozen=True, eq=False)
class _GroupCoder:
    labels: pa.StringArray
    members: pa.StringArray
    codes: Integers
    other: int = UNKNOWN

    def assign(self, values: pa.StringArray) -> Integers:
        found = positions_in(values, self.members)
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
                    at = int(positions_in(text_array([value]), seen.values)[0])
                    raise UnfitValueError(at, f"{quoted(value)} is the name of a group but in none; list it in one")
                members[value] = len(labels)
                labels.append(value)
        codes = np.fromiter(members.values(), np.int64, len(members))
        return _GroupCoder(text_array(labels), text_array(list(members)), codes, other)

    def describe(self) -> str:
        rest = "" if self.other is None else f", the rest {quoted(self.other)}"
        return f"groups {listed(self.groups)}{rest}"
