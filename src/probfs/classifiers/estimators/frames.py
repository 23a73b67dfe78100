"""Data frames for estimators that name columns, of which some have left the table."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from probfs.classifiers.protocol import Features
from probfs.classifiers.refitting.matrix import all_codes, runs_of
from probfs.classifiers.refitting.rows import Positions
from probfs.columns.dataset import MISSING_LABEL, Dataset, Feature
from probfs.errors import UsageError
from probfs.tables.arrays import Floats, Integers
from probfs.text import did_you_mean, option, quoted

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True, eq=False)
class FrameCells:
    """All rows of a table, as ``Matrix`` has them: a data frame, whose columns have the features' names."""

    frame: pandas.DataFrame

    @property
    def width(self) -> int:
        return self.frame.shape[1]

    def take(self, rows: Positions) -> pandas.DataFrame:
        return self.frame.take(rows).reset_index(drop=True)

    def vary(self, rows: Positions) -> bool:
        return bool((self.frame.take(rows).nunique(dropna=False) > 1).any())

    def exchange(self, rows: Positions, features: Integers, donors: Positions) -> pandas.DataFrame:
        import pandas as pd

        sources = dict.fromkeys(self.frame.columns, rows)
        for feature, span in runs_of(features):
            name = self.frame.columns[feature]
            sources[name] = rows.copy()
            sources[name][span] = donors[span]
        return pd.DataFrame({name: self.frame[name].array.take(source) for name, source in sources.items()})


class FrameEncoder:
    """Numbers as floats, texts and categories as pandas has them, NaN for missing."""

    def __init__(self, dataset: Dataset) -> None:
        import pandas as pd

        columns = {feature.name: _frame_column(feature) for feature in dataset.features}
        # The frame has rows even without columns.
        rows = len(dataset.labels) + len(dataset.unlabelled_counts)
        self._frame = pd.DataFrame(columns, index=pd.RangeIndex(rows))

    def build(self, features: Features, training: Integers) -> FrameCells:
        return FrameCells(self._frame.iloc[:, features])


def _frame_column(feature: Feature) -> pandas.api.extensions.ExtensionArray | npt.NDArray[Any]:
    import pandas as pd

    codes = all_codes(feature)
    if feature.numbers is not None:
        numbers: Floats = np.append(feature.numbers, [np.nan, np.nan])[codes]
        return numbers
    labels = feature.categories().to_pylist()
    if feature.missing_is_value:
        missing = MISSING_LABEL
        # A cell may hold this very text.
        while missing in labels:
            missing = f"({missing})"
        labels.append(missing)
    known = np.where(codes == feature.values, -1, codes)
    if feature.nominal:
        return pd.Categorical.from_codes(known, labels)
    # As pandas has texts, so that whatever chooses columns by their types finds them.
    return pd.Series([*labels, None]).array.take(known)


# Pipelines that name columns


def find_column_transformers(estimator: Any) -> list[Any]:
    """The ColumnTransformers in an estimator, which may be one itself."""
    from sklearn.compose import ColumnTransformer

    parts = [estimator, *estimator.get_params(deep=True).values()]
    return [part for part in parts if isinstance(part, ColumnTransformer)]


def _chosen_columns(estimator: Any) -> Iterator[tuple[str, Any]]:
    """The name of each step of an estimator's ColumnTransformers, and how it chooses columns if not by a function."""
    for transformer in find_column_transformers(estimator):
        for step, _, columns in transformer.transformers:
            if not callable(columns):
                yield step, [columns] if isinstance(columns, str) else columns


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


def takes_no_columns(estimator: Any, frame: pandas.DataFrame) -> bool:
    """Whether an estimator's transformers drop all columns of a frame."""
    transformers = find_column_transformers(estimator)
    return bool(transformers) and all(_drops_all(transformer, frame) for transformer in transformers)


def _drops_all(transformer: Any, frame: pandas.DataFrame) -> bool:
    taken: set[str] = set()
    named: set[str] = set()
    for _, step, columns in transformer.transformers:
        chosen = columns(frame) if callable(columns) else columns
        names = {chosen} if isinstance(chosen, str) else set(chosen)
        named |= names
        taken |= set() if isinstance(step, str) and step == "drop" else names
    drops_others = isinstance(transformer.remainder, str) and transformer.remainder == "drop"
    return not taken and (drops_others or named.issuperset(frame.columns))


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
