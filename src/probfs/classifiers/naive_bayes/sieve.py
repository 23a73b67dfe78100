"""The features that may have the lowest scores of a round, each judged by as few rows as it takes.

With many columns most rows are nearly certain, and a few rows decide the scores. These rows come first. A sum of
absolute changes only grows from row to row, so a feature can be dropped as soon as its sum is above that of a feature
which was summed over all rows; a sum of signed changes can still fall, but by no more than a bound on the rows that are
left. Only the features that remain are scored, exactly and in double precision; so the sieve itself may use single
precision, which halves the memory that has to stay in the cache.

``docs/sieve.md`` has the definitions, the bounds and their proofs; the loop over rows is ``kernels.loops.sieve_scan``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from probfs.classifiers.naive_bayes.compiled_two_class_rows import CompiledTwoClassRows
from probfs.classifiers.naive_bayes.counts import ClassCounts
from probfs.classifiers.naive_bayes.rows import Rows
from probfs.classifiers.naive_bayes.two_class_rows import TwoClassRows
from probfs.classifiers.protocol import Features
from probfs.kernels.constants import ROWS_PER_BLOCK
from probfs.kernels.kernel import BoundKernel, UpTo
from probfs.kernels.loops.sieve_scan import (
    KINDS_OF_LOSS,
    MAX_LOSS,
    REMAINDERS,
    ROWS_PER_CHECK,
    count_checks,
    gather_cells,
    sift_features,
)
from probfs.tables.table import Codes, Floats

_MAX_CELLS = 1 << 26
"""Beyond this another copy of the codes would take too much memory."""
_MAX_PLACES = 1 << 16
"""In the tables of one feature, so that a place takes two bytes at most."""
_MAX_EXCESS = 1e6
"""Of features with larger e at exponent 1, even rows whose weight is too small for single precision might matter."""
_MIN_EXCESS = 2.0**-51
"""Times the exponent: no e is smaller unless it is 0, because nearly equal factors are made equal."""
_MAX_WANTED = 64
"""Finding k lowest features costs k times finding one."""
_CHAMPIONS = 4
"""How many features are summed over all rows at first, where one is wanted."""
_SCANS_PER_ORDER = 16
"""How many passes over all cells pay for sorting the rows again, which costs as much as two passes."""
_ROUNDING = 2.0**-16
"""Bound on a sum's relative rounding error, divided by 1 + E; larger than any difference between ties."""


def build_sieve(groups: Sequence[Rows], absolute: bool, counts: ClassCounts) -> Sieve | None:
    """A sieve for a sum over all rows of these groups; None where there are too many rows to gain by it, or where its
    bounds would not hold.
    """
    compiled = [rows for rows in groups if isinstance(rows, CompiledTwoClassRows)]
    if len(compiled) < len(groups) or sum(rows.codes.shape[1] for rows in compiled) > ROWS_PER_BLOCK:
        return None
    places = 2 * sum(len(rows.groups) for rows in compiled) * (int(compiled[0].layout.values.max()) + 1)
    # At exponent 1, the largest that there can be.
    most = max(float(np.expm1(np.abs(group.tables.log_odds).max())) for rows in compiled for group in rows.groups)
    if sum(rows.codes.size for rows in compiled) > _MAX_CELLS or places > _MAX_PLACES or most > _MAX_EXCESS:
        return None
    largest_sum = sum(float(np.abs(rows.counts).sum()) for rows in compiled) * (1 + most)
    if largest_sum > MAX_LOSS * _MIN_EXCESS * compiled[0].exponent:
        return None
    return Sieve(compiled, absolute, counts)


