"""What a round of the SVM costs.

The peer, which takes minutes, is given all cores, shuffles every column once, and is multiplied by the number of
shuffles.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from sklearn.calibration import CalibratedClassifierCV
from sklearn.inspection import permutation_importance
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from measure import Line, at_most, best_of, faster
from probfs.classifiers.svm.classifier import Svm
from probfs.classifiers.svm.options import DEFAULT_COST, DEFAULT_ESTIMATE, DEFAULT_GAMMA, KernelName
from probfs.classifiers.svm.tasks import fit_full_model, permute_features
from probfs.columns.distinct_rows import order_by_content
from probfs.columns.encode import encode
from probfs.columns.mapping_file import MappingFile
from probfs.columns.prepare import prepare
from probfs.columns.roles import ColumnChoice
from probfs.ranking.elimination import schedule
from probfs.runtime.processes import run_interruptibly
from probfs.tables.readers.frame import table_from_frame
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
    prepared = prepare(table_from_frame(weston(workload.rows, workload.features)), MappingFile(), choice)
    dataset, _ = encode(prepared)
    svm = Svm(
        order_by_content(dataset, 0),
        kernel=workload.kernel,
        C=DEFAULT_COST,
        gamma=DEFAULT_GAMMA,
        removal="permute",
        permutations=SHUFFLES,
        estimate=DEFAULT_ESTIMATE,
        folds=None,
        seed=0,
        rounds=schedule(workload.features, 1),
    )
    (task,) = svm.make_permute_tasks()
    model = run_interruptibly(fit_full_model, task)
    fit_time = best_of(7, lambda: run_interruptibly(fit_full_model, task))
    return fit_time, best_of(7, lambda: run_interruptibly(lambda same: permute_features(same, model), task))


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


PARTS = (one_round,)
