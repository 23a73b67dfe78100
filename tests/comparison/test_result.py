"""A comparison as text, as a frame, and in short."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import FrozenInstanceError
from pathlib import Path

import pandas as pd
import pytest

from probfs.comparison.changes import compare_rankings
from probfs.rendering.comparison_csv import COMPARISON_HEADER
from tests.support.comparisons import compare_orders, ranking_of, selection_of


def test_a_comparison_is_short_when_it_is_shown() -> None:
    shown = repr(compare_orders("abc", "acb"))
    assert shown == "<Comparison of old.json with new.json: 2 of 3 columns changed, Spearman 0.500>"
    assert repr(compare_orders("a", "b")).endswith("2 of 2 columns changed, no correlation>")


def test_a_comparison_is_frozen() -> None:
    with pytest.raises(FrozenInstanceError):
        compare_orders("ab", "ba").top = 3  # type: ignore[misc]  # the point of the test


def test_text_is_also_written_to_a_file(tmp_path: Path) -> None:
    comparison = compare_orders("abc", "acb")
    assert comparison.to_csv(tmp_path / "c.csv") == (tmp_path / "c.csv").read_text()
    assert json.loads(comparison.to_json(tmp_path / "c.json")) == json.loads((tmp_path / "c.json").read_text())
    assert json.loads(json.dumps(comparison.to_dict())) == json.loads(comparison.to_json())


def test_a_frame_has_the_columns_of_the_csv_and_types_that_know_missing_values() -> None:
    intervals = {"a": (1, 1), "b": (2, 3), "c": (2, 3)}
    frame = compare_rankings(ranking_of("abc", intervals=intervals), ranking_of("cba")).to_frame()
    assert list(frame) == list(COMPARISON_HEADER)
    assert frame["old_rank"].dtype == frame["moved"].dtype == "Int64"
    assert frame["beyond"].dtype == "boolean"
    assert frame["beyond"].tolist() == [True, False, True]
    missing = compare_orders("a", "b").to_frame()
    assert missing["old_rank"].isna().tolist() == [True, False]
    assert isinstance(missing, pd.DataFrame)


def test_columns_that_only_one_selection_keeps_are_those_of_the_whole_document() -> None:
    old, new = selection_of({"a": "keep", "b": "keep"}), selection_of({"b": "keep", "c": "keep"})
    comparison = compare_rankings(old, new)
    assert (comparison.newly_kept, comparison.no_longer_kept) == (("c",), ("a",))
    mixed = compare_rankings(old, ranking_of("ab"))
    assert mixed.newly_kept == mixed.no_longer_kept == ()
    assert mixed.measures["kept_changed"] is mixed.measures["verdicts"] is None


def test_the_csv_can_be_read_back() -> None:
    rows = list(csv.DictReader(io.StringIO(compare_orders("abc", "xac").to_csv())))
    assert [row["column"] for row in rows] == ["x", "a", "c", "b"]
    assert [row["moved"] for row in rows] == ["", "0", "0", ""]


def test_what_a_partial_document_cannot_tell_is_not_known() -> None:
    part, whole = ranking_of("ab", total=4), ranking_of("abcd")
    names = ("changed", "appeared", "vanished", "renamed")
    assert [compare_rankings(part, whole).measures[name] for name in names] == [0, None, 0, None]
    assert [compare_rankings(whole, part).measures[name] for name in names] == [0, 0, None, None]
    assert [compare_rankings(part, part).measures[name] for name in names] == [0, None, None, None]


def test_verdicts_of_columns_that_are_not_listed_are_not_known() -> None:
    whole = selection_of({"a": "keep", "b": "weak", "c": "weak"})
    part = selection_of({"a": "keep", "b": "noise"}, total=3)
    for old, new in ((whole, part), (part, whole)):
        measures = compare_rankings(old, new).measures
        assert (measures["verdicts"], measures["kept_changed"], measures["changed"]) == (None, 0, 1)
    assert compare_rankings(whole, whole).measures["verdicts"] == 0