class Sieve:
    """Rows in the order in which they matter, and the loop that goes through them."""

    def __init__(self, rows: Sequence[CompiledTwoClassRows], absolute: bool, counts: ClassCounts) -> None:
        """``rows`` are all that the score is a sum over, and ``counts`` those of the labelled rows.

        KernelUnavailable is raised here, where there are no loops, and not in the middle of an elimination.
        """
        self._rows = rows
        self._absolute = absolute
        self._counts_of_classes = counts
        self._groups = [group for own in rows for group in own.groups]
        self._tables = _SieveTables(self._groups)
        offset = self._groups[0].layout.offset
        sizes = [np.maximum.reduceat(np.abs(group.tables.log_odds), offset) for group in self._groups]
        self._reach: Floats = np.max(sizes, axis=0)
        self._codes = _join_codes(rows, self._tables.place_dtype)
        for loop in (gather_cells, sift_features):
            loop.load(self._codes.dtype.name)
        self._counts = np.concatenate([own.counts for own in rows])
        features, size = self._codes.shape
        self._odds = np.empty(size)
        self._odds_of_rows = np.split(self._odds, np.cumsum([len(own.counts) for own in rows])[:-1])
        self._cells = np.empty((count_checks(size), features, ROWS_PER_CHECK), dtype=self._codes.dtype)
        self._line_of, self._features = np.empty((2, features), dtype=np.int64)
        self._found = np.empty(2, dtype=np.int64)
        self._rounding, self._fall = np.empty(features), np.zeros((features, KINDS_OF_LOSS))
        self._arguments = {
            "cells": self._cells,
            "rows": size,
            "features": self._features,
            "count": UpTo(features),
            "champions": UpTo(min(_MAX_WANTED + _CHAMPIONS - 1, features)),
            "line_of": self._line_of,
            "base": self._tables.base,
            "tables": self._tables.reciprocals,
            "odds": self._odds,
            "absolute": absolute,
            "rounding": self._rounding,
            "fall": self._fall,
            "estimate": np.zeros(features),
            "found": self._found,
            **_scratch_space(features, size),
        }
        self._sift: BoundKernel | None = None
        self._cells_until_sorted = 0
        self.follow_exponent(np.arange(features))

    @property
    def cells_gone_through(self) -> int:
        """How many cells the last search went through."""
        return int(self._found[1])

    def follow_exponent(self, active: Features) -> None:
        """Compute what depends on the rows' exponent; only the active features will be asked for after this."""
        self._tables.follow_exponent(self._groups, active)
        # 1 + E, from the logarithms: e is largest where they are.
        self._rounding[:] = _ROUNDING * np.exp(self._rows[0].exponent * self._reach)
        if not self._absolute:
            self._fall[:] = _largest_falls(self._groups, self._counts_of_classes).reshape(-1, KINDS_OF_LOSS)

    def find_candidates(self, active: Features, wanted: int) -> Features:
        """The features that may be among the ``wanted`` lowest, or be tied with these."""
        if wanted > _MAX_WANTED or 2 * wanted >= len(active):
            return active
        for rows, odds in zip(self._rows, self._odds_of_rows, strict=True):
            np.add(rows.high, rows.low, out=odds)
            odds *= rows.exponent
        if self._sift is None or self._cells_until_sorted <= 0:
            self._sift = self._sort_rows(active)
        self._features[: len(active)] = active
        champions = min(wanted + _CHAMPIONS - 1, len(active))
        self._sift(count=len(active), champions=champions, wanted=wanted)
        found, cells = self._found.tolist()
        self._cells_until_sorted -= cells
        candidates: Features = self._features[:found].copy()
        candidates.sort()
        return candidates

    def _sort_rows(self, active: Features) -> BoundKernel:
        """Put the rows whose probabilities may change most first; the loop that goes through them in this order."""
        with np.errstate(divide="ignore"):
            # A row of count 0 comes last.
            order = np.argsort(np.abs(self._odds) - np.log(np.abs(self._counts)))
        towards = np.where(self._odds[order] >= 0, 1.0, -1.0)
        table = self._tables.first_table[order] + (towards < 0)
        self._line_of[active] = np.arange(len(active))
        gather = gather_cells.bind(
            codes=self._codes,
            rows=len(order),
            features=active,
            count=len(active),
            widths=self._tables.widths,
            order=order,
            table=table,
            cells=self._cells,
        )
        gather()
        self._cells_until_sorted = _SCANS_PER_ORDER * len(order) * len(active)
        return sift_features.bind(
            **self._arguments, lines=len(active), order=order, towards=towards, counts=self._counts[order]
        )


class _SieveTables:
    """1/e for the rows of all groups: for each feature, the tables of all groups one after the other."""

    def __init__(self, groups: Sequence[TwoClassRows]) -> None:
        self._layout = layout = groups[0].layout
        # Each group has two tables, for rows that favour class 0 and class 1; a feature's tables are equally wide.
        tables = 2 * len(groups)
        self.widths = layout.values + 1
        self.base = layout.offset * tables
        self.first_table = 2 * np.repeat(np.arange(len(groups)), [len(group.counts) for group in groups])
        self.place_dtype = np.min_scalar_type(tables * int(self.widths.max()) - 1)
        self.reciprocals = np.empty(tables * layout.slots, dtype=np.float32)

    def follow_exponent(self, groups: Sequence[TwoClassRows], features: Features) -> None:
        """Fill in the tables of some features from those of the groups."""
        slots = self._layout.slots_of(features)
        feature = np.repeat(np.arange(len(self.widths)), self.widths)[slots]
        first = self.base[feature] + slots - self._layout.offset[feature]
        with np.errstate(divide="ignore", over="ignore"):
            for number, group in enumerate(groups):
                for side, excess in enumerate(group.tables.excess.reshape(2, -1)):
                    # Infinity where a feature changes nothing.
                    self.reciprocals[first + (2 * number + side) * self.widths[feature]] = 1 / excess[slots]


def _join_codes(rows: Sequence[CompiledTwoClassRows], dtype: np.dtype[Any]) -> Codes:
    if len(rows) == 1:
        return rows[0].codes.astype(dtype, copy=False)
    return np.concatenate([own.codes for own in rows], axis=1, dtype=dtype)


def _scratch_space(features: int, rows: int) -> dict[str, npt.NDArray[Any]]:
    padded_rows = count_checks(rows) * ROWS_PER_CHECK
    q, weight, loss = np.empty((3, padded_rows), dtype=np.float32)
    return {
        "bounds": np.empty(features),
        "favour": np.empty(rows),
        "q": q,
        "weight": weight,
        "loss": loss,
        "remaining": np.empty((count_checks(rows) + 1, REMAINDERS)),
    }


def _largest_falls(groups: Sequence[TwoClassRows], counts: ClassCounts) -> Floats:
    """For each feature and kind of loss, the largest |e| with which the feature takes from rows of that kind."""
    offset = groups[0].layout.offset
    falls = np.zeros((len(offset), 2, 2))
    for group in groups:
        first, second = np.where(counts.is_held(group.label), group.tables.excess.reshape(2, -1), 0.0)
        own, other = (second, first) if group.label == 1 else (first, second)
        by_feature = np.stack([np.maximum.reduceat(taking, offset) for taking in (-own, other)], axis=1)
        of_class = falls[:, 1 if group.label == 1 else 0]
        np.maximum(of_class, by_feature, out=of_class)
    return falls
