"""The breast-cancer table: errors of the full model and of pairs (section 5.3), and elimination by loss (eq. 10)."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from probfs.output.figure import light_grid
from probfs.paper.experiments.laboratory import (
    Finding,
    Laboratory,
    binarised_breast_cancer,
    breast_cancer,
    generator,
    rank_plainly,
    with_rows,
)
from probfs.paper.synthetic import features_of
from probfs.ranking.result import RoundSummary
from probfs.tables.arrays import Integers
from probfs.tables.table import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_TABLES = {"original": breast_cancer, "binarised": binarised_breast_cancer}
_VALUES = tuple(str(value) for value in range(1, 11))


def errors(laboratory: Laboratory) -> Finding:
    """Section 5.3's numbers about the table: errors of the full model, and how its values are spread."""
    where = "section 5.3"
    for (name, table), expected in zip(_TABLES.items(), (23, 24), strict=True):
        # Without smoothing: no other value gives both of the paper's numbers.
        found = _full_model(table(), smoothing=0)
        says, measured = (
            f"{expected} of 699 leave-one-out errors on the {name} table",
            f"{found.errors} of {found.rows}",
        )
        laboratory.claim(where, says, f"{measured} (--smoothing 0)", (found.errors, found.rows) == (expected, 699))
    counts = _complete_counts(breast_cancer())
    shares = dict(zip(_VALUES, (counts.sum(axis=0) / counts.sum()).tolist(), strict=True))
    for value, printed in (("1", 0.462), ("9", 0.011)):
        measured = f"{shares[value]:.2%} of the cells, in rows without a missing one"
        laboratory.claim(
            where, f"{printed:.1%} of the values are {value}", measured, round(shares[value], 3) == printed
        )
    rare = [shares[value] for value in ("6", "7", "8")]
    says, measured = "the values 6, 7 and 8 each occur with a frequency below 4 %", ", ".join(f"{s:.1%}" for s in rare)
    laboratory.claim(where, says, measured, max(rare) < 0.04)
    # The chance that a value is not drawn in ten rows, the paper's fewest, summed over all values of all measures.
    absent = float(((1 - counts / counts.sum(axis=1, keepdims=True)) ** 10).sum())
    measured = f"{absent:.0f} of {counts.size} values are expected to be absent"
    says = "of most of the possible values, none would be among ten rows"
    laboratory.claim(where, says, measured, absent > counts.size / 2)

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        drawn = axes.bar(list(shares), np.array(list(shares.values())) * 100, color="0.6", edgecolor="black")
        axes.bar_label(drawn, fmt="%.1f", padding=2)
        axes.set(xlabel="value", ylabel="cells, %", title="Breast cancer: the values of all nine measures together")

    return Finding(("value", "share"), list(shares.items()), draw)


def _full_model(table: Table, **options: Any) -> RoundSummary:
    return rank_plainly(table, eliminate=False, **options).rounds[0]


def _complete_counts(table: Table) -> Integers:
    """Features × values: how many of the rows without a missing cell hold each value."""
    columns = [table.columns[name] for name in features_of(table)]
    complete = ~np.any([column.is_missing() for column in columns], axis=0)
    numbers = np.array([column.by_row[complete] for column in columns])
    return np.stack([np.count_nonzero(numbers == float(value), axis=1) for value in _VALUES], axis=1)


Pair = tuple[str, int, int, int, float]
"""The table, two features, which are counted from 1, and the errors and the absolute loss of their model."""


def pairs(laboratory: Laboratory) -> Finding:
    """Section 5.3: classifiers of two features each; those with feature 9 do least well."""
    found = laboratory.each(_pair, [(name, *pair) for name in _TABLES for pair in combinations(range(1, 10), 2)])
    for name in _TABLES:
        for measure, at, digits in (("errors", 3, 1), ("absolute loss", 4, 3)):
            values = {frozenset(pair[1:3]): float(pair[at]) for pair in found if pair[0] == name}
            means = [float(np.mean([value for pair, value in values.items() if one in pair])) for one in range(1, 10)]
            worst, next_worst = sorted(range(1, 10), key=lambda feature: -means[feature - 1])[:2]
            among = sum(9 in pair for pair in sorted(values, key=lambda pair: -values[pair])[:8])
            says = f"pairs with feature 9 perform least well (on average; {name} table, by {measure})"
            measured = (
                f"feature {worst}'s pairs are worst with {means[worst - 1]:.{digits}f}, then {next_worst}'s with "
                f"{means[next_worst - 1]:.{digits}f}; {among} of 9's 8 pairs are among the worst 8"
            )
            laboratory.claim("section 5.3", says, measured, worst == 9)
    header = ("table", "first", "second", "errors", "absolute_loss")
    return Finding(header, found, lambda figure: _draw_pairs(figure, found), size=(7.2, 3.6))


