"""Figure 3: on X_{c,p} beside noise, with a linear SVM, Ŝ_S is about √(Ŝ_A/2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from probfs.output.figure import light_grid
from probfs.paper import synthetic
from probfs.paper.experiments.exact_scores import shifted_scores
from probfs.paper.experiments.laboratory import Finding, Laboratory, generator, rank_plainly
from probfs.tables.arrays import Floats

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_SHIFTS = tuple(step / 4 for step in range(13))
_SHARES = tuple(step / 10 for step in range(11))
_ROWS = 200
_CLOSE = 0.05
"""A distance that is small against scores up to ½."""
_CLEAR = 0.05
"""A score above which its logarithm is not mostly noise."""


def figure3(laboratory: Laboratory) -> Finding:
    runs = laboratory.runs
    places = [(c, p) for c in _SHIFTS for p in _SHARES]
    rows = laboratory.each(_scores, [(laboratory.seed, run, *place) for run in range(runs) for place in places])
    s_s, s_a = np.array(rows)[:, 3:].T
    # Where chance has made Ŝ_A negative, it counts as 0.
    root = np.sqrt(np.maximum(s_a, 0) / 2)
    distance = np.sqrt(np.mean(((s_s - root) ** 2).reshape(runs, -1), axis=1)).max()
    slope, start = np.polyfit(s_s, root, 1)
    measured = (
        f"root mean square distance at most {distance:.3f} in {runs} draws of {len(places)} tables ({_CLOSE} would do);"
        f" √(Ŝ_A/2) = {slope:.2f} Ŝ_S {'−' if start < 0 else '+'} {abs(start):.3f}; of {len(rows)} Ŝ_A "
        f"{np.count_nonzero(s_a < 0)} are below 0 and count as 0"
    )
    laboratory.claim("figure 3", "Ŝ_S ≈ √(Ŝ_A/2) over all c and p", measured, distance <= _CLOSE)
    # S_S and S_A themselves of every X_{c,p} that is not noise.
    known = {(c, p): shifted_scores(c, p, 0.5) for c, p in places if c and p}
    exact = {place: (scores.s_s, scores.s_a) for place, scores in known.items()}
    exact_s_s, exact_s_a = np.array(list(exact.values())).T
    power, exact_power = _power(s_s, s_a), _power(exact_s_s, exact_s_a)
    says = "Ŝ_A varies approximately as the square of Ŝ_S"
    measured = (
        f"as its power {power:.2f} (1.8 to 2.2 would do; scores above {_CLEAR}); the exact S_A as the power "
        f"{exact_power:.2f} of S_S"
    )
    laboratory.claim("section 5, first prediction", says, measured, 1.8 <= power <= 2.2)
    grids = np.reshape([exact_s_s, exact_s_a], (2, len(_SHIFTS) - 1, len(_SHARES) - 1))
    grows = all(np.diff(grids, axis=axis).min() > 0 for axis in (1, 2))
    measured = f"the exact S_S and S_A {'grow' if grows else 'do not always grow'} with both"
    laboratory.claim("footnote 1", "X_{c,p} is the more informative the larger c and p are", measured, grows)

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        first, further = slice(len(places)), slice(len(places), None)
        if runs > 1:
            axes.plot(s_s[further], root[further], ".", color="0.7", markersize=3, label="further draws")
        axes.plot(s_s[first], root[first], "ko", markersize=3, label="first draw: a point for each $(c, p)$")
        axes.plot(exact_s_s, np.sqrt(exact_s_a / 2), "+", color="0.4", markersize=4, label="exact $S_S$ and $S_A$")
        axes.plot([0, 0.5], [0, 0.5], color="0.3", linestyle="--", linewidth=1)
        axes.set(xlabel="$\\hat{S}_S(X_{c,p})$", ylabel="$\\sqrt{\\hat{S}_A(X_{c,p})/2}$", aspect="equal")
        axes.legend(loc="upper left")
        light_grid(axes)

    header = ("run", "c", "p", "s_s", "s_a", "exact_s_s", "exact_s_a")
    return Finding(header, [(*row, *exact.get(row[1:3], (0.0, 0.0))) for row in rows], draw, size=(5.0, 4.6))


def _scores(task: tuple[int, int, float, float]) -> tuple[int, float, float, float, float]:
    """The scores of X_{c,p} in a table of its own, each from the models with and without it."""
    seed, run, c, p = task
    random = generator(seed, run, round(4 * c), round(10 * p))
    table = synthetic.shifted_columns(_ROWS, random, c=c, p=p, relevant=1, noise=1, balance=0.5)
    ranking = rank_plainly(table, "svm", removal="retrain", eliminate=False, seed=run)
    (scores,) = (feature for feature in ranking.features if feature.feature == "relevant_1")
    return run, c, p, scores.initial_s_s, scores.initial_s_a


def _power(s_s: Floats, s_a: Floats) -> float:
    """The exponent of the power of S_S that S_A follows best."""
    clear = (s_s > _CLEAR) & (s_a > 0)
    return float(np.polyfit(np.log(s_s[clear]), np.log(s_a[clear]), 1)[0])
