"""The JSON of a comparison, whose keys are a contract."""

from __future__ import annotations

import json

from probfs.comparison.changes import compare_rankings
from probfs.comparison.result import MEASURES
from probfs.rendering.comparison_csv import COMPARISON_HEADER
from probfs.rendering.comparison_json import comparison_document, comparison_json
from tests.support.comparisons import compare_orders, ranking_of, selection_of
from tests.support.hostile_names import HOSTILE_NAMES


def test_the_keys_of_the_json_are_a_contract() -> None:
    old, new = ranking_of("abcdefg", "old.json"), ranking_of("gfedcba", "new.json", settings={"score": "signed"})
    document = json.loads(comparison_json(compare_rankings(old, new, top=99)))
    assert list(document) == [
        "schema",
        "version",
        "old",
        "new",
        "measures",
        "top",
        "overlaps",
        "same_scores",
        "newly_kept",
        "no_longer_kept",
        "columns",
        "differences",
        "warnings",
    ]
    assert document["schema"] == "probfs.comparison/1"
    assert document["old"] == {
        "document": "old.json",
        "kind": "ranking",
        "version": "0.1.0",
        "source": "patients.csv",
        "target": "outcome",
        "classes": {"no": 255, "yes": 245},
        "labelled_rows": 500,
        "unlabelled_rows": 0,
        "features": 7,
        "listed": 7,
    }
    assert list(document["measures"]) == list(MEASURES)
    assert document["overlaps"] == [{"first": 5, "shared": 3, "share": 0.6}, {"first": 7, "shared": 7, "share": 1.0}]
    assert list(document["columns"][0]) == list(COMPARISON_HEADER)
    assert document["differences"] == [{"what": "score", "old": "absolute", "new": "signed", "severe": True}]
    assert [list(warning) for warning in document["warnings"]] == [["code", "severity", "columns", "message"]] * 2
    assert [warning["code"] for warning in document["warnings"]] == ["difference", "top"]


def test_what_is_not_known_is_null() -> None:
    document = json.loads(comparison_json(compare_orders("a", "b")))
    assert document["measures"]["spearman"] is document["measures"]["beyond"] is None
    assert document["columns"][0]["old_rank"] is None


def test_kept_columns_are_named() -> None:
    comparison = compare_rankings(selection_of({"a": "keep"}), selection_of({"a": "noise", "b": "keep"}))
    document = comparison_document(comparison)
    assert (document["newly_kept"], document["no_longer_kept"]) == (["b"], ["a"])


def test_names_are_kept() -> None:
    document = json.loads(comparison_json(compare_orders(HOSTILE_NAMES, HOSTILE_NAMES)))
    assert [column["column"] for column in document["columns"]] == HOSTILE_NAMES
