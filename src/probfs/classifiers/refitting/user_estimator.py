"""What a user's estimator tells of itself: any object of scikit-learn's kind that has ``predict_proba``; and pipelines
that name columns, of which some leave the table.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Any

from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags

from probfs.classifiers.options import Categories
from probfs.errors import UsageError
from probfs.text import did_you_mean, option, quoted


def check(estimator: Any) -> str:
    """Refuse what is no estimator; the estimator's repr in one line, without addresses of memory.

    Whether an estimator that fits others has probabilities it may tell only when it is fitted.
    """
    if isinstance(estimator, type):
        name = estimator.__name__
        raise UsageError(f"{option('classifier')}: {name} is a class; give an object of it, such as {name}()")
    shown = re.sub(r" at 0x[0-9a-fA-F]+", "", " ".join(repr(estimator).split()))
    if not (hasattr(estimator, "fit") and hasattr(estimator, "get_params") and hasattr(estimator, "set_params")):
        problem = f"{shown} is no estimator of scikit-learn's kind: it lacks fit, get_params or set_params"
        raise UsageError(f"{option('classifier')}: {problem}")
    if not hasattr(type(estimator), "predict_proba") and not hasattr(estimator, "predict_proba"):
        problem = f"{shown} has no predict_proba"
        raise UsageError(f"{option('classifier')}: {problem}; wrap it in sklearn's CalibratedClassifierCV")
    return shown


def choose_categories(estimator: Any) -> Categories:
    """How an estimator likes its columns, as far as it tells: a data frame where a ColumnTransformer is inside, codes
    where it takes categories that are not negative, and nothing else; a one-hot matrix otherwise.
    """
    if _column_transformers(estimator):
        return "frame"
    tags = _input_tags(_steps(estimator)[0])
    if getattr(tags, "categorical", False) and getattr(tags, "positive_only", False):
        return "codes"
    return "onehot"


def takes_missing(estimator: Any) -> bool:
    """Whether all steps take NaN, or all down to one that imputes."""
    for step in _steps(estimator):
        if "Imputer" in type(step).__name__:
            return True
        if not getattr(_input_tags(step), "allow_nan", False):
            return False
    return True


def seeded(estimator: Any, seed: int) -> Any:
    """A clone in which every random_state that was left None is set."""
    seeded_clone = clone(estimator)
    parameters = seeded_clone.get_params(deep=True).items()
    open_ones = [name for name, value in parameters if value is None and f"__{name}".endswith("__random_state")]
    return seeded_clone.set_params(**dict.fromkeys(open_ones, seed))


def _steps(estimator: Any) -> list[Any]:
    if not isinstance(estimator, Pipeline):
        return [estimator]
    steps = [step for _, step in estimator.steps if step is not None and not isinstance(step, str)]
    return [inner for step in steps for inner in _steps(step)]


def _input_tags(estimator: Any) -> Any:
    """What an estimator tells of the tables that it takes."""
    try:
        return get_tags(estimator).input_tags
    except (AttributeError, TypeError, ValueError):
        return None


# Pipelines that name columns


def _column_transformers(estimator: Any) -> list[ColumnTransformer]:
    """The ColumnTransformers in an estimator, which may be one itself."""
    parts = [estimator, *estimator.get_params(deep=True).values()]
    return [part for part in parts if isinstance(part, ColumnTransformer)]


def check_column_names(estimator: Any, known: Sequence[str] | None = None, source: str = "") -> None:
    """Refuse transformers that choose columns by position, which changes as columns leave, or by a name that is not
    ``known``, as scikit-learn would; columns that are left out may be named.
    """
    for transformer in _column_transformers(estimator):
        for step, _, columns in transformer.transformers:
            if callable(columns):
                continue
            names = [columns] if isinstance(columns, str) else columns
            problem = None
            if isinstance(names, slice) or not all(isinstance(name, str) for name in names):
                problem = "chooses columns by position, which changes as some leave; name them, or use"
                problem += " make_column_selector"
            elif known is not None and (unknown := [name for name in names if name not in known]):
                problem = f"names {quoted(unknown[0])}, which is no column of {source}{did_you_mean(unknown[0], known)}"
            if problem:
                raise UsageError(f"{option('classifier')}: the ColumnTransformer's {step!r} {problem}")


def keep_columns(estimator: Any, names: Collection[str]) -> None:
    """Make an estimator's transformers do without the columns that are gone; those by selectors do so by themselves."""
    for transformer in _column_transformers(estimator):
        kept: list[tuple[str, Any, Any]] = []
        for name, step, columns in transformer.transformers:
            if isinstance(columns, str) and columns not in names:
                kept.append((name, "drop", []))
            elif callable(columns) or isinstance(columns, str):
                # One name alone is handed over as a list of texts, not as a table.
                kept.append((name, step, columns))
            else:
                kept.append((name, step, [column for column in columns if column in names]))
        transformer.transformers = kept
