"""Section 5.3's numbers about the breast-cancer table: errors of the full model, and how its values are spread."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from probfs.api import rank
from probfs.paper.claims import Claim, verdict
from probfs.paper.experiments.laboratory import Finding, Laboratory
from probfs.paper.experiments.samples import TARGET, binarised_breast_cancer, breast_cancer, features_of
from probfs.tables.table import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_VALUES = tuple(str(value) for value in range(1, 11))
_PAPER = {"original": 23, "binarised": 24}
_FEW = 10
"""The paper's smallest training set."""


def conduct(laboratory: Laboratory) -> Finding:
    tables = {"original": breast_cancer(), "binarised": binarised_breast_cancer()}
    claims = [_errors(laboratory, name, table) for name, table in tables.items()]
    counts = _complete_counts(tables["original"])
    shares = {value: float(share) for value, share in zip(_VALUES, counts.sum(axis=0) / counts.sum(), strict=True)}
    claims += [_share(laboratory, shares, "1", 0.462), _share(laboratory, shares, "9", 0.011)]
    rare = [shares[value] for value in ("6", "7", "8")]
    # The chance that a value is not drawn in ten rows, summed over all values of all measures.
    rows = counts.sum(axis=1, keepdims=True)
    absent = float(((1 - counts / rows) ** _FEW).sum())
    claims += [
        laboratory.claim(
            "section 5.3",
            "the values 6, 7 and 8 each occur with a frequency below 4 %",
            ", ".join(f"{share:.1%}" for share in rare),
            verdict(max(rare) < 0.04),
        ),
        laboratory.claim(
            "section 5.3",
            "of most of the possible values, none would be among ten rows",
            f"{absent:.0f} of {counts.size} values are expected to be absent",
            verdict(absent > counts.size / 2),
        ),
    ]
    cells = tuple((value, share) for value, share in shares.items())
    return Finding(tuple(claims), ("value", "share"), cells, lambda figure: _draw(figure, shares))


def _errors(laboratory: Laboratory, name: str, table: Table) -> Claim:
    # Without smoothing: no other value gives both of the paper's numbers.
    first = rank(table, target=TARGET, smoothing=0, shrink="off", missing="skip", eliminate=False).rounds[0]
    return laboratory.claim(
        "section 5.3",
        f"{_PAPER[name]} of 699 leave-one-out errors on the {name} table",
        f"{first.errors} of {first.rows} (--smoothing 0)",
        verdict((first.errors, first.rows) == (_PAPER[name], 699)),
    )


def _complete_counts(table: Table) -> npt.NDArray[np.int64]:
    """Features × values: how many of the rows without a missing cell hold each value."""
    columns = [table.columns[name] for name in features_of(table)]
    complete = np.all([column.codes != len(column.values) for column in columns], axis=0)
    counts = np.zeros((len(columns), len(_VALUES)), dtype=np.int64)
    for own, column in zip(counts, columns, strict=True):
        for code, value in enumerate(column.values.to_pylist()):
            own[_VALUES.index(value)] = np.count_nonzero(column.codes[complete] == code)
    return counts


def _share(laboratory: Laboratory, shares: dict[str, float], value: str, paper: float) -> Claim:
    return laboratory.claim(
        "section 5.3",
        f"{paper:.1%} of the values are {value}",
        f"{shares[value]:.2%} of the cells, in rows without a missing one",
        verdict(round(shares[value], 3) == paper),
    )


def _draw(figure: Figure, shares: dict[str, float]) -> None:
    axes = figure.subplots()
    drawn = axes.bar(list(shares), np.array(list(shares.values())) * 100, color="0.6", edgecolor="black")
    axes.bar_label(drawn, fmt="%.1f", padding=2)
    axes.set_xlabel("value")
    axes.set_ylabel("cells, %")
    axes.set_title("Breast cancer: the values of all nine measures together")
