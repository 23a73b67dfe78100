"""Rows on a cluster that columns are chosen from; the driver learns counts and sums of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import add

import numpy as np

from probfs.classifiers.naive_bayes.model import ClassCounts, SlotLayout
from probfs.classifiers.protocol import HoldOutRequest
from probfs.classifiers.unfitted import UnfittedClassifier
from probfs.cluster.block import Block, Part
from probfs.cluster.blocks import Blocks
from probfs.cluster.copies import find_copies_in_blocks
from probfs.cluster.fold_numbers import FoldNumbers, gather_fold_numbers
from probfs.cluster.folds import count_folds, deal_blocks, find_telling_features
from probfs.cluster.joint_counts import JointCountsInBlocks
from probfs.cluster.store import ClusterStore
from probfs.columns.dataset import Dataset, ValueCounts
from probfs.screening.joint_counts import JointCounts
from probfs.screening.screen import combined_probabilities
from probfs.screening.value_test import chi_squared_test
from probfs.selection.held_out import JudgedRows, TemperedModel
from probfs.selection.settings import SelectionSettings
from probfs.tables.arrays import Floats, Integers


@dataclass(frozen=True, eq=False)
class ClusterSelectionRows:
    """The labelled rows of some blocks: all of them, or those without a fold."""

    blocks: Blocks
    dataset: Dataset
    """With one row for each class, which counts for all of them."""
    counts: ValueCounts
    stored_rows: int
    test_all: Callable[[int], Floats]
    """From a seed to p of each feature, by all rows."""
    cut: Sequence[int]
    """The features, by position, of which blocks keep the numbers that they were cut from."""
    held_out: int | None = None
    """The fold whose rows take no part."""
    numbers: FoldNumbers | None = None
    """The numbers that features were cut from, where rows were dealt out."""

    def count_values(self) -> ValueCounts:
        return self.counts

    def test_features(self, counts: ValueCounts, seed: int) -> Floats:
        if self.held_out is None:
            return self.test_all(seed)
        assert self.numbers is not None
        by_number = self.numbers.test(self.held_out, seed, len(self.dataset.features))
        return combined_probabilities(chi_squared_test(counts, seed), by_number)

    def find_copies(self, counts: ValueCounts) -> tuple[tuple[int, ...], ...]:
        assert self.held_out is None, "copies are those of all rows"
        return find_copies_in_blocks(self.blocks, counts)

    def arrange(self, features: Integers, settings: SelectionSettings) -> Dataset:
        return self._only(features)

    def _only(self, features: Integers) -> Dataset:
        return replace(self.dataset, features=tuple(self.dataset.features[place] for place in features))

    def store(self, features: Integers, counts: ValueCounts) -> ClusterStore:
        own_counts = ClassCounts(counts.class_rows, counts.by_slot)
        return ClusterStore(
            self.blocks, self._only(features), own_counts, self.stored_rows, Part(features, self.held_out)
        )

    def deal(self, folds: int, seed: int) -> Iterator[ClusterFold]:
        assert self.held_out is None, "all rows are dealt out"
        layout, classes = SlotLayout.of(self.counts.values.tolist()), len(self.dataset.classes)
        telling = find_telling_features(self.blocks, self.dataset.features, classes)
        dealt = deal_blocks(self.blocks, self.dataset, telling, folds, seed)
        rows = replace(self, blocks=dealt, numbers=gather_fold_numbers(dealt, self.cut, classes))
        for number, own in enumerate(count_folds(dealt, layout, classes)):
            yield ClusterFold(rows._without(number, own))

    def _without(self, fold: int, own: ClassCounts) -> ClusterSelectionRows:
        class_rows, by_slot = self.counts.class_rows - own.rows, self.counts.by_slot - own.by_slot
        return replace(
            self,
            dataset=replace(self.dataset, counts=class_rows.astype(np.int64)),
            counts=replace(self.counts, by_slot=by_slot, class_rows=class_rows),
            held_out=fold,
        )

    def joint_counts(self) -> JointCounts:
        assert self.held_out is None, "columns are compared by all rows"
        values, classes = self.counts.values, len(self.dataset.classes)
        return JointCountsInBlocks(self.blocks, values, classes, self.stored_rows)


@dataclass(frozen=True, eq=False)
class ClusterFold:
    """Rows of the blocks that are held out."""

    training: ClusterSelectionRows

    def judge(
        self, models: Sequence[TemperedModel], counts: ValueCounts, settings: SelectionSettings, least: float
    ) -> JudgedRows:
        blocks, classes = self.training.blocks, self.training.dataset.classes
        assert self.training.held_out is not None
        judging = _Judging(self.training.held_out, tuple(models), counts, classes, settings.model, least)
        judged: list[JudgedRows] = blocks.ask("judge", _judge, judging=blocks.send("models", judging))
        return reduce(add, judged)


@dataclass(frozen=True, eq=False)
class _Judging:
    """Models, and the fold whose rows they judge."""

    fold: int
    models: tuple[TemperedModel, ...]
    training: ValueCounts
    classes: tuple[str, ...]
    classifier: UnfittedClassifier
    least: float


def _judge(block: Block, judging: _Judging) -> JudgedRows:
    assert block.copies is not None
    dataset, held_out = block.labelled.dataset(judging.classes), block.copies[judging.fold].astype(np.int64)
    odds = [
        judging.classifier.hold_out(HoldOutRequest(dataset, model.features, judging.training, held_out, seed=0))
        for model in judging.models
    ]
    return JudgedRows.of(judging.models, odds, judging.least)
