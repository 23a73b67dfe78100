"""Naive Bayes trained on some rows of a table, and other rows as it sees them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from probfs.classifiers.naive_bayes.counts import ClassConditionals, ClassCounts, SlotLayout
from probfs.classifiers.naive_bayes.row_groups import make_rows
from probfs.classifiers.row_odds import RowOdds
from probfs.columns.dataset import Dataset
from probfs.screening.value_counts import ValueCounts
from probfs.tables.table import Integers


def held_out_odds(
    dataset: Dataset, features: Sequence[int], training: ValueCounts, held_out: Integers, smoothing: float
) -> RowOdds:
    """The odds of rows by a model of some features, class by class; features are named by position.

    ``training`` are the counts of the rows that the model is trained on, of all features of the dataset; ``held_out``
    says how many copies of each row are judged.
    """
    chosen = training.of_features(np.asarray(features, dtype=np.int64))
    layout = SlotLayout.of(chosen.values.tolist())
    model = ClassConditionals.of(ClassCounts(training.class_rows, chosen.by_slot), layout, smoothing)
    parts = []
    for label in range(len(dataset.classes)):
        members = np.flatnonzero((dataset.labels == label) & (held_out > 0))
        codes = np.empty((len(features), len(members)), dtype=layout.code_dtype)
        for line, feature in zip(codes, features, strict=True):
            line[:] = dataset.features[feature].labelled.take(members)
        rows = make_rows(codes, held_out[members].astype(np.float64), label, layout, model)
        rows.update(np.arange(len(features)))
        parts.append(rows.odds())
    return RowOdds.joined(parts)
