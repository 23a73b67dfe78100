"""What is ranked and how: tables of every form, labels beside them, further rows without labels, and settings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import probfs
from probfs.columns.choice import ColumnChoice
from probfs.errors import UsageError
from probfs.ranking.inputs import InputRequest, read_inputs, read_prepared
from probfs.tables.frames import table_in_memory
from probfs.text import command_line_language

NO_CHOICE = ColumnChoice(exclude=["n"])


def test_a_table_may_be_a_path_a_frame_or_a_table(frame: pd.DataFrame, tmp_path: Path) -> None:
    frame.to_csv(tmp_path / "t.csv", index=False)
    forms: list[Any] = [tmp_path / "t.csv", str(tmp_path / "t.csv"), frame, table_in_memory(frame, "data")]
    for data in (*forms, pl.from_pandas(frame), pa.Table.from_pandas(frame)):
        prepared = read_prepared(InputRequest(data, choice=NO_CHOICE))
        assert [plan.name for plan in prepared.features] == ["a", "b"]
        assert (prepared.mapping.source, prepared.mapping.columns) == ("", {})


@pytest.mark.parametrize("data", [{"a": [1]}, 3, None])
def test_anything_else_is_refused(data: Any) -> None:
    with pytest.raises(UsageError, match=rf"data must be a path, .* not {type(data).__name__}"):
        read_prepared(InputRequest(data, choice=NO_CHOICE))


def test_labels_beside_a_table_are_its_target(frame: pd.DataFrame) -> None:
    prepared = read_prepared(InputRequest(frame.drop(columns="y"), choice=NO_CHOICE, y=frame["y"]))
    assert (prepared.target.name, prepared.target.by_default) == ("y", False)
    named = read_prepared(InputRequest(frame, choice=ColumnChoice("y")))
    last = read_prepared(InputRequest(frame))
    assert (named.target.by_default, last.target.by_default) == (False, True)
    np.testing.assert_array_equal(prepared.target.labels, named.target.labels)


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


def test_an_array_of_further_rows_has_the_columns_of_the_labelled_ones(frame: pd.DataFrame) -> None:
    with pytest.raises(UsageError, match="unlabeled=: an array of 5 columns, but data has 3 beside the target"):
        probfs.rank(frame, target="y", unlabeled=np.eye(5))
    with pytest.raises(UsageError, match=r"unlabeled must be a path, .*, not dict"):
        probfs.rank(frame, target="y", unlabeled=[{"a": 1}])  # type: ignore[list-item]  # the point


def test_standard_input_is_read_only_once(frame: pd.DataFrame) -> None:
    with pytest.raises(UsageError, match="only once"):
        read_inputs(InputRequest("-", unlabelled=[frame, "-"]))


def test_labels_whose_index_is_in_another_order_are_refused(frame: pd.DataFrame) -> None:
    cells, y = frame.drop(columns="y"), frame["y"]
    with pytest.raises(UsageError, match=r"y has the index of data in another order; give y.loc\[data.index\]"):
        probfs.rank(cells, y[::-1])
    with pytest.raises(UsageError, match=r"^y and target= both say what to predict; keep one of the two$"):
        probfs.rank(cells, y, target="a")
    with pytest.raises(UsageError, match=r"^feature_names= goes with an array; the columns of a file have names$"):
        probfs.rank("t.csv", feature_names=["a"])
    assert probfs.rank(cells, y[::-1].loc[cells.index]).to_csv() == probfs.rank(cells, y).to_csv()
    assert probfs.rank(cells, y[::-1].to_numpy()).input.classes == probfs.rank(cells, y).input.classes


# Settings: completed from what was chosen, refused where they make no sense, and recorded in one order


@pytest.mark.parametrize(
    ("chosen", "python", "command_line"),
    [
        (
            {"score": "loud"},
            "score=: 'loud' is not one of absolute, signed, unlabeled",
            "--score: 'loud' is not one of absolute, signed, unlabeled",
        ),
        (
            {"estimate": "guess"},
            "estimate=: 'guess' is not one of loo, resubstitution, cv, oob",
            "--estimate: 'guess' is not one of loo, resubstitution, cv, oob",
        ),
        ({"seed": "0"}, "seed=: '0' is not a whole number from 0 on", "--seed: '0' is not a whole number from 0 on"),
        (
            {"cut_target": 101},
            "cut_target=: 101 is not a whole number from 2 to 100",
            "--cut-target: 101 is not a whole number from 2 to 100",
        ),
        (
            {"min_class": 0},
            "min_class=: 0 is not a whole number from 1 on",
            "--min-class: 0 is not a whole number from 1 on",
        ),
        (
            {"screen": False, "false_discoveries": 0.2},
            "false_discoveries= goes with screen=True only",
            "--false-discoveries goes with --screen only",
        ),
    ],
)
def test_what_makes_no_sense_is_refused_in_the_caller_s_language(
    frame: pd.DataFrame, chosen: dict[str, Any], python: str, command_line: str
) -> None:
    with pytest.raises(probfs.UsageError) as caught:
        probfs.rank(frame, target="y", **chosen)
    assert str(caught.value) == python
    with command_line_language(), pytest.raises(probfs.UsageError) as caught:
        probfs.rank(frame, target="y", **chosen)
    assert str(caught.value) == command_line


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
