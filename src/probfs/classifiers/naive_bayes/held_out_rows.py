"""Naive Bayes trained on some rows of a table, and other rows as it sees them."""

from __future__ import annotations

import numpy as np

from probfs.classifiers.naive_bayes.counts import ClassConditionals, ClassCounts, SlotLayout
from probfs.classifiers.naive_bayes.row_groups import make_rows
from probfs.classifiers.protocol import HoldOutRequest
from probfs.classifiers.row_odds import RowOdds


def held_out_odds(request: HoldOutRequest, smoothing: float) -> RowOdds:
    """The odds of the rows held out, class by class and in their order."""
    dataset, features = request.dataset, np.asarray(request.features, dtype=np.int64)
    training = request.training.of_features(features)
    layout = SlotLayout.of(training.values.tolist())
    counts = ClassCounts(training.class_rows, training.by_slot)
    model = ClassConditionals.of(counts, layout, smoothing)
    parts = []
    for label in range(len(dataset.classes)):
        members = np.flatnonzero((dataset.labels == label) & (request.held_out > 0))
        codes = np.empty((len(features), len(members)), dtype=layout.code_dtype)
        for line, feature in zip(codes, features.tolist(), strict=True):
            line[:] = dataset.features[feature].labelled.take(members)
        rows = make_rows(codes, request.held_out[members].astype(np.float64), label, layout, model)
        rows.add_at_once(np.arange(len(features)))
        parts.append(rows.odds())
    return RowOdds.joined(parts)
