"""Rows that are held out as a model of the others sees them: as unlabelled rows, which it is not trained on."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from probfs.classifiers.protocol import HoldOutRequest
from probfs.classifiers.refitting.splits import Split
from probfs.columns.dataset import Dataset
from probfs.columns.distinct_rows import order_by_content


@dataclass(frozen=True, eq=False)
class HeldOutRows:
    """A table in which the rows held out are the unlabelled ones, and the split that scores these, in their order."""

    table: Dataset
    split: Split


def set_apart(request: HoldOutRequest) -> HeldOutRows:
    """The training rows in the features of a request, ordered by content, and the rows held out."""
    chosen = {request.dataset.features[place].name: request.dataset.features[place] for place in request.features}
    training = order_by_content(replace(request.dataset, features=tuple(chosen.values())), request.seed)
    members = np.flatnonzero(request.held_out)
    counts = request.held_out[members]
    features = tuple(replace(own, unlabelled=chosen[own.name].labelled[members]) for own in training.features)
    split = replace(
        Split.without_scoring(),
        scored=len(training.labels) + np.arange(len(members)),
        scored_counts=counts,
        scored_labels=request.dataset.labels[members],
    )
    return HeldOutRows(replace(training, features=features, unlabelled_counts=counts), split)
