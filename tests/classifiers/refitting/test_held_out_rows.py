"""Rows that are held out are unlabelled rows to the model of the others."""

from __future__ import annotations

import numpy as np

from probfs.classifiers.protocol import HoldOutRequest
from probfs.classifiers.refitting.held_out_rows import set_apart
from probfs.screening.value_counts import count_values
from tests.support.svm_tables import random_dataset


def test_rows_held_out_keep_their_cells_classes_and_counts() -> None:
    dataset = random_dataset(3, 24, "ctd", 3, counted=True)
    held_out = np.arange(len(dataset.labels)) % 3
    found = set_apart(HoldOutRequest(dataset, [2, 0], count_values(dataset), held_out, 0))
    members = np.flatnonzero(held_out)
    assert found.split.scored.tolist() == [len(found.table.labels) + place for place in range(len(members))]
    assert found.split.scored_labels.tolist() == dataset.labels[members].tolist()
    assert found.split.scored_counts.tolist() == found.table.unlabelled_counts.tolist() == held_out[members].tolist()
    own = {feature.name: feature for feature in dataset.features}
    assert {feature.name for feature in found.table.features} == {dataset.features[place].name for place in (2, 0)}
    for feature in found.table.features:
        assert feature.unlabelled.tolist() == own[feature.name].labelled[members].tolist()
    assert found.table.rows == dataset.rows
