"""The SVM's models once more, slow and obvious: matrices by hand, scikit-learn's decision_function, no shortcut."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import expit
from sklearn.calibration import CalibratedClassifierCV
from sklearn.frozen import FrozenEstimator
from sklearn.metrics.pairwise import linear_kernel, rbf_kernel
from sklearn.svm import SVC

from probfs.classifiers.estimates import EstimateName
from probfs.classifiers.svm.kernel_functions import KernelFunction
from probfs.classifiers.svm.options import (
    DEFAULT_COST,
    DEFAULT_ESTIMATE,
    DEFAULT_GAMMA,
    DEFAULT_KERNEL,
    DEFAULT_PERMUTATIONS,
    DEFAULT_REMOVAL,
    Cost,
    Gamma,
    KernelName,
    Removal,
)
from probfs.columns.dataset import Dataset

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


@dataclass(frozen=True)
class SvmParameters:
    """How to rank, by the names of the SVM's own parameters."""

    kernel: KernelName = DEFAULT_KERNEL
    C: Cost = DEFAULT_COST
    gamma: Gamma | None = DEFAULT_GAMMA
    removal: Removal = DEFAULT_REMOVAL
    permutations: int | None = DEFAULT_PERMUTATIONS
    estimate: EstimateName = DEFAULT_ESTIMATE
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

    def probabilities(self, cells: Floats) -> Floats:
        """Rows × classes."""
        if not self.svms:
            return np.tile(self.prior, (len(cells), 1))
        own = np.stack([svm.probability(cells) for svm in self.svms], axis=1)
        if self.classes == 2:
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
    products: Floats | None = None,
) -> ReferenceModel:
    """Fit SVMs and sigmoids; the copies of a row in one fold are one row with a weight.

    On tables with few categories LIBSVM has many solutions to choose from, and the last digit of a kernel value decides
    which it finds. ``products`` are the inner products of the training rows to the digits that the classifier has.
    """
    copies = np.repeat(np.arange(len(training)), training)
    rows, fold, weights = deal_sigmoid_folds(dataset, training)
    labels = dataset.labels[rows]
    classes = len(dataset.classes)
    by_class = np.bincount(labels, weights=weights, minlength=classes)
    prior = by_class / by_class.sum()
    if not cells.shape[1]:
        return ReferenceModel([], prior, classes)
    splits = [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(fold.max() + 1)]
    sample = cells[rows]
    gamma = gamma_of_rows(parameters, cells[copies])
    gram = kernel_values(sample, sample, gamma)
    if products is not None:
        place = np.cumsum(training > 0) - 1
        gram = same_digits_kernel(gram, products, place[rows], gamma)
    svms = []
    for number, target in enumerate([1] if classes == 2 else range(classes)):
        positive = labels == target
        model = CalibratedClassifierCV(SVC(kernel="precomputed", C=cost), method="sigmoid", ensemble=False, cv=splits)
        model.fit(gram, positive, sample_weight=weights)
        fitted = model.calibrated_classifiers_[0]
        slope, offset, inverted = -fitted.calibrators[0].a_, -fitted.calibrators[0].b_, fitted.calibrators[0].a_ >= 0
        if inverted if training_sigmoids is None else training_sigmoids[number]:
            slope, offset = fit_training_sigmoid(fitted.estimator, gram, positive, weights)
        elif inverted:
            slope, offset = 0.0, float(np.log(weights[positive].sum() / weights[~positive].sum()))
        svms.append(SigmoidSvm(fitted.estimator, sample, gamma, slope, offset, inverted))
    return ReferenceModel(svms, prior, classes)


def deal_sigmoid_folds(dataset: Dataset, training: Integers) -> tuple[Integers, Integers, Integers]:
    """Training rows, the fold of the sigmoid, and how many copies of the row are in it."""
    copies = np.repeat(np.arange(len(training)), training)
    folds = min(5, int(np.bincount(dataset.labels, weights=training).min()))
    pieces, weights = np.unique(np.stack([copies, np.arange(len(copies)) % folds], axis=1), axis=0, return_counts=True)
    return pieces[:, 0], pieces[:, 1], weights


def count_held_out_errors(
    dataset: Dataset, cells: Floats, model: ReferenceModel, parameters: SvmParameters, cost: float, products: Floats
) -> int:
    """How many rows are wrong when every fold of the sigmoid is predicted by SVCs fitted on the other folds, and by the
    sigmoids of the model that has all rows.
    """
    counts = dataset.counts
    rows, fold, weights = deal_sigmoid_folds(dataset, counts)
    labels = dataset.labels[rows]
    if not model.svms:
        return int(weights[labels != np.argmax(model.prior)].sum())
    gamma = gamma_of_rows(parameters, np.repeat(cells[: len(counts)], counts, axis=0))
    gram = same_digits_kernel(kernel_values(cells[rows], cells[rows], gamma), products, rows, gamma)
    own = np.empty((len(rows), len(model.svms)))
    for held_out in range(fold.max() + 1):
        train, test = np.flatnonzero(fold != held_out), np.flatnonzero(fold == held_out)
        for number, target in enumerate([1] if model.classes == 2 else range(model.classes)):
            svc = SVC(kernel="precomputed", C=cost)
            svc.fit(gram[np.ix_(train, train)], labels[train] == target, sample_weight=weights[train])
            decisions = svc.decision_function(gram[np.ix_(test, train)])
            own[test, number] = expit(model.svms[number].slope * decisions + model.svms[number].offset)
    of_all = np.hstack([1 - own, own]) if model.classes == 2 else own / own.sum(axis=1, keepdims=True)
    predicted = np.argmax(of_all >= of_all.max(axis=1, keepdims=True) - 1e-12, axis=1)
    return int(weights[predicted != labels].sum())


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


def same_digits_kernel(gram: Floats, products: Floats, rows: Integers, gamma: float | None) -> Floats:
    """The kernel matrix made of inner products as the classifier makes it, which must be about the same."""
    norms = products.diagonal()
    kernel = KernelFunction("linear") if gamma is None else KernelFunction("rbf", gamma)
    same = kernel.from_inner_products(products, norms, norms)[np.ix_(rows, rows)]
    np.testing.assert_allclose(same, gram, rtol=1e-11, atol=1e-11)
    return same


def fit_training_sigmoid(
    svc: SVC, gram: Floats, positive: npt.NDArray[np.bool_], weights: Integers
) -> tuple[float, float]:
    """The sigmoid on the decision values of the training rows; flat if it would decrease."""
    everything = np.arange(len(gram))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        model = CalibratedClassifierCV(FrozenEstimator(svc), ensemble=False, cv=[(everything, everything)])
        model.fit(gram, positive, sample_weight=weights)
    sigmoid = model.calibrated_classifiers_[0].calibrators[0]
    if sigmoid.a_ >= 0:
        return 0.0, float(np.log(weights[positive].sum() / weights[~positive].sum()))
    return -sigmoid.a_, -sigmoid.b_
