"""A user's own estimator as a classifier: any object of scikit-learn's kind that has ``predict_proba``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from probfs.classifiers.estimates import REFITTED
from probfs.classifiers.estimators.column_transformers import (
    check_column_names,
    check_column_names_exist,
    find_column_transformers,
)
from probfs.classifiers.estimators.options import CATEGORIES, Categories
from probfs.classifiers.estimators.recipes import (
    MATRICES_OF_TREES,
    MOST_SEED,
    Encoding,
    Recipe,
    is_forest,
    takes_weights_for_copies,
)
from probfs.classifiers.estimators.specification import SHARED, fit_estimator, hold_out, order_rows, summarize
from probfs.classifiers.naive_bayes.specification import BINS
from probfs.classifiers.specification import Specification
from probfs.columns.dataset import Dataset
from probfs.errors import UsageError
from probfs.text import option

NAME = "estimator"
"""The name of every such classifier in settings."""


@dataclass(frozen=True, eq=False)
class OwnRecipe:
    """Makes recipes of an estimator; an object, so that settings can be pickled."""

    estimator: Any
    encoding: Encoding

    def __call__(self, dataset: Dataset, options: Mapping[str, Any], seed: int) -> Recipe:
        name = type(self.estimator).__name__
        weighted = takes_weights_for_copies(self.estimator)
        return Recipe(seeded(self.estimator, seed), self.encoding, name, weighted=weighted)


def specify(estimator: Any, categories: str | None) -> Specification:
    """The specification of an estimator, once it is found to be one.

    ``categories`` says how columns reach it; None follows what the estimator tells of itself.
    """
    _check(estimator)
    chosen = _choose(estimator, categories)
    if chosen == "frame":
        check_column_names(estimator)
    encoding = _encoding(estimator, chosen)
    make = OwnRecipe(estimator, encoding)
    asks_trees = _draws_rows_for_trees(estimator)
    return Specification(
        name=NAME,
        description=describe(estimator),
        options=(replace(CATEGORIES, default=chosen), *SHARED, *((BINS,) if chosen == "codes" else ())),
        default_estimate="cv",
        estimates=(*REFITTED, "oob") if asks_trees and encoding in MATRICES_OF_TREES else REFITTED,
        lacking={"oob": _why_not_out_of_bag(chosen)} if asks_trees else {},
        check_columns=partial(check_column_names_exist, estimator) if chosen == "frame" else None,
        # Whoever counts categories wants numbers cut.
        takes_numbers=chosen != "codes",
        arrange=order_rows,
        fit=partial(fit_estimator, make),
        summarize=partial(summarize, type(estimator).__name__),
        hold_out=partial(hold_out, make),
        sees_columns_together=partial(_sees_columns_together, _weighs_columns_one_by_one(estimator)),
    )


def _choose(estimator: Any, categories: str | None) -> Categories:
    if categories is None:
        return choose_categories(estimator)
    try:
        chosen: Categories = CATEGORIES.type.check(categories)
    except ValueError as error:
        raise UsageError(f"{option('categories')}: {error}") from None
    return chosen


def describe(estimator: Any) -> str:
    """An estimator's repr in one line, without addresses of memory."""
    return re.sub(r" at 0x[0-9a-fA-F]+", "", " ".join(repr(estimator).split()))


def choose_categories(estimator: Any) -> Categories:
    """How an estimator likes its columns, as far as it tells: a data frame where a ColumnTransformer is inside, codes
    where it takes categories that are not negative, and nothing else; a one-hot matrix otherwise.
    """
    if any(True for _ in find_column_transformers(estimator)):
        return "frame"
    tags = _input_tags(_steps(estimator)[0])
    if getattr(tags, "categorical", False) and getattr(tags, "positive_only", False):
        return "codes"
    return "onehot"


