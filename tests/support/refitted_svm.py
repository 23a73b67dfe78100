"""The SVM backend once more, slow and obvious: refits, shuffled matrices, decision_function, no shortcut."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pytest
from scipy.special import expit
from sklearn.calibration import CalibratedClassifierCV
from sklearn.frozen import FrozenEstimator
from sklearn.metrics.pairwise import linear_kernel, rbf_kernel
from sklearn.svm import SVC

from probfs.classifiers.score_formulas import absolute_score, signed_score
from probfs.classifiers.settings import Settings
from probfs.classifiers.svm.design_matrix import Design
from probfs.classifiers.svm.donors import draw_donors
from probfs.classifiers.svm.kernel_functions import Kernel, suitable_cost
from probfs.columns.dataset import Dataset

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


@dataclass
class Sigmoided:
    """A scikit-learn machine for one class, fitted on the kernel matrix of ``sample``, and its sigmoid."""

    machine: SVC
    sample: Floats
    gamma: float | None
    slope: float
    offset: float
    inverted: bool

    def probability(self, cells: Floats) -> Floats:
        decisions = self.machine.decision_function(kernel_values(cells, self.sample, self.gamma))
        result: Floats = expit(self.slope * decisions + self.offset)
        return result


def kernel_values(left: Floats, right: Floats, gamma: float | None) -> Floats:
    values: Floats = linear_kernel(left, right) if gamma is None else rbf_kernel(left, right, gamma)
    return values


@dataclass
class Reference:
    """A model of some features, fitted on some rows of each class."""

    machines: list[Sigmoided]
    prior: Floats
    classes: int

    def probabilities(self, cells: Floats) -> Floats:
        """Rows × classes."""
        if not self.machines:
            return np.tile(self.prior, (len(cells), 1))
        own = np.stack([machine.probability(cells) for machine in self.machines], axis=1)
        if self.classes == 2:
            return np.hstack([1 - own, own])
        result: Floats = own / own.sum(axis=1, keepdims=True)
        return result


def matrix(dataset: Dataset, features: list[int], training: Integers) -> tuple[Floats, list[list[int]]]:
    """All rows as cells, and each feature's columns; statistics from the rows that are trained on."""
    columns: list[Floats] = []
    blocks: list[list[int]] = []
    for position in features:
        feature = dataset.features[position]
        codes = np.concatenate([feature.labelled, feature.unlabelled])
        trained = feature.labelled[training > 0]
        block = []
        if feature.numbers is not None:
            values = np.append(feature.numbers, np.nan)[codes]
            known = np.repeat(feature.labelled, training)
            known = known[known != feature.values]
            if len(set(known.tolist())) > 1:
                sample = feature.numbers[known]
                block.append(np.where(np.isnan(values), 0, (values - sample.mean()) / sample.std()))
        else:
            held = [np.count_nonzero(trained == value) for value in range(feature.values)]
            block += [(codes == value).astype(float) for value, rows in enumerate(held) if 0 < rows < len(trained)]
        blocks.append(list(range(len(columns), len(columns) + len(block))))
        columns += block
    rows = len(dataset.labels) + len(dataset.unlabelled_counts)
    return (np.stack(columns, axis=1) if columns else np.empty((rows, 0))), blocks


