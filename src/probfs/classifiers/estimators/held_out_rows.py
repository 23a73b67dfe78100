"""An estimator trained on some rows of a table, and other rows as it sees them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from probfs.classifiers.estimators.column_encoders import make_encoder
from probfs.classifiers.estimators.recipe import Recipe
from probfs.classifiers.estimators.tasks import FitTask, judge_rows
from probfs.classifiers.protocol import HoldOutRequest
from probfs.classifiers.refitting.held_out_rows import set_apart
from probfs.classifiers.refitting.training_rows import TrainingData
from probfs.classifiers.row_odds import RowOdds
from probfs.columns.dataset import Dataset
from probfs.runtime.processes import run_interruptibly


def held_out_odds(request: HoldOutRequest, make_recipe: Callable[[Dataset], Recipe]) -> RowOdds:
    """The odds of the rows held out, in their order, by the model that ``make_recipe`` gives for the training rows."""
    rows = set_apart(request)
    table = rows.table
    recipe = make_recipe(table)
    encoder = make_encoder(table, recipe.encoding, recipe.name)
    data = TrainingData(encoder, table.labels, table.counts, len(table.classes))
    return run_interruptibly(judge_rows, FitTask(data, recipe, np.arange(len(table.features)), rows.split))
