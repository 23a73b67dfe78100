"""Twins of dropped features, against sums over every combination of values; and near-copies of any kind of column."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
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
from probfs.screening.counting import RankedNumbers, count_values
from probfs.screening.near_copies import find_near_copies
from probfs.screening.redundancy import find_twins
from tests.support.datasets import SplitBlocks, dataset_of_codes, datasets, repeat_rows

Cell = tuple[int, ...]
CUTS = st.lists(st.integers(0, 5), max_size=3)


def twins_of(
    dataset: Dataset, dropped: list[int], kept: list[int], cuts: Sequence[int] = ()
) -> dict[int, tuple[int, float]]:
    return find_twins(SplitBlocks.of(dataset, cuts), dropped, kept)


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

    def entropy(*places: int) -> float:
        margin: Counter[Cell] = Counter()
        for cell, count in rows.items():
            margin[tuple(cell[place] for place in places)] += count
        return -sum(count / total * math.log(count / total) for count in margin.values())

    within = entropy(0, 2) + entropy(1, 2) - entropy(0, 1, 2) - entropy(2) - (vj - 1) * (vi - 1) * k / (2 * total)
    given_other = entropy(0, 1) + entropy(1, 2) - entropy(0, 1, 2) - entropy(1) - (vj - 1) * (k - 1) * vi / (2 * total)
    alone = entropy(0) + entropy(2) - entropy(0, 2) - (vj - 1) * (k - 1) / (2 * total)
    smaller = min(entropy(0, 2), entropy(1, 2)) - entropy(2)
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


def test_counted_rows_are_repeated_rows_and_nothing_kept_leaves_no_twin() -> None:
    random = np.random.default_rng(1)
    dataset = dataset_of_codes(list(random.integers(0, 3, (3, 60))), random.integers(0, 2, 60), np.arange(60) % 4)
    assert twins_of(repeat_rows(dataset), [2], [0, 1]) == twins_of(dataset, [2], [0, 1])
    assert twins_of(dataset, [0, 2], []) == twins_of(dataset, [], [1]) == {}


def test_features_with_very_many_values_take_no_more_memory_than_their_rows() -> None:
    rows = 30_000
    keys, labels = np.arange(rows) // 3, np.arange(rows) % 2
    assert twins_of(dataset_of_codes([keys, keys[::-1].copy()], labels), [1], [0], [9_000])[1][0] == 0


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


@pytest.mark.parametrize("cuts", [[], [70], [10, 200]])
@pytest.mark.parametrize("sampled", [64, 1024])
def test_blocks_of_counted_rows_find_what_one_block_of_repeated_rows_finds(
    cuts: list[int], sampled: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(near_copies, "_SAMPLED_ROWS", sampled)
    columns = [COLOURS, (COLOURS + 1) % 4, *RANDOM.integers(0, 3, (4, ROWS))]
    dataset = dataset_of_codes(columns, LABELS, np.arange(ROWS) % 4)
    codes = np.clip(np.round(NUMBERS * 30 + 120), 0, 239).astype(np.uint8)
    near = np.clip(codes.astype(np.int64) + RANDOM.integers(-1, 2, ROWS), 0, 239).astype(np.uint8)
    bins = np.arange(240.0)
    numbers = [RankedNumbers.of_codes(2, codes, bins), RankedNumbers.of_codes(4, near, bins)]
    blocks = SplitBlocks.of(dataset, cuts, numbers)
    found = find_near_copies(blocks, dataset, count_values(dataset), range(len(dataset.features)))
    assert [sorted(group) for group in found] == [[0, 1], [2, 4]]
    assert found[0] == {0: 1.0, 1: 1.0}
    repeated = (np.repeat(own, dataset.counts) for own in (codes, near))
    assert found[1][4] == pytest.approx(spearmanr(*repeated).statistic)