def _pair(task: tuple[str, int, int]) -> Pair:
    name, *numbers = task
    table = _TABLES[name]()
    # Leave-one-out without smoothing, as in the paper's error rates.
    model = _full_model(table, include=[features_of(table)[number - 1] for number in numbers], smoothing=0)
    return *task, model.errors, model.absolute_loss


def _draw_pairs(figure: Figure, found: list[Pair]) -> None:
    panels = figure.subplots(1, 2)
    for axes, name in zip(panels, _TABLES, strict=True):
        grid = np.full((9, 9), np.nan)
        for table, first, second, wrong, _ in found:
            if table == name:
                grid[first - 1, second - 1] = grid[second - 1, first - 1] = wrong
        image = axes.imshow(grid, cmap="Greys", vmin=0)
        for row, column in zip(*np.nonzero(~np.isnan(grid)), strict=True):
            shade = "white" if grid[row, column] > 0.6 * np.nanmax(grid) else "black"
            axes.text(column, row, f"{grid[row, column]:.0f}", ha="center", va="center", color=shade, fontsize=6.5)
        axes.set_xticks(range(9), range(1, 10))
        axes.set_yticks(range(9), range(1, 10))
        axes.set(title=f"{name}: errors of 699", xlabel="feature")
        figure.colorbar(image, ax=axes, shrink=0.7)
    panels[0].set_ylabel("feature")


Step = tuple[int, int, str, float, float, float, float]
"""A round of an elimination by Ŝ_A: the table, the round, the feature that left and its score; the loss with it, the
loss of the model without it, and that of the best model without any one feature."""
_ROWS = 60
_EXACT = 1e-12


def equivalence(laboratory: Laboratory) -> Finding:
    """Eq. (10): to eliminate by Ŝ_A is to eliminate by absolute loss."""
    runs = laboratory.runs
    parts = laboratory.each(_steps, [(laboratory.seed, table) for table in range(runs)])
    steps = [step for part in parts for step in part]
    scores, losses = [step[3] for step in steps], np.array([step[4:] for step in steps])
    gains = losses[:, 1] - losses[:, 0]
    largest = float(np.abs(gains - scores).max())
    says = "without a feature, the absolute loss is what it was with it, plus Ŝ_A"
    measured = f"largest difference {largest:.1e} in {len(steps)} rounds"
    laboratory.claim("eq. 10", says, measured, largest <= _EXACT)
    same = sum(all(without - least <= _EXACT for *_, without, least in part) for part in parts)
    says = "elimination by Ŝ_A and by absolute loss remove the same features in the same order"
    measured = f"so in {same} of {runs} tables, every model of the latter fitted anew"
    laboratory.claim("section 4.3", says, measured, same == runs)

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        axes.plot(scores, gains, "k.", markersize=4)
        ends = [min(scores), max(scores)]
        axes.plot(ends, ends, color="0.5", linestyle="--", linewidth=0.8)
        axes.set(xlabel="$\\hat{S}_A$ of the feature that leaves", ylabel="what the absolute loss gains without it")
        axes.set_title("Eq. (10), a point for each round")
        light_grid(axes)

    header = ("table", "round", "feature", "s_a", "loss_with", "loss_without", "least_loss_without")
    return Finding(header, steps, draw, size=(4.6, 4.2))


def _steps(task: tuple[int, int]) -> list[Step]:
    """One table: the first is the whole breast-cancer table, the others are rows drawn from it."""
    seed, number = task
    table = breast_cancer()
    if number:
        table = with_rows(table, generator(seed, number).choice(table.rows, _ROWS, replace=False))
    ranking = rank_plainly(table, score="signed")
    scores = {feature.feature: feature.s_a for feature in ranking.features}
    remaining = features_of(table)
    steps = []
    # With one feature left there is no model without it to compare with, only the share of the classes.
    for current in ranking.rounds[:-1]:
        (gone,) = current.removed
        losses = {
            name: _full_model(table, include=[other for other in remaining if other != name]).absolute_loss
            for name in remaining
        }
        loss = current.absolute_loss
        steps.append((number, current.round, gone, scores[gone], loss, losses[gone], min(losses.values())))
        remaining.remove(gone)
    return steps
