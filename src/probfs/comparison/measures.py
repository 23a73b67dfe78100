"""How alike two orders are, and conditions on measures for pipelines, like ``spearman<0.8``."""

from __future__ import annotations

import operator
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from probfs.classifiers.options import parse_number
from probfs.errors import UsageError
from probfs.text import option, quoted

RBO_PERSISTENCE = 0.9
"""How probably a reader of both lists goes on from a column to the next: the first 10 have 86 % of the weight."""
_TOO_FEW = "fewer than two columns are in both"
_NO_SELECTIONS = "the two are not both selections"
_PARTIAL = "lists only its best columns"
MEASURES: Mapping[str, str] = {
    "spearman": _TOO_FEW,
    "kendall": _TOO_FEW,
    "overlap": "a document lists fewer columns",
    "rbo": "",
    "changed": "",
    "rose": "",
    "fell": "",
    "appeared": f"the old document {_PARTIAL}",
    "vanished": f"the new document {_PARTIAL}",
    "renamed": f"a document {_PARTIAL}",
    "beyond": "neither document has rank intervals",
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


def spearman(ranks: Sequence[int]) -> float | None:
    """Spearman's correlation of 1, 2 … n with these ranks, which are the same numbers; None for fewer than two.

    >>> spearman([1, 2, 3]), spearman([3, 2, 1]), spearman([1])
    (1.0, -1.0, None)
    """
    number = len(ranks)
    if number < 2:
        return None
    squares = sum((rank - position) ** 2 for position, rank in enumerate(ranks, 1))
    return 1 - 6 * squares / (number * (number**2 - 1))


def kendall(ranks: Sequence[int]) -> float | None:
    """Kendall's tau of 1, 2 … n with these ranks, which are the same numbers; None for fewer than two.

    >>> kendall([1, 3, 2])
    0.33333333333333337
    """
    number = len(ranks)
    if number < 2:
        return None
    sorted_ranks: list[int] = []
    inversions = 0
    for seen, rank in enumerate(ranks):
        place = bisect_left(sorted_ranks, rank)
        sorted_ranks.insert(place, rank)
        inversions += seen - place
    return 1 - 4 * inversions / (number * (number - 1))


def rank_biased_overlap(old: Sequence[str], new: Sequence[str]) -> float:
    """The extrapolated rank-biased overlap (Webber, Moffat and Zobel 2010, eq. 32): the first columns count most.

    >>> rank_biased_overlap("abc", "abc"), rank_biased_overlap("abc", "xyz")
    (1.0, 0.0)
    """
    shorter, longer = sorted((len(old), len(new)))
    places = {name: place for place, name in enumerate(old, 1)}
    # How many columns are in both lists from this depth on.
    joining = Counter(max(place, places[name]) for place, name in enumerate(new, 1) if name in places)
    shared = list(accumulate(joining[depth] for depth in range(longer + 1)))
    weight, total = 1 - RBO_PERSISTENCE, 0.0
    for depth in range(1, longer + 1):
        # Beyond the end of the shorter list, as many of its columns are expected to be shared as before.
        expected = shared[shorter] * max(depth - shorter, 0) / shorter
        total += weight * (shared[depth] + expected) / depth
        weight *= RBO_PERSISTENCE
    rest = (shared[longer] - shared[shorter]) / longer + shared[shorter] / shorter
    return min(total + RBO_PERSISTENCE**longer * rest, 1.0)


@dataclass(frozen=True)
class Condition:
    """A measure, an operator and a limit."""

    measure: str
    operator: str
    limit: float

    def explain(self, measures: Mapping[str, float | None]) -> str | None:
        """Why the condition is true, in a few words; None if it is not.

        A measure that is not known makes every condition on it true: a check that cannot be made has not been passed.
        """
        value, name = measures[self.measure], self.measure
        if value is None:
            return f"{self} counts as true: {name} is not known, as {MEASURES[name]}"
        return f"{self} is true: {name} is {value:.12g}" if _OPERATORS[self.operator](value, self.limit) else None

    def __str__(self) -> str:
        return f"{self.measure} {self.operator} {self.limit:g}"


def parse_condition(text: str) -> Condition:
    """The condition that a text says, as in ``SPEARMAN<0.8``.

    >>> parse_condition("SPEARMAN < 0.8")
    Condition(measure='spearman', operator='<', limit=0.8)
    """
    match = _CONDITION.fullmatch(text)
    if match is None:
        problem = f"{quoted(text)} is not a measure, {' '.join(_OPERATORS)}, and a number, in quotes, like"
        raise UsageError(f"{option('fail_if')}: {problem} 'spearman<0.8'; measures: {', '.join(MEASURES)}")
    measure, limit = match[1].lower(), parse_number(match[3])
    if measure not in MEASURES:
        raise UsageError(f"{option('fail_if')}: {quoted(match[1])} is not a measure; choose from {', '.join(MEASURES)}")
    if limit is None:
        raise UsageError(f"{option('fail_if')}: {quoted(match[3])} is not a number, in the condition {quoted(text)}")
    return Condition(measure, match[2], limit)
