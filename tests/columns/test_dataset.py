"""What a classifier is fitted on: equal rows merged, an order of content alone, and folds by what rows hold."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from probfs.columns.dataset import Dataset, merge_equal_rows
from probfs.columns.folds import (
    check_class_sizes,
    content_hashes,
    deal,
    deal_folds,
    order_by_content,
    with_distinguishing_features,
)
from probfs.errors import DataError, UsageError
from probfs.screening.counting import count_values
from probfs.text import command_line_language
from tests.support.datasets import datasets
from tests.support.tables import csv_of_rows, encode_csv

Rows = list[tuple[str, ...]]

CELLS = st.tuples(st.sampled_from(["a", "b", ""]), st.sampled_from(["x", "y"]), st.sampled_from("pq"))
MANY_ROWS = st.lists(CELLS, min_size=60, max_size=120).filter(lambda rows: {row[-1] for row in rows} == {"p", "q"})
SOME_ROWS = st.lists(CELLS, min_size=2, max_size=12).filter(lambda rows: {row[-1] for row in rows} == {"p", "q"})
NAMES = ["a", "b", "y"]


def content_of(dataset: Dataset, part: str) -> Counter[tuple[object, ...]]:
    """How many rows hold each content; labelled ones begin with their class."""
    features = sorted(dataset.features, key=lambda feature: feature.name)
    columns = [getattr(feature, part).tolist() for feature in features]
    labelled = part == "labelled"
    counts = (dataset.counts if labelled else dataset.unlabelled_counts).tolist()
    found: Counter[tuple[object, ...]] = Counter()
    for *content, count in zip(*([dataset.labels.tolist()] if labelled else []), *columns, counts, strict=True):
        found[tuple(content)] += count
    return found


@given(MANY_ROWS)
def test_merged_rows_are_distinct_and_count_for_all(rows: Rows) -> None:
    dataset = encode_csv(csv_of_rows(NAMES, rows), unlabelled=[csv_of_rows(NAMES[:2], [row[:2] for row in rows])])
    merged = merge_equal_rows(dataset)
    for part, counts in (("labelled", merged.counts), ("unlabelled", merged.unlabelled_counts)):
        assert content_of(merged, part) == content_of(dataset, part)
        assert len(counts) == len(content_of(dataset, part))
    assert [feature.labelled.dtype for feature in merged.features] == [f.labelled.dtype for f in dataset.features]
    assert (merged.rows, merged.unlabelled_rows) == (dataset.rows, dataset.unlabelled_rows)


@given(SOME_ROWS, st.integers(0, 9))
def test_content_alone_decides_the_order(rows: Rows, seed: int) -> None:
    shuffled = list(rows)
    Random(seed).shuffle(shuffled)
    first = order_by_content(encode_csv(csv_of_rows(NAMES, rows)), seed)
    other_text = csv_of_rows(["b", "a", "y"], [(b, a, y) for a, b, y in shuffled])
    second = order_by_content(encode_csv(other_text), seed)
    assert [feature.name for feature in first.features] == [feature.name for feature in second.features] == ["a", "b"]
    for one, other in zip(first.features, second.features, strict=True):
        assert one.labelled.tolist() == other.labelled.tolist()
    assert (first.labels.tolist(), first.counts.tolist()) == (second.labels.tolist(), second.counts.tolist())
    assert sorted(first.labels.tolist()) == first.labels.tolist()
    assert len(first.counts) == len(set(rows))


def test_another_seed_is_another_order_and_rows_that_seldom_repeat_are_not_merged() -> None:
    rows = [(f"v{number}", "x", "pq"[number % 2]) for number in range(40)]
    dataset = encode_csv(csv_of_rows(NAMES, rows), keep_identifiers=True)
    orders = [order_by_content(dataset, seed).features[0].labelled.tolist() for seed in (1, 1, 2)]
    assert orders[0] == orders[1] != orders[2]
    assert merge_equal_rows(dataset) is dataset
    counted = [("a", 10**12, "pq"[number % 2]) for number in range(40)]
    merged = merge_equal_rows(encode_csv(csv_of_rows(["a", "n", "y"], counted), count="n"))
    assert merged.counts.tolist() == [20 * 10**12] * 2, "counts are added, not rows"


def test_a_number_hashes_alike_however_it_is_written() -> None:
    written = ("a,y\n1,p\n-0,p\n2,q\n", "a,y\n1.0,p\n0.0,p\n2e0,q\n")
    hashes = [content_hashes(encode_csv(text), 3)[0].tolist() for text in written]
    assert hashes[0] == hashes[1]
    assert len(set(hashes[0])) == 3
    as_text = content_hashes(encode_csv("a,y\n1,p\n01,p\n2,q\n"), 3)[0]
    assert len(set(as_text.tolist())) == 3, "01 is no number, so 1 and 01 differ"


@given(datasets())
def test_the_counts_of_some_features_are_those_of_a_table_of_them(dataset: Dataset) -> None:
    every = count_values(dataset)
    some = np.arange(len(dataset.features))[::-2]
    alone = count_values(replace(dataset, features=tuple(dataset.features[place] for place in some)))
    chosen = every.of_features(some)
    for name in ("values", "offset", "by_slot", "class_rows"):
        np.testing.assert_array_equal(getattr(chosen, name), getattr(alone, name))


# Folds


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


@given(SOME_ROWS.filter(lambda rows: len(rows) >= 4), st.integers(2, 4), st.integers(0, 3))
def test_every_row_is_in_one_fold_and_folds_are_stratified(rows: list[tuple[str, ...]], folds: int, seed: int) -> None:
    dataset = encode_csv(csv_of_rows(NAMES, rows))
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
