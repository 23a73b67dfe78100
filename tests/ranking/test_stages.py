"""The stages from a table to its ranking, one at a time and for callers that need only some."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import probfs
from probfs.columns.choice import ColumnChoice
from probfs.errors import UsageError
from probfs.notes import Note
from probfs.ranking.inputs import InputRequest, read_inputs
from probfs.ranking.settings import Settings
from probfs.ranking.stages import RANKING, LocalEngine
from probfs.runtime.progress import Progress
from probfs.text import command_line_language
from tests.support.datasets import frame_of, random_dataset

CHOICE = ColumnChoice("y", exclude=["n"])


def ignore(note: Note) -> None:
    pass


@pytest.fixture
def settings(frame: pd.DataFrame) -> Settings:
    return probfs.rank(frame, target="y", exclude=["n"], screen=False).settings


def test_a_score_of_unlabelled_rows_needs_some(frame: pd.DataFrame, settings: Settings) -> None:
    inputs = read_inputs(InputRequest(frame, choice=CHOICE))
    unlabeled = dataclasses.replace(settings, score="unlabeled")
    with pytest.raises(UsageError) as caught:
        LocalEngine().encode(inputs, unlabeled, ignore)
    ways = "or as rows without a value in the target"
    assert str(caught.value) == f'score="unlabeled": there is no unlabelled row; add some with unlabeled=, {ways}'
    with command_line_language(), pytest.raises(UsageError) as caught:
        LocalEngine().encode(inputs, unlabeled, ignore)
    assert str(caught.value) == f"--score unlabeled: there is no unlabelled row; add some with --unlabeled FILE, {ways}"


def test_whoever_listens_hears_of_every_note(frame: pd.DataFrame) -> None:
    heard: list[str] = []
    ranking = probfs.rank(frame.assign(same="k"), exclude=["n"], target="y", on_note=heard.append)
    assert heard == ["target: y (by target=)", *ranking.warnings]
    assert ranking.warnings == ("the same value in every labelled row: 'same'",)


def test_progress_goes_through_all_stages(frame: pd.DataFrame, tmp_path: Path) -> None:
    frame.to_csv(tmp_path / "t.csv", index=False)
    size = (tmp_path / "t.csv").stat().st_size
    heard: list[Progress] = []
    probfs.rank(tmp_path / "t.csv", target="y", exclude="n", screen=False, on_progress=heard.append)
    reading = [progress for progress in heard if progress.stage == "reading"]
    assert heard[: len(reading)] == reading
    assert reading[0] == Progress("reading", 0, size, "bytes")
    assert reading[-1] == Progress("reading", size, size, "bytes")
    assert heard[len(reading) :] == [
        Progress("preparing columns"),
        Progress("encoding columns"),
        Progress("testing columns"),
        Progress("fitting the classifier"),
        Progress("ranking", 0, 2, "columns"),
        Progress("ranking", 1, 2, "columns"),
        Progress("ranking", 2, 2, "columns"),
    ]


def test_progress_counts_features_that_leave_together() -> None:
    heard: list[Progress] = []
    probfs.rank(
        frame_of(random_dataset(30, 3, 2, 2, seed=0)), target="y", step=2, screen=False, on_progress=heard.append
    )
    assert [progress.done for progress in heard if progress.stage == RANKING] == [0, 2, 3]


@pytest.mark.parametrize("options", [{}, {"screen": False}, {"eliminate": False}, {"step": 2}, {"uncertainty": True}])
def test_columns_that_are_always_kept_leave_last_and_are_not_tested(options: dict[str, Any]) -> None:
    random = np.random.default_rng(2)
    table = pd.DataFrame(random.integers(0, 3, (120, 5)), columns=list("abcde"))
    table["y"] = (table.a + random.integers(0, 2, 120)) > 1
    ranking = probfs.rank(table, target="y", always="e,d", **options)
    assert {feature.feature for feature in ranking.features[:2]} == {"d", "e"}
    assert ranking.features[2].feature == "a"
    assert [feature.p is None for feature in ranking.features] == [True, True, False, False, False]
    assert ranking.settings.always == ("e", "d")
    assert probfs.Ranking.from_json(ranking.to_json()).settings.always == ("e", "d")
    with pytest.raises(probfs.ProbfsError, match="part of a pair"):
        probfs.rank(table, target="y", always="e", join="d+e")
