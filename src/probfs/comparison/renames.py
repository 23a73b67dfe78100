"""Columns that are probably the same under another name: what they score tells."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from probfs.comparison.documents import ComparedColumn

_TOLERANCE = 1e-9
"""What rounding leaves of the scores of a column, relative to their size, when columns or rows change their order."""
_MANY = 100
"""Columns of which so many score the same are none that a score could tell apart."""


def find_renames(
    vanished: Sequence[ComparedColumn], appeared: Sequence[ComparedColumn], same_rows: bool = False
) -> dict[str, str]:
    """Old names with the new names that took their place: pairs that score the same, and as no other of either side.

    All scores that both have must agree, and the probability of the test against the class. Columns without any effect
    (a score of 0, or no score and a p of 0 or 1) all look the same, so they are never matched.

    The scores of a support vector machine depend on the names, which decide how rows are dealt into folds and shuffled;
    those of any classifier depend on the other columns. So if only one column vanished and only one appeared, and if
    the tables have as many rows, which is ``same_rows``, their p alone may tell: it tests the column by itself.
    """
    forwards, backwards = _only_matches(vanished, appeared), _only_matches(appeared, vanished)
    matches = {old: new for old, new in forwards.items() if backwards.get(new) == old}
    if not matches and same_rows and len(vanished) == len(appeared) == 1:
        old, new = vanished[0], appeared[0]
        if 0 < (old.p or 0) < 1 and _are_close(old.p, new.p, 0.0):
            return {old.name: new.name}
    return matches


def _only_matches(columns: Sequence[ComparedColumn], others: Sequence[ComparedColumn]) -> dict[str, str]:
    """The columns that match exactly one of the others."""
    telling = sorted(filter(_is_telling, others), key=_size)
    sizes = [_size(other) for other in telling]
    matches: dict[str, str] = {}
    for column in filter(_is_telling, columns):
        size = _size(column)
        first = bisect_left(sizes, size * (1 - 2 * _TOLERANCE))
        last = bisect_right(sizes, size * (1 + 2 * _TOLERANCE))
        if last - first > _MANY:
            continue
        matching = [other.name for other in telling[first:last] if _score_the_same(column, other)]
        if len(matching) == 1:
            matches[column.name] = matching[0]
    return matches


def _is_telling(column: ComparedColumn) -> bool:
    return _size(column) > 0 if column.strength is not None else 0 < _size(column) < 1


def _size(column: ComparedColumn) -> float:
    """The absolute score; for a column that a selection screened out, p."""
    return (column.p or 0.0) if column.strength is None else column.strength


def _score_the_same(one: ComparedColumn, other: ComparedColumn) -> bool:
    pairs = zip((*one.traits, one.p), (*other.traits, other.p), strict=True)
    size = max(one.strength or 0.0, other.strength or 0.0)
    return all(_are_close(first, second, size) for first, second in pairs)


def _are_close(first: float | None, second: float | None, size: float) -> bool:
    if first is None or second is None:
        return first is second
    return abs(first - second) <= _TOLERANCE * max(size, abs(first), abs(second))
