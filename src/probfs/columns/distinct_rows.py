"""Equal rows made one row that counts for several, and rows in an order that only their content decides."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from probfs.columns.dataset import Dataset, Feature
from probfs.tables.arrays import Codes, Integers
from probfs.tables.cells import Kind
from probfs.tables.column import numbers_of

Hashes = npt.NDArray[np.uint64]
AnyIntegers = npt.NDArray[np.integer[Any]]

_BLOCK = 1 << 17
"""Rows counted together, if there are not more combinations of values, so that their arrays stay in the cache."""
_ROWS_PER_COMBINATION = 4
"""Merging pays where there are at least this many rows for each combination of values that could occur."""


def order_by_content(dataset: Dataset, seed: int) -> Dataset:
    """The same dataset with its features sorted by name, and its distinct rows sorted by class and a seeded hash; rows
    that count for nothing are left out.

    A classifier that is fitted step by step, or that draws at random, answers a little differently when its rows come
    in another order. In this order, a table is ranked the same however it was shuffled, and the same whether equal rows
    are repeated or counted.
    """
    features = sorted(dataset.features, key=lambda feature: feature.name)
    labelled, unlabelled = content_hashes(dataset, seed)
    rows, counts = _distinct_by_hash([dataset.labels, *(f.labelled for f in features)], labelled, dataset.counts)
    no_class = np.zeros(len(unlabelled), dtype=np.int64)
    others, other_counts = _distinct_by_hash(
        [no_class, *(f.unlabelled for f in features)], unlabelled, dataset.unlabelled_counts
    )
    return replace(
        dataset,
        features=tuple(replace(f, labelled=f.labelled[rows], unlabelled=f.unlabelled[others]) for f in features),
        labels=dataset.labels[rows],
        counts=counts,
        unlabelled_counts=other_counts,
    )


def content_hashes(dataset: Dataset, seed: int) -> tuple[Hashes, Hashes]:
    """A hash of each labelled and each unlabelled row that depends on its cells, not on the order of the columns."""
    labelled = np.zeros(len(dataset.labels), dtype=np.uint64)
    unlabelled = np.zeros(len(dataset.unlabelled_counts), dtype=np.uint64)
    for feature in dataset.features:
        hashes = value_hashes(feature, seed)
        # Sums of 64-bit numbers wrap around, and do not depend on the order of the columns.
        labelled += hashes[feature.labelled]
        unlabelled += hashes[feature.unlabelled]
    return labelled, unlabelled


def merge_equal_rows(dataset: Dataset) -> Dataset:
    """The dataset with equal rows merged, where rows must repeat because few combinations of values can occur."""
    sizes: list[int] = []
    combinations = 1
    for feature in dataset.features:
        sizes.append(_values_present(feature))
        combinations = math.prod(sizes)
        if combinations * len(dataset.classes) * _ROWS_PER_COMBINATION > len(dataset.counts):
            return dataset
    labelled = [dataset.labels, *(feature.labelled for feature in dataset.features)]
    cells, counts = _count_combinations(labelled, [len(dataset.classes), *sizes], dataset.counts)
    features = [
        replace(feature, labelled=own.astype(feature.labelled.dtype))
        for feature, own in zip(dataset.features, cells[1:], strict=True)
    ]
    unlabelled_counts = dataset.unlabelled_counts
    if combinations * _ROWS_PER_COMBINATION <= len(unlabelled_counts):
        unlabelled = [feature.unlabelled for feature in dataset.features]
        others, unlabelled_counts = _count_combinations(unlabelled, sizes, unlabelled_counts)
        features = [
            replace(feature, unlabelled=own.astype(feature.unlabelled.dtype))
            for feature, own in zip(features, others, strict=True)
        ]
    return replace(
        dataset, features=tuple(features), labels=cells[0], counts=counts, unlabelled_counts=unlabelled_counts
    )


def value_hashes(feature: Feature, seed: int) -> Hashes:
    """A hash for each code of a feature.

    A missing cell has the same hash whether it counts as a value or not, so that rows are dealt out alike.
    """
    texts = feature.own_labels()
    numbers = numbers_of(texts, Kind.TEXT) if feature.numbers is None else feature.numbers
    if numbers is None:
        hashes = np.array([_hash(seed, feature.name, text) for text in [*texts.to_pylist(), None]], np.uint64)
    else:
        # The same number however it is written, so that 1 and 1.0 are dealt alike; adding 0 makes -0 the same as 0.
        salt = np.uint64(_hash(seed, feature.name))
        hashes = np.append(_mix_bits((numbers + 0.0).view(np.uint64) ^ salt), _mix_bits(np.array([~salt])))
    return np.append(hashes, _mix_bits(hashes[-1:])) if feature.missing_is_value else hashes


def _hash(*content: int | str | None) -> int:
    text = repr(content).encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "little")


def _mix_bits(numbers: Hashes) -> Hashes:
    """Numbers in which every bit depends on every bit of the original: the finalizer of Steele's splitmix64."""
    numbers = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    numbers = (numbers ^ (numbers >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return numbers ^ (numbers >> np.uint64(31))


def _distinct_by_hash(
    cells: list[Codes | Integers], hashes: Hashes, counts: Integers
) -> tuple[npt.NDArray[np.intp], Integers]:
    """The position of one row of each set of equal rows, by class and then by hash, and how many rows each set has.

    ``cells`` holds the class and then the columns.
    """
    # Very rarely, rows that differ share a hash: the cells settle their order. Lexsort's last key counts first.
    order = np.lexsort((*cells[1:], hashes, cells[0]))
    order = order[counts[order] > 0]
    new = np.arange(len(order)) == 0
    for column in cells:
        new[1:] |= np.diff(column[order].astype(np.int64)) != 0
    totals = np.bincount(np.cumsum(new) - 1, weights=counts[order], minlength=np.count_nonzero(new))
    return order[new], totals.astype(np.int64)


def _values_present(feature: Feature) -> int:
    """How many values a feature has, counting a missing cell as one if there are any."""
    return 1 + max(int(codes.max(initial=0)) for codes in (feature.labelled, feature.unlabelled))


def _count_combinations(
    columns: Sequence[AnyIntegers], sizes: Sequence[int], counts: Integers
) -> tuple[list[Integers], Integers]:
    """Each combination of values that occurs, column by column, and how many rows hold it."""
    single = bool((counts == 1).all())
    totals = np.zeros(math.prod(sizes), dtype=np.int64)
    at_a_time = max(_BLOCK, len(totals))
    for first in range(0, len(counts), at_a_time):
        rows = slice(first, first + at_a_time)
        numbers = _combination_numbers([column[rows] for column in columns], sizes)
        # Adding in double precision is exact up to 2**53 rows.
        own = np.bincount(numbers, weights=None if single else counts[rows])
        totals[: len(own)] += own.astype(np.int64, copy=False)
    present = np.flatnonzero(totals)
    digits: list[Integers] = []
    rest = present
    for size in reversed(sizes):
        rest, digit = np.divmod(rest, size)
        digits.append(digit)
    return digits[::-1], totals[present]


def _combination_numbers(columns: Sequence[AnyIntegers], sizes: Sequence[int]) -> AnyIntegers:
    """Each row as one number of which every column is a digit, in the narrowest type that holds the digits so far."""
    numbers: AnyIntegers = np.zeros(len(columns[0]), dtype=np.uint8)
    combinations = 1
    for column, size in zip(columns, sizes, strict=True):
        combinations *= size
        numbers = numbers.astype(np.min_scalar_type(combinations), copy=False)
        numbers *= numbers.dtype.type(size)
        numbers += column.astype(numbers.dtype, copy=False)
    return numbers
