"""Figure 4: how often the one informative feature of five is ranked first, under three ways of sampling."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np
import numpy.typing as npt

from probfs.api import rank
from probfs.paper import synthetic
from probfs.paper.catalogue import SAMPLINGS, Sampling
from probfs.paper.claims import Claim, verdict
from probfs.paper.experiments.figures import LABELS, STYLES, light_grid
from probfs.paper.experiments.laboratory import Finding, Laboratory, generator, portions
from probfs.tables.table import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_TRIALS: tuple[Sampling, ...] = SAMPLINGS
_SIZES = tuple(range(20, 181, 20))
_UNLABELLED = 1_000
_SCORES = ("s_s", "s_a", "s_su")
_SMOOTHINGS = (0, 1)
"""The paper does not name it: 0 gives its error rates in section 5.3, 1 is what we use unless told otherwise."""
_COMPARABLE = 0.10
"""How far apart, on average and as a share of the runs, results may lie that the paper calls comparable or the same."""

Counts = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Task = tuple[int, Sampling, int, range]


def conduct(laboratory: Laboratory) -> Finding:
    tasks = [
        (laboratory.seed, trial, size, runs)
        for trial in _TRIALS
        for size in _SIZES
        for runs in portions(laboratory.runs)
    ]
    results = laboratory.each(_count_picks, tasks)
    counts = np.zeros((len(_SMOOTHINGS), len(_TRIALS), len(_SIZES), len(_SCORES)), dtype=np.int64)
    for (_, trial, size, _), picked in zip(tasks, results, strict=True):
        counts[:, _TRIALS.index(trial), _SIZES.index(size)] += picked
    rows = tuple(
        (smoothing, trial, size, laboratory.runs, *counts[k, i, j].tolist())
        for k, smoothing in enumerate(_SMOOTHINGS)
        for i, trial in enumerate(_TRIALS)
        for j, size in enumerate(_SIZES)
    )
    claims = tuple(
        claim
        for smoothing, own in zip(_SMOOTHINGS, counts, strict=True)
        for claim in judge_claims(laboratory, own / laboratory.runs, f"--smoothing {smoothing}")
    )
    header = ("smoothing", "trial", "rows", "runs", *_SCORES)
    return Finding(claims, header, rows, lambda figure: _draw(figure, counts, laboratory.runs), size=(7.2, 5.6))


def _count_picks(task: Task) -> Counts:
    """In how many of these runs each score is highest, with no other as high, for x1; smoothings × scores."""
    seed, trial, size, runs = task
    counts = np.zeros((len(_SMOOTHINGS), len(_SCORES)), dtype=np.int64)
    for run in runs:
        random = generator(seed, _TRIALS.index(trial), size, run)
        labelled = synthetic.nominal(size, random, sampling=trial)
        unlabelled = synthetic.nominal(_UNLABELLED, random).unlabelled()
        if labelled.positive.all() or not labelled.positive.any():
            # All rows of one class: nothing can be ranked, and x1 is not picked.
            continue
        for position, smoothing in enumerate(_SMOOTHINGS):
            counts[position] += _highest(labelled.labelled(), unlabelled, smoothing)
    return counts


def _highest(labelled: Table, unlabelled: Table, smoothing: int) -> list[bool]:
    ranking = rank(
        labelled,
        target=synthetic.CLASS,
        unlabeled=unlabelled,
        estimate="resubstitution",
        smoothing=smoothing,
        shrink="off",
        missing="skip",
        eliminate=False,
    )
    picked = []
    for score in _SCORES:
        values = {feature.feature: getattr(feature, f"initial_{score}") for feature in ranking.features}
        picked.append(values.pop("x1") > max(values.values()))
    return picked


@dataclass(frozen=True)
class Lead:
    """By how much one trial is ahead of another, at all sizes together."""

    ahead: int
    sizes: int
    mean: float
    holds: bool
    """Ahead on average, and nowhere behind by more than chance makes it; at the ceiling nobody can be ahead."""

    @classmethod
    def of(cls, more: Floats, fewer: Floats, runs: int) -> Self:
        error = np.sqrt((more * (1 - more) + fewer * (1 - fewer)) / runs)
        lead = more - fewer
        holds = bool(lead.mean() > 0 and np.all(lead >= -2 * error))
        return cls(int(np.count_nonzero(lead > 0)), len(lead), float(lead.mean()), holds)

    def describe(self) -> str:
        return f"at {self.ahead} of {self.sizes} sizes, by {self.mean:.1%} of the runs on average"


@dataclass(frozen=True, eq=False)
class Judge:
    """Puts the claims of one smoothing to the test."""

    laboratory: Laboratory
    share: Floats
    """How many of the runs pick x1, by trial, size and score."""
    setting: str

    def claim(self, where: str, says: str, measured: str, holds: bool) -> Claim:
        return self.laboratory.claim(f"{where}, {self.setting}", says, measured, verdict(holds))

    def comparable(self, where: str, says: str, difference: Floats) -> Claim:
        """The claim that results are as good as the same, whose difference at each size is given."""
        mean, most = difference.mean(), difference.max()
        apart = f"{mean:.1%} of the runs apart on average, {most:.1%} at most"
        return self.claim(where, says, f"{apart} ({_COMPARABLE:.0%} on average would do)", bool(mean < _COMPARABLE))

    def leads(self, where: str, says: str, leads: Sequence[Lead]) -> Claim:
        """The claim that Ŝ_S and Ŝ_A are both ahead."""
        measured = f"Ŝ_S {leads[0].describe()}; Ŝ_A {leads[1].describe()}"
        return self.claim(where, says, measured, all(lead.holds for lead in leads))

    @property
    def scores(self) -> tuple[Floats, ...]:
        """Ŝ_S, Ŝ_A and Ŝ_SU, each by trial and size."""
        return tuple(np.moveaxis(self.share, 2, 0))

    def first_and_second_trial(self) -> tuple[Claim, ...]:
        s_s, s_a, s_su = self.scores
        more = [Lead.of(score[1], score[0], self.laboratory.runs) for score in (s_s, s_a)]
        first, second = "section 5.2, first trial", "section 5.2, second trial"
        return (
            self.comparable(
                first, "sampled proportionately, the three scores perform comparably", np.ptp(self.share[0], axis=1)
            ),
            self.leads(second, "Ŝ_S and Ŝ_A find x1 more often than in the first trial", more),
            self.comparable(second, "Ŝ_SU performs nearly as in the first trial", np.abs(s_su[1] - s_su[0])),
        )

    def third_trial(self) -> tuple[Claim, ...]:
        s_s, s_a, s_su = self.scores
        sizes = self.share.shape[1]
        fewer = [Lead.of(score[:2].min(axis=0), score[2], self.laboratory.runs) for score in (s_s, s_a)]
        losses = [score[0] - score[2] for score in (s_s, s_a)]
        ordered = int(np.count_nonzero((s_su[2] > s_a[2]) & (s_a[2] > s_s[2])))
        gains = s_su[2] - np.maximum(s_s[2], s_a[2])
        where = "section 5.2, third trial"
        return (
            self.leads(where, "Ŝ_S and Ŝ_A find x1 less often than in either other trial", fewer),
            self.claim(
                where,
                "the degradation is greatest for Ŝ_S",
                f"against the first trial Ŝ_S loses {losses[0].mean():.1%} of the runs, Ŝ_A {losses[1].mean():.1%}",
                bool(np.all(losses[0] > losses[1])),
            ),
            self.comparable(
                where,
                "Ŝ_SU performs at approximately the same level as in the other trials",
                np.abs(s_su[2] - s_su[:2]).max(axis=0),
            ),
            self.claim(
                "figure 4, third trial",
                "Ŝ_SU is above Ŝ_A, and Ŝ_A above Ŝ_S",
                f"at {ordered} of {sizes} sizes, {self.laboratory.runs} runs each",
                ordered == sizes,
            ),
            self.claim(
                where,
                "by how much Ŝ_SU outperforms the others does not depend on the number of rows",
                f"by {gains.min():.1%} to {gains.max():.1%} of the runs ({_COMPARABLE:.0%} apart would do), "
                f"{gains[0]:.1%} with the fewest rows and {gains[-1]:.1%} with the most",
                bool(np.ptp(gains) < _COMPARABLE),
            ),
        )

    def all_trials(self) -> tuple[Claim, ...]:
        sizes = self.share.shape[1]
        moves = [np.ptp(score, axis=0) for score in self.scores]
        steadiest = int(np.count_nonzero(moves[2] < np.minimum(moves[0], moves[1])))
        calmer = int(np.count_nonzero(moves[1] < moves[0]))
        return (
            self.claim(
                "figure 4",
                "Ŝ_SU is far more robust to how the rows are sampled",
                f"between trials it moves by up to {moves[2].max():.1%} of the runs, Ŝ_S by {moves[0].max():.1%}, Ŝ_A "
                f"by {moves[1].max():.1%}; least of the three at {steadiest} of {sizes} sizes",
                steadiest == sizes,
            ),
            self.claim(
                "figure 4",
                "Ŝ_A is less sensitive to how the rows are sampled than Ŝ_S",
                f"it moves less between trials at {calmer} of {sizes} sizes",
                calmer == sizes,
            ),
        )


def judge_claims(laboratory: Laboratory, share: Floats, setting: str) -> tuple[Claim, ...]:
    """The claims; ``share`` is how many of the runs pick x1, by trial, size and score."""
    judge = Judge(laboratory, share, setting)
    return (*judge.first_and_second_trial(), *judge.third_trial(), *judge.all_trials())


def _draw(figure: Figure, counts: Counts, runs: int) -> None:
    panels = figure.subplots(len(_SMOOTHINGS), len(_TRIALS), sharex=True, sharey=True)
    titles = ("1: proportionate", "2: oversampling", "3: undersampling")
    for smoothing, line, by_trial in zip(_SMOOTHINGS, panels, counts, strict=True):
        for axes, title, trial in zip(line, titles, by_trial, strict=True):
            for score, values in zip(_SCORES, trial.T, strict=True):
                axes.plot(_SIZES, values, label=LABELS[score], **STYLES[score])
            axes.set_title(f"{title}, smoothing {smoothing}")
            light_grid(axes)
    panels[0, 0].set_ylim(0, runs * 1.03)
    panels[0, 0].set_xticks(_SIZES[::2])
    panels[0, 0].yaxis.get_major_locator().set_params(integer=True)
    panels[0, -1].legend(loc="lower right")
    figure.supxlabel("labelled rows")
    figure.supylabel(f"runs (of {runs}) in which x1 has the highest score")
