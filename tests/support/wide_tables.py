"""Small tables of more columns than rows, of every kind of column that is or is not one of numbers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import strategies as st

from probfs.tables import table as table_module

MOST_ROWS = 29
FURTHER_COLUMNS = 14
"""So that there are always more columns than rows."""


@contextmanager
def columns_together(wanted: bool) -> Iterator[None]:
    """All columns of numbers looked at as one matrix, or each alone."""
    with pytest.MonkeyPatch.context() as patch:
        if not wanted:
            patch.setattr(table_module, "_CELLS_AT_ONCE", 1)
        yield


def _texts(cells: npt.NDArray[Any]) -> list[str]:
    return [str(cell) for cell in cells.tolist()]


def _measured(generator: np.random.Generator, rows: int) -> list[str]:
    return _texts(generator.normal(size=rows).round(3))


def _counted(generator: np.random.Generator, rows: int) -> list[str]:
    return _texts(generator.integers(-3, int(generator.choice([2, 9, 200, 10**6])), size=rows))


def _half_zero(generator: np.random.Generator, rows: int) -> list[str]:
    return _texts(np.where(generator.random(rows) < 0.5, "0", generator.random(rows).round(4).astype(str)))


def _genotypes(generator: np.random.Generator, rows: int) -> list[str]:
    return _texts(generator.integers(3, size=rows))


def _numbers_rows(generator: np.random.Generator, rows: int) -> list[str]:
    return [str(row + int(rows % 2)) for row in range(rows)]


def _keys(generator: np.random.Generator, rows: int) -> list[str]:
    return _texts(10**6 + 3 * generator.permutation(5 * rows)[:rows])


def _rising(generator: np.random.Generator, rows: int) -> list[str]:
    return _texts(np.cumsum(generator.integers(1, 4, size=rows) + 40 * (np.arange(rows) == 3)))


def _words(generator: np.random.Generator, rows: int) -> list[str]:
    return _texts(generator.choice(["ash", "birch", "élm", "oak 1"], size=rows))


def _empty(generator: np.random.Generator, rows: int) -> list[str]:
    return [""] * rows


KINDS = (
    _measured,
    _measured,
    _measured,
    _counted,
    _half_zero,
    _genotypes,
    _numbers_rows,
    _keys,
    _rising,
    _words,
    _empty,
)
MISSING_WORDS = ("NA", "NA", "NA", "nan", "?", "None", "n/a", "-", "--", ".", "..", "none", "na", "-9", "-9", "NA ")
ODD_CELLS = (
    *("", "", "1.0", "-0", "+1", "007", "1e999", "1e2", "100", " 3", "3 ", "NA", "-", ".5", "5.", "1-2", "nan", "-00"),
    *("9007199254740993", "9007199254740992", "1e-400", "0", "1,5", "999", "inf", "1e", "2020-01-02"),
)


@st.composite
def wide_tables(draw: st.DrawFn) -> dict[str, list[str]]:
    """Cells by column; ``n`` may count equal rows, and the last is the class, of which some may be empty."""
    generator = np.random.default_rng(draw(st.integers(0, 2**32)))
    rows = draw(st.sampled_from([2, 5, 24, MOST_ROWS]))
    table: dict[str, list[str]] = {"n": generator.integers(4, size=rows).astype(str).tolist()}
    for number in range(MOST_ROWS + FURTHER_COLUMNS):
        kind = KINDS[number % len(KINDS)]
        name = f"{kind.__name__.strip('_')}{number}" if number % 7 else f"case{number}_id"
        cells = kind(generator, rows)
        if generator.random() < 0.3:
            for _ in range(int(generator.integers(1, rows + 1))):
                cells[int(generator.integers(rows))] = str(generator.choice(ODD_CELLS))
        elif generator.random() < 0.4:
            # Words that mean missing, of one or two kinds, as files write them.
            own_words = generator.choice(MISSING_WORDS, size=int(generator.integers(1, 3)))
            gone = generator.random(rows) < generator.choice([0.1, 0.5, 0.95, 1])
            cells = [str(generator.choice(own_words)) if own else cell for cell, own in zip(cells, gone, strict=True)]
        elif generator.random() < 0.3:
            kept = generator.random(rows) < 0.5
            cells = [cell if own else "" for cell, own in zip(cells, kept, strict=True)]
        table[name] = cells
    labels = generator.choice(["no", "yes"], size=rows)
    labels[:2] = "no", "yes"
    if draw(st.booleans()):
        labels[2:][generator.random(rows - 2) < 0.3] = ""
    table["y"] = labels.tolist()
    return table


def as_csv(table: dict[str, list[str]], delimiter: str = ",", end: str = "\n") -> bytes:
    def quoted(cell: str) -> str:
        return f'"{cell}"' if delimiter in cell else cell

    rows = [list(table), *zip(*table.values(), strict=True)]
    return end.join(delimiter.join(map(quoted, row)) for row in rows).encode() + end.encode()
