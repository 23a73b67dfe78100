"""The prediction that the paper left open: where the model is wrong, Ŝ_A finds relevant columns more reliably."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from probfs.api import rank
from probfs.classifiers.scores import SCORES
from probfs.paper.claims import Claim, Verdict
from probfs.paper.experiments.figures import light_grid
from probfs.paper.experiments.laboratory import Finding, Laboratory, generator, mean_and_margin
from probfs.paper.experiments.misfit_tables import IRRELEVANT, MISFITS, RELEVANT, Misfit
from probfs.paper.synthetic import CLASS
from probfs.ranking.result import Ranking

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_UNLABELLED = 1_000
_SVM_EVERY = 4
"""A draw of the SVM takes as long as ten of Naive Bayes, and is made once in so many."""
_ENOUGH = 10
"""Draws below which nothing is decided."""
CASES = sum(len(misfit.sizes) for misfit in MISFITS)
_SCORES = {score.name: score.key for score in SCORES}


@dataclass(frozen=True)
class Draw:
    """How well each score ranks one table: the share of pairs in which the relevant column is above the other.

    By elimination, and by the scores of the first round alone.
    """

    s_s: float
    s_a: float
    s_su: float
    first_s_s: float
    first_s_a: float
    first_s_su: float


@dataclass(frozen=True, eq=False)
class Case:
    """A misfit at one number of rows, and how all its draws went."""

    misfit: Misfit
    rows: int
    draws: list[Draw]

    def mean(self, name: str) -> tuple[float, float]:
        return mean_and_margin(getattr(draw, name) for draw in self.draws)

    def gain(self, of: str, over: str = "s_s") -> tuple[float, float]:
        """By how much one score does better than another on the same tables, with intervals that hold for all cases."""
        return mean_and_margin((getattr(draw, of) - getattr(draw, over) for draw in self.draws), together=CASES)

    def verdict(self) -> Verdict:
        """Whether Ŝ_A's interval lies above 0, below it, or on both sides."""
        gain, margin = self.gain("s_a")
        if len(self.draws) < _ENOUGH or abs(gain) <= margin:
            return "undecided"
        return "holds" if gain > 0 else "does not hold"

    def perfect(self) -> bool:
        return all(draw.s_s == draw.s_a == 1 for draw in self.draws)

    def describe(self) -> str:
        gain, margin = self.gain("s_a")
        return f"{gain:+.3f} ± {margin:.3f} ({self.rows:,} rows)"


def conduct(laboratory: Laboratory) -> Finding:
    settings = [(number, rows) for number, misfit in enumerate(MISFITS) for rows in misfit.sizes]
    # One run of everything after the other, so that what is left is well estimated early on.
    tasks = [
        (laboratory.seed, number, rows, run)
        for run in range(laboratory.runs)
        for number, rows in settings
        if MISFITS[number].classifier == "nb" or run % _SVM_EVERY == 0
    ]
    results = laboratory.each(_draw, tasks)
    cases = [
        Case(MISFITS[number], rows, [r for r, task in zip(results, tasks, strict=True) if task[1:3] == (number, rows)])
        for number, rows in settings
    ]
    names = tuple(Draw.__dataclass_fields__)
    header = ("misfit", "classifier", "rows", "draws", *(f"{name}{end}" for name in names for end in ("", "_margin")))
    header += ("gain_s_a", "gain_s_a_margin", "gain_s_su", "gain_s_su_margin")
    return Finding(
        judge_claims(laboratory, cases),
        header,
        tuple(_row(case, names) for case in cases),
        lambda figure: _plot(figure, cases),
        size=(7.0, 6.4),
    )


def _draw(task: tuple[int, int, int, int]) -> Draw:
    seed, number, rows, run = task
    misfit = MISFITS[number]
    random = generator(seed, number, rows, run)
    labelled = misfit.problem(rows, random).labelled()
    unlabelled = misfit.problem(_UNLABELLED, random).unlabelled()
    # As in the paper, which knows no shrinkage, and eliminates one by one.
    options: dict[str, Any] = {"jobs": 1} if misfit.classifier == "svm" else {"shrink": "off"}
    rankings = [
        # The other two scores do not look at unlabelled rows.
        rank(
            labelled,
            target=CLASS,
            unlabeled=unlabelled if score == "unlabeled" else (),
            classifier=misfit.classifier,
            score=score,
            missing="skip",
            step=1,
            seed=run,
            **options,
        )
        for score in _SCORES
    ]
    return Draw(
        *(share_found([feature.feature for feature in ranking.features]) for ranking in rankings),
        *(share_found(_by_first_round(rankings[-1], name)) for name in _SCORES.values()),
    )


