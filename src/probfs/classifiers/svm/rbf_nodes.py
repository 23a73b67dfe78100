r"""RBF decision values with a permuted feature, as sums over a few nodes instead of all support vectors.

Definitions. Take one feature. Let x be a row's own value in it, t its donor's and s a support vector's, and let
k(x, s) = exp(-γ(x - s)²) be the feature's factor of the kernel value K between row and support vector. Giving the row
its donor's value changes the sum of the decision value, Σ_s a_s K_s, to

    Σ_s a_s K_s g(s),    g(s) = k(t, s) / k(x, s) = exp(γ(x² - t²) + 2γ(t - x)s).          (1)

Now choose nodes z_m and weights ℓ_m(s) such that g(s) = Σ_m ℓ_m(s) g(z_m) for every support vector. Then (1) is

    Σ_m [Σ_s a_s K_s ℓ_m(s)] · k(t, z_m) / k(x, z_m).                                     (2)

The bracket does not depend on the donor: it is computed once for a row, as a matrix product for all features at once,
and every permutation after that costs a multiplication per node instead of one per support vector.

Distinct values. If the support vectors have few distinct values, as categories do, these are the nodes, ℓ_m(s) is 1
where s = z_m and 0 elsewhere, and (2) is exact. Dividing by k(x, z_m) ≥ exp(-30) is safe: a kernel value so small that
it underflowed (below 1e-308) is still negligible afterwards.

Chebyshev nodes. By (1) g is an exponential, which a polynomial matches closely. Let [p, q] be the range of s, c its
middle, h = (q - p)/2, and u = (s - c)/h, so that g(s) = g(c)·exp(λu) with λ = 2γ(t - x)h. Let the z_m be the Chebyshev
nodes on [p, q] and ℓ_m their Lagrange polynomials. ``chebyshev`` chooses their number for all |λ| ≤ Λ, where
Λ = min(6, γr²), r being the range of the feature over all rows, and proves that exp(λu) is then off by at most 6.6e-12.

  1. |λ| ≤ Λ. Let r₀ ≤ r be the range over the labelled rows: these nodes are used only if γr₀² ≤ 6. Support vectors
     and donors are labelled, so h ≤ r₀/2 and |t - c| ≤ r₀ - h. For labelled rows |t - x| ≤ r₀, so |λ| ≤ γr₀² ≤ Λ. For
     unlabelled rows |t - x| ≤ r, so |λ| ≤ γr·r₀ ≤ Λ if γr² ≤ 6. If not, Λ = 6, and only those unlabelled rows are
     summed over nodes that have γ(x - z_m)² ≤ 6 for all m. With R = √(6/γ) ≥ r₀ this says |x - c| ≤ R - h (up to the
     0.2 % of h by which the outer nodes fall short of p and q), so |λ| ≤ 2γh(2R - 2h) ≤ γR² = 6.
  2. Truncation. The error of term s in (2) is |a_s| K_s g(c) times that of exp(λu), and K_s ≤ k(x, s) because all
     other factors are at most 1. Let X = x - c and v = s - c. We have |X| ≤ ρ - h and |v| ≤ h ≤ ρ/2, where ρ is r₀, r
     or R in the three cases of 1, so γρ² ≤ 6 and

         k(x, s) g(c) = k(t, c)·exp(γ(X² - (X - v)²)) ≤ exp(γ(2|X||v| - v²)) ≤ exp(γ(2ρh - 3h²)) ≤ exp(γρ²/3) ≤ e².

     So the decision value is off by at most 6.6e-12·e²·Σ|a_s| < 5e-11·Σ|a_s|.
  3. Rounding. A product in (2) is at most |a_s ℓ_m(s)| / k(x, z_m) ≤ e⁶|a_s ℓ_m(s)|, and Σ_m |ℓ_m(s)| ≤ 3 for up to
     24 Chebyshev nodes. So rounding errors are at most some 1,200 times those of (1), about 3e-13·Σ|a_s|.

A row that is too far from the nodes, and a feature with too steep a kernel or too many values, is left to
``permuted_decisions``, which evaluates (1) itself.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from probfs.classifiers.refitting.design_matrix import DesignMatrix, Positions
from probfs.classifiers.refitting.donors import Donors
from probfs.classifiers.svm.chebyshev import count_chebyshev_nodes, interpolate_columns
from probfs.classifiers.svm.kernel_functions import squared_distances
from probfs.tables.table import Floats

CHEBYSHEV_STEEPNESS = 6.0
"""Chebyshev nodes are used up to this γ·(largest distance)²."""
DISTINCT_STEEPNESS = 30.0
"""Distinct values are used as nodes up to this γ·(largest distance)²."""
MOST_NODES = 64


class NodeSet(NamedTuple):
    """The nodes of some features, equally many for each."""

    features: Positions
    nodes: Floats
    """Features × nodes × columns of a feature."""
    weights: Floats
    """ℓ_m(s): support vectors × features × nodes."""
    steepness: float
    """The sums are right for rows with at most this γ·distance² from every node."""


class NodeSums:
    """The sums (2) over the nodes of a set of features, all at once."""

    def __init__(
        self, node_set: NodeSet, matrix: DesignMatrix, labelled_rows: int, coefficients: Floats, gamma: float
    ) -> None:
        self.features = node_set.features
        self._matrix = matrix
        self._nodes = node_set.nodes
        self._columns = np.stack([np.r_[matrix.columns(feature)] for feature in node_set.features.tolist()])
        self._gamma = gamma
        self._reach = math.sqrt(node_set.steepness / gamma)
        self._weights = (node_set.weights * coefficients[:, None, None]).reshape(len(coefficients), -1)
        self._labelled_factors = self._factors(matrix.cells[:labelled_rows])

    def compute(self, rows: Positions, kernel_values: Floats, donors: Donors) -> Floats:
        """Decision values without the intercept: permutations × rows × features."""
        all_labelled = rows.max(initial=0) < len(self._labelled_factors)
        own = self._labelled_factors[rows] if all_labelled else self._factors(self._matrix.cells[rows])
        brackets = (kernel_values @ self._weights).reshape(own.shape) / own
        return np.stack([np.einsum("rfn,rfn->rf", brackets, self._labelled_factors[donor]) for donor in donors])

    def find_rows_in_reach(self, cells: Floats) -> npt.NDArray[np.bool_]:
        """Which rows are near enough to all nodes; labelled rows always are."""
        if self._columns.shape[1] > 1:
            return np.ones(len(cells), dtype=np.bool_)
        own, nodes = cells[:, self._columns[:, 0]], self._nodes[:, :, 0]
        near = (own <= nodes.min(axis=1) + self._reach) & (own >= nodes.max(axis=1) - self._reach)
        in_reach: npt.NDArray[np.bool_] = near.all(axis=1)
        return in_reach

    def _factors(self, cells: Floats) -> Floats:
        """The features' factors k(x, z_m) of kernel values between rows and nodes: rows × features × nodes."""
        own = cells[:, self._columns]
        if own.shape[2] == 1:
            distances = (own - self._nodes[:, :, 0]) ** 2
        else:
            by_feature = zip(own.swapaxes(0, 1), self._nodes, strict=True)
            distances = np.stack([squared_distances(rows, nodes) for rows, nodes in by_feature], axis=1)
        factors: Floats = np.exp(-self._gamma * distances)
        return factors


