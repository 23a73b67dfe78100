"""The features that may be lowest, each judged by as few rows as it takes.

With many columns most rows are all but certain, and a few decide over the scores. These come first. A sum of absolute
changes only grows from row to row, so a feature is out as soon as its sum is beyond that of a feature which was summed
over all rows; a sum of signed changes can fall by no more than what the rows that are left can lose.

When rows are put in order, each is given the tables of e that look towards its more probable class (see ``two_class``),
and keeps them until rows are put in order again, even if its other class, of probability q, becomes the more probable
one. If the tables look towards its own class, a feature with e < 0 takes p·q·|e| / (1 - q·|e|) from it, at most q·|e|
as p = 1 - q; if they look towards the other class, one with e > 0 takes p·q·e / (1 + q·e), at most p·q·e.

Only who may be lowest is found out here: the scores of these few are computed as ever. So single precision will do,
which takes half of the cache. A change is p·q / (1/e + q), and where 1/e and q are off by 2^-24 of themselves it is by
that times (|1/e| + q) / |1/e + q|, for any q at most 2·(1 + E): E is the feature's largest e in the tables of either
class, and as what is 1 + e in the one is 1 / (1 + e) in the other, no e is below 1 / (1 + E) - 1. Further roundings of
2^-24 come with the division, and not more than one for each row with the sum over a block. The terms of a signed sum,
which these are relative to, are no larger in all than the sum and twice what can be lost.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from probfs.classifiers.naive_bayes.compiled_rows import LargeTwoClassRows, table_at
from probfs.classifiers.naive_bayes.counts import ClassCounts
from probfs.classifiers.naive_bayes.rows import Rows
from probfs.classifiers.naive_bayes.two_class_rows import TwoClassRows
from probfs.classifiers.protocol import Features
from probfs.kernels import BLOCK, SIFTED
from probfs.kernels.loader import address, loop
from probfs.tables.table import Floats

MOST_CELLS = 1 << 26
"""Beyond this another copy of the codes would take too much memory."""
MOST_PLACES = 1 << 16
"""In the tables of one feature, so that a place takes two bytes at most."""
LARGEST_EXCESS = 1e6
"""For features with larger e, a row's weight that is too small for single precision might still count."""
_MOST_WANTED = 64
"""To find as many lowest takes as many times as long as to find one."""
_CHAMPIONS = 4
"""How many features are summed over all rows to begin with, where one is wanted."""
_WORTH_ARRANGING = 16
"""How many times all cells are gone through before rows are put in order again, which takes as long as two times."""
_ROUNDING = 2.0**-16
"""What sums may be off by, relative to (1 + E) times themselves and what can be lost; more than ties are apart by."""


def sieve_for(groups: Sequence[Rows], absolute: bool, counts: ClassCounts) -> Sieve | None:
    """A sieve for a sum over some rows; None where they are so many that threads do as well."""
    rows = [own for own in groups if isinstance(own, LargeTwoClassRows)]
    if len(rows) < len(groups) or sum(own.codes.shape[1] for own in rows) > BLOCK:
        return None
    places = 2 * sum(len(own.groups) for own in rows) * (int(rows[0].layout.values.max()) + 1)
    largest: Floats = np.max([own.largest_excess() for own in rows], axis=0)
    if sum(own.codes.size for own in rows) > MOST_CELLS or places > MOST_PLACES or largest.max() > LARGEST_EXCESS:
        return None
    return Sieve(rows, absolute, counts, largest)


