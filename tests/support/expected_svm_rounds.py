"""The scores of the SVM's rounds once more, slow and obvious: a refit a model, and a matrix a permutation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from probfs.classifiers.refitting.design_matrix import DesignMatrixBuilder
from probfs.classifiers.refitting.rows import draw_donors
from probfs.classifiers.svm.model import choose_cost
from probfs.columns.dataset import Dataset
from tests.support.refitted_svm import Floats, Integers, ReferenceModel, SvmParameters, build_matrix, fit
from tests.support.score_formulas import absolute_score, signed_score


def cost_of_table(dataset: Dataset, parameters: SvmParameters) -> float:
    """C as asked for, or chosen by the table with all its features."""
    if isinstance(parameters.C, float):
        return parameters.C
    everything = np.arange(len(dataset.features))
    obvious, _ = build_matrix(dataset, everything.tolist(), dataset.counts)
    if parameters.kernel == "rbf" or not obvious.shape[1]:
        return 1.0
    repeated = np.repeat(obvious[: len(dataset.labels)], dataset.counts, axis=0)
    cells = DesignMatrixBuilder(dataset, "the SVM").build(everything, dataset.counts).cells[: len(dataset.labels)]
    same_digits = choose_cost("linear", "scale", cells, dataset.counts)
    assert same_digits == pytest.approx(1 / np.mean(np.sum(repeated**2, axis=1)), rel=1e-12)
    return same_digits


def split_rows(
    dataset: Dataset, parameters: SvmParameters, dealt: Integers | None
) -> list[tuple[Integers, Integers, Integers]]:
    """For each model: how many copies of each row it is trained on, which rows it scores, and how many of each."""
    rows = np.arange(len(dataset.labels))
    unlabelled = len(rows) + np.arange(len(dataset.unlabelled_counts))
    if parameters.estimate == "resubstitution":
        everything = np.concatenate([rows, unlabelled])
        return [(dataset.counts, everything, np.concatenate([dataset.counts, dataset.unlabelled_counts]))]
    result = []
    if dealt is not None:
        for copies in dealt:
            scored = np.flatnonzero(copies)
            result.append((dataset.counts - copies, scored, copies[scored]))
    else:
        result += [(dataset.counts - (rows == row), rows[[row]], dataset.counts[[row]]) for row in rows]
    if len(unlabelled):
        result.append((dataset.counts, unlabelled, dataset.unlabelled_counts))
    return result


def permuted_probabilities(
    model: ReferenceModel, cells: Floats, scored: Integers, block: list[int], donors: Integers
) -> Floats:
    """The mean probabilities of some rows over matrices in which a feature's columns come from the donors."""
    total = np.zeros((len(scored), model.classes))
    for donor in donors:
        permuted = cells[scored].copy()
        permuted[:, block] = cells[donor[scored]][:, block]
        total += model.probabilities(permuted)
    return total / len(donors)


@dataclass
class ReferenceRound:
    """The models of a round."""

    dataset: Dataset
    parameters: SvmParameters
    features: list[int]
    cost: float
    donors: Integers
    training_sigmoids: list[bool] | None = None

    def choose_sigmoids(self) -> None:
        """Fit the sigmoids of all models as the model with all rows and features does."""
        counts = self.dataset.counts
        everything = DesignMatrixBuilder(self.dataset, "the SVM").build(np.array(self.features), counts).cells
        full = fit(self.dataset, everything, counts, self.parameters, self.cost)
        self.training_sigmoids = [svm.inverted for svm in full.svms]

    def cv_errors(self) -> int:
        """The errors on held-out rows of the model with all rows and features."""
        counts = self.dataset.counts
        cells = DesignMatrixBuilder(self.dataset, "the SVM").build(np.array(self.features), counts).cells
        return fit(self.dataset, cells, counts, self.parameters, self.cost).cv_errors

    def with_and_without(self, training: Integers, scored: Integers) -> tuple[Floats, list[Floats]]:
        """The probabilities of some rows with all features, and without each of them."""
        obvious, blocks = build_matrix(self.dataset, self.features, training)
        builder = DesignMatrixBuilder(self.dataset, "the SVM")
        cells = builder.build(np.array(self.features), training).cells
        np.testing.assert_allclose(cells, obvious, rtol=1e-12, atol=1e-12)
        model = self._fit(cells, training)
        without = []
        for place, block in enumerate(blocks):
            if self.parameters.removal == "retrain":
                rest = builder.build(np.delete(np.array(self.features), place), training).cells
                np.testing.assert_allclose(rest, np.delete(cells, block, axis=1), rtol=1e-12, atol=1e-12)
                without.append(self._fit(rest, training).probabilities(rest[scored]))
            elif len(self.features) == 1:
                without.append(np.tile(model.prior, (len(scored), 1)))
            else:
                without.append(permuted_probabilities(model, cells, scored, block, self.donors))
        return model.probabilities(cells[scored]), without

    def _fit(self, cells: Floats, training: Integers) -> ReferenceModel:
        return fit(self.dataset, cells, training, self.parameters, self.cost, self.training_sigmoids)


@dataclass
class Expected:
    """The scores of a round, feature by feature."""

    s_s: list[float]
    s_a: list[float]
    s_su: list[float]
    errors: int
    absolute_loss: float
    cv_errors: int


def expected_round(
    dataset: Dataset,
    parameters: SvmParameters,
    features: list[int],
    number: int,
    dealt: Integers | None = None,
) -> Expected:
    """The scores that a round should give to these features."""
    donors = draw_all_donors(dataset, parameters, number)
    cost = cost_of_table(dataset, parameters)
    reference = ReferenceRound(dataset, parameters, features, cost, donors)
    models = split_rows(dataset, parameters, dealt)
    if parameters.removal == "retrain" or len(models) > 1:
        reference.choose_sigmoids()
    results = [reference.with_and_without(training, scored) for training, scored, _ in models]
    p = np.concatenate([full for full, _ in results])
    q = [np.concatenate(parts) for parts in zip(*(without for _, without in results), strict=True)]
    rows = np.concatenate([scored for _, scored, _ in models])
    weight = np.concatenate([copies for _, _, copies in models])
    own = np.append(dataset.labels, np.full(len(dataset.unlabelled_counts), -1))[rows]
    known = own >= 0
    right = p[known][np.arange(known.sum()), own[known]]
    predicted = np.argmax(p[known] >= p[known].max(axis=1, keepdims=True) - 1e-12, axis=1)
    return Expected(
        [absolute_score(p[known], each[known], weight[known]) for each in q],
        [signed_score(p[known], each[known], own[known], weight[known]) for each in q],
        [absolute_score(p, each, weight) for each in q] if not known.all() else [],
        int(weight[known][predicted != own[known]].sum()),
        float(np.average(1 - right, weights=weight[known])),
        reference.cv_errors(),
    )


def draw_all_donors(dataset: Dataset, parameters: SvmParameters, number: int) -> Integers:
    """The donors that the classifier draws in a round, for labelled and then for unlabelled rows."""
    generator = np.random.default_rng([parameters.seed, number])
    permutations = parameters.permutations or 0
    donors = draw_donors(dataset.counts, dataset.counts, permutations, generator).astype(np.int64)
    if len(dataset.unlabelled_counts):
        more = draw_donors(dataset.unlabelled_counts, dataset.counts, permutations, generator)
        donors = np.hstack([donors, more])
    return donors
