"""The same column in several files: which types agree, how values are merged, and what is said where they do not."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from probfs.tables.arrow_arrays import text_array
from probfs.tables.joined_columns import join_columns, join_dictionaries
from probfs.tables.table import Column, Kind, Table, unread_column, unusable_column
from tests.support.table_content import cell_texts

SOURCES = ("a.arff", "b.arff", "c.arff")


def column(cells: str, values: str | None = None, kind: Kind = Kind.TEXT, **more: Any) -> Column:
    """A column of one-letter cells, of which - is missing; without values, those of the cells."""
    own = list(dict.fromkeys(cells.replace("-", ""))) if values is None else list(values)
    codes = np.array([own.index(cell) if cell != "-" else len(own) for cell in cells], dtype=np.uint8)
    return Column("x", codes, text_array(own), kind, **more)


def ordered(cells: str, values: str, order: str) -> Column:
    own = column(cells, values, categorical=True, ordered=True)
    return Column("x", own.codes, own.values, categorical=True, ordered=True, order=text_array(list(order)))


def joined(*columns: Column, union: bool = False) -> Column:
    return join_columns(columns, SOURCES[: len(columns)], union=union)


def problem_of(*columns: Column) -> str | None:
    return joined(*columns).problem


def test_values_are_in_the_order_of_their_first_appearance() -> None:
    whole = joined(column("ab-a"), column("ca"), column("--b"))
    assert whole.values.to_pylist() == ["a", "b", "c"]
    assert cell_texts(whole) == ["a", "b", None, "a", "c", "a", None, None, "b"]


def test_codes_are_as_wide_as_all_values_need() -> None:
    parts = [
        Column("x", np.arange(200, dtype=np.uint8), text_array([f"{part}.{own}" for own in range(200)]))
        for part in range(2)
    ]
    whole = joined(*parts)
    assert whole.codes.dtype == np.dtype(np.uint16)
    assert whole.codes.tolist() == list(range(400))


def test_dictionaries_are_joined_without_codes() -> None:
    parts = [Column("x", np.empty(0, np.uint8), text_array(list(texts)), Kind.NUMBER) for texts in ("12", "231", "")]
    dictionary = join_dictionaries(parts, SOURCES)
    assert (dictionary.column.values.to_pylist(), dictionary.column.kind) == (["1", "2", "3"], Kind.NUMBER)
    assert [own.tolist() for own in dictionary.translations] == [[0, 1, 3], [1, 2, 0, 3], [3]]


def test_a_column_of_missing_cells_agrees_with_all() -> None:
    whole = joined(column("--"), column("12", kind=Kind.NUMBER), column("-"))
    assert (whole.kind, cell_texts(whole)) == (Kind.NUMBER, [None, None, "1", "2", None])
    assert cell_texts(joined(column("-"), column("-"))) == [None, None]
    assert joined(column("-"), column("a", categorical=True)).categorical
    assert cell_texts(joined(column("--", "ab", declared=True), column("1", kind=Kind.NUMBER))) == [None, None, "1"]
    assert joined(column("--", "ab", declared=True), column("a", "abc", declared=True)).distinct() == 3


@pytest.mark.parametrize(
    ("other", "what"),
    [
        (column("1", kind=Kind.NUMBER), "numbers"),
        (column("a", kind=Kind.DATE), "dates"),
        (column("a", categorical=True), "categories"),
        (column("1", kind=Kind.NUMBER, categorical=True), "categories of numbers"),
        (column("a", categorical=True, ordered=True), "ordered categories"),
        (column("a", declared=True), "declared values"),
    ],
)
def test_types_that_differ_make_a_column_that_cannot_be_used(other: Column, what: str) -> None:
    whole = joined(column("-"), column("a-"), other)
    expected = f"holds text in b.arff, but {what} in c.arff; write it alike in all files, or leave it out"
    assert whole.problem == expected
    assert whole.is_missing().tolist() == [True, False, True, False]
    with pytest.raises(ValueError, match=f"^t: column 'x' {re.escape(expected)}$"):
        Table("t", {"x": whole}, 4).usable(whole)


def test_a_column_that_cannot_be_used_in_one_file_is_so_in_all() -> None:
    nested = unusable_column("x", np.array([True, False]), Kind.NESTED, "holds lists")
    whole = joined(column("a-"), nested)
    assert whole.problem == "in b.arff holds lists; turn it into text or numbers, or leave it out"
    assert whole.is_missing().tolist() == [False, True, True, False]


def test_a_column_that_was_not_read_stays_so() -> None:
    whole = joined(unread_column("x", 2), unread_column("x", 3))
    assert (whole.unread, whole.rows) == (True, 5)


def test_declared_values_may_be_more_in_one_file() -> None:
    whole = joined(column("b", "ba", declared=True), column("c", "abc", declared=True))
    assert (whole.declared, whole.values.to_pylist(), cell_texts(whole)) == (True, ["a", "b", "c"], ["b", "c"])


def test_other_declared_values_are_refused_unless_all_are_wanted() -> None:
    parts = column("a", "ab", declared=True), column("c", "ac", declared=True)
    expected = "declares 'c' in b.arff, but not in a.arff; declare the same values in both, or take all with union=True"
    assert problem_of(*parts) == expected
    whole = joined(*parts, union=True)
    assert (whole.problem, whole.values.to_pylist(), cell_texts(whole)) == (None, ["a", "b", "c"], ["a", "c"])


def test_an_order_is_that_of_the_type_not_of_the_rows() -> None:
    whole = joined(ordered("c", "c", "abcd"), ordered("ab", "ab", "abcd"))
    assert (whole.ordered, whole.values.to_pylist()) == (True, ["a", "b", "c"])
    assert cell_texts(whole) == ["c", "a", "b"]
    assert whole.order is not None
    assert whole.order.to_pylist() == list("abcd")


def test_orders_that_contradict_each_other_are_refused() -> None:
    told = problem_of(ordered("a", "a", "abc"), ordered("a", "a", "ba"))
    assert told == "has its categories in another order in b.arff than in a.arff; give them one order, or leave it out"
    assert problem_of(ordered("a", "a", "abc"), ordered("a", "a", "ac")) is None
