"""The votes of a forest's trees, and how they change with one feature permuted.

Permuting a feature changes a tree's vote on a row only if the row meets the feature on its way down the tree, and then
only if the new value lies on another side of one of the tree's thresholds. So each tree is asked about the few rows and
values that can matter to it: far fewer than one call of ``predict_proba`` for every feature and shuffle would ask.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from probfs.classifiers.estimators.cells import MatrixCells
from probfs.classifiers.estimators.fitted_model import FittedModel
from probfs.classifiers.refitting.design_matrix import Positions
from probfs.classifiers.refitting.donors import Donors
from probfs.tables.table import Floats, Integers

_CELLS_PER_CALL = 1 << 22
_NO_FEATURE = -2
"""What scikit-learn gives a leaf as its feature."""

SingleFloats = npt.NDArray[np.float32]
Booleans = npt.NDArray[np.bool_]


def is_forest(estimator: Any) -> bool:
    """Whether an estimator's probabilities are the mean of its trees'."""
    from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier

    return type(estimator) in (RandomForestClassifier, ExtraTreesClassifier)


@dataclass(frozen=True, eq=False)
class ForestVotes:
    """The mean of some rows' votes, with all features and with each of them permuted."""

    actual: Floats
    """Classes × rows, as ``FittedModel.probabilities`` gives them."""
    changes: Floats
    """By how much these exceed the mean votes with each feature permuted: classes × rows × features."""
    unjudged: int
    """How many rows no tree could judge: all were trained on them. They have the shares of the classes."""


class Forest:
    """A fitted forest and the rows that it judges."""

    def __init__(self, model: FittedModel) -> None:
        assert isinstance(model.cells, MatrixCells)
        self._model = model
        # As scikit-learn has them.
        self._cells: SingleFloats = np.ascontiguousarray(model.cells.cells, dtype=np.float32)
        self._feature_of_column = np.repeat(np.arange(len(model.cells.widths)), model.cells.widths)
        self._left_out = self._count_left_out() if model.recipe.out_of_bag else None
        """Trees × rows; None where every tree judges every row."""

    def votes(self, rows: Positions, donors: Donors | None = None) -> ForestVotes:
        """The votes on some rows; ``donors``, permutations × rows, say whose values they are given."""
        model, features = self._model, len(self._model.cells.widths)  # type: ignore[attr-defined]  # a matrix
        classes = len(model.shares)
        actual, judges = np.zeros((classes, len(rows))), np.zeros(len(rows))
        changes = np.zeros((classes, len(rows), features if donors is not None else 0))
        for number, tree in enumerate(model.estimator.estimators_):  # type: ignore[union-attr]  # it was fitted
            weights = np.ones(len(rows)) if self._left_out is None else self._left_out[number, rows]
            judged = np.flatnonzero(weights)
            weights = weights[judged]
            values = model.aligned(_class_shares(tree.tree_))
            own = values[:, tree.tree_.apply(self._cells[rows[judged]])]
            actual[:, judged] += weights * own
            judges[judged] += weights
            if donors is not None and len(judged):
                permuted = _PermutedTree(tree.tree_, values, self._cells, self._feature_of_column, rows[judged])
                permuted.add_changes(changes, own, judged, weights, donors[:, judged])
        unjudged = judges == 0
        judges[unjudged] = 1
        actual /= judges
        actual[:, unjudged] = model.shares[:, None]
        changes /= judges[:, None]
        return ForestVotes(actual, changes, int(unjudged.sum()))

    def _count_left_out(self) -> Floats:
        """How many copies of each row were not drawn for each tree; 1 of a row that is not trained on at all.

        As in leave-one-out, a copy is judged by models that may know the others.
        """
        trained, rows = self._model.trained, len(self._cells)
        copies = np.bincount(trained, minlength=rows)
        left_out = []
        for drawn in self._model.estimator.estimators_samples_:  # type: ignore[union-attr]  # it was fitted
            known = np.bincount(trained[np.unique(drawn)], minlength=rows)
            left_out.append(np.where(copies > 0, copies - known, 1))
        return np.array(left_out, dtype=np.float64)


