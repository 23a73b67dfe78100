"""Scores of refitted classifiers once more, slow and obvious: a fit for each split, a call of predict_proba for each
shuffle, matrices by hand, no shortcut.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy.optimize import minimize
from scipy.special import expit
from sklearn.base import clone
from sklearn.svm import SVC

from probfs.classifiers.catalogue import SVM
from probfs.classifiers.options import EstimateName
from probfs.classifiers.refitting.rows import draw_donors
from probfs.classifiers.refitting.tables import MatrixEncoder, choose_cost
from probfs.columns.dataset import Dataset, Feature
from probfs.columns.folds import deal_folds, order_by_content

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Block = Callable[[Feature, Integers], Floats]
"""The columns of a feature in all rows, for so many training copies of each labelled row."""

# The paper's scores as plain functions of probabilities: rows × classes, with a feature (P) and without it (Q)


def absolute_score(p: Floats, q: Floats, counts: Integers) -> float:
    """Ŝ_S, eq. (2), for any number of classes: the mean of ½ Σ_c |P_c - Q_c|."""
    return float(np.average(np.abs(p - q).sum(axis=1) / 2, weights=counts))


def signed_score(p: Floats, q: Floats, own: Integers, counts: Integers) -> float:
    """Ŝ_A, eq. (3), for any number of classes: the mean of P_y - Q_y, y being the row's own class."""
    rows = np.arange(len(p))
    return float(np.average(p[rows, own] - q[rows, own], weights=counts))


# Columns


def codes_of(feature: Feature) -> Integers:
    return np.concatenate([feature.labelled, feature.unlabelled]).astype(np.int64)


def onehot(feature: Feature, training: Integers) -> Floats:
    """Numbers with NaN, categories one-hot."""
    cells = []
    for code in codes_of(feature).tolist():
        if feature.numbers is None:
            cells.append([float(code == value) for value in range(feature.values)])
        else:
            cells.append([feature.numbers[code] if code < len(feature.numbers) else np.nan])
    return np.array(cells, dtype=np.float64).reshape(len(cells), feature.values if feature.numbers is None else 1)


def filled(feature: Feature, training: Integers) -> Floats:
    """As one-hot, but a missing number is the mean of the training rows, and an indicator tells where it counts."""
    cells = onehot(feature, training)
    if feature.numbers is None:
        return cells
    column = cells[:, 0]
    known = [row for row in range(len(training)) for _ in range(training[row]) if not np.isnan(column[row])]
    column[np.isnan(column)] = np.mean(column[known]) if known else 0.0
    if feature.missing_is_value:
        return np.column_stack([column, codes_of(feature) == len(feature.numbers)]).astype(np.float64)
    return cells


def native(feature: Feature, training: Integers) -> Floats:
    """Categories as their codes, NaN where a cell says nothing."""
    if feature.numbers is not None:
        return onehot(feature, training)
    codes = codes_of(feature).astype(np.float64)
    codes[codes == feature.values] = np.nan
    return codes[:, None]


def standardised(feature: Feature, training: Integers) -> Floats:
    """Numbers minus their mean over their standard deviation, missing ones 0; categories one-hot; only what varies."""
    cells = onehot(feature, training)
    trained = [row for row in range(len(training)) for _ in range(training[row])]
    columns = []
    for column in cells.T:
        known = column[trained][~np.isnan(column[trained])]
        if len(set(known.tolist())) > 1:
            standard = (column - np.mean(known)) / np.std(known) if feature.numbers is not None else column
            columns.append(np.where(np.isnan(standard), 0.0, standard))
    if feature.numbers is not None and feature.missing_is_value:
        missing = (codes_of(feature) == len(feature.numbers)).astype(np.float64)
        columns += [missing] if len(set(missing[trained].tolist())) > 1 else []
    return np.column_stack([np.empty((len(cells), 0)), *columns])


# Rounds


@dataclass(frozen=True)
class Expected:
    """The scores of one round, and what the model with all features does."""

    s_s: list[float]
    s_a: list[float]
    s_su: list[float]
    errors: int
    ties: int
    """How many rows have two classes that no two ways to compute their probabilities need put in the same order."""
    absolute_loss: float
    cv_errors: int | None


