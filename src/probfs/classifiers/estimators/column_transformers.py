"""Pipelines that name columns, of which some have left the table."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from probfs.errors import UsageError
from probfs.text import option


def find_column_transformers(estimator: Any) -> Iterator[tuple[str, Any]]:
    """Each ColumnTransformer in an estimator, with its parameter's name; empty for the estimator itself."""
    from sklearn.compose import ColumnTransformer

    if isinstance(estimator, ColumnTransformer):
        yield "", estimator
    for name, value in estimator.get_params(deep=True).items():
        if isinstance(value, ColumnTransformer):
            yield name, value


def check_column_names(estimator: Any) -> None:
    """Refuse transformers that choose columns by position, which changes as columns leave."""
    for _, transformer in find_column_transformers(estimator):
        for name, _, columns in transformer.transformers:
            if not callable(columns) and not _are_names(columns):
                problem = f"the ColumnTransformer's {name!r} chooses columns by position, which changes as some leave"
                raise UsageError(f"{option('classifier')}: {problem}; name them, or use make_column_selector")


def keep_columns(estimator: Any, names: Collection[str]) -> None:
    """Make an estimator's transformers do without the columns that are gone; those by selectors do so by themselves."""
    for _, transformer in find_column_transformers(estimator):
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


def _are_names(columns: Any) -> bool:
    if isinstance(columns, str):
        return True
    return not isinstance(columns, slice) and all(isinstance(name, str) for name in columns)
