"""Rows of a block as codes."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from probfs.cluster.number_cells import NumberCells
from probfs.columns.dataset import Dataset, Feature
from probfs.tables.arrays import Codes, Integers, Labels, text_array

_BYTES_OF_A_ROW = 56
"""What is kept of a row beside its codes: its class, its count, its log-odds in two parts, and what a round needs."""


def bytes_of_rows(rows: int, features: int, itemsize: int) -> int:
    """The memory that rows take on all workers together."""
    return rows * (features * itemsize + _BYTES_OF_A_ROW)


@dataclass(frozen=True, eq=False)
class CodedRows:
    """Rows sorted by class: the class and count of each, and a line of codes for each feature."""

    labels: Labels
    counts: Integers
    codes: Codes
    numbers: tuple[NumberCells, ...] = ()
    """The numbers that features were made of, where they are kept."""

    @classmethod
    def sorted(cls, labels: Labels, counts: Integers, codes: Codes, numbers: tuple[NumberCells, ...] = ()) -> CodedRows:
        order = np.argsort(labels, kind="stable")
        order = order[counts[order] > 0]
        if np.array_equal(order, np.arange(len(labels))):
            return cls(labels, counts, np.ascontiguousarray(codes), numbers)
        return cls(
            labels[order], counts[order], np.take(codes, order, axis=1), tuple(own.take(order) for own in numbers)
        )

    def only(self, features: Integers | None) -> CodedRows:
        """The rows with some features, by position."""
        every = features is None or np.array_equal(features, np.arange(len(self.codes)))
        return self if every else replace(self, codes=self.codes[features])

    def dataset(self, classes: tuple[str, ...]) -> Dataset:
        """The rows as the labelled ones of a dataset, whose features have neither names nor labels."""
        return make_dataset(self, CodedRows.of_nothing(self.codes), classes)

    @classmethod
    def of_nothing(cls, like: Codes) -> CodedRows:
        return cls(np.zeros(0, dtype=np.int8), np.zeros(0, dtype=np.int64), np.zeros((len(like), 0), dtype=like.dtype))

    def size(self) -> int:
        numbers = sum(own.nbytes for own in self.numbers)
        return self.codes.nbytes + numbers + _BYTES_OF_A_ROW * len(self.counts)


def make_dataset(labelled: CodedRows, unlabelled: CodedRows, classes: tuple[str, ...]) -> Dataset:
    """Rows as a dataset, whose features have neither names nor labels."""
    no_labels = text_array([])
    features = tuple(
        Feature("", no_labels, own, further) for own, further in zip(labelled.codes, unlabelled.codes, strict=True)
    )
    return Dataset(features, classes, labelled.labels, labelled.counts, unlabelled.counts)
