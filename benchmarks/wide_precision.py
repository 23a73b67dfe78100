"""How many of the informative columns of a wide table come first, without and with shrinkage, beside a χ² test.

From the project's root: python benchmarks/wide_precision.py --seed 1 --draws 10. Every draw is a new table. The figures
of ``expected`` were measured with a prototype of the shrinkage on tables of its own; the last column says whether the
product comes within 0.03 of them, plus the standard error of its own mean.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import asdict

import numpy as np
from scipy import stats

from probfs.classifiers.naive_bayes.classifier import FittedNaiveBayes
from probfs.classifiers.naive_bayes.model import ShrinkName
from probfs.classifiers.protocol import FitRequest
from probfs.classifiers.scores import ABSOLUTE, SIGNED, Score
from probfs.columns.dataset import Dataset
from probfs.ranking.elimination import eliminate, schedule
from wide_regimes import CALIBRATION_SEED, REGIMES, Draw, Regime

SCORES = (ABSOLUTE, SIGNED)
TOLERANCE = 0.03

HEADER = """\
| table | draws | score | χ² | shrink off | shrunk | expected: χ², off, shrunk | shrunk within 0.03 |
|---|---:|---|---:|---:|---:|---|---|"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--seed", type=int, default=1, help=f"seed of the tables; effects were chosen on {CALIBRATION_SEED}"
    )
    parser.add_argument("--draws", type=int, default=10, help="how many tables of each kind")
    parser.add_argument("--only", default="", help="only kinds of table whose name contains this")
    arguments = parser.parse_args()
    print(HEADER)
    for regime in REGIMES:
        if arguments.only in regime.name:
            for line in compare(regime, arguments.seed, arguments.draws):
                print(line, flush=True)


def compare(regime: Regime, seed: int, draws: int) -> Iterator[str]:
    """The lines of one kind of table, one for each score."""
    chi2 = Precisions()
    by_score = {score: {"off": Precisions(), regime.shrink: Precisions()} for score in SCORES}
    for number in range(draws):
        draw = regime.draw(np.random.default_rng([seed, number]))
        dataset = draw.to_dataset()
        chi2.append(draw.precision(rank_by_chi2(draw)))
        for score, by_shrink in by_score.items():
            for shrink, precisions in by_shrink.items():
                precisions.append(draw.precision(rank(dataset, score, regime.step, shrink)))
    for score, (plain, shrunk) in ((score, by_shrink.values()) for score, by_shrink in by_score.items()):
        off, on = (asdict(figures)[score.name] for figures in (regime.off, regime.on))
        expected = ", ".join("–" if figure is None else f"{figure:.2f}" for figure in (regime.chi2, off, on))
        cells = [regime.name, draws, score.name, chi2, plain, shrunk, expected, shrunk.verdict(on)]
        yield f"| {' | '.join(map(str, cells))} |"


class Precisions(list[float]):
    """Those of all draws."""

    @property
    def error(self) -> float:
        """The standard error of the mean."""
        return float(stats.sem(self)) if len(self) > 1 else 0.0

    def verdict(self, expected: float) -> str:
        difference = float(np.mean(self)) - expected
        if abs(difference) <= TOLERANCE + self.error:
            return "yes"
        return "above" if difference > 0 else "no"

    def __str__(self) -> str:
        return f"{np.mean(self):.3f} ± {self.error:.3f}"


def rank(dataset: Dataset, score: Score, step: float, shrink: ShrinkName) -> list[int]:
    """The numbers of the features, best first."""
    names = [feature.name for feature in dataset.features]
    request = FitRequest(dataset, "loo", None, 0, schedule(len(names), step))
    classifier = FittedNaiveBayes(request, 1.0, shrink)
    leaving: list[int] = []
    for one in eliminate(classifier, names, score, step):
        leaving += one.active[list(one.leaving)].tolist()
    return leaving[::-1]


def rank_by_chi2(draw: Draw) -> list[int]:
    """By the p-value of the χ² test of each column alone."""
    values, classes = range(int(draw.codes.max()) + 1), range(draw.classes)
    of_class = [draw.codes[draw.labels == label] for label in classes]
    counts = np.array([[(codes == value).sum(axis=0) for value in values] for codes in of_class])
    by_value, by_class = counts.sum(axis=0), np.bincount(draw.labels)
    independent = by_class[:, None, None] * by_value / len(draw.labels)
    # A value that does not occur adds nothing.
    statistic = ((counts - independent) ** 2 / np.maximum(independent, 1e-9)).sum(axis=(0, 1))
    freedom = (len(classes) - 1) * np.maximum((by_value > 0).sum(axis=0) - 1, 1)
    best_first: list[int] = np.argsort(stats.chi2.logsf(statistic, freedom), kind="stable").tolist()
    return best_first


if __name__ == "__main__":
    main()
