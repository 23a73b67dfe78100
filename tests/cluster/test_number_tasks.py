"""Which columns of a block are not counted, and what a worker tells of their numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from probfs.cluster.counted_column import condense
from probfs.cluster.number_ranges import choose_ranges
from probfs.cluster.number_tasks import (
    CountedBlock,
    CountingPlan,
    NumberCount,
    RangeQuestions,
    count_between,
    count_block,
    count_numbers,
    join_counts,
    part_numbers,
    summarize_shard,
)
from probfs.cluster.row_classes import RowClasses, learn_row_classes
from probfs.columns.choice import ColumnChoice
from probfs.columns.leakage import LeakLimits
from probfs.columns.mapping import ColumnMapping
from probfs.tables.arrow import table_from_arrow
from probfs.tables.table import Table

FRACTIONS = np.arange(40) / 7


def table_of(**columns: Any) -> Table:
    rows = len(next(iter(columns.values())))
    return table_from_arrow(pa.table({**columns, "y": np.where(np.arange(rows) % 2, "p", "q")}), "t.parquet")


def counted(table: Table, **settings: Any) -> CountedBlock:
    names = tuple(name for name in table.columns if name not in ("y", "n"))
    return count_block(table, plan(names, **settings))


def plan(names: tuple[str, ...] = (), **settings: Any) -> CountingPlan:
    standard = {"target": "y", "count": None, "missing": (), "many": 20, "too_many": 1000, "union": False}
    return CountingPlan(may_be_summarized=names, **{**standard, **settings})


def classes_of(table: Table, **choice: Any) -> RowClasses:
    own = ColumnChoice(target="y", **choice)
    return learn_row_classes(condense(table, "y", own.count), ColumnMapping(), own, None)


@pytest.mark.parametrize(
    ("cells", "many"),
    [
        (FRACTIONS, True),
        (np.where(np.arange(40) == 39, 0.5, np.arange(40)), True),
        (np.arange(40), False),
        (np.arange(40) % 20 / 7, False),
        (FRACTIONS.astype(str), False),
        (np.append(FRACTIONS[1:], np.inf), False),
    ],
    ids=["fractions", "one fraction", "whole", "few", "texts", "infinite"],
)
def test_many_numbers_with_fractions_are_not_counted(cells: Any, many: bool) -> None:
    block = counted(table_of(a=cells))
    assert block.many == (("a",) if many else ())
    assert block.table.columns["a"].unread == many
    assert not block.too_many


def test_columns_that_a_rule_takes_value_by_value_are_counted() -> None:
    assert count_block(table_of(a=FRACTIONS), plan(())).many == ()


def test_only_rows_that_count_have_fractions_that_matter() -> None:
    cells, counts = np.where(np.arange(40) == 3, 0.5, np.arange(40)), np.arange(40) != 3
    assert counted(table_of(a=cells, n=counts.astype(int)), count="n").many == ()
    assert counted(table_of(a=cells, n=1 - counts.astype(int)), count="n").many == ("a",)
    # Wrong counts are refused by whoever sees those of all rows.
    assert counted(table_of(a=cells, n=np.where(counts, "1", "x")), count="n").many == ()


def test_numbers_that_are_missing_do_not_matter() -> None:
    cells = np.where(np.arange(40) == 3, 0.5, np.arange(40))
    assert counted(table_of(a=cells), missing=("0.5",)).many == ()
    assert counted(table_of(a=FRACTIONS), missing=("0",), many=39).many == ()
    assert counted(table_of(a=FRACTIONS), many=39).many == ("a",)


def test_very_many_whole_numbers_are_not_counted_either() -> None:
    block = counted(table_of(a=np.arange(40), b=FRACTIONS, c=np.arange(40).astype(str)), too_many=30)
    assert (block.many, block.too_many) == (("b",), ("a",))
    assert block.table.columns["a"].unread


def test_counts_of_blocks_are_joined_in_their_order() -> None:
    first, second = table_of(a=np.full(4, np.nan)), table_of(a=np.array([np.nan, 7.5, 2.5]))
    rows = classes_of(table_of(a=np.arange(4)))
    parts = [count_numbers(own, rows, {"a": None}) for own in (first, second)]
    joined = join_counts(parts)["a"]
    assert isinstance(joined, NumberCount)
    assert joined.first == 7.5
    assert joined.histogram.missing_rows.sum() == 5
    infinite = count_numbers(table_of(a=np.array([1.5, np.inf])), rows, {"a": None})
    assert infinite == {"a": None}
    assert join_counts([*parts, infinite]) == {"a": None}


def test_the_first_number_is_one_that_takes_part() -> None:
    table = table_of(a=FRACTIONS, n=np.minimum(np.arange(40) // 5, 1))
    found = count_numbers(table, classes_of(table, count="n"), {"a": None})["a"]
    assert found is not None
    assert found.first == FRACTIONS[5]


def test_of_many_numbers_only_leaks_are_listed() -> None:
    table = table_of(a=np.where(np.arange(40) % 2, 3.0, FRACTIONS), b=np.where(np.arange(40) % 4 < 2, 3.0, FRACTIONS))
    rows = classes_of(table)
    ranges = {}
    for name, own in count_numbers(table, rows, {"a": None, "b": None}).items():
        assert own is not None
        ranges[name] = choose_ranges(own.histogram, 1000)
    keys = [("a", 0), ("b", 0)]
    (shard,) = part_numbers(table, rows, ranges, [keys])
    wanted = {"a": [20], "b": []}
    leaks = LeakLimits.of(rows.by_class)
    found = summarize_shard(RangeQuestions(ranges, wanted, 5, leaks), keys, [shard])
    assert [own.listed.numbers.tolist() for own in found] == [[3.0], []]
    found = summarize_shard(RangeQuestions(ranges, wanted, 100, leaks), keys, [shard])
    assert [len(own.listed.numbers) for own in found] == [own.labelled.distinct for own in found]
    assert found[0].found == ((20, 3.0),)


def test_columns_are_counted_after_all_and_between_known_numbers() -> None:
    table = table_of(a=FRACTIONS, b=FRACTIONS)
    block = count_between(table, plan(missing=("0",)), {"a": np.array([1.0, 2.0])}, ["b"])
    assert list(block.table.columns) == ["b", "y", "a"]
    # The cells are 0 (missing), 6 below 1, 1 itself, 6 up to 2, 2 itself, and 25 above.
    assert sorted(block.table.columns["a"].counts().tolist()) == [1, 1, 1, 6, 6, 25]
    assert block.table.columns["b"].distinct() == 40
    assert count_between(table, plan(too_many=30), {}, ["b"]).too_many == ("b",)
