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

_DECIMAL = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_FRACTION = re.compile(r"(\d{1,15})/(0*[1-9]\d{0,14})", re.ASCII)
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
        others = np.delete(self.codes, feature, axis=0)
        if not len(others):
            return np.zeros(self.codes.shape[1], dtype=np.intp)
        return np.unique(others, axis=1, return_inverse=True)[1].reshape(-1)

    def positive_without(self, feature: int) -> Exact:
        """P(y=1|x^-j) in every cell."""
        groups = self.groups_without(feature)
        weight = _sums(groups, self.cell)
        both = _sums(groups, self.cell * self.positive)
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
    return tuple(_scores(joint, feature) for feature in range(len(joint.names)))


def _scores(joint: Joint, feature: int) -> PopulationScores:
    change = joint.positive - joint.positive_without(feature)
    # Eqs. (13) to (15) make a square of (12), of which nothing cancels.
    s_a = float(2 * (joint.cell @ change**2))
    return PopulationScores(joint.names[feature], float(joint.cell @ np.abs(change)), s_a, _accuracy(joint, feature))


def _accuracy(joint: Joint, feature: int) -> float:
    """S_B: what the feature adds to the accuracy of the best possible classifier."""
    # Within a group, E|Z| - |E Z| is twice the smaller of E[Z⁺] and E[Z⁻]: never below 0, and 0 where no cell's
    # majority differs from the group's.
    groups = joint.groups_without(feature)
    lead = joint.cell * (joint.positive - 0.5)
    above = _sums(groups, np.maximum(lead, 0))
    below = _sums(groups, np.maximum(-lead, 0))
    return float(2 * np.minimum(above, below).sum())


def _sums(groups: npt.NDArray[np.intp], terms: Exact) -> Exact:
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
    features = {name: column for name, column in columns.items() if name not in (CELL, POSITIVE)}
    if not features:
        raise DataError("no column beside p and p_y; the others are the features", source=table.source)
    for column in features.values():
        if len(column.values) in column.codes:
            raise table.cell_error(column, len(column.values), "the value is missing; every cell has one")
    cell, positive = (_probabilities(table, columns[name], decimal) for name in (CELL, POSITIVE))
    codes = np.array([column.codes for column in features.values()], dtype=np.int64)
    _check_cells(table, tuple(features), codes)
    total = cell.sum()
    if abs(total - 1) > _ROUNDING:
        raise DataError(f"the probabilities in {quoted(CELL)} add up to {total:.9g}, not to 1", source=table.source)
    return Joint(tuple(features), codes, cell / total, positive)


def _probabilities(table: Table, column: Column, decimal: str) -> Exact:
    by_value = [_number(text.replace(decimal, ".")) for text in column.values.to_pylist()]
    for code, (number, text) in enumerate(zip(by_value, column.values.to_pylist(), strict=True)):
        if number is None:
            raise table.cell_error(column, code, f"{quoted(text)} is no number; write it like 0.25 or 1/4")
        if not 0 <= number <= 1:
            raise table.cell_error(column, code, f"{quoted(text)} is no probability; they lie between 0 and 1")
    if len(by_value) in column.codes:
        raise table.cell_error(column, len(by_value), "the probability is missing; write 0 for what never happens")
    return np.array(by_value, np.longdouble)[column.codes]


def _number(text: str) -> np.longdouble | None:
    text = text.strip()
    fraction = _FRACTION.fullmatch(text)
    if fraction:
        return np.longdouble(int(fraction[1])) / int(fraction[2])
    if not _DECIMAL.fullmatch(text):
        return None
    number = float(text)
    # What a double cannot hold would only make numpy complain.
    return np.longdouble(text) if np.finfo(float).tiny < abs(number) < np.inf else np.longdouble(number)


def _check_cells(table: Table, names: tuple[str, ...], codes: npt.NDArray[np.int64]) -> None:
    """Complain about the first cell that stands in the table a second time."""
    _, first, inverse = np.unique(codes, axis=1, return_index=True, return_inverse=True)
    again = np.flatnonzero(first[inverse.reshape(-1)] != np.arange(codes.shape[1]))
    if not len(again):
        return
    row = int(again[0])
    texts = [table.columns[name].values[int(code)].as_py() for name, code in zip(names, codes[:, row], strict=True)]
    cell = listed(f"{name}={text}" for name, text in zip(names, texts, strict=True))
    source, _, line = table.place(row)
    raise DataError(f"the cell {cell} is there a second time; give each cell once", source=source, line=line)