@dataclass(frozen=True)
class SlowRound:
    """One round of a ranking, the first by default, with features of any positions."""

    dataset: Dataset
    estimator: Any
    """An estimator of scikit-learn's, or a ReferenceSvm."""
    block: Block
    estimate: EstimateName
    folds: int | None = 3
    permutations: int = 3
    seed: int = 0
    number: int = 1

    def score(self, features: Sequence[int], removal: str) -> Expected:
        """Scores of all features, by the probabilities of every scored row with and without each of them."""
        data = self.dataset
        donors, splits = self._donors(), self._splits()
        own = np.append(data.labels, np.full(len(data.unlabelled_counts), -1))[np.concatenate([s[1] for s in splits])]
        counts = np.concatenate([split[2] for split in splits])
        rounds, cv_errors = self, None
        if isinstance(self.estimator, ReferenceSvm):
            full = self.fit(features, data.counts)
            by_class = np.bincount(data.labels, weights=data.counts)
            cv_errors = int(by_class.sum() - by_class.max()) if full is None else full.cv_errors
            if full is not None and (removal == "retrain" or len(splits) > 1):
                rounds = replace(self, estimator=replace(self.estimator, training_sigmoids=full.inverted))
        judged = [rounds._judge(features, data.counts - held, rows, donors, removal) for held, rows, _ in splits]
        p = np.concatenate([full for full, _ in judged])
        q = np.concatenate([others for _, others in judged], axis=1)
        known = own >= 0
        right = p[known][np.arange(known.sum()), own[known]]
        predicted = np.argmax(p[known] >= p[known].max(axis=1, keepdims=True) - 1e-12, axis=1)
        return Expected(
            [absolute_score(p[known], one[known], counts[known]) for one in q],
            [signed_score(p[known], one[known], own[known], counts[known]) for one in q],
            [absolute_score(p, one, counts) for one in q] if not known.all() else [],
            int(counts[known][predicted != own[known]].sum()),
            int(counts[known][np.diff(np.sort(p[known], axis=1)[:, -2:], axis=1)[:, 0] < 1e-6].sum()),
            float(np.average(1 - right, weights=counts[known])),
            cv_errors,
        )

    def _splits(self) -> list[tuple[Any, Any, Any]]:
        """The copies that are held out of each model, and the rows that it scores with their counts."""
        data, rows = self.dataset, np.arange(len(self.dataset.labels))
        unlabelled = len(rows) + np.arange(len(data.unlabelled_counts))
        if self.estimate == "resubstitution":
            counts = np.concatenate([data.counts, data.unlabelled_counts])
            return [(0 * data.counts, np.concatenate([rows, unlabelled]), counts)]
        if self.estimate == "cv":
            assert self.folds is not None
            dealt = deal_folds(data, self.folds, self.seed)
            splits = [(copies, np.flatnonzero(copies), copies[copies > 0]) for copies in dealt]
        else:
            splits = [((rows == row).astype(np.int64), rows[[row]], data.counts[[row]]) for row in rows]
        return [*splits, (0 * data.counts, unlabelled, data.unlabelled_counts)] if len(unlabelled) else splits

    def _donors(self) -> Any:
        generator = np.random.default_rng([self.seed, self.number])
        counts, more = self.dataset.counts, self.dataset.unlabelled_counts
        labelled = draw_donors(counts, counts, self.permutations, generator)
        return np.hstack([labelled, draw_donors(more, counts, self.permutations, generator)]) if len(more) else labelled

    def _judge(
        self, features: Sequence[int], training: Any, rows: Any, donors: Any, removal: str
    ) -> tuple[Floats, Floats]:
        """The probabilities of rows with all features, and without each."""
        blocks, model = self.blocks(features, training), self.fit(features, training)
        p = self.predict(model, np.hstack(blocks), rows, training)
        without = []
        for place in range(len(features)):
            others = [feature for number, feature in enumerate(features) if number != place]
            if removal == "retrain" or not others:
                cells = np.hstack([np.empty((len(blocks[0]), 0)), *self.blocks(others, training)])
                without.append(self.predict(self.fit(others, training), cells, rows, training))
                continue
            means = np.zeros_like(p)
            for donor in donors:
                # Every row's cells of this feature, those to be scored with their donors'.
                cells = np.hstack([*blocks[:place], blocks[place][donor], *blocks[place + 1 :]])
                means += self.predict(model, cells, rows, training) / len(donors)
            without.append(means)
        return p, np.array(without)

    def blocks(self, features: Sequence[int], training: Any) -> list[Floats]:
        every = self.dataset.features
        obvious = [np.hstack([self.block(own, training) for own in every[place].columns()]) for place in features]
        if not isinstance(self.estimator, ReferenceSvm) or not obvious:
            return obvious
        # On tables with few categories LIBSVM has many solutions to choose from, and the last digit decides which.
        matrix = MatrixEncoder(self.dataset, "standardised", "the SVM").build(np.array(features), training)
        np.testing.assert_allclose(matrix.cells, np.hstack(obvious), rtol=1e-12, atol=1e-12)
        return np.split(matrix.cells, np.searchsorted(matrix.owner, range(1, len(features))), axis=1)

    def fit(self, features: Sequence[int], training: Any) -> Any:
        """The fitted estimator; None where there is nothing to learn from."""
        rows = np.flatnonzero(training)
        cells = np.hstack(
            [np.empty((len(training), 0)), *(own[: len(training)] for own in self.blocks(features, training))]
        )
        cells, present = cells[rows], np.unique(self.dataset.labels[rows])
        if len({np.nan_to_num(row, nan=1e99).tobytes() for row in cells}) < 2 or len(present) < 2:
            return None
        labels = np.searchsorted(present, self.dataset.labels[rows])
        if isinstance(self.estimator, ReferenceSvm):
            return self.estimator.fit(cells, labels, training[rows])
        estimator = clone(self.estimator)
        columns = [own for feature in features for own in self.dataset.features[feature].columns()]
        coded = np.array([own.numbers is None for own in columns])
        if self.block is native and coded.any():
            estimator.set_params(categorical_features=coded)
        again = np.repeat(np.arange(len(rows)), training[rows])
        return estimator.fit(cells[again], labels[again])

    def predict(self, model: Any, cells: Floats, rows: Any, training: Any) -> Floats:
        """Rows × all classes."""
        shares = np.bincount(self.dataset.labels, weights=training, minlength=len(self.dataset.classes))
        if model is None:
            return np.tile(shares / shares.sum(), (len(rows), 1))
        every = np.zeros((len(rows), len(shares)))
        every[:, np.flatnonzero(shares)] = model.predict_proba(cells[rows])
        return every