def choose_nodes(
    matrix: DesignMatrix, support: Positions, gamma: float, labelled_rows: int
) -> tuple[list[NodeSet], list[int]]:
    """Sets of nodes for the features that can have them, and the varying features that cannot."""
    labelled_spreads = _squared_spreads(DesignMatrix(matrix.cells[:labelled_rows], matrix.widths))
    chebyshev = _choose_chebyshev_nodes(matrix, support, gamma, labelled_spreads)
    done: Positions = np.empty(0, dtype=np.intp) if chebyshev is None else chebyshev.features
    others = np.setdiff1d(np.flatnonzero(matrix.widths), done)
    distinct, without_nodes = _choose_distinct_values(matrix, support, gamma, labelled_spreads, others)
    return ([] if chebyshev is None else [chebyshev]) + distinct, without_nodes


def _choose_chebyshev_nodes(
    matrix: DesignMatrix, support: Positions, gamma: float, labelled_spreads: Floats
) -> NodeSet | None:
    """Chebyshev nodes for the numeric features that are not too steep and have more distinct values than nodes."""
    gentle = np.flatnonzero((matrix.widths == 1) & (gamma * labelled_spreads <= CHEBYSHEV_STEEPNESS))
    # All features have as many nodes as the steepest of them needs, unlabelled rows included; rows farther than the
    # limit are not scored by nodes, so more would be wasted on them.
    steepest = gamma * float(_squared_spreads(matrix)[gentle].max(initial=0))
    count = count_chebyshev_nodes(min(CHEBYSHEV_STEEPNESS, steepest))
    values = matrix.cells[np.ix_(support, matrix.first_columns()[gentle])]
    many_valued = np.count_nonzero(np.diff(np.sort(values, axis=0), axis=0), axis=0) >= count
    if not many_valued.any():
        return None
    nodes, polynomials = interpolate_columns(count, values[:, many_valued])
    return NodeSet(gentle[many_valued], nodes[:, :, None], polynomials, CHEBYSHEV_STEEPNESS)


def _choose_distinct_values(
    matrix: DesignMatrix, support: Positions, gamma: float, labelled_spreads: Floats, features: Positions
) -> tuple[list[NodeSet], list[int]]:
    """The support vectors' distinct values as nodes, in sets of features with equally many nodes and columns; and the
    features that are too steep, or have too many values.
    """
    by_shape: dict[tuple[int, ...], list[tuple[int, Floats, Floats]]] = {}
    without_nodes = []
    for feature in features.tolist():
        distinct, which = np.unique(matrix.cells[support, matrix.columns(feature)], axis=0, return_inverse=True)
        if gamma * labelled_spreads[feature] > DISTINCT_STEEPNESS or len(distinct) > MOST_NODES:
            without_nodes.append(feature)
            continue
        weights = (which.reshape(-1, 1) == np.arange(len(distinct))).astype(np.float64)
        by_shape.setdefault(distinct.shape, []).append((feature, distinct, weights))
    node_sets = []
    for members in by_shape.values():
        positions, nodes, weights_of = zip(*members, strict=True)
        weights = np.stack(weights_of, axis=1)
        node_sets.append(NodeSet(np.array(positions), np.stack(nodes), weights, DISTINCT_STEEPNESS))
    return node_sets, without_nodes


def _squared_spreads(matrix: DesignMatrix) -> Floats:
    """The largest squared distance between two values of each feature; for one-hot categories it is 2."""
    spreads = np.where(matrix.widths, 2.0, 0.0)
    single = matrix.widths == 1
    spreads[single] = np.ptp(matrix.cells[:, matrix.first_columns()[single]], axis=0) ** 2
    return spreads
