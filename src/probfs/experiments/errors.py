"""Section 5.3's numbers about the breast-cancer table: errors of the full model, and how its values are spread."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from probfs.api import rank
from probfs.claims import Claim, verdict
from probfs.experiments.lab import Finding, Lab
from probfs.experiments.samples import TARGET, binarised_breast_cancer, breast_cancer, features_of
from probfs.table import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_PAPER = {"original": 23, "binarised": 24}
_TO_THE_DIGIT = 0.001
"""Shares are printed with one digit after the point, rounded or cut off."""


def conduct(lab: Lab) -> Finding:
    tables = {"original": breast_cancer(), "binarised": binarised_breast_cancer()}
    claims = [_errors(lab, name, table) for name, table in tables.items()]
    shares = _shares(tables["original"])
    claims += [_share(lab, shares, "1", 0.462), _share(lab, shares, "9", 0.011)]
    rare = {value: shares[value] for value in ("6", "7", "8")}
    claims.append(
        lab.claim(
            "section 5.3",
            "the values 6, 7 and 8 each occur with a frequency below 4 %",
            ", ".join(f"{share:.1%}" for share in rare.values()),
            verdict(max(rare.values()) < 0.04),
        )
    )
    rows = tuple((value, share) for value, share in shares.items())
    return Finding(tuple(claims), ("value", "share"), rows, lambda figure: _draw(figure, shares))


def _errors(lab: Lab, name: str, table: Table) -> Claim:
    # Without smoothing: no other value gives both of the paper's numbers.
    first = rank(table, target=TARGET, smoothing=0, eliminate=False).rounds[0]
    return lab.claim(
        "section 5.3",
        f"{_PAPER[name]} of 699 leave-one-out errors on the {name} table",
        f"{first.errors} of {first.rows} (--smoothing 0)",
        verdict((first.errors, first.rows) == (_PAPER[name], 699)),
    )


def _shares(table: Table) -> dict[str, float]:
    """How many of all cells hold each value."""
    totals = dict.fromkeys((str(value) for value in range(1, 11)), 0)
    for name in features_of(table):
        column = table.columns[name]
        for value, count in zip(column.values.to_pylist(), column.counts()[:-1].tolist(), strict=True):
            totals[value] += count
    cells = table.rows * len(features_of(table))
    return {value: count / cells for value, count in totals.items()}


def _share(lab: Lab, shares: dict[str, float], value: str, paper: float) -> Claim:
    return lab.claim(
        "section 5.3",
        f"{paper:.1%} of the values are {value}",
        f"{shares[value]:.2%} of all cells",
        verdict(abs(shares[value] - paper) < _TO_THE_DIGIT),
    )


def _draw(figure: Figure, shares: dict[str, float]) -> None:
    axes = figure.subplots()
    drawn = axes.bar(list(shares), np.array(list(shares.values())) * 100, color="0.6", edgecolor="black")
    axes.bar_label(drawn, fmt="%.1f", padding=2)
    axes.set_xlabel("value")
    axes.set_ylabel("cells, %")
    axes.set_title("Breast cancer: the values of all nine measures together")
