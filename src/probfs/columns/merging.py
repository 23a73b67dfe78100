"""Equal rows made one row that counts for several, where a table has few kinds of rows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from probfs.columns.encoding import Dataset, Feature
from probfs.tables.table import Integers

_BLOCK = 1 << 17
"""Rows that are looked at together, if there are not more kinds, so that what is made of them stays in the cache."""
_WORTH = 4
"""How many rows there must be for each kind of row that could occur, for merging to pay."""


def merged(dataset: Dataset) -> Dataset:
    """The dataset with equal rows merged, if so many columns of so few values cannot but repeat themselves."""
    sizes: list[int] = []
    for feature in dataset.features:
        sizes.append(_size(feature))
        kinds = math.prod(sizes)
        if kinds * len(dataset.classes) * _WORTH > len(dataset.counts):
            return dataset
    labelled = [dataset.labels, *(feature.labelled for feature in dataset.features)]
    cells, counts = _distinct(labelled, [len(dataset.classes), *sizes], dataset.counts)
    features = [
        replace(feature, labelled=own.astype(feature.labelled.dtype))
        for feature, own in zip(dataset.features, cells[1:], strict=True)
    ]
    unlabelled_counts = dataset.unlabelled_counts
    if kinds * _WORTH <= len(unlabelled_counts):
        further, unlabelled_counts = _distinct([f.unlabelled for f in dataset.features], sizes, unlabelled_counts)
        features = [
            replace(feature, unlabelled=own.astype(feature.unlabelled.dtype))
            for feature, own in zip(features, further, strict=True)
        ]
    return replace(
        dataset, features=tuple(features), labels=cells[0], counts=counts, unlabelled_counts=unlabelled_counts
    )


def _size(feature: Feature) -> int:
    """How many values a feature has, a missing cell being one if there are any."""
    return 1 + max(int(codes.max(initial=0)) for codes in (feature.labelled, feature.unlabelled))


def _distinct(
    columns: Sequence[npt.NDArray[np.integer[Any]]], sizes: Sequence[int], counts: Integers
) -> tuple[list[Integers], Integers]:
    """Each kind of row once, column by column, and how many rows there are of it."""
    single = bool((counts == 1).all())
    totals = np.zeros(math.prod(sizes), dtype=np.int64)
    at_a_time = max(_BLOCK, len(totals))
    for first in range(0, len(counts), at_a_time):
        rows = slice(first, first + at_a_time)
        kind = _kinds([column[rows] for column in columns], sizes)
        # Adding in double precision is exact up to 2**53 rows.
        own = np.bincount(kind, weights=None if single else counts[rows])
        totals[: len(own)] += own.astype(np.int64, copy=False)
    present = np.flatnonzero(totals)
    digits: list[Integers] = []
    rest = present
    for size in reversed(sizes):
        rest, digit = np.divmod(rest, size)
        digits.append(digit)
    return digits[::-1], totals[present]


def _kinds(columns: Sequence[npt.NDArray[np.integer[Any]]], sizes: Sequence[int]) -> npt.NDArray[np.integer[Any]]:
    """Rows as one number each, of which every column is a digit; in as few bytes as it takes so far."""
    kind: npt.NDArray[np.integer[Any]] = np.zeros(len(columns[0]), dtype=np.uint8)
    kinds = 1
    for column, size in zip(columns, sizes, strict=True):
        kinds *= size
        kind = kind.astype(np.min_scalar_type(kinds), copy=False)
        kind *= kind.dtype.type(size)
        kind += column.astype(kind.dtype, copy=False)
    return kind
