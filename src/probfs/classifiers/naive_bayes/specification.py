"""Naive Bayes as users meet it: its name, its options and what it wants of a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from probfs.classifiers.specification import CLASSIFIERS, MISSING, FitRequest, HoldOutRequest, Option, Specification
from probfs.classifiers.value_types import Choice, Number, WholeNumber
from probfs.columns.limits import CUT_ABOVE, DEFAULT_BINS, MOST_BINS

if TYPE_CHECKING:
    from probfs.classifiers.protocol import Classifier
    from probfs.classifiers.row_odds import RowOdds
    from probfs.columns.dataset import Dataset

SMOOTHING = Option(
    "smoothing",
    Number(1e-100, 1e100, zero="the exact limit", name="ALPHA"),
    1.0,
    "what is added to every count; 0 is the exact limit of less and less smoothing.",
)
SHRINK = Option(
    "shrink",
    Choice(("auto", "on", "off")),
    "auto",
    "whether to shrink log-odds towards 0 by as much as chance alone moves them; auto does so in tables with so many "
    "columns for their rows that chance would make most rows look certain.",
)
BINS = Option(
    "bins",
    WholeNumber(2, MOST_BINS, "K"),
    DEFAULT_BINS,
    f"into how many intervals an unmapped numeric column with more than {CUT_ABOVE} values is cut.",
    for_columns=True,
)


def _arrange(dataset: Dataset, seed: int) -> Dataset:
    from probfs.columns.distinct_rows import merge_equal_rows

    return merge_equal_rows(dataset)


def _fit(request: FitRequest) -> Classifier:
    from probfs.classifiers.naive_bayes.classifier import FittedNaiveBayes

    return FittedNaiveBayes(
        request.dataset,
        request.estimate,
        request.folds or 0,
        request.options["smoothing"],
        request.seed,
        request.rounds,
        shrink=request.options["shrink"],
        counts=request.counts,
        store=request.store,
    )


def _hold_out(request: HoldOutRequest) -> RowOdds:
    from probfs.classifiers.naive_bayes.classifier import judge_held_out

    return judge_held_out(request, request.options["smoothing"])


NAIVE_BAYES = CLASSIFIERS.register(
    Specification(
        name="nb",
        description="Naive Bayes, which counts categories",
        options=(SMOOTHING, SHRINK, BINS, MISSING),
        default_estimate="loo",
        takes_numbers=False,
        arrange=_arrange,
        fit=_fit,
        summarize=lambda options: "Naive Bayes",
        hold_out=_hold_out,
    )
)
