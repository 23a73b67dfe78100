"""An estimator fitted on some training rows and features, and the probabilities that it gives."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from probfs.classifiers.estimators.cells import Cells, FrameCells, MatrixCells
from probfs.classifiers.estimators.column_transformers import keep_columns, takes_no_columns
from probfs.classifiers.estimators.recipe import Recipe
from probfs.classifiers.estimators.row_copies import choose_copies
from probfs.classifiers.refitting.design_matrix import Positions
from probfs.classifiers.refitting.training_rows import TrainingRows
from probfs.errors import DataError, UsageError
from probfs.runtime.caught_warnings import collect_warnings
from probfs.runtime.processes import one_thread
from probfs.tables.table import Floats, Integers
from probfs.text import option

_CELLS_PER_CALL = 1 << 22
"""Cells that an estimator is given at a time, at most."""
_FEW_CELLS = 1 << 14
"""With fewer, threads take longer to start than they save."""


@dataclass(frozen=True, eq=False)
class FittedModel:
    """A fitted estimator. Without one, every row has the shares of the classes: there was nothing to learn from."""

    recipe: Recipe
    estimator: Any | None
    cells: Cells
    rows: TrainingRows
    trained: Positions
    """The row that each row given to the estimator is: some several times, where rows were repeated."""
    warning: str | None = None
    """What fitting warned of first, if it did."""

    @property
    def thinned(self) -> bool:
        """Whether the estimator was given fewer copies of rows than there are."""
        repeated = self.estimator is not None and not self.recipe.weighted
        return repeated and len(self.trained) < self.rows.counts.sum()

    @cached_property
    def present(self) -> Integers:
        """The classes of the training rows, in the order of the estimator's."""
        return np.unique(self.rows.labels)

    @cached_property
    def shares(self) -> Floats:
        """The probabilities of a model that knows no more than how frequent classes are: one for each class, but of
        two only that of the second.
        """
        counts = self.rows.class_counts()
        return self.aligned(counts[None, self.present] / counts.sum())[:, 0]

    def probabilities(self, rows: Positions) -> Floats:
        """The class probabilities of some rows: classes × rows, but of two classes only the second."""
        size = max(1, _CELLS_PER_CALL // max(1, self.cells.columns))
        spans = [rows[start : start + size] for start in range(0, len(rows), size)] or [rows]
        return np.concatenate([self._probabilities(span) for span in spans], axis=1)

    def _probabilities(self, rows: Positions) -> Floats:
        if self.estimator is None or not len(rows):
            return np.repeat(self.shares[:, None], len(rows), axis=1)
        return self.predict(self.cells.take(rows))

    def predict(self, table: Any) -> Floats:
        """What the estimator says of rows that it is given as it likes them."""
        assert self.estimator is not None
        try:
            with _threads_for(len(table) * self.cells.columns):
                found = np.asarray(self.estimator.predict_proba(table), dtype=np.float64)
        except (ValueError, TypeError) as error:
            raise DataError(f"{self.recipe.name} failed to predict: {_first_line(error)}") from error
        if found.shape != (len(table), len(self.present)) or not np.isfinite(found).all():
            expected = f"{len(self.present)} finite probabilities for each row"
            raise DataError(f"predict_proba of {self.recipe.name} must give {expected}, and does not")
        return self.aligned(found)

    def aligned(self, found: Floats) -> Floats:
        """Probabilities of the training rows' classes (rows × classes) as those of all classes, as stated above."""
        positions = self.present
        own = getattr(self.estimator, "classes_", None)
        if own is not None:
            positions = positions[np.asarray(own, dtype=np.intp)]
        every = np.zeros((self.rows.classes, len(found)))
        every[positions] = found.T
        return every[1:] if self.rows.classes == 2 else every


def fit_model(recipe: Recipe, cells: Cells, rows: TrainingRows) -> FittedModel:
    """Fit a clone of the recipe's estimator on some rows. It sees the classes that they have as 0, 1, …"""
    from sklearn.base import clone

    present, labels = np.unique(rows.labels, return_inverse=True)
    if len(present) < 2 or not cells.vary(rows.positions):
        return FittedModel(recipe, None, cells, rows, rows.positions)
    estimator = clone(recipe.estimator)
    if isinstance(cells, MatrixCells) and cells.categorical is not None:
        estimator.set_params(categorical_features=cells.categorical)
    if isinstance(cells, FrameCells):
        keep_columns(estimator, list(cells.frame.columns))
        if takes_no_columns(estimator, cells.frame):
            return FittedModel(recipe, None, cells, rows, rows.positions)
    positions, weights = rows.positions, {}
    if (rows.counts > 1).any():
        if recipe.weighted:
            weights = {"sample_weight": rows.counts.astype(np.float64)}
        else:
            copies = choose_copies(rows.counts)
            positions, labels = np.repeat(positions, copies), np.repeat(labels, copies)
    with collect_warnings() as caught:
        try:
            with _threads_for(len(positions) * cells.columns):
                estimator.fit(cells.take(positions), labels, **weights)
        except (ValueError, TypeError) as error:
            raise DataError(f"{recipe.name} could not be fitted: {_first_line(error)}") from error
    if not hasattr(estimator, "predict_proba"):
        problem = f"{recipe.name} has no predict_proba once it is fitted"
        raise UsageError(f"{option('classifier')}: {problem}; wrap it in sklearn's CalibratedClassifierCV")
    # Deprecations are news for whoever wrote the estimator, not for whoever ranks with it.
    said = [own for own in caught if not issubclass(own.category, (DeprecationWarning, FutureWarning))]
    warning = f"{said[0].category.__name__}: {_first_line(said[0].message)}" if said else None
    return FittedModel(recipe, estimator, cells, rows, positions, warning)


def _threads_for(cells: int) -> AbstractContextManager[None]:
    return one_thread() if cells < _FEW_CELLS else nullcontext()


def _first_line(error: object) -> str:
    lines = str(error).strip().splitlines()
    return lines[0].rstrip(".:") if lines else type(error).__name__
