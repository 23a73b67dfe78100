"""An estimator fitted on any training rows and features, the probabilities that it gives, and how these change when a
feature is permuted.

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

from probfs.classifiers.estimators.frames import FrameCells, FrameEncoder, keep_columns, takes_no_columns
from probfs.classifiers.protocol import Features
from probfs.classifiers.refitting.matrix import Encoding, Matrix, MatrixEncoder, all_codes
from probfs.classifiers.refitting.models import LinearModel, Model, Trainer
from probfs.classifiers.refitting.rows import Donors, Positions, TrainingRows, divide_rows
from probfs.columns.dataset import Dataset
from probfs.errors import DataError, UsageError
from probfs.notes import Note, NoteKind
from probfs.runtime.parallel import catch_fit_warnings
from probfs.tables.arrays import Floats, Integers
from probfs.text import counted, option

MOST_COPIES = 1_000_000
"""Rows that an estimator is given, about: beyond, each row is repeated less often, in proportion."""
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
    cv_errors: None = None


@dataclass(frozen=True, eq=False)
class EstimatorTrainer(Trainer):
    """Fits clones of an estimator."""

    estimator: Any
    """Its random_state is set."""
    codes: Sequence[Codes]
    """Of each feature, in all rows."""
    weighted: bool
    """Whether ``fit`` is given how often rows occur as ``sample_weight``; otherwise rows are repeated."""
    linear_terms: bool
    """Whether log-odds are sums of terms, one from each column, as in a logistic regression."""
    out_of_bag: bool
    """Whether labelled rows are judged only by trees that were not trained on them."""

    @classmethod
    def of(
        cls,
        dataset: Dataset,
        estimator: Any,
        encoding: Encoding,
        name: str,
        *,
        weighted: bool = False,
        linear_terms: bool = False,
        out_of_bag: bool = False,
    ) -> EstimatorTrainer:
        encoder = FrameEncoder(dataset) if encoding == "frame" else MatrixEncoder(dataset, encoding, name)
        codes = [all_codes(feature) for feature in dataset.features]
        labels, counts, classes = dataset.labels, dataset.counts, len(dataset.classes)
        return cls(name, encoder, labels, counts, classes, estimator, codes, weighted, linear_terms, out_of_bag)

    def notes(self, reports: Sequence[EstimatorReport]) -> tuple[Note, ...]:
        """What fitting warned of, copies of rows that were left out, and rows that no tree could judge."""
        notes = []
        warned = [report.warning for report in reports if report.warning is not None]
        if warned:
            message = f"{len(warned):,} of {counted(len(reports), 'fit')} warned: {warned[0]}"
            notes.append(NoteKind.FIT_WARNINGS.note(message))
        if any(report.thinned for report in reports):
            message = (
                f"there are more rows than the {MOST_COPIES:,} that {self.name} is given: of equal "
                f"rows it was given fewer, in proportion, and each different row at least once"
            )
            notes.append(NoteKind.FEWER_COPIES.note(message))
        unjudged = max((report.unjudged for report in reports), default=0)
        if unjudged:
            rows = "1 row was" if unjudged == 1 else f"{unjudged:,} rows were"
            message = (
                f"{rows} drawn for every tree, so that none could judge them out of bag, and only the shares of the "
                f"classes could; more trees, or {option('estimate', 'cv')}, would help"
            )
            notes.append(NoteKind.UNJUDGED.note(message))
        return tuple(notes)

    def fit(self, features: Features, training: Integers) -> Model:
        """A fitted clone. It sees the classes of its training rows as 0, 1, …"""
        from sklearn.base import clone

        cells = self.encoder.build(features, training)
        rows = TrainingRows.of(self.labels, training, self.classes)
        codes = [self.codes[feature] for feature in features.tolist()]
        nothing_learnt = FittedEstimator(self.name, None, cells, rows, rows.positions, codes, EstimatorReport())
        present, labels = np.unique(rows.labels, return_inverse=True)
        if len(present) < 2 or not cells.vary(rows.positions):
            return nothing_learnt
        estimator = clone(self.estimator)
        if isinstance(cells, FrameCells):
            keep_columns(estimator, list(cells.frame.columns))
            if takes_no_columns(estimator, cells.frame):
                return nothing_learnt
        elif cells.categorical is not None:
            estimator.set_params(categorical_features=cells.categorical)
        positions, weights = rows.positions, {}
        if self.weighted and (rows.counts > 1).any():
            weights = {"sample_weight": rows.counts.astype(np.float64)}
        elif (rows.counts > 1).any():
            copies = choose_copies(rows.counts)
            positions, labels = np.repeat(positions, copies), np.repeat(labels, copies)
        warning = _fit(estimator, self.name, cells.take(positions), labels, weights)
        report = EstimatorReport(warning, not self.weighted and len(positions) < rows.counts.sum())
        if self.linear_terms:
            link = partial(_from_log_odds, present, self.classes)
            return LinearModel(estimator.coef_, estimator.intercept_, cells, link, rows.prior, report)
        kind = OutOfBagForest if self.out_of_bag else FittedEstimator
        return kind(self.name, estimator, cells, rows, positions, codes, report)


def is_forest(estimator: Any) -> bool:
    """Whether an estimator's probabilities are the mean of its trees'."""
    from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier

    return type(estimator) in (RandomForestClassifier, ExtraTreesClassifier)


def choose_copies(counts: Integers, most: int | None = None) -> Integers:
    """How often each row is repeated: as often as it occurs, or in proportion to that, at least once each, where these
    are more rows than ``most``. What is lost by rounding down goes to the rows that lose most.

    >>> choose_copies(np.array([1, 60, 39]), 10)
    array([1, 6, 4])
    """
    allowed = MOST_COPIES if most is None else most
    total = int(counts.sum())
    if total <= allowed:
        return counts
    quotas = counts * (allowed / total)
    copies = np.floor(quotas).astype(np.int64)
    short = max(0, allowed - int(copies.sum()))
    copies[np.argsort(copies - quotas, kind="stable")[:short]] += 1
    found: Integers = np.maximum(copies, 1)
    return found


def _fit(estimator: Any, name: str, table: Any, labels: Integers, weights: dict[str, Floats]) -> str | None:
    """Fit an estimator; what that warned of first, if it did."""
    with catch_fit_warnings() as caught:
        try:
            estimator.fit(table, labels, **weights)
        except (ValueError, TypeError) as error:
            raise DataError(f"{name} could not be fitted: {_first_line(error)}") from error
    if not hasattr(estimator, "predict_proba"):
        problem = f"{name} has no predict_proba once it is fitted"
        raise UsageError(f"{option('classifier')}: {problem}; wrap it in sklearn's CalibratedClassifierCV")
    if is_forest(estimator):
        # Its threads add up the votes of trees in any order, so that last digits would differ from run to run.
        estimator.set_params(n_jobs=1)
    # Deprecations are news for whoever wrote the estimator, not for whoever ranks with it.
    said = [warning for warning in caught if not issubclass(warning.category, (DeprecationWarning, FutureWarning))]
    return f"{said[0].category.__name__}: {_first_line(said[0].message)}" if said else None


def _from_log_odds(present: Integers, classes: int, values: Floats) -> Floats:
    """Probabilities from log-odds of the second of two classes, or from the weights' logarithms of more."""
    if classes == 2:
        second: Floats = expit(values)
        return second
    every = np.zeros((classes, *values.shape[1:]))
    every[present] = softmax(values if len(values) > 1 else np.concatenate([np.zeros_like(values), values]), axis=0)
    return every


