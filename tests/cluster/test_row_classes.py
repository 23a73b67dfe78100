"""The class of each row, learned from a condensed table, is the one that preparing all rows gives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from probfs.cluster.counted_column import condense
from probfs.cluster.row_classes import learn_row_classes
from probfs.columns.choice import ColumnChoice
from probfs.columns.mapping import parse_mapping
from probfs.columns.prepare import prepare
from probfs.errors import DataError, UsageError
from tests.support.table_content import read_csv_text

TABLE = "a,n,y\n" + "".join(f"{row % 7},{row % 3},{row % 5 or 'NA'}\n" for row in range(40)) + "1,2,rare\n"


@pytest.mark.parametrize(
    ("mapping", "choice"),
    [
        ("", {}),
        ("", {"count": "n"}),
        ("", {"min_class": 2}),
        ("", {"na": ["NA", "3"]}),
        ("", {"na": ["NA", "rare"], "cut_target": 2}),
        ('[columns]\ny = {groups = {few = ["1", "2"], many = ["3", "4", "rare"]}}\n', {"count": "n"}),
    ],
)
def test_rows_have_the_class_and_weight_that_preparing_gives_them(mapping: str, choice: dict[str, Any]) -> None:
    table, rules = read_csv_text(TABLE), parse_mapping(mapping.encode(), "m.toml")
    own = ColumnChoice(target="y", **choice)
    prepared = prepare(table, rules, own)
    rows = learn_row_classes(condense(table, "y", own.count), rules, own, None)
    read, groups = rows.read(table, ["a"])
    classes = len(prepared.target.classes)
    expected = np.where(prepared.target.labels < 0, classes, prepared.target.labels)
    expected[prepared.weights == 0] = classes + 1
    assert groups.groups.tolist() == expected.tolist()
    assert rows.by_class.tolist() == list(prepared.target.class_rows)
    assert set(read.columns) == {"a", "y", *([own.count] if own.count else [])}
    if groups.weights is not None:
        assert groups.weights.tolist() == prepared.weights.tolist()
    else:
        assert (prepared.weights == 1).all()


def test_a_class_that_was_not_there_is_refused() -> None:
    table, choice = read_csv_text(TABLE), ColumnChoice(target="y")
    rows = learn_row_classes(condense(table, "y", None), parse_mapping(b"", "m.toml"), choice, None)
    with pytest.raises(DataError, match="holds 'new', which was not there before; do not change a file"):
        rows.read(read_csv_text("a,y\n1,new\n"), ["a"])


def test_counts_that_are_nowhere_are_refused() -> None:
    table = condense(read_csv_text(TABLE), "y", None)
    with pytest.raises(UsageError, match="no column 'm'"):
        learn_row_classes(table, parse_mapping(b"", "m.toml"), ColumnChoice(target="y", count="m"), None)


def test_a_quantity_is_told() -> None:
    table = read_csv_text("y\n" + "".join(f"{row}.5\n" for row in range(60)))
    rows = learn_row_classes(condense(table, "y", None), parse_mapping(b"", "m.toml"), ColumnChoice(target="y"), None)
    assert rows.quantity