def held_out_probabilities(
    training: Dataset, features: Sequence[int], held_out: Integers, make: Callable[[Dataset], tuple[Any, Block]]
) -> Floats:
    """The probabilities (rows × classes) that a model of some features of the training rows gives to the rows held out.
    ``make`` gives the estimator for a table, and how columns reach it.
    """
    chosen = sorted((training.features[place] for place in features), key=lambda feature: feature.name)
    alone = order_by_content(replace(training, features=tuple(chosen)), 0)
    members = np.flatnonzero(held_out)
    pairs = zip(alone.features, chosen, strict=True)
    judged = tuple(replace(own, unlabelled=every.labelled[members]) for own, every in pairs)
    joined = replace(alone, features=judged, unlabelled_counts=held_out[members])
    slow = SlowRound(joined, *make(joined), "cv")
    everything, rows = list(range(len(chosen))), len(joined.labels) + np.arange(len(members))
    cells = np.hstack([np.empty((len(joined.labels) + len(members), 0)), *slow.blocks(everything, joined.counts)])
    return slow.predict(slow.fit(everything, joined.counts), cells, rows, joined.counts)


# The SVM


@dataclass(frozen=True)
class ReferenceSvm:
    """An SVC for each class against the others (or for the second of two) with Platt's sigmoid, by scikit-learn."""

    options: SVM
    cost: float
    training_sigmoids: Sequence[bool] | None = None
    fitted: Any = None
    inverted: Sequence[bool] = ()
    cv_errors: int = 0
    """How many training rows are wrong by their probabilities without their own fold."""

    @classmethod
    def of(cls, dataset: Dataset, options: SVM) -> ReferenceSvm:
        """With C as asked for, or chosen by the table with all its features."""
        if options.C != "scale" or options.kernel == "rbf":
            return cls(options, 1.0 if options.C == "scale" else options.C)
        obvious = [np.empty((len(dataset.labels), 0))]
        obvious += [standardised(own, dataset.counts)[: len(dataset.labels)] for own in dataset.ungrouped().features]
        repeated = np.repeat(np.hstack(obvious), dataset.counts, axis=0)
        cost = choose_cost("scale", MatrixEncoder(dataset, "standardised", "the SVM"), dataset)
        assert cost == pytest.approx(1 / np.mean(np.sum(repeated**2, axis=1)) if repeated.any() else 1.0, rel=1e-12)
        return cls(options, cost)

    def fit(self, cells: Floats, labels: Integers, counts: Integers) -> ReferenceSvm:
        """The copies of a row in one fold are one row with a weight."""
        copies = np.repeat(np.arange(len(counts)), counts)
        folds = min(5, int(np.bincount(labels, weights=counts).min()))
        each = np.stack([copies, np.arange(len(copies)) % folds], axis=1)
        (rows, fold), weights = (part.T for part in np.unique(each, axis=0, return_counts=True))
        labels, sample, unfitted = labels[rows], cells[rows], self._svc(cells[copies])
        lines, held_out, inverted = [], [], []
        for number, target in enumerate([1] if labels.max() == 1 else range(labels.max() + 1)):
            positive = labels == target
            own, others = weights[positive].sum(), weights[~positive].sum()
            costs = weights * np.where(positive, min(own, others) / own, min(own, others) / others)
            decisions = np.empty(len(sample))
            for left_out in range(folds):
                train, test = np.flatnonzero(fold != left_out), np.flatnonzero(fold == left_out)
                svc = clone(unfitted).fit(sample[train], positive[train], sample_weight=costs[train])
                decisions[test] = svc.decision_function(sample[test])
            slope, offset = fit_sigmoid(decisions, positive, weights)
            svc = clone(unfitted).fit(sample, positive, sample_weight=costs)
            inverted.append(slope <= 0)
            if slope <= 0 if self.training_sigmoids is None else self.training_sigmoids[number]:
                slope, offset = fit_sigmoid(svc.decision_function(sample), positive, weights)
            if slope <= 0:
                slope, offset = 0.0, float(np.log(own / others))
            held_out.append(expit(slope * decisions + offset))
            lines.append((svc, slope, offset))
        p = combine(np.stack(held_out, axis=1))
        wrong = np.argmax(p >= p.max(axis=1, keepdims=True) - 1e-12, axis=1) != labels
        return replace(self, fitted=lines, inverted=inverted, cv_errors=int(weights[wrong].sum()))

    def predict_proba(self, cells: Floats) -> Floats:
        each = [expit(slope * svc.decision_function(cells) + offset) for svc, slope, offset in self.fitted]
        return combine(np.stack(each, axis=1))

    def _svc(self, rows: Floats) -> SVC:
        """The machine for these training rows, every copy of a row by itself."""
        if self.options.kernel == "linear":
            return SVC(kernel="linear", C=self.cost)
        rules = {"scale": 1 / (rows.shape[1] * rows.var()), "auto": 1 / rows.shape[1]}
        gamma = self.options.in_effect()["gamma"]
        return SVC(kernel="rbf", gamma=float(rules.get(gamma, gamma)), C=self.cost)


