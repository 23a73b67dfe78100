"""Which rows models hold out and score."""

from __future__ import annotations

from typing import get_args

import numpy as np
import pytest

from probfs.classifiers.options import EstimateName
from probfs.classifiers.refitting.splits import UNLABELLED, make_splits
from tests.support.svm_tables import random_dataset


@pytest.mark.parametrize("estimate", get_args(EstimateName))
def test_every_copy_of_every_row_is_scored_once(estimate: EstimateName) -> None:
    dataset = random_dataset(3, 12, "ct", unlabelled=5, counted=True)
    scored = np.zeros(12 + 5, dtype=np.int64)
    for split in make_splits(dataset, estimate, 3 if estimate == "cv" else None, seed=0):
        np.add.at(scored, split.scored, split.scored_counts)
        labelled = split.scored_labels != UNLABELLED
        assert (labelled == (split.scored < 12)).all()
        assert (split.scored_labels[labelled] == dataset.labels[split.scored[labelled]]).all()
    assert scored.tolist() == [*dataset.counts.tolist(), *dataset.unlabelled_counts.tolist()]


@pytest.mark.parametrize(("estimate", "models"), [("loo", 12), ("cv", 3)])
def test_scored_rows_are_held_out(estimate: EstimateName, models: int) -> None:
    dataset = random_dataset(3, 12, "ct", counted=True)
    splits = make_splits(dataset, estimate, 3 if estimate == "cv" else None, seed=0)
    assert len(splits) == models
    for split in splits:
        assert (split.held_out == split.scored).all()
        expected = split.scored_counts if estimate == "cv" else np.ones(1)
        assert (split.held_out_copies == expected).all()
