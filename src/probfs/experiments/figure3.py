"""Figure 3: on X_{c,p} beside noise, with a linear SVM, Ŝ_S is about √(Ŝ_A/2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from probfs import synthetic
from probfs.api import rank
from probfs.claims import Claim, verdict
from probfs.experiments.figure2 import shifted_scores
from probfs.experiments.figures import light_grid
from probfs.experiments.lab import Finding, Lab, generator

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_SHIFTS = tuple(step / 4 for step in range(13))
_SHARES = tuple(step / 10 for step in range(11))
_ROWS = 200
_CLOSE = 0.98
_CLEAR = 0.05
"""A score above which its logarithm is not mostly noise."""

Row = tuple[int, float, float, float, float]


def conduct(lab: Lab) -> Finding:
    tasks = [(lab.seed, run, c, p) for run in range(lab.runs) for c in _SHIFTS for p in _SHARES]
    rows = tuple(lab.each(_row, tasks))
    header = ("run", "c", "p", "s_s", "s_a")
    return Finding(_claims(lab, rows), header, rows, lambda figure: _draw(figure, rows), size=(5.0, 4.6))


def _row(task: tuple[int, int, float, float]) -> Row:
    """The scores of X_{c,p} in a table of its own, each from the models with and without it."""
    seed, run, c, p = task
    random = generator(seed, run, round(4 * c), round(10 * p))
    sample = synthetic.shifted(_ROWS, random, c=c, p=p, relevant=1, noise=1, balance=0.5)
    ranking = rank(sample.labelled(), classifier="svm", removal="retrain", eliminate=False, seed=run, jobs=1)
    (scores,) = (feature for feature in ranking.features if feature.feature == "relevant_1")
    return run, c, p, scores.initial_s_s, scores.initial_s_a


def _root(s_a: np.ndarray) -> np.ndarray:
    """√(Ŝ_A/2), and 0 where chance has made Ŝ_A negative."""
    return np.asarray(np.sqrt(np.maximum(s_a, 0) / 2))


def _exact() -> list[tuple[float, float]]:
    """S_S and S_A themselves of every X_{c,p} that is not noise."""
    scores = [shifted_scores(c, p, 0.5) for c in _SHIFTS if c for p in _SHARES if p]
    return [(score.s_s, score.s_a) for score in scores]


def _power(s_s: np.ndarray, s_a: np.ndarray) -> float:
    """The exponent of the power of S_S that S_A follows best."""
    clear = (s_s > _CLEAR) & (s_a > 0)
    return float(np.polyfit(np.log(s_s[clear]), np.log(s_a[clear]), 1)[0])


def _signed(number: float) -> str:
    return f"{'−' if number < 0 else '+'} {abs(number):.3f}"


def _claims(lab: Lab, rows: Sequence[Row]) -> tuple[Claim, ...]:
    table = np.array(rows)
    by_run = [table[table[:, 0] == run] for run in range(lab.runs)]
    correlations = [float(np.corrcoef(part[:, 3], _root(part[:, 4]))[0, 1]) for part in by_run]
    slope, start = np.polyfit(table[:, 3], _root(table[:, 4]), 1)
    held = sum(correlation >= _CLOSE for correlation in correlations)
    power, exact = _power(table[:, 3], table[:, 4]), _power(*np.array(_exact()).T)
    return (
        lab.claim(
            "figure 3",
            "Ŝ_S ≈ √(Ŝ_A/2) over all c and p",
            f"√(Ŝ_A/2) = {slope:.2f} Ŝ_S {_signed(start)}; correlation at least {min(correlations):.4f}, and so above "
            f"{_CLOSE} in {held} of {lab.runs} draws of {len(by_run[0])} tables",
            verdict(held == lab.runs and 0.8 <= slope <= 1.2),
        ),
        lab.claim(
            "section 5, first prediction",
            "Ŝ_A varies approximately as the square of Ŝ_S",
            f"as its power {power:.2f}; the exact S_A as the power {exact:.2f} of S_S (where they are above {_CLEAR})",
            verdict(1.5 < power < 2.5),
        ),
    )


def _draw(figure: Figure, rows: Sequence[Row]) -> None:
    table = np.array(rows)
    axes = figure.subplots()
    first = table[:, 0] == 0
    root = _root(table[:, 4])
    axes.plot(table[~first, 3], root[~first], ".", color="0.7", markersize=3, label="further draws")
    axes.plot(table[first, 3], root[first], "ko", markersize=3, label="first draw: a point for each $(c, p)$")
    exact = np.array(_exact())
    axes.plot(exact[:, 0], np.sqrt(exact[:, 1] / 2), "+", color="0.4", markersize=4, label="exact $S_S$ and $S_A$")
    axes.plot([0, 0.5], [0, 0.5], color="0.3", linestyle="--", linewidth=1)
    axes.set_xlabel("$\\hat{S}_S(X_{c,p})$")
    axes.set_ylabel("$\\sqrt{\\hat{S}_A(X_{c,p})/2}$")
    axes.set_aspect("equal")
    axes.legend(loc="upper left")
    light_grid(axes)
