"""The tables that the paper draws at random, where it is known which columns matter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from probfs.paper.catalogue import WESTON_NOISE, Sampling
from probfs.tables.arrays import Flags, text_array
from probfs.tables.column import Column, number_column, text_column
from probfs.tables.table import Table

CLASS = "class"
_CLASSES = ("negative", "positive")
_LETTERS = ("a", "b", "c")
# Section 5.2: how often features take the values a, b and c; how often the first does, which is sampled in three ways,
# and how often the class is positive for each of its values.
_OTHERS = ((1 / 4, 1 / 2, 1 / 4), (1 / 3, 1 / 3, 1 / 3), (1 / 3, 1 / 6, 1 / 2), (1 / 2, 1 / 4, 1 / 4))
_FIRST: Mapping[Sampling, tuple[float, ...]] = {
    "proportionate": (1 / 4, 1 / 2, 1 / 4),
    "oversampling": (1 / 3, 1 / 3, 1 / 3),
    "undersampling": (1 / 8, 3 / 4, 1 / 8),
}
_NOMINAL_POSITIVE = np.array([1 / 4, 1 / 2, 3 / 4])


def labelled_table(columns: Mapping[str, npt.NDArray[Any]], positive: Flags, words: Sequence[str] = ()) -> Table:
    """A table of numbers, or of positions in ``words``, all of which columns may hold; the class is the last column."""
    cells = {
        name: _nominal_column(name, column, words) if words else number_column(name, column)
        for name, column in columns.items()
    }
    return Table("<sample>", {**cells, CLASS: _nominal_column(CLASS, positive, _CLASSES)}, len(positive))


def _nominal_column(name: str, codes: npt.NDArray[Any], words: Sequence[str]) -> Column:
    return text_column(name, codes.astype(np.uint8), text_array(words), declared=text_array(words))


def features_of(table: Table) -> list[str]:
    return [name for name in table.columns if name != CLASS]


def without_class(table: Table) -> Table:
    return table.only(features_of(table))


def draw_tables(problem: str, rows: int, unlabelled: int, seed: int, options: Mapping[str, Any]) -> tuple[Table, Table]:
    """Labelled and further rows of a problem; the latter, without their class, always as in the population."""
    random = np.random.default_rng(seed)
    if problem == "nominal":
        return nominal(rows, random, **options), without_class(nominal(unlabelled, random))
    draw = shifted_columns if problem == "xcp" else weston
    return draw(rows, random, **options), without_class(draw(unlabelled, random, **options))


def shifted_columns(
    rows: int, random: np.random.Generator, *, c: float, p: float, relevant: int, noise: int, balance: float
) -> Table:
    """Footnote 1: relevant columns X_{c,p}, y·N(c, 1) with probability p and else N(0, 1); noise N(0, 1).

    ``balance`` is the share of positive rows, which is kept to the row.
    """
    positive = random.permutation(rows) < round(balance * rows)
    signs = np.where(positive, 1.0, -1.0)
    columns = {}
    for number in range(relevant):
        shifted = random.random(rows) < p
        columns[f"relevant_{number + 1}"] = np.where(shifted, signs * c, 0.0) + random.normal(size=rows)
    for number in range(noise):
        columns[f"noise_{number + 1:03}"] = random.normal(size=rows)
    return labelled_table(columns, positive)


def weston(rows: int, random: np.random.Generator, *, noise: int = WESTON_NOISE) -> Table:
    """The linear problem of Weston et al. (2000): six relevant columns, the others noise.

    With probability 0.7 the first three are y·N(i, 1), i = 1, 2, 3, and the next three N(0, 1); otherwise it is the
    other way round. Noise is N(0, 20), of variance 20.
    """
    positive = random.permutation(rows) < rows // 2
    signs = np.where(positive, 1.0, -1.0)
    first = random.random(rows) < 0.7
    columns = {}
    for position in range(6):
        signal = signs * random.normal(position % 3 + 1, 1, rows)
        is_informative = first if position < 3 else ~first
        columns[f"relevant_{position + 1}"] = np.where(is_informative, signal, random.normal(size=rows))
    for number in range(noise):
        columns[f"noise_{number + 1:03}"] = random.normal(scale=np.sqrt(20), size=rows)
    return labelled_table(columns, positive)


def nominal(rows: int, random: np.random.Generator, *, sampling: Sampling = "proportionate") -> Table:
    """Section 5.2: five independent features with values a, b and c, of which only x1 matters.

    ``sampling`` says how often x1 takes each value: as in the population, too often the informative values a and c
    (oversampling), or too rarely (undersampling).
    """
    frequencies = [_FIRST[sampling], *_OTHERS]
    codes = [np.searchsorted(np.cumsum(each)[:-1], random.random(rows), side="right") for each in frequencies]
    positive = random.random(rows) < _NOMINAL_POSITIVE[codes[0]]
    return labelled_table({f"x{number}": code for number, code in enumerate(codes, 1)}, positive, _LETTERS)
