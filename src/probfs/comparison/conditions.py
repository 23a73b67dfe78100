"""Conditions on a comparison, for pipelines: ``spearman<0.8`` is true of rankings that have drifted apart."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from probfs.classifiers.options import parse_number
from probfs.errors import UsageError
from probfs.text import option, quoted

if TYPE_CHECKING:
    from probfs.comparison.result import Comparison

_TOO_FEW = "fewer than two columns are in both"
_NOT_KNOWN = "a document lists fewer columns"
_NO_INTERVALS = "neither document has rank intervals"
_NO_SELECTIONS = "the two are not both selections"
_PARTIAL = "lists only its best columns"
MEASURES: Mapping[str, str] = {
    "spearman": _TOO_FEW,
    "kendall": _TOO_FEW,
    "overlap": _NOT_KNOWN,
    "rbo": "",
    "changed": "",
    "rose": "",
    "fell": "",
    "appeared": f"the old document {_PARTIAL}",
    "vanished": f"the new document {_PARTIAL}",
    "renamed": f"a document {_PARTIAL}",
    "beyond": _NO_INTERVALS,
    "verdicts": f"{_NO_SELECTIONS}, or one {_PARTIAL}",
    "kept_changed": _NO_SELECTIONS,
}
"""What a condition can be about, and why there may be no such number."""
_OPERATORS: Mapping[str, Callable[[float, float], bool]] = {
    "<=": operator.le,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    ">": operator.gt,
}
_CONDITION = re.compile(rf"\s*(\w+)\s*({'|'.join(_OPERATORS)})\s*(\S+)\s*")


@dataclass(frozen=True)
class Condition:
    """A measure, an operator and a limit."""

    measure: str
    operator: str
    limit: float

    def explain(self, comparison: Comparison) -> str | None:
        """Why the condition is true, in a few words; None if it is not.

        A measure that the documents do not give makes every condition on it true: a check that cannot be made has not
        been passed.
        """
        value = comparison.measures[self.measure]
        if value is None:
            return f"{self} counts as true: {self.measure} is not known, as {MEASURES[self.measure]}"
        return (
            f"{self} is true: {self.measure} is {value:.12g}" if _OPERATORS[self.operator](value, self.limit) else None
        )

    def __str__(self) -> str:
        return f"{self.measure} {self.operator} {self.limit:g}"


def parse_condition(text: str) -> Condition:
    """The condition that a text says, as in ``SPEARMAN<0.8``.

    >>> parse_condition("SPEARMAN < 0.8")
    Condition(measure='spearman', operator='<', limit=0.8)
    """
    match = _CONDITION.fullmatch(text)
    if match is None:
        problem = f"{quoted(text)} is not a measure, {' '.join(_OPERATORS)}, and a number"
        raise UsageError(f"{option('fail_if')}: {problem}, in quotes, like 'spearman<0.8'; measures: {_listed()}")
    measure, symbol, limit = match[1].lower(), match[2], parse_number(match[3])
    if measure not in MEASURES:
        raise UsageError(f"{option('fail_if')}: {quoted(match[1])} is no measure; choose from {_listed()}")
    if limit is None:
        raise UsageError(f"{option('fail_if')}: {quoted(match[3])} is not a number, in the condition {quoted(text)}")
    return Condition(measure, symbol, limit)


def _listed() -> str:
    return ", ".join(MEASURES)
