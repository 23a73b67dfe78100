"""Figure 1: the mean absolute deviation as an area."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from probfs.paper.claims import verdict
from probfs.paper.experiments.laboratory import Finding, Laboratory
from probfs.paper.theory import Joint, population_scores

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_WIDTH = 10.0
_NODES = 20_000
_EXACT = 1e-6


def conduct(laboratory: Laboratory) -> Finding:
    at = (np.arange(_NODES) + 0.5) * _WIDTH / _NODES
    positive = dependence(at)
    cell = np.full(_NODES, 1 / _NODES, np.longdouble)
    (scores,) = population_scores(Joint(("x",), np.arange(_NODES)[None, :], cell, positive.astype(np.longdouble)))
    mean = float(positive.mean())
    grid = np.linspace(0, _WIDTH, 200_001)
    area = float(np.trapezoid(np.abs(dependence(grid) - mean), grid))
    claim = laboratory.claim(
        "figure 1",
        "the grey region, for a uniform feature, is the mean absolute deviation, and so S_S",
        f"area / width {area / _WIDTH:.6f}, S_S {scores.s_s:.6f}",
        verdict(abs(area / _WIDTH - scores.s_s) < _EXACT),
    )
    shown = np.linspace(0, _WIDTH, 201)
    rows = tuple((float(x), float(p), mean) for x, p in zip(shown, dependence(shown), strict=True))
    return Finding((claim,), ("x", "p_y", "p_y_without"), rows, lambda figure: _draw(figure, shown, mean))


def dependence(x: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """A dependence of P(y=1|x) on one feature; the paper's is hypothetical too, and its formula is not given."""
    return 0.15 + 0.6 / (1 + np.exp(-1.6 * (x - 3.2))) - 0.35 / (1 + np.exp(-2.0 * (x - 7.4)))


def _draw(figure: Figure, x: npt.NDArray[np.float64], mean: float) -> None:
    axes = figure.subplots()
    axes.fill_between(x, dependence(x), mean, color="0.8")
    axes.plot(x, dependence(x), color="black")
    axes.axhline(mean, color="black", linestyle="--")
    axes.annotate("$P(y=1\\mid x)$", (5.6, 0.745), ha="center")
    axes.annotate("$P(y=1\\mid x^{-j})$", (0.1, mean + 0.02))
    axes.set_xlim(0, _WIDTH)
    axes.set_ylim(0, 1)
    axes.set_xlabel("$x^j$, uniform")
    axes.set_ylabel("probability of the positive class")
    axes.set_title("Figure 1: $S_S(j)$ is the grey area, divided by the width")
