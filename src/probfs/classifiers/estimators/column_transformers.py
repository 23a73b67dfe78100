"""Pipelines that name columns, of which some have left the table."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from probfs.errors import UsageError
from probfs.text import did_you_mean, option, quoted

if TYPE_CHECKING:
    import pandas


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


def check_column_names_exist(estimator: Any, columns: Sequence[str], source: str) -> None:
    """Refuse a name that is no column of the table, as scikit-learn would; columns that are left out may be named."""
    known = set(columns)
    for _, transformer in find_column_transformers(estimator):
        for step, _, named in transformer.transformers:
            for name in () if callable(named) else [named] if isinstance(named, str) else named:
                if name not in known:
                    problem = f"the ColumnTransformer's {step!r} names {quoted(name)}, which is no column of {source}"
                    raise UsageError(f"{option('classifier')}: {problem}{did_you_mean(name, columns)}")


def takes_no_columns(estimator: Any, frame: pandas.DataFrame) -> bool:
    """Whether an estimator's transformers drop all columns of a frame."""
    transformers = [transformer for _, transformer in find_column_transformers(estimator)]
    return bool(transformers) and all(_drops_all(transformer, frame) for transformer in transformers)


def _drops_all(transformer: Any, frame: pandas.DataFrame) -> bool:
    taken: set[str] = set()
    named: set[str] = set()
    for _, step, columns in transformer.transformers:
        own = columns(frame) if callable(columns) else columns
        names = {own} if isinstance(own, str) else set(own)
        named |= names
        taken |= set() if isinstance(step, str) and step == "drop" else names
    drops_others = isinstance(transformer.remainder, str) and transformer.remainder == "drop"
    return not taken and (drops_others or named.issuperset(frame.columns))


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
