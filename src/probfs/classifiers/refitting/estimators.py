"""Estimators of scikit-learn's kind, fitted on any training rows and features: the probabilities that they give, and
how these change when a feature is permuted.

Permuted rows are predicted in large batches that hold many features, rows and shuffles at once. A row whose donor has
the same value keeps its probabilities, and a row that several shuffles give the same value is predicted once. Of a
logistic regression only the terms that change are computed (``LinearModel``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import expit, softmax
from sklearn.base import clone
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.utils.validation import has_fit_parameter

from probfs.classifiers.protocol import Features
from probfs.classifiers.refitting.models import LinearModel, Model, Report, Trainer
from probfs.classifiers.refitting.rows import Donors, Positions, divide_rows
from probfs.classifiers.refitting.tables import Encoding, Frame, FrameEncoder, Matrix, MatrixEncoder, all_codes
from probfs.classifiers.refitting.user_estimator import keep_columns
from probfs.columns.dataset import Dataset
from probfs.errors import DataError, UsageError
from probfs.runtime.parallel import catch_fit_warnings
from probfs.tables.arrays import Floats, Integers
from probfs.text import first_line, option

MOST_COPIES = 1_000_000
"""Rows that an estimator is given, about: beyond, each row is repeated less often, in proportion."""
CELLS_PER_CALL = 1 << 22
"""Cells that an estimator is given at a time, at most: 32 MB of numbers."""
_ROUNDING = 1e-13
"""A smaller change of a probability is rounding: estimators answer a little differently in other batches."""
_NO_COLUMNS = "0 feature(s)"
"""Part of what scikit-learn's estimators say when a pipeline leaves them no column."""

Codes = npt.NDArray[np.intp]


class EstimatorTrainer(Trainer):
    """Fits clones of an estimator."""

    def __init__(
        self,
        dataset: Dataset,
        estimator: Any,
        encoding: Encoding,
        name: str,
        *,
        linear: bool = False,
        out_of_bag: bool = False,
    ) -> None:
        """The estimator's random_state is set.

        It is ``linear`` where it is a logistic regression whose log-odds are sums of terms, one from each column, and
        to which a row of weight 5 is the same as five equal rows. All others are given rows as often as they occur:
        most do something to rows that weights do not reach. What rows weigh is given to all of them. ``out_of_bag``,
        labelled rows are judged only by trees that were not trained on them.
        """
        encoder = FrameEncoder(dataset) if encoding == "frame" else MatrixEncoder(dataset, encoding, name)
        super().__init__(dataset, name, encoder)
        if dataset.weights is not None and not has_fit_parameter(estimator, "sample_weight"):
            problem = f"the fit of {name} takes no sample_weight"
            raise UsageError(f"{option('weight')}: {problem}; use another {option('classifier')}, or no weights")
        self.estimator = estimator
        self._codes = [all_codes(feature) for feature in dataset.features]
        self._linear = linear
        self._out_of_bag = out_of_bag

    def fit(self, features: Features, training: Integers) -> Model:
        """A fitted clone. It sees the classes of its training rows as 0, 1, …"""
        table = self.encoder.build(features, training)
        rows = self.training_rows(training)
        present, labels = np.unique(rows.labels, return_inverse=True)
        nothing_learnt = Model(rows.prior, len(features), Report())
        if len(present) < 2 or not table.vary(rows.positions):
            return nothing_learnt
        estimator = clone(self.estimator)
        if isinstance(table, Frame):
            keep_columns(estimator, list(table.frame.columns))
        elif table.categorical is not None:
            estimator.set_params(categorical_features=table.categorical)
        copies = np.ones_like(rows.counts) if self._linear else choose_copies(rows.counts)
        takes_weights = self._linear or self.weights is not None
        weights = {"sample_weight": np.repeat(rows.weights / copies, copies)} if takes_weights else {}
        positions, labels = np.repeat(rows.positions, copies), np.repeat(labels, copies)
        report = self._fit(estimator, table.take(positions), labels, weights)
        if report is None:
            return nothing_learnt
        if self._linear:
            link = partial(_from_log_odds, present, self.classes)
            line = estimator.coef_, estimator.intercept_
            return LinearModel(*line, table, link, rows.prior, len(features), report)
        if copies.sum() < rows.counts.sum():
            report = replace(report, most_copies=MOST_COPIES)
        codes = [self._codes[feature] for feature in features.tolist()]
        fitted = self.name, estimator, table, codes, present, rows.prior, report
        return OutOfBagForest(positions, *fitted) if self._out_of_bag else EstimatorModel(*fitted)

    def _fit(self, estimator: Any, table: Any, labels: Integers, weights: dict[str, Floats]) -> Report | None:
        """Fit an estimator, and report what that warned of; None where a pipeline left no column to fit on."""
        with catch_fit_warnings() as caught:
            try:
                estimator.fit(table, labels, **weights)
            except (ValueError, TypeError) as error:
                if _NO_COLUMNS in str(error):
                    return None
                raise DataError(f"{self.name} could not be fitted: {first_line(error)}") from error
        if not hasattr(estimator, "predict_proba"):
            problem = f"{self.name} has no predict_proba once it is fitted"
            raise UsageError(f"{option('classifier')}: {problem}; wrap it in sklearn's CalibratedClassifierCV")
        if is_forest(estimator):
            # Its threads add up the votes of trees in any order, so that last digits would differ from run to run.
            estimator.set_params(n_jobs=1)
        # Deprecations are news for whoever wrote the estimator, not for whoever ranks with it.
        said = [warning for warning in caught if not issubclass(warning.category, (DeprecationWarning, FutureWarning))]
        return Report(f"{said[0].category.__name__}: {first_line(said[0].message)}" if said else None)


