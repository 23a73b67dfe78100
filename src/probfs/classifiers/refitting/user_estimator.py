"""A user's estimator as a classifier: any object of scikit-learn's kind that has ``predict_proba``."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from probfs.classifiers.catalogue import MOST_SEED, USER_ESTIMATOR, bins_setting
from probfs.classifiers.options import REFITTED, Categories, Choice, EstimateName, setting
from probfs.classifiers.refitting.column_transformers import (
    check_column_names,
    check_column_names_exist,
    find_column_transformers,
)
from probfs.classifiers.refitting.estimators import EstimatorTrainer, is_forest
from probfs.classifiers.refitting.models import Trainer
from probfs.classifiers.refitting.tables import Encoding
from probfs.classifiers.unfitted import RefittedModel
from probfs.columns.dataset import Dataset
from probfs.errors import UsageError
from probfs.text import option


@dataclass(frozen=True, repr=False, kw_only=True)
class UserEstimator(RefittedModel):
    """Any estimator or pipeline of scikit-learn's kind that has ``predict_proba``, as a classifier."""

    name = USER_ESTIMATOR

    estimator: Any = field(compare=False, repr=False)
    shown: str = field(init=False)
    """The estimator as Python shows it, in one line; two of them are equal if this is."""
    categories: Categories = setting(
        None,
        Choice(("onehot", "codes", "frame")),
        "how columns reach the estimator.",
        default_help="frame where it holds a ColumnTransformer, codes where it counts categories, otherwise onehot",
    )

    def __post_init__(self) -> None:
        _check(self.estimator)
        object.__setattr__(self, "shown", describe(self.estimator))
        if self.categories is None:
            object.__setattr__(self, "categories", choose_categories(self.estimator))
        super().__post_init__()
        if self.categories == "frame":
            check_column_names(self.estimator)

    @property
    def description(self) -> str:
        return self.shown

    @property
    def title(self) -> str:
        return type(self.estimator).__name__

    @property
    def encoding(self) -> Encoding:
        if self.categories != "onehot":
            return self.categories
        return "onehot" if _takes_missing(self.estimator) else "filled"

    @property
    def _draws_rows_for_trees(self) -> bool:
        """Whether the estimator is a forest each of whose trees leaves some rows out."""
        return is_forest(self.estimator) and bool(self.estimator.bootstrap)

    @property
    def estimates(self) -> tuple[EstimateName, ...]:
        asks_trees = self._draws_rows_for_trees and self.encoding in ("onehot", "codes")
        return (*REFITTED, "oob") if asks_trees else REFITTED

    @property
    def lacking(self) -> Mapping[EstimateName, str]:
        if not self._draws_rows_for_trees:
            return {}
        others = " or ".join(option("categories", other) for other in ("onehot", "codes") if other != self.categories)
        problem = f"with {option('categories', self.categories)} trees cannot be asked one by one"
        return {"oob": f"{problem}; use {others}, or another estimate"}

    @property
    def sees_columns_together(self) -> bool:
        return not _weighs_columns_one_by_one(self.estimator)

    def check_columns(self, columns: Sequence[str], source: str) -> None:
        if self.categories == "frame":
            check_column_names_exist(self.estimator, columns, source)

    def trainer(self, dataset: Dataset, seed: int, estimate: EstimateName) -> Trainer:
        estimator, out_of_bag = seeded(self.estimator, seed), estimate == "oob"
        return EstimatorTrainer.of(dataset, estimator, self.encoding, self.title, out_of_bag=out_of_bag)


@dataclass(frozen=True, repr=False, kw_only=True)
class CountingEstimator(UserEstimator):
    """An estimator that counts categories, and wants numbers cut."""

    takes_numbers = False

    bins: int = bins_setting()


def wrap_estimator(estimator: Any, categories: Any = None) -> UserEstimator:
    """An estimator as a classifier, once it is found to be one.

    ``categories`` says how columns reach it; None follows what the estimator tells of itself.
    """
    wrapped = UserEstimator(estimator=estimator, categories=categories)
    return CountingEstimator(estimator=estimator, categories="codes") if wrapped.categories == "codes" else wrapped


def describe(estimator: Any) -> str:
    """An estimator's repr in one line, without addresses of memory."""
    return re.sub(r" at 0x[0-9a-fA-F]+", "", " ".join(repr(estimator).split()))


def choose_categories(estimator: Any) -> Categories:
    """How an estimator likes its columns, as far as it tells: a data frame where a ColumnTransformer is inside, codes
    where it takes categories that are not negative, and nothing else; a one-hot matrix otherwise.
    """
    if find_column_transformers(estimator):
        return "frame"
    tags = _input_tags(_steps(estimator)[0])
    if getattr(tags, "categorical", False) and getattr(tags, "positive_only", False):
        return "codes"
    return "onehot"


def seeded(estimator: Any, seed: int) -> Any:
    """A clone in which every random_state that was left None is set."""
    from sklearn.base import clone

    seeded_clone = clone(estimator)
    names = [
        name
        for name, value in seeded_clone.get_params(deep=True).items()
        if value is None and (name == "random_state" or name.endswith("__random_state"))
    ]
    return seeded_clone.set_params(**dict.fromkeys(names, seed % MOST_SEED)) if names else seeded_clone


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
    return [inner for step in steps for inner in _steps(step)]


def _input_tags(estimator: Any) -> Any:
    """What an estimator tells of the tables that it takes."""
    from sklearn.utils import get_tags

    try:
        return get_tags(estimator).input_tags
    except (AttributeError, TypeError, ValueError):
        return None


def _weighs_columns_one_by_one(estimator: Any) -> bool:
    """Whether an estimator adds up what each column says: a bare linear model or Naive Bayes. Any other, a pipeline
    too, may see columns together.
    """
    from sklearn import naive_bayes
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    from sklearn.linear_model import LogisticRegression, LogisticRegressionCV, SGDClassifier

    linear = (LinearDiscriminantAnalysis, LogisticRegression, LogisticRegressionCV, SGDClassifier)
    counting = (naive_bayes.BernoulliNB, naive_bayes.CategoricalNB, naive_bayes.ComplementNB)
    return isinstance(estimator, (*linear, *counting, naive_bayes.GaussianNB, naive_bayes.MultinomialNB))
