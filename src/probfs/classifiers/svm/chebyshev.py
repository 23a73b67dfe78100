r"""Interpolation at Chebyshev nodes, and how many of them give an exponential to about 11 digits.

Definitions. On [-1, 1] the n Chebyshev nodes are u_m = cos((2m + 1)π / 2n), m = 0 … n-1; on [p, q] they are moved and
stretched accordingly. The Lagrange polynomials ℓ_m are the polynomials of degree n - 1 that are 1 at node m and 0 at
all others, so Σ_m ℓ_m(s) g(z_m) is the polynomial through the values of a function g at the nodes z_m.

Evaluation. The barycentric formula (Berrut & Trefethen, SIAM Review 46, 2004, eq. 5.4) for Chebyshev nodes is

    ℓ_m(s) = (w_m / (s - z_m)) / Σ_k (w_k / (s - z_k)),    w_m = (-1)^m sin((2m + 1)π / 2n),

and the limit, 1 or 0, where s is a node.

Error. Let g(u) = exp(λu) on [-1, 1]. Its Chebyshev series is I_0(λ) + Σ_{k≥1} 2·I_k(λ) T_k(u), I_k being the modified
Bessel function of the first kind. Interpolation at n nodes keeps the terms with k < n, and replaces every T_k with
k ≥ n by the polynomial of degree below n that equals it at the nodes: 0 or some ±T_m, because at Chebyshev nodes the
values of T_k repeat, up to sign, those of a lower degree. Both are at most 1 in absolute value, so the error is at most

    2 Σ_{k≥n} 2·I_k(|λ|).

The power series I_k(λ) = Σ_i (λ/2)^(k+2i) / (i! (k+i)!) gives I_k(λ) ≤ (λ/2)^k / k! · exp(λ² / 4(k+1)) for λ ≥ 0. From
one k to the next this bound shrinks at least by the factor (λ/2) / (n+1), so by the geometric series, with
e_n = (|λ|/2)^n / n!,

    error ≤ 4 e_n · exp(λ² / 4(n+1)) / (1 - |λ| / 2(n+1)).

``count_chebyshev_nodes`` takes the smallest n with e_n ≤ 1e-12. For |λ| ≤ 6, the most that is asked for (n = 24), the
factor after e_n is at most 1.65, so the error is at most 6.6e-12.
"""

from __future__ import annotations

import math

import numpy as np

from probfs.tables.table import Floats

PRECISION = 1e-12
"""The bound of e_n (see above)."""


def count_chebyshev_nodes(rate: float) -> int:
    """How many nodes interpolate exp(λu) on [-1, 1] for every |λ| up to ``rate``.

    >>> [count_chebyshev_nodes(rate) for rate in (0.01, 1, 6)]
    [5, 12, 24]
    """
    nodes, error = 1, rate / 2
    while error > PRECISION:
        nodes += 1
        error *= rate / 2 / nodes
    return nodes


def interpolate_columns(count: int, values: Floats) -> tuple[Floats, Floats]:
    """The Chebyshev nodes on the range of each column of ``values`` (columns × nodes), and the Lagrange polynomials of
    these nodes at each value (rows × columns × nodes).
    """
    least, greatest = values.min(axis=0)[:, None], values.max(axis=0)[:, None]
    angles = (2 * np.arange(count) + 1) * (math.pi / (2 * count))
    nodes = (least + greatest) / 2 + (greatest - least) / 2 * np.cos(angles)
    weights = np.sin(angles) * (-1.0) ** np.arange(count)
    differences = values[:, :, None] - nodes
    at_node = differences == 0
    differences[at_node] = 1.0
    polynomials = weights / differences
    polynomials /= polynomials.sum(axis=2, keepdims=True)
    value_at_node = at_node.any(axis=2)
    polynomials[value_at_node] = at_node[value_at_node]
    return nodes, polynomials
