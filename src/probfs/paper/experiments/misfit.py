"""The prediction that the paper left open: where the model is wrong, Ŝ_A finds relevant columns more reliably."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from probfs.classifiers.scores import SCORES
from probfs.output.figure import light_grid
from probfs.paper.documents import Claim, Verdict
from probfs.paper.experiments.laboratory import Finding, Laboratory, generator, mean_and_margin, rank_plainly
from probfs.paper.experiments.misfit_tables import IRRELEVANT, MISFITS, RELEVANT, Misfit
from probfs.ranking.result import Ranking
from probfs.tables.arrays import Floats

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_UNLABELLED = 1_000
_SVM_EVERY = 4
"""A draw of the SVM takes as long as ten of Naive Bayes, and is made once in so many."""
_ENOUGH = 10
"""Draws below which nothing is decided."""
CASES = sum(len(misfit.sizes) for misfit in MISFITS)
_SCORES = {score.name: score.key for score in SCORES}
MEASURES = (*_SCORES.values(), *(f"first_{key}" for key in _SCORES.values()))
"""Of each draw: how well each score ranks by elimination, and by the scores of the first round alone."""


@dataclass(frozen=True, eq=False)
class Case:
    """A misfit at one number of rows, and how all its draws went: draws × measures."""

    misfit: Misfit
    rows: int
    draws: Floats

    def gain(self, of: str) -> tuple[float, float]:
        """By how much a score does better than Ŝ_S on the same tables, with intervals that hold for all cases."""
        return mean_and_margin(self.draws[:, MEASURES.index(of)] - self.draws[:, 0], together=CASES)

    @property
    def name(self) -> str:
        return f"{self.misfit.name} {self.rows:,}"

    @property
    def verdict(self) -> Verdict:
        """Whether Ŝ_A's interval lies above 0, below it, or on both sides."""
        gain, margin = self.gain("s_a")
        if len(self.draws) < _ENOUGH or abs(gain) <= margin:
            return "undecided"
        return "holds" if gain > 0 else "does not hold"

    @property
    def is_perfect(self) -> bool:
        return bool((self.draws[:, :2] == 1).all())

    def row(self) -> list[object]:
        means = [number for values in self.draws.T for number in mean_and_margin(values)]
        gains = [*self.gain("s_a"), *self.gain("s_su")]
        return [self.misfit.name, self.misfit.classifier, self.rows, len(self.draws), *means, *gains]


def misfit(laboratory: Laboratory) -> Finding:
    settings = [(number, rows) for number, each in enumerate(MISFITS) for rows in each.sizes]
    # One run of everything after the other, so that what is left is well estimated early on.
    tasks = [
        (laboratory.seed, number, rows, run)
        for run in range(laboratory.runs)
        for number, rows in settings
        if MISFITS[number].classifier == "nb" or run % _SVM_EVERY == 0
    ]
    results = laboratory.each(_draw, tasks)
    cases = [
        Case(MISFITS[number], rows, np.array([r for r, t in zip(results, tasks, strict=True) if t[1:3] == setting]))
        for setting in settings
        for number, rows in [setting]
    ]
    columns = [f"{name}{end}" for name in (*MEASURES, "gain_s_a", "gain_s_su") for end in ("", "_margin")]
    header = ("misfit", "classifier", "rows", "draws", *columns)
    rows_of_cases = [case.row() for case in cases]
    claims = judge_claims(laboratory, cases)
    return Finding(claims, header, rows_of_cases, lambda figure: _plot(figure, cases), size=(7.0, 6.4))


