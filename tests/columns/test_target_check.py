"""Targets that cannot be predicted, and what is said of them."""

from __future__ import annotations

import numpy as np
import pytest

import probfs
from probfs.columns.mapping_file import MappingFile
from probfs.columns.prepare import prepare
from probfs.columns.roles import ColumnChoice
from probfs.columns.target_check import candidate_targets, check_target
from probfs.errors import DataError, UsageError
from probfs.text import command_line_language
from tests.support.many_numbers import summarized_table
from tests.support.prepared_tables import csv_of_rows, prepare_csv
from tests.support.table_content import Write


def quantity(rows: int = 40) -> str:
    """A price in the last column, and columns that may be classes."""
    cells = [(f"id{n}", "abc"[n % 3], ["no", "yes"][n % 2], n % 15, n + 0.5) for n in range(rows)]
    return csv_of_rows(["name", "species", "sold", "age", "price"], cells)


def refusal(text: str, mapping: str = "", **choice: object) -> str:
    with command_line_language(), pytest.raises(DataError) as caught:
        check_target(prepare_csv(text, mapping, **choice))
    return str(caught.value)


def test_numbers_that_stand_in_one_row_each_are_a_quantity_however_few() -> None:
    message = refusal(quantity(12), target="price")
    assert message == (
        "t.csv: the target 'price' is a quantity (a regression target?): 12 distinct numbers, 12 of them in one row "
        "only; name another with --target, or cut it into classes with --cut-target 3; if they are classes, map it as "
        '"category" (--mapping)'
    )


def test_more_than_fifty_numbers_are_a_quantity_even_if_they_repeat() -> None:
    rows = [("xz"[n % 2], n % 51) for n in range(204)]
    assert "51 distinct numbers; name" in refusal(csv_of_rows(["a", "y"], rows))
    check_target(prepare_csv(csv_of_rows(["a", "y"], [(a, y % 50) for a, y in rows])))


def test_of_the_last_column_candidates_are_named() -> None:
    message = refusal(quantity())
    assert "the target 'price', the last column, is a quantity" in message
    assert "name another with --target ('species' or 'sold' or 'age'?)" in message
    assert candidate_targets(prepare_csv(quantity())) == ["species", "sold", "age"]


def test_one_number_alone_among_a_few_whole_ones_is_a_rare_class() -> None:
    rows = [("xz"[n % 2], n % 3) for n in range(12)]
    prepared = prepare_csv(csv_of_rows(["a", "y"], [*rows, ("x", 3)]), min_class=2)
    check_target(prepared)
    assert (prepared.target.classes, prepared.dropped_rows) == (("0", "1", "2"), 1)
    assert "is a quantity" in refusal(csv_of_rows(["a", "y"], [*rows, ("x", 0.5)]))
    assert "is a quantity" in refusal(csv_of_rows(["a", "y"], [*rows, ("x", 3), ("x", 4)]))


def test_declared_classes_are_classes() -> None:
    check_target(prepare_csv(quantity(), '[columns]\nprice = "category"\n'))
    check_target(prepare_csv(quantity(), "[columns]\nprice = { quantiles = 3 }\n"))


def test_a_quantity_is_cut_as_the_mapping_would(write: Write) -> None:
    data, mapping = write("t.csv", quantity()), write("m.toml", "[columns]\nprice = { quantiles = 3 }\n")
    cut = probfs.rank(data, target="price", exclude="name", cut_target=3)
    assert cut.features == probfs.rank(data, target="price", exclude="name", mapping=mapping).features
    assert (len(cut.input.classes), cut.settings.cut_target, cut.input.target) == (3, 3, "price")
    with pytest.raises(UsageError, match=r"^cut_target=: 'price' has a rule in .*m\.toml; keep one of the two$"):
        probfs.rank(data, mapping=mapping, cut_target=3)
    with pytest.raises(DataError, match="'a' is not a number"):
        probfs.rank(data, target="species", cut_target=3)


def test_a_last_column_that_is_nearly_all_different_is_refused_unless_named() -> None:
    rows = [("xz"[n % 2], "ab"[n % 2], f"id{n}" if n > 1 else "id") for n in range(40)]
    text = csv_of_rows(["a", "class", "name"], rows)
    message = refusal(text)
    assert message == (
        "t.csv: the target 'name', the last column, is hardly a class column: 39 different values in 40 rows; "
        "name another with --target ('class' or 'a'?)"
    )
    check_target(prepare_csv(text, target="name"))
    # Also where most of its rows would be dropped.
    twice = csv_of_rows(["a", "name"], [("xz"[n % 2], f"id{min(n, 38) if n != 1 else 0}") for n in range(40)])
    assert "hardly a class column: 38 different values" in refusal(twice, min_class=2)


def test_free_text_is_no_class() -> None:
    rows = [("xz"[n % 2], f"it rained on day {n % 25} again") for n in range(100)]
    assert "is hardly a class column: free text, 25 different ones in 100 rows" in refusal(
        csv_of_rows(["a", "b"], rows)
    )
    names = [("xz"[n % 2], f"Mount {n % 25}") for n in range(100)]
    check_target(prepare_csv(csv_of_rows(["a", "b"], names)))


def test_few_rows_are_not_judged() -> None:
    check_target(prepare_csv(csv_of_rows(["a", "y"], [("x", f"c{n}") for n in range(20)])))


def test_a_column_named_like_a_class_is_a_candidate_if_it_repeats_its_values() -> None:
    rows = [(n % 30, f"s{n % 25}", n % 30 / 7, n + 0.25) for n in range(100)]
    prepared = prepare_csv(csv_of_rows(["a", "species", "y", "z"], rows))
    assert candidate_targets(prepared) == ["species"]
    nothing = prepare_csv(csv_of_rows(["a", "z"], [(n / 7, n + 0.5) for n in range(30)]))
    assert candidate_targets(nothing) == []
    with pytest.raises(DataError, match="name another with target=, or cut it"):
        check_target(nothing)


def test_many_numbers_are_no_candidate_though_few_are_known() -> None:
    numbers = np.arange(60) / 7
    table = summarized_table(numbers, numbers[[20, 40]], ["p", "q"] * 30)
    assert candidate_targets(prepare(table, MappingFile(), ColumnChoice(target="y"))) == []
