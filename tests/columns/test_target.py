"""The column to predict: who names it, its classes, how rows count, and targets that cannot be predicted."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

import probfs
from probfs.columns.choice import ColumnChoice
from probfs.columns.encode import encode
from probfs.columns.mapping import ColumnMapping
from probfs.columns.prepare import prepare
from probfs.columns.rules import UNKNOWN
from probfs.columns.target import MOST_ROWS, check_target, row_counts
from probfs.errors import DataError, UsageError
from probfs.text import command_line_language
from tests.support.tables import Write, csv_of, csv_of_rows, prepare_csv, read_bytes, read_csv_text

LAST = ("the last column", "the last column that is not left out")


@pytest.mark.parametrize(
    ("mapping", "choice", "name", "reason", "classes", "labels"),
    [
        ("", {}, "y", LAST[0], ("p", "q"), [1, UNKNOWN, 0, 1]),
        ("", {"count": "n"}, "y", LAST[0], ("q",), [0, UNKNOWN, UNKNOWN, 0]),
        ('missing = ["q"]', {"na": ["p"]}, "y", LAST[0], (), [UNKNOWN] * 4),
        ("", {"target": "a"}, "a", "by target=", ("u", "v"), [0, 1, 0, 1]),
        ('target = "a"', {}, "a", "by the mapping", ("u", "v"), [0, 1, 0, 1]),
        ('target = "n"', {"target": "a"}, "a", "by target=", ("u", "v"), [0, 1, 0, 1]),
        ("", {"exclude": ["y"]}, "n", LAST[1], ("0", "10", "20", "5"), [1, 2, 0, 3]),
        ('drop = ["y"]', {"count": "n"}, "a", LAST[1], ("u", "v"), [0, 1, UNKNOWN, 1]),
        ("columns.n = '> 5'", {"target": "n"}, "n", "by target=", ("no", "yes"), [1, 1, 0, 0]),
    ],
)
def test_the_target_is_the_option_then_the_mapping_then_the_last_column_and_its_classes_are_sorted(
    mapping: str, choice: dict[str, Any], name: str, reason: str, classes: tuple[str, ...], labels: list[int]
) -> None:
    prepared = prepare_csv("a,n,y\nu,10,q\nv,20,\nu,0,p\nv,5,q\n", mapping, **choice)
    target = prepared.target
    assert (target.name, target.reason, target.classes) == (name, reason, classes)
    counted = [own if weight else UNKNOWN for own, weight in zip(target.labels, prepared.weights, strict=True)]
    assert (counted, target.declared) == (labels, "columns" in mapping)
    assert prepared.target_note == f"target: {name} ({reason})"


def test_the_file_s_own_hint_counts_unless_it_is_left_out() -> None:
    table = read_bytes(b"@relation r\n@attribute Class {p,q}\n@attribute a {x,z}\n@data\np,x\nq,z\n", "t.arff")
    for mapping, choice, expected in (
        (ColumnMapping(), ColumnChoice(), ("Class", "the ARFF attribute of that name")),
        (ColumnMapping(), ColumnChoice(exclude=["Class"]), ("a", "the last column")),
        (ColumnMapping(target="a"), ColumnChoice(), ("a", "by the mapping")),
    ):
        target = prepare(table, mapping, choice).target
        assert (target.name, target.reason) == expected
    with pytest.raises(UsageError, match=r"^no column of t\.csv is left to be the target; name one with target=$"):
        prepare_csv("a,b,c\n1,2,3\n", exclude=["a", "b", "c"])


# Rare classes

RARE = "a,y\n" + "x,p\nz,p\nx,q\nz,q\n" * 3 + "x,t\nz,t\nx,r\nz,s\n"


def test_rows_of_rare_classes_are_dropped_counted_and_named(write: Write) -> None:
    data = write("t.csv", RARE)
    ranking = probfs.rank(data, target="y")
    assert ranking.input.classes == {"p": 6, "q": 6, "t": 2}
    assert (ranking.input.labelled_rows, ranking.input.unlabelled_rows, ranking.input.dropped_rows) == (14, 0, 2)
    assert "2 rows dropped, of classes with fewer than 2 rows (min_class=): 'r', 's'" in ranking.warnings
    without = probfs.rank(write("u.csv", RARE.replace("x,r\nz,s\n", "")), target="y")
    assert (ranking.features, ranking.rounds, without.input.dropped_rows) == (without.features, without.rounds, 0)
    assert len(probfs.rank(data, target="y", min_class=1, estimate="resubstitution").input.classes) == 5
    with pytest.raises(DataError, match=r"class 'r' has one row only.*or drop the row with min_class=2$"):
        probfs.rank(data, target="y", min_class=1)


def test_two_classes_must_be_left(write: Write) -> None:
    for least, found in ((7, "no class has"), (6, "only class 'p' has")):
        with command_line_language(), pytest.raises(DataError) as caught:
            prepare_csv(RARE.replace("x,q\n", "", 1), min_class=least)
        problem = (
            f"--min-class {least}: {found} {least} rows or more in the target 'y', and two such classes are needed"
        )
        assert str(caught.value) == f"t.csv: {problem}; choose fewer"
    lonely = write("u.csv", "a,y\nx,p\nz,p\nx,q\n")
    alone = r"u\.csv: class 'q' has one row only, and holding it out leaves none"
    with pytest.raises(DataError, match=rf'{alone}; use estimate="resubstitution", or drop the row$'):
        probfs.rank(lonely, target="y")
    assert probfs.rank(lonely, target="y", estimate="resubstitution").input.classes == {"p": 2, "q": 1}


# Targets that cannot be predicted


def quantity(rows: int = 40) -> str:
    """A price in the last column, and columns that may be classes."""
    cells = [(f"id{n}", "abc"[n % 3], ["no", "yes"][n % 2], n % 15, n + 0.5) for n in range(rows)]
    return csv_of_rows(["name", "species", "sold", "age", "price"], cells)


def of_target(*cells: object) -> str:
    return csv_of(a=["xz"[n % 2] for n in range(len(cells))], y=cells)


def of_texts(form: str, different: int, rows: int) -> str:
    return of_target(*(form.format(n % different) for n in range(rows)))


PRICE = {"target": "price"}
UNLIKELY = "the target 'y', the last column, does not look like a class column: "
QUANTITY = "is a quantity (a regression target?): {} distinct numbers"
IDS = of_target("id", *(f"id{n}" for n in range(38)), "id")
EMPTY = "the target 'y' has one class only, '1'; two or more are needed; {} no class, unless you fill it in"
KEYS = (
    "is an identifier, which nothing predicts: text that is different in nearly every row, 40 values in 40 rows; name"
)


def named(values: int, rows: int) -> str:
    return csv_of_rows(["status", "price"], [(f"s{n % values}", n + 0.5) for n in range(rows)])


NAMED = csv_of_rows(["a", "species", "y", "z"], [(n % 30, f"s{n % 25}", n % 30 / 7, n + 0.25) for n in range(100)])


@pytest.mark.parametrize(
    ("text", "choice", "message"),
    [
        (quantity(12), PRICE, f"the target 'price' {QUANTITY.format(12)}, 12 of them in one row only; name another"),
        (quantity(12), PRICE, "name another with --target, or cut it into classes with --cut-target 3; if they are"),
        (quantity(), {}, f"the target 'price', the last column, {QUANTITY.format(40)}, 40 of them in one row only; "),
        (quantity(), {}, "name another with --target ('species' or 'sold' or 'age'?), or cut it into classes"),
        # A column named like a class is a candidate if it repeats its values.
        (named(25, 50), {}, "name another with --target ('status'?), or cut it into classes"),
        (named(26, 51), {}, "name another with --target, or cut it into classes"),
        (NAMED, {}, "name another with --target ('species'?), or cut it into classes"),
        (of_target(*range(51), *range(51)), {}, f"{QUANTITY.format(51)}; name another"),
        (of_target(0, 1, 2, 0, 1, 2, 0.5), {}, f"{QUANTITY.format(4)}, 1 of them in one row only; name another"),
        (of_target(0, 1, 2, 0, 1, 2, 5, 7), {}, f"{QUANTITY.format(5)}, 2 of them in one row only; name another"),
        (of_target(1, 1), {}, "the target 'y' has one class only, '1'; two or more are needed"),
        (of_target(1, "", 1, ""), {}, EMPTY.format("2 rows without a value are")),
        (of_target(1, ""), {}, EMPTY.format("1 row without a value is")),
        (of_target("", ""), {}, "no row has a value in the target 'y'; name another with --target"),
        ("a;b;\n" + "1;x;\n2;y;\n" * 9, {}, "in the target 'column 3'; name another with --target ('b' or 'a'?)"),
        ("y\n1\n2\n", {}, "no column is left to rank beside the target 'y'"),
        (csv_of(30, nr=lambda n: n), {}, "beside the target 'y' and identifiers: 'nr'; --keep-identifiers ranks them"),
        (IDS, {}, f"{UNLIKELY}39 different values in 40 rows; name another with --target ('a'?)"),
        (of_target(*(f"M{min(n, 36)}" for n in range(40))), {}, f"{UNLIKELY}37 different values in 40 rows; name"),
        (of_texts("key {}", 40, 40), {}, f"the target 'y', the last column, {KEYS} another with --target ('a'?)"),
        (of_texts("a Mount at {}", 25, 100), {}, f"{UNLIKELY}free text, 25 different ones in 100 rows; name another"),
        (of_texts("2020-01-{:02}", 30, 120), {}, f"{UNLIKELY}dates, 30 different ones in 120 rows; name another"),
    ],
)
def test_what_is_no_class_column_is_refused_with_candidates(text: str, choice: dict[str, Any], message: str) -> None:
    with command_line_language(), pytest.raises(DataError) as caught:
        check_target(prepare_csv(text, **choice))
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("text", "mapping", "choice"),
    [
        (of_target(*range(50), *range(50)), "", {}),
        (quantity(), '[columns]\nprice = "category"\n', {}),
        (quantity(), "[columns]\nprice = { quantiles = 3 }\n", {}),
        (IDS, "", {"target": "y"}),
        (of_texts("a Mount {}", 25, 100), "", {}),
        (of_target(*(f"M{min(n, 35)}" for n in range(40))), "", {}),
        (of_texts("c{}", 20, 20), "", {}),
        (of_target(*[0, 1, 2] * 4, 3), "", {"min_class": 2}),
    ],
)
def test_classes_that_repeat_are_named_or_declared_are_taken(text: str, mapping: str, choice: dict[str, Any]) -> None:
    check_target(prepare_csv(text, mapping, **choice))


def test_a_quantity_is_cut_as_the_mapping_would(write: Write) -> None:
    data, mapping = write("t.csv", quantity()), write("m.toml", "[columns]\nprice = { quantiles = 3 }\n")
    cut = probfs.rank(data, target="price", exclude="name", cut_target=3)
    assert cut.features == probfs.rank(data, target="price", exclude="name", mapping=mapping).features
    assert (len(cut.input.classes), cut.settings.cut_target, cut.input.target) == (3, 3, "price")
    with pytest.raises(DataError, match="'a' is not a number"):
        probfs.rank(data, target="species", cut_target=3)


# Rows that stand for several


def test_a_count_may_be_written_as_other_tools_write_it() -> None:
    table = read_csv_text(csv_of(n=["7", "007", "7.0", " 7 ", "7e0", "9" * 15, "0"]))
    assert row_counts(table, "n").tolist() == [7, 7, 7, 7, 7, 10**15 - 1, 0]
    assert row_counts(table, None).tolist() == row_counts(table, "absent").tolist() == [1] * 7
    most, refused = 10**15 - 1, r"^t\.csv: column 'n': the counts add up to more than 2\^53 rows$"
    rows = -(-MOST_ROWS // most)
    assert row_counts(read_csv_text(csv_of(n=[most] * (rows - 1))), "n").sum() == most * (rows - 1)
    with pytest.raises(DataError, match=refused):
        row_counts(read_csv_text(csv_of(n=[most] * rows)), "n")


@pytest.mark.parametrize("written", ["7.5", "-1", "٣", "1" + "0" * 15, "x", "1_5", ""])
def test_anything_else_is_shown_with_its_line(written: str) -> None:
    with pytest.raises(DataError) as caught:
        prepare_csv(f"a,n,y\nx,1,p\ny,{written},q\n", count="n")
    wrong = f"'{written}' is not a row count; use whole numbers of up to 15 digits"
    problem = wrong if written else "the row count is missing; write 0 for no row"
    assert str(caught.value) == f"t.csv:3: column 'n': {problem}"


@pytest.mark.parametrize(
    ("cell", "odd", "rule", "place"),
    [
        (lambda n: f"${n * 31}.50", "?5", {"weight": "w"}, 13),
        (lambda n: f"${n * 31}.50", "?5", {"time": "w"}, 13),
        (lambda n: f"{n % 28 + 1:02}.01.2020", "30.02.2020x", {"time": "w"}, 13),
        # Where none fits, or no number is asked for in another way, the first one is at fault.
        (lambda n: f"{n % 28 + 1:02}.01.2020", "x", {"weight": "w"}, 2),
        (lambda n: "abc"[n % 3], "x", {"weight": "w"}, 2),
        (lambda n: f"${n + 1}", "x", {"count": "w"}, 2),
    ],
)
def test_among_prices_or_dates_the_cell_that_is_none_is_at_fault(
    cell: Callable[[int], str], odd: str, rule: dict[str, str], place: int
) -> None:
    cells = [odd if n == 11 else cell(n) for n in range(40)]
    with pytest.raises(DataError, match=rf"^t\.csv:{place}: column 'w': '{re.escape(cells[place - 2])}' is no"):
        encode(prepare_csv(csv_of(a=lambda n: "uv"[n % 2], w=cells), **rule))
