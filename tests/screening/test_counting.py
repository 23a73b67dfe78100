"""Counts by value and class, against a loop over cells; and which numbers are tested before they are cut."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from probfs.columns.choice import ColumnChoice
from probfs.columns.dataset import Dataset, Feature
from probfs.columns.encode import encode
from probfs.columns.mapping import ColumnMapping
from probfs.columns.prepare import PreparedTable, prepare
from probfs.errors import DataError
from probfs.rows.blocks import EVERYTHING, Block, LocalBlocks, deal_blocks
from probfs.runtime import memory
from probfs.screening import counting
from probfs.screening.counting import NumbersBeforeCutting, RankedNumbers, count_folds, count_values
from probfs.tables.arrays import text_array
from tests.support.datasets import datasets, feature_of, random_dataset
from tests.support.tables import csv_of_rows, prepare_csv, read_csv_text

Table = dict[tuple[int, int], int]
"""The rows of each value and class that occur."""


def counted_one_by_one(dataset: Dataset) -> list[Table]:
    tables: list[Table] = [{} for _ in dataset.features]
    for table, feature in zip(tables, dataset.features, strict=True):
        for code, label, count in zip(feature.labelled.tolist(), dataset.labels, dataset.counts, strict=True):
            if code < feature.values and count:
                table[code, int(label)] = table.get((code, int(label)), 0) + int(count)
    return tables


def as_dictionaries(dataset: Dataset) -> list[Table]:
    tables, counts = [], count_values(dataset)
    for start, values in zip(counts.offset.tolist(), counts.values.tolist(), strict=True):
        by_class = counts.by_slot[start : start + values]
        tables.append({(value, label): int(by_class[value, label]) for value, label in np.argwhere(by_class).tolist()})
    return tables


@given(datasets(), st.sampled_from([1, 50, 1 << 17]))
@settings(max_examples=40)
def test_every_present_cell_is_counted(dataset: Dataset, at_a_time: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counting, "_CELLS_AT_A_TIME", at_a_time)
        assert as_dictionaries(dataset) == counted_one_by_one(dataset)


@pytest.mark.parametrize(("values", "classes"), [(70_000, 2), (200, 300), (3, 70)])
def test_codes_and_classes_of_every_width_are_counted(values: int, classes: int) -> None:
    dataset = random_dataset(1500, features=2, values=values, classes=classes, seed=1)
    narrow = feature_of("narrow", 2, np.arange(1500) % 3)
    dataset = replace(dataset, features=(*dataset.features, narrow))
    assert as_dictionaries(dataset) == counted_one_by_one(dataset)


def test_numbers_are_not_counted_but_their_absence_is_where_it_is_a_value() -> None:
    codes = np.array([0, 1, 3, 2, 3], dtype=np.uint8)
    numbers = np.array([1.5, 2.5, 9.0])
    plain = Feature("a", text_array([]), codes, codes[:0], numbers)
    telling = replace(plain, name="b", missing_is_value=True)
    labels = np.array([0, 0, 1, 1, 0], dtype=np.int8)
    dataset = Dataset((plain, telling), ("n", "y"), labels, np.ones(5, np.int64), np.empty(0, np.int64))
    assert as_dictionaries(dataset) == [{(0, 0): 2, (0, 1): 1}, {(0, 0): 2, (0, 1): 1, (1, 0): 1, (1, 1): 1}]
    assert count_values(replace(dataset, features=())).by_slot.shape == (0, 2)


def test_counts_that_do_not_fit_into_memory_are_refused_before_they_are_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "free_memory", lambda: 10_000_000)
    dataset = random_dataset(2_000, features=1, values=1_000, classes=1_000, seed=0)
    dealt = deal_blocks(LocalBlocks(Block(dataset)), EVERYTHING, 3, 0)
    for ask in (lambda: count_values(dataset), lambda: dealt.ask(count_folds)):
        with pytest.raises(DataError, match=r"counting 1,001 values in 1,000 classes( and 3 folds)? needs about"):
            ask()


# Which numbers are tested before they are cut: those of every feature cut into intervals, in labelled rows


def numbers_by_name(prepared: PreparedTable) -> dict[str, list[int | None]]:
    """The rank of the number in each labelled row, by feature; None where it is missing."""
    dataset, _ = encode(prepared)
    return {
        dataset.features[feature].name: [None if rank == part.distinct else rank for rank in ranks]
        for part in NumbersBeforeCutting(prepared, dataset)
        for feature, ranks in zip(part.features.tolist(), part.ranks.tolist(), strict=True)
    }


def ranks_of(numbers: list[float | None]) -> list[int | None]:
    known = sorted({number for number in numbers if number is not None})
    return [None if number is None else known.index(number) for number in numbers]


LABELS = ["no", "yes"] * 15


@pytest.mark.parametrize(
    ("rule", "tested"),
    [
        *((rule, True) for rule in ("{ cut = [3, 12] }", "{ widths = 4 }", "{ quantiles = 3 }", '"numeric"', None)),
        *((rule, False) for rule in ('"<= 5"', '"category"', '"in [0.5, 1.5]"')),
    ],
)
def test_numbers_that_become_intervals_are_tested_as_well(rule: str | None, tested: bool) -> None:
    rows = [(f"{row}.5", row % 3, "abc"[row % 3], LABELS[row]) for row in range(30)]
    prepared = prepare_csv(csv_of_rows(["x", "few", "word", "y"], rows), f"[columns]\nx = {rule}" if rule else "")
    assert numbers_by_name(prepared) == ({"x": list(range(30))} if tested else {})
    assert numbers_by_name(prepare_csv(csv_of_rows(["x", "few", "word", "y"], rows), numbers_as_they_are=True)) == {}


def test_only_labelled_rows_that_count_are_there_with_missing_cells_and_decimals_as_they_are_meant() -> None:
    cells = [f'"{row},5"' for row in range(30)]
    cells[3], cells[4], cells[5] = "NA", "", '"1,25"'
    rows = zip(cells, [2] * 29 + [0], [*LABELS[:-2], "", "no"], strict=True)
    read = read_csv_text(csv_of_rows(["x", "n", "y"], list(rows)))
    found = numbers_by_name(prepare(read, ColumnMapping(), ColumnChoice(count="n"), decimal=","))
    assert found == {"x": ranks_of([0.5, 1.5, 2.5, None, None, 1.25, *(row + 0.5 for row in range(6, 28))])}


@given(st.integers(1, 9), st.integers(0, 10**6))
def test_ranks_are_the_same_from_rows_and_from_codes_in_any_order(distinct: int, seed: int) -> None:
    """Two codes may be of the same number, and some of none."""
    random = np.random.default_rng(seed)
    numbers = random.permutation([*random.integers(-3, 3, distinct).astype(float), np.nan])
    codes = random.integers(0, distinct + 2, 40).astype(np.uint8)
    by_row = np.append(numbers, np.nan)[codes]
    expected = ranks_of([None if np.isnan(number) else number for number in by_row.tolist()])
    from_codes = RankedNumbers.of_codes(0, codes, numbers)
    from_rows = RankedNumbers.of_matrix(np.arange(2), np.stack([np.full(40, np.nan), by_row]))
    assert from_rows.ranks[0].tolist() == [from_rows.distinct] * 40
    for found, ranks in ((from_rows, from_rows.ranks[1]), (from_codes, from_codes.ranks[0])):
        known = np.unique(ranks[ranks < found.distinct])
        assert [None if rank == found.distinct else int(np.searchsorted(known, rank)) for rank in ranks] == expected
