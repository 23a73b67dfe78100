"""Section 4.1: four cells, and two scores that disagree about them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from probfs.paper.claims import Claim, verdict
from probfs.paper.experiments.laboratory import Finding, Laboratory
from probfs.paper.experiments.samples import JOINT
from probfs.paper.theory import Joint, PopulationScores, joint_from_table, population_scores
from probfs.tables.reading import ReadOptions, read_table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_CLOSE = 1e-12
_PAPER = {"x1": (0.15, 0.0495), "x2": (12 / 110, 0.0765)}


def conduct(laboratory: Laboratory) -> Finding:
    joint = joint_from_table(read_table(JOINT, ReadOptions()))
    scores = population_scores(joint)
    first, second = scores
    agree = (first.s_s > second.s_s) == (first.s_a > second.s_a)
    claims = [
        *_conditionals(laboratory, joint),
        *(claim for score in scores for claim in _values(laboratory, score)),
        laboratory.claim(
            "section 4.3",
            "S_S selects x1 and S_A selects x2",
            f"S_S selects {_better(first.s_s, second.s_s)}, S_A {_better(first.s_a, second.s_a)}; "
            f"S_B, the gain in accuracy, {_better(first.s_b, second.s_b)}",
            verdict(not agree and first.s_s > second.s_s),
        ),
    ]
    rows = tuple((score.feature, score.s_s, score.s_a, score.s_b) for score in scores)
    return Finding(tuple(claims), ("feature", "s_s", "s_a", "s_b"), rows, lambda figure: _draw(figure, scores))


def _conditionals(laboratory: Laboratory, joint: Joint) -> list[Claim]:
    # The cells stand as in the paper: (0, 0), (0, 1), (1, 0), (1, 1); without x2 what is left is x1, and vice versa.
    by_first = joint.positive_without(1)[[0, 2]].astype(float)
    by_second = joint.positive_without(0)[[0, 1]].astype(float)
    change = float(joint.positive_without(0)[0] - joint.positive[0])
    return [
        laboratory.claim(
            "section 4.1",
            "P(y=1|x1) is 0.45 and 0.75, P(y=1|x2) is 0.66 and 0",
            f"{by_first[0]:.4g} and {by_first[1]:.4g}; {by_second[0]:.4g} and {by_second[1]:.4g}",
            verdict(np.allclose([*by_first, *by_second], [0.45, 0.75, 0.66, 0.0], atol=_CLOSE)),
        ),
        laboratory.claim(
            "section 4.1",
            "x1 moves the probability of (0, 0) by 0.165, rightly so 50.5 % of the time",
            f"{change:.4g}; {1 - float(joint.positive[0]):.1%}",
            verdict(abs(change - 0.165) < _CLOSE and abs(float(joint.positive[0]) - 0.495) < _CLOSE),
        ),
    ]


def _values(laboratory: Laboratory, scores: PopulationScores) -> list[Claim]:
    s_s, s_a = _PAPER[scores.feature]
    shown = "0.15" if scores.feature == "x1" else "0.10909… (printed with the bar over the 9 alone)"
    return [
        laboratory.claim(
            "section 4.3", f"S_S({scores.feature}) = {shown}", repr(scores.s_s), verdict(abs(scores.s_s - s_s) < _CLOSE)
        ),
        laboratory.claim(
            "section 4.3", f"S_A({scores.feature}) = {s_a}", repr(scores.s_a), verdict(abs(scores.s_a - s_a) < _CLOSE)
        ),
    ]


def _better(first: float, second: float) -> str:
    return "x1" if first > second else "x2"


def _draw(figure: Figure, scores: tuple[PopulationScores, ...]) -> None:
    axes = figure.subplots()
    bars = (("s_s", "$S_S$", "0.2", ""), ("s_a", "$S_A$", "0.6", "//"), ("s_b", "$S_B$", "0.9", ".."))
    for place, (name, label, shade, hatch) in enumerate(bars):
        heights = [getattr(score, name) for score in scores]
        at = np.arange(len(scores)) + 0.27 * (place - 1)
        drawn = axes.bar(at, heights, 0.25, label=label, color=shade, edgecolor="black", hatch=hatch)
        axes.bar_label(drawn, fmt="%.4f", padding=2)
    axes.set_xticks(range(len(scores)), [score.feature for score in scores])
    axes.set_ylabel("population score")
    axes.set_title("Section 4.1: the absolute score prefers x1, the signed one x2")
    axes.legend()