def _draw(task: tuple[int, int, int, int]) -> list[float]:
    """How well each score ranks one table, by all measures."""
    seed, number, rows, run = task
    drawn = MISFITS[number]
    random = generator(seed, number, rows, run)
    labelled = drawn.problem(rows, random).labelled()
    unlabelled = drawn.problem(_UNLABELLED, random).unlabelled()
    rankings = [
        # The other two scores do not look at unlabelled rows.
        rank_plainly(
            labelled,
            drawn.classifier,
            unlabeled=unlabelled if score == "unlabeled" else (),
            score=score,
            step=1,
            seed=run,
        )
        for score in _SCORES
    ]
    by_elimination = [share_found([feature.feature for feature in ranking.features]) for ranking in rankings]
    return [*by_elimination, *(share_found(_by_first_round(rankings[-1], key)) for key in _SCORES.values())]


def _by_first_round(ranking: Ranking, key: str) -> list[str]:
    ordered = sorted(ranking.features, key=lambda feature: (-getattr(feature, f"initial_{key}"), feature.feature))
    return [feature.feature for feature in ordered]


def share_found(best_first: list[str]) -> float:
    """The share of pairs of a relevant and an irrelevant column in which the relevant one comes first.

    >>> share_found(["relevant_1", "noise_1", "copy_1", "relevant_2", "noise_2"])
    0.75
    """
    relevant = [place for place, name in enumerate(best_first) if name.startswith(RELEVANT)]
    irrelevant = [place for place, name in enumerate(best_first) if name.startswith(IRRELEVANT)]
    return float(np.mean([[mine < other for other in irrelevant] for mine in relevant]))


def judge_claims(laboratory: Laboratory, cases: list[Case]) -> list[Claim]:
    wrong = [case for case in cases if not case.misfit.fits]
    fitting = [case for case in cases if case.misfit.fits]
    better, worse = ([case.name for case in wrong if case.verdict == wanted] for wanted in ("holds", "does not hold"))
    perfect = sum(case.is_perfect for case in wrong)
    others = len(wrong) - len(better) - len(worse) - perfect

    def gains(of: Misfit) -> str:
        told = []
        for case in cases:
            if case.misfit == of:
                gain, margin = case.gain("s_a")
                told.append(f"{gain:+.3f} ± {margin:.3f} ({case.rows:,} rows)")
        return f"Ŝ_A − Ŝ_S is {', '.join(told)}"

    return [
        laboratory.claim(
            "section 5, third prediction",
            "where the model does not fit, Ŝ_A finds relevant columns more reliably than Ŝ_S",
            f"of {len(wrong)} cases Ŝ_A is better in {len(better)} ({', '.join(better) or 'none'}) and worse in "
            f"{len(worse)} ({', '.join(worse) or 'none'}); in {perfect} both scores are perfect, in {others} the "
            f"interval spans 0 (95 % for all {CASES} cases together)",
            join_verdicts(case.verdict for case in wrong),
        ),
        *(
            laboratory.claim(
                f"{each.name} ({each.classifier})",
                f"the third prediction, for {each.what}",
                gains(each),
                join_verdicts(case.verdict for case in wrong if case.misfit == each),
            )
            for each in MISFITS
            if not each.fits
        ),
        laboratory.claim(
            "a model that fits (nb)",
            "(ours, not the paper's) there Ŝ_A and Ŝ_S find relevant columns equally well",
            "; ".join(f"{each.name}: {gains(each)}" for each in MISFITS if each.fits),
            join_verdicts("does not hold" if case.verdict == "holds" else case.verdict for case in fitting),
        ),
    ]


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
        gains, margins = np.array([case.gain(of) for case in cases]).T
        # Of few draws there is no interval to speak of.
        margins = [margin if len(case.draws) >= _ENOUGH else 0 for case, margin in zip(cases, margins, strict=True)]
        axes.errorbar(
            gains, places + shift, xerr=margins, fmt=marker, color=shade, markersize=4, capsize=2, label=label
        )
    axes.axvline(0, color="black", linewidth=0.8)
    axes.set_yticks(places, labels)
    axes.set_xlabel("gain in the share of pairs ranked right (intervals: 95 % for all together)")
    axes.set_title("Right of the line: better than $\\hat{S}_S$ on the same tables")
    axes.legend(loc="lower left")
    light_grid(axes)
