"""The ranking: frozen, complete, and written as it is."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pandas as pd
import pytest

import probfs
from probfs.rendering.ranking_csv import CSV_HEADER
from tests.support.paths import SAMPLES


def test_the_ranking_is_frozen_and_complete(tmp_path: Path) -> None:
    ranking = probfs.rank(SAMPLES / "commute.csv", exclude=["person"])
    with pytest.raises(dataclasses.FrozenInstanceError):
        ranking.version = "2"  # type: ignore[misc]  # the point of the test
    assert [f.rank for f in ranking.features] == [1, 2, 3, 4, 5, 6]
    assert [f.round for f in ranking.features] == [6, 5, 4, 3, 2, 1]
    assert [r.features for r in ranking.rounds] == [6, 5, 4, 3, 2, 1]
    assert [r.removed for r in ranking.rounds] == [(f.feature,) for f in reversed(ranking.features)]
    frame = ranking.to_frame()
    assert tuple(frame.columns) == CSV_HEADER
    assert frame["s_s"].tolist() == [f.s_s for f in ranking.features]
    ranking.to_csv(tmp_path / "r.csv")
    assert (tmp_path / "r.csv").read_text() == ranking.to_csv()
    read = pd.read_csv(tmp_path / "r.csv")
    assert read["s_s"].tolist() == [f.s_s for f in ranking.features], "repr precision: every digit survives"