def _by_first_round(ranking: Ranking, name: str) -> list[str]:
    ordered = sorted(ranking.features, key=lambda feature: (-getattr(feature, f"initial_{name}"), feature.feature))
    return [feature.feature for feature in ordered]


def share_found(best_first: list[str]) -> float:
    """The share of pairs of a relevant and an irrelevant column in which the relevant one comes first.

    >>> share_found(["relevant_1", "noise_1", "copy_1", "relevant_2", "noise_2"])
    0.75
    """
    relevant = [place for place, name in enumerate(best_first) if name.startswith(RELEVANT)]
    irrelevant = [place for place, name in enumerate(best_first) if name.startswith(IRRELEVANT)]
    return float(np.mean([[mine < other for other in irrelevant] for mine in relevant]))


def _row(case: Case, names: tuple[str, ...]) -> tuple[object, ...]:
    means = [number for name in names for number in case.mean(name)]
    gains = [*case.gain("s_a"), *case.gain("s_su")]
    return (case.misfit.name, case.misfit.classifier, case.rows, len(case.draws), *means, *gains)


def judge_claims(laboratory: Laboratory, cases: list[Case]) -> tuple[Claim, ...]:
    wrong = [case for case in cases if not case.misfit.fits]
    fitting = [case for case in cases if case.misfit.fits]
    overall = laboratory.claim(
        "section 5, third prediction",
        "where the model does not fit, Ŝ_A finds relevant columns more reliably than Ŝ_S",
        _summary(wrong),
        join_verdicts(case.verdict() for case in wrong),
    )
    controls = laboratory.claim(
        "a model that fits (nb)",
        "(ours, not the paper's) there Ŝ_A and Ŝ_S find relevant columns equally well",
        "; ".join(_gains(misfit, fitting) for misfit in MISFITS if misfit.fits),
        join_verdicts("does not hold" if case.verdict() == "holds" else case.verdict() for case in fitting),
    )
    each = [
        laboratory.claim(
            f"{misfit.name} ({misfit.classifier})",
            f"the third prediction, for {misfit.what}",
            _gains(misfit, wrong),
            join_verdicts(case.verdict() for case in wrong if case.misfit == misfit),
        )
        for misfit in MISFITS
        if not misfit.fits
    ]
    return (overall, *each, controls)


def _gains(misfit: Misfit, cases: list[Case]) -> str:
    gains = ", ".join(case.describe() for case in cases if case.misfit == misfit)
    return f"{misfit.name}: Ŝ_A − Ŝ_S is {gains}" if misfit.fits else f"Ŝ_A − Ŝ_S is {gains}"


def _summary(cases: list[Case]) -> str:
    better, worse = (
        [f"{case.misfit.name} {case.rows:,}" for case in cases if case.verdict() == wanted]
        for wanted in ("holds", "does not hold")
    )
    perfect = sum(case.perfect() for case in cases)
    others = len(cases) - len(better) - len(worse) - perfect
    return (
        f"of {len(cases)} cases Ŝ_A is better in {len(better)} ({', '.join(better) or 'none'}) and worse in "
        f"{len(worse)} ({', '.join(worse) or 'none'}); in {perfect} both scores are perfect, in {others} the interval "
        f"spans 0 (95 % for all {CASES} cases together)"
    )


def join_verdicts(verdicts: Iterable[Verdict]) -> Verdict:
    """Worse anywhere; or else better somewhere; or neither."""
    found = set(verdicts)
    return "does not hold" if "does not hold" in found else "holds" if "holds" in found else "undecided"


def _plot(figure: Figure, cases: list[Case]) -> None:
    axes = figure.subplots()
    labels = [f"{case.misfit.name} ({case.misfit.classifier}), {case.rows:,} rows" for case in cases]
    places = np.arange(len(cases))[::-1]
    for of, shade, marker, shift, label in (
        ("s_a", "black", "^", 0.16, "$\\hat{S}_A - \\hat{S}_S$"),
        ("s_su", "0.55", "o", -0.16, "$\\hat{S}_{SU} - \\hat{S}_S$"),
    ):
        gains = np.array([case.gain(of) for case in cases])
        # Of few draws there is no interval to speak of.
        margins = [margin if len(case.draws) >= _ENOUGH else 0 for case, margin in zip(cases, gains[:, 1], strict=True)]
        axes.errorbar(
            gains[:, 0], places + shift, xerr=margins, fmt=marker, color=shade, markersize=4, capsize=2, label=label
        )
    axes.axvline(0, color="black", linewidth=0.8)
    axes.set_yticks(places, labels)
    axes.set_xlabel("gain in the share of pairs ranked right (intervals: 95 % for all together)")
    axes.set_title("Right of the line: better than $\\hat{S}_S$ on the same tables")
    axes.legend(loc="lower left")
    light_grid(axes)
