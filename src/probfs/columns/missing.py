"""Missing cells: nothing, as in the paper, or a value of their own where they tell the class."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np

from probfs.columns.roles import ColumnPlan, Role, RowFacts
from probfs.columns.rules import UNKNOWN
from probfs.columns.target import Target
from probfs.notes import Note, NoteKind
from probfs.tables.arrays import Floats, Integers
from probfs.tables.column import Column
from probfs.tables.table import Table
from probfs.text import listed, option

LEAST_MISSING = 5
"""With fewer missing cells a column's missingness is never judged."""
SURELY = 1e-3
"""Missing cells tell the class where chance alone would deal them out so unevenly more rarely than this."""
_MOST_OUTCOMES = 1 << 18
"""Outcomes of the test that are summed up one by one; beyond, the outcomes near the mean, or the normal law."""
_DEVIATIONS = 12
"""Outcomes farther from the mean than this many standard deviations have no weight worth a sum."""
_AS_LIKELY = 1 + 1e-7
"""Two outcomes whose probabilities differ by less are equally likely: the difference is rounding."""


def missingness_tells(missing_by_class: Sequence[int] | Integers, rows_by_class: Sequence[int] | Integers) -> float:
    """The probability that missing cells dealt out by chance would differ so much from the classes' shares.

    For each class an exact two-sided hypergeometric test: of all ways to choose which rows are missing, the share in
    which the number from this class is no more likely than the one at hand. The least of these probabilities, times
    the number of classes.

    >>> round(missingness_tells([10, 0], [10, 10]), 8)
    2.165e-05
    >>> missingness_tells([3, 3], [10, 10])
    1.0
    """
    missing, rows = [int(count) for count in missing_by_class], [int(count) for count in rows_by_class]
    every, chosen = sum(rows), sum(missing)
    least = min(_two_sided(own, every, size, chosen) for own, size in zip(missing, rows, strict=True))
    return min(1.0, least * len(rows))


def decide_missing(
    table: Table,
    plans: Sequence[ColumnPlan],
    target: Target,
    facts: RowFacts,
    *,
    choice: str,
    by_column: Mapping[str, str],
) -> tuple[tuple[ColumnPlan, ...], tuple[Note, ...]]:
    """The plans with those features marked whose missing cells count as a value, and a note on what auto found.

    ``choice`` is for all columns, ``by_column`` the mapping's word for some. A feature whose labelled cells are all
    there, or all missing, has nothing to mark.
    """
    decided: list[ColumnPlan] = []
    telling: list[str] = []
    for plan in plans:
        how = by_column.get(plan.name, choice) if plan.role is Role.FEATURE else "skip"
        if how != "skip" and _is_marked(table.columns[plan.name], facts, target, always=how == "value"):
            decided.append(replace(plan, missing_is_value=True))
            if how == "auto":
                telling.append(plan.name)
        else:
            decided.append(plan)
    if not telling:
        return tuple(decided), ()
    ways = option("missing", "skip|value")
    message = f"missing cells count as a value where they tell the class ({ways}): {listed(telling)}"
    return tuple(decided), (NoteKind.MISSING_CELLS.note(message, telling),)


def _is_marked(column: Column, facts: RowFacts, target: Target, *, always: bool) -> bool:
    weights, missing = facts.labelled_weights, facts.labelled[column.name].missing
    present = (column.rows if weights is None else int(weights.sum())) - missing
    if always or missing < LEAST_MISSING or not present:
        return always and missing > 0 and present > 0
    return missingness_tells(_missing_by_class(column, target, weights), target.class_rows) < SURELY


def _missing_by_class(column: Column, target: Target, weights: Integers | None) -> Integers:
    """How many rows of each class lack a value."""
    rows, own = column.missing_cells(weights)
    labels = target.labels[rows]
    known = labels != UNKNOWN
    own = None if own is None else own[known]
    return np.bincount(labels[known], own, minlength=len(target.classes)).astype(np.int64)


@lru_cache(maxsize=1 << 12)
def _two_sided(own: int, every: int, size: int, chosen: int) -> float:
    """The probability of an outcome no likelier than ``own`` when ``chosen`` of ``every`` are drawn, ``size`` of which
    are of the class.
    """
    least, most = max(0, chosen + size - every), min(chosen, size)
    if most - least >= _MOST_OUTCOMES:
        mean = chosen * (size / every)
        deviation = math.sqrt(mean * ((every - size) / every) * ((every - chosen) / (every - 1)))
        # Beside a small mean the law is Poisson's, whose tail is longer than the normal one's.
        reach = _DEVIATIONS * deviation + 50
        if 2 * reach >= _MOST_OUTCOMES:
            return math.erfc(max(abs(own - mean) - 0.5, 0) / deviation / math.sqrt(2))
        least, most = max(least, math.floor(mean - reach)), min(most, math.ceil(mean + reach))
        if not least <= own <= most:
            return 0.0
    probabilities = _hypergeometric(least, most, every, size, chosen)
    return min(1.0, float(probabilities[probabilities <= probabilities[own - least] * _AS_LIKELY].sum()))


def _hypergeometric(least: int, most: int, every: int, size: int, chosen: int) -> Floats:
    """The probabilities of ``least`` … ``most`` of the class among those drawn, from the ratios of neighbours."""
    outcomes = np.arange(least, most, dtype=np.float64)
    rising = np.log(size - outcomes) + np.log(chosen - outcomes)
    falling = np.log(outcomes + 1) + np.log(every - size - chosen + outcomes + 1)
    logarithms = np.concatenate([[0.0], np.cumsum(rising - falling)])
    weights = np.exp(logarithms - logarithms.max())
    shares: Floats = weights / weights.sum()
    return shares
