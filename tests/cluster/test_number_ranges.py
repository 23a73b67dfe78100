"""Numbers counted and parted block by block, beside the whole column."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from probfs.cluster.number_ranges import (
    LABELLED,
    Histogram,
    RowGroups,
    choose_ranges,
    finer_bins,
    histogram,
    ordered_images,
    pieces,
)
from tests.support.split_numbers import SPECIAL, SplitNumbers, split_numbers

FINITE = st.floats(allow_nan=False, allow_infinity=False)


def all_labelled(size: int) -> RowGroups:
    return RowGroups.of(np.zeros(size, np.int8), 1, None)


@given(st.lists(FINITE | st.sampled_from(SPECIAL), min_size=2, max_size=20))
def test_images_have_the_order_of_the_numbers(numbers: list[float]) -> None:
    own = np.array(numbers)
    images = ordered_images(own)
    assert ((images[:, None] < images) == (own[:, None] < own)).all()
    assert ((images[:, None] == images) == (own[:, None] == own)).all()


@given(split_numbers())
def test_histograms_of_blocks_add_up_to_that_of_all_rows(column: SplitNumbers) -> None:
    joined = column.histogram(4)
    whole = SplitNumbers(column.numbers, column.labels, column.classes, column.weights).histogram(4)
    for name in Histogram.__dataclass_fields__:
        assert getattr(joined, name).tolist() == getattr(whole, name).tolist(), name


@given(split_numbers())
def test_facts_are_told_for_each_group_of_rows(column: SplitNumbers) -> None:
    counted = column.histogram(4)
    groups = np.where(
        column.counts == 0, column.classes + 1, np.where(column.labels < 0, column.classes, column.labels)
    )
    for group in range(column.classes + 2):
        own, weights = column.numbers[groups == group], column.counts[groups == group]
        present = own[~np.isnan(own)]
        assert counted.rows[group].sum() == len(present)
        assert counted.weights[group].sum() == weights[~np.isnan(own)].sum()
        assert counted.missing_rows[group] == len(own) - len(present)
        assert counted.missing_weights[group] == weights[np.isnan(own)].sum()
        assert counted.fractional[group] == (present != np.rint(present)).any()
        assert counted.least[group] == present.min(initial=np.inf)
        assert counted.greatest[group] == present.max(initial=-np.inf)


@given(split_numbers(), st.integers(1, 20))
def test_pieces_hold_every_row_in_the_range_of_its_number(column: SplitNumbers, most_rows: int) -> None:
    ranges = choose_ranges(column.histogram(most_rows), most_rows)
    labelled = column.labelled
    for numbers, rows in column.blocks():
        parts = pieces(numbers, rows, ranges)
        assert len(parts) == len(ranges.starts)
        assert sum(len(part.numbers) for part in parts) == np.count_nonzero(~np.isnan(numbers))
        for place, part in enumerate(parts):
            assert (part.numbers[1:] >= part.numbers[:-1]).all()
            assert not np.signbit(part.numbers[part.numbers == 0]).any()
            images = ordered_images(part.numbers)
            assert (images >= ranges.starts[place]).all()
            assert (images < np.append(ranges.starts, 2**64 - 1)[place + 1]).all()
            held = sorted(zip(part.numbers.tolist(), part.groups.tolist(), strict=True))
            inside = np.isin(ordered_images(numbers), images) & ~np.isnan(numbers)
            assert held == sorted(zip(numbers[inside].tolist(), rows.groups[inside].tolist(), strict=True))
    images = ordered_images(column.numbers[labelled])
    counts = column.counts[labelled]
    present = ~np.isnan(column.numbers[labelled])
    below = [int(counts[present & (images < start)].sum()) for start in ranges.starts]
    assert ranges.below.tolist() == below
    assert ranges.labelled_weight == counts[present].sum()


def test_ranges_have_no_more_rows_than_wanted_unless_one_number_has() -> None:
    numbers = np.repeat(np.arange(1.0, 101.0), [50 if number == 64 else 3 for number in range(1, 101)])
    counted = histogram(numbers, all_labelled(len(numbers)))
    for _ in range(9):
        bins = finer_bins(counted, 20)
        if bins is None:
            break
        counted = histogram(numbers, all_labelled(len(numbers)), bins)
    ranges = choose_ranges(counted, 20)
    sizes = [len(piece.numbers) for piece in pieces(numbers, all_labelled(len(numbers)), ranges)]
    assert [size for size in sizes if size > 20] == [50]
    # Ranges are filled: no two that follow each other would fit into one.
    assert all(low + high > 20 for low, high in pairwise(sizes))


def test_numbers_that_begin_with_the_same_bits_are_told_apart_by_finer_bins() -> None:
    times = 1.7e9 + np.arange(0, 1e6, 50.0)
    rows = all_labelled(len(times))
    coarse = histogram(times, rows)
    assert len(coarse.starts) == 1
    bins = finer_bins(coarse, 1_000)
    assert bins is not None
    ranges = choose_ranges(histogram(times, rows, bins), 6_000)
    sizes = [len(piece.numbers) for piece in pieces(times, rows, ranges)]
    assert max(sizes) <= 6_000
    assert len(sizes) == 4


def test_finer_bins_do_not_reach_beyond_the_bin_that_was_split() -> None:
    numbers = np.append(1 + np.arange(4096) / 65536, 1e9)
    coarse = histogram(numbers, all_labelled(len(numbers)))
    fine = histogram(numbers, all_labelled(len(numbers)), finer_bins(coarse, 100))
    assert (fine.ends - fine.starts).tolist() == [1 << 40] * 256 + [1 << 48]


def test_the_least_number_is_no_negative_zero() -> None:
    counted = histogram(np.array([-0.0, 3.0]), all_labelled(2))
    assert not np.signbit(counted.least[LABELLED]).any()


def test_without_a_number_there_is_no_range() -> None:
    ranges = choose_ranges(histogram(np.full(3, np.nan), all_labelled(3)), 10)
    assert len(ranges.starts) == 0
    assert pieces(np.full(3, np.nan), all_labelled(3), ranges) == []


def test_what_travels_is_narrow() -> None:
    rows = RowGroups.of(np.array([0, 1, -1, 0]), 2, np.array([200, 1, 1, 0]))
    numbers = np.array([3.0, 1.0, 2.0, 4.0])
    (piece,) = pieces(numbers, rows, choose_ranges(histogram(numbers, rows), 10))
    assert piece.weights is not None
    assert (piece.groups.itemsize, piece.weights.itemsize) == (1, 1)
    assert piece.groups.tolist() == [1, 2, 0, 3]
    assert piece.weights.tolist() == [1, 1, 200, 0]
    assert histogram(numbers, rows).weights[LABELLED].sum() == 201


def test_groups_fit_beside_as_many_classes_as_the_labels_hold() -> None:
    rows = RowGroups.of(np.array([127, -1, 0], dtype=np.int8), 128, np.array([1, 1, 0]))
    assert rows.groups.tolist() == [127, 128, 129]
    assert RowGroups.of(np.array([254, -1]), 255, np.array([0, 3])).groups.tolist() == [256, 255]
