"""The CSV of a comparison, whose columns are a contract."""

from __future__ import annotations

import csv
import io

from probfs.comparison.changes import compare_rankings
from probfs.rendering.comparison_csv import COMPARISON_HEADER, comparison_csv, comparison_rows
from tests.support.comparisons import compare_orders, ranking_of, selection_of
from tests.support.hostile_names import HOSTILE_NAMES


def test_the_columns_of_the_csv_are_a_contract() -> None:
    assert ",".join(COMPARISON_HEADER) == (
        "column,change,moved,old_rank,new_rank,old_rank_low,old_rank_high,new_rank_low,new_rank_high,beyond,"
        "old_score,new_score,old_verdict,new_verdict,renamed"
    )


def test_every_column_has_a_row_and_what_is_not_known_is_empty() -> None:
    intervals = {"a": (1, 1), "b": (2, 3), "c": (2, 3)}
    old = ranking_of("abc", intervals=intervals, scores={"c": 0.3})
    text = comparison_csv(compare_rankings(old, ranking_of("bax", scores={"x": 0.3})))
    assert text.splitlines()[1:] == [
        "b,rose,1,2,1,2,3,,,true,0.5,1.0,,,",
        "a,fell,-1,1,2,1,1,,,true,1.0,0.5,,,",
        "x,appeared,,,3,,,,,,,0.3333333333333333,,,c",
        "c,vanished,,3,,2,3,,,,0.3333333333333333,,,,x",
    ]


def test_verdicts_stand_there() -> None:
    comparison = compare_rankings(selection_of({"a": "keep"}), selection_of({"a": "noise"}))
    assert comparison_csv(comparison).splitlines()[1] == "a,same,0,1,1,,,,,,1.0,,keep,noise,"


def test_names_are_kept_and_made_safe_on_demand() -> None:
    comparison = compare_orders(HOSTILE_NAMES, HOSTILE_NAMES[::-1])
    rows = list(csv.reader(io.StringIO(comparison_csv(comparison))))
    assert [row[0] for row in rows[1:]] == HOSTILE_NAMES[::-1]
    safe = [row[0] for row in csv.reader(io.StringIO(comparison_csv(comparison, safe=True)))]
    assert f"'{HOSTILE_NAMES[0]}" in safe
    assert len(comparison_rows(comparison)) == len(HOSTILE_NAMES)
