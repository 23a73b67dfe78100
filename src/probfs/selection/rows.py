"""The labelled rows that columns are chosen from: what is asked of them wherever they are, and those that are here.

Rows that count for nothing take no part, so the rows of a fold are left out by counting for nothing, and nothing is
copied but the survivors.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from probfs.classifiers.protocol import HoldOutRequest
from probfs.columns.dataset import Dataset, ValueCounts
from probfs.columns.folds import deal_folds, telling_rows_apart
from probfs.screening.copies import find_copies
from probfs.screening.joint_counts import CodedTable, JointCounts
from probfs.screening.number_test import CodedNumbers, NumberBlock
from probfs.screening.screen import screen
from probfs.screening.value_counts import count_values
from probfs.selection.counted_numbers import with_intervals
from probfs.selection.held_out import JudgedRows, TemperedModel
from probfs.selection.settings import SelectionSettings
from probfs.tables.arrays import Floats, Integers

if TYPE_CHECKING:
    from probfs.classifiers.naive_bayes.grouping import RowStore


class Fold(Protocol):
    """Some rows that are held out."""

    @property
    def training(self) -> SelectionRows:
        """All other rows."""

    def judge(
        self, models: Sequence[TemperedModel], counts: ValueCounts, settings: SelectionSettings, least: float
    ) -> JudgedRows:
        """The rows as the models of the kept, of all and of no columns see them; ``counts`` are those of the training
        rows.
        """


class SelectionRows(Protocol):
    """Rows with classes. Features are named by their positions in the dataset."""

    @property
    def dataset(self) -> Dataset:
        """The features, the classes and how large they are; rows that are elsewhere are not in it."""

    def count_values(self) -> ValueCounts: ...

    def test_features(self, counts: ValueCounts, seed: int) -> Floats:
        """p of each feature; ``counts`` are those of all features."""

    def find_copies(self, counts: ValueCounts) -> tuple[tuple[int, ...], ...]:
        """Groups of features that divide the rows in the same way."""

    def arrange(self, features: Integers, settings: SelectionSettings) -> Dataset:
        """Some features as a dataset of their own, as the classifier wants it."""

    def store(self, features: Integers, counts: ValueCounts) -> RowStore | None:
        """Where a classifier of some features, whose counts are given, finds the rows, if not in the dataset."""

    def deal(self, folds: int, seed: int) -> Iterator[Fold]:
        """The rows dealt out to folds."""

    def joint_counts(self) -> JointCounts: ...


@dataclass(frozen=True, eq=False)
class LocalRows:
    """Rows that the dataset holds."""

    dataset: Dataset
    numbers: Sequence[NumberBlock | CodedNumbers] = ()
    """The numbers of columns that the dataset holds as intervals, row by row."""

    def count_values(self) -> ValueCounts:
        return count_values(self.dataset)

    def test_features(self, counts: ValueCounts, seed: int) -> Floats:
        return screen(self.dataset, self.numbers, seed, counts).p

    def find_copies(self, counts: ValueCounts) -> tuple[tuple[int, ...], ...]:
        return find_copies(self.dataset, counts)

    def arrange(self, features: Integers, settings: SelectionSettings) -> Dataset:
        chosen = tuple(self.dataset.features[place] for place in features)
        return settings.model.arrange(replace(self.dataset, features=chosen), settings.seed)

    def store(self, features: Integers, counts: ValueCounts) -> None:
        return None

    def deal(self, folds: int, seed: int) -> Iterator[LocalFold]:
        # Hashing all columns of a wide table would take as long as choosing among them.
        for held_out in deal_folds(telling_rows_apart(self.dataset), folds, seed):
            yield LocalFold(self.without(held_out), held_out)

    def without(self, held_out: Integers) -> LocalRows:
        """Fewer rows: ``held_out`` says how many copies of each row are taken away."""
        return replace(self, dataset=replace(self.dataset, counts=self.dataset.counts - held_out))

    def joint_counts(self) -> JointCounts:
        return CodedTable.of(with_intervals(self.dataset))


@dataclass(frozen=True, eq=False)
class LocalFold:
    """Rows of the dataset that are held out."""

    training: LocalRows
    held_out: Integers
    """How many copies of each row."""

    def judge(
        self, models: Sequence[TemperedModel], counts: ValueCounts, settings: SelectionSettings, least: float
    ) -> JudgedRows:
        dataset, seed = self.training.dataset, settings.seed
        requests = [HoldOutRequest(dataset, model.features, counts, self.held_out, seed) for model in models]
        return JudgedRows.of(models, [settings.model.hold_out(request) for request in requests], least)
