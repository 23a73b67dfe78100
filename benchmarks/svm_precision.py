"""How many of the columns that matter the SVM ranks first, beside a χ² test, on tables of several shapes.

Run ``python benchmarks/svm_precision.py [DRAWS]``; the table in docs/background/benchmarks.md comes from it.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.stats import chi2_contingency

import probfs

ROWS = 500
RELEVANT = 10
_NUMERIC = 0
_BINS = 5


@dataclass(frozen=True)
class Shape:
    """A kind of table: shares of the classes, and how many values each column has (0 for a column of numbers)."""

    description: str
    shares: Sequence[float]
    relevant: Sequence[tuple[int, float]]
    """The number of values and the strength of each of the ten columns that matter."""
    noise: Sequence[int]


_FEW = (3, 4, 5, 3, 4, 5, 3, 4, 5, 4)
_SMALL = (2, 3, 4, 5, 6)

SHAPES = {
    "many values": Shape(
        "5 classes, 40 columns of noise with 20 values", [0.2] * 5, [(values, 0.35) for values in _FEW], [20] * 40
    ),
    "rare class": Shape(
        "5 % positive, 40 columns of noise with 20 values", [0.95, 0.05], [(values, 0.6) for values in _FEW], [20] * 40
    ),
    "ordinary": Shape(
        "2 classes, numbers and categories of 2 to 6 values",
        [0.5, 0.5],
        [*((values, 0.25) for values in _SMALL), *[(_NUMERIC, 0.2)] * 5],
        [*_SMALL * 4, *[_NUMERIC] * 20],
    ),
    "relevant many values": Shape(
        "2 classes, 20 values in 5 of the 10 relevant columns and in half of the noise",
        [0.5, 0.5],
        [*((values, 0.25) for values in _SMALL), *[(20, 0.35)] * 5],
        [*_SMALL * 4, *[20] * 20],
    ),
}


def draw_table(shape: Shape, seed: int) -> pd.DataFrame:
    """A table whose relevant columns are called ``relevant …``; the last column is the class."""
    generator = np.random.default_rng(seed)
    ends = np.rint(np.cumsum(shape.shares) * ROWS).astype(int)
    labels = generator.permutation(np.searchsorted(ends, np.arange(ROWS), side="right"))
    columns = {
        f"relevant {number}": _draw_column(values, strength, labels, generator)
        for number, (values, strength) in enumerate(shape.relevant)
    } | {f"noise {number}": _draw_column(values, 0.0, labels, generator) for number, values in enumerate(shape.noise)}
    return pd.DataFrame(columns).assign(y=np.char.add("c", labels.astype(str)))


def _draw_column(
    values: int, strength: float, labels: npt.NDArray[np.intp], generator: np.random.Generator
) -> npt.NDArray[np.generic]:
    classes = labels.max() + 1
    if values == _NUMERIC:
        return np.where(labels == 0, -strength, strength) + generator.normal(size=len(labels))
    shares = np.exp(strength * generator.normal(size=(classes, values)))
    ends = np.cumsum(shares / shares.sum(axis=1, keepdims=True), axis=1)
    drawn = (ends[labels, :-1] < generator.random(len(labels))[:, None]).sum(axis=1)
    return np.char.add("v", drawn.astype(str))


def precision_of_svm(frame: pd.DataFrame, seed: int = 0) -> float:
    """The share of relevant columns among the first ten of the SVM's ranking."""
    ranking = probfs.rank(frame, target="y", classifier="svm", step=0.3, permutations=5, seed=seed, jobs=1)
    return _precision([feature.feature for feature in ranking.features])


def precision_of_chi_squared(frame: pd.DataFrame) -> float:
    """The same for columns in the order of their p-values, numbers cut into five intervals."""
    p_values = {}
    for name in frame.columns[:-1]:
        cells = frame[name] if frame[name].dtype.kind != "f" else pd.qcut(frame[name], _BINS, labels=False)
        p_values[name] = chi2_contingency(pd.crosstab(cells, frame["y"]), correction=False).pvalue
    return _precision(sorted(p_values, key=p_values.__getitem__))


def _precision(names: Sequence[str]) -> float:
    return sum(name.startswith("relevant") for name in names[:RELEVANT]) / RELEVANT


def main(draws: int) -> None:
    for name, shape in SHAPES.items():
        tables = [draw_table(shape, seed) for seed in range(draws)]
        svm = [precision_of_svm(frame, seed) for seed, frame in enumerate(tables)]
        tested = [precision_of_chi_squared(frame) for frame in tables]
        error = np.std(svm, ddof=1) / np.sqrt(draws)
        measured = f"SVM {np.mean(svm):.2f} ± {error:.2f}, χ² {np.mean(tested):.2f}"
        print(f"{name} ({shape.description}): {measured}", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20)
