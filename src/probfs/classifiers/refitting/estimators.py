"""Estimators of scikit-learn's kind, fitted on any training rows and features: the probabilities that they give, and
how these change when a feature is permuted.

Permuted rows are predicted in large batches that hold many features, rows and shuffles at once. A row whose donor has
the same value keeps its probabilities, and a row that several shuffles give the same value is predicted once. Of a
logistic regression only the terms that change are computed (``LinearModel``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
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
from probfs.classifiers.refitting.tables import Encoding, Matrix, all_codes
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
        super().__init__(dataset, encoding, name)
        if dataset.weights is not None and not has_fit_parameter(estimator, "sample_weight"):
            problem = f"the fit of {name} takes no sample_weight"
            raise UsageError(f"{option('weight')}: {problem}; use another {option('classifier')}, or no weights")
        self.estimator = estimator
        self._codes = [all_codes(feature) for feature in dataset.features]
        self._linear = linear
        self._out_of_bag = out_of_bag

    def fit(self, features: Features, training: Integers) -> Model:
        """A fitted clone. It sees the classes of its training rows as 0, 1, …"""
        table, rows = self.encoder.build(features, training), self.training_rows(training)
        present, labels = np.unique(rows.labels, return_inverse=True)
        nothing_learnt = Model(prior=rows.prior, features=len(features), report=Report())
        if len(present) < 2 or not table.vary(rows.positions):
            return nothing_learnt
        estimator = clone(self.estimator)
        if table.frame is not None:
            keep_columns(estimator, list(table.frame))
        elif table.categorical is not None:
            estimator.set_params(categorical_features=table.categorical)
        wanted = copies = np.ones_like(rows.counts) if self._linear else rows.counts
        too_many = wanted.sum() / MOST_COPIES
        if too_many > 1:
            copies = np.maximum(1, np.rint(wanted / too_many)).astype(np.int64)
        positions, labels = np.repeat(rows.positions, copies), np.repeat(labels, copies)
        weights: dict[str, Floats] = {}
        if self._linear or self.weights is not None:
            weights["sample_weight"] = np.repeat(rows.weights / copies, copies)
        with catch_fit_warnings() as caught:
            try:
                estimator.fit(table.show(table.cells[positions]), labels, **weights)
            except (ValueError, TypeError) as error:
                if _NO_COLUMNS in str(error):
                    return nothing_learnt
                raise DataError(f"{self.name} could not be fitted: {first_line(error)}") from error
        if not hasattr(estimator, "predict_proba"):
            problem = f"{self.name} has no predict_proba once it is fitted"
            raise UsageError(f"{option('classifier')}: {problem}; wrap it in sklearn's CalibratedClassifierCV")
        if type(estimator) in (RandomForestClassifier, ExtraTreesClassifier):
            # Its threads add up the votes of trees in any order, so that last digits would differ from run to run.
            estimator.set_params(n_jobs=1)
        # Deprecations are news for whoever wrote the estimator, not for whoever ranks with it.
        said = [warning for warning in caught if not issubclass(warning.category, (DeprecationWarning, FutureWarning))]
        warning = f"{said[0].category.__name__}: {first_line(said[0].message)}" if said else None
        report = Report(warning, MOST_COPIES if copies.sum() < wanted.sum() else None)
        if self._linear:
            return LinearModel(
                prior=rows.prior,
                features=len(features),
                report=report,
                matrix=table,
                link=partial(_from_log_odds, present, self.classes),
                coefficients=estimator.coef_,
                intercepts=estimator.intercept_,
            )
        kind = OutOfBagForest if self._out_of_bag else EstimatorModel
        return kind(
            prior=rows.prior,
            features=len(features),
            report=report,
            name=self.name,
            estimator=estimator,
            table=table,
            codes=[self._codes[feature] for feature in features.tolist()],
            present=present,
            trained=positions,
        )


def _from_log_odds(present: Integers, classes: int, values: Floats) -> Floats:
    """Probabilities from log-odds of the second of two classes, or from the weights' logarithms of more."""
    if classes == 2:
        second: Floats = expit(values)
        return second
    every = np.zeros((classes, *values.shape[1:]))
    every[present] = softmax(values if len(values) > 1 else np.concatenate([np.zeros_like(values), values]), axis=0)
    return every


@dataclass(kw_only=True, eq=False)
class EstimatorModel(Model):
    """A fitted estimator."""

    name: str
    estimator: Any
    table: Matrix
    codes: Sequence[Codes]
    """Of each feature of the model, in all rows."""
    present: Integers
    """The classes of the training rows."""
    trained: Positions
    """Which row each row given to the estimator is: some several times, where they were repeated."""

    def probabilities(self, rows: Positions) -> Floats:
        blocks = divide_rows(len(rows), len(self.table.owner), CELLS_PER_CALL)
        shown = ((self.table.show(self.table.cells[rows[block]]), rows[block]) for block in blocks)
        return np.concatenate([np.empty((len(self.prior), 0)), *(self._predict(*some) for some in shown)], axis=1)

    def permute(self, rows: Positions, donors: Donors, threads: int) -> tuple[Floats, Floats]:
        actual = self.probabilities(rows)
        changes = np.zeros((len(actual), len(rows) * self.features))
        features, places, giving, frequencies = find_exchanges(rows, donors, self.codes)
        for batch in divide_rows(len(places), len(self.table.owner), CELLS_PER_CALL):
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


@dataclass(kw_only=True, eq=False)
class OutOfBagForest(EstimatorModel):
    """A forest that judges each row by the trees that were not trained on it, or on some of its copies."""

    def __post_init__(self) -> None:
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
        copies = np.bincount(self.trained, minlength=rows)
        left_out = []
        for drawn in self.estimator.estimators_samples_:
            known = np.bincount(self.trained[np.unique(drawn)], minlength=rows)
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
