"""The support vector machine as users meet it: its name, its options and what it wants of a table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from probfs.classifiers.refitting.options import COST, JOBS, LEAST_SCALE, MOST_SCALE, PERMUTATIONS, REMOVAL
from probfs.classifiers.specification import CLASSIFIERS, MISSING, FitRequest, HoldOutRequest, Option, Specification
from probfs.classifiers.value_types import Choice, Number
from probfs.text import counted

if TYPE_CHECKING:
    from probfs.classifiers.protocol import Classifier
    from probfs.classifiers.row_odds import RowOdds
    from probfs.columns.dataset import Dataset

KERNEL = Option(
    "kernel",
    Choice(("linear", "rbf")),
    "linear",
    "the kernel; linear weighs the columns, rbf also sees how they act together.",
)
GAMMA = Option(
    "gamma",
    Number(LEAST_SCALE, MOST_SCALE, words=("scale", "auto")),
    "scale",
    "how fast the kernel falls with the squared distance.",
    default_help="scale, 1 / (columns * variance), each value of a category being a column; auto is 1 / columns",
    only_with=("kernel", "rbf"),
)


def _arrange(dataset: Dataset, seed: int) -> Dataset:
    from probfs.columns.distinct_rows import order_by_content

    return order_by_content(dataset, seed)


def _fit(request: FitRequest) -> Classifier:
    # Only here is scikit-learn imported, which takes longer than most rankings.
    from probfs.classifiers.svm.classifier import Svm

    return Svm(
        request.dataset,
        **{name: value for name, value in request.options.items() if name != MISSING.name},
        estimate=request.estimate,
        folds=request.folds,
        seed=request.seed,
        rounds=request.rounds,
        on_model=request.on_model,
        on_note=request.on_note,
    )


def _hold_out(request: HoldOutRequest) -> RowOdds:
    from probfs.classifiers.svm.classifier import judge_rows_by_svm

    options = {name: request.options[name] for name in ("kernel", "C", "gamma")}
    return judge_rows_by_svm(request.dataset, request.features, request.held_out, **options, seed=request.seed)


def _summarize(options: Mapping[str, Any]) -> str:
    kernel = {"linear": "Linear", "rbf": "RBF"}[options["kernel"]]
    permutations = options["permutations"]
    removal = "retrained" if permutations is None else f"{counted(permutations, 'shuffle')} a column"
    return f"{kernel} SVM, Platt-scaled, {removal}"


SVM = CLASSIFIERS.register(
    Specification(
        name="svm",
        description="a Platt-scaled support vector machine, which takes numbers as they are",
        options=(KERNEL, COST, GAMMA, REMOVAL, PERMUTATIONS, JOBS, MISSING),
        default_estimate="resubstitution",
        takes_numbers=True,
        arrange=_arrange,
        fit=_fit,
        summarize=_summarize,
        hold_out=_hold_out,
        training_rows_of_class=2,
        sees_columns_together=lambda options: options["kernel"] == "rbf",
    )
)
