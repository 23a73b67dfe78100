"""Logistic regression, the forest and boosting as users meet them: names, options and what they want of a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from probfs.classifiers.estimates import REFITTED
from probfs.classifiers.estimators.options import DEPTH, ITERATIONS, LEAF, LEARNING_RATE, TREES
from probfs.classifiers.refitting.options import COST, JOBS, PERMUTATIONS, REMOVAL
from probfs.classifiers.specification import MISSING, FitRequest, HoldOutRequest, Option, Specification
from probfs.text import counted

if TYPE_CHECKING:
    from probfs.classifiers.estimators.recipes import Recipe
    from probfs.classifiers.protocol import Classifier
    from probfs.classifiers.row_odds import RowOdds
    from probfs.columns.dataset import Dataset

SHARED: tuple[Option, ...] = (REMOVAL, PERMUTATIONS, JOBS, MISSING)
"""The options of every estimator."""

RecipeMaker = Callable[["Dataset", Mapping[str, Any], int], "Recipe"]
"""Makes the recipe for a table, from the options and the seed."""


def order_rows(dataset: Dataset, seed: int) -> Dataset:
    """The rows and features in an order that only their content decides."""
    from probfs.columns.distinct_rows import order_by_content

    return order_by_content(dataset, seed)


def fit_estimator(make: RecipeMaker, request: FitRequest) -> Classifier:
    """A classifier that fits clones of an estimator."""
    # Only here is scikit-learn imported, which takes longer than most rankings.
    from dataclasses import replace

    from probfs.classifiers.estimators.classifier import EstimatorClassifier

    recipe = make(request.dataset, request.options, request.seed)
    return EstimatorClassifier(
        request.dataset,
        replace(recipe, out_of_bag=request.estimate == "oob"),
        removal=request.options["removal"],
        permutations=request.options["permutations"],
        estimate=request.estimate,
        folds=request.folds,
        seed=request.seed,
        rounds=request.rounds,
        jobs=request.options["jobs"],
        on_model=request.on_model,
        on_note=request.on_note,
    )


def hold_out(make: RecipeMaker, request: HoldOutRequest) -> RowOdds:
    """Rows held out, judged by an estimator trained on the others."""
    from probfs.classifiers.estimators.classifier import judge_rows_by_estimator

    return judge_rows_by_estimator(
        lambda training: make(training, request.options, request.seed),
        request.dataset,
        request.features,
        request.held_out,
        request.seed,
    )


def summarize(name: str, options: Mapping[str, Any]) -> str:
    """An estimator and how features are removed, in a few words."""
    permutations = options["permutations"]
    removal = "retrained" if permutations is None else f"{counted(permutations, 'shuffle')} a column"
    return f"{name}, {removal}"


def always(options: Mapping[str, Any]) -> bool:
    """For a model that sees columns together, whatever its options."""
    return True


def _logistic(dataset: Dataset, options: Mapping[str, Any], seed: int) -> Recipe:
    from probfs.classifiers.estimators.recipes import logistic_regression

    return logistic_regression(dataset, options["C"])


def _forest(dataset: Dataset, options: Mapping[str, Any], seed: int) -> Recipe:
    from probfs.classifiers.estimators.recipes import random_forest

    return random_forest(dataset, options["trees"], options["leaf"], options["depth"], options["jobs"], seed)


def _boosting(dataset: Dataset, options: Mapping[str, Any], seed: int) -> Recipe:
    from probfs.classifiers.estimators.recipes import gradient_boosting

    growth = options["iterations"], options["learning_rate"]
    return gradient_boosting(dataset, *growth, options["leaf"], options["depth"], seed)


def _summarize_forest(options: Mapping[str, Any]) -> str:
    return summarize(f"Forest of {counted(options['trees'], 'tree')}", options)


LOGISTIC = Specification(
    name="logistic",
    description="logistic regression, which weighs columns",
    options=(COST, *SHARED),
    default_estimate="cv",
    takes_numbers=True,
    arrange=order_rows,
    fit=partial(fit_estimator, _logistic),
    summarize=partial(summarize, "Logistic regression"),
    hold_out=partial(hold_out, _logistic),
)
FOREST = Specification(
    name="forest",
    description="a random forest, which sees how columns act together",
    options=(TREES, LEAF, DEPTH, *SHARED),
    default_estimate="cv",
    estimates=(*REFITTED, "oob"),
    takes_numbers=True,
    arrange=order_rows,
    fit=partial(fit_estimator, _forest),
    summarize=_summarize_forest,
    hold_out=partial(hold_out, _forest),
    sees_columns_together=always,
)
BOOSTING = Specification(
    name="boosting",
    description="gradient boosting of trees, which sees them together too",
    options=(ITERATIONS, LEARNING_RATE, LEAF, DEPTH, *SHARED),
    default_estimate="cv",
    takes_numbers=True,
    arrange=order_rows,
    fit=partial(fit_estimator, _boosting),
    summarize=partial(summarize, "Gradient boosting"),
    hold_out=partial(hold_out, _boosting),
    sees_columns_together=always,
)
