"""Sums over nodes against sums over all support vectors, within the bound that the module derives."""

from __future__ import annotations

import numpy as np
import pytest

from probfs.classifiers.refitting.design_matrix import DesignMatrix
from probfs.classifiers.svm.rbf_nodes import (
    CHEBYSHEV_STEEPNESS,
    DISTINCT_STEEPNESS,
    MOST_NODES,
    NodeSums,
    choose_nodes,
)
from probfs.tables.table import Floats

LABELLED, UNLABELLED = 150, 40
TRUNCATION = 5e-11


def matrix_of(steepness: float, gamma: float, unlabelled_range: float = 1.0) -> DesignMatrix:
    """A continuous feature with this γ·range² over the labelled rows, a few-valued one, and a category."""
    generator = np.random.default_rng(0)
    extent = np.sqrt(steepness / gamma)
    continuous = generator.uniform(0, extent, LABELLED + UNLABELLED)
    continuous[:2] = 0, extent
    continuous[LABELLED:] = generator.uniform(-0.5, 1.5, UNLABELLED) * extent * unlabelled_range
    few = generator.integers(0, 3, LABELLED + UNLABELLED) * 0.5
    category = np.eye(3)[generator.integers(0, 3, LABELLED + UNLABELLED)]
    return DesignMatrix(np.column_stack([continuous, few, category]), np.array([1, 1, 3]))


def kernel(left: Floats, right: Floats, gamma: float) -> Floats:
    values: Floats = np.exp(-gamma * ((left[:, None] - right) ** 2).sum(axis=2))
    return values


@pytest.mark.parametrize("unlabelled_range", [0.5, 1.0, 4.0])
@pytest.mark.parametrize("steepness", [1e-4, 0.5, 3.0, 6.0])
def test_sums_over_nodes_are_those_over_support_vectors(steepness: float, unlabelled_range: float) -> None:
    gamma = 0.7
    matrix = matrix_of(steepness, gamma, unlabelled_range)
    generator = np.random.default_rng(1)
    support = np.sort(generator.choice(LABELLED, 100, replace=False))
    coefficients = generator.normal(size=100)
    node_sets, without_nodes = choose_nodes(matrix, support, gamma, LABELLED)
    assert without_nodes == []
    assert sorted(feature for node_set in node_sets for feature in node_set.features.tolist()) == [0, 1, 2]
    for node_set in node_sets:
        node_sums = NodeSums(node_set, matrix, LABELLED, coefficients, gamma)
        in_reach = node_sums.find_rows_in_reach(matrix.cells)
        assert in_reach[:LABELLED].all()
        rows = np.flatnonzero(in_reach)
        donors = generator.integers(0, LABELLED, (4, len(rows))).astype(np.int32)
        kernel_values = kernel(matrix.cells[rows], matrix.cells[support], gamma)
        sums = node_sums.compute(rows, kernel_values, donors)
        for place, feature in enumerate(node_set.features.tolist()):
            for donor, found in zip(donors, sums[:, :, place], strict=True):
                permuted = matrix.cells[rows].copy()
                permuted[:, matrix.columns(feature)] = matrix.cells[donor, matrix.columns(feature)]
                expected = kernel(permuted, matrix.cells[support], gamma) @ coefficients
                assert np.abs(found - expected).max() <= TRUNCATION * np.abs(coefficients).sum()


def test_a_feature_beyond_the_limits_has_no_nodes() -> None:
    gamma = 2.0
    support = np.arange(LABELLED)
    gentle, steep = (choose_nodes(matrix_of(s, gamma), support, gamma, LABELLED) for s in (6.0, 6.1))
    distinct = [DISTINCT_STEEPNESS, DISTINCT_STEEPNESS]
    assert [node_set.steepness for node_set in gentle[0]] == [CHEBYSHEV_STEEPNESS, *distinct]
    assert gentle[1] == []
    # Too steep for Chebyshev nodes, and with more values than nodes are worth.
    assert LABELLED > MOST_NODES
    assert [node_set.steepness for node_set in steep[0]] == distinct
    assert steep[1] == [0]
    # Categories are at a squared distance of 2, so a large gamma is too steep for them.
    assert choose_nodes(matrix_of(6.0, 16.0), support, 16.0, LABELLED)[1] == [2]


def test_far_unlabelled_rows_are_out_of_reach() -> None:
    gamma = 0.7
    matrix = matrix_of(6.0, gamma, unlabelled_range=4.0)
    node_sets, _ = choose_nodes(matrix, np.arange(LABELLED), gamma, LABELLED)
    in_reach = NodeSums(node_sets[0], matrix, LABELLED, np.ones(LABELLED), gamma).find_rows_in_reach(matrix.cells)
    assert in_reach[:LABELLED].all()
    assert not in_reach[LABELLED:].all()
    assert in_reach[LABELLED:].any()
