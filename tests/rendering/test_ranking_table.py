"""The table for people: columns, bars and narrow terminals."""

from __future__ import annotations

import pytest

import probfs
from probfs.rendering.formats import Presentation
from probfs.rendering.ranking_table import ranking_table
from tests.support.paths import SAMPLES
from tests.support.table_content import Write


@pytest.mark.parametrize("width", [30, 45, 62, 80])
def test_a_narrow_terminal_keeps_names_and_the_driving_score(width: int) -> None:
    ranking = probfs.rank(SAMPLES / "commute.csv", exclude=["person"])
    lines = ranking_table(ranking, Presentation(width)).splitlines()
    for feature in ranking.features:
        assert any(f"{feature.feature} " in line and f"{feature.s_s:.4f}" in line for line in lines)
    assert max(map(len, lines)) <= width


def test_one_long_name_does_not_cost_the_others_their_columns(write: Write) -> None:
    rows = "".join(f"{n % 2},{n % 3},{'pq'[n % 2]}\n" for n in range(12))
    ranking = probfs.rank(write("t.csv", f"{'long' * 60},b,y\n{rows}"))
    shown = ranking_table(ranking, Presentation(80))
    assert "left in round" in shown
    assert "█" in shown
