"""Kinds of table with more columns than rows, and two with fewer, of which it is known which columns are informative.

The columns of a table are independent given the class. How far an informative column differs between the classes, its
``effect``, was chosen once for each kind, on tables drawn from ``CALIBRATION_SEED``, so that a χ² test finds as many of
the informative columns as it did on the tables that ``expected`` comes from.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from probfs.classifiers.naive_bayes.model import ShrinkName
from probfs.columns.dataset import Dataset, Feature

CALIBRATION_SEED = 0

Codes = npt.NDArray[np.intp]
Generator = np.random.Generator


@dataclass(frozen=True, eq=False)
class Draw:
    """A table of value codes with a row for each row and a column for each feature; classes; the informative ones."""

    codes: Codes
    labels: Codes
    informative: frozenset[int]

    @property
    def classes(self) -> int:
        return int(self.labels.max()) + 1

    def to_dataset(self) -> Dataset:
        rows, features = self.codes.shape
        columns = tuple(_feature(f"f{number:05}", self.codes[:, number]) for number in range(features))
        names = tuple(f"c{label}" for label in range(self.classes))
        return Dataset(columns, names, self.labels, np.ones(rows, np.int64), np.empty(0, np.int64))

    def precision(self, best_first: Sequence[int]) -> float:
        """The share of informative columns among as many first ones as there are informative columns."""
        return len(self.informative.intersection(best_first[: len(self.informative)])) / len(self.informative)


@dataclass(frozen=True)
class Figures:
    """Precisions of a ranking by absolute and by signed."""

    absolute: float
    signed: float


@dataclass(frozen=True)
class Regime:
    """One kind of table, the step of its elimination, and the precisions to compare with."""

    name: str
    draw: Callable[[Generator], Draw]
    step: int | float
    off: Figures
    on: Figures
    chi2: float | None = None
    shrink: ShrinkName = "auto"
    """``on`` for tables that ``auto`` leaves alone."""


def genotypes(
    generator: Generator, rows: int, features: int, informative: int, effect: float, positive: float = 0.5
) -> Draw:
    """How many of two alleles are the rarer one; in an informative column its frequency differs by the effect."""
    labels = _two_classes(generator, rows, positive)
    differences = np.zeros(features)
    differences[:informative] = effect * generator.choice([-1, 1], informative)
    frequencies = generator.uniform(0.1, 0.5, features) + (labels[:, None] - 0.5) * differences
    return _shuffle_columns(generator, generator.binomial(2, np.clip(frequencies, 0.02, 0.98)), labels, informative)


def expressions(generator: Generator, rows: int, features: int, informative: int, effect: float, bins: int) -> Draw:
    """Normal numbers in quantile bins; in an informative column the means differ by the effect (σ = 1)."""
    labels = _two_classes(generator, rows, 0.5)
    numbers = generator.standard_normal((rows, features))
    numbers[:, :informative] += (labels[:, None] - 0.5) * effect * generator.choice([-1, 1], informative)
    codes = np.zeros((rows, features), np.intp)
    for cut in np.quantile(numbers, np.arange(1, bins) / bins, axis=0):
        codes += numbers > cut
    return _shuffle_columns(generator, codes, labels, informative)


def categories(
    generator: Generator, rows: int, features: int, effects: Sequence[float], values: tuple[int, int], classes: int = 2
) -> Draw:
    """Columns of between so and so many values; in an informative column each class adds a distribution of its own to
    the common one, with the effect as its weight.
    """
    labels = generator.permutation(np.arange(rows) % classes)
    codes = np.empty((rows, features), np.intp)
    for number in range(features):
        even = np.full(generator.integers(*values, endpoint=True), 2.0)
        effect = effects[number] if number < len(effects) else 0.0
        shares = (1 - effect) * generator.dirichlet(even) + effect * generator.dirichlet(even, size=classes)
        codes[:, number] = (generator.random(rows)[:, None] > np.cumsum(shares, axis=1)[labels, :-1]).sum(axis=1)
    return _shuffle_columns(generator, codes, labels, len(effects))


def _two_classes(generator: Generator, rows: int, positive: float) -> Codes:
    return generator.permutation((np.arange(rows) < round(positive * rows)).astype(np.intp))


def _shuffle_columns(generator: Generator, codes: Codes, labels: Codes, informative: int) -> Draw:
    """Ties go to names, so informative columns must not be the first."""
    places = generator.permutation(codes.shape[1])
    return Draw(codes[:, places], labels, frozenset(np.flatnonzero(places < informative).tolist()))


def _feature(name: str, codes: Codes) -> Feature:
    """Only values that occur are values, as in a table that was read."""
    values, own = np.unique(codes, return_inverse=True)
    dtype = np.min_scalar_type(len(values))
    return Feature(name, pa.array(values.astype(str), pa.string()), own.astype(dtype), np.empty(0, dtype))


REGIMES = (
    Regime(
        "SNP 100 × 1,000",
        partial(genotypes, rows=100, features=1_000, informative=50, effect=0.168),
        1,
        Figures(0.49, 0.33),
        Figures(0.56, 0.56),
        0.58,
    ),
    Regime(
        "SNP 100 × 20,000",
        partial(genotypes, rows=100, features=20_000, informative=50, effect=0.253),
        0.1,
        Figures(0.38, 0.01),
        Figures(0.62, 0.62),
        0.68,
    ),
    Regime(
        "SNP 100 × 20,000, 30 % positive",
        partial(genotypes, rows=100, features=20_000, informative=50, effect=0.253, positive=0.3),
        0.1,
        Figures(0.34, 0.01),
        Figures(0.52, 0.55),
    ),
    Regime(
        "genes 100 × 20,000, 5 bins",
        partial(expressions, rows=100, features=20_000, informative=50, effect=0.82, bins=5),
        0.1,
        Figures(0.15, 0.01),
        Figures(0.44, 0.43),
        0.43,
    ),
    Regime(
        "genes 100 × 20,000, 3 bins",
        partial(expressions, rows=100, features=20_000, informative=50, effect=0.855, bins=3),
        0.1,
        Figures(0.17, 0.02),
        Figures(0.54, 0.54),
        0.55,
    ),
    Regime(
        "genes 300 × 5,000, 5 bins",
        partial(expressions, rows=300, features=5_000, informative=50, effect=0.503, bins=5),
        0.1,
        Figures(0.53, 0.39),
        Figures(0.63, 0.66),
        0.67,
    ),
    Regime(
        "SNP 200 × 2,000, 10 % positive",
        partial(genotypes, rows=200, features=2_000, informative=50, effect=0.262, positive=0.1),
        0.05,
        Figures(0.49, 0.09),
        Figures(0.71, 0.70),
        0.71,
    ),
    Regime(
        "5 classes, 150 × 1,000",
        partial(categories, rows=150, features=1_000, effects=[0.895] * 50, values=(3, 3), classes=5),
        0.07,
        Figures(0.72, 0.49),
        Figures(0.83, 0.83),
        0.84,
    ),
    Regime(
        "5 classes, 500 × 30",
        partial(categories, rows=500, features=30, effects=[0.43] * 10, values=(3, 3), classes=5),
        0.1,
        Figures(0.86, 0.95),
        Figures(0.88, 0.93),
        0.91,
        "on",
    ),
    Regime(
        "2 to 10 values, 100 × 1,000",
        partial(categories, rows=100, features=1_000, effects=[0.82] * 50, values=(2, 10)),
        0.05,
        Figures(0.38, 0.27),
        Figures(0.52, 0.55),
        0.57,
    ),
    Regime(
        "ordinary, 500 × 30",
        partial(categories, rows=500, features=30, effects=[1.0] * 5 + [0.5] * 5, values=(3, 3)),
        1,
        Figures(0.85, 0.85),
        Figures(0.85, 0.85),
        0.87,
        "on",
    ),
)