def seeded(estimator: Any, seed: int) -> Any:
    """A clone in which every random_state that was left None is set."""
    from sklearn.base import clone

    own = clone(estimator)
    names = [
        name
        for name, value in own.get_params(deep=True).items()
        if value is None and (name == "random_state" or name.endswith("__random_state"))
    ]
    return own.set_params(**dict.fromkeys(names, seed % MOST_SEED)) if names else own


def _check(estimator: Any) -> None:
    if isinstance(estimator, type):
        name = estimator.__name__
        raise UsageError(f"{option('classifier')}: {name} is a class; give an object of it, such as {name}()")
    shown = describe(estimator)
    if not (hasattr(estimator, "fit") and hasattr(estimator, "get_params") and hasattr(estimator, "set_params")):
        problem = f"{shown} is no estimator of scikit-learn's kind: it lacks fit, get_params or set_params"
        raise UsageError(f"{option('classifier')}: {problem}")
    if not _may_have_probabilities(estimator):
        problem = f"{shown} has no predict_proba"
        raise UsageError(f"{option('classifier')}: {problem}; wrap it in sklearn's CalibratedClassifierCV")


def _may_have_probabilities(estimator: Any) -> bool:
    """Whether an estimator has ``predict_proba``, or will tell only when it is fitted: it looked for something that
    fitting sets, whose name ends with an underscore, or it asked None, which stands for a default.
    """
    try:
        estimator.predict_proba  # noqa: B018
    except AttributeError as error:
        reason: BaseException | None = error
        while reason is not None:
            name = getattr(reason, "name", None) or ""
            asked_default = name == "predict_proba" and getattr(reason, "obj", estimator) is None
            if asked_default or (name.endswith("_") and not name.endswith("__")):
                return True
            reason = reason.__cause__ or reason.__context__
        return False
    return True


def _encoding(estimator: Any, categories: Categories) -> Encoding:
    if categories != "onehot":
        return categories
    return "onehot" if _takes_missing(estimator) else "filled"


def _takes_missing(estimator: Any) -> bool:
    """Whether all steps take NaN, or all down to one that imputes."""
    for step in _steps(estimator):
        if "Imputer" in type(step).__name__:
            return True
        if not getattr(_input_tags(step), "allow_nan", False):
            return False
    return True


def _steps(estimator: Any) -> list[Any]:
    from sklearn.pipeline import Pipeline

    if not isinstance(estimator, Pipeline):
        return [estimator]
    steps = [step for _, step in estimator.steps if step is not None and not isinstance(step, str)]
    return [own for step in steps for own in _steps(step)]


def _input_tags(estimator: Any) -> Any:
    """What an estimator tells of the tables that it takes."""
    from sklearn.utils import get_tags

    try:
        return get_tags(estimator).input_tags
    except (AttributeError, TypeError, ValueError):
        return None


def _draws_rows_for_trees(estimator: Any) -> bool:
    """Whether an estimator is a forest each of whose trees leaves some rows out."""
    return is_forest(estimator) and bool(estimator.bootstrap)


def _why_not_out_of_bag(categories: Categories) -> str:
    others = " or ".join(option("categories", other) for other in ("onehot", "codes") if other != categories)
    return (
        f"with {option('categories', categories)} trees cannot be asked one by one; use {others}, or another estimate"
    )


def _weighs_columns_one_by_one(estimator: Any) -> bool:
    """Whether an estimator adds up what each column says: a bare linear model or Naive Bayes. Any other, a pipeline
    too, may see columns together.
    """
    from sklearn import naive_bayes
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    from sklearn.linear_model import LogisticRegression, LogisticRegressionCV, SGDClassifier

    kinds = (
        LinearDiscriminantAnalysis,
        LogisticRegression,
        LogisticRegressionCV,
        SGDClassifier,
        naive_bayes.BernoulliNB,
        naive_bayes.CategoricalNB,
        naive_bayes.ComplementNB,
        naive_bayes.GaussianNB,
        naive_bayes.MultinomialNB,
    )
    return isinstance(estimator, kinds)


def _sees_columns_together(one_by_one: bool, options: Mapping[str, Any]) -> bool:
    return not one_by_one