def combine(own: Floats) -> Floats:
    """The probabilities of all classes, from those that the SVMs give to their own: rows × classes."""
    result: Floats = np.hstack([1 - own, own]) if own.shape[1] == 1 else own / own.sum(axis=1, keepdims=True)
    return result


def fit_sigmoid(decisions: Floats, positive: npt.NDArray[np.bool_], weights: Integers) -> tuple[float, float]:
    """Slope and offset of Platt's sigmoid, by a general minimiser."""
    own, others = weights[positive].sum(), weights[~positive].sum()
    targets = np.where(positive, (own + 1) / (own + 2), 1 / (others + 2))
    unit = np.abs(decisions).max() or 1.0
    scaled = decisions / unit

    def loss(line: Floats) -> tuple[float, Floats]:
        values = line[0] * scaled + line[1]
        excess = weights * (expit(values) - targets)
        gradient = np.array([excess @ scaled, excess.sum()])
        return float(weights @ (np.logaddexp(0, values) - targets * values)), gradient

    found = minimize(loss, np.array([0.0, np.log((own + 1) / (others + 1))]), jac=True, method="BFGS", tol=1e-10)
    slope = float(found.x[0]) if abs(found.x[0]) > 1e-9 else 0.0
    return slope / float(unit), float(found.x[1])
