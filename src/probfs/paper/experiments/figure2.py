"""Figure 2: the population scores of X_{c,0.7} in isolation, at every balance of the classes."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from probfs.paper.claims import Claim, verdict
from probfs.paper.experiments.figures import S_A, S_B, S_S, light_grid
from probfs.paper.experiments.laboratory import Finding, Laboratory
from probfs.paper.theory import Joint, PopulationScores, population_scores

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_SHIFTS = (0.2, 0.6, 1.0, 1.4)
_SHARE = 0.7
_PERCENT = range(1, 100)
_EXACT = 1e-8
_TAIL = 12.0
"""Beyond so many standard deviations a normal density does not count in double precision."""
_PANEL, _NODES = 0.5, 20

Row = tuple[float, int, float, float, float]


def conduct(laboratory: Laboratory) -> Finding:
    tasks = [(c, percent) for c in _SHIFTS for percent in _PERCENT]
    rows = tuple(laboratory.each(_row, tasks))
    header = ("c", "percent_positive", "s_s", "s_a", "s_b")
    return Finding(_claims(laboratory, rows), header, rows, lambda figure: _draw(figure, rows), size=(6.8, 5.2))


def shifted_scores(c: float, p: float, balance: float) -> PopulationScores:
    """S_S, S_A and S_B of one feature X_{c,p}, by Gauss–Legendre quadrature: each node is a cell."""
    nodes, widths = _quadrature(_breaks(c, p, balance))
    positive, negative = _densities(nodes, c, p)
    density = balance * positive + (1 - balance) * negative
    cell = (widths * density).astype(np.longdouble)
    share = (balance * positive / density).astype(np.longdouble)
    (scores,) = population_scores(Joint(("x",), np.arange(len(nodes))[None, :], cell / cell.sum(), share))
    return scores


def _row(task: tuple[float, int]) -> Row:
    c, percent = task
    scores = shifted_scores(c, _SHARE, percent / 100)
    return c, percent, scores.s_s, scores.s_a, scores.s_b


def _densities(
    x: npt.NDArray[np.float64], c: float, p: float
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    def normal(mean: float) -> npt.NDArray[np.float64]:
        return np.asarray(np.exp(-((x - mean) ** 2) / 2) / np.sqrt(2 * np.pi))

    return p * normal(c) + (1 - p) * normal(0), p * normal(-c) + (1 - p) * normal(0)


def _breaks(c: float, p: float, balance: float) -> list[float]:
    """Where an integrand has a kink: at P = P(y=1), which is x = 0, and at P = ½, which is a quadratic in e^(c·x)."""
    telling, even = p * np.exp(-(c**2) / 2), (1 - p) * (2 * balance - 1)
    root = np.sqrt(even**2 + 4 * balance * (1 - balance) * telling**2)
    middle = float(np.log((root - even) / (2 * balance * telling)) / c)
    end = c + _TAIL
    return [-end, *sorted({0.0, min(max(middle, -end), end)}), end]


def _quadrature(breaks: Sequence[float]) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Nodes and weights of panels between the breaks."""
    at, weight = np.polynomial.legendre.leggauss(_NODES)
    nodes, weights = [], []
    for start, end in pairwise(breaks):
        edges = np.linspace(start, end, max(1, int(np.ceil((end - start) / _PANEL))) + 1)
        half, middle = np.diff(edges)[:, None] / 2, (edges[:-1] + edges[1:])[:, None] / 2
        nodes.append((middle + half * at).ravel())
        weights.append((half * weight).ravel())
    return np.concatenate(nodes), np.concatenate(weights)


def _claims(laboratory: Laboratory, rows: Sequence[Row]) -> tuple[Claim, ...]:
    table = np.array(rows)
    _, percent, s_s, s_a, s_b = table.T
    apart = float(np.abs(s_s - s_b)[percent == 50].max())
    least_a, least_b = float((s_s - s_a).min()), float((s_s - s_b).min())
    elsewhere = float((s_s - s_b)[percent != 50].min())
    return (
        laboratory.claim(
            "figure 2",
            "when the classes are balanced, S_S and S_B are equal",
            f"they differ by at most {apart:.2g} (to {_EXACT:g})",
            verdict(apart <= _EXACT),
        ),
        laboratory.claim(
            "figure 2",
            "S_S is always at least as large as S_A and S_B",
            f"in {len(rows)} places S_S − S_A ≥ {least_a:.2g} and S_S − S_B ≥ {least_b:.2g}; off balance "
            f"S_S − S_B ≥ {elsewhere:.2g}",
            verdict(min(least_a, least_b) >= -_EXACT),
        ),
    )


def _draw(figure: Figure, rows: Sequence[Row]) -> None:
    table = np.array(rows)
    panels = figure.subplots(2, 2, sharex=True)
    for axes, c in zip(panels.flat, _SHIFTS, strict=True):
        _, percent, s_s, s_a, s_b = table[table[:, 0] == c].T
        for values, style, label in ((s_s, S_S, "$S_S$"), (s_a, S_A, "$S_A$"), (s_b, S_B, "$S_B$")):
            axes.plot(percent, values, label=label, markevery=(9, 20), **style)
        axes.set_title(f"c = {c}")
        light_grid(axes)
    panels[0, 0].legend()
    figure.supxlabel("positive rows, %")
    figure.supylabel("population score of $X_{c,\\,0.7}$")
