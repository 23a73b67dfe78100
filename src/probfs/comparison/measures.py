"""How alike two orders of columns are: rank correlations, and overlaps of their beginnings."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

RBO_PERSISTENCE = 0.9
"""How probably a reader of both lists goes on from a column to the next: the first 10 have 86 % of the weight."""
_LENGTHS = tuple(digit * 10**power for power in range(1, 7) for digit in (1, 2, 5))


@dataclass(frozen=True)
class Overlap:
    """How many of the first columns of two rankings are the same."""

    first: int
    shared: int
    share: float


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
    """Kendall's tau-b of 1, 2 … n with these ranks; None for fewer than two. As there are no ties, it is tau-a too.

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


def overlap_lengths(columns: int, top: int) -> list[int]:
    """For which beginnings overlaps are of interest: 5, 10, 20, 50 … as far as there are more columns, and ``top``.

    >>> overlap_lengths(30, 8)
    [5, 8, 10, 20]
    """
    return sorted({min(top, columns), *(length for length in (5, *_LENGTHS) if length < columns)})


def overlap(old: Sequence[str], new: Sequence[str], first: int) -> Overlap:
    """How many of the first columns are the same; a list that is shorter has fewer to share.

    >>> overlap("abc", "bad", 2)
    Overlap(first=2, shared=2, share=1.0)
    """
    shared = len(set(old[:first]) & set(new[:first]))
    return Overlap(first, shared, shared / first)


def rank_biased_overlap(old: Sequence[str], new: Sequence[str]) -> float:
    """The extrapolated rank-biased overlap (Webber, Moffat and Zobel 2010, eq. 32): the first columns count most.

    >>> rank_biased_overlap("abc", "abc"), rank_biased_overlap("abc", "xyz")
    (1.0, 0.0)
    """
    weight, total = 1 - RBO_PERSISTENCE, 0.0
    shorter, longer = sorted((len(old), len(new)))
    places = {name: place for place, name in enumerate(old, 1)}
    # How many columns are in both lists from this depth on.
    joining = Counter(max(place, places[name]) for place, name in enumerate(new, 1) if name in places)
    shared = at_shorter = 0
    for depth in range(1, longer + 1):
        shared += joining[depth]
        if depth <= shorter:
            at_shorter = shared
        # Beyond the end of the shorter list, as many of its columns are expected to be shared as before.
        expected = at_shorter * max(depth - shorter, 0) / shorter
        total += weight * (shared + expected) / depth
        weight *= RBO_PERSISTENCE
    rest = RBO_PERSISTENCE**longer * ((shared - at_shorter) / longer + at_shorter / shorter)
    return min(total + rest, 1.0)
