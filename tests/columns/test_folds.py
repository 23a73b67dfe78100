"""Stratified folds that depend on what rows hold, not on where they stand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from probfs.columns.dataset import Dataset
from probfs.columns.folds import check_class_sizes, deal, deal_folds, with_distinguishing_features
from probfs.errors import DataError, UsageError
from probfs.text import command_line_language
from tests.support.prepared_tables import csv_of_rows, encode_csv
from tests.support.screening import datasets

ROWS = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("xyz"), st.sampled_from("pq")), min_size=4)
TWO_CLASSES = ROWS.filter(lambda rows: {row[-1] for row in rows} == {"p", "q"})


@given(st.lists(st.integers(0, 9), min_size=1, max_size=8), st.integers(2, 5))
def test_copies_are_dealt_out_in_turn(counts: list[int], folds: int) -> None:
    dealt = deal(np.array(counts), folds)
    one_by_one = np.zeros((folds, len(counts)), dtype=np.int64)
    place = 0
    for row, count in enumerate(counts):
        for _ in range(count):
            one_by_one[place % folds, row] += 1
            place += 1
    assert dealt.tolist() == one_by_one.tolist()


@given(TWO_CLASSES, st.integers(2, 4), st.integers(0, 3))
def test_every_row_is_in_one_fold_and_folds_are_stratified(rows: list[tuple[str, ...]], folds: int, seed: int) -> None:
    dataset = encode_csv(csv_of_rows(["a", "b", "y"], rows))
    dealt = deal_folds(dataset, folds, seed)
    assert dealt.sum(axis=0).tolist() == dataset.counts.tolist()
    sizes = dealt.sum(axis=1)
    assert sizes.max() - sizes.min() <= 1
    for label in (0, 1):
        in_folds = dealt[:, dataset.labels == label].sum(axis=1)
        assert in_folds.max() - in_folds.min() <= 1


def test_more_folds_than_rows_are_refused_in_the_caller_s_language() -> None:
    dataset = encode_csv("a,y\nx,p\nz,q\n")
    problem = "folds=3 is more than the 2 labelled rows of t.csv; use fewer, or another estimate="
    with pytest.raises(UsageError, match=f"^{problem}$"):
        deal_folds(dataset, 3, 0)
    with command_line_language(), pytest.raises(UsageError, match=r"^--folds 3 is more .* or another --estimate$"):
        deal_folds(dataset, 3, 0)


def test_a_class_of_one_row_cannot_be_held_out() -> None:
    check_class_sizes(encode_csv("a,y\nx,p\nz,p\nx,q\nz,q\n"))
    check_class_sizes(encode_csv("a,n,y\nx,2,p\nx,2,q\n", count="n"))
    with pytest.raises(DataError) as caught:
        check_class_sizes(encode_csv("a,y\nx,p\nz,p\nx,q\n"))
    problem = "t.csv: class 'q' has one row only, and holding it out leaves none"
    assert str(caught.value) == f'{problem}; use estimate="resubstitution", or drop the row'
    with pytest.raises(DataError, match=r"or drop the row with min_class=2$"):
        check_class_sizes(encode_csv("a,y\nx,p\nz,p\nx,q\nx,r\nz,r\n"))


@given(datasets(rows=30), st.integers(2, 5))
@settings(max_examples=60, deadline=None)
def test_the_columns_that_tell_rows_apart_tell_all_of_them_apart(dataset: Dataset, copies: int) -> None:
    fewer = with_distinguishing_features(dataset)
    rows = _rows(dataset)
    assert len(set(rows)) == len(set(_rows(fewer)))
    shuffled = np.random.default_rng(copies).permutation(np.repeat(np.arange(len(rows)), copies))
    features = tuple(replace(own, labelled=own.labelled[shuffled]) for own in reversed(dataset.features))
    repeated = replace(
        dataset, features=features, labels=dataset.labels[shuffled], counts=np.ones(len(shuffled), np.int64)
    )
    assert [own.name for own in with_distinguishing_features(repeated).features] == [own.name for own in fewer.features]


def _rows(dataset: Dataset) -> list[tuple[int, ...]]:
    columns = [dataset.labels, *(feature.labelled for feature in dataset.features)]
    return list(zip(*(column.tolist() for column in columns), strict=True))