class Sieve:
    """A loop that goes through rows until it is clear who may be lowest, and what it looks at."""

    def __init__(
        self, rows: Sequence[LargeTwoClassRows], absolute: bool, counts: ClassCounts, largest_excess: Floats
    ) -> None:
        """``rows`` are all that the score is a sum over, ``counts`` those of the labelled ones."""
        self._absolute = absolute
        groups = [group for own in rows for group in own.groups]
        layout = rows[0].layout
        # Two tables for each group, one after the other for each feature, which has the same number of values in each.
        excess = np.concatenate([group.tables.excess.reshape(2, -1) for group in groups])
        self._first_table = 2 * np.repeat(np.arange(len(groups)), [len(group.counts) for group in groups])
        self._widths = layout.values + 1
        self._base = layout.offset * len(excess)
        with np.errstate(divide="ignore", over="ignore"):
            # Infinity where a feature changes nothing.
            by_feature = np.split((1 / excess).astype(np.float32), layout.offset[1:], axis=1)
        self._tables = np.concatenate([own.ravel() for own in by_feature])
        kind = np.min_scalar_type(len(excess) * int(self._widths.max()) - 1)
        self._codes = rows[0].codes.astype(kind, copy=False)
        if len(rows) > 1:
            self._codes = np.concatenate([own.codes for own in rows], axis=1, dtype=kind)
        self._counts = np.concatenate([own.counts for own in rows])
        features, size = self._codes.shape
        blocks = (size + SIFTED - 1) // SIFTED
        self._odds, favour = np.empty((2, size))
        ends = np.cumsum([len(own.counts) for own in rows])
        pieces = np.split(self._odds, ends[:-1])
        self._odds_of_rows = [(own.high, own.low, odds) for own, odds in zip(rows, pieces, strict=True)]
        self._cells = np.empty((blocks, features, SIFTED), dtype=kind)
        self._line, self._features = np.empty((2, features), dtype=np.int64)
        self._found = np.empty(2, dtype=np.int64)
        rounding = _ROUNDING * (1 + largest_excess)
        fall = np.zeros((features, 4)) if absolute else _falls(groups, counts)
        bounds, estimate = np.zeros((2, features))
        q, weight, loss = np.empty((3, blocks * SIFTED), dtype=np.float32)
        rest = np.empty((blocks + 1, 5))
        self._room = rounding, fall, bounds, favour, q, weight, loss, rest, estimate, self._found
        self._room_at = [address(room) for room in self._room]
        self._features_at = address(self._features)
        self._arrange, self._sift = loop("arrange", kind.name), loop("two_class_sift", kind.name)
        self._cells_until_arranged = 0

    def may_be_lowest(self, active: Features, wanted: int) -> Features:
        """The features that may be among the ``wanted`` lowest, or be tied with these."""
        if wanted > _MOST_WANTED or 2 * wanted >= len(active):
            return active
        for high, low, odds in self._odds_of_rows:
            np.add(high, low, out=odds)
        if self._cells_until_arranged <= 0:
            self._arrange_rows(active)
        self._features[: len(active)] = active
        champions = min(wanted + _CHAMPIONS - 1, len(active))
        self._sift(
            *self._cells_at,
            self._features_at,
            len(active),
            *self._tables_at,
            self._absolute,
            champions,
            wanted,
            *self._room_at,
        )
        found, cells = self._found.tolist()
        self._cells_until_arranged -= cells
        may_be: Features = self._features[:found].copy()
        may_be.sort()
        return may_be

    def _arrange_rows(self, active: Features) -> None:
        """Put the rows that may change most first."""
        with np.errstate(divide="ignore"):
            # A row that counts for nothing comes last.
            order = np.argsort(np.abs(self._odds) - np.log(np.abs(self._counts)))
        towards = np.where(self._odds[order] >= 0, 1.0, -1.0)
        counts = self._counts[order]
        table = self._first_table[order] + (towards < 0)
        self._line[active] = np.arange(len(active))
        self._arrange(
            *table_at(self._codes),
            address(active),
            len(active),
            *[address(array) for array in (self._widths, order, table, self._cells)],
        )
        arrays = self._line, self._base, self._tables, order, self._odds, towards, counts
        # Kept for as long as the loop has their addresses.
        self._arranged = arrays
        self._cells_at = address(self._cells), len(active), len(order)
        self._tables_at = [address(array) for array in arrays]
        self._cells_until_arranged = _WORTH_ARRANGING * len(order) * len(active)


def _falls(groups: Sequence[TwoClassRows], counts: ClassCounts) -> Floats:
    """The largest |e| with which each feature takes from rows: from those of class 0 whose tables look towards it, or
    towards class 1, and from those of class 1 whose tables look towards it, or towards class 0.
    """
    offset = groups[0].layout.offset
    falls = np.zeros((len(offset), 2, 2))
    for group in groups:
        first, second = np.where(counts.held(group.label), group.tables.excess.reshape(2, -1), 0.0)
        own, other = (second, first) if group.label == 1 else (first, second)
        by_feature = np.stack([np.maximum.reduceat(taking, offset) for taking in (-own, other)], axis=1)
        of_class = falls[:, 1 if group.label == 1 else 0]
        np.maximum(of_class, by_feature, out=of_class)
    return falls
