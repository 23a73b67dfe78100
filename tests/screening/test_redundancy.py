"""Twins of dropped features, against sums over every combination of values; and near-copies of any kind of column."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import spearmanr

import probfs
from probfs.columns.dataset import Dataset
from probfs.screening import near_copies, redundancy
from probfs.screening.counting import CodedNumbers, count_values
from probfs.screening.near_copies import find_near_copies
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


# Near-copies: who is one, by any kind of column, in one block or in several


RANDOM = np.random.default_rng(0)
ROWS = 300
LABELS = RANDOM.integers(0, 2, ROWS)
NUMBERS = RANDOM.normal(size=ROWS) + LABELS
OTHERS = RANDOM.normal(size=ROWS) + LABELS
COLOURS = np.where(RANDOM.random(ROWS) < 0.5, LABELS, RANDOM.integers(0, 4, ROWS))


def instead_of(frame: dict[str, Any], **options: Any) -> dict[str, str]:
    """The columns that another one takes part for."""
    ranking = probfs.rank(pd.DataFrame(frame).assign(y=LABELS.astype(str)), target="y", **options)
    return {feature.feature: feature.instead for feature in ranking.features if feature.instead is not None}


def noisy(share: float) -> Any:
    return NUMBERS + share * RANDOM.normal(size=ROWS)


@pytest.mark.parametrize("classifier", ["nb", "logistic"])
def test_numbers_whose_ranks_correlate_are_one_column_in_whichever_direction(classifier: str) -> None:
    frame = {"a": NUMBERS, "b": -noisy(0.03), "c": np.exp(noisy(0.02)), "d": noisy(0.5), "e": OTHERS}
    found = instead_of(frame, classifier=classifier, **({} if classifier == "nb" else {"permutations": 1, "folds": 2}))
    (first,) = {*"abc"} - set(found)
    assert found == {name: first for name in "abc" if name != first}


def test_the_limit_is_a_rank_correlation_of_098() -> None:
    shares = np.linspace(0.05, 0.5, 12)
    copies = {share: noisy(share) for share in shares}
    for share, copy in copies.items():
        alike = "b" in {*instead_of({"a": NUMBERS, "b": copy}), *instead_of({"b": copy, "a": NUMBERS}).values()}
        assert alike == (spearmanr(NUMBERS, copy).statistic >= 0.98), share


def test_values_are_the_same_whatever_they_are_called_and_need_share_most_of_their_information() -> None:
    recoded = np.array(["oak", "ash", "elm", "fir"])[COLOURS]
    changed = np.where(np.arange(ROWS) % 150 == 0, "oak", recoded)
    often = np.where(np.arange(ROWS) % 5 == 0, "oak", recoded)
    found = instead_of(
        {
            "colour": np.array(["red", "blue", "pink", "grey"])[COLOURS],
            "tree": recoded,
            "changed": changed,
            "often": often,
        }
    )
    (first,) = {"colour", "tree", "changed"} - set(found)
    assert found == {name: first for name in ("colour", "tree", "changed") if name != first}
    assert instead_of({"tree": recoded, "coarser": np.where(COLOURS == 3, "elm", recoded)}) == {}


@pytest.mark.parametrize("kind", ["numbers", "values"])
def test_of_the_rows_that_have_either_cell_95_in_100_must_have_both(kind: str) -> None:
    cells = NUMBERS if kind == "numbers" else np.array(["oak", "ash", "elm", "fir"], dtype=object)[COLOURS]
    for missing, alike in ((15, True), (16, False)):
        other = cells.copy()
        other[::17][:missing] = None
        assert (set(instead_of({"a": cells, "b": other}, missing="skip")) != set()) == alike


def test_without_the_screen_every_column_takes_part() -> None:
    assert instead_of({"a": NUMBERS, "b": NUMBERS}, screen=False) == {}


def of_blocks(dataset: Dataset, numbers: Sequence[CodedNumbers], cuts: list[int]) -> Any:
    blocks = SplitBlocks.of(dataset, cuts, numbers)
    return find_near_copies(blocks, dataset, count_values(dataset), range(len(dataset.features)))


@pytest.mark.parametrize("cuts", [[], [70], [10, 200]])
@pytest.mark.parametrize("sampled", [64, 1024])
def test_blocks_find_what_one_block_finds(cuts: list[int], sampled: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(near_copies, "_SAMPLED_ROWS", sampled)
    dataset = dataset_of([COLOURS, (COLOURS + 1) % 4, *RANDOM.integers(0, 3, (4, ROWS))], LABELS)
    codes = np.clip(np.round(NUMBERS * 30 + 120), 0, 239).astype(np.uint8)
    near = np.clip(codes.astype(np.int64) + RANDOM.integers(-1, 2, ROWS), 0, 239).astype(np.uint8)
    bins = np.arange(240.0)
    numbers = [CodedNumbers(2, codes, bins), CodedNumbers(4, near, bins)]
    found = of_blocks(dataset, numbers, cuts)
    assert [sorted(group) for group in found] == [[0, 1], [2, 4]]
    assert found[0] == {0: 1.0, 1: 1.0}
    assert found[1][4] == pytest.approx(spearmanr(codes, near).statistic)


def test_near_copies_of_counted_rows_are_those_of_repeated_rows() -> None:
    counts = RANDOM.integers(0, 4, ROWS)
    dataset = replace(dataset_of([COLOURS, np.where(np.arange(ROWS) % 40, COLOURS, 0)], LABELS), counts=counts)
    rows = np.repeat(np.arange(ROWS), counts)
    repeated = dataset_of([feature.labelled[rows].astype(np.int64) for feature in dataset.features], LABELS[rows])
    assert of_blocks(dataset, (), []) == of_blocks(repeated, (), [])
