"""The breast-cancer table: errors of the full model and of pairs (section 5.3), and elimination by loss (eq. 10)."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from probfs.output.figure import light_grid
from probfs.paper.documents import Claim
from probfs.paper.experiments.laboratory import (
    Finding,
    Laboratory,
    binarised_breast_cancer,
    breast_cancer,
    features_of,
    generator,
    rank_plainly,
    with_rows,
)
from probfs.tables.arrays import Integers
from probfs.tables.table import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_TABLES = {"original": breast_cancer, "binarised": binarised_breast_cancer}
_VALUES = tuple(str(value) for value in range(1, 11))


def errors(laboratory: Laboratory) -> Finding:
    """Section 5.3's numbers about the table: errors of the full model, and how its values are spread."""
    claims = []
    for (name, table), expected in zip(_TABLES.items(), (23, 24), strict=True):
        # Without smoothing: no other value gives both of the paper's numbers.
        first = rank_plainly(table(), smoothing=0, eliminate=False).rounds[0]
        claims.append(
            laboratory.claim(
                "section 5.3",
                f"{expected} of 699 leave-one-out errors on the {name} table",
                f"{first.errors} of {first.rows} (--smoothing 0)",
                (first.errors, first.rows) == (expected, 699),
            )
        )
    counts = _complete_counts(breast_cancer())
    shares = {value: float(share) for value, share in zip(_VALUES, counts.sum(axis=0) / counts.sum(), strict=True)}
    for value, printed in (("1", 0.462), ("9", 0.011)):
        measured = f"{shares[value]:.2%} of the cells, in rows without a missing one"
        says = f"{printed:.1%} of the values are {value}"
        claims.append(laboratory.claim("section 5.3", says, measured, round(shares[value], 3) == printed))
    rare = [shares[value] for value in ("6", "7", "8")]
    # The chance that a value is not drawn in ten rows, the paper's fewest, summed over all values of all measures.
    absent = float(((1 - counts / counts.sum(axis=1, keepdims=True)) ** 10).sum())
    claims += [
        laboratory.claim(
            "section 5.3",
            "the values 6, 7 and 8 each occur with a frequency below 4 %",
            ", ".join(f"{share:.1%}" for share in rare),
            max(rare) < 0.04,
        ),
        laboratory.claim(
            "section 5.3",
            "of most of the possible values, none would be among ten rows",
            f"{absent:.0f} of {counts.size} values are expected to be absent",
            absent > counts.size / 2,
        ),
    ]

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        drawn = axes.bar(list(shares), np.array(list(shares.values())) * 100, color="0.6", edgecolor="black")
        axes.bar_label(drawn, fmt="%.1f", padding=2)
        axes.set(xlabel="value", ylabel="cells, %", title="Breast cancer: the values of all nine measures together")

    return Finding(claims, ("value", "share"), list(shares.items()), draw)


def _complete_counts(table: Table) -> Integers:
    """Features × values: how many of the rows without a missing cell hold each value."""
    columns = [table.columns[name] for name in features_of(table)]
    complete = np.all([column.codes != len(column.values) for column in columns], axis=0)
    counts = np.zeros((len(columns), len(_VALUES)), dtype=np.int64)
    for of_column, column in zip(counts, columns, strict=True):
        for code, value in enumerate(column.values.to_pylist()):
            of_column[_VALUES.index(value)] = np.count_nonzero(column.codes[complete] == code)
    return counts


Pair = tuple[str, int, int, int, float]
"""The table, two features, which are counted from 1, and the errors and the absolute loss of their model."""


def pairs(laboratory: Laboratory) -> Finding:
    """Section 5.3: classifiers of two features each; those with feature 9 do least well."""
    found = laboratory.each(_pair, [(name, *pair) for name in _TABLES for pair in combinations(range(1, 10), 2)])
    claims = [
        _worst(laboratory, [pair for pair in found if pair[0] == name], name, measure, digits)
        for name in _TABLES
        for measure, digits in (("errors", 1), ("absolute loss", 3))
    ]
    header = ("table", "first", "second", "errors", "absolute_loss")
    return Finding(claims, header, found, lambda figure: _draw_pairs(figure, found), size=(7.2, 3.6))


def _pair(task: tuple[str, int, int]) -> Pair:
    name, *numbers = task
    table = _TABLES[name]()
    both = [features_of(table)[number - 1] for number in numbers]
    # Leave-one-out without smoothing, as in the paper's error rates.
    model = rank_plainly(table, include=both, smoothing=0, eliminate=False).rounds[0]
    return *task, model.errors, model.absolute_loss


def _worst(laboratory: Laboratory, found: list[Pair], name: str, measure: str, digits: int) -> Claim:
    at = 3 if measure == "errors" else 4
    among = sum(9 in pair[1:3] for pair in sorted(found, key=lambda pair: -float(pair[at]))[:8])
    means = {feature: float(np.mean([pair[at] for pair in found if feature in pair[1:3]])) for feature in range(1, 10)}
    worst, next_worst = sorted(means, key=lambda feature: -means[feature])[:2]
    return laboratory.claim(
        "section 5.3",
        f"pairs with feature 9 perform least well (on average; {name} table, by {measure})",
        f"feature {worst}'s pairs are worst with {means[worst]:.{digits}f}, then {next_worst}'s with "
        f"{means[next_worst]:.{digits}f}; {among} of 9's 8 pairs are among the worst 8",
        worst == 9,
    )


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
        axes.set_xticks(range(9), [str(number) for number in range(1, 10)])
        axes.set_yticks(range(9), [str(number) for number in range(1, 10)])
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
    parts = laboratory.each(_steps, [(laboratory.seed, table) for table in range(laboratory.runs)])
    steps = [step for part in parts for step in part]
    gains = [without - with_it for *_, with_it, without, _ in steps]
    scores = [step[3] for step in steps]
    largest = max(abs(gain - score) for gain, score in zip(gains, scores, strict=True))
    same = sum(all(without - least <= _EXACT for *_, without, least in part) for part in parts)
    claims = [
        laboratory.claim(
            "eq. 10",
            "without a feature, the absolute loss is what it was with it, plus Ŝ_A",
            f"largest difference {largest:.1e} in {len(steps)} rounds",
            largest <= _EXACT,
        ),
        laboratory.claim(
            "section 4.3",
            "elimination by Ŝ_A and by absolute loss remove the same features in the same order",
            f"so in {same} of {laboratory.runs} tables, every model of the latter fitted anew",
            same == laboratory.runs,
        ),
    ]

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        axes.plot(scores, gains, "k.", markersize=4)
        ends = [min(scores), max(scores)]
        axes.plot(ends, ends, color="0.5", linestyle="--", linewidth=0.8)
        axes.set_xlabel("$\\hat{S}_A$ of the feature that leaves")
        axes.set_ylabel("what the absolute loss gains without it")
        axes.set_title("Eq. (10), a point for each round")
        light_grid(axes)

    header = ("table", "round", "feature", "s_a", "loss_with", "loss_without", "least_loss_without")
    return Finding(claims, header, steps, draw, size=(4.6, 4.2))


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
        losses = {name: _loss(table, [other for other in remaining if other != name]) for name in remaining}
        steps.append(
            (number, current.round, gone, scores[gone], current.absolute_loss, losses[gone], min(losses.values()))
        )
        remaining.remove(gone)
    return steps


def _loss(table: Table, features: list[str]) -> float:
    return rank_plainly(table, include=features, eliminate=False).rounds[0].absolute_loss
