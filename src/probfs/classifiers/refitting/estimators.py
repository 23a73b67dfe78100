"""Estimators of scikit-learn's kind, fitted to any training rows and features: their probabilities, and how these
change when a feature is permuted.

Permuted rows are predicted in large batches that hold many features, rows and shuffles at once. A row whose donor has
the same value keeps its probabilities, and a row that several shuffles give the same value is predicted once. Of a
logistic regression only the terms that change are computed (``LinearModel``).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import expit, softmax
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags
from sklearn.utils.validation import has_fit_parameter

from probfs.classifiers.options import Categories
from probfs.classifiers.protocol import Features
from probfs.classifiers.refitting.models import LinearModel, Model, Report, Trainer
from probfs.classifiers.refitting.rows import Donors, Positions, divide_rows
from probfs.classifiers.refitting.tables import Encoding, Matrix, all_codes
from probfs.columns.dataset import Dataset
from probfs.errors import DataError, UsageError
from probfs.runtime.parallel import catch_fit_warnings
from probfs.tables.arrays import Floats, Integers
from probfs.text import did_you_mean, first_line, option, quoted

MOST_COPIES = 1_000_000
"""About how many rows an estimator is given at most: if there are more, each row is repeated less often, in proportion.
"""
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
    """A model of a fitted estimator."""

    name: str
    estimator: Any
    table: Matrix
    codes: Sequence[Codes]
    """Of each feature of the model, in all rows."""
    present: Integers
    """The classes of the training rows."""
    trained: Positions
    """The position of each row that the estimator was given; repeated rows occur several times."""

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
        """The probabilities of rows that are in the form the estimator is given; ``rows`` are their positions."""
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
        # scikit-learn's trees compare numbers of single precision.
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
        """Trees × rows: how many copies of each row were not drawn for each tree; 1 for a row that is not trained on.

        As in leave-one-out, trees that were trained on some copies of a row may judge the others.
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
    """All exchanges that change a value, one for each combination of a feature, a row and a new value: the feature, the
    place of the row in ``rows``, a row that has the new value, and the fraction of shuffles in which the row is given
    it. ``codes`` has the codes of each feature in all rows.
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


# Users' estimators: any object of scikit-learn's kind that has predict_proba


def check_estimator(estimator: Any) -> str:
    """Refuse an object that is no estimator; the estimator's repr in one line, without addresses of memory.

    Some estimators, which fit others, have ``predict_proba`` only once they are fitted.
    """
    if isinstance(estimator, type):
        name = estimator.__name__
        raise UsageError(f"{option('classifier')}: {name} is a class; give an object of it, such as {name}()")
    shown = re.sub(r" at 0x[0-9a-fA-F]+", "", " ".join(repr(estimator).split()))
    if not (hasattr(estimator, "fit") and hasattr(estimator, "get_params") and hasattr(estimator, "set_params")):
        problem = f"{shown} is not a scikit-learn estimator: it lacks fit, get_params or set_params"
        raise UsageError(f"{option('classifier')}: {problem}")
    if not hasattr(type(estimator), "predict_proba") and not hasattr(estimator, "predict_proba"):
        problem = f"{shown} has no predict_proba"
        raise UsageError(f"{option('classifier')}: {problem}; wrap it in sklearn's CalibratedClassifierCV")
    return shown


def choose_categories(estimator: Any) -> Categories:
    """How columns should be given to an estimator: as a data frame if it holds a ColumnTransformer, as codes if its
    tags say that it takes only categories that are not negative, and one-hot otherwise.
    """
    if _column_transformers(estimator):
        return "frame"
    tags = _input_tags(_steps(estimator)[0])
    if getattr(tags, "categorical", False) and getattr(tags, "positive_only", False):
        return "codes"
    return "onehot"


def takes_missing(estimator: Any) -> bool:
    """Whether all steps take NaN, up to one that imputes."""
    for step in _steps(estimator):
        if "Imputer" in type(step).__name__:
            return True
        if not getattr(_input_tags(step), "allow_nan", False):
            return False
    return True


def seeded(estimator: Any, seed: int) -> Any:
    """A clone in which every random_state that was None is set."""
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
    """An estimator's tags about its input; None if it has none."""
    try:
        return get_tags(estimator).input_tags
    except (AttributeError, TypeError, ValueError):
        return None


def _column_transformers(estimator: Any) -> list[ColumnTransformer]:
    """The ColumnTransformers in an estimator, which may be one itself."""
    parts = [estimator, *estimator.get_params(deep=True).values()]
    return [part for part in parts if isinstance(part, ColumnTransformer)]


def check_column_names(estimator: Any, known: Sequence[str], source: str) -> None:
    """Refuse ColumnTransformers that choose columns by position, which changes as columns leave, or by a name that is
    not ``known``. Columns that are left out are known.
    """
    for transformer in _column_transformers(estimator):
        for step, _, columns in transformer.transformers:
            if callable(columns):
                continue
            names = [columns] if isinstance(columns, str) else columns
            if isinstance(names, slice) or not all(isinstance(name, str) for name in names):
                remedy = "name them, or use make_column_selector"
                problem = f"chooses columns by position, which changes as some leave; {remedy}"
            elif unknown := [name for name in names if name not in known]:
                problem = f"names {quoted(unknown[0])}, not a column of {source}{did_you_mean(unknown[0], known)}"
            else:
                continue
            raise UsageError(f"{option('classifier')}: the ColumnTransformer's {step!r} {problem}")


def keep_columns(estimator: Any, names: Collection[str]) -> None:
    """Remove the names of columns that have left from an estimator's ColumnTransformers; selectors need no change."""
    for transformer in _column_transformers(estimator):
        kept: list[tuple[str, Any, Any]] = []
        for name, step, columns in transformer.transformers:
            if isinstance(columns, str) and columns not in names:
                kept.append((name, "drop", []))
            elif callable(columns) or isinstance(columns, str):
                # A transformer of one name alone is given a list of texts, not a table.
                kept.append((name, step, columns))
            else:
                kept.append((name, step, [column for column in columns if column in names]))
        transformer.transformers = kept
