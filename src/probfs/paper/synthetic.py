"""The tables that the paper draws at random, where it is known which columns matter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from probfs.paper.catalogue import SAMPLINGS, WESTON_NOISE, Sampling
from probfs.tables.arrays import text_array
from probfs.tables.column import Column, number_column, text_column
from probfs.tables.table import Table

CLASS = "class"
NEGATIVE, POSITIVE = "negative", "positive"

WESTON_RELEVANT = 6
_WESTON_SPREAD = np.sqrt(20)

# Section 5.2: how often each of five features takes the values a, b and c …
_NOMINAL = np.array(
    [[1 / 4, 1 / 2, 1 / 4], [1 / 4, 1 / 2, 1 / 4], [1 / 3] * 3, [1 / 3, 1 / 6, 1 / 2], [1 / 2, 1 / 4, 1 / 4]]
)
# … how often the first does where it is sampled otherwise, and how often the class is positive for each of its values.
_FIRST: Mapping[Sampling, tuple[float, ...]] = dict(
    zip(SAMPLINGS, [(1 / 4, 1 / 2, 1 / 4), (1 / 3, 1 / 3, 1 / 3), (1 / 8, 3 / 4, 1 / 8)], strict=True)
)
_NOMINAL_POSITIVE = np.array([1 / 4, 1 / 2, 3 / 4])
_LETTERS = np.array(["a", "b", "c"])


@dataclass(frozen=True, eq=False)
class Sample:
    """Rows drawn at random: columns of numbers or texts, and which rows are positive."""

    columns: Mapping[str, npt.NDArray[Any]]
    positive: npt.NDArray[np.bool_]
    words: tuple[str, ...] = ()
    """All that a column of texts may hold, seen or not."""

    @property
    def rows(self) -> int:
        return len(self.positive)

    def labelled(self, source: str = "<sample>") -> Table:
        """The sample with its class as the last column."""
        codes = self.positive.astype(np.uint8)
        classes = _nominal_column(CLASS, codes, (NEGATIVE, POSITIVE))
        return Table(source, {**self._columns(), CLASS: classes}, self.rows)

    def followed_by(self, unlabelled: Sample, source: str = "<sample>") -> Table:
        """The sample with its class, and the rows of another with none."""
        columns = {name: np.concatenate([cells, unlabelled.columns[name]]) for name, cells in self.columns.items()}
        both = Sample(columns, np.concatenate([self.positive, unlabelled.positive]), self.words).labelled(source)
        classes = both.columns[CLASS].without_cells(np.arange(both.rows) >= self.rows)
        return Table(source, {**both.columns, CLASS: classes}, both.rows)

    def unlabelled(self, source: str = "<unlabelled sample>") -> Table:
        """The sample without its class."""
        return Table(source, self._columns(), self.rows)

    def _columns(self) -> dict[str, Column]:
        return {name: self._column(name, cells) for name, cells in self.columns.items()}

    def _column(self, name: str, cells: npt.NDArray[Any]) -> Column:
        if cells.dtype.kind != "f":
            codes = np.searchsorted(self.words, cells)
            return _nominal_column(name, codes, self.words)
        return number_column(name, cells)


def _nominal_column(name: str, codes: npt.NDArray[Any], words: Sequence[str]) -> Column:
    return text_column(name, codes.astype(np.uint8), text_array(words), declared=text_array(words))


def draw_sample(
    problem: str, rows: int, unlabelled: int, seed: int, options: Mapping[str, Any]
) -> tuple[Sample, Sample]:
    """Labelled and further rows of a problem; the latter always as in the population."""
    generator = np.random.default_rng(seed)
    if problem == "nominal":
        return nominal(rows, generator, **options), nominal(unlabelled, generator)
    draw = shifted_columns if problem == "xcp" else weston
    return draw(rows, generator, **options), draw(unlabelled, generator, **options)


def shifted_columns(
    rows: int, generator: np.random.Generator, *, c: float, p: float, relevant: int, noise: int, balance: float
) -> Sample:
    """Footnote 1: relevant columns X_{c,p}, y·N(c, 1) with probability p and else N(0, 1); noise N(0, 1).

    ``balance`` is the share of positive rows, which is kept to the row.
    """
    positive = generator.permutation(rows) < round(balance * rows)
    signs = np.where(positive, 1.0, -1.0)
    columns = {}
    for number in range(relevant):
        shifted = generator.random(rows) < p
        columns[f"relevant_{number + 1}"] = np.where(shifted, signs * c, 0.0) + generator.normal(size=rows)
    for number in range(noise):
        columns[f"noise_{number + 1:03}"] = generator.normal(size=rows)
    return Sample(columns, positive)


def weston(rows: int, generator: np.random.Generator, *, noise: int = WESTON_NOISE) -> Sample:
    """The linear problem of Weston et al. (2000): six relevant columns, the others noise.

    With probability 0.7 the first three are y·N(i, 1), i = 1, 2, 3, and the next three N(0, 1); otherwise it is the
    other way round. Noise is N(0, 20), of variance 20.
    """
    positive = generator.permutation(rows) < rows // 2
    signs = np.where(positive, 1.0, -1.0)
    first = generator.random(rows) < 0.7
    columns = {}
    for position in range(WESTON_RELEVANT):
        informative = first if position < 3 else ~first
        signal = signs * generator.normal(position % 3 + 1, 1, rows)
        columns[f"relevant_{position + 1}"] = np.where(informative, signal, generator.normal(size=rows))
    for number in range(noise):
        columns[f"noise_{number + 1:03}"] = generator.normal(scale=_WESTON_SPREAD, size=rows)
    return Sample(columns, positive)


def nominal(rows: int, generator: np.random.Generator, *, sampling: Sampling = "proportionate") -> Sample:
    """Section 5.2: five independent features with values a, b and c, of which only x1 matters.

    ``sampling`` says how often x1 takes each value: as in the population, too often the informative values a and c
    (oversampling), or too rarely (undersampling).
    """
    shares = [np.array(_FIRST[sampling]), *_NOMINAL[1:]]
    codes = [np.searchsorted(np.cumsum(share)[:-1], generator.random(rows), side="right") for share in shares]
    columns = {f"x{number + 1}": _LETTERS[code] for number, code in enumerate(codes)}
    return Sample(columns, generator.random(rows) < _NOMINAL_POSITIVE[codes[0]], tuple(_LETTERS.tolist()))
