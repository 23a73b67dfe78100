"""What a round of shuffles costs with an estimator, beside permutation_importance on the same fitted model.

Both sides get the same model, table, number of shuffles and cores. permutation_importance is measured both ways it can
use the cores, over columns and inside the model, and the faster one counts. It computes one loss for each column and
shuffle; probfs computes the probabilities of every row, and all scores from them. All columns are numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from joblib import cpu_count
from sklearn.base import clone
from sklearn.inspection import permutation_importance

from measure import Line, best_of, best_of_each, faster
from probfs.classifiers.catalogue import find_classifier
from probfs.classifiers.protocol import FitRequest
from probfs.classifiers.refitting.classifier import RefittedClassifier, Task
from probfs.classifiers.refitting.estimators import EstimatorTrainer
from probfs.classifiers.refitting.models import Model
from probfs.columns.choice import ColumnChoice
from probfs.columns.encode import encode
from probfs.columns.folds import order_by_content
from probfs.columns.mapping import ColumnMapping
from probfs.columns.prepare import prepare
from probfs.runtime.parallel import Workers
from probfs.tables.frames import table_in_memory
from svm import permute, task_of_round
from workloads import weston

SHUFFLES = 20


class Workload(NamedTuple):
    classifier: str
    rows: int
    features: int
    wanted: float
    """How many times as fast probfs should be."""


WORKLOADS = (
    Workload("forest", 1000, 50, 3),
    Workload("forest", 5000, 20, 3),
    Workload("boosting", 1000, 50, 1),
    Workload("logistic", 1000, 50, 3),
)


def one_round(folder: Path) -> Iterator[Line]:
    """Scoring a round by shuffles, when its model is fitted."""
    for workload in WORKLOADS:
        task, model = fit_once(workload)
        own = best_of(3, partial(_permute, model, task))
        peer = measure_peer(task)
        name = f"{workload.classifier}-{workload.rows}x{workload.features}"
        what, other = f"a round's {SHUFFLES} shuffles", f"permutation_importance, {SHUFFLES} repeats"
        yield faster(name, what, own, other, peer, workload.wanted)


def _permute(model: Model, task: Task) -> object:
    return list(Workers(1, 1, threads=cpu_count()).run(lambda same: permute(same, model), [task]))


def fit_once(workload: Workload) -> tuple[Task, Model]:
    """The model of all rows and columns, and the task of permuting each of them."""
    chosen = find_classifier(workload.classifier, {"permutations": SHUFFLES})
    choice = ColumnChoice("y", numbers_as_they_are=True)
    prepared = prepare(table_in_memory(weston(workload.rows, workload.features), "data"), ColumnMapping(), choice)
    dataset, _ = encode(prepared)
    classifier = chosen.fit(
        FitRequest(
            dataset=order_by_content(dataset, 0),
            estimate="resubstitution",
            folds=None,
            seed=0,
            rounds=[workload.features],
            on_note=lambda note: None,
            on_model=None,
        )
    )
    assert isinstance(classifier, RefittedClassifier)
    task = task_of_round(classifier, dataset)
    return task, task.fit()


def measure_peer(task: Task) -> float:
    """The faster of two ways to use all cores."""
    trainer = task.trainer
    assert isinstance(trainer, EstimatorTrainer)
    cells = trainer.encoder.build(task.features, trainer.counts).cells[: len(trainer.labels)]
    estimator = clone(trainer.estimator).fit(cells, trainer.labels)

    def importance(jobs_of_columns: int | None, jobs_of_model: int | None) -> Any:
        if "n_jobs" in estimator.get_params() and "n_estimators" in estimator.get_params():
            estimator.set_params(n_jobs=jobs_of_model)
        return permutation_importance(
            estimator,
            cells,
            np.asarray(trainer.labels),
            scoring="neg_log_loss",
            n_repeats=SHUFFLES,
            n_jobs=jobs_of_columns,
            random_state=0,
        )

    return min(best_of_each(1, lambda: importance(-1, None), lambda: importance(None, -1)))


PARTS = (one_round,)
