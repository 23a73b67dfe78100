"""Figure 3: on X_{c,p} beside noise, with a linear SVM, Ŝ_S is about √(Ŝ_A/2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from probfs.api import rank
from probfs.paper import synthetic
from probfs.paper.claims import Claim, verdict
from probfs.paper.experiments.figure2 import shifted_scores
from probfs.paper.experiments.figures import light_grid
from probfs.paper.experiments.laboratory import Finding, Laboratory, generator

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_SHIFTS = tuple(step / 4 for step in range(13))
_SHARES = tuple(step / 10 for step in range(11))
_ROWS = 200
_CLOSE = 0.05
"""A distance that is small against scores up to ½."""
_CLEAR = 0.05
"""A score above which its logarithm is not mostly noise."""

Row = tuple[int, float, float, float, float]


def conduct(laboratory: Laboratory) -> Finding:
    tasks = [(laboratory.seed, run, c, p) for run in range(laboratory.runs) for c in _SHIFTS for p in _SHARES]
    rows = tuple(laboratory.each(_row, tasks))
    exact = dict(zip([(c, p) for c in _SHIFTS if c for p in _SHARES if p], _exact(), strict=True))
    header = ("run", "c", "p", "s_s", "s_a", "exact_s_s", "exact_s_a")
    cells = tuple((*row, *exact.get((row[1], row[2]), (0.0, 0.0))) for row in rows)
    return Finding(_claims(laboratory, rows), header, cells, lambda figure: _draw(figure, rows), size=(5.0, 4.6))


def _row(task: tuple[int, int, float, float]) -> Row:
    """The scores of X_{c,p} in a table of its own, each from the models with and without it."""
    seed, run, c, p = task
    random = generator(seed, run, round(4 * c), round(10 * p))
    sample = synthetic.shifted_columns(_ROWS, random, c=c, p=p, relevant=1, noise=1, balance=0.5)
    ranking = rank(
        sample.labelled(),
        target=synthetic.CLASS,
        classifier="svm",
        removal="retrain",
        eliminate=False,
        seed=run,
        jobs=1,
        missing="skip",
    )
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


def _with_sign(number: float) -> str:
    return f"{'−' if number < 0 else '+'} {abs(number):.3f}"


def _claims(laboratory: Laboratory, rows: Sequence[Row]) -> tuple[Claim, ...]:
    table = np.array(rows)
    s_s, s_a = table[:, 3], table[:, 4]
    distances = [
        _distance(part[:, 3], part[:, 4]) for part in (table[table[:, 0] == run] for run in range(laboratory.runs))
    ]
    slope, start = np.polyfit(s_s, _root(s_a), 1)
    exact = np.array(_exact())
    power, exact_power = _power(s_s, s_a), _power(*exact.T)
    grows = _grows(exact[:, 0]) and _grows(exact[:, 1])
    return (
        laboratory.claim(
            "figure 3",
            "Ŝ_S ≈ √(Ŝ_A/2) over all c and p",
            f"root mean square distance at most {max(distances):.3f} in {laboratory.runs} draws of "
            f"{len(rows) // laboratory.runs} tables ({_CLOSE} would do); √(Ŝ_A/2) = {slope:.2f} Ŝ_S "
            f"{_with_sign(start)}; of {len(rows)} Ŝ_A {np.count_nonzero(s_a < 0)} are below 0 and count as 0",
            verdict(max(distances) <= _CLOSE),
        ),
        laboratory.claim(
            "section 5, first prediction",
            "Ŝ_A varies approximately as the square of Ŝ_S",
            f"as its power {power:.2f} (1.8 to 2.2 would do; scores above {_CLEAR}); the exact S_A as the power "
            f"{exact_power:.2f} of S_S",
            verdict(1.8 <= power <= 2.2),
        ),
        laboratory.claim(
            "footnote 1",
            "X_{c,p} is the more informative the larger c and p are",
            f"the exact S_S and S_A {'grow' if grows else 'do not always grow'} with both",
            verdict(grows),
        ),
    )


def _distance(s_s: np.ndarray, s_a: np.ndarray) -> float:
    return float(np.sqrt(np.mean((s_s - _root(s_a)) ** 2)))


def _grows(scores: np.ndarray) -> bool:
    """Whether scores, by c and then by p, grow with both."""
    grid = scores.reshape(len(_SHIFTS) - 1, len(_SHARES) - 1)
    return bool((np.diff(grid, axis=0) > 0).all() and (np.diff(grid, axis=1) > 0).all())


def _draw(figure: Figure, rows: Sequence[Row]) -> None:
    table = np.array(rows)
    axes = figure.subplots()
    first = table[:, 0] == 0
    root = _root(table[:, 4])
    if not first.all():
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