class FittedEstimator(Model):
    """A fitted estimator. Without one, there was nothing to learn from: rows have the frequencies of the classes."""

    cells_at_a_time = 1 << 22
    threads_inside = True
    """An estimator may have threads of its own, and may not like ours."""

    def __init__(
        self,
        name: str,
        estimator: Any,
        cells: Matrix | FrameCells,
        rows: TrainingRows,
        trained: Positions,
        codes: Sequence[Codes],
        report: EstimatorReport,
    ) -> None:
        """``trained`` says which row each row given to the estimator is: some several times, where rows were repeated.
        ``codes`` are those of each feature of the model, in all rows.
        """
        self.name = name
        self.estimator = estimator
        self.cells = cells
        self.rows = rows
        self.prior = rows.prior
        self.trained = trained
        self.codes = codes
        self.report = report

    def probabilities(self, rows: Positions) -> Floats:
        if self.estimator is None or not len(rows):
            return np.repeat(self.prior[:, None], len(rows), axis=1)
        blocks = divide_rows(len(rows), self.cells.width, CELLS_PER_CALL)
        return np.concatenate([self.predict(self.cells.take(rows[block]), rows[block]) for block in blocks], axis=1)

    def predict(self, table: Any, rows: Positions) -> Floats:
        """What the estimator says of rows that it is given as it likes them, their positions apart."""
        try:
            with catch_fit_warnings():
                found = self._ask(table, rows)
        except (ValueError, TypeError) as error:
            raise DataError(f"{self.name} failed to predict: {_first_line(error)}") from error
        present = np.unique(self.rows.labels)
        if found.shape != (len(table), len(present)) or not np.isfinite(found).all():
            expected = f"{len(present)} finite probabilities for each row"
            raise DataError(f"predict_proba of {self.name} must give {expected}, and does not")
        # The estimator may have the classes in another order.
        known = getattr(self.estimator, "classes_", None)
        every = np.zeros((self.rows.classes, len(found)))
        every[present if known is None else present[np.asarray(known, dtype=np.intp)]] = found.T
        return every

    def _ask(self, table: Any, rows: Positions) -> Floats:
        return np.asarray(self.estimator.predict_proba(table), dtype=np.float64)

    def permute(self, rows: Positions, donors: Donors, threads: int) -> tuple[Floats, Floats]:
        actual = self.probabilities(rows)
        changes = np.zeros((len(actual), len(rows) * len(self.codes)))
        if self.estimator is not None:
            features, places, giving, frequencies = find_exchanges(rows, donors, self.codes)
            for batch in divide_rows(len(places), self.cells.width, CELLS_PER_CALL):
                exchanged = rows[places[batch]]
                table = self.cells.exchange(exchanged, features[batch], giving[batch])
                change = actual[:, places[batch]] - self.predict(table, exchanged)
                change[np.abs(change) < _ROUNDING] = 0
                flat = places[batch] * len(self.codes) + features[batch]
                for of_class, each in zip(changes, change * frequencies[batch], strict=True):
                    of_class += np.bincount(flat, weights=each, minlength=len(of_class))
        return actual, changes.reshape(len(actual), len(rows), len(self.codes))


