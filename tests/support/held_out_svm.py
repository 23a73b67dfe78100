"""Rows of a table as an SVM of other rows sees them, by scikit-learn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from probfs.classifiers.refitting.design_matrix import DesignMatrixBuilder
from probfs.columns.dataset import Dataset
from probfs.columns.folds import order_by_content
from tests.support.expected_svm_rounds import cost_of_table
from tests.support.refitted_svm import Floats, Integers, SvmParameters, build_matrix, fit


def held_out_probabilities(
    training: Dataset, features: Sequence[int], held_out: Integers, parameters: SvmParameters
) -> Floats:
    """The probabilities (rows × classes) that a model of the training rows gives to the rows held out."""
    chosen = sorted((training.features[place] for place in features), key=lambda feature: feature.name)
    alone = order_by_content(replace(training, features=tuple(chosen)), parameters.seed)
    members = np.flatnonzero(held_out)
    pairs = zip(alone.features, chosen, strict=True)
    joined = replace(
        alone,
        features=tuple(replace(own, unlabelled=every.labelled[members]) for own, every in pairs),
        unlabelled_counts=held_out[members],
    )
    everything = list(range(len(features)))
    obvious, _ = build_matrix(joined, everything, joined.counts)
    cells = DesignMatrixBuilder(joined, "the SVM").build(np.array(everything, dtype=np.intp), joined.counts).cells
    np.testing.assert_allclose(cells, obvious, rtol=1e-12, atol=1e-12)
    model = fit(joined, cells, joined.counts, parameters, cost_of_table(joined, parameters))
    return model.probabilities(cells[len(joined.labels) :])