def fit(
    dataset: Dataset,
    cells: Floats,
    training: Integers,
    settings: Settings,
    cost: float,
    by_training: list[bool] | None = None,
    products: Floats | None = None,
) -> Reference:
    """Machines and sigmoids; the copies of a row in one fold are one row with a weight.

    On tables of few categories LIBSVM has many solutions to choose from, and a last digit decides which it takes.
    ``products`` are inner products of the rows trained on, to the same last digit as in the backend.
    """
    copies = np.repeat(np.arange(len(training)), training)
    folds = min(5, int(np.bincount(dataset.labels, weights=training).min()))
    pieces, weights = np.unique(np.stack([copies, np.arange(len(copies)) % folds], axis=1), axis=0, return_counts=True)
    rows, fold = pieces.T
    labels = dataset.labels[rows]
    classes = len(dataset.classes)
    by_class = np.bincount(labels, weights=weights, minlength=classes)
    prior = by_class / by_class.sum()
    if not cells.shape[1]:
        return Reference([], prior, classes)
    splits = [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(folds)]
    sample, everything = cells[rows], cells[copies]
    gamma: float | None = None
    if settings.kernel == "rbf":
        numbers = {"scale": 1 / (cells.shape[1] * everything.var()), "auto": 1 / cells.shape[1]}
        gamma = numbers[settings.gamma] if isinstance(settings.gamma, str) else settings.gamma
    gram = kernel_values(sample, sample, gamma)
    if products is not None:
        place = np.cumsum(training > 0) - 1
        own = products.diagonal()
        kernel = Kernel("linear") if gamma is None else Kernel("rbf", gamma)
        same = kernel.of(products, own, own)[np.ix_(place[rows], place[rows])]
        np.testing.assert_allclose(same, gram, rtol=1e-11, atol=1e-11)
        gram = same
    machines = []
    for number, target in enumerate([1] if classes == 2 else range(classes)):
        positive = labels == target
        machine = SVC(kernel="precomputed", C=cost)
        model = CalibratedClassifierCV(machine, method="sigmoid", ensemble=False, cv=splits)
        model.fit(gram, positive, sample_weight=weights)
        fitted = model.calibrated_classifiers_[0]
        slope, offset, inverted = -fitted.calibrators[0].a_, -fitted.calibrators[0].b_, fitted.calibrators[0].a_ >= 0
        if inverted if by_training is None else by_training[number]:
            slope, offset = sigmoid_of_training_rows(fitted.estimator, gram, positive, weights)
        elif inverted:
            slope, offset = 0.0, float(np.log(weights[positive].sum() / weights[~positive].sum()))
        machines.append(Sigmoided(fitted.estimator, sample, gamma, slope, offset, inverted))
    return Reference(machines, prior, classes)


def sigmoid_of_training_rows(
    machine: SVC, gram: Floats, positive: npt.NDArray[np.bool_], weights: Integers
) -> tuple[float, float]:
    """The sigmoid of decision values on the training rows; flat if it would fall."""
    everything = np.arange(len(gram))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        model = CalibratedClassifierCV(FrozenEstimator(machine), ensemble=False, cv=[(everything, everything)])
        model.fit(gram, positive, sample_weight=weights)
    sigmoid = model.calibrated_classifiers_[0].calibrators[0]
    if sigmoid.a_ >= 0:
        return 0.0, float(np.log(weights[positive].sum() / weights[~positive].sum()))
    return -sigmoid.a_, -sigmoid.b_


@dataclass
class Expected:
    """The scores of a round, feature by feature."""

    s_s: list[float]
    s_a: list[float]
    s_su: list[float]
    errors: int
    absolute_loss: float
    inverted: int


def cost_of_table(dataset: Dataset, settings: Settings) -> float:
    """What was asked for, or what suits the table with all its features."""
    if isinstance(settings.C, float):
        return settings.C
    everything = np.arange(len(dataset.features))
    obvious, _ = matrix(dataset, everything.tolist(), dataset.counts)
    if settings.kernel == "rbf" or not obvious.shape[1]:
        return 1.0
    repeated = np.repeat(obvious[: len(dataset.labels)], dataset.counts, axis=0)
    cells = Design(dataset).matrix(everything, dataset.counts).cells[: len(dataset.labels)]
    same_digits = suitable_cost("linear", "scale", cells, dataset.counts)
    assert same_digits == pytest.approx(1 / np.mean(np.sum(repeated**2, axis=1)), rel=1e-12)
    return same_digits


