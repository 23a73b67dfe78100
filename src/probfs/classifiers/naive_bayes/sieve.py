"""The features that may have the lowest scores of a round, each judged by as few rows as it takes.

With many columns most rows are nearly certain, and a few rows decide the scores. These rows come first. A sum of
absolute changes only grows from row to row, so a feature can be dropped as soon as its sum is above that of a feature
which was summed over all rows; a sum of signed changes can still fall, but by no more than a bound on the rows that are
left. Only the features that remain are scored, exactly and in double precision; so the sieve itself may use single
precision, which halves the memory that has to stay in the cache.

``docs/sieve.md`` has the definitions, the bounds and their proofs. Here is what sieves have in common, whatever the
number of classes; the loops over rows are ``kernels.loops.sieve_scan`` and ``kernels.loops.many_class_sieve_scan``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from probfs.classifiers.naive_bayes.compiled_many_class_rows import CompiledManyClassRows
from probfs.classifiers.naive_bayes.compiled_two_class_rows import CompiledTwoClassRows
from probfs.classifiers.naive_bayes.counts import ClassCounts
from probfs.classifiers.protocol import Features
from probfs.kernels.kernel import BoundKernel, Kernel, UpTo
from probfs.kernels.loops.sieve_bounds import ROWS_PER_CHECK, count_checks
from probfs.kernels.loops.sieve_scan import gather_cells
from probfs.tables.table import Codes, Floats, Integers

_MAX_WANTED = 64
"""Finding k lowest features costs k times finding one."""
_CHAMPIONS = 4
"""How many features are summed over all rows at first, where one is wanted."""
_SCANS_PER_ORDER = 16
"""How many passes over all cells pay for sorting the rows again, which costs as much as two passes."""
_ROUNDING = 2.0**-17
"""Bound on a sum's relative rounding error, divided by (1 + E) and by the number of classes; larger than any difference
between ties.
"""

CompiledRows = CompiledTwoClassRows | CompiledManyClassRows


class Sieve(ABC):
    """Rows in the order in which they matter, and the loop that goes through them."""

    def __init__(
        self,
        rows: Sequence[CompiledRows],
        counts: ClassCounts,
        absolute: bool,
        loop: Kernel,
        place_dtype: np.dtype[Any],
        widths: Integers,
        arguments: Mapping[str, Any],
    ) -> None:
        """``rows`` are all that the score is a sum over, and ``counts`` those of the labelled rows. ``widths`` are the
        numbers of values of the features in the tables that cells, of ``place_dtype``, are places in. ``arguments`` are
        those that only this ``loop`` has.

        KernelUnavailable is raised here, where there are no loops, and not in the middle of an elimination.
        """
        self._rows = rows
        self._counts_of_classes = counts
        self._absolute = absolute
        self._loop = loop
        self._widths = widths
        self._codes = _join_codes(rows, place_dtype)
        for needed in (gather_cells, loop):
            needed.load(self._codes.dtype.name)
        self._counts = np.concatenate([own.counts for own in rows])
        features, size = self._codes.shape
        self._cells = np.empty((count_checks(size), features, ROWS_PER_CHECK), dtype=self._codes.dtype)
        self._line_of, self._features = np.empty((2, features), dtype=np.int64)
        self._found = np.empty(2, dtype=np.int64)
        classes = len(counts.rows)
        kinds = 2 * classes
        self._classes = classes
        self._reach = self._largest_log_odds()
        self._rounding, self._fall = np.empty(features), np.zeros((features, classes, 2))
        self._arguments = {
            "cells": self._cells,
            "rows": size,
            "features": self._features,
            "count": UpTo(features),
            "champions": UpTo(min(_MAX_WANTED + _CHAMPIONS - 1, features)),
            "line_of": self._line_of,
            "absolute": absolute,
            "rounding": self._rounding,
            "fall": self._fall,
            "bounds": np.empty(features),
            "remaining": np.empty((count_checks(size) + 1, kinds + 1)),
            "estimate": np.zeros(features),
            "found": self._found,
            **arguments,
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
        self._fill_tables(active)
        # 1 + E, from the logarithms: e is largest where they are.
        self._rounding[:] = _ROUNDING * self._classes * np.exp(self._rows[0].exponent * self._reach)
        if not self._absolute:
            self._fall[:] = self._largest_falls()

    def find_candidates(self, active: Features, wanted: int) -> Features:
        """The features that may be among the ``wanted`` lowest, or be tied with these."""
        if wanted > _MAX_WANTED or 2 * wanted >= len(active):
            return active
        self._compute_weights()
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
            order = np.argsort(self._gaps() - np.log(np.abs(self._counts)))
        table, in_order = self._arrange_rows(order)
        self._line_of[active] = np.arange(len(active))
        gather = gather_cells.bind(
            codes=self._codes,
            rows=len(order),
            features=active,
            count=len(active),
            widths=self._widths,
            order=order,
            table=table,
            cells=self._cells,
        )
        gather()
        self._cells_until_sorted = _SCANS_PER_ORDER * len(order) * len(active)
        return self._loop.bind(
            **self._arguments, **in_order, lines=len(active), order=order, counts=self._counts[order]
        )

    @abstractmethod
    def _fill_tables(self, active: Features) -> None:
        """Compute the tables of the active features for the rows' exponent."""

    @abstractmethod
    def _largest_log_odds(self) -> Floats:
        """For each feature the largest difference, at exponent 1, between the logarithms of two classes' factors."""

    @abstractmethod
    def _largest_falls(self) -> Floats:
        """For each feature and kind of loss, the most that the feature takes from rows of that kind."""

    @abstractmethod
    def _compute_weights(self) -> None:
        """Compute the rows' log-odds, or log-weights, which the loop begins with."""

    @abstractmethod
    def _gaps(self) -> Floats:
        """By how much, in logarithms, each row's most probable class leads the next."""

    @abstractmethod
    def _arrange_rows(self, order: npt.NDArray[np.intp]) -> tuple[Integers, Mapping[str, npt.NDArray[Any]]]:
        """The tables that the cells of each row are to be places in, and the loop's arguments that have something for
        each row, both in this order.
        """


def _join_codes(rows: Sequence[CompiledRows], dtype: np.dtype[Any]) -> Codes:
    if len(rows) == 1:
        return rows[0].codes.astype(dtype, copy=False)
    return np.concatenate([own.codes for own in rows], axis=1, dtype=dtype)
