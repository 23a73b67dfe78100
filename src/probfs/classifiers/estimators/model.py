"""An estimator fitted on any training rows and features, the probabilities that it gives, and how these change when a
feature is permuted.

Permuted rows are predicted in large batches that hold many features, rows and shuffles at once. A row whose donor has
the same value keeps its probabilities, and a row that several shuffles give the same value is predicted once. Of a
logistic regression only the terms that change are computed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import expit, softmax

from probfs.classifiers.estimators.column_transformers import keep_columns, takes_no_columns
from probfs.classifiers.estimators.encoders import Cells, Encoder, FrameCells, MatrixCells, all_codes, make_encoder
from probfs.classifiers.estimators.recipes import Recipe, choose_copies, is_forest
from probfs.classifiers.protocol import Features
from probfs.classifiers.refitting.design_matrix import LinearValues
from probfs.classifiers.refitting.rows import Donors, Positions, TrainingRows, divide_rows
from probfs.columns.dataset import Dataset
from probfs.errors import DataError, UsageError
from probfs.runtime.parallel import catch_fit_warnings
from probfs.tables.arrays import Floats, Integers
from probfs.text import option

CELLS_PER_CALL = 1 << 22
"""Cells that an estimator is given at a time, at most: 32 MB of numbers."""
_VALUES_PER_SHUFFLE = 4
"""Shuffles give a row the same value several times where a feature has no more values than this times the shuffles."""
_ROUNDING = 1e-13
"""A smaller change of a probability is rounding: estimators answer a little differently in other batches."""

Codes = npt.NDArray[np.intp]


@dataclass(frozen=True)
class EstimatorReport:
    """What is to be told of a model."""

    warning: str | None = None
    """What fitting warned of first, if it did."""
    thinned: bool = False
    """Whether the estimator was given fewer copies of rows than there are."""
    unjudged: int = 0
    """How many rows no tree could judge: all were trained on them. They have the frequencies of the classes."""


@dataclass(frozen=True, eq=False)
class EstimatorTrainer:
    """Fits clones of an estimator on any features and training rows of a table."""

    recipe: Recipe
    encoder: Encoder
    labels: Integers
    counts: Integers
    classes: int
    codes: Sequence[Codes]
    """Of each feature, in all rows."""

    @classmethod
    def of(cls, dataset: Dataset, recipe: Recipe) -> EstimatorTrainer:
        encoder = make_encoder(dataset, recipe.encoding, recipe.name)
        codes = [all_codes(feature) for feature in dataset.features]
        return cls(recipe, encoder, dataset.labels, dataset.counts, len(dataset.classes), codes)

    def fit(self, features: Features, training: Integers) -> FittedEstimator:
        """A fitted clone. It sees the classes of its training rows as 0, 1, …"""
        from sklearn.base import clone

        recipe, cells = self.recipe, self.encoder.build(features, training)
        rows = TrainingRows.of(self.labels, training, self.classes)
        codes = [self.codes[feature] for feature in features.tolist()]
        nothing_learnt = FittedEstimator(recipe, None, cells, rows, rows.positions, codes)
        present, labels = np.unique(rows.labels, return_inverse=True)
        if len(present) < 2 or not cells.vary(rows.positions):
            return nothing_learnt
        estimator = clone(recipe.estimator)
        if isinstance(cells, MatrixCells) and cells.categorical is not None:
            estimator.set_params(categorical_features=cells.categorical)
        if isinstance(cells, FrameCells):
            keep_columns(estimator, list(cells.frame.columns))
            if takes_no_columns(estimator, cells.frame):
                return nothing_learnt
        positions, weights = rows.positions, {}
        if (rows.counts > 1).any():
            if recipe.weighted:
                weights = {"sample_weight": rows.counts.astype(np.float64)}
            else:
                copies = choose_copies(rows.counts)
                positions, labels = np.repeat(positions, copies), np.repeat(labels, copies)
        with catch_fit_warnings() as caught:
            try:
                estimator.fit(cells.take(positions), labels, **weights)
            except (ValueError, TypeError) as error:
                raise DataError(f"{recipe.name} could not be fitted: {_first_line(error)}") from error
        if not hasattr(estimator, "predict_proba"):
            problem = f"{recipe.name} has no predict_proba once it is fitted"
            raise UsageError(f"{option('classifier')}: {problem}; wrap it in sklearn's CalibratedClassifierCV")
        if is_forest(estimator):
            # Its threads add up the votes of trees in any order, so that last digits would differ from run to run.
            estimator.set_params(n_jobs=1)
        # Deprecations are news for whoever wrote the estimator, not for whoever ranks with it.
        said = [own for own in caught if not issubclass(own.category, (DeprecationWarning, FutureWarning))]
        warning = f"{said[0].category.__name__}: {_first_line(said[0].message)}" if said else None
        return FittedEstimator(recipe, estimator, cells, rows, positions, codes, warning)


class Exchanges(NamedTuple):
    """Rows that get a feature from another row."""

    features: Integers
    """Equal ones stand beside each other."""
    rows: Integers
    """Counted within a block of rows."""
    donors: Positions
    frequencies: Floats
    """In what fraction of the shuffles the row has this value."""


@dataclass(frozen=True, eq=False)
class FittedEstimator:
    """A fitted estimator. Without one, every row has the frequencies of the classes: there was nothing to learn from.

    Probabilities are classes × rows, but of two classes the second one only.
    """

    recipe: Recipe
    estimator: Any | None
    cells: Cells
    rows: TrainingRows
    trained: Positions
    """The row that each row given to the estimator is: some several times, where rows were repeated."""
    codes: Sequence[Codes]
    """Of each feature of the model, in all rows."""
    warning: str | None = None

    @property
    def prior(self) -> Floats:
        return self.rows.prior

    @property
    def report(self) -> EstimatorReport:
        repeated = self.estimator is not None and not self.recipe.weighted
        thinned = repeated and len(self.trained) < self.rows.counts.sum()
        return EstimatorReport(self.warning, bool(thinned), self._unjudged)

    @property
    def block_cells(self) -> int:
        return 1 << 21 if self.threads_inside else 1 << 18

    @property
    def threads_inside(self) -> bool:
        # An estimator may have threads of its own, and may not like ours.
        return not self.recipe.linear_terms

    # --- predicting ---------------------------------------------------------------------------------------------------

    def probabilities(self, rows: Positions) -> Floats:
        if self.estimator is None or not len(rows):
            return np.repeat(self.prior[:, None], len(rows), axis=1)
        blocks = divide_rows(len(rows), self.cells.width, CELLS_PER_CALL)
        return np.concatenate([self.predict(self.cells.take(rows[block]), rows[block]) for block in blocks], axis=1)

    def predict(self, table: Any, rows: Positions) -> Floats:
        """What the estimator says of rows that it is given as it likes them, their positions apart."""
        assert self.estimator is not None
        try:
            with catch_fit_warnings():
                if self.recipe.out_of_bag:
                    return self._predict_out_of_bag(table, rows)
                found = np.asarray(self.estimator.predict_proba(table), dtype=np.float64)
        except (ValueError, TypeError) as error:
            raise DataError(f"{self.recipe.name} failed to predict: {_first_line(error)}") from error
        present = len(np.unique(self.rows.labels))
        if found.shape != (len(table), present) or not np.isfinite(found).all():
            expected = f"{present} finite probabilities for each row"
            raise DataError(f"predict_proba of {self.recipe.name} must give {expected}, and does not")
        return self._align(found.T)

    def _align(self, found: Floats) -> Floats:
        """Probabilities of the training rows' classes (first axis) as those of all classes."""
        positions = np.unique(self.rows.labels)
        own = getattr(self.estimator, "classes_", None)
        if own is not None:
            positions = positions[np.asarray(own, dtype=np.intp)]
        every = np.zeros((self.rows.classes, *found.shape[1:]))
        every[positions] = found
        return every[1:] if self.rows.classes == 2 else every

    # --- out of bag ---------------------------------------------------------------------------------------------------

    def _predict_out_of_bag(self, table: Any, rows: Positions) -> Floats:
        """The mean over the trees that were not trained on a row, or on some of its copies."""
        # As scikit-learn has them.
        cells = np.ascontiguousarray(table, dtype=np.float32)
        total, judges = np.zeros((len(cells), len(np.unique(self.rows.labels)))), self._left_out.sum(axis=0)[rows]
        for tree, left_out in zip(self.estimator.estimators_, self._left_out, strict=True):  # type: ignore[union-attr]
            judged = np.flatnonzero(left_out[rows])
            if len(judged):
                votes = tree.predict_proba(cells[judged], check_input=False)
                total[judged] += left_out[rows[judged], None] * votes
        found = self._align((total / np.maximum(judges, 1)[:, None]).T)
        return np.where(judges > 0, found, self.prior[:, None])

    @cached_property
    def _left_out(self) -> Floats:
        """Trees × rows: how many copies of each row were not drawn for each tree; 1 of a row that is not trained on.

        As in leave-one-out, a copy is judged by models that may know the others.
        """
        rows = max(len(own) for own in self.codes)
        copies = np.bincount(self.trained, minlength=rows)
        left_out = []
        for drawn in self.estimator.estimators_samples_:  # type: ignore[union-attr]  # it was fitted
            known = np.bincount(self.trained[np.unique(drawn)], minlength=rows)
            left_out.append(np.where(copies > 0, copies - known, 1))
        return np.array(left_out, dtype=np.float64)

    @property
    def _unjudged(self) -> int:
        if self.estimator is None or not self.recipe.out_of_bag:
            return 0
        return int((self._left_out.sum(axis=0) == 0).sum())

    # --- permuting ----------------------------------------------------------------------------------------------------

    def permute(self, rows: Positions, donors: Donors, threads: int) -> tuple[Floats, Floats]:
        if self.estimator is None:
            actual = self.probabilities(rows)
            return actual, np.zeros((*actual.shape, len(self.codes)))
        return self._permute_terms(rows, donors) if self.recipe.linear_terms else self._permute_in_batches(rows, donors)

    def _permute_terms(self, rows: Positions, donors: Donors) -> tuple[Floats, Floats]:
        actual = self._from_log_odds(self._log_odds.of(rows))
        permuted = self._from_log_odds(self._log_odds.permuted(rows, donors))
        # Differences before means, so that a feature without effect scores exactly 0, not a rounding error.
        return actual, (actual[:, None, :, None] - permuted).mean(axis=1)

    @cached_property
    def _log_odds(self) -> LinearValues:
        assert isinstance(self.cells, MatrixCells)
        assert self.estimator is not None
        return LinearValues(self.cells, self.estimator.coef_, self.estimator.intercept_)

    def _from_log_odds(self, values: Floats) -> Floats:
        """From log-odds of the second of two classes, or from the weights' logarithms of more."""
        if len(values) > 1:
            return self._align(softmax(values, axis=0))
        second = expit(values)
        return self._align(np.concatenate([1 - second, second]))

    def _permute_in_batches(self, rows: Positions, donors: Donors) -> tuple[Floats, Floats]:
        actual = self.probabilities(rows)
        exchanges = find_exchanges(rows, donors, self.codes)
        changes = np.zeros((len(actual), len(rows) * len(self.codes)))
        for batch in divide_rows(len(exchanges.rows), self.cells.width, CELLS_PER_CALL):
            features, own = exchanges.features[batch], exchanges.rows[batch]
            table = self.cells.exchange(rows[own], features, exchanges.donors[batch])
            change = actual[:, own] - self.predict(table, rows[own])
            change[np.abs(change) < _ROUNDING] = 0
            change *= exchanges.frequencies[batch]
            for line, each in zip(changes, change, strict=True):
                line += np.bincount(own * len(self.codes) + features, weights=each, minlength=len(line))
        return actual, changes.reshape(len(actual), len(rows), len(self.codes))