def is_forest(estimator: Any) -> bool:
    """Whether an estimator's probabilities are the mean of its trees'."""
    return type(estimator) in (RandomForestClassifier, ExtraTreesClassifier)


def choose_copies(counts: Integers) -> Integers:
    """How often each row is repeated: as often as it occurs or, where these are too many rows, in proportion to that
    and at least once.
    """
    too_many = counts.sum() / MOST_COPIES
    return counts if too_many <= 1 else np.maximum(1, np.rint(counts / too_many)).astype(np.int64)


def _from_log_odds(present: Integers, classes: int, values: Floats) -> Floats:
    """Probabilities from log-odds of the second of two classes, or from the weights' logarithms of more."""
    if classes == 2:
        second: Floats = expit(values)
        return second
    every = np.zeros((classes, *values.shape[1:]))
    every[present] = softmax(values if len(values) > 1 else np.concatenate([np.zeros_like(values), values]), axis=0)
    return every


class EstimatorModel(Model):
    """A fitted estimator."""

    def __init__(
        self,
        name: str,
        estimator: Any,
        table: Matrix | Frame,
        codes: Sequence[Codes],
        present: Integers,
        prior: Floats,
        report: Report,
    ) -> None:
        """``codes`` are those of each feature of the model, in all rows, and ``present`` the classes of the training
        rows.
        """
        super().__init__(prior, len(codes), report)
        self.name = name
        self.estimator = estimator
        self.table = table
        self.codes = codes
        self.present = present

    def probabilities(self, rows: Positions) -> Floats:
        blocks = divide_rows(len(rows), self.table.width, CELLS_PER_CALL)
        found = [self._predict(self.table.take(rows[block]), rows[block]) for block in blocks]
        return np.concatenate([np.empty((len(self.prior), 0)), *found], axis=1)

    def permute(self, rows: Positions, donors: Donors, threads: int) -> tuple[Floats, Floats]:
        actual = self.probabilities(rows)
        changes = np.zeros((len(actual), len(rows) * self.features))
        features, places, giving, frequencies = find_exchanges(rows, donors, self.codes)
        for batch in divide_rows(len(places), self.table.width, CELLS_PER_CALL):
            exchanged = rows[places[batch]]
            table = self.table.exchange(exchanged, features[batch], giving[batch])
            change = actual[:, places[batch]] - self._predict(table, exchanged)
            change[np.abs(change) < _ROUNDING] = 0
            flat = places[batch] * self.features + features[batch]
            for of_class, each in zip(changes, change * frequencies[batch], strict=True):
                of_class += np.bincount(flat, weights=each, minlength=len(of_class))
        return actual, changes.reshape(len(actual), len(rows), self.features)

    def _predict(self, table: Any, rows: Positions) -> Floats:
        """What the estimator says of rows that it is given as it likes them, their positions apart."""
        try:
            with catch_fit_warnings():
                found = self._ask(table, rows)
        except (ValueError, TypeError) as error:
            raise DataError(f"{self.name} failed to predict: {first_line(error)}") from error
        if found.shape != (len(table), len(self.present)) or not np.isfinite(found).all():
            expected = f"{len(self.present)} finite probabilities for each row"
            raise DataError(f"predict_proba of {self.name} must give {expected}, and does not")
        # The estimator may have the classes in another order.
        order = getattr(self.estimator, "classes_", range(len(self.present)))
        every = np.zeros((len(self.prior), len(found)))
        every[self.present[np.asarray(order, dtype=np.intp)]] = found.T
        return every

    def _ask(self, table: Any, rows: Positions) -> Floats:
        return np.asarray(self.estimator.predict_proba(table), dtype=np.float64)


