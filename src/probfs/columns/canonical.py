"""Rows and columns in an order that only their content decides, with equal rows merged.

A classifier that is fitted step by step, or that draws at random, answers a little differently when its rows come in
another order. Brought into this order first, a table is ranked the same however it was shuffled, and the same whether
equal rows are repeated or counted.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from probfs.columns.encoding import Dataset, Feature
from probfs.tables.table import Codes, Integers, Kind, numbers_of

Hashes = npt.NDArray[np.uint64]


def canonical(dataset: Dataset, seed: int) -> Dataset:
    """The same dataset with its features in the order of their names, and its distinct rows in that of their hashes."""
    features = sorted(dataset.features, key=lambda feature: feature.name)
    labelled, unlabelled = content_hashes(dataset, seed)
    rows, counts = _distinct([dataset.labels, *(f.labelled for f in features)], labelled, dataset.counts)
    no_class = np.zeros(len(unlabelled), dtype=np.int64)
    others, other_counts = _distinct(
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
    """A number for each labelled and each unlabelled row that depends on its cells only, not on their order."""
    labelled = np.zeros(len(dataset.labels), dtype=np.uint64)
    unlabelled = np.zeros(len(dataset.unlabelled_counts), dtype=np.uint64)
    for feature in dataset.features:
        hashes = _value_hashes(feature, seed)
        # Sums of 64-bit numbers wrap around, and do not depend on the order of the columns.
        labelled += hashes[feature.labelled]
        unlabelled += hashes[feature.unlabelled]
    return labelled, unlabelled


def _value_hashes(feature: Feature, seed: int) -> Hashes:
    """A number for each value of a feature, and one for a missing cell."""
    numbers = numbers_of(feature.labels, Kind.TEXT) if feature.numbers is None else feature.numbers
    if numbers is None:
        return np.array([_hash(seed, feature.name, text) for text in [*feature.labels.to_pylist(), None]], np.uint64)
    # The same number however it is written, so that 1 and 1.0 are dealt alike; adding 0 makes -0 the same as 0.
    salt = np.uint64(_hash(seed, feature.name))
    return np.append(_mixed((numbers + 0.0).view(np.uint64) ^ salt), _mixed(np.array([~salt])))


def _hash(*content: int | str | None) -> int:
    text = repr(content).encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "little")


def _mixed(numbers: Hashes) -> Hashes:
    """Numbers in which every bit depends on every bit of the original: the finalizer of Steele's splitmix64."""
    numbers = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    numbers = (numbers ^ (numbers >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return numbers ^ (numbers >> np.uint64(31))


def _distinct(cells: list[Codes | Integers], hashes: Hashes, counts: Integers) -> tuple[npt.NDArray[np.intp], Integers]:
    """One of each kind of equal rows, by class and then by hash, and how many rows each stands for.

    ``cells`` holds the class and then the columns.
    """
    # Once in an age rows that differ share a hash: the cells settle their order. Lexsort's last key counts first.
    order = np.lexsort((*cells[1:], hashes, cells[0]))
    new = np.arange(len(order)) == 0
    for column in cells:
        new[1:] |= np.diff(column[order].astype(np.int64)) != 0
    totals = np.bincount(np.cumsum(new) - 1, weights=counts[order], minlength=np.count_nonzero(new))
    return order[new], totals.astype(np.int64)
