"""The ranking: frozen, complete, cut to the best, and written as it is."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pandas as pd
import pytest

import probfs
from probfs.output.documents import header_of
from probfs.ranking.result import RankedFeature, Ranking
from tests.support.paths import SAMPLES


@pytest.fixture(scope="module")
def commute() -> Ranking:
    return probfs.rank(SAMPLES / "commute.csv", target="mode", exclude=["person"], screen=False)


def test_the_ranking_is_frozen_and_complete(commute: Ranking, tmp_path: Path) -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        commute.version = "2"  # type: ignore[misc]  # the point of the test
    assert [f.rank for f in commute.features] == [1, 2, 3, 4, 5, 6]
    assert [f.round for f in commute.features] == [6, 5, 4, 3, 2, 1]
    assert [r.features for r in commute.rounds] == [6, 5, 4, 3, 2, 1]
    assert [r.removed for r in commute.rounds] == [(f.feature,) for f in reversed(commute.features)]
    frame = commute.to_frame()
    assert list(frame) == list(header_of(RankedFeature))
    assert frame["s_s"].tolist() == [f.s_s for f in commute.features]
    commute.to_csv(tmp_path / "r.csv")
    assert (tmp_path / "r.csv").read_text() == commute.to_csv()
    read = pd.read_csv(tmp_path / "r.csv")
    assert read["s_s"].tolist() == [f.s_s for f in commute.features], "repr precision: every digit survives"


def test_the_best_are_listed_and_the_rounds_stay(commute: Ranking) -> None:
    best = commute.top(2)
    assert best.features == commute.features[:2]
    assert (best.rounds, best.input) == (commute.rounds, commute.input)
    assert commute.top(None) is commute
    assert commute.top(99).features == commute.features


def test_a_score_without_unlabelled_rows_is_missing_and_not_a_number(frame: pd.DataFrame) -> None:
    ranking = probfs.rank(frame, target="y", exclude=["n"])
    assert {feature.s_su for feature in ranking.features} == {None}
    assert ranking.to_frame()["s_su"].isna().all()
    assert ranking.to_frame()["s_su"].dtype == float


def test_the_input_says_what_was_ranked(commute: Ranking) -> None:
    data = commute.input
    assert (data.target, data.target_reason) == ("mode", "by target=")
    assert (data.labelled_rows, data.unlabelled_rows, data.features) == (204, 36, 6)
    assert sum(data.classes.values()) == data.labelled_rows
    assert data.unlabelled_sources == ()
    assert commute.version == probfs.__version__
