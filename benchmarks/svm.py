"""What a round of the SVM costs: scoring it by shuffles, as a ratio to the round's own fit and to scikit-learn's
permutation_importance on the same table.

Run it from the project's root: python benchmarks/svm.py. Times are the best of several in this process; the peer, which
takes minutes, is given all cores, shuffles every column once, and is multiplied by the number of shuffles.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple, TypeVar

from sklearn.calibration import CalibratedClassifierCV
from sklearn.inspection import permutation_importance
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from probfs.backends.svm import Svm
from probfs.backends.svm.scoring import fit, shuffle
from probfs.canonical import canonical
from probfs.choices import Kernel
from probfs.elimination import schedule
from probfs.encoding import encode
from probfs.mapping import MappingFile
from probfs.planning import ColumnChoice
from probfs.preparation import prepare
from probfs.readers.frame import table_from_frame
from probfs.settings import Settings, settle
from probfs.workers import interruptibly
from workloads import weston

SHUFFLES = 20
Result = TypeVar("Result")


class Workload(NamedTuple):
    name: str
    rows: int
    features: int
    kernel: Kernel


WORKLOADS = (Workload("linear-2000x100", 2000, 100, "linear"), Workload("rbf-1000x50", 1000, 50, "rbf"))


def main() -> None:
    print(f"| workload | the round's fit | its {SHUFFLES} shuffles | to the fit | permutation_importance | faster |")
    print("|---|---|---|---|---|---|")
    for workload in WORKLOADS:
        fit_time, score_time = measure_product(workload)
        peer_time = measure_peer(workload)
        print(
            f"| {workload.name} | {fit_time:.3f} s | {score_time:.3f} s | {score_time / fit_time:.2f} "
            f"| {peer_time:.0f} s | {peer_time / score_time:,.0f} × |",
            flush=True,
        )


def measure_product(workload: Workload) -> tuple[float, float]:
    """The best time of a round's fit, SVM and sigmoid, and of its scoring."""
    choice = ColumnChoice("y", measured=True)
    prepared = prepare(table_from_frame(weston(workload.rows, workload.features)), MappingFile(), choice)
    dataset, _ = encode(prepared, [], choice, ())
    backend = Svm(canonical(dataset, 0), settings(workload.kernel), schedule(workload.features, 1))
    (task,) = backend.shuffle_tasks()
    fit_time, model = best(lambda: interruptibly(fit, task))
    score_time, _ = best(lambda: interruptibly(lambda same: shuffle(same, model), task))
    return fit_time, score_time


def measure_peer(workload: Workload) -> float:
    """permutation_importance with as many repeats, on scikit-learn's own model with the same scales."""
    frame = weston(workload.rows, workload.features)
    cells = StandardScaler().fit_transform(frame.drop(columns="y"))
    cost = 1 / workload.features if workload.kernel == "linear" else 1.0
    machine = SVC(kernel=workload.kernel, C=cost)
    model = CalibratedClassifierCV(machine, method="sigmoid", ensemble=False, cv=5).fit(cells, frame["y"])
    once, _ = best(
        lambda: permutation_importance(model, cells, frame["y"], scoring="neg_log_loss", n_repeats=1, n_jobs=-1), 1
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


def best(work: Callable[[], Result], times: int = 7) -> tuple[float, Result]:
    """The least time of several, and the result."""
    least = float("inf")
    for _ in range(times):
        start = time.perf_counter()
        result = work()
        least = min(least, time.perf_counter() - start)
    return least, result


if __name__ == "__main__":
    main()
