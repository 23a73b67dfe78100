"""Features tested from counts alone, against the test of all rows; ``columns/test_encoding_plan`` does so at random."""

from __future__ import annotations

import numpy as np
import pytest
from probfs.cluster.planned_screen import screen_plan

from probfs.cluster.counted_column import condense, join_condensed
from probfs.cluster.encoding_plan import plan_encoding
from probfs.columns.choice import ColumnChoice
from probfs.columns.encode import encode
from probfs.columns.mapping import ColumnMapping
from probfs.columns.prepare import prepare
from probfs.screening.screen import numbers_before_cutting, screen
from tests.support.prepared_tables import csv_of_rows
from tests.support.table_content import read_csv_text


@pytest.mark.parametrize("rows", [15, 400])
def test_counts_tell_what_rows_tell(rows: int) -> None:
    random = np.random.default_rng(rows)
    classes = random.integers(0, 3, rows)
    related = (random.normal(size=rows) + classes).round(2)
    rare = np.where(random.random(rows) < 0.97, 0, related)
    cells = zip(related, rare, random.integers(0, 4, rows), random.integers(0, 3, rows), classes, strict=True)
    lines = [tuple(own) for own in cells]
    names = ["related", "rare", "noise", "n", "y"]
    choice = ColumnChoice(target="y", count="n", keep_identifiers=True)
    prepared = prepare(read_csv_text(csv_of_rows(names, lines)), ColumnMapping(), choice)
    dataset, _ = encode(prepared)
    expected = screen(dataset, numbers_before_cutting(prepared, dataset), seed=2)
    parts = [read_csv_text(csv_of_rows(names, part)) for part in (lines[:7], lines[7:])]
    condensed = prepare(join_condensed([condense(part, "y", "n") for part in parts]), ColumnMapping(), choice)
    found = screen_plan(condensed, plan_encoding(condensed), seed=2)
    for name in ("p", "q", "chi_squared", "kruskal_wallis"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))
    assert expected.kruskal_wallis[0] > 0 or rows < 20
