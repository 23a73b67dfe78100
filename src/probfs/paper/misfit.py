"""The prediction that the paper left open: where the model is wrong, Ŝ_A finds relevant columns more reliably.

The classes of these tables do not follow from their columns in the way a classifier assumes. Columns called relevant
decide the class: its probability changes with them, all others given. Those called noise and proxy do not, whatever
they go along with. Others are there to mislead, and are not judged. Noise holds yes as often as relevant columns do,
but where it is said otherwise: a column that splits the rows in halves moves probabilities more by chance than one that
is nearly always no.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from probfs.classifiers.scores import SCORES
from probfs.output.figure import light_grid
from probfs.paper.documents import Verdict
from probfs.paper.laboratory import Finding, Laboratory, first_scores, rank_plainly
from probfs.paper.synthetic import labelled_table, without_class
from probfs.tables.arrays import Floats, Integers
from probfs.tables.table import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

RELEVANT = "relevant"
IRRELEVANT = ("noise", "proxy")


def _fitting(
    rows: int, random: np.random.Generator, share: float = 0.5, shift: float = 0.0, noise_share: float = 0.5
) -> Table:
    relevant = _coins(rows, random, 4, share)
    odds = _weigh(relevant, (1.0, 0.7, 0.5, 0.35)) + shift
    return _sample(random, relevant, odds, noise=10, shares=(noise_share,))


def _copies(rows: int, random: np.random.Generator) -> Table:
    """Each copy is counted as new evidence."""
    strongest, *relevant = every = _coins(rows, random, 4)
    more = {f"copy_{number + 1}": strongest for number in range(6)}
    return _sample(random, relevant, _weigh(every, (1.0, 0.6, 0.5, 0.4)), noise=10, more=more)


def _copied_noise(rows: int, random: np.random.Generator) -> Table:
    """What it says by chance is counted six times."""
    *relevant, copied = _coins(rows, random, 4)
    more = {f"noise_copy_{number + 1}": copied for number in range(6)}
    return _sample(random, relevant, _weigh(relevant, (0.8, 0.5, 0.35)), noise=4, more=more)


def _proxies(rows: int, random: np.random.Generator) -> Table:
    relevant = _coins(rows, random, 3)
    more = _followers(relevant, rows, random)
    return _sample(random, relevant, _weigh(relevant, (1.2, 0.8, 0.5)), noise=4, more=more)


def _parity(rows: int, random: np.random.Generator) -> Table:
    first, second, third = relevant = _coins(rows, random, 3)
    return _sample(random, relevant, _weigh([first ^ second, third], (1.5, 0.7)), noise=10)


def _conjunction(rows: int, random: np.random.Generator) -> Table:
    first, second, third = relevant = _coins(rows, random, 3, 0.6)
    odds = np.where(first & second & third == 1, 1.7, -0.85)
    return _sample(random, relevant, odds, noise=10, shares=(0.6,))


def _label_noise(rows: int, random: np.random.Generator, noise: int = 12, proxies: bool = False) -> Table:
    """In seven rows of ten, which one column marks, the class is a coin toss; the others follow three columns. Proxies
    follow these everywhere: where the probability is a half, the model is wrong about columns that do not matter.
    """
    (where,) = _coins(rows, random, 1, 0.7)
    relevant = _coins(rows, random, 3)
    odds = np.where(where == 1, 0.0, _weigh(relevant, (2.0, 1.2, 0.8)))
    more = _followers(relevant, rows, random) if proxies else {}
    return _sample(random, [*relevant, where], odds, noise=noise, shares=(0.5, 0.5, 0.5, 0.7), more=more)


def _bowl(rows: int, random: np.random.Generator) -> Table:
    """The class depends on how far a column is from the middle, and on the product of two others; one is linear."""
    a, b, c, d = relevant = list(random.normal(size=(4, rows)))
    return _sample(random, relevant, 2.0 * (a**2 - 0.9) + 0.8 * b + 1.2 * c * d, noise=4, shares=())


def _steps_and_bends(rows: int, random: np.random.Generator) -> Table:
    """A bend whose middle is off the centre, a steep step, and a straight line: linear only in part."""
    a, b, c = relevant = list(random.normal(size=(3, rows)))
    odds = 2.5 * ((a - 0.5) ** 2 - 1) + 1.5 * np.tanh(3 * b - 1.5) + 0.5 * c
    return _sample(random, relevant, odds, noise=5, shares=())


def _coins(rows: int, random: np.random.Generator, number: int, share: float = 0.5) -> list[Integers]:
    """Columns of 0 and 1, of which 1 has this share."""
    return [(random.random(rows) < share).astype(np.int64) for _ in range(number)]


def _followers(leaders: Sequence[Integers], rows: int, random: np.random.Generator) -> dict[str, Integers]:
    """Two columns for each of these that hold the same in some nine rows of ten."""
    followers = [
        np.where(random.random(rows) < 0.8, leader, _coins(rows, random, 1)[0]) for leader in leaders for _ in range(2)
    ]
    return {f"proxy_{number}": follower for number, follower in enumerate(followers, 1)}


def _weigh(columns: Sequence[Integers], weights: Sequence[float]) -> Floats:
    """Log-odds of the positive class: each column speaks for or against it with its weight."""
    return np.asarray(np.asarray(weights) @ (2.0 * np.array(columns) - 1))


def _sample(
    random: np.random.Generator,
    relevant: Sequence[Any],
    odds: Floats,
    *,
    noise: int,
    shares: Sequence[float] = (0.5,),
    more: Mapping[str, Integers] | None = None,
) -> Table:
    """Relevant columns, others, and noise, of which yes has these shares in turn; without shares, all are numbers."""
    rows = len(odds)
    columns = {f"{RELEVANT}_{number}": column for number, column in enumerate(relevant, 1)} | dict(more or {})
    for number in range(noise):
        share = shares[number % len(shares)] if shares else None
        cells = random.normal(size=rows) if share is None else _coins(rows, random, 1, share)[0]
        columns[f"noise_{number + 1:02}"] = cells
    positive = random.random(rows) < 1 / (1 + np.exp(-odds))
    return labelled_table(columns, positive, ("no", "yes") if shares else ())


@dataclass(frozen=True)
class Misfit:
    """A way in which a classifier's assumption is wrong, or, for comparison, right."""

    name: str
    classifier: str
    what: str
    problem: Callable[[int, np.random.Generator], Table]
    fits: bool = False

    @property
    def sizes(self) -> tuple[int, ...]:
        return (40, 200, 1_000) if self.classifier == "nb" else (60, 200)


