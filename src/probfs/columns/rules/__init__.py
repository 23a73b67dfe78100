"""What can be done to a column: each rule learns from the values of labelled rows, then gives any value its code.

A rule works on a column's distinct values, never on its cells, so its cost does not grow with the table.
"""

from __future__ import annotations

from probfs.columns.rules.base import UNKNOWN, Coder, Rule, Seen, UnfitValueError, short_number, some_numbers
from probfs.columns.rules.categories import Category, Frequent, Groups
from probfs.columns.rules.intervals import Cut, CutCoder, Quantiles, Widths, interval_labels
from probfs.columns.rules.numbers import Measured, Numeric
from probfs.columns.rules.yes_no import ORDERINGS, Among, Ordering

__all__ = [
    "ORDERINGS",
    "UNKNOWN",
    "Among",
    "Category",
    "Coder",
    "Cut",
    "CutCoder",
    "Frequent",
    "Groups",
    "Measured",
    "Numeric",
    "Ordering",
    "Quantiles",
    "Rule",
    "Seen",
    "UnfitValueError",
    "Widths",
    "interval_labels",
    "short_number",
    "some_numbers",
]
