"""Naive Bayes lays its counts out as screening does, so that ``rank`` need not count twice."""

from __future__ import annotations

import numpy as np

from probfs.classifiers.naive_bayes.model import SlotLayout
from probfs.screening.screen import count_values
from tests.support.datasets import random_dataset


def test_the_counts_of_naive_bayes_are_those_of_screening() -> None:
    dataset = random_dataset(300, features=6, values=4, classes=3, seed=2)
    layout = SlotLayout.of([feature.values for feature in dataset.features])
    codes = np.array([feature.labelled for feature in dataset.features])
    by_class = [
        layout.count(codes[:, dataset.labels == label], np.ones(np.count_nonzero(dataset.labels == label)))
        for label in range(3)
    ]
    counts = count_values(dataset)
    assert counts.offset.tolist() == layout.offset.tolist()
    assert counts.values.tolist() == layout.values.tolist()
    assert np.array_equal(counts.by_slot, np.stack(by_class, axis=1))