_EVEN_NOISE, _LOPSIDED_NOISE = partial(_fitting, share=0.15, shift=1.8), partial(_fitting, noise_share=0.15)
_NOISY_PROXIES = partial(_label_noise, noise=4, proxies=True)
MISFITS = [
    Misfit("fitting", "nb", "independent columns, as assumed", _fitting, fits=True),
    Misfit("even noise", "nb", "the same, the relevant columns being lopsided", _EVEN_NOISE, fits=True),
    Misfit("lopsided noise", "nb", "the same, the noise being lopsided", _LOPSIDED_NOISE, fits=True),
    Misfit("copies", "nb", "a relevant column that stands there six times", _copies),
    Misfit("copied noise", "nb", "a noise column that stands there six times", _copied_noise),
    Misfit("proxies", "nb", "columns that follow relevant ones", _proxies),
    Misfit("parity", "nb", "two columns that tell only together", _parity),
    Misfit("conjunction", "nb", "three columns that tell only if all are yes", _conjunction),
    Misfit("label noise", "nb", "labels that are coin tosses in 70 % of the rows", _label_noise),
    Misfit("noisy proxies", "nb", "coin tosses, and columns that follow relevant ones", _NOISY_PROXIES),
    Misfit("bowl", "svm", "squares and products under a linear SVM", _bowl),
    Misfit("steps and bends", "svm", "a bend and a step under a linear SVM", _steps_and_bends),
]


