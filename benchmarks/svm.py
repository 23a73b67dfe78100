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
from probfs.choices import Kernel
from probfs.classifiers.settings import Settings, settle
from probfs.classifiers.svm.classifier import Svm
from probfs.classifiers.svm.tasks import fit, shuffle
from probfs.columns.distinct_rows import order_by_content
from probfs.columns.encoding import encode
from probfs.columns.mapping_file import MappingFile
from probfs.columns.preparation import prepare
from probfs.columns.roles import ColumnChoice
from probfs.ranking.elimination import schedule
from probfs.runtime.processes import interruptibly
from probfs.tables.readers.frame import table_from_frame
from workloads import weston

SHUFFLES = 20


class Workload(NamedTuple):
    name: str
    rows: int
    features: int
    kernel: Kernel


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
    choice = ColumnChoice("y", measured=True)
    prepared = prepare(table_from_frame(weston(workload.rows, workload.features)), MappingFile(), choice)
    dataset, _ = encode(prepared, [], choice, ())
    backend = Svm(order_by_content(dataset, 0), settings(workload.kernel), schedule(workload.features, 1))
    (task,) = backend.shuffle_tasks()
    model = interruptibly(fit, task)
    fit_time = best_of(7, lambda: interruptibly(fit, task))
    return fit_time, best_of(7, lambda: interruptibly(lambda same: shuffle(same, model), task))


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


def settings(kernel: Kernel) -> Settings:
    return settle(
        classifier="svm",
        score="absolute",
        estimate=None,
        folds=None,
        step=1,
        eliminate=True,
        seed=0,
        own={"kernel": kernel, "permutations": SHUFFLES},
        names={},
    )


PARTS = (one_round,)
