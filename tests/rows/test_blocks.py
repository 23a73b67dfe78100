"""What is asked of blocks adds up to what one block of all rows says, also where blocks forget what they made."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probfs.classifiers.naive_bayes.model import ShrinkName
from probfs.classifiers.options import EstimateName
from probfs.classifiers.scores import SCORES
from probfs.cluster.connection import identity
from probfs.cluster.engine import ClusterBlocks
from probfs.columns.dataset import Dataset
from probfs.columns.folds import deal_folds
from probfs.ranking.elimination import Round, eliminate
from probfs.rows.blocks import (
    EVERYTHING,
    Block,
    Blocks,
    LocalBlocks,
    Part,
    RandomSample,
    SampleSeries,
    WithoutFold,
    add_answers,
    class_rows,
    deal_blocks,
    deal_starts,
)
from probfs.screening.counting import count_folds, count_part, count_values
from tests.support.clusters import InProcessCluster
from tests.support.datasets import (
    assert_same_rounds,
    dataset_of,
    eliminate_all,
    fit_naive_bayes,
    problems,
    random_dataset,
    with_unlabelled,
)
from tests.support.exact_naive_bayes import Problem


def cut_rows(dataset: Dataset, cuts: Sequence[int]) -> list[Dataset]:
    """The rows of a dataset in parts that begin at these rows; unlabelled rows are cut at the same places."""
    last = max(len(dataset.labels), len(dataset.unlabelled_counts))
    return [
        replace(
            dataset,
            features=tuple(
                replace(one, labelled=one.labelled[own], unlabelled=one.unlabelled[own]) for one in dataset.features
            ),
            labels=dataset.labels[own],
            counts=dataset.counts[own],
            unlabelled_counts=dataset.unlabelled_counts[own],
        )
        for own in (slice(first, end) for first, end in pairwise([0, *cuts, last]))
    ]


def blocks_of(dataset: Dataset, cuts: Sequence[int]) -> ClusterBlocks:
    """The same parts, on a cluster."""
    cluster: Any = InProcessCluster()
    blocks = [Block(own, number=number) for number, own in enumerate(cut_rows(dataset, cuts))]
    return ClusterBlocks(cluster, [cluster.submit(identity, block) for block in blocks])


def held(blocks: Blocks) -> list[Block]:
    """What the workers have."""
    assert isinstance(blocks, ClusterBlocks)
    return list(blocks.cluster.gather(blocks.futures))


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


def eliminate_in_blocks(
    dataset: Dataset, cuts: list[int], estimate: EstimateName, score: str, smoothing: float = 1.0, **options: Any
) -> list[Round]:
    classifier = fit_naive_bayes(
        condense(dataset), estimate, 0, smoothing, 0, blocks=blocks_of(dataset, cuts), **options
    )
    return list(eliminate(classifier, [feature.name for feature in dataset.features], SCORES[score], 1))


# Answers


def test_answers_are_added_in_tuples_and_none_adds_nothing() -> None:
    assert add_answers([(1, [2.0, None]), None, (3, [4.0, None])]) == (4, (6.0, None))
    assert add_answers([None, None]) is None


@given(
    problems(),
    st.lists(st.integers(0, 15), max_size=3).map(sorted),
    st.sampled_from(["loo", "resubstitution"]),
    st.sampled_from(["absolute", "signed"]),
    st.sampled_from([0.0, 1.0]),
    st.sampled_from(["off", "on"]),
)
def test_small_tables_are_ranked_as_in_one_block(
    problem: Problem, cuts: list[int], estimate: EstimateName, score: str, smoothing: float, shrink: ShrinkName
) -> None:
    dataset = dataset_of(problem)
    expected = eliminate_all(dataset, estimate, score=score, smoothing=smoothing, shrink=shrink, compiled=False)
    cuts = [min(cut, len(problem.rows)) for cut in cuts]
    found = eliminate_in_blocks(dataset, cuts, estimate, score, smoothing, shrink=shrink, compiled=False)
    assert_same_rounds(found, expected)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("score", ["absolute", "signed", "unlabeled"])
@pytest.mark.parametrize("compiled", [False, True])
def test_larger_tables_are_ranked_as_in_one_block(classes: int, score: str, compiled: bool) -> None:
    dataset = with_unlabelled(random_dataset(3000, 12, 4, classes, 0), random_dataset(500, 12, 4, classes, 1))
    expected = eliminate_all(dataset, "loo", score=score, compiled=compiled)
    found = eliminate_in_blocks(dataset, [100, 101, 400], "loo", score, compiled=compiled)
    assert_same_rounds(found, expected)


@pytest.mark.parametrize("compiled", [False, True])
def test_a_block_may_have_no_unlabelled_rows(compiled: bool) -> None:
    dataset = with_unlabelled(random_dataset(900, 6, 4, 3, 0), random_dataset(200, 6, 4, 3, 1))
    expected = eliminate_all(dataset, "loo", score="unlabeled", compiled=compiled)
    assert_same_rounds(eliminate_in_blocks(dataset, [500], "loo", "unlabeled", compiled=compiled), expected)


class ForgetfulBlocks(ClusterBlocks):
    """Blocks whose workers die after each question."""

    def each(self, function: Callable[..., Any], *arguments: Any) -> list[Any]:
        self.futures = [self.cluster.submit(identity, future) for future in self.futures]
        return super().each(function, *arguments)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("forgetful", [False, True])
def test_odds_of_some_features_add_up(classes: int, forgetful: bool) -> None:
    dataset = random_dataset(200, 6, 4, classes, seed=0)
    chosen = np.array([5, 0, 3, 2])
    some = replace(dataset, features=tuple(dataset.features[place] for place in chosen))
    blocks = blocks_of(dataset, [40, 40, 150])
    if forgetful:
        blocks = ForgetfulBlocks(blocks.cluster, blocks.futures)
    local = fit_naive_bayes(some, "loo", 0, 1.0, 0)
    remote = fit_naive_bayes(condense(some), "loo", 0, 1.0, 0, blocks=blocks, part=Part(chosen))
    references = [model.odds() for model in (local, remote)]
    for dropped in ([], [1], [0, 2]):
        for model in (local, remote):
            model.drop(np.array(dropped, dtype=np.intp))
        expected, found = local.odds(), remote.odds()
        assert (found.rows, found.errors) == (expected.rows, expected.errors)
        for sharpness in (0.0, 0.4, 1.0):
            own, same = ((odds.loss(sharpness), *odds.derivatives(sharpness)) for odds in (found, expected))
            assert own == pytest.approx(same, rel=1e-11, abs=1e-10)
        own_gap, same_gap = (
            found.minus(0.4, references[1], 0.7),
            expected.minus(0.4, references[0], 0.7),
        )
        assert (own_gap.rows, own_gap.mean, own_gap.se) == pytest.approx(
            (same_gap.rows, same_gap.mean, same_gap.se), rel=1e-11
        )


# Folds


@given(st.integers(0, 1000), st.integers(2, 3), st.integers(2, 5), CUTS, st.booleans())
def test_each_fold_has_its_part_of_every_class(
    seed: int, classes: int, folds: int, cuts: list[int], by_some: bool
) -> None:
    dataset = counted_dataset(seed, classes)
    blocks = held(deal_blocks(blocks_of(dataset, cuts), EVERYTHING, folds, seed, by_some=by_some))
    dealt = np.array(
        [sum(np.bincount(own.dataset.labels, own.copies(fold), classes) for own in blocks) for fold in range(folds)]
    )
    assert (np.ptp(dealt, axis=0) <= 1).all()
    assert np.ptp(dealt.sum(axis=1)) <= 1
    np.testing.assert_array_equal(dealt.sum(axis=0), list(dataset.class_rows().values()))
    for own in blocks:
        copies = [own.copies(fold) for fold in range(folds)]
        np.testing.assert_array_equal(sum(copies), own.dataset.counts)
        assert min(copy.min(initial=0) for copy in copies) == 0


@given(st.integers(0, 1000), st.integers(2, 5))
def test_one_block_is_dealt_out_as_a_dataset_is(seed: int, folds: int) -> None:
    dataset = counted_dataset(seed)
    block = deal_blocks(LocalBlocks(Block(dataset)), EVERYTHING, folds, seed).here
    assert block is not None
    np.testing.assert_array_equal([block.copies(fold) for fold in range(folds)], deal_folds(dataset, folds, seed))


def test_counts_without_a_fold_are_those_of_the_other_folds() -> None:
    dataset = counted_dataset(0)
    blocks = deal_blocks(blocks_of(dataset, [10, 10, 45]), EVERYTHING, 3, 0)
    by_fold = blocks.ask(count_folds)
    whole = count_values(dataset)
    np.testing.assert_array_equal(sum(own.by_slot for own in by_fold), whole.by_slot)
    for fold in range(3):
        without = blocks.ask(count_part, Part(sample=WithoutFold(fold)))
        np.testing.assert_array_equal(without.by_slot, whole.by_slot - by_fold[fold].by_slot)
        np.testing.assert_array_equal(without.class_rows, whole.class_rows - by_fold[fold].class_rows)
    unlabelled = held(blocks)[0].rows_of(Part(sample=WithoutFold(0))).unlabelled_rows
    assert unlabelled == 0


# Random samples


def series_of(blocks: ClusterBlocks, with_unlabelled: bool = True) -> SampleSeries:
    starts = tuple(tuple(own) for own in deal_starts(blocks, EVERYTHING).tolist())
    return SampleSeries(2, 3, 7, with_unlabelled, starts)


@given(st.integers(0, 1000), CUTS)
def test_halves_and_groups_have_their_part_of_every_class(seed: int, cuts: list[int]) -> None:
    dataset = counted_dataset(seed)
    blocks = blocks_of(dataset, cuts)
    series, whole = series_of(blocks), np.array(list(dataset.class_rows().values()))
    by_sample = np.array([blocks.ask(class_rows, Part(sample=RandomSample(series, number))) for number in range(7)])
    for pair in (by_sample[:2], by_sample[2:4]):
        np.testing.assert_array_equal(pair.sum(axis=0), whole)
        assert (np.ptp(pair, axis=0) <= 1).all()
    groups = whole - by_sample[4:]
    np.testing.assert_array_equal(groups.sum(axis=0), whole)
    assert (np.ptp(groups, axis=0) <= 1).all()


def test_halves_and_groups_share_no_row_and_halves_differ_between_pairs() -> None:
    blocks = blocks_of(counted_dataset(1), [25])
    series = series_of(blocks)
    for block in held(blocks):
        halves = [RandomSample(series, number).counts(block) for number in range(4)]
        for first, second in (halves[:2], halves[2:]):
            np.testing.assert_array_equal(first[0] + second[0], block.dataset.counts)
            np.testing.assert_array_equal(first[1] + second[1], block.dataset.unlabelled_counts)
        assert (halves[0][0] != halves[2][0]).any()
        groups = [block.dataset.counts - RandomSample(series, number).counts(block)[0] for number in (4, 5, 6)]
        assert min(map(np.min, groups)) >= 0
        np.testing.assert_array_equal(sum(groups), block.dataset.counts)
    labelled_alone = series_of(blocks, with_unlabelled=False)
    assert not RandomSample(labelled_alone, 0).counts(held(blocks)[0])[1].any()


def test_a_sample_is_the_same_whenever_it_is_asked_for() -> None:
    blocks = blocks_of(counted_dataset(2), [25])
    series = series_of(blocks)
    block = held(blocks)[1]
    in_order = [RandomSample(series, number).counts(block)[0] for number in range(7)]
    for number in (5, 1, 6, 0):
        np.testing.assert_array_equal(RandomSample(series, number).counts(block)[0], in_order[number])
    other = pickle.loads(pickle.dumps(block))
    np.testing.assert_array_equal(RandomSample(series, 3).counts(other)[0], in_order[3])


# A block


def test_a_block_travels_without_what_it_remembers() -> None:
    dataset = counted_dataset(0)
    (block,) = held(deal_blocks(blocks_of(dataset, []), EVERYTHING, 3, 0))
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
