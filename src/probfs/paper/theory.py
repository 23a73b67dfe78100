"""What the scores estimate: S_S, S_A and S_B, eqs. (1), (12) and (5), of a distribution that is fully known."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from probfs.errors import DataError
from probfs.tables.column import Column
from probfs.tables.table import Table
from probfs.text import did_you_mean, listed, quoted

Exact = npt.NDArray[np.longdouble]
"""More digits than are shown, where the machine has them: then 0.15 comes out as 0.15."""

CELL, POSITIVE = "p", "p_y"
"""The columns of a table of cells: the probability of the cell, and of the positive class in it."""
_NUMBER = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)(?:/(0*[1-9]\d*))?", re.ASCII | re.IGNORECASE)
_ROUNDING = 1e-6
"""How far from 1 the probabilities of all cells may add up, being written with some digits only."""


@dataclass(frozen=True, eq=False)
class Joint:
    """A distribution of discrete features and of a class that is positive or not."""

    names: tuple[str, ...]
    codes: npt.NDArray[np.int64]
    """Features × cells."""
    cell: Exact
    """p(x) of every cell; they add up to 1."""
    positive: Exact
    """P(y=1|x) in every cell."""

    def groups_without(self, feature: int) -> npt.NDArray[np.intp]:
        """For every cell the number of its group, those that differ in this feature only."""
        others = self.codes.copy()
        others[feature] = 0
        return np.unique(others, axis=1, return_inverse=True)[1].reshape(-1)

    def positive_without(self, feature: int) -> Exact:
        """P(y=1|x^-j) in every cell."""
        groups = self.groups_without(feature)
        weight, both = group_sums(groups, self.cell), group_sums(groups, self.cell * self.positive)
        # What never happens has no probability of a class, and none is needed: it counts for nothing.
        return np.divide(both, weight, out=np.zeros_like(both), where=weight > 0)[groups]


@dataclass(frozen=True)
class PopulationScores:
    """What a feature is worth where nothing has to be estimated."""

    feature: str
    s_s: float
    s_a: float
    s_b: float


def population_scores(joint: Joint) -> tuple[PopulationScores, ...]:
    """S_S, S_A and S_B of every feature.

    >>> half, positive = np.array([[0.5, 0.5], [0.25, 0.75]], np.longdouble)
    >>> population_scores(Joint(("x",), np.array([[0, 1]]), half, positive))
    (PopulationScores(feature='x', s_s=0.25, s_a=0.125, s_b=0.25),)
    """
    found = []
    for feature, name in enumerate(joint.names):
        change = joint.positive - joint.positive_without(feature)
        s_s = joint.cell @ np.abs(change)
        # Eqs. (13) to (15) make a square of (12), of which nothing cancels.
        s_a = 2 * (joint.cell @ change**2)
        # What the feature adds to the accuracy of the best possible classifier. Within a group, E|Z| - |E Z| is twice
        # the smaller of E[Z⁺] and E[Z⁻]: never below 0, and 0 where no cell's majority differs from the group's.
        groups, lead = joint.groups_without(feature), joint.cell * (joint.positive - 0.5)
        s_b = 2 * np.minimum(group_sums(groups, np.maximum(lead, 0)), group_sums(groups, np.maximum(-lead, 0))).sum()
        found.append(PopulationScores(name, float(s_s), float(s_a), float(s_b)))
    return tuple(found)


def group_sums(groups: npt.NDArray[np.intp], terms: Exact) -> Exact:
    totals = np.zeros(groups.max() + 1, np.longdouble)
    np.add.at(totals, groups, terms)
    return totals


def joint_from_table(table: Table, decimal: str = ".") -> Joint:
    """A table with one row for each cell: its features, ``p`` and ``p_y``, whose decimals follow ``decimal``."""
    columns = {name: table.usable(column) for name, column in table.columns.items()}
    for name in (CELL, POSITIVE):
        if name not in columns:
            near = did_you_mean(name, columns)
            raise DataError(f"no column {quoted(name)}{near}; p and p_y hold the probabilities", source=table.source)
    features = [column for name, column in columns.items() if name not in (CELL, POSITIVE)]
    if not features:
        raise DataError("no column beside p and p_y; the others are the features", source=table.source)
    for column in features:
        if len(column.values) in column.codes:
            raise table.cell_error(column, len(column.values), "the value is missing; every cell has one")
    cell, positive = (_probabilities(table, columns[name], decimal) for name in (CELL, POSITIVE))
    codes = np.array([column.codes for column in features], dtype=np.int64)
    _, first, inverse = np.unique(codes, axis=1, return_index=True, return_inverse=True)
    for row in np.flatnonzero(first[inverse.reshape(-1)] != np.arange(table.rows))[:1].tolist():
        texts = listed(f"{column.name}={column.values[int(column.codes[row])].as_py()}" for column in features)
        source, _, line = table.place(row)
        raise DataError(f"the cell {texts} is there a second time; give each cell once", source=source, line=line)
    total = cell.sum()
    if abs(total - 1) > _ROUNDING:
        raise DataError(f"the probabilities in {quoted(CELL)} add up to {total:.9g}, not to 1", source=table.source)
    return Joint(tuple(column.name for column in features), codes, cell / total, positive)


def _probabilities(table: Table, column: Column, decimal: str) -> Exact:
    """The number in each row; the distinct texts are read."""
    numbers = []
    for code, text in enumerate(column.values.to_pylist()):
        parts = _NUMBER.fullmatch(text.strip().replace(decimal, "."))
        if parts is None:
            raise table.cell_error(column, code, f"{quoted(text)} is not a number; write it like 0.25 or 1/4")
        number = float(parts[1]) / float(parts[2] or 1)
        if not 0 <= number <= 1:
            raise table.cell_error(column, code, f"{quoted(text)} is not a probability; write a number from 0 to 1")
        # Of what a double cannot hold, numpy would only warn.
        numbers.append(np.longdouble(parts[1]) / np.longdouble(parts[2] or 1) if number else np.longdouble(0))
    if len(numbers) in column.codes:
        raise table.cell_error(column, len(numbers), "the probability is missing; write 0 for what never happens")
    return np.array(numbers, np.longdouble)[column.codes]
