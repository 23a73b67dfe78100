"""Grids of cells: how they are split, and which columns are plain numbers."""

from __future__ import annotations

from itertools import chain

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probfs.tables.arrow_arrays import text_array
from probfs.tables.readers.cell_grid import CellGrid, parse_grid
from probfs.tables.table import Kind, numbers_of

WORDS = ("NA", "?", "n/a", "-", "--", ".", "..")
CELLS = st.one_of(
    st.sampled_from(
        ["", "0", "-0", "007", "+07", "-01", "1.5", ".5", "5.", "1e5", "1E+5", "e", "-", "+", "1-2", "1e999"]
    ),
    st.text("0123456789.+-eExé ", max_size=5),
    st.floats(allow_nan=False).map(str),
    st.integers().map(str),
)


@given(st.integers(2, 4).flatmap(lambda width: st.lists(st.lists(CELLS, min_size=width, max_size=width), min_size=1)))
def test_plain_columns_are_those_that_hold_finite_numbers_and_empty_cells(rows: list[list[str]]) -> None:
    data = "".join(";".join(row) + "\n" for row in rows).encode()
    grid = parse_grid(data, len(rows[0]), ";")
    assert grid is not None
    for position, cells in enumerate(zip(*rows, strict=True)):
        assert grid.texts(position).to_pylist() == list(cells)
        held = [cell for cell in cells if cell]
        numbers = numbers_of(text_array(held), Kind.TEXT)
        plain = numbers is not None and bool(np.isfinite(numbers).all()) and not any(" " in cell for cell in held)
        assert grid.plain[position] == plain
        if plain:
            own = grid.numbers[:, position]
            assert np.isnan(own).tolist() == [not cell for cell in cells]
            assert own[~np.isnan(own)].tolist() == [float(cell) for cell in held]


@pytest.mark.parametrize("data", [b"1,2\n3\n", b"1,2\n3,4,5\n", b"1\n2,3,4\n", b"1,2\n\n3,4\n", b"1,\xff\n"])
def test_rows_that_are_no_grid(data: bytes) -> None:
    assert parse_grid(data, 2, ",") is None


def test_line_ends_and_what_follows_the_last_row_do_not_matter() -> None:
    for data in (b"1,2\n3,4\n", b"1,2\r\n3,4\r\n", b"1,2\n3,4", b"1,2\n3,4\n\n\r\n"):
        grid = parse_grid(data, 2, ",")
        assert grid is not None
        assert grid.numbers.tolist() == [[1, 2], [3, 4]]


@given(
    st.lists(
        st.lists(st.one_of(st.sampled_from([*WORDS, "NAN", "N", "-1", ".5", "", "-."]), CELLS), min_size=3, max_size=3),
        min_size=1,
    )
)
def test_words_beside_numbers_are_found_and_change_nothing_else(rows: list[list[str]]) -> None:
    def parse(cells: list[list[str]]) -> CellGrid:
        grid = parse_grid("".join(";".join(row) + "\n" for row in cells).encode(), 3, ";", words=WORDS)
        assert grid is not None
        return grid

    grid = parse(rows)
    without = parse([["" if cell in WORDS else cell for cell in row] for row in rows])
    assert grid.words.tolist() == [place for place, cell in enumerate(chain(*rows)) if cell in WORDS]
    assert grid.plain.tolist() == without.plain.tolist()
    np.testing.assert_array_equal(grid.numbers, without.numbers)
    assert grid.cells.to_pylist() == list(chain(*rows))


def test_a_text_may_mean_missing_and_zeros_may_lead() -> None:
    grid = parse_grid(b"?,007,x\n1,?,?\n", 3, ",", missing="?", zeros_lead=True)
    assert grid is not None
    assert grid.plain.tolist() == [True, True, False]
    assert grid.numbers[:, 1].tolist()[0] == 7
    assert parse_grid(b"?,\n1,2\n", 2, ",", missing="?") is None
