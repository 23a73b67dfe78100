r"""Hyperplanes of linear SVMs by a primal-dual interior-point method, for many rows and few columns.

Problem. Row i has cells x_i and a last cell 1, a sign s_i = ±1 and a cost c_i > 0. Wanted is θ = (w, b) that minimises

    ½ |w|² + Σ_i c_i max(0, 1 - s_i θ·x_i) - p·θ.

The intercept b has no penalty, as in LIBSVM. The vector p is 0, or a sum of c_i s_i x_i over rows that are known to
lie on the wrong side of their margin, where the loss is linear.

Optimality. With z_i and v_i, by how much row i exceeds its margin or falls short of it, θ is optimal if and only if
some a_i, u_i exist with

    s_i θ·x_i - 1 = z_i - v_i,    J θ = Σ_i a_i s_i x_i + p,    a_i + u_i = c_i,    a_i z_i = u_i v_i = 0,

none of a, u, z, v being negative; J is the unit matrix with a 0 for the intercept. The a_i are LIBSVM's dual
coefficients. If all but the last two equations hold, Σ (a_i z_i + u_i v_i) is the duality gap, and since the objective
is strongly convex in w, ½ |w - w*|² is at most the gap.

Method. Newton's method on these equations, with the two products set to a target that shrinks to 0, and steps that
keep a, u, z, v positive (Mehrotra's predictor and corrector; Ferris & Munson, SIAM J. Optim. 13, 2003, apply it to
SVMs). With d_i = 1 / (z_i/a_i + v_i/u_i), each step solves one system with the matrix J + Σ_i d_i x_i x_iᵀ. Ten to
twenty steps suffice, whatever the number of rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from probfs.tables.table import Floats

TOLERANCE = 1e-10
"""The duality gap, and what the equations may lack, as a share of their terms."""
MOST_STEPS = 60
_SHARE_OF_THE_WAY = 0.995
"""Steps stop this far on the way to the first a, u, z or v that would become 0."""


@dataclass(frozen=True, eq=False)
class HingeProblem:
    """Rows to separate; the names of the problem above are in brackets."""

    cells: Floats
    """[x] Rows × columns, the last of which is 1."""
    signs: Floats
    costs: Floats
    pull: Floats
    """[p]"""

    def exceed_margins(self, plane: Floats) -> Floats:
        """By how much each row exceeds its margin [s θ·x - 1]."""
        return self.signs * (self.cells @ plane) - 1

    def add_up(self, coefficients: Floats) -> Floats:
        """The sum of the rows times their signs and these coefficients."""
        sums: Floats = (self.signs * coefficients) @ self.cells
        return sums


class Hyperplane(NamedTuple):
    """A solution [θ]: weights of the columns, and the intercept last."""

    plane: Floats
    converged: bool


class _Variables(NamedTuple):
    """The unknowns of the equations, or a step of all of them."""

    plane: Floats
    a: Floats
    u: Floats
    z: Floats
    v: Floats

    def moved(self, step: _Variables, length: float) -> _Variables:
        return _Variables(*(own + length * change for own, change in zip(self, step, strict=True)))

    def gap(self) -> float:
        return float(self.a @ self.z + self.u @ self.v)

    def longest_step(self, step: _Variables) -> float:
        """The longest step, at most 1, that makes none of a, u, z and v negative."""
        steepest = max(float((-change / own).max()) for own, change in zip(self[1:], step[1:], strict=True))
        return 1 / max(1.0, steepest)


# Only a problem without a minimum overflows, and it is seen not to converge.
@np.errstate(over="ignore", invalid="ignore", divide="ignore")
def minimise_hinge_loss(problem: HingeProblem, start: Floats) -> Hyperplane:
    """The best hyperplane, from any start; a better start saves a few steps at most."""
    penalised = np.append(np.ones(len(start) - 1), 0.0)
    exceeding = problem.exceed_margins(start)
    half = problem.costs / 2
    current = _Variables(start, half, half, np.maximum(exceeding, 0) + 1, np.maximum(-exceeding, 0) + 1)
    for _ in range(MOST_STEPS):
        missing = problem.add_up(current.a) + problem.pull - penalised * current.plane
        lacking = problem.exceed_margins(current.plane) - current.z + current.v
        if _is_solved(problem, current, missing, lacking):
            return Hyperplane(current.plane, True)
        step = _find_step(problem, current, penalised, missing, lacking)
        if step is None:
            break
        current = current.moved(step, _SHARE_OF_THE_WAY * current.longest_step(step))
    return Hyperplane(current.plane, False)


def _is_solved(problem: HingeProblem, current: _Variables, missing: Floats, lacking: Floats) -> bool:
    weights = current.plane[:-1]
    objective = float(weights @ weights / 2 + problem.costs @ current.v)
    return (
        current.gap() <= TOLERANCE * objective
        and np.abs(missing).max() <= TOLERANCE * (np.abs(problem.pull).max() + problem.costs.sum())
        and np.abs(lacking).max() <= TOLERANCE * (1 + current.z.max() + current.v.max())
    )


def _find_step(
    problem: HingeProblem, current: _Variables, penalised: Floats, missing: Floats, lacking: Floats
) -> _Variables | None:
    """Mehrotra's step: one towards gap 0 tells how far the target can shrink, and how much the products bend.

    None if rounding has made the system unsolvable.
    """
    _, a, u, z, v = current
    scales = 1 / (z / a + v / u)
    scaled = problem.cells * np.sqrt(scales)[:, None]
    matrix = scaled.T @ scaled
    matrix.flat[:: len(matrix) + 1] += penalised
    try:
        factor = cho_factor(matrix)
    except (LinAlgError, ValueError):
        return None

    def solve(change_az: Floats, change_uv: Floats) -> _Variables:
        """The step that changes the products a z and u v by this much, and closes what the equations lack."""
        wanted = scales * (change_az / a - change_uv / u - lacking)
        plane = cho_solve(factor, problem.add_up(wanted) + missing, check_finite=False)
        change = wanted - scales * (problem.signs * (problem.cells @ plane))
        return _Variables(plane, change, -change, (change_az - z * change) / a, (change_uv + v * change) / u)

    gap = current.gap()
    predicted = solve(-a * z, -u * v)
    after = current.moved(predicted, current.longest_step(predicted)).gap()
    target = (after / gap) ** 3 * gap / (2 * len(a))
    step = solve(target - a * z - predicted.a * predicted.z, target - u * v - predicted.u * predicted.v)
    return step if all(np.isfinite(part).all() for part in step) else None
