"""Twins of dropped features, against sums over every combination of values. Rows are in one block, or in several."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from probfs.columns.dataset import Dataset
from probfs.screening import redundancy
from probfs.screening.redundancy import find_twins
from tests.support.screening import SplitBlocks, dataset_of, datasets, repeat_rows

Cell = tuple[int, ...]
CUTS = st.lists(st.integers(0, 5), max_size=3)


def twins_of(
    dataset: Dataset, dropped: list[int], kept: list[int], cuts: Sequence[int] = ()
) -> dict[int, tuple[int, float]]:
    return find_twins(SplitBlocks.of(dataset, cuts), dataset, dropped, kept)


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


@given(datasets(rows=40), st.sampled_from([1, 60, 1 << 21]), CUTS)
@settings(max_examples=60)
def test_twins_are_those_of_the_definition(dataset: Dataset, at_a_time: int, cuts: list[int]) -> None:
    dropped = list(range(len(dataset.features)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(redundancy, "_CELLS_AT_A_TIME", at_a_time)
        twins = twins_of(dataset, dropped, dropped[::-1], [min(cut * 7, len(dataset.labels)) for cut in cuts])
    for position in dropped:
        shares = {i: plain_shares(dataset, position, i) for i in dropped[::-1]}
        best = max(shared for shared, _ in shares.values())
        twin = next(i for i, (shared, _) in shares.items() if shared >= best - 1e-9)
        assert twins[position][0] == twin
        assert twins[position][1] == pytest.approx(shares[twin][1], abs=1e-9)


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
        twin, explained = twins_of(dataset, [2], [1, 0])[2]
        assert twin == 0
        assert explained > 0.8
        assert twins_of(dataset, [1], [0])[1][1] < 0.6


def test_counted_rows_are_repeated_rows() -> None:
    dataset = replace(noisy_copies(1, rows=60), counts=np.arange(60) % 4)
    assert twins_of(repeat_rows(dataset), [2], [0, 1]) == twins_of(dataset, [2], [0, 1])


def test_nothing_kept_leaves_no_twin() -> None:
    assert twins_of(noisy_copies(0), [0, 2], []) == twins_of(noisy_copies(0), [], [1]) == {}


def test_features_with_very_many_values_take_no_more_memory_than_their_rows() -> None:
    rows = 30_000
    keys, labels = np.arange(rows) // 3, np.arange(rows) % 2
    assert twins_of(dataset_of([keys, keys[::-1].copy()], labels), [1], [0], [9_000])[1][0] == 0