class OutOfBagForest(EstimatorModel):
    """A forest that judges each row by the trees that were not trained on it, or on some of its copies."""

    def __init__(self, trained: Positions, *fitted: Any) -> None:
        """``trained`` says which row each row given to the forest is: some several times, where they were repeated."""
        super().__init__(*fitted)
        self._trained = trained
        self.report = replace(self.report, unjudged=int((self._left_out.sum(axis=0) == 0).sum()))

    def _ask(self, table: Any, rows: Positions) -> Floats:
        # As scikit-learn has them.
        cells = np.ascontiguousarray(table, dtype=np.float32)
        total, judges = np.zeros((len(cells), len(self.present))), self._left_out.sum(axis=0)[rows]
        for tree, left_out in zip(self.estimator.estimators_, self._left_out, strict=True):
            judged = np.flatnonzero(left_out[rows])
            if len(judged):
                votes = tree.predict_proba(cells[judged], check_input=False)
                total[judged] += left_out[rows[judged], None] * votes
        return np.where(judges[:, None] > 0, total / np.maximum(judges, 1)[:, None], self.prior[self.present])

    @cached_property
    def _left_out(self) -> Floats:
        """Trees × rows: how many copies of each row were not drawn for each tree; 1 of a row that is not trained on.

        As in leave-one-out, a copy is judged by models that may know the others.
        """
        rows = max(len(codes) for codes in self.codes)
        copies = np.bincount(self._trained, minlength=rows)
        left_out = []
        for drawn in self.estimator.estimators_samples_:
            known = np.bincount(self._trained[np.unique(drawn)], minlength=rows)
            left_out.append(np.where(copies > 0, copies - known, 1))
        return np.array(left_out, dtype=np.float64)


def find_exchanges(
    rows: Positions, donors: Donors, codes: Sequence[Codes]
) -> tuple[Integers, Integers, Positions, Floats]:
    """All exchanges that change a value, each combination of a feature, a row and a new value once: features, rows
    (counted within ``rows``), the rows that give the value, and in what fraction of the shuffles. ``codes`` are those
    of each feature in all rows.
    """
    found = []
    for feature, of_feature in enumerate(codes):
        given = of_feature[donors]
        differs = given != of_feature[rows]
        places = np.nonzero(differs)[1]
        new_values = places * (int(of_feature.max(initial=0)) + 1) + given[differs]
        _, first, times = np.unique(new_values, return_index=True, return_counts=True)
        found.append((np.full(len(first), feature), places[first], donors[differs][first], times / len(donors)))
    features, places, giving, frequencies = (np.concatenate(column) for column in zip(*found, strict=True))
    return features, places, giving.astype(np.intp), frequencies
