"""Rules applied to columns: learned from the rows that count, and cells translated from code to code."""

from __future__ import annotations

import numpy as np
import pytest

from probfs.columns.recoding import (
    label_of_each_value,
    learn_rule,
    new_code_of_each_value,
    number_of_each_row,
    recode_column,
    translate_codes,
)
from probfs.columns.rules import UNKNOWN, Category, Measured, Ordering, Quantiles
from probfs.errors import DataError
from tests.support.table_content import cell_texts, read_csv_text

TABLE = read_csv_text("x,y\n1,p\n2,q\n,p\n3,q\n")
X = TABLE.columns["x"]


def test_a_rule_learns_from_rows_that_count() -> None:
    everything = learn_rule(TABLE, X, Category(), None)
    assert everything.labels.to_pylist() == ["1", "2", "3"]
    some = learn_rule(TABLE, X, Category(), np.array([1, 0, 1, 2]))
    assert some.labels.to_pylist() == ["1", "3"]


def test_a_value_that_was_not_learned_has_no_label_and_becomes_missing() -> None:
    coder = learn_rule(TABLE, X, Category(), np.array([1, 0, 1, 2]))
    assert label_of_each_value(TABLE, X, coder).tolist() == [0, UNKNOWN, 1, UNKNOWN]
    assert new_code_of_each_value(TABLE, X, coder).tolist() == [0, 2, 1, 2]
    assert cell_texts(recode_column(TABLE, X, coder)) == ["1", None, None, "3"]


def test_a_recoded_column_has_the_labels_of_its_rule() -> None:
    column = recode_column(TABLE, X, learn_rule(TABLE, X, Ordering("<=", 2.0), None))
    assert (column.name, column.declared, column.values.to_pylist()) == ("x", True, ["no", "yes"])
    assert cell_texts(column) == ["yes", "yes", None, "no"]


def test_a_value_that_a_rule_cannot_take_is_shown_with_its_first_line() -> None:
    table = read_csv_text("x,y\n1,p\nmany,q\n2,p\nmany,q\n")
    column = table.columns["x"]
    with pytest.raises(DataError, match=r"^t\.csv:3: column 'x': 'many' is not a number"):
        learn_rule(table, column, Quantiles(2), None)
    with pytest.raises(DataError, match=r"^t\.csv:3: column 'x': 'many' is not a number"):
        number_of_each_row(table, column, Measured())


def test_a_value_that_only_unlabelled_rows_hold_is_shown_with_its_line_too() -> None:
    table = read_csv_text("x,y\n1,p\n2,q\nmany,\n")
    column = table.columns["x"]
    coder = learn_rule(table, column, Quantiles(2), np.array([1, 1, 0]))
    with pytest.raises(DataError, match=r"^t\.csv:4: column 'x': 'many' is not a number"):
        new_code_of_each_value(table, column, coder)


def test_codes_that_do_not_change_are_not_copied() -> None:
    assert translate_codes(X.codes, np.arange(4), 3) is X.codes


@pytest.mark.parametrize(("labels", "dtype"), [(255, np.uint8), (256, np.uint16), (65_536, np.uint32)])
def test_codes_have_the_narrowest_type_for_so_many_labels(labels: int, dtype: type) -> None:
    codes = translate_codes(np.array([0, 2, 1], dtype=np.uint8), np.array([labels, 5, labels - 1]), labels)
    assert codes.dtype == dtype
    assert codes.tolist() == [labels, labels - 1, 5]


def test_every_row_has_its_number_and_a_missing_cell_none() -> None:
    assert number_of_each_row(TABLE, X, Measured()).tolist() == pytest.approx([1, 2, np.nan, 3], nan_ok=True)
