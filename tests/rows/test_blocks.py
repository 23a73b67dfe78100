"""What is asked of blocks adds up to what one block of all rows says, also where blocks forget what they made."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probfs.classifiers.scores import SCORES
from probfs.columns.dataset import Dataset
from probfs.columns.folds import deal_folds
from probfs.ranking.elimination import eliminate
from probfs.rows.blocks import (
    EVERYTHING,
    Block,
    LocalBlocks,
    Part,
    RandomSample,
    SampleSeries,
    WithoutFold,
    class_rows,
    deal_blocks,
    deal_starts,
)
from probfs.screening.counting import count_folds, count_part, count_values
from tests.support.datasets import (
    SplitBlocks,
    assert_same_rounds,
    eliminate_all,
    fit_naive_bayes,
    random_dataset,
    with_unlabelled,
)


def condense(dataset: Dataset) -> Dataset:
    """The dataset with one row for each class, which counts for all of them."""
    return replace(
        dataset,
        labels=np.arange(len(dataset.classes)),
        counts=np.array(list(dataset.class_rows().values())),
        unlabelled_counts=np.array([dataset.unlabelled_rows]),
    )


CUTS = st.lists(st.integers(0, 60), max_size=4).map(sorted)


def counted_dataset(seed: int, classes: int = 3) -> Dataset:
    """Rows that count for none to three rows, and some without a class."""
    dataset = with_unlabelled(random_dataset(60, 4, 3, classes, seed), random_dataset(25, 4, 3, classes, seed + 1))
    random = np.random.default_rng(seed)
    counts = random.integers(0, 4, 60) + (np.arange(60) < 2 * classes)
    return replace(dataset, counts=counts, unlabelled_counts=random.integers(1, 3, 25))


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("score", ["absolute", "signed", "unlabeled"])
@pytest.mark.parametrize("compiled", [False, True])
def test_larger_tables_are_ranked_as_in_one_block(classes: int, score: str, compiled: bool) -> None:
    """The last block has no unlabelled rows."""
    dataset = with_unlabelled(random_dataset(900, 12, 4, classes, 0), random_dataset(200, 12, 4, classes, 1))
    expected = eliminate_all(dataset, "loo", score=score, compiled=compiled)
    blocks = SplitBlocks.of(dataset, [100, 101, 400])
    classifier = fit_naive_bayes(condense(dataset), "loo", 0, 1.0, 0, blocks=blocks, compiled=compiled)
    found = list(eliminate(classifier, [feature.name for feature in dataset.features], SCORES[score], 1))
    assert_same_rounds(found, expected)


class ForgetfulBlocks(SplitBlocks):
    """Blocks whose workers die after each question."""

    def each(self, function: Callable[..., Any], *arguments: Any) -> list[Any]:
        self.blocks = pickle.loads(pickle.dumps(self.blocks))
        return super().each(function, *arguments)


@pytest.mark.parametrize("classes", [2, 3])
def test_odds_of_some_features_add_up(classes: int) -> None:
    dataset = random_dataset(200, 6, 4, classes, seed=0)
    chosen = np.array([5, 0, 3, 2])
    some = replace(dataset, features=tuple(dataset.features[place] for place in chosen))
    blocks = ForgetfulBlocks(SplitBlocks.of(dataset, [40, 40, 150]).blocks)
    local = fit_naive_bayes(some, "loo", 0, 1.0, 0)
    remote = fit_naive_bayes(condense(some), "loo", 0, 1.0, 0, blocks=blocks, part=Part(chosen))
    references = local.odds(), remote.odds()
    for dropped in ([], [1], [0, 2]):
        for model in (local, remote):
            model.drop(np.array(dropped, dtype=np.intp))
        expected, found = local.odds(), remote.odds()
        assert (found.rows, found.errors) == (expected.rows, expected.errors)
        for sharpness in (0.0, 0.4, 1.0):
            own, same = (odds.loss_and_derivatives(sharpness) for odds in (found, expected))
            assert own == pytest.approx(same, rel=1e-11, abs=1e-10)
        wanted, gap = (odds.minus(0.4, whole, 0.7) for odds, whole in zip((expected, found), references, strict=True))
        assert (gap.rows, gap.mean, gap.se) == pytest.approx((wanted.rows, wanted.mean, wanted.se), rel=1e-11)


# Folds and samples


@given(st.integers(0, 1000), st.integers(2, 3), st.integers(2, 5), CUTS, st.booleans())
def test_each_fold_has_its_part_of_every_class_and_the_others_are_counted_without_it(
    seed: int, classes: int, folds: int, cuts: list[int], by_some: bool
) -> None:
    dataset = counted_dataset(seed, classes)
    dealt = deal_blocks(SplitBlocks.of(dataset, cuts), EVERYTHING, folds, seed, by_some=by_some)
    blocks, by_fold, whole = dealt.each(lambda own: own), dealt.ask(count_folds), count_values(dataset)
    rows = np.array([own.class_rows for own in by_fold])
    assert (np.ptp(rows, axis=0) <= 1).all()
    assert np.ptp(rows.sum(axis=1)) <= 1
    for own in blocks:
        copies = [own.copies(fold) for fold in range(folds)]
        np.testing.assert_array_equal(sum(copies), own.dataset.counts)
        assert min(copy.min(initial=0) for copy in copies) == 0
    for fold, counts in enumerate(by_fold):
        own_rows = [count_values(replace(one.dataset, counts=one.copies(fold))) for one in blocks]
        np.testing.assert_array_equal(counts.by_slot, sum(one.by_slot for one in own_rows))
        without = dealt.ask(count_part, Part(sample=WithoutFold(fold)))
        np.testing.assert_array_equal(without.by_slot, whole.by_slot - counts.by_slot)
        np.testing.assert_array_equal(without.class_rows, whole.class_rows - counts.class_rows)
        assert blocks[0].rows_of(Part(sample=WithoutFold(fold))).unlabelled_rows == 0


@given(st.integers(0, 1000), st.integers(2, 5))
def test_one_block_is_dealt_out_as_a_dataset_is(seed: int, folds: int) -> None:
    dataset = counted_dataset(seed)
    block = deal_blocks(LocalBlocks(Block(dataset)), EVERYTHING, folds, seed).here
    assert block is not None
    np.testing.assert_array_equal([block.copies(fold) for fold in range(folds)], deal_folds(dataset, folds, seed))


def series_of(blocks: SplitBlocks, with_unlabelled: bool = True) -> SampleSeries:
    """Two pairs of halves, and what is left without each of three groups."""
    starts = tuple(tuple(own) for own in deal_starts(blocks, EVERYTHING).tolist())
    return SampleSeries(2, 3, 7, with_unlabelled, starts)


@given(st.integers(0, 1000), CUTS)
def test_halves_and_groups_have_their_part_of_every_class_and_share_no_row(seed: int, cuts: list[int]) -> None:
    dataset = counted_dataset(seed)
    blocks = SplitBlocks.of(dataset, cuts)
    series, whole = series_of(blocks), np.array(list(dataset.class_rows().values()))
    by_sample = np.array([blocks.ask(class_rows, Part(sample=RandomSample(series, number))) for number in range(7)])
    for parts in (by_sample[:2], by_sample[2:4], whole - by_sample[4:]):
        np.testing.assert_array_equal(parts.sum(axis=0), whole)
        assert (np.ptp(parts, axis=0) <= 1).all()
    labelled_alone = series_of(blocks, with_unlabelled=False)
    for block in blocks.blocks:
        drawn = [RandomSample(series, number).counts(block) for number in range(7)]
        counts, others = block.dataset.counts, block.dataset.unlabelled_counts
        for first, second in (drawn[:2], drawn[2:4]):
            np.testing.assert_array_equal(first[0] + second[0], counts)
            np.testing.assert_array_equal(first[1] + second[1], others)
        groups = [counts - rest for rest, _ in drawn[4:]]
        np.testing.assert_array_equal(sum(groups), counts)
        assert min(each.min(initial=0) for each in (*groups, *(half for half, _ in drawn[:4]))) >= 0
        assert not RandomSample(labelled_alone, 0).counts(block)[1].any()


def test_a_sample_is_the_same_whenever_it_is_asked_for_and_pairs_of_halves_differ() -> None:
    blocks = SplitBlocks.of(counted_dataset(2), [25])
    series = series_of(blocks)
    block = blocks.blocks[1]
    in_order = [RandomSample(series, number).counts(block)[0] for number in range(7)]
    for number in (5, 1, 6, 0):
        np.testing.assert_array_equal(RandomSample(series, number).counts(block)[0], in_order[number])
    other = pickle.loads(pickle.dumps(block))
    np.testing.assert_array_equal(RandomSample(series, 3).counts(other)[0], in_order[3])
    assert (in_order[0] != in_order[2]).any()


@given(st.integers(0, 1000), st.integers(3, 12))
def test_rows_of_a_subject_are_in_the_same_half_and_the_same_group(seed: int, subjects: int) -> None:
    groups = np.concatenate([np.arange(subjects), np.random.default_rng(seed).integers(0, subjects, 60 - subjects)])
    dataset = replace(counted_dataset(seed), groups=groups)
    block = Block(dataset)
    series = SampleSeries(2, 3, seed, False, ((0, 0, 0),))
    drawn = [RandomSample(series, number).counts(block)[0] for number in range(7)]
    for parts in (drawn[:2], drawn[2:4], [dataset.counts - rest for rest in drawn[4:]]):
        of_subjects = np.array([[own[groups == subject].sum() for subject in range(subjects)] for own in parts])
        whole = np.array([dataset.counts[groups == subject].sum() for subject in range(subjects)])
        assert ((of_subjects == 0) | (of_subjects == whole)).all()
        np.testing.assert_array_equal(of_subjects.sum(axis=0), whole)


# A block


def test_a_block_travels_without_what_it_remembers() -> None:
    dataset = counted_dataset(0)
    block = deal_blocks(LocalBlocks(Block(dataset)), EVERYTHING, 3, 0).here
    assert block is not None
    block.recall("a", 1, lambda: "before")
    other = pickle.loads(pickle.dumps(block))
    assert other.recall("a", 1, lambda: "after") == "after"
    assert (other.number, other.folds) == (block.number, 3)
    for fold in range(3):
        np.testing.assert_array_equal(other.copies(fold), block.copies(fold))
    np.testing.assert_array_equal(other.dataset.features[0].labelled, dataset.features[0].labelled)


def test_dask_is_told_of_the_memory_that_a_model_will_take() -> None:
    dataset = random_dataset(500, 6, 3, 2, 0)
    assert sys.getsizeof(Block(dataset)) >= 6 * 500 + 40 * 500
