"""Section 5.3: classifiers of two features each; those with feature 9 do least well."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from probfs.api import rank
from probfs.paper.claims import Claim, verdict
from probfs.paper.experiments.laboratory import Finding, Laboratory, records
from probfs.paper.experiments.samples import TARGET, binarised_breast_cancer, breast_cancer, features_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_SUSPECT = 9


@dataclass(frozen=True)
class Pair:
    """A model of two features, which are counted from 1."""

    table: str
    first: int
    second: int
    errors: int
    absolute_loss: float


def conduct(laboratory: Laboratory) -> Finding:
    names = ("original", "binarised")
    tasks = [(name, *pair) for name in names for pair in combinations(range(1, 10), 2)]
    pairs = laboratory.each(_pair, tasks)
    claims = [
        _claim(laboratory, [pair for pair in pairs if pair.table == name], name, measure, what)
        for name in names
        for measure, what in (("errors", "errors"), ("absolute_loss", "absolute loss"))
    ]
    return Finding(tuple(claims), *records(pairs), lambda figure: _draw(figure, pairs), size=(7.2, 3.6))


def _pair(task: tuple[str, int, int]) -> Pair:
    name, first, second = task
    table = breast_cancer() if name == "original" else binarised_breast_cancer()
    features = features_of(table)
    both = [features[first - 1], features[second - 1]]
    # Leave-one-out without smoothing, as in the paper's error rates.
    model = rank(table, target=TARGET, include=both, smoothing=0, shrink="off", missing="skip", eliminate=False).rounds[
        0
    ]
    return Pair(name, first, second, model.errors, model.absolute_loss)


def _claim(laboratory: Laboratory, pairs: list[Pair], name: str, measure: str, what: str) -> Claim:
    worst_first = sorted(pairs, key=lambda pair: -getattr(pair, measure))
    among = sum(_SUSPECT in (pair.first, pair.second) for pair in worst_first[:8])
    means = {
        feature: float(np.mean([getattr(pair, measure) for pair in pairs if feature in (pair.first, pair.second)]))
        for feature in range(1, 10)
    }
    order = sorted(means, key=lambda feature: -means[feature])
    digits = 1 if measure == "errors" else 3
    worst, next_worst = order[:2]
    return laboratory.claim(
        "section 5.3",
        f"pairs with feature 9 perform least well (on average; {name} table, by {what})",
        f"feature {worst}'s pairs are worst with {means[worst]:.{digits}f}, then {next_worst}'s with "
        f"{means[next_worst]:.{digits}f}; {among} of 9's 8 pairs are among the worst 8",
        verdict(worst == _SUSPECT),
    )


def _draw(figure: Figure, pairs: list[Pair]) -> None:
    panels = figure.subplots(1, 2)
    for axes, name in zip(panels, ("original", "binarised"), strict=True):
        grid = np.full((9, 9), np.nan)
        for pair in pairs:
            if pair.table == name:
                grid[pair.first - 1, pair.second - 1] = grid[pair.second - 1, pair.first - 1] = pair.errors
        image = axes.imshow(grid, cmap="Greys", vmin=0)
        for row, column in zip(*np.nonzero(~np.isnan(grid)), strict=True):
            dark = grid[row, column] > 0.6 * np.nanmax(grid)
            shade = "white" if dark else "black"
            axes.text(column, row, f"{grid[row, column]:.0f}", ha="center", va="center", color=shade, fontsize=6.5)
        axes.set_xticks(range(9), [str(number) for number in range(1, 10)])
        axes.set_yticks(range(9), [str(number) for number in range(1, 10)])
        axes.set_title(f"{name}: errors of 699")
        axes.set_xlabel("feature")
        figure.colorbar(image, ax=axes, shrink=0.7)
    panels[0].set_ylabel("feature")
