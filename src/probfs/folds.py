"""Stratified folds that depend on what the rows say, not on where they stand.

Rows are ordered by class and then by a seeded hash of their content, and dealt out in turn. Shuffling rows or columns
changes nothing, and a row that stands for m equal rows is dealt out as m rows would be.
"""

from __future__ import annotations

import hashlib

import numpy as np
import numpy.typing as npt

from probfs.encoding import Dataset, Feature
from probfs.errors import DataError, UsageError
from probfs.table import Integers, Kind, numbers_of
from probfs.text import quoted


def deal_folds(dataset: Dataset, folds: int, seed: int) -> Integers:
    """How many copies of each row are in each fold: an array of folds × rows."""
    if folds > dataset.rows:
        problem = f"--folds {folds} is more than the {dataset.rows:,} labelled rows of {dataset.source}"
        raise UsageError(f"{problem}; use fewer, or --estimate loo")
    order = np.lexsort((_content_hash(dataset, seed), dataset.labels))
    ends = np.cumsum(dataset.counts[order])
    starts = ends - dataset.counts[order]
    fold = np.arange(folds)[:, None]
    dealt = np.empty((folds, len(order)), dtype=np.int64)
    # Of the places start … end-1, those that leave the remainder `fold` when divided by the number of folds.
    dealt[:, order] = (ends - 1 - fold) // folds - (starts - 1 - fold) // folds
    return dealt


def check_class_sizes(dataset: Dataset) -> None:
    """Holding rows out leaves nothing to learn from when a class has one row only."""
    for name, rows in dataset.class_rows().items():
        if rows < 2:
            problem = f"class {quoted(name)} has one row only, and holding it out leaves none"
            raise DataError(f"{problem}; use --estimate resubstitution, or drop the row", source=dataset.source)


def _content_hash(dataset: Dataset, seed: int) -> npt.NDArray[np.uint64]:
    total = np.zeros(len(dataset.labels), dtype=np.uint64)
    for feature in dataset.features:
        # Sums of 64-bit numbers wrap around, and do not depend on the order of the columns.
        total += _value_hashes(feature, seed)[feature.labelled]
    return total


def _value_hashes(feature: Feature, seed: int) -> npt.NDArray[np.uint64]:
    numbers = numbers_of(feature.labels, Kind.TEXT)
    # The same number however it is written, so that 1 and 1.0 are dealt alike.
    texts = [*(feature.labels.to_pylist() if numbers is None else numbers.tolist()), None]
    digests = (
        hashlib.blake2b(repr((seed, feature.name, text)).encode("utf-8", "surrogatepass"), digest_size=8).digest()
        for text in texts
    )
    return np.frombuffer(b"".join(digests), dtype="<u8").astype(np.uint64)
