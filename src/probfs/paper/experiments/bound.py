"""Eqs. (7), (9), (15) and (16) on random distributions, those at the limits among them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from probfs.paper.claims import Claim, verdict
from probfs.paper.experiments.figures import light_grid
from probfs.paper.experiments.laboratory import Finding, Laboratory, generator, portions, records
from probfs.paper.theory import Exact, Joint, population_scores

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_EXACT = 1e-12
_MOST_FEATURES, _MOST_VALUES = 4, 4


@dataclass(frozen=True)
class Case:
    """A feature of a random distribution: its scores, and what the paper says they equal."""

    features: int
    cells: int
    s_s: float
    s_a: float
    s_b: float
    mean_deviation: float
    """E MAD[P(y=1|x) | x^-j], the right-hand side of (9)."""
    twice_variance: float
    """2 E Var[P(y=1|x) | x^-j], the right-hand side of (15)."""
    signed: float
    """(12) as it is written."""
    accuracy: float
    """(5) as it is written."""


def conduct(laboratory: Laboratory) -> Finding:
    parts = laboratory.each(_cases, [(laboratory.seed, numbers) for numbers in portions(laboratory.runs)])
    cases = [case for part in parts for case in part]
    return Finding(_claims(laboratory, cases), *records(cases), lambda figure: _draw(figure, cases), size=(6.8, 3.4))


def random_joint(random: np.random.Generator) -> Joint:
    """A distribution over up to four features; probabilities crowd at 0 and 1, about ½, or nowhere."""
    values = random.integers(2, _MOST_VALUES + 1, size=random.integers(1, _MOST_FEATURES + 1))
    codes = np.indices(tuple(values)).reshape(len(values), -1)
    cells = codes.shape[1]
    cell = random.dirichlet(np.full(cells, random.choice([0.1, 1.0, 10.0])))
    shape = random.choice([0.05, 0.5, 1.0, 5.0])
    positive = random.beta(shape, shape * random.choice([0.2, 1.0, 3.0]), cells)
    if random.random() < 0.2:
        positive = np.rint(positive)
    names = tuple(f"x{number + 1}" for number in range(len(values)))
    return Joint(names, codes, (cell / cell.sum()).astype(np.longdouble), positive.astype(np.longdouble))


def _cases(task: tuple[int, range]) -> list[Case]:
    seed, numbers = task
    return [case for number in numbers for case in cases_of(random_joint(generator(seed, number)))]


def cases_of(joint: Joint) -> list[Case]:
    """Every feature's scores beside the paper's other ways to write them."""
    cases = []
    for feature, scores in enumerate(population_scores(joint)):
        with_it, without = joint.positive, joint.positive_without(feature)
        deviation, variance = _spread_by_group(joint, feature)
        cases.append(
            Case(
                len(joint.names),
                joint.codes.shape[1],
                scores.s_s,
                scores.s_a,
                scores.s_b,
                deviation,
                2 * variance,
                float(joint.cell @ ((2 * with_it - 1) * (with_it - without))),
                float(joint.cell @ (_best(with_it) - _best(without))),
            )
        )
    return cases


def _best(positive: Exact) -> Exact:
    return np.maximum(positive, 1 - positive)


def _spread_by_group(joint: Joint, feature: int) -> tuple[float, float]:
    """E MAD and E Var of P(y=1|x), one group of cells after the other, as (9) and (15) define them."""
    groups = joint.groups_without(feature)
    deviation = variance = np.longdouble(0)
    for group in range(groups.max() + 1):
        cell, positive = joint.cell[groups == group], joint.positive[groups == group]
        weight = cell.sum()
        if weight > 0:
            mean = cell @ positive / weight
            deviation += cell @ np.abs(positive - mean)
            variance += weight * (cell @ positive**2 / weight - mean**2)
    return float(deviation), float(variance)


def _claims(laboratory: Laboratory, cases: list[Case]) -> tuple[Claim, ...]:
    table = np.array([(c.s_s, c.s_a, c.s_b, c.mean_deviation, c.twice_variance, c.signed, c.accuracy) for c in cases])
    s_s, s_a, s_b, deviation, variance, signed, accuracy = table.T
    root = np.sqrt(s_a / 2)
    chain = [s_a, s_b, s_s - s_a, s_s - s_b, root - s_s, 0.5 - root]
    return (
        _bound(laboratory, "eq. 7", "S_B ≤ S_S", [s_s - s_b]),
        _identity(laboratory, "eq. 9", "S_S is the expected mean absolute deviation of P(y=1|x)", s_s - deviation),
        _identity(laboratory, "eq. 15", "S_A is twice the expected variance of P(y=1|x)", s_a - variance),
        _identity(laboratory, "eqs. 12–15", "S_A as (12) defines it is the same", signed - s_a),
        _identity(laboratory, "eqs. 5–6", "S_B is the gain in accuracy of the best classifier", accuracy - s_b),
        _bound(laboratory, "eq. 16", "0 ≤ S_A, S_B ≤ S_S ≤ √(S_A/2) ≤ ½", chain),
    )


def _bound(laboratory: Laboratory, place: str, says: str, slacks: list[np.ndarray]) -> Claim:
    least = np.min(slacks, axis=0)
    kept = int(np.count_nonzero(least >= -_EXACT))
    return laboratory.claim(
        place, says, f"kept for {kept:,} of {len(least):,} features, to {_EXACT:g}", verdict(kept == len(least))
    )


def _identity(laboratory: Laboratory, place: str, says: str, difference: np.ndarray) -> Claim:
    largest = float(np.abs(difference).max())
    return laboratory.claim(
        place, says, f"largest difference {largest:.1e} ({len(difference):,} features)", verdict(largest <= _EXACT)
    )


def _draw(figure: Figure, cases: list[Case]) -> None:
    left, right = figure.subplots(1, 2)
    s_s = [case.s_s for case in cases]
    left.plot([np.sqrt(case.s_a / 2) for case in cases], s_s, "k.", markersize=2, rasterized=True)
    left.set_xlabel("$\\sqrt{S_A/2}$")
    right.plot([case.s_b for case in cases], s_s, "k.", markersize=2, rasterized=True)
    right.set_xlabel("$S_B$")
    for axes, says in ((left, "$S_S \\leq \\sqrt{S_A/2}$: below the line"), (right, "$S_B \\leq S_S$: above the line")):
        axes.plot([0, 0.5], [0, 0.5], color="0.4", linestyle="--")
        axes.set_ylabel("$S_S$")
        axes.set_title(says)
        axes.set_aspect("equal")
        light_grid(axes)