# The experiment

_UNLABELLED = 1_000
_SVM_EVERY = 4
"""A draw of the SVM takes as long as ten of Naive Bayes, and is made once in so many."""
_ENOUGH = 10
"""Draws below which nothing is decided."""
CASES = sum(len(misfit.sizes) for misfit in MISFITS)
_SCORES = {score.name: score.key for score in SCORES.values()}
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


def mean_and_margin(values: Floats, together: int = 1) -> tuple[float, float]:
    """A mean and half the width of its 95 % interval, or of one among several that hold ``together`` (Bonferroni)."""
    from scipy.special import stdtrit

    if len(values) < 2:
        return float(values.mean()), np.inf
    student = float(stdtrit(len(values) - 1, 1 - 0.025 / together))
    return float(values.mean()), student * float(values.std(ddof=1)) / float(np.sqrt(len(values)))


def misfit(laboratory: Laboratory) -> Finding:
    """The third prediction of section 5, on tables of which it is known which columns are relevant."""
    # One run of everything after the other, so that what is left is well estimated early on.
    tasks = [
        (laboratory.seed, number, rows, run)
        for run in range(laboratory.runs)
        for number, each in enumerate(MISFITS)
        for rows in each.sizes
        if each.classifier == "nb" or run % _SVM_EVERY == 0
    ]
    draws: dict[tuple[int, int], list[list[float]]] = {}
    for (_, number, rows, _), result in zip(tasks, laboratory.each(_draw, tasks), strict=True):
        draws.setdefault((number, rows), []).append(result)
    cases = [Case(MISFITS[number], rows, np.array(results)) for (number, rows), results in draws.items()]
    judge_prediction(laboratory, cases)
    columns = [f"{name}{end}" for name in (*MEASURES, "gain_s_a", "gain_s_su") for end in ("", "_margin")]
    rows_of_cases = []
    for case in cases:
        means = [number for values in case.draws.T for number in mean_and_margin(values)]
        first = (case.misfit.name, case.misfit.classifier, case.rows, len(case.draws))
        rows_of_cases.append([*first, *means, *case.gain("s_a"), *case.gain("s_su")])

    def draw(figure: Figure) -> None:
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

    return Finding(("misfit", "classifier", "rows", "draws", *columns), rows_of_cases, draw, size=(7.0, 6.4))


def _draw(task: tuple[int, int, int, int]) -> list[float]:
    """How well each score ranks one table, by all measures."""
    _, number, rows, run = task
    drawn, random = MISFITS[number], np.random.default_rng(task)
    labelled = drawn.problem(rows, random)
    unlabelled = without_class(drawn.problem(_UNLABELLED, random))
    found = []
    for score in _SCORES:
        # The other two scores do not look at unlabelled rows.
        more = unlabelled if score == "unlabeled" else ()
        ranking = rank_plainly(labelled, drawn.classifier, unlabeled=more, score=score, step=1, seed=run)
        found.append(share_found([feature.feature for feature in ranking.features]))
    for key in _SCORES.values():
        scores = first_scores(ranking, key)
        found.append(share_found(sorted(scores, key=lambda name: (-scores[name], name))))
    return found


def share_found(best_first: list[str]) -> float:
    """The share of pairs of a relevant and an irrelevant column in which the relevant one comes first.

    >>> share_found(["relevant_1", "noise_1", "copy_1", "relevant_2", "noise_2"])
    0.75
    """
    relevant = [place for place, name in enumerate(best_first) if name.startswith(RELEVANT)]
    irrelevant = [place for place, name in enumerate(best_first) if name.startswith(IRRELEVANT)]
    return float(np.mean(np.less.outer(relevant, irrelevant)))


def judge_prediction(laboratory: Laboratory, cases: list[Case]) -> None:
    """All cases together, each misfit, and the models that fit."""
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
