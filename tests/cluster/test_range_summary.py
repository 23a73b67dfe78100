"""What ranges of numbers tell, added up, beside the whole column."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probfs.cluster.number_ranges import COUNTED, EVERY, LABELLED
from probfs.cluster.range_summary import Repeats
from probfs.tables.arrays import Floats, Integers
from probfs.tables.column import number_column
from probfs.tables.table import profile_columns
from tests.support.split_numbers import SplitNumbers, split_numbers


def midrank_scores(numbers: Floats, weights: Integers) -> list[int]:
    """2·midrank - (N+1) of each number, in Python's integers."""
    total = int(weights.sum())
    return [
        2 * int(weights[numbers < number].sum()) + int(weights[numbers == number].sum()) - total for number in numbers
    ]


def repeats_of(numbers: Floats) -> Repeats:
    distinct, rows = np.unique(numbers[~np.isnan(numbers)], return_counts=True)
    whole = (distinct == np.rint(distinct)).all()
    return Repeats(len(distinct), int(rows.max(initial=0)), int((distinct % 10 == 0).sum()) if whole else 0)


@given(split_numbers(), st.integers(1, 30))
def test_repeats_are_those_of_all_rows_of_their_kind(column: SplitNumbers, most_rows: int) -> None:
    summary = column.summary(most_rows)
    numbers, counted = column.numbers + 0.0, column.counts > 0
    # Numbers of rows that count for nothing may have fractions, which the tens of the others do not mind.
    if not summary.counted_numbers.fractional[COUNTED].any():
        assert summary.counted == repeats_of(numbers[counted])
        assert summary.labelled == repeats_of(numbers[column.labelled])
    for found, own in ((summary.every, numbers), (summary.labelled, numbers[column.labelled])):
        assert (found.distinct, found.most_repeated) == (repeats_of(own).distinct, repeats_of(own).most_repeated)


@given(split_numbers(), st.integers(1, 30), st.sampled_from([2, 5]))
def test_a_summary_has_the_profile_of_the_whole_column(column: SplitNumbers, most_rows: int, times: int) -> None:
    if not len(column.numbers):
        return
    summary, own = column.summary(most_rows), number_column("x", column.numbers)
    counted = summary.counted_numbers
    labelled = np.where(column.labels < 0, 0, column.counts)
    for weights, repeats, missing, groups in (
        (None, summary.every, counted.missing_rows, EVERY),
        (labelled, summary.labelled, counted.missing_weights, LABELLED),
    ):
        profile = profile_columns([own], weights, times)["x"]
        assert (profile.distinct, profile.repeats) == (repeats.distinct, repeats.most_repeated >= times)
        assert (profile.missing, profile.whole) == (missing[groups].sum(), not counted.fractional[groups].any())


@given(split_numbers(most_weight=10**14), st.integers(1, 30))
def test_sums_of_scores_are_exact_at_any_size(column: SplitNumbers, most_rows: int) -> None:
    scores = column.summary(most_rows).scores
    rows = column.labelled[~np.isnan(column.numbers[column.labelled])]
    labels, weights = column.labels[rows], column.counts[rows]
    own = midrank_scores(column.numbers[rows], weights)
    terms = list(zip(labels.tolist(), weights.tolist(), own, strict=True))
    classes = range(column.classes)
    assert scores.class_rows == tuple(sum(weight for label, weight, _ in terms if label == one) for one in classes)
    assert scores.class_sums == tuple(sum(w * score for label, w, score in terms if label == one) for one in classes)
    assert scores.squares == pytest.approx(float(sum(weight * score**2 for _, weight, score in terms)), rel=1e-14)
    assert scores.fourth_powers == pytest.approx(float(sum(weight * s**4 for _, weight, s in terms)), rel=1e-14)
    heaviest = [int(weights[column.numbers[rows] == number].sum()) for number in column.numbers[rows]]
    assert scores.most_rows == max(heaviest, default=0)


def test_weights_of_2_to_the_53_rows_are_exact() -> None:
    column = SplitNumbers(
        np.array([1.0, 2.0, 2.0, 3.0]), np.array([0, 1, 0, 1]), 2, np.array([2**52 - 3, 1, 2, 2**52]), (2,)
    )
    summary = column.summary(10)
    own = midrank_scores(column.numbers, column.counts)
    products = [weight * score for weight, score in zip(column.counts.tolist(), own, strict=True)]
    assert summary.scores.class_sums == (products[0] + products[2], products[1] + products[3])


def test_a_fraction_in_a_row_that_counts_for_none_hides_no_multiples_of_ten() -> None:
    column = SplitNumbers(np.array([10.0, 20.0, 21.0, 0.5]), np.array([0, 1, 0, 1]), 2, np.array([1, 1, 1, 0]))
    assert column.summary(10).counted == Repeats(3, 1, tens=2)


@given(split_numbers(), st.integers(1, 30), st.integers(0, 5), st.one_of(st.none(), st.integers(1, 6)))
def test_heavy_numbers_are_listed_and_all_of_a_range_that_has_few(
    column: SplitNumbers, most_rows: int, few: int, least: int | None
) -> None:
    rows, numbers = column.labelled, column.numbers + 0.0
    for own in column.range_summaries(column.histogram(most_rows), most_rows, few=few, least_weight=least):
        listed = dict(zip(own.listed.numbers.tolist(), own.listed.by_class.tolist(), strict=True))
        for number, by_class in listed.items():
            held = rows[numbers[rows] == number]
            expected = np.bincount(column.labels[held], column.counts[held], minlength=column.classes)
            assert by_class == expected.tolist()
        if own.labelled.distinct <= few:
            assert len(listed) == own.labelled.distinct
        elif least is None:
            assert not listed
        else:
            assert all(sum(by_class) >= least for by_class in listed.values())


@given(split_numbers(), st.integers(1, 30), st.integers(1, 6))
def test_no_heavy_number_is_left_out(column: SplitNumbers, most_rows: int, least: int) -> None:
    rows, numbers = column.labelled, column.numbers + 0.0
    own_numbers = np.unique(numbers[rows][~np.isnan(numbers[rows])])
    heavy = [number for number in own_numbers if column.counts[rows[numbers[rows] == number]].sum() >= least]
    summaries = column.range_summaries(column.histogram(most_rows), most_rows, least_weight=least)
    assert [number for own in summaries for number in own.listed.numbers.tolist()] == heavy


@given(split_numbers(), st.integers(1, 30))
def test_the_heaviest_number_of_counted_rows(column: SplitNumbers, most_rows: int) -> None:
    summaries = column.range_summaries(column.histogram(most_rows), most_rows)
    numbers, counted = column.numbers + 0.0, (column.counts > 0) & ~np.isnan(column.numbers)
    weights = {number: int(column.counts[counted & (numbers == number)].sum()) for number in numbers[counted].tolist()}
    found = [own.heaviest for own in summaries if own.heaviest is not None]
    assert max((weight for weight, _ in found), default=0) == max(weights.values(), default=0)
    assert all(weights[number] == weight for weight, number in found)
