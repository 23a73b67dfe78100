"""Rows in an order that only their content decides, and stratified folds that are dealt out in such an order.

Rows are ordered by class and then by a seeded hash of their content, and dealt out in turn. Shuffling rows or columns
changes nothing, and a row that stands for m equal rows is dealt out as m rows would be. Where rows belong to subjects,
all rows of a subject are dealt to the same fold.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from probfs.columns.dataset import Dataset, Feature
from probfs.errors import DataError, UsageError
from probfs.tables.arrays import Integers, Labels
from probfs.tables.cells import Kind
from probfs.tables.column import numbers_of
from probfs.text import option, quoted

Hashes = npt.NDArray[np.uint64]

_ROWS_TO_START = 2
"""Of each class, before the first row of a table ordered in time is judged: an SVM needs two."""


def order_by_content(dataset: Dataset, seed: int) -> Dataset:
    """The same dataset with its features sorted by name, and its distinct rows sorted by class and a seeded hash; rows
    that count for nothing are left out.

    A classifier that is fitted step by step, or that draws at random, answers a little differently when its rows come
    in another order. In this order, a table is ranked the same however it was shuffled, and the same whether equal rows
    are repeated or counted.
    """
    features = sorted(dataset.features, key=lambda feature: feature.name)
    labelled, unlabelled = content_hashes(dataset, seed)
    cells: list[npt.NDArray[Any]] = [dataset.labels, *(f.labelled for f in features)]
    if dataset.groups is not None:
        # Numbered by their content, too.
        places = np.argsort(np.argsort(subject_hashes(dataset, labelled), kind="stable"))
        dataset = replace(dataset, groups=places[dataset.groups])
    cells[1:1] = dataset.row_keys()
    rows, counts = _distinct_by_hash(cells, labelled, dataset.counts)
    no_class = np.zeros(len(unlabelled), dtype=np.int64)
    others, other_counts = _distinct_by_hash(
        [no_class, *(f.unlabelled for f in features)], unlabelled, dataset.unlabelled_counts
    )
    ordered = replace(dataset, features=tuple(features)).take(rows, others)
    return replace(ordered, counts=counts, unlabelled_counts=other_counts)


def _distinct_by_hash(
    cells: list[npt.NDArray[Any]], hashes: Hashes, counts: Integers
) -> tuple[npt.NDArray[np.intp], Integers]:
    """The position of one row of each set of equal rows, by class and then by hash, and how many rows each set has.

    ``cells`` holds the class, then the subject and the weight, if there are such, and the columns.
    """
    # Very rarely, rows that differ share a hash: the cells settle their order. Lexsort's last key counts first.
    order = np.lexsort((*cells[1:], hashes, cells[0]))
    order = order[counts[order] > 0]
    new = np.arange(len(order)) == 0
    for column in cells:
        new[1:] |= np.diff(column[order].astype(np.int64)) != 0
    totals = np.bincount(np.cumsum(new) - 1, weights=counts[order], minlength=np.count_nonzero(new))
    return order[new], totals.astype(np.int64)


def content_hashes(dataset: Dataset, seed: int) -> tuple[Hashes, Hashes]:
    """A hash of each labelled and each unlabelled row that depends on its cells, not on the order of the columns."""
    labelled = np.zeros(len(dataset.labels), dtype=np.uint64)
    unlabelled = np.zeros(len(dataset.unlabelled_counts), dtype=np.uint64)
    for feature in dataset.features:
        hashes = value_hashes(feature, seed)
        # Sums of 64-bit numbers wrap around, and do not depend on the order of the columns.
        labelled += hashes[feature.labelled]
        unlabelled += hashes[feature.unlabelled]
    if dataset.weights is not None:
        # By their order: of proportional weights, digits may differ.
        labelled += _mix_bits(np.unique(dataset.weights, return_inverse=True)[1].astype(np.uint64) + np.uint64(1))
    return labelled, unlabelled


def value_hashes(feature: Feature, seed: int) -> Hashes:
    """A hash for each code of a feature.

    A missing cell has the same hash whether it counts as a value or not, so that rows are dealt out alike; and whether
    its column is one with others or not.
    """
    if feature.members:
        together: Hashes = np.sum([value_hashes(column, seed)[column.labelled] for column in feature.members], axis=0)
        return together
    texts = feature.categories()
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


def deal_folds(dataset: Dataset, folds: int, seed: int) -> Integers:
    """How many copies of each row are in each fold: an array of folds × rows."""
    refuse_many_folds(dataset, folds)
    hashes, _ = content_hashes(dataset, seed)
    if dataset.keeps_copies_together:
        return np.where(fold_of_each_row(dataset, hashes, folds) == np.arange(folds)[:, None], dataset.counts, 0)
    order = np.lexsort((hashes, dataset.labels))
    dealt = np.empty((folds, len(order)), dtype=np.int64)
    dealt[:, order] = deal(dataset.counts[order], folds)
    return dealt


def refuse_many_folds(dataset: Dataset, folds: int) -> None:
    """Refuse more folds than there are rows, or subjects."""
    if folds > dataset.units:
        what = "labelled rows" if dataset.groups is None else "subjects"
        problem = f"{option('folds', folds)} is more than the {dataset.units:,} {what} of {dataset.source}"
        raise UsageError(f"{problem}; use fewer, or another {option('estimate')}")


def subject_hashes(dataset: Dataset, hashes: Hashes) -> Hashes:
    """A hash of each subject, of whose labelled rows the hashes are known: subjects of the same rows have the same."""
    assert dataset.groups is not None, "rows do not belong to subjects"
    sums = np.zeros(int(dataset.groups.max(initial=-1)) + 1, dtype=np.uint64)
    with_class = _mix_bits(hashes + _mix_bits(dataset.labels.astype(np.uint64) + np.uint64(1)))
    np.add.at(sums, dataset.groups, with_class * dataset.counts.astype(np.uint64))
    return sums


def fold_of_each_row(dataset: Dataset, hashes: Hashes, folds: int) -> Integers:
    """The fold of each labelled row, which is that of its subject or of its time; ``hashes`` are those of rows."""
    if dataset.times is not None:
        return consecutive_folds(dataset, folds)
    assert dataset.groups is not None, "rows do not belong to subjects"
    order = subject_hashes(dataset, hashes)
    fold_of_each = deal_subjects(dataset.labels, dataset.counts, dataset.groups, order, folds)[dataset.groups]
    of_fold = np.zeros((folds, len(dataset.classes)))
    np.add.at(of_fold, (fold_of_each, dataset.labels), dataset.counts)
    for name, without in zip(dataset.classes, (of_fold.sum(axis=0) - of_fold).min(axis=0).tolist(), strict=True):
        if not without:
            problem = f"class {quoted(name)} has {counted_subjects(dataset, name)}, and a fold would hold all of them"
            raise DataError(f"{problem}; {_without_folds(dataset)}", source=dataset.source)
    return fold_of_each


def consecutive_folds(dataset: Dataset, folds: int) -> Integers:
    """The fold of each labelled row of a dataset whose rows are ordered in time; equal times stay together.

    The first fold, which only teaches, ends where each class has had two rows, and not before its share of the rows.
    It takes one time more where another one is left, so that its own rows can be divided in the same way.
    """
    assert dataset.times is not None, "rows have no order in time"
    held = np.flatnonzero(dataset.counts)
    times, places = np.unique(dataset.times[held], return_inverse=True)
    by_time = np.zeros((len(times), len(dataset.classes)))
    np.add.at(by_time, (places, dataset.labels[held]), dataset.counts[held])
    seen, ends = np.cumsum(by_time, axis=0), np.cumsum(by_time.sum(axis=1))
    taught = 1 + int(np.argmax((seen >= np.minimum(seen[-1], _ROWS_TO_START)).all(axis=1)))
    first = min(max(taught + 1, 1 + int(np.searchsorted(ends, dataset.rows / folds))), len(times) - 1)
    if first < taught:
        # The number tells whether these are all rows, half of them, or the earlier ones that a choice is made from.
        rows = f"the {dataset.rows:,} rows to learn from"
        problem = f"{option('time')} has too few different times: {rows} have only one"
        ways = "use finer times, rank without them"
        if len(times) > 1:
            late = quoted(dataset.classes[int(np.argmax((by_time > 0).argmax(axis=0)))])
            fewer = f"fewer than {_ROWS_TO_START} of that class come before the last time"
            problem = f"class {late} begins too late in {option('time')}: of {rows}, {fewer}"
            ways = "drop the class, rank without times"
        ways += f", or select with {option('folds', 0)}"
        raise DataError(f"{problem}, so that no later row can be judged; {ways}")
    middles = ends[first:] - by_time[first:].sum(axis=1) / 2 - ends[first - 1]
    fold_of_time = np.zeros(len(times), dtype=np.int64)
    fold_of_time[first:] = 1 + (middles * (folds - 1) / (ends[-1] - ends[first - 1])).astype(np.int64)
    fold_of_each: Integers = fold_of_time[np.searchsorted(times, dataset.times).clip(max=len(times) - 1)]
    return fold_of_each


def deal_subjects(
    labels: Integers | Labels, counts: Integers, groups: Integers, order: Hashes | Integers, folds: int
) -> Integers:
    """The fold of each subject, in which each class has as many subjects as in others, if that can be.

    Subjects of rare classes come first, and then the ``order`` counts, which has an entry for each subject.
    """
    held = np.flatnonzero(counts)
    has_class = np.zeros((len(order), int(labels.max(initial=0)) + 1), dtype=np.bool_)
    has_class[groups[held], labels[held]] = True
    subjects = has_class.sum(axis=0)
    rarest = np.where(has_class, subjects, len(order) + 1).min(axis=1)
    in_order = np.lexsort((order, rarest))
    in_order = in_order[rarest[in_order] <= len(order)]
    fold_of_each = np.zeros(len(order), dtype=np.int64)
    rows = np.bincount(groups, counts, minlength=len(order))
    # The share of each class's subjects that a fold has, and its rows, which decide between equals.
    shares, sizes = np.zeros((folds, has_class.shape[1])), np.zeros(folds)
    for subject in in_order.tolist():
        classes = has_class[subject]
        crowded = shares[:, classes].sum(axis=1)
        fold = int(np.lexsort((sizes, crowded.round(9)))[0])
        fold_of_each[subject] = fold
        shares[fold, classes] += 1 / subjects[classes]
        sizes[fold] += rows[subject]
    return fold_of_each


def with_distinguishing_features(dataset: Dataset) -> Dataset:
    """The same rows with about as many features as distinguish all of them, the first in the alphabet.

    Which features these are depends on the distinct rows alone, so rows are dealt out alike whether equal rows are
    repeated or counted, and in whatever order rows and columns come.
    """
    every = sorted(dataset.features, key=lambda feature: feature.name)
    distinct = _count_distinct(dataset, every)
    enough = 1
    while enough < len(every):
        # Rows are looked at only where there could be so many combinations of values.
        combinations = len(dataset.classes) * math.prod(feature.values + 1 for feature in every[:enough])
        if combinations >= distinct and _count_distinct(dataset, every[:enough]) == distinct:
            break
        enough *= 2
    return replace(dataset, features=tuple(every[:enough]))


def _count_distinct(dataset: Dataset, features: Sequence[Feature]) -> int:
    """How many different labelled rows there are of class and some features.

    Rows are compared by sums of random numbers, one for each code of each feature: two collide with a chance of 2^-64.
    """
    random = np.random.default_rng(0)
    sums = dataset.labels.astype(np.uint64)
    for feature in features:
        sums += random.integers(0, 2**64, feature.values + 1, dtype=np.uint64)[feature.labelled]
    # Several times as fast as numpy's unique, which looks each one up in a table.
    return int(np.count_nonzero(np.diff(np.sort(sums)))) + min(len(sums), 1)


def deal(counts: Integers, folds: int, starts: Integers | None = None, fold: int | Integers | None = None) -> Integers:
    """How many copies of each row fall to each fold when all copies are dealt out in turn: folds × rows.

    ``starts`` says where in the deal the copies of each row begin, if not behind those of the row before; ``fold`` asks
    for one of the folds alone.
    """
    starts = np.cumsum(counts) - counts if starts is None else starts
    fold = np.arange(folds)[:, None] if fold is None else fold
    # Of the places start … end-1, those that leave the remainder `fold` when divided by the number of folds.
    dealt: Integers = (starts + counts - 1 - fold) // folds - (starts - 1 - fold) // folds
    return dealt


def row_hashes(dataset: Dataset, seed: int, by_some: bool = False) -> Hashes:
    """A hash of each labelled row, by all of its cells or by as many features as distinguish all rows."""
    return content_hashes(with_distinguishing_features(dataset) if by_some else dataset, seed)[0]


def check_class_sizes(dataset: Dataset) -> None:
    """Holding rows out leaves nothing to learn from when a class has one row only."""
    for name, units in dataset.class_units().items():
        if units < 2:
            held, ways = "one row only, and holding", _without_folds(dataset, "row", 2)
            if dataset.groups is not None:
                held, ways = f"{counted_subjects(dataset, name)}, and leaving", _without_folds(dataset)
            problem = f"class {quoted(name)} has {held} it out leaves none"
            raise DataError(f"{problem}; {ways}", source=dataset.source)


def counted_subjects(dataset: Dataset, class_name: str) -> str:
    subjects = dataset.class_units()[class_name]
    return "rows of one subject only" if subjects == 1 else f"rows of {subjects:,} subjects only"


def _without_folds(dataset: Dataset, what: str = "class", least: int | None = None) -> str:
    """What to do about a class of too few rows, or subjects."""
    least = min(dataset.class_rows().values()) + 1 if least is None else least
    return f"use {option('estimate', 'resubstitution')}, or drop the {what}{by_dropping_rare_classes(dataset, least)}"


def by_dropping_rare_classes(dataset: Dataset, least: int) -> str:
    """How to drop classes of fewer rows, for a message; nothing where two classes would not be left."""
    enough = sum(rows >= least for rows in dataset.class_rows().values()) > 1
    return f" with {option('min_class', least)}" if enough else ""
