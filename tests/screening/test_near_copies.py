"""Near-copies: who is one, by any kind of column, in one block or in several."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import spearmanr

import probfs
from probfs.columns.dataset import Dataset
from probfs.screening import near_copies
from probfs.screening.counting import CodedNumbers, count_values
from probfs.screening.near_copies import find_near_copies
from tests.support.screening import SplitBlocks, dataset_of

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


def test_counted_rows_are_repeated_rows() -> None:
    counts = RANDOM.integers(0, 4, ROWS)
    dataset = replace(dataset_of([COLOURS, np.where(np.arange(ROWS) % 40, COLOURS, 0)], LABELS), counts=counts)
    rows = np.repeat(np.arange(ROWS), counts)
    repeated = dataset_of([feature.labelled[rows].astype(np.int64) for feature in dataset.features], LABELS[rows])
    assert of_blocks(dataset, (), []) == of_blocks(repeated, (), [])
