"""Which rows models hold out and score, and that donors are fair draws among the labelled rows."""

from __future__ import annotations

from typing import get_args

import numpy as np
import pytest

from probfs.classifiers.options import EstimateName
from probfs.classifiers.refitting.rows import UNLABELLED, draw_donors, make_splits, set_apart
from tests.support.svm_tables import random_dataset


@pytest.mark.parametrize("estimate", get_args(EstimateName))
def test_every_copy_of_every_row_is_scored_once_and_by_a_model_without_it(estimate: EstimateName) -> None:
    dataset = random_dataset(3, 12, "ct", unlabelled=5, counted=True)
    scored = np.zeros(12 + 5, dtype=np.int64)
    for split in make_splits(dataset, estimate, 3 if estimate == "cv" else None, seed=0):
        np.add.at(scored, split.scored, split.scored_counts)
        labelled = split.scored_labels != UNLABELLED
        assert (labelled == (split.scored < 12)).all()
        assert (split.scored_labels[labelled] == dataset.labels[split.scored[labelled]]).all()
        if estimate in ("cv", "loo") and labelled.any():
            held_out = split.scored_counts if estimate == "cv" else 1
            training = dataset.counts.copy()
            training[split.scored] -= held_out
            assert (split.training_counts(dataset.counts) == training).all()
    assert scored.tolist() == [*dataset.counts.tolist(), *dataset.unlabelled_counts.tolist()]


def test_rows_held_out_keep_their_cells_classes_and_counts() -> None:
    dataset = random_dataset(3, 24, "ctd", 3, counted=True)
    held_out = np.arange(len(dataset.labels)) % 3
    table, split = set_apart(dataset, [2, 0], held_out, 0)
    members = np.flatnonzero(held_out)
    assert split.scored.tolist() == [len(table.labels) + place for place in range(len(members))]
    assert split.scored_labels.tolist() == dataset.labels[members].tolist()
    assert split.scored_counts.tolist() == table.unlabelled_counts.tolist() == held_out[members].tolist()
    by_name = {feature.name: feature for feature in dataset.features}
    assert {feature.name for feature in table.features} == {dataset.features[place].name for place in (2, 0)}
    for feature in table.features:
        assert feature.unlabelled.tolist() == by_name[feature.name].labelled[members].tolist()
    assert table.rows == dataset.rows


def test_donors_are_a_permutation_when_all_rows_count_once() -> None:
    ones = np.ones(50, dtype=np.int64)
    donors = draw_donors(ones, ones, 30, np.random.default_rng(0))
    assert (np.sort(donors, axis=1) == np.arange(50)).all()
    assert len({tuple(row) for row in donors.tolist()}) == 30


def test_donors_are_drawn_as_often_as_they_count() -> None:
    counts = np.array([1, 5, 10, 84])
    donors = draw_donors(np.array([3, 1, 40]), counts, 20_000, np.random.default_rng(0))
    for column in donors.T:
        assert np.bincount(column, minlength=4) / len(column) == pytest.approx(counts / 100, abs=0.02)
