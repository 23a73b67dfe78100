"""Pipelines that name columns, of which some leave the table."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any

from sklearn.compose import ColumnTransformer

from probfs.errors import UsageError
from probfs.text import did_you_mean, option, quoted


def find_column_transformers(estimator: Any) -> list[ColumnTransformer]:
    """The ColumnTransformers in an estimator, which may be one itself."""
    parts = [estimator, *estimator.get_params(deep=True).values()]
    return [part for part in parts if isinstance(part, ColumnTransformer)]


def check_column_names(estimator: Any) -> None:
    """Refuse transformers that choose columns by position, which changes as columns leave."""
    for step, columns in _chosen_columns(estimator):
        if isinstance(columns, slice) or not all(isinstance(name, str) for name in columns):
            problem = f"the ColumnTransformer's {step!r} chooses columns by position, which changes as some leave"
            raise UsageError(f"{option('classifier')}: {problem}; name them, or use make_column_selector")


def check_column_names_exist(estimator: Any, columns: Sequence[str], source: str) -> None:
    """Refuse a name that is no column of the table, as scikit-learn would; columns that are left out may be named."""
    known = set(columns)
    for step, names in _chosen_columns(estimator):
        for name in names:
            if name not in known:
                problem = f"the ColumnTransformer's {step!r} names {quoted(name)}, which is no column of {source}"
                raise UsageError(f"{option('classifier')}: {problem}{did_you_mean(name, columns)}")


def keep_columns(estimator: Any, names: Collection[str]) -> None:
    """Make an estimator's transformers do without the columns that are gone; those by selectors do so by themselves."""
    for transformer in find_column_transformers(estimator):
        transformer.transformers = [
            (name, *_keep(step, columns, names)) for name, step, columns in transformer.transformers
        ]


def _keep(step: Any, columns: Any, names: Collection[str]) -> tuple[Any, Any]:
    if callable(columns):
        return step, columns
    if isinstance(columns, str):
        # One name alone is handed over as a list of texts, not as a table.
        return (step, columns) if columns in names else ("drop", [])
    return step, [name for name in columns if name in names]


def _chosen_columns(estimator: Any) -> Iterator[tuple[str, Any]]:
    """The name of each step of an estimator's ColumnTransformers, and how it chooses columns if not by a function."""
    for transformer in find_column_transformers(estimator):
        for step, _, columns in transformer.transformers:
            if not callable(columns):
                yield step, [columns] if isinstance(columns, str) else columns
