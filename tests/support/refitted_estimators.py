"""Scores of estimators once more, slow and obvious: a fit for each fold, a call of predict_proba for each shuffle."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import clone

from probfs.classifiers.options import EstimateName
from probfs.classifiers.refitting.rows import draw_donors
from probfs.columns.dataset import Dataset, Feature
from probfs.columns.folds import deal_folds
from tests.support.score_formulas import absolute_score, signed_score

Floats = npt.NDArray[np.float64]
Block = Callable[[Feature, npt.NDArray[np.int64]], Floats]
"""The columns of a feature in all rows, for so many training copies of each labelled row."""


def codes_of(feature: Feature) -> npt.NDArray[np.int64]:
    return np.concatenate([feature.labelled, feature.unlabelled]).astype(np.int64)


def onehot(feature: Feature, training: npt.NDArray[np.int64]) -> Floats:
    """Numbers with NaN, categories one-hot."""
    cells = []
    for code in codes_of(feature).tolist():
        if feature.numbers is None:
            cells.append([float(code == value) for value in range(feature.values)])
        else:
            cells.append([feature.numbers[code] if code < len(feature.numbers) else np.nan])
    return np.array(cells, dtype=np.float64).reshape(len(cells), feature.values if feature.numbers is None else 1)


def filled(feature: Feature, training: npt.NDArray[np.int64]) -> Floats:
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


def native(feature: Feature, training: npt.NDArray[np.int64]) -> Floats:
    """Categories as their codes, NaN where a cell says nothing."""
    if feature.numbers is not None:
        return onehot(feature, training)
    codes = codes_of(feature).astype(np.float64)
    codes[codes == feature.values] = np.nan
    return codes[:, None]


def codes(feature: Feature, training: npt.NDArray[np.int64]) -> Floats:
    return codes_of(feature)[:, None].astype(np.int64)


def standardised(feature: Feature, training: npt.NDArray[np.int64]) -> Floats:
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


@dataclass(frozen=True)
class Expected:
    """The scores of one round, and what the model with all features does."""

    s_s: list[float]
    s_a: list[float]
    s_su: list[float]
    errors: int
    absolute_loss: float


@dataclass(frozen=True)
class SlowRound:
    """One round of a ranking, the first by default, with features of any positions."""

    dataset: Dataset
    estimator: Any
    block: Block
    estimate: EstimateName
    folds: int = 3
    permutations: int = 3
    seed: int = 0
    number: int = 1

    def score(self, features: Sequence[int], removal: str) -> Expected:
        """Scores of all features, by the probabilities of every scored row with and without each of them."""
        data, labelled = self.dataset, len(self.dataset.labels)
        everything = np.concatenate([data.counts, data.unlabelled_counts])
        donors = self._donors()
        full, others, weights, labels = [], [], [], []
        for copies, rows, counts in self._splits():
            training = data.counts - copies
            p, permuted, retrained = self._judge(features, training, rows, donors, removal)
            full.append(p)
            others.append(permuted if removal == "permute" else retrained)
            weights.append(counts)
            labels.append(np.append(data.labels, np.full(len(everything) - labelled, -1))[rows])
        p, q = np.concatenate(full), np.concatenate(others, axis=1)
        counts, own = np.concatenate(weights), np.concatenate(labels)
        known = own >= 0
        right = p[known][np.arange(known.sum()), own[known]]
        return Expected(
            [absolute_score(p[known], one[known], counts[known]) for one in q],
            [signed_score(p[known], one[known], own[known], counts[known]) for one in q],
            [absolute_score(p, one, counts) for one in q],
            int(counts[known][p[known].argmax(axis=1) != own[known]].sum()),
            float(np.average(1 - right, weights=counts[known])),
        )

    def _splits(self) -> list[tuple[Any, Any, Any]]:
        """The copies that are held out of each model, and the rows that it scores with their counts."""
        data, labelled = self.dataset, len(self.dataset.labels)
        nothing = np.zeros(labelled, dtype=np.int64)
        unlabelled = labelled + np.arange(len(data.unlabelled_counts))
        if self.estimate == "resubstitution":
            rows = np.concatenate([np.arange(labelled), unlabelled])
            return [(nothing, rows, np.concatenate([data.counts, data.unlabelled_counts]))]
        if self.estimate == "cv":
            folds = [
                (copies, np.flatnonzero(copies), copies[copies > 0])
                for copies in deal_folds(data, self.folds, self.seed)
            ]
        else:
            folds = []
            for row in range(labelled):
                one = nothing.copy()
                one[row] = 1
                folds.append((one, np.array([row]), data.counts[[row]]))
        return [*folds, (nothing, unlabelled, data.unlabelled_counts)] if len(unlabelled) else folds

    def _donors(self) -> npt.NDArray[np.int32]:
        generator = np.random.default_rng([self.seed, self.number])
        counts, more = self.dataset.counts, self.dataset.unlabelled_counts
        labelled = draw_donors(counts, counts, self.permutations, generator)
        if not len(more):
            return labelled
        return np.hstack([labelled, draw_donors(more, counts, self.permutations, generator)])

    def _judge(
        self, features: Sequence[int], training: Any, rows: Any, donors: Any, removal: str
    ) -> tuple[Floats, Floats, Floats]:
        blocks = self.blocks(features, training)
        model = self.fit(features, training)
        p = self.predict(model, np.hstack(blocks), rows, training)
        permuted, retrained = [], []
        for place in range(len(features)):
            rest = [block for number, block in enumerate(blocks) if number != place]
            others = [feature for number, feature in enumerate(features) if number != place]
            if removal == "retrain" or not rest:
                cells = np.hstack([np.empty((len(blocks[0]), 0)), *rest])
                retrained.append(self.predict(self.fit(others, training), cells, rows, training))
                permuted.append(retrained[-1])
                continue
            means = np.zeros_like(p)
            for donor in donors:
                # Every row's cells of this feature, those to be scored with their donors'.
                cells = np.hstack([*blocks[:place], blocks[place][donor], *blocks[place + 1 :]])
                means += self.predict(model, cells, rows, training) / len(donors)
            permuted.append(means)
        return p, np.array(permuted), np.array(retrained)

    def blocks(self, features: Sequence[int], training: Any) -> list[Floats]:
        return [self.block(self.dataset.features[feature], training) for feature in features]

    def fit(self, features: Sequence[int], training: Any) -> Any:
        blocks, rows = self.blocks(features, training), np.flatnonzero(training)
        present = np.unique(self.dataset.labels[rows])
        if not sum(block.shape[1] for block in blocks) or len(present) < 2:
            return None
        if len({np.nan_to_num(row, nan=1e99).tobytes() for row in np.hstack(blocks)[rows]}) < 2:
            return None
        labels = np.searchsorted(present, self.dataset.labels[rows])
        cells = np.hstack(blocks)[rows]
        estimator = clone(self.estimator)
        coded = np.array([self.dataset.features[feature].numbers is None for feature in features])
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
