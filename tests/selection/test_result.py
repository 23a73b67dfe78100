"""The selection: frozen, cut to the best, written as it is, and a frame reduced by it."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import probfs
from probfs.output.documents import header_of
from probfs.selection.result import SelectedFeature
from tests.support.results import make_feature, make_selection


def test_the_selection_is_frozen_and_written_as_it_is_returned(tmp_path: Path) -> None:
    selection = make_selection()
    with pytest.raises(dataclasses.FrozenInstanceError):
        selection.version = "2"  # type: ignore[misc]  # the point of the test
    assert selection.to_csv(tmp_path / "s.csv") == (tmp_path / "s.csv").read_text()
    assert selection.to_json(tmp_path / "s.json") == (tmp_path / "s.json").read_text()
    assert json.loads(selection.to_json()) == json.loads(json.dumps(selection.to_dict()))


def test_the_frame_has_the_columns_of_the_csv_with_their_types() -> None:
    frame = make_selection().to_frame()
    assert list(frame) == list(header_of(SelectedFeature))
    assert frame["keep"].tolist() == [True, False, False, False]
    assert {frame[name].dtype for name in ("p", "q", "s_s", "s_a", "log_loss", "explained")} == {np.dtype(float)}
    assert frame["s_a"].isna().tolist() == [False, False, False, True]
    assert frame["folds"].tolist() == [10, 1, 1, 0]
    unjudged = make_selection(make_feature(1, "a", "keep", folds=None), honest=None).to_frame()
    assert unjudged["folds"].isna().all()


def test_the_best_are_listed_and_all_else_stays() -> None:
    selection = make_selection()
    best = selection.top(3).top(1)
    assert best.features == selection.features[:1]
    assert best.unlisted == selection.features[1:]
    assert (best.kept, best.sizes) == (selection.kept, selection.sizes)
    assert selection.top(None) is selection
    assert selection.top(99).features == selection.features


def test_a_frame_is_reduced_to_what_is_kept() -> None:
    selection = make_selection(make_feature(1, "7", "keep"), make_feature(2, "b", "keep"), count="n")
    frame = pd.DataFrame([[1, "x", 2, None, 3]] * 3, columns=["n", "b", "out", "outcome", 7], index=[5, 3, 4])
    reduced = selection.reduced(frame)
    pd.testing.assert_frame_equal(reduced, frame[["n", "b", "outcome", 7]])


def test_new_rows_need_neither_target_nor_count() -> None:
    frame = pd.DataFrame({"b": [1], "albumin": [2]})
    assert make_selection(count="n").reduced(frame).columns.tolist() == ["albumin"]


def test_another_frame_is_refused() -> None:
    frame = pd.DataFrame({"albumins": [1], "outcome": [1]})
    with pytest.raises(probfs.UsageError, match="it has no column 'albumin'; did you mean 'albumins'"):
        make_selection().reduced(frame)
