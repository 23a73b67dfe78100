"""How often each code of a column occurs."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from probfs.tables.table import Column


@pytest.mark.parametrize("rows", [1_000, 250_000, 250_001])
def test_cells_are_counted_by_twos_as_by_ones(rows: int) -> None:
    codes = np.random.default_rng(0).integers(0, 4, rows).astype(np.uint8)
    column = Column("x", codes, pa.array(["a", "b", "c"]))
    assert column.counts().tolist() == np.bincount(codes, minlength=4).tolist()
