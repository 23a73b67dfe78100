"""A prepared table: which rows are labelled, what they weigh, and the table as a mapping makes it."""

from __future__ import annotations

from typing import Any

import pytest

from probfs.columns.mapping_file import parse_mapping
from probfs.columns.prepare import apply_mapping, prepare
from probfs.columns.roles import ColumnChoice
from probfs.columns.rules import Category
from probfs.errors import UsageError
from tests.support.prepared_tables import prepare_csv
from tests.support.table_content import read_csv_text, table_content


def test_rows_are_labelled_unlabelled_or_none() -> None:
    prepared = prepare_csv("a,n,y\nx,1,p\nz,2,\nx,0,q\nz,3,q\nx,0,\n", count="n")
    assert prepared.labelled.tolist() == [0, 3]
    assert prepared.unlabelled.tolist() == [1]
    assert prepared.labelled_rows == 2
    assert prepared.weights.tolist() == [1, 2, 0, 3, 0]
    assert prepared.labelled_weights is not None
    assert prepared.labelled_weights.tolist() == [1, 0, 0, 3, 0]


def test_where_every_row_is_labelled_and_counts_once_there_are_no_weights() -> None:
    prepared = prepare_csv("a,y\nx,p\nz,q\n")
    assert prepared.labelled_weights is None
    assert (prepared.labelled.tolist(), prepared.unlabelled.tolist()) == ([0, 1], [])
    assert prepare_csv("a,n,y\nx,1,p\nz,1,q\n", count="n").labelled_weights is None


def test_a_text_that_means_missing_takes_the_label_away() -> None:
    prepared = prepare_csv("a,y\nx,p\nz,?\nz,q\nNA,-\n", 'missing = ["-"]', na=["?", "NA"])
    assert prepared.texts.missing == ("?", "NA", "-")
    assert prepared.target.classes == ("p", "q")
    assert prepared.unlabelled.tolist() == [1, 3]
    assert table_content(prepared.table)["a"] == ["x", "z", "z", None]


def test_the_note_on_the_target_is_safe_to_show() -> None:
    assert prepare_csv("a,b\x1b\nx,p\nz,q\n").target_note == "target: b\\x1b (the last column)"


def test_rules_learn_from_labelled_rows() -> None:
    prepared = prepare_csv("a,y\nx,p\nz,q\nnew,\n")
    assert prepared.learn(prepared.table.columns["a"], Category()).labels.to_pylist() == ["x", "z"]


@pytest.mark.parametrize("parameter", ["include", "exclude"])
def test_a_misspelt_column_is_no_silent_choice(parameter: str) -> None:
    choice: dict[str, Any] = {parameter: ["a", "aa"]}
    with pytest.raises(UsageError, match=rf"^{parameter}=: no column 'aa' in t\.csv; did you mean 'a'\?$"):
        prepare_csv("a,y\nx,p\nz,q\n", **choice)


def test_a_mapping_is_applied_to_all_rows_and_drops_columns() -> None:
    table = read_csv_text("id,a,k,y\n1,5,007,p\n2,50,1,q\n3,,2,\n")
    mapping = parse_mapping(b'drop = ["id"]\nmissing = ["2"]\n[columns]\na = "> 10"\nk = "numeric"\n')
    mapped = apply_mapping(prepare(table, mapping, ColumnChoice()), mapping)
    assert table_content(mapped) == {
        "a": ["no", "yes", None],
        "k": ["007", "1", None],
        "y": ["p", "q", None],
    }
    assert mapped.columns["a"].declared
    assert mapped.rows == 3