class OutOfBagForest(FittedEstimator):
    """A forest that judges each row by the trees that were not trained on it, or on some of its copies."""

    def __init__(self, *fields: Any) -> None:
        super().__init__(*fields)
        unjudged = int((self._left_out.sum(axis=0) == 0).sum())
        self.report = replace(self.report, unjudged=unjudged)

    def _ask(self, table: Any, rows: Positions) -> Floats:
        # As scikit-learn has them.
        cells = np.ascontiguousarray(table, dtype=np.float32)
        frequencies = self.prior[np.unique(self.rows.labels)]
        total, judges = np.zeros((len(cells), len(frequencies))), self._left_out.sum(axis=0)[rows]
        for tree, left_out in zip(self.estimator.estimators_, self._left_out, strict=True):
            judged = np.flatnonzero(left_out[rows])
            if len(judged):
                votes = tree.predict_proba(cells[judged], check_input=False)
                total[judged] += left_out[rows[judged], None] * votes
        return np.where(judges[:, None] > 0, total / np.maximum(judges, 1)[:, None], frequencies)

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
    """All exchanges that change a value, each combination of a feature, a row and a new value once where that pays:
    features (equal ones beside each other), rows (counted within ``rows``), the rows that give the value, and in what
    fraction of the shuffles. ``codes`` are those of each feature in all rows.
    """
    found = [_find_exchanges_of(of_feature, rows, donors) for of_feature in codes]
    features = np.repeat(np.arange(len(found)), [len(exchanged) for exchanged, _, _ in found])
    places, giving, times = (np.concatenate(column) for column in zip(*found, strict=True))
    return features, places.astype(np.int64), giving.astype(np.intp), times / len(donors)


def _find_exchanges_of(codes: Codes, rows: Positions, donors: Donors) -> tuple[Integers, Integers, Integers]:
    """For one feature: the rows, the donors, and how many shuffles do the same."""
    given = codes[donors]
    differs = given != codes[rows]
    places = np.broadcast_to(np.arange(len(rows)), donors.shape)[differs]
    giving = donors[differs]
    values = int(codes.max(initial=0)) + 1
    if values > _VALUES_PER_SHUFFLE * len(donors):
        return places, giving, np.ones(len(places), dtype=np.int64)
    _, first, times = np.unique(places * values + given[differs], return_index=True, return_counts=True)
    return places[first], giving[first], times


def _first_line(error: object) -> str:
    lines = str(error).strip().splitlines()
    return lines[0].rstrip(".:") if lines else type(error).__name__
