"""Condensed tables: they answer as the table does, in parts or whole, and say where a cell stands."""

from __future__ import annotations

import pickle
from collections import Counter
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from probfs.cluster.counting import CondensedTable, condense, join_condensed
from probfs.ranking.inputs import every_name
from probfs.tables.arrays import text_array
from probfs.tables.column import NO_ROW, Column
from probfs.tables.frames import table_in_memory
from probfs.tables.reading import ReadOptions
from probfs.tables.table import Table
from tests.support.table_content import read_csv_text

Rows = list[tuple[str, str, str]]
ROWS = st.lists(
    st.tuples(st.sampled_from(["u", "v", "w", ""]), st.sampled_from("0123"), st.sampled_from(["p", "q", ""])),
    min_size=1,
    max_size=30,
)


def table_of(rows: Rows, source: str = "t.csv") -> Table:
    text = "a,n,y\n" + "".join(",".join(row) + "\n" for row in rows)
    return replace(read_csv_text(text, options=ReadOptions(as_text=every_name)), source=source)


def joined_parts(rows: Rows, ends: set[int], count: str | None = None) -> CondensedTable:
    cuts = [0, *sorted(end for end in ends if end < len(rows)), len(rows)]
    parts = [table_of(rows[start:end]) for start, end in pairwise(cuts)]
    naming = ["y"] if count is None else ["y", count]
    return join_condensed([condense(part, naming) for part in parts], naming)


def by_text(column: Column, weights: np.ndarray | None) -> dict[str | None, int]:
    texts = [*column.values.to_pylist(), None]
    return dict(zip(texts, column.counts(weights).tolist(), strict=True))


@given(ROWS, st.sets(st.integers(1, 29), max_size=3), st.booleans(), st.sets(st.sampled_from(["p", "q", None])))
def test_a_condensed_table_counts_as_the_table_does(
    rows: Rows, ends: set[int], counting: bool, taking_part: set[str | None]
) -> None:
    table, condensed = table_of(rows), joined_parts(rows, ends, "n" if counting else None)
    weights: list[np.ndarray] = []
    for own in (table, condensed):
        texts = [*own.columns["y"].values.to_pylist(), None]
        takes_part = np.array([texts[code] in taking_part for code in own.columns["y"].codes])
        stands_for = np.ones(own.rows, np.int64) if own.row_counts is None else own.row_counts
        counts = np.array([int(text) for text in own.columns["n"].values.to_pylist()])
        each = counts[own.columns["n"].codes] if counting else 1
        weights.append(takes_part * stands_for * each)
    for name, column in table.columns.items():
        other = condensed.columns[name]
        assert (other.rows, other.distinct()) == (column.rows, column.distinct())
        assert by_text(other, None) == by_text(column, None)
        assert by_text(other, weights[1]) == by_text(column, weights[0])
        assert other.distinct(weights[1]) == column.distinct(weights[0])
        assert other.values.to_pylist() == column.values.to_pylist(), "in the order of their first rows"
        np.testing.assert_array_equal(other.first_rows(), column.first_rows())
        _, missing = other.missing_cells(weights[1])
        assert missing is not None
        assert missing.sum() == column.counts(weights[0])[-1]


@given(ROWS, st.sets(st.integers(1, 29), max_size=3))
def test_cells_are_those_of_the_rows_that_they_stand_for(rows: Rows, ends: set[int]) -> None:
    condensed = joined_parts(rows, ends)
    classes = [*condensed.columns["y"].values.to_pylist(), None]
    values = [*condensed.columns["a"].values.to_pylist(), None]
    codes, places, weights = condensed.columns["a"].coded_cells(condensed.condensed_rows)
    assert weights is not None
    labels = condensed.columns["y"].codes[places]
    found = {(values[a], classes[y]): n for a, y, n in zip(codes, labels, weights.tolist(), strict=True)}
    assert found == Counter((a or None, y or None) for a, _, y in rows)


def test_recoded_values_keep_the_first_of_their_rows() -> None:
    condensed = joined_parts([("u", "1", "p"), ("v", "1", "q"), ("w", "1", "p"), ("", "1", "q")], {2})
    merged = condensed.columns["a"].recoded(np.array([1, 0, 1, 2], np.uint8), text_array(["V", "U"]))
    assert merged.counts().tolist() == [1, 2, 1]
    assert merged.first_rows().tolist() == [1, 0, 3]


def test_a_condensed_table_is_small_and_travels() -> None:
    table = table_of([("u", "1", "p"), ("v", "2", "q")] * 5000)
    sent = pickle.dumps(condense(table, ["y", "n"]))
    assert len(sent) < 5000
    assert join_condensed([pickle.loads(sent)], ["y", "n"]).columns["a"].counts().tolist() == [5000, 5000, 0]


def test_an_error_names_the_file_and_the_line_of_the_first_cell() -> None:
    parts = [table_of([("u", "1", "p")] * 3, "one.csv"), table_of([("v", "1", "p"), ("u", "x", "")], "two.csv")]
    table = join_condensed([condense(part, ["y"]) for part in parts], ["y"])
    assert str(table.cell_error(table.columns["n"], 1, "bad")) == "two.csv:3: column 'n': bad"
    assert str(table.cell_error(table.columns["y"], 1, "missing")) == "two.csv:3: column 'y': missing"
    assert str(table.cell_error(table.columns["a"], 0, "bad")) == "one.csv:2: column 'a': bad"


def test_an_error_in_a_file_without_lines_counts_rows_from_where_its_part_begins() -> None:
    frames = [pd.DataFrame({"a": own, "y": ["p"] * len(own)}) for own in (["u", "u"], ["u", "v", "u"])]
    parts = [
        replace(table_in_memory(frame, "data"), first_row=first) for frame, first in zip(frames, (0, 2), strict=True)
    ]
    table = join_condensed([condense(part, ["y"]) for part in parts], ["y"])
    assert str(table.cell_error(table.columns["a"], 1, "bad")).endswith(": column 'a', row 4: bad")
    assert str(parts[1].cell_error(parts[1].columns["a"], 1, "bad")).endswith(": column 'a', row 4: bad")


def test_columns_may_stand_in_another_order() -> None:
    first = table_of([("u", "1", "p")])
    turned = replace(first, columns=dict(reversed(list(first.columns.items()))))
    assert list(join_condensed([condense(part, ["y"]) for part in (first, turned)], ["y"]).columns) == ["a", "n", "y"]


def condensed_frame(cells: Any) -> CondensedTable:
    return condense(table_in_memory(pd.DataFrame({"a": cells, "y": "p"}), "data"), ["y"])


def test_ordered_categories_keep_the_order_of_their_type() -> None:
    order = ["low", "mid", "high"]
    parts = [condensed_frame(pd.Categorical([text], order, ordered=True)) for text in ("high", "low", "mid")]
    joined = join_condensed(parts, ["y"]).columns["a"]
    assert joined.ordered
    assert joined.values.to_pylist() == order
    assert joined.first_rows().tolist() == [1, 2, 0, NO_ROW]
