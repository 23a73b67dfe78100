"""A prepared table: which rows are labelled, what they weigh, and the table as a mapping makes it."""

from __future__ import annotations

import pandas as pd
import pytest

from probfs.columns.encode import encode
from probfs.columns.mapping import parse_mapping
from probfs.columns.prepare import apply_mapping
from probfs.errors import DataError
from tests.support.prepared_tables import prepare_csv, prepare_frame
from tests.support.table_content import table_content


def test_rows_are_labelled_unlabelled_or_none() -> None:
    prepared = prepare_csv("a,n,y\nx,1,p\nz,2,\nx,0,q\nz,3,q\nx,0,\n", count="n")
    assert (prepared.labelled.tolist(), prepared.unlabelled.tolist(), prepared.labelled_rows) == ([0, 3], [1], 2)
    assert prepared.weights.tolist() == [1, 2, 0, 3, 0]
    assert prepared.labelled_weights is not None
    assert prepared.labelled_weights.tolist() == [1, 0, 0, 3, 0]


@pytest.mark.parametrize("count", [None, "n"])
def test_where_every_row_is_labelled_and_counts_once_there_are_no_weights(count: str | None) -> None:
    prepared = prepare_csv("a,n,y\nx,1,p\nz,1,q\n", count=count)
    assert prepared.labelled_weights is None
    assert (prepared.labelled.tolist(), prepared.unlabelled.tolist()) == ([0, 1], [])


def test_a_text_that_means_missing_takes_the_label_away() -> None:
    prepared = prepare_csv("a,y\nx,p\nz,?\nz,q\nNA,-\n", 'missing = ["-"]', na=["?", "NA"])
    assert prepared.texts.missing == ("?", "NA", "-")
    assert (prepared.target.classes, prepared.unlabelled.tolist()) == (("p", "q"), [1, 3])
    assert table_content(prepared.table)["a"] == ["x", "z", "z", None]


def test_the_note_on_the_target_is_safe_to_show() -> None:
    assert prepare_csv("a,b\x1b\nx,p\nz,q\n").target_note == "target: b\\x1b (the last column)"


def test_a_mapping_is_applied_to_all_rows_and_drops_columns() -> None:
    text = 'drop = ["id"]\nmissing = ["2"]\n[columns]\na = "> 10"\nk = "numeric"\nc = "category"\n'
    mapping = parse_mapping(text.encode())
    table = "id,a,k,c,y\n1,5,007,u,p\n2,50,1,w,q\n3,,2,new,\n"
    mapped = apply_mapping(prepare_csv(table, text), mapping)
    assert table_content(mapped) == {
        "a": ["no", "yes", None],
        "k": ["007", "1", None],
        "c": ["u", "w", None],
        "y": ["p", "q", None],
    }
    assert mapped.columns["a"].declared is not None
    assert mapped.columns["a"].declared.to_pylist() == ["no", "yes"]
    assert mapped.rows == 3


def test_numbers_that_no_rule_changes_keep_their_cells() -> None:
    days = pd.date_range("2020-01-01", periods=2, tz="Europe/Oslo")
    columns = {"big": [2**63 - 1, 5], "day": days, "a": ["x", "z"], "y": ["p", "q"]}
    mapping = "[columns]\na = '== x'\nbig = 'numeric'\n"
    mapped = apply_mapping(prepare_frame(columns, mapping), parse_mapping(mapping.encode()))
    assert mapped.columns["big"].cells.to_pylist() == [2**63 - 1, 5]
    assert mapped.columns["day"].cells.to_pylist() == list(days)


@pytest.mark.parametrize(("rule", "measured"), [("{ quantiles = 2 }", False), ('"<= 1"', False), ('"numeric"', True)])
def test_a_value_that_only_unlabelled_rows_hold_is_refused_with_its_first_line(rule: str, measured: bool) -> None:
    text = "x,y\n1,p\n2,q\nmany,\n3,\nmany,\n"
    with pytest.raises(DataError, match=r"^t\.csv:4: column 'x': 'many' is not a number"):
        encode(prepare_csv(text, f"[columns]\nx = {rule}", numbers_as_they_are=measured))
