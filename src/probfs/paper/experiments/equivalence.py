"""Eq. (10): to eliminate by Ŝ_A is to eliminate by absolute loss."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from probfs.api import rank
from probfs.paper.claims import verdict
from probfs.paper.experiments.figures import light_grid
from probfs.paper.experiments.laboratory import Finding, Laboratory, generator, records
from probfs.paper.experiments.samples import TARGET, breast_cancer, features_of, with_rows
from probfs.tables.table import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_ROWS = 60
_EXACT = 1e-12


@dataclass(frozen=True)
class Step:
    """A round of the elimination by Ŝ_A, beside what removing each feature really does to the loss."""

    table: int
    round: int
    feature: str
    s_a: float
    """The score of the feature that left."""
    loss_with: float
    loss_without: float
    """The loss of the model without the feature that left …"""
    least_loss_without: float
    """… and of the best model without any one feature."""


def conduct(laboratory: Laboratory) -> Finding:
    steps = [
        step
        for part in laboratory.each(_steps, [(laboratory.seed, table) for table in range(laboratory.runs)])
        for step in part
    ]
    largest = max(abs(step.loss_without - step.loss_with - step.s_a) for step in steps)
    same = [
        all(step.loss_without - step.least_loss_without <= _EXACT for step in steps if step.table == table)
        for table in range(laboratory.runs)
    ]
    claims = (
        laboratory.claim(
            "eq. 10",
            "without a feature, the absolute loss is what it was with it, plus Ŝ_A",
            f"largest difference {largest:.1e} in {len(steps)} rounds",
            verdict(largest <= _EXACT),
        ),
        laboratory.claim(
            "section 4.3",
            "elimination by Ŝ_A and by absolute loss remove the same features in the same order",
            f"so in {sum(same)} of {laboratory.runs} tables, every model of the latter fitted anew",
            verdict(all(same)),
        ),
    )
    return Finding(claims, *records(steps), lambda figure: _draw(figure, steps), size=(4.6, 4.2))


def _steps(task: tuple[int, int]) -> list[Step]:
    """One table: the first is the whole breast-cancer table, the others are rows drawn from it."""
    seed, number = task
    table = breast_cancer()
    if number:
        random = generator(seed, number)
        table = with_rows(table, random.choice(table.rows, _ROWS, replace=False))
    ranking = rank(table, target=TARGET, score="signed", shrink="off", missing="skip")
    left = {feature.feature: feature for feature in ranking.features}
    remaining = features_of(table)
    steps = []
    # With one feature left there is no model without it to compare with, only the share of the classes.
    for current in ranking.rounds[:-1]:
        (gone,) = current.removed
        losses = {name: _loss(table, [other for other in remaining if other != name]) for name in remaining}
        steps.append(
            Step(number, current.round, gone, left[gone].s_a, current.absolute_loss, losses[gone], min(losses.values()))
        )
        remaining.remove(gone)
    return steps


def _loss(table: Table, features: list[str]) -> float:
    return (
        rank(table, target=TARGET, include=features, shrink="off", missing="skip", eliminate=False)
        .rounds[0]
        .absolute_loss
    )


def _draw(figure: Figure, steps: list[Step]) -> None:
    axes = figure.subplots()
    axes.plot([s.s_a for s in steps], [s.loss_without - s.loss_with for s in steps], "k.", markersize=4)
    low, high = min(s.s_a for s in steps), max(s.s_a for s in steps)
    axes.plot([low, high], [low, high], color="0.5", linestyle="--", linewidth=0.8)
    axes.set_xlabel("$\\hat{S}_A$ of the feature that leaves")
    axes.set_ylabel("what the absolute loss gains without it")
    axes.set_title("Eq. (10), a point for each round")
    light_grid(axes)
