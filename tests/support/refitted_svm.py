"""The SVM's models once more, slow and obvious: matrices by hand, scikit-learn's decision_function, no shortcut."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize
from scipy.special import expit
from sklearn.metrics.pairwise import linear_kernel, rbf_kernel
from sklearn.svm import SVC

from probfs.classifiers.options import DEFAULT_GAMMA, Cost, EstimateName, Gamma, KernelName, Removal
from probfs.classifiers.svm.rbf import squared_distances
from probfs.columns.dataset import Dataset

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Booleans = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class SvmParameters:
    """How to rank, by the names of the SVM's own parameters."""

    kernel: KernelName = "linear"
    C: Cost = "scale"
    gamma: Gamma | None = DEFAULT_GAMMA
    removal: Removal = "permute"
    permutations: int | None = 20
    estimate: EstimateName = "resubstitution"
    folds: int | None = None
    seed: int = 0


@dataclass
class SigmoidSvm:
    """A scikit-learn SVC for one class, fitted on the kernel matrix of ``sample``, and its sigmoid."""

    svc: SVC
    sample: Floats
    gamma: float | None
    slope: float
    offset: float
    inverted: bool
    held_out: Floats
    """The probability of each training row by the sigmoid and a decision value without the row's own fold."""

    def probability(self, cells: Floats) -> Floats:
        decisions = self.svc.decision_function(kernel_values(cells, self.sample, self.gamma))
        result: Floats = expit(self.slope * decisions + self.offset)
        return result


def kernel_values(left: Floats, right: Floats, gamma: float | None) -> Floats:
    values: Floats = linear_kernel(left, right) if gamma is None else rbf_kernel(left, right, gamma)
    return values


@dataclass
class ReferenceModel:
    """A model of some features, fitted on some rows of each class."""

    svms: list[SigmoidSvm]
    prior: Floats
    classes: int
    cv_errors: int
    """How many training rows are wrong by their probabilities without their own fold."""

    def probabilities(self, cells: Floats) -> Floats:
        """Rows × classes."""
        if not self.svms:
            return np.tile(self.prior, (len(cells), 1))
        return combine(np.stack([svm.probability(cells) for svm in self.svms], axis=1))


def combine(own: Floats) -> Floats:
    """The probabilities of all classes, from those that the SVMs give to their own: rows × classes."""
    if own.shape[1] == 1:
        return np.hstack([1 - own, own])
    result: Floats = own / own.sum(axis=1, keepdims=True)
    return result


def build_matrix(dataset: Dataset, features: list[int], training: Integers) -> tuple[Floats, list[list[int]]]:
    """All rows as cells, and each feature's columns; means and deviations are those of the training rows."""
    columns: list[Floats] = []
    blocks: list[list[int]] = []
    for position in features:
        feature = dataset.features[position]
        codes = np.concatenate([feature.labelled, feature.unlabelled])
        trained = feature.labelled[training > 0]
        block = []
        if feature.numbers is not None:
            values = np.append(feature.numbers, [np.nan, np.nan])[codes]
            known = np.repeat(feature.labelled, training)
            known = known[known < len(feature.numbers)]
            if len(set(known.tolist())) > 1:
                sample = feature.numbers[known]
                block.append(np.where(np.isnan(values), 0, (values - sample.mean()) / sample.std()))
            missing = len(feature.numbers)
            if feature.missing_is_value and 0 < np.count_nonzero(trained == missing) < len(trained):
                block.append((codes == missing).astype(float))
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
    parameters: SvmParameters,
    cost: float,
    training_sigmoids: list[bool] | None = None,
) -> ReferenceModel:
    """Fit SVMs and sigmoids; the copies of a row in one fold are one row with a weight."""
    copies = np.repeat(np.arange(len(training)), training)
    folds = min(5, int(np.bincount(dataset.labels, weights=training).min()))
    pieces, weights = np.unique(np.stack([copies, np.arange(len(copies)) % folds], axis=1), axis=0, return_counts=True)
    rows, fold = pieces.T
    labels = dataset.labels[rows]
    classes = len(dataset.classes)
    by_class = np.bincount(labels, weights=weights, minlength=classes)
    prior = by_class / by_class.sum()
    if not cells.shape[1]:
        return ReferenceModel([], prior, classes, int(by_class.sum() - by_class.max()))
    sample = cells[rows]
    gamma = gamma_of_rows(parameters, cells[copies])
    gram = same_digits_kernel(sample, gamma)
    svms = []
    for number, target in enumerate([1] if classes == 2 else range(classes)):
        positive = labels == target
        own, others = weights[positive].sum(), weights[~positive].sum()
        costs = weights * np.where(positive, min(own, others) / own, min(own, others) / others)
        held_out = decide_without_own_fold(gram, positive, costs, fold, cost)
        slope, offset = fit_sigmoid(held_out, positive, weights)
        svc = SVC(kernel="precomputed", C=cost).fit(gram, positive, sample_weight=costs)
        inverted = slope <= 0
        if inverted if training_sigmoids is None else training_sigmoids[number]:
            slope, offset = fit_sigmoid(svc.decision_function(gram), positive, weights)
        if slope <= 0:
            slope, offset = 0.0, float(np.log(weights[positive].sum() / weights[~positive].sum()))
        svms.append(SigmoidSvm(svc, sample, gamma, slope, offset, inverted, expit(slope * held_out + offset)))
    held_out_rows = combine(np.stack([svm.held_out for svm in svms], axis=1))
    predicted = np.argmax(held_out_rows >= held_out_rows.max(axis=1, keepdims=True) - 1e-12, axis=1)
    return ReferenceModel(svms, prior, classes, int(weights[predicted != labels].sum()))


def decide_without_own_fold(gram: Floats, positive: Booleans, costs: Floats, fold: Integers, cost: float) -> Floats:
    """The decision value of every row by an SVC that is fitted on the other folds."""
    decisions = np.empty(len(gram))
    for held_out in range(fold.max() + 1):
        train, test = np.flatnonzero(fold != held_out), np.flatnonzero(fold == held_out)
        svc = SVC(kernel="precomputed", C=cost)
        svc.fit(gram[np.ix_(train, train)], positive[train], sample_weight=costs[train])
        decisions[test] = svc.decision_function(gram[np.ix_(test, train)])
    return decisions


def gamma_of_rows(parameters: SvmParameters, rows: Floats) -> float | None:
    """γ for the training rows, every copy of a row by itself; None for the linear kernel."""
    if parameters.kernel == "linear":
        return None
    if parameters.gamma == "scale":
        return float(1 / (rows.shape[1] * rows.var()))
    if parameters.gamma == "auto":
        return float(1 / rows.shape[1])
    assert isinstance(parameters.gamma, float)
    return parameters.gamma


def same_digits_kernel(sample: Floats, gamma: float | None) -> Floats:
    """The kernel matrix to the digits that the classifier has: on tables with few categories LIBSVM has many solutions
    to choose from, and the last digit of a kernel value decides which it finds.
    """
    same = sample @ sample.T if gamma is None else np.exp(-gamma * squared_distances(sample, sample))
    np.testing.assert_allclose(same, kernel_values(sample, sample, gamma), rtol=1e-11, atol=1e-11)
    return same


def fit_sigmoid(decisions: Floats, positive: Booleans, weights: Integers) -> tuple[float, float]:
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
