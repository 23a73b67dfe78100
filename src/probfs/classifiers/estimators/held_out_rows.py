"""An estimator trained on some rows of a table, and other rows as it sees them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from probfs.classifiers.estimators.column_encoders import make_encoder
from probfs.classifiers.estimators.recipe import Recipe
from probfs.classifiers.estimators.tasks import FitTask, judge_rows
from probfs.classifiers.refitting.splits import Split
from probfs.classifiers.refitting.training_rows import TrainingData
from probfs.classifiers.row_odds import RowOdds
from probfs.classifiers.specification import HoldOutRequest
from probfs.columns.dataset import Dataset
from probfs.columns.distinct_rows import order_by_content
from probfs.runtime.processes import run_interruptibly


def held_out_odds(request: HoldOutRequest, make_recipe: Callable[[Dataset], Recipe]) -> RowOdds:
    """The odds of the rows held out, in their order, by the model that ``make_recipe`` gives for the training rows."""
    chosen = {request.dataset.features[place].name: request.dataset.features[place] for place in request.features}
    training = order_by_content(replace(request.dataset, features=tuple(chosen.values())), request.seed)
    members = np.flatnonzero(request.held_out)
    # To the model, rows that it is not trained on are unlabelled.
    features = tuple(replace(own, unlabelled=chosen[own.name].labelled[members]) for own in training.features)
    table = replace(training, features=features, unlabelled_counts=request.held_out[members])
    recipe = make_recipe(table)
    encoder = make_encoder(table, recipe.encoding, recipe.name)
    data = TrainingData(encoder, training.labels, training.counts, len(training.classes))
    split = replace(
        Split.without_scoring(),
        scored=len(training.labels) + np.arange(len(members)),
        scored_counts=request.held_out[members],
        scored_labels=request.dataset.labels[members],
    )
    return run_interruptibly(judge_rows, FitTask(data, recipe, np.arange(len(features)), split))
