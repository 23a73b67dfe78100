"""From a table to its ranking: stages, what the ranking holds, and whether a weak model is warned of."""

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
from probfs.notes import Note, NoteKind
from probfs.output.documents import header_of
from probfs.ranking.inputs import InputRequest, read_inputs
from probfs.ranking.result import RankedFeature, Ranking
from probfs.ranking.settings import Settings
from probfs.ranking.stages import RANKING, LocalEngine
from probfs.runtime.progress import Progress
from probfs.text import command_line_language
from tests.support import SAMPLES
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


# The ranking: frozen, complete, cut to the best, and written as it is


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


# Whether a model is warned of that hardly beats guessing, and only such a one


def xor(seed: int, rows: int = 300) -> pd.DataFrame:
    one, other = np.random.default_rng(seed).integers(0, 2, (2, rows))
    return pd.DataFrame({"one": np.array(["a", "b"])[one], "other": np.array(["u", "v"])[other], "y": one ^ other})


def follower(seed: int, rows: int = 300, positive: float = 0.5) -> pd.DataFrame:
    """A number that follows the class, and noise."""
    random = np.random.default_rng(seed)
    labels = random.random(rows) < positive
    return pd.DataFrame({"x": random.normal(size=rows) + labels, "noise": random.normal(size=rows), "y": labels})


def is_warned(frame: pd.DataFrame, call: Any = probfs.rank, **options: Any) -> bool:
    heard: list[Note] = []
    result = call(frame, target="y", on_note=heard.append, **options)
    said = [note for note in heard if note.code == NoteKind.WEAK_MODEL.code]
    assert all(note in result.warnings for note in said)
    return bool(said)


def test_columns_that_tell_only_together_are_warned_of_and_a_forest_sees_them() -> None:
    assert is_warned(xor(0))
    assert is_warned(xor(0), probfs.select, folds=0)
    assert not is_warned(xor(0), classifier="forest", trees=5, permutations=1, folds=2, jobs=1)


def test_neither_a_useful_model_nor_one_of_a_rare_class_nor_a_tiny_table_is_warned_of() -> None:
    assert not is_warned(follower(0))
    assert not is_warned(follower(0), screen=False, score="absolute")
    assert not is_warned(follower(1, rows=2000, positive=0.05))
    assert not is_warned(xor(0, rows=19))
    assert is_warned(xor(0, rows=20))


@pytest.mark.parametrize(("positive", "warned"), [(200, True), (199, False)])
def test_a_model_must_beat_guessing_where_it_gets_a_fifth_of_the_rows_wrong(positive: int, warned: bool) -> None:
    """The column makes a class more probable, and never the most probable one."""
    rare = np.arange(1000) % 500
    labels = rare < np.where(np.arange(1000) < 500, 20, positive - 20)
    assert is_warned(pd.DataFrame({"x": np.arange(1000) // 500, "y": labels}), keep_identifiers=True) is warned


def test_real_choices_are_warned_of() -> None:
    """Naive Bayes gets 23.5 % wrong, and guessing 25 %."""
    datasets = pytest.importorskip("statsmodels.datasets")
    frame = datasets.modechoice.load_pandas().data.rename(columns={"choice": "y"})
    assert is_warned(frame)


@pytest.mark.parametrize("call", [probfs.rank, probfs.select])
def test_a_class_that_begins_so_late_that_less_than_a_third_of_the_rows_is_judged_is_named(call: Any) -> None:
    """A class is known once it has had two rows, and one more row only teaches."""
    for begins, judged in ((37, 20), (38, 19)):
        labels = [*(["p", "q"] * 30)[:begins], *["r"] * (60 - begins)]
        frame = pd.DataFrame({"x": np.arange(60) * 7 % 10, "when": range(60), "y": labels})
        result = call(frame, target="y", time="when", on_note=lambda note: None)
        rounds = result.rounds if isinstance(result, probfs.Ranking) else result.ranking.rounds
        assert rounds[0].rows == judged
        said = [note for note in result.warnings if note.code == "late-class"]
        assert bool(said) == (judged < 20)
        assert all(note.startswith("only 19 of 60 rows are judged: class 'r' begins late in time=") for note in said)


@pytest.mark.slow
def test_rates_over_many_tables(capsys: pytest.CaptureFixture[str]) -> None:
    found = [is_warned(xor(seed)) for seed in range(100)]
    wrong = [is_warned(follower(seed)) for seed in range(100)]
    with capsys.disabled():
        print(f"\nwarned of: {np.mean(found):.2f} of XOR, {np.mean(wrong):.2f} of tables with a column that tells")
    assert np.mean(found) >= 0.95
    assert np.mean(wrong) <= 0.05
