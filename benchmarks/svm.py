"""What a round of the SVM costs, and a whole ranking of many rows.

The peer of a round, which takes minutes, is given all cores, shuffles every column once, and is multiplied by the
number of shuffles. The peer of a ranking does what scikit-learn's RFE does with a LinearSVC, hinge loss and the same C:
it fits, and removes the columns of least squared weight, as many in each round as probfs removes. (RFE itself can only
remove the same number of columns in every round.) It does not calibrate, which takes five more fits a round.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
from joblib import cpu_count
from sklearn.calibration import CalibratedClassifierCV
from sklearn.inspection import permutation_importance
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from measure import Line, at_most, best_of, best_processes, faster, probfs, python
from probfs.classifiers.catalogue import SVM
from probfs.classifiers.options import KernelName
from probfs.classifiers.protocol import FitRequest
from probfs.classifiers.refitting.classifier import RefittedClassifier, Task, fit_and_permute
from probfs.classifiers.refitting.models import Model
from probfs.classifiers.refitting.rows import draw_donors, make_splits
from probfs.columns.choice import ColumnChoice
from probfs.columns.dataset import Dataset
from probfs.columns.encode import encode
from probfs.columns.folds import order_by_content
from probfs.columns.mapping import ColumnMapping
from probfs.columns.prepare import prepare
from probfs.ranking.elimination import schedule
from probfs.runtime.parallel import Workers
from probfs.tables.frames import table_in_memory
from workloads import weston

SHUFFLES = 20


class Workload(NamedTuple):
    name: str
    rows: int
    features: int
    kernel: KernelName


WORKLOADS = (Workload("linear-2000x100", 2000, 100, "linear"), Workload("rbf-1000x50", 1000, 50, "rbf"))


def one_round(folder: Path) -> Iterator[Line]:
    """Scoring a round by shuffles, beside the round's own fit and scikit-learn's permutation_importance."""
    for workload in WORKLOADS:
        fit_time, score_time = measure_product(workload)
        name, what = f"svm-{workload.name}", f"a round's {SHUFFLES} shuffles"
        yield at_most(name, what, score_time, "the round's fit", fit_time, 1)
        peer = f"permutation_importance, {SHUFFLES} repeats"
        yield faster(name, what, score_time, peer, measure_peer(workload), 1)


def measure_product(workload: Workload) -> tuple[float, float]:
    """The best time of a round's fit, SVM and sigmoid, and of its scoring."""
    choice = ColumnChoice("y", numbers_as_they_are=True)
    prepared = prepare(table_in_memory(weston(workload.rows, workload.features), "data"), ColumnMapping(), choice)
    dataset, _ = encode(prepared)
    rounds = schedule(workload.features, 1)
    request = FitRequest(order_by_content(dataset, 0), "resubstitution", None, 0, rounds, lambda note: None, None)
    svm = SVM(kernel=workload.kernel, permutations=SHUFFLES).fit(request)
    assert isinstance(svm, RefittedClassifier)
    task = task_of_round(svm, dataset)
    model = task.fit()
    fit_time = best_of(7, lambda: list(Workers(1, 1).run(lambda same: same.fit(), [task])))
    workers = Workers(1, 7)
    return fit_time, best_of(7, lambda: list(workers.run(lambda same: permute(same, model), [task])))


def task_of_round(classifier: RefittedClassifier, dataset: Dataset) -> Task:
    """Permuting every feature of the model of all rows."""
    (split,) = make_splits(dataset, "resubstitution", None, 0)
    donors = draw_donors(dataset.counts, dataset.counts, SHUFFLES, np.random.default_rng(0))
    return Task(classifier.trainer, classifier.active, split, donors, cpu_count())


def permute(task: Task, model: Model) -> object:
    """The task without the fit of its model."""
    fitted: Any = SimpleNamespace(fit=lambda *_: model, counts=task.trainer.counts)
    return fit_and_permute(replace(task, trainer=fitted))


def measure_peer(workload: Workload) -> float:
    """permutation_importance with as many repeats, on scikit-learn's own model with the same scales."""
    frame = weston(workload.rows, workload.features)
    cells = StandardScaler().fit_transform(frame.drop(columns="y"))
    cost = 1 / workload.features if workload.kernel == "linear" else 1.0
    machine = SVC(kernel=workload.kernel, C=cost)
    model = CalibratedClassifierCV(machine, method="sigmoid", ensemble=False, cv=5).fit(cells, frame["y"])
    once = best_of(
        1, lambda: permutation_importance(model, cells, frame["y"], scoring="neg_log_loss", n_repeats=1, n_jobs=-1)
    )
    return once * SHUFFLES


LONG_TABLE = Workload("linear-20000x50", 20_000, 50, "linear")
STEP = 0.2

_ELIMINATION_BY_WEIGHT = """
import warnings
import numpy as np, pandas as pd
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
warnings.simplefilter("ignore")
frame = pd.read_csv({path!r})
labels = frame.pop("y")
cells = StandardScaler().fit_transform(frame)
for remaining in {rounds}[1:] + [0]:
    machine = LinearSVC(loss="hinge", C={cost}, random_state=0).fit(cells, labels)
    cells = cells[:, np.sort(np.argsort(machine.coef_[0] ** 2)[cells.shape[1] - remaining:])]
"""


def whole_ranking(folder: Path) -> Iterator[Line]:
    """A ranking of many rows from start to end, beside an elimination by LinearSVC that reads the same file."""
    path = folder / f"{LONG_TABLE.name}.csv"
    weston(LONG_TABLE.rows, LONG_TABLE.features).to_csv(path, index=False)
    rounds = list(schedule(LONG_TABLE.features, STEP))
    peer = _ELIMINATION_BY_WEIGHT.format(path=str(path), rounds=rounds, cost=1 / LONG_TABLE.features)
    command = probfs("rank", path, "--target", "y", "--classifier", "svm", "--step", STEP)
    own, others = best_processes(3, command, python(peer))
    name, what = f"svm-{LONG_TABLE.name}", f"rank, step {STEP:g}"
    yield at_most(name, what, own.seconds, "the same eliminations by LinearSVC", others.seconds, 3)


PARTS = (one_round, whole_ranking)