def scorings(dataset: Dataset, settings: Settings, dealt: Integers | None) -> list[tuple[Integers, Integers, Integers]]:
    """For each model: what it is trained on, which rows it scores, and how many of each."""
    rows = np.arange(len(dataset.labels))
    others = len(rows) + np.arange(len(dataset.unlabelled_counts))
    if settings.estimate == "resubstitution":
        everything = np.concatenate([rows, others])
        return [(dataset.counts, everything, np.concatenate([dataset.counts, dataset.unlabelled_counts]))]
    result = []
    if dealt is not None:
        for copies in dealt:
            scored = np.flatnonzero(copies)
            result.append((dataset.counts - copies, scored, copies[scored]))
    else:
        result += [(dataset.counts - (rows == row), rows[[row]], dataset.counts[[row]]) for row in rows]
    if len(others):
        result.append((dataset.counts, others, dataset.unlabelled_counts))
    return result


def expected_round(
    dataset: Dataset,
    settings: Settings,
    features: list[int],
    number: int,
    dealt: Integers | None = None,
    same_digits: bool = True,
) -> Expected:
    """What a round should say of these features."""
    generator = np.random.default_rng([settings.seed, number])
    shuffles = settings.permutations or 0
    donors = draw_donors(dataset.counts, dataset.counts, shuffles, generator)
    if len(dataset.unlabelled_counts):
        more = draw_donors(dataset.unlabelled_counts, dataset.counts, shuffles, generator)
        donors = np.hstack([donors, more])
    cost = cost_of_table(dataset, settings)
    models = scorings(dataset, settings, dealt)
    by_training, inverted = None, 0
    if settings.removal == "retrain" or len(models) > 1:
        everything = Design(dataset).matrix(np.array(features), dataset.counts).cells
        trained = everything[: len(dataset.labels)]
        full = fit(dataset, everything, dataset.counts, settings, cost, None, trained @ trained.T)
        by_training = [machine.inverted for machine in full.machines]
        inverted = sum(by_training)
    with_all: list[Floats] = []
    without: list[list[Floats]] = [[] for _ in features]
    labels: list[int] = []
    counts: list[int] = []
    for training, scored, copies in models:
        obvious, blocks = matrix(dataset, features, training)
        cells = Design(dataset).matrix(np.array(features), training).cells
        np.testing.assert_allclose(cells, obvious, rtol=1e-12, atol=1e-12)
        trained = cells[np.flatnonzero(training)]
        products = trained @ trained.T
        model = fit(dataset, cells, training, settings, cost, by_training, products)
        inverted += sum(machine.inverted for machine in model.machines)
        with_all.append(model.probabilities(cells[scored]))
        for position, block in enumerate(blocks):
            if settings.removal == "retrain":
                rest = np.delete(cells, block, axis=1)
                down_dated = products - trained[:, block] @ trained[:, block].T
                less = fit(dataset, rest, training, settings, cost, by_training, down_dated if same_digits else None)
                inverted += sum(machine.inverted for machine in less.machines)
                without[position].append(less.probabilities(rest[scored]))
            elif len(features) == 1:
                without[position].append(np.tile(model.prior, (len(scored), 1)))
            else:
                total = np.zeros((len(scored), len(dataset.classes)))
                for shuffle in donors:
                    shuffled = cells[scored].copy()
                    shuffled[:, block] = cells[shuffle[scored]][:, block]
                    total += model.probabilities(shuffled)
                without[position].append(total / shuffles)
        labels += [int(dataset.labels[row]) if row < len(dataset.labels) else -1 for row in scored.tolist()]
        counts += copies.tolist()
    p, own, weight = np.concatenate(with_all), np.array(labels), np.array(counts)
    q = [np.concatenate(parts) for parts in without]
    known = own >= 0
    right = p[known][np.arange(known.sum()), own[known]]
    guesses = np.argmax(p[known] >= p[known].max(axis=1, keepdims=True) - 1e-12, axis=1)
    return Expected(
        [absolute_score(p[known], each[known], weight[known]) for each in q],
        [signed_score(p[known], each[known], own[known], weight[known]) for each in q],
        [absolute_score(p, each, weight) for each in q] if not known.all() else [],
        int(weight[known][guesses != own[known]].sum()),
        float(np.average(1 - right, weights=weight[known])),
        inverted,
    )