class _PermutedTree:
    """One tree, and the rows that it judges."""

    def __init__(
        self,
        tree: Any,
        values: Floats,
        cells: SingleFloats,
        feature_of_column: Integers,
        rows: Positions,
    ) -> None:
        self._tree = tree
        self._values = values
        self._cells = cells
        self._feature_of_column = feature_of_column
        self._rows = rows
        inner = tree.feature != _NO_FEATURE
        self._columns, self._thresholds = tree.feature[inner], tree.threshold[inner]

    def add_changes(self, changes: Floats, own: Floats, places: Integers, weights: Floats, donors: Donors) -> None:
        """Add, for each row and feature, the mean change of the tree's vote (``own`` with all features) to
        ``changes``, in which the rows have their ``places``, and count with their ``weights``.
        """
        waiting: list[tuple[SingleFloats, int, Integers, Floats]] = []
        most = max(1, _CELLS_PER_CALL // self._cells.shape[1])
        for exchanged in self._exchanges(donors):
            waiting.append(exchanged)
            if sum(len(weights) for *_, weights in waiting) >= most:
                self._add(changes, own, places, weights, waiting)
                waiting = []
        if waiting:
            self._add(changes, own, places, weights, waiting)

    def _exchanges(self, donors: Donors) -> Iterator[tuple[SingleFloats, int, Integers, Floats]]:
        """For each feature that matters: rows with other values in it, the feature, which rows these were, and in
        which share of the permutations they have the value.
        """
        met = self._find_met_features()
        for feature in np.flatnonzero(met.any(axis=0)).tolist():
            those = np.flatnonzero(met[:, feature])
            own_columns = np.flatnonzero(self._feature_of_column == feature)
            bucket, buckets = self._find_buckets(own_columns)
            shares = np.bincount(
                (np.arange(len(those)) * buckets + bucket[donors[:, those]]).ravel(), minlength=len(those) * buckets
            ).reshape(len(those), buckets) / len(donors)
            shares[np.arange(len(those)), bucket[self._rows[those]]] = 0
            which, into = np.nonzero(shares)
            # Any row of a bucket stands for all of them.
            example = np.empty(buckets, dtype=np.intp)
            example[bucket] = np.arange(len(bucket))
            rows = those[which]
            cells = self._cells[self._rows[rows]]
            cells[:, own_columns] = self._cells[example[into]][:, own_columns]
            yield cells, feature, rows, shares[which, into]

    def _find_met_features(self) -> Booleans:
        """Rows × features: which features a row meets on its way down."""
        path = self._tree.decision_path(self._cells[self._rows])
        met = np.zeros((len(self._rows), int(self._feature_of_column[-1]) + 1), dtype=np.bool_)
        columns = self._tree.feature[path.indices]
        inner = columns != _NO_FEATURE
        row = np.repeat(np.arange(len(self._rows)), np.diff(path.indptr))
        met[row[inner], self._feature_of_column[columns[inner]]] = True
        return met

    def _find_buckets(self, own_columns: Integers) -> tuple[Integers, int]:
        """For each row of the table, in which of so many buckets its value of a feature is; the tree cannot tell
        values of the same bucket apart.
        """
        bucket = np.zeros(len(self._cells), dtype=np.int64)
        buckets = 1
        for column in own_columns.tolist():
            thresholds = np.unique(self._thresholds[self._columns == column])
            if not len(thresholds):
                continue
            numbers = self._cells[:, column]
            # A value equal to a threshold goes left, as smaller ones do; NaN has a side of its own at each node.
            side = np.searchsorted(thresholds, numbers)
            side[np.isnan(numbers)] = len(thresholds) + 1
            if len(own_columns) == 1:
                return side, len(thresholds) + 2
            # At most one column of a category is 1.
            bucket[side > 0] = buckets
            buckets += 1
        return bucket, buckets

    def _add(
        self,
        changes: Floats,
        own: Floats,
        places: Integers,
        weights: Floats,
        waiting: list[tuple[SingleFloats, int, Integers, Floats]],
    ) -> None:
        leaves = self._tree.apply(np.concatenate([cells for cells, *_ in waiting]))
        start = 0
        for _, feature, rows, shares in waiting:
            votes = self._values[:, leaves[start : start + len(rows)]]
            start += len(rows)
            for line, own_line, vote in zip(changes, own, votes, strict=True):
                change = weights[rows] * shares * (own_line[rows] - vote)
                line[places, feature] += np.bincount(rows, weights=change, minlength=len(places))


def _class_shares(tree: Any) -> Floats:
    """The shares of classes in each node: nodes × classes."""
    values: Floats = tree.value[:, 0, :]
    shares: Floats = values / values.sum(axis=1, keepdims=True)
    return shares
