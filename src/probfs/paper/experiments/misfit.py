"""The prediction that the paper left open: where the model is wrong, Ŝ_A finds relevant columns more reliably."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from probfs.classifiers.scores import SCORES
from probfs.output.figure import light_grid
from probfs.paper.documents import Verdict
from probfs.paper.experiments.laboratory import Finding, Laboratory, generator, mean_and_margin, rank_plainly
from probfs.paper.experiments.misfit_tables import IRRELEVANT, MISFITS, RELEVANT, Misfit
from probfs.paper.synthetic import without_class
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
    def verdict(self) -> Verdict:
        """Whether Ŝ_A's interval lies above 0, below it, or on both sides."""
        gain, margin = self.gain("s_a")
        if len(self.draws) < _ENOUGH or abs(gain) <= margin:
            return "undecided"
        return "holds" if gain > 0 else "does not hold"


def misfit(laboratory: Laboratory) -> Finding:
    settings = [(number, rows) for number, each in enumerate(MISFITS) for rows in each.sizes]
    # One run of everything after the other, so that what is left is well estimated early on.
    tasks = [
        (laboratory.seed, *setting, run)
        for run in range(laboratory.runs)
        for setting in settings
        if MISFITS[setting[0]].classifier == "nb" or run % _SVM_EVERY == 0
    ]
    draws: dict[tuple[int, int], list[list[float]]] = {setting: [] for setting in settings}
    for (_, *setting, _), result in zip(tasks, laboratory.each(_draw, tasks), strict=True):
        draws[setting[0], setting[1]].append(result)
    cases = [Case(MISFITS[number], rows, np.array(results)) for (number, rows), results in draws.items()]
    judge_claims(laboratory, cases)
    columns = [f"{name}{end}" for name in (*MEASURES, "gain_s_a", "gain_s_su") for end in ("", "_margin")]
    rows_of_cases = []
    for case in cases:
        means = [number for values in case.draws.T for number in mean_and_margin(values)]
        first = (case.misfit.name, case.misfit.classifier, case.rows, len(case.draws))
        rows_of_cases.append([*first, *means, *case.gain("s_a"), *case.gain("s_su")])
    header = ("misfit", "classifier", "rows", "draws", *columns)
    return Finding(header, rows_of_cases, lambda figure: _plot(figure, cases), size=(7.0, 6.4))


def _draw(task: tuple[int, int, int, int]) -> list[float]:
    """How well each score ranks one table, by all measures."""
    seed, number, rows, run = task
    drawn, random = MISFITS[number], generator(seed, number, rows, run)
    labelled = drawn.problem(rows, random)
    unlabelled = without_class(drawn.problem(_UNLABELLED, random))
    found = []
    for score in _SCORES:
        # The other two scores do not look at unlabelled rows.
        more = unlabelled if score == "unlabeled" else ()
        ranking = rank_plainly(labelled, drawn.classifier, unlabeled=more, score=score, step=1, seed=run)
        found.append(share_found([feature.feature for feature in ranking.features]))
    for key in _SCORES.values():
        ordered = sorted(ranking.features, key=lambda feature: (-getattr(feature, f"initial_{key}"), feature.feature))
        found.append(share_found([feature.feature for feature in ordered]))
    return found


def share_found(best_first: list[str]) -> float:
    """The share of pairs of a relevant and an irrelevant column in which the relevant one comes first.

    >>> share_found(["relevant_1", "noise_1", "copy_1", "relevant_2", "noise_2"])
    0.75
    """
    relevant = [place for place, name in enumerate(best_first) if name.startswith(RELEVANT)]
    irrelevant = [place for place, name in enumerate(best_first) if name.startswith(IRRELEVANT)]
    return float(np.mean(np.less.outer(relevant, irrelevant)))


def judge_claims(laboratory: Laboratory, cases: list[Case]) -> None:
    wrong = [case for case in cases if not case.misfit.fits]
    better, worse = (
        [f"{case.misfit.name} {case.rows:,}" for case in wrong if case.verdict == wanted]
        for wanted in ("holds", "does not hold")
    )
    perfect = sum(bool((case.draws[:, :2] == 1).all()) for case in wrong)
    measured = (
        f"of {len(wrong)} cases Ŝ_A is better in {len(better)} ({', '.join(better) or 'none'}) and worse in "
        f"{len(worse)} ({', '.join(worse) or 'none'}); in {perfect} both scores are perfect, in "
        f"{len(wrong) - len(better) - len(worse) - perfect} the interval spans 0 (95 % for all {CASES} cases together)"
    )
    says = "where the model does not fit, Ŝ_A finds relevant columns more reliably than Ŝ_S"
    laboratory.claim("section 5, third prediction", says, measured, join_verdicts(case.verdict for case in wrong))

    def gains(of: Misfit) -> str:
        told = [(*case.gain("s_a"), case.rows) for case in cases if case.misfit == of]
        return f"Ŝ_A − Ŝ_S is {', '.join(f'{gain:+.3f} ± {margin:.3f} ({rows:,} rows)' for gain, margin, rows in told)}"

    for each in MISFITS:
        if not each.fits:
            verdict = join_verdicts(case.verdict for case in wrong if case.misfit == each)
            says = f"the third prediction, for {each.what}"
            laboratory.claim(f"{each.name} ({each.classifier})", says, gains(each), verdict)
    fitting = [case.verdict for case in cases if case.misfit.fits]
    says = "(ours, not the paper's) there Ŝ_A and Ŝ_S find relevant columns equally well"
    measured = "; ".join(f"{each.name}: {gains(each)}" for each in MISFITS if each.fits)
    verdict = join_verdicts("undecided" if verdict == "undecided" else "does not hold" for verdict in fitting)
    laboratory.claim("a model that fits (nb)", says, measured, verdict)


def join_verdicts(verdicts: Iterable[Verdict]) -> Verdict:
    """Worse anywhere; or else better somewhere; or neither."""
    found = set(verdicts)
    return "does not hold" if "does not hold" in found else "holds" if "holds" in found else "undecided"


def _plot(figure: Figure, cases: list[Case]) -> None:
    axes = figure.subplots()
    places = np.arange(len(cases))[::-1]
    for of, shade, marker, shift, label in (
        ("s_a", "black", "^", 0.16, "$\\hat{S}_A - \\hat{S}_S$"),
        ("s_su", "0.55", "o", -0.16, "$\\hat{S}_{SU} - \\hat{S}_S$"),
    ):
        # Of few draws there is no interval to speak of.
        gains, margins = np.array([case.gain(of) for case in cases]).T
        margins = np.where([len(case.draws) >= _ENOUGH for case in cases], margins, 0)
        style: Any = {"fmt": marker, "color": shade, "markersize": 4, "capsize": 2}
        axes.errorbar(gains, places + shift, xerr=margins, label=label, **style)
    axes.axvline(0, color="black", linewidth=0.8)
    axes.set_yticks(places, [f"{one.misfit.name} ({one.misfit.classifier}), {one.rows:,} rows" for one in cases])
    axes.set_xlabel("gain in the share of pairs ranked right (intervals: 95 % for all together)")
    axes.set_title("Right of the line: better than $\\hat{S}_S$ on the same tables")
    axes.legend(loc="lower left")
    light_grid(axes)
