"""Twins of dropped features, against sums over every combination of values."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from probfs.columns.dataset import Dataset
from probfs.screening import joint_counts, redundancy
from probfs.screening.redundancy import CodedTable, find_twins
from tests.support.screening import dataset_of, datasets

Cell = tuple[int, ...]


def entropy(rows: Counter[Cell], *places: int) -> float:
    """The entropy of some places of the cells, in nats."""
    margin: Counter[Cell] = Counter()
    for cell, count in rows.items():
        margin[tuple(cell[place] for place in places)] += count
    total = sum(margin.values())
    return -sum(count / total * math.log(count / total) for count in margin.values() if count)


def plain_shares(dataset: Dataset, dropped: int, kept: int) -> tuple[float, float]:
    """What two features share, and how much the kept one explains, written as in the definition."""
    rows: Counter[Cell] = Counter()
    one, other = dataset.features[dropped], dataset.features[kept]
    for j, i, y, count in zip(one.labelled, other.labelled, dataset.labels, dataset.counts, strict=True):
        if j < one.values and i < other.values and count:
            rows[int(j), int(i), int(y)] += int(count)
    total = sum(rows.values())
    if not total:
        return 0.0, 0.0
    vj, vi, k = (len({cell[place] for cell in rows}) for place in (0, 1, 2))
    y = entropy(rows, 2)
    within = entropy(rows, 0, 2) + entropy(rows, 1, 2) - entropy(rows, 0, 1, 2) - y
    given_other = entropy(rows, 0, 1) + entropy(rows, 1, 2) - entropy(rows, 0, 1, 2) - entropy(rows, 1)
    alone = entropy(rows, 0) + y - entropy(rows, 0, 2)
    within -= (vj - 1) * (vi - 1) * k / (2 * total)
    given_other -= (vj - 1) * (k - 1) * vi / (2 * total)
    alone -= (vj - 1) * (k - 1) / (2 * total)
    smaller = min(entropy(rows, 0, 2), entropy(rows, 1, 2)) - y
    shared = min(max(within / smaller, 0), 1) if smaller > 1e-12 else 0.0
    return shared, min(max(1 - max(given_other, 0) / alone, 0), 1) if alone > 1e-12 else 0.0


@given(datasets(rows=40), st.sampled_from([1, 60, 1 << 21]))
@settings(max_examples=40)
def test_twins_are_those_of_the_definition(dataset: Dataset, at_a_time: int) -> None:
    features = len(dataset.features)
    dropped, kept = np.arange(features), np.arange(features)[::-1]
    with pytest.MonkeyPatch.context() as patch:
        for module in (joint_counts, redundancy):
            patch.setattr(module, "CELLS_AT_A_TIME", at_a_time)
        twins = find_twins(CodedTable.of(dataset), dropped, kept)
    for position in dropped.tolist():
        shares = {i: plain_shares(dataset, position, i) for i in kept.tolist()}
        best = max(shared for shared, _ in shares.values())
        twin = next(i for i, (shared, _) in shares.items() if shared >= best - 1e-9)
        assert twins.twin[position] == twin
        assert (twins.shared[position], twins.explained[position]) == pytest.approx(shares[twin], abs=1e-9)


def noisy_copies(seed: int, rows: int = 500) -> Dataset:
    """Two features that follow the class apart from each other, and a copy of the first with a few cells shuffled."""
    random = np.random.default_rng(seed)
    labels = random.integers(0, 2, rows)
    first, second = ((random.random(rows) < np.where(labels, 0.75, 0.3)).astype(np.int64) for _ in range(2))
    copy = first.copy()
    some = random.random(rows) < 0.15
    copy[some] = random.permutation(copy[some])
    return dataset_of([first, second, copy], labels)


def test_a_copy_has_its_source_as_twin_and_a_rival_does_not_explain() -> None:
    for seed in range(20):
        dataset = noisy_copies(seed)
        copies = find_twins(CodedTable.of(dataset), np.array([2]), np.array([1, 0]))
        assert copies.twin.tolist() == [0]
        assert copies.shared[0] > 0.4
        assert copies.explained[0] > 0.8
        rivals = find_twins(CodedTable.of(dataset), np.array([1]), np.array([0]))
        assert rivals.shared[0] < 0.05
        assert rivals.explained[0] < 0.6


def test_counted_rows_are_repeated_rows() -> None:
    dataset = noisy_copies(1, rows=60)
    counts = np.arange(60) % 4
    counted = find_twins(CodedTable.of(replace(dataset, counts=counts)), np.array([2]), np.array([0, 1]))
    rows = np.repeat(np.arange(60), counts)
    features = tuple(replace(feature, labelled=feature.labelled[rows]) for feature in dataset.features)
    repeated = replace(dataset, features=features, labels=dataset.labels[rows], counts=np.ones(len(rows), np.int64))
    twins = find_twins(CodedTable.of(repeated), np.array([2]), np.array([0, 1]))
    assert twins.explained.tolist() == counted.explained.tolist()
    assert twins.shared.tolist() == counted.shared.tolist()


def test_nothing_kept_leaves_no_twin() -> None:
    twins = find_twins(CodedTable.of(noisy_copies(0)), np.array([0, 2]), np.array([], dtype=np.int64))
    assert (twins.twin.tolist(), twins.explained.tolist()) == ([-1, -1], [0, 0])
    assert find_twins(CodedTable.of(noisy_copies(0)), np.array([], dtype=np.int64), np.array([1])).twin.tolist() == []


def test_features_with_very_many_values_take_no_more_memory_than_their_rows() -> None:
    rows = 30_000
    keys, labels = np.arange(rows) // 3, np.arange(rows) % 2
    twins = find_twins(CodedTable.of(dataset_of([keys, keys[::-1].copy()], labels)), np.array([1]), np.array([0]))
    assert twins.twin.tolist() == [0]
