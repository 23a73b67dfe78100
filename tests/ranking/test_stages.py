"""From tables to a ranking: what may be ranked, notes, progress, the result, and whether a weak model is warned of."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import probfs
from probfs.errors import DataError, UsageError
from probfs.notes import Note, NoteKind
from probfs.output.documents import header_of
from probfs.ranking.inputs import InputRequest, read_inputs
from probfs.ranking.result import RankedFeature
from probfs.runtime.progress import Progress
from probfs.tables.frames import table_in_memory
from tests.support import SAMPLES
from tests.support.datasets import frame_of, random_dataset
from tests.support.tables import Write

# Tables of every form, labels beside them, and further rows without labels


def test_a_table_in_any_form_ranks_the_same_and_so_it_does_with_labels_beside_it(
    frame: pd.DataFrame, tmp_path: Path
) -> None:
    frame.to_csv(tmp_path / "t.csv", index=False)
    files = tmp_path / "t.csv", str(tmp_path / "t.csv")
    expected = probfs.rank(frame, target="y", exclude="n")
    for data in (*files, table_in_memory(frame, "data"), pl.from_pandas(frame), pa.Table.from_pandas(frame)):
        assert probfs.rank(data, target="y", exclude="n").to_csv() == expected.to_csv()
    beside = probfs.rank(frame.drop(columns="y"), frame["y"], exclude="n")
    assert (beside.to_csv(), beside.input.classes) == (expected.to_csv(), expected.input.classes)
    last = probfs.rank(frame, on_note=lambda note: None)
    reasons = [ranking.input.target_reason for ranking in (expected, last, beside)]
    assert reasons == ["by target=", "the last column", "given as y"]


@pytest.mark.parametrize("several", [False, True])
def test_further_rows_may_have_any_form(several: bool) -> None:
    numbers = np.array([[1, 2], [1, 3], [2, 2], [2, 3]] * 3)
    y = [0, 0, 1, 1] * 3
    further = np.array([[1, 2], [2, 3], [2, 2]])
    frame = pd.DataFrame(further, columns=["a", "b"])
    forms: list[Any] = [
        frame,
        frame.assign(y=None),
        pl.from_pandas(frame),
        pl.from_pandas(frame).lazy(),
        pa.Table.from_pandas(frame),
        further,
        np.column_stack([further, [0, 0, 0]]),
    ]
    expected = probfs.rank(numbers, y, feature_names=["a", "b"], unlabeled=frame, score="unlabeled")
    assert expected.input.unlabelled_rows == 3
    for form in forms:
        unlabeled = [form] if several else form
        ranking = probfs.rank(numbers, y, feature_names=["a", "b"], unlabeled=unlabeled, score="unlabeled")
        assert ranking.to_csv() == expected.to_csv(), type(form)


@pytest.mark.parametrize("data", [{"a": [1]}, 3, None])
def test_anything_else_is_refused(data: Any, frame: pd.DataFrame) -> None:
    with pytest.raises(UsageError, match=rf"data must be a path, .* not {type(data).__name__}"):
        probfs.rank(data)
    with pytest.raises(UsageError, match=r"unlabeled must be a path, .*, not dict"):
        probfs.rank(frame, target="y", unlabeled=[{"a": 1}])  # type: ignore[list-item]  # the point
    with pytest.raises(UsageError, match="unlabeled=: an array of 5 columns, but data has 3 beside the target"):
        probfs.rank(frame, target="y", unlabeled=np.eye(5))
    with pytest.raises(UsageError, match="only once"):
        read_inputs(InputRequest("-", unlabelled=[frame, "-"]))
    with pytest.raises(UsageError, match=r"^feature_names= goes with an array; the columns of a file have names$"):
        probfs.rank("t.csv", feature_names=["a"])


def test_labels_whose_index_is_in_another_order_are_refused(frame: pd.DataFrame) -> None:
    cells, y = frame.drop(columns="y"), frame["y"]
    with pytest.raises(UsageError, match=r"y has the index of data in another order; give y.loc\[data.index\]"):
        probfs.rank(cells, y[::-1])
    with pytest.raises(UsageError, match=r"^y and target= both say what to predict; keep one of the two$"):
        probfs.rank(cells, y, target="a")
    assert probfs.rank(cells, y[::-1].loc[cells.index]).to_csv() == probfs.rank(cells, y).to_csv()
    assert probfs.rank(cells, y[::-1].to_numpy()).input.classes == probfs.rank(cells, y).input.classes


@pytest.mark.parametrize(
    ("step", "checked"), [(1, 1), (0.25, 0.25), (np.int32(4), 4), (np.float64(0.5), 0.5), ("auto", "auto"), (None, 1)]
)
def test_a_step_is_a_number_or_a_fraction_or_auto(frame: pd.DataFrame, step: Any, checked: Any) -> None:
    found = probfs.rank(frame, target="y", step=step).settings.step
    assert found == checked
    assert type(found) is type(checked)


@pytest.mark.parametrize("step", [0, -1, 1.0, 1.5, 0.0, True, "1", float("nan"), [1]])
def test_anything_else_is_no_step(frame: pd.DataFrame, step: Any) -> None:
    ways = "neither auto nor a whole number from 1 on nor a fraction like 0.1"
    with pytest.raises(probfs.UsageError, match=f"^step=: .* is {ways}$"):
        probfs.rank(frame, target="y", step=step)

    with pytest.raises(probfs.UsageError, match=r"^false_discoveries= goes with screen=True only$"):
        probfs.rank(frame, target="y", screen=False, false_discoveries=0.2)


# Notes, progress, and columns that are always kept


def test_whoever_listens_hears_of_every_note(frame: pd.DataFrame) -> None:
    heard: list[str] = []
    ranking = probfs.rank(frame.assign(same="k"), exclude=["n"], target="y", on_note=heard.append)
    assert heard == ["target: y (by target=)", *ranking.warnings]
    assert ranking.warnings == ("only one value in the labelled rows: 'same'",)


def test_progress_goes_through_all_stages_and_counts_features_that_leave_together(
    frame: pd.DataFrame, tmp_path: Path
) -> None:
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
    heard.clear()
    three = frame_of(random_dataset(30, 3, 2, 2, seed=0))
    probfs.rank(three, target="y", step=2, screen=False, on_progress=heard.append)
    assert [progress.done for progress in heard if progress.stage == "ranking"] == [0, 2, 3]


@pytest.mark.parametrize(
    ("options", "sizes"),
    [
        ({"screen": False}, [5, 4, 3, 2, 1]),
        ({"screen": False, "step": 2}, [5, 3, 2]),
        ({"screen": False, "step": 0.9}, [5, 2, 1]),
        ({"screen": False, "eliminate": False}, [5]),
        ({"uncertainty": True}, [5, 3, 2, 1]),
    ],
)
def test_columns_that_are_always_kept_leave_last_and_are_not_tested(options: dict[str, Any], sizes: list[int]) -> None:
    random = np.random.default_rng(2)
    table = pd.DataFrame(random.integers(0, 3, (120, 5)), columns=list("abcde"))
    table["y"] = (table.a + random.integers(0, 2, 120)) > 1
    ranking = probfs.rank(table, target="y", always="e,d", **options)
    assert {feature.feature for feature in ranking.features[:2]} == {"d", "e"}
    assert ranking.features[2].feature == "a"
    assert [feature.p is None for feature in ranking.features] == [True, True, False, False, False]
    assert [own.features for own in ranking.rounds] == sizes
    left = [name for own in ranking.rounds for name in own.removed]
    assert left == [feature.feature for feature in reversed(ranking.features)]
    assert ranking.settings.always == ("e", "d")
    assert probfs.Ranking.from_json(ranking.to_json()).settings.always == ("e", "d")
    with pytest.raises(probfs.ProbfsError, match="part of a pair"):
        probfs.rank(table, target="y", always="e", join="d+e")


# The ranking: frozen, complete, cut to the best, and written as it is


def test_the_ranking_is_frozen_and_complete(tmp_path: Path) -> None:
    ranking = probfs.rank(SAMPLES / "commute.csv", target="mode", exclude=["person"], screen=False)
    with pytest.raises(dataclasses.FrozenInstanceError):
        ranking.version = "2"  # type: ignore[misc]  # the point of the test
    assert [f.rank for f in ranking.features] == [1, 2, 3, 4, 5, 6]
    assert [f.round for f in ranking.features] == [6, 5, 4, 3, 2, 1]
    assert [r.features for r in ranking.rounds] == [6, 5, 4, 3, 2, 1]
    assert [r.removed for r in ranking.rounds] == [(f.feature,) for f in reversed(ranking.features)]
    frame = ranking.to_frame()
    assert list(frame) == list(header_of(RankedFeature))
    assert ranking.to_csv(tmp_path / "r.csv") == (tmp_path / "r.csv").read_text()
    scores = [f.s_s for f in ranking.features]
    assert frame["s_s"].tolist() == pd.read_csv(tmp_path / "r.csv")["s_s"].tolist() == scores, "every digit survives"
    data = ranking.input
    assert (data.target, data.target_reason) == ("mode", "by target=")
    assert (data.labelled_rows, data.unlabelled_rows, data.features, data.unlabelled_sources) == (204, 36, 6, ())
    assert sum(data.classes.values()) == data.labelled_rows
    assert ranking.version == probfs.__version__
    best = ranking.top(2)
    assert best.features == ranking.features[:2]
    assert (best.rounds, best.input) == (ranking.rounds, ranking.input)
    assert ranking.top(None) is ranking
    assert ranking.top(99).features == ranking.features


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


def test_columns_that_tell_only_together_are_warned_of_unless_a_forest_sees_them_or_rows_are_few() -> None:
    assert is_warned(xor(0))
    assert is_warned(xor(0), probfs.select, folds=0)
    assert not is_warned(xor(0), classifier="forest", trees=5, permutations=1, folds=2, jobs=1)
    assert [is_warned(xor(0, rows=rows)) for rows in (19, 20)] == [False, True]
    for useful in (follower(0), follower(1, rows=2000, positive=0.05)):
        assert not is_warned(useful)
        assert not is_warned(useful, screen=False, score="absolute")


@pytest.mark.parametrize(("seed", "warned"), [(20, True), (65, False)])
def test_a_model_must_beat_guessing_by_two_standard_errors(seed: int, warned: bool) -> None:
    """1.9 are not enough, and 2.1 not needed."""
    random = np.random.default_rng(seed)
    labels = random.random(100) < 0.5
    cells = np.where(random.random(100) < 0.3, labels, random.random(100) < 0.5).astype(str)
    assert is_warned(pd.DataFrame({"x": cells, "y": labels})) is warned


@pytest.mark.parametrize(("positive", "warned"), [(200, True), (199, False)])
def test_a_model_must_beat_guessing_where_it_gets_a_fifth_of_the_rows_wrong(positive: int, warned: bool) -> None:
    """The column makes a class more probable, and never the most probable one."""
    rare = np.arange(1000) % 500
    labels = rare < np.where(np.arange(1000) < 500, 20, positive - 20)
    assert is_warned(pd.DataFrame({"x": np.arange(1000) // 500, "y": labels}), keep_identifiers=True) is warned


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


def test_much_noise_does_not_make_the_model_of_the_other_columns_weak() -> None:
    random = np.random.default_rng(0)
    labels, cells = random.integers(0, 2, 80), random.normal(size=(80, 2000))
    noise = pd.DataFrame(cells, columns=[f"g{n}" for n in range(2000)]).assign(y=labels)
    told = noise.assign(**{f"g{n}": cells[:, n] + 1.2 * labels for n in range(8)})
    assert is_warned(noise)
    assert is_warned(told, screen=False), "the model of all columns is weak"
    for call in (probfs.rank, probfs.select):
        assert not is_warned(told, call)


@pytest.mark.slow
def test_rates_over_many_tables() -> None:
    found = np.mean([is_warned(xor(seed)) for seed in range(100)])
    wrong = np.mean([is_warned(follower(seed)) for seed in range(100)])
    print(f"warned of: {found:.2f} of XOR, {wrong:.2f} of tables with a column that tells")
    assert found >= 0.95
    assert wrong <= 0.05


def test_blank_rows_of_files_are_skipped_and_the_lines_of_the_others_stay(write: Write) -> None:
    lines = ["a,b,y", "1,u,p", ",,", "2,v,q", "3,u,p", "4,v,q", ",,"]
    notes: list[Note] = []
    plain = probfs.rank(write("plain.csv", "\n".join(line for line in lines if line != ",,")), target="y")
    ranking = probfs.rank(write("t.csv", "\n".join(lines)), target="y", on_note=notes.append)
    assert (ranking.features, ranking.input.unlabelled_rows) == (plain.features, 0)
    assert any(note.endswith("t.csv: 2 blank rows skipped") for note in notes)
    several = [write("t.csv", "\n".join(lines)), write("u.csv", "\n".join([*lines, "x,u,p"]))]
    with pytest.raises(DataError, match=r"u\.csv:8: column 'a': 'x' is not a number"):
        probfs.rank(several, target="y", mapping={"columns": {"a": "number"}})