def find_exchanges(rows: Positions, donors: Donors, codes: Sequence[Codes]) -> Exchanges:
    """All exchanges that change a value, each combination of a row, a feature and a new value once where that pays.
    ``codes`` are those of each feature in all rows.
    """
    found = [_find_exchanges_of(own, rows, donors) for own in codes]
    features = np.repeat(np.arange(len(found)), [len(own) for own, _, _ in found])
    own, giving, times = (np.concatenate(column) for column in zip(*found, strict=True))
    return Exchanges(features, own.astype(np.int64), giving.astype(np.intp), times / len(donors))


def _find_exchanges_of(codes: Codes, rows: Positions, donors: Donors) -> tuple[Integers, Integers, Integers]:
    """For one feature: the rows, the donors, and how many shuffles do the same."""
    given = codes[donors]
    differs = given != codes[rows]
    own = np.broadcast_to(np.arange(len(rows)), donors.shape)[differs]
    giving = donors[differs]
    values = int(codes.max(initial=0)) + 1
    if values > _VALUES_PER_SHUFFLE * len(donors):
        return own, giving, np.ones(len(own), dtype=np.int64)
    _, first, times = np.unique(own * values + given[differs], return_index=True, return_counts=True)
    return own[first], giving[first], times


def _first_line(error: object) -> str:
    lines = str(error).strip().splitlines()
    return lines[0].rstrip(".:") if lines else type(error).__name__
