"""The column to predict: who names it, and which classes it has."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import probfs
from probfs.columns.mapping_file import MappingFile, parse_mapping
from probfs.columns.roles import ColumnChoice
from probfs.columns.rules import UNKNOWN
from probfs.columns.target import choose_target, drop_rare_classes, read_classes
from probfs.errors import UsageError
from probfs.tables.readers import read_table
from probfs.text import command_line_language
from tests.support.table_content import Write, read_csv_text


def test_the_target_is_the_option_then_the_mapping_then_class_then_the_last_column(write: Write) -> None:
    data = write("t.csv", "class,a,y\n0,x,p\n0,y,q\n1,x,p\n1,x,q\n")
    mapping = write("m.toml", 'target = "a"')
    arff = write("t.arff", "@relation r\n@attribute Class {0,1}\n@attribute a {x,y}\n@data\n0,x\n0,y\n1,x\n1,x\n")
    options = {"estimate": "resubstitution"}
    said: list[str] = []
    for source, more in (
        (data, {"target": "class", "mapping": mapping}),
        (data, {"mapping": mapping}),
        (data, {}),
        (arff, {}),
    ):
        probfs.rank(source, on_note=said.append, **options, **more)  # type: ignore[arg-type]  # options of many types
    assert [note for note in said if note.startswith("target")] == [
        "target: class (by target=)",
        "target: a (by the mapping)",
        "target: y (the last column)",
        "target: Class (the ARFF attribute of that name)",
    ]


def test_the_count_column_is_not_taken_for_the_target(frame: pd.DataFrame) -> None:
    ranking = probfs.rank(frame[["a", "b", "y", "n"]], target="y", count="n")
    assert ranking.input.target == "y"
    assert {feature.feature for feature in ranking.features} == {"a", "b"}


def test_many_numbers_may_be_classes_if_the_user_says_so(write: Write) -> None:
    body = "".join(f"{'xy'[n % 2]},{n}\nx,{n}\n" for n in range(60))
    names = ",".join(str(n) for n in range(60))
    arff = f"@relation r\n@attribute a {{x,y}}\n@attribute class {{{names}}}\n@data\n{body}"
    assert len(probfs.rank(write("t.arff", arff), target="class").input.classes) == 60
    data, mapping = write("t.csv", "a,y\n" + body), write("m.toml", '[columns]\ny = "category"\n')
    assert len(probfs.rank(data, target="y", mapping=mapping).input.classes) == 60


def test_the_target_may_be_made_by_a_rule(write: Write) -> None:
    frame = pd.DataFrame({"x": list("aabbaabb"), "y": [str(number) for number in range(8)]})
    ranking = probfs.rank(frame, target="y", mapping=write("m.toml", '[columns]\ny = "< 4"\n'))
    assert ranking.input.classes == {"no": 4, "yes": 4}


def choose(text: str, mapping: str = "", **choice: Any) -> tuple[str, str]:
    return choose_target(read_csv_text(text), parse_mapping(mapping.encode()), ColumnChoice(**choice))


def test_a_column_that_is_left_out_is_not_the_target() -> None:
    assert choose("a,b,c\n1,2,3\n") == ("c", "the last column")
    assert choose("a,b,c\n1,2,3\n", exclude=["c"]) == ("b", "the last column that is not left out")
    assert choose("a,b,c\n1,2,3\n", 'drop = ["c"]', count="b") == ("a", "the last column that is not left out")


def test_the_file_s_own_hint_counts_unless_it_is_left_out(write: Write) -> None:
    arff = "@relation r\n@attribute class {p,q}\n@attribute a {x,z}\n@data\np,x\nq,z\n"
    table = read_table(write("t.arff", arff))
    assert choose_target(table, MappingFile(), ColumnChoice())[0] == "class"
    assert choose_target(table, MappingFile(), ColumnChoice(exclude=["class"]))[0] == "a"
    assert choose_target(table, MappingFile(target="a"), ColumnChoice()) == ("a", "by the mapping")


def test_with_nothing_left_the_target_must_be_named() -> None:
    with pytest.raises(UsageError, match=r"^no column of t\.csv is left to be the target; name one with target=$"):
        choose("a\n1\n", exclude=["a"])
    with command_line_language(), pytest.raises(UsageError, match=r"name one with --target$"):
        choose("a\n1\n", count="a")


def test_an_unknown_target_brings_the_nearest_name() -> None:
    with pytest.raises(UsageError, match=r"^target=: no column 'clas' in t\.csv; did you mean 'class'\?$"):
        choose("a,class\n1,2\n", target="clas")


def test_classes_are_sorted_by_name_and_rows_without_one_unknown() -> None:
    table = read_csv_text("a,y\n1,q\n2,\n3,p\n4,q\n")
    target = read_classes(table, MappingFile(), "y", "the last column", None)
    assert (target.classes, target.labels.tolist()) == (("p", "q"), [1, UNKNOWN, 0, 1])
    assert not target.declared


def test_a_class_that_no_row_counts_for_is_none() -> None:
    table = read_csv_text("a,y\n1,q\n2,r\n3,p\n4,q\n")
    target = read_classes(table, MappingFile(), "y", "", np.array([1, 0, 2, 0]))
    assert (target.classes, target.labels.tolist()) == (("p", "q"), [1, UNKNOWN, 0, 1])


def test_classes_by_a_rule_are_the_user_s_word() -> None:
    table = read_csv_text("a,y\n1,10\n2,20\n3,\n")
    target = read_classes(table, parse_mapping(b'[columns]\ny = "> 15"\n'), "y", "", None)
    assert (target.classes, target.labels.tolist(), target.declared) == (("no", "yes"), [0, 1, UNKNOWN], True)


RARE = "a,y\n" + "x,p\nz,p\nx,q\nz,q\n" * 3 + "x,r\nz,s\n"


def test_rows_of_rare_classes_are_dropped_counted_and_named(write: Write) -> None:
    ranking = probfs.rank(write("t.csv", RARE), target="y")
    assert ranking.input.classes == {"p": 6, "q": 6}
    assert (ranking.input.labelled_rows, ranking.input.unlabelled_rows, ranking.input.dropped_rows) == (12, 0, 2)
    note = "2 rows dropped, of classes with fewer than 2 rows (min_class=): 'r', 's'"
    assert note in ranking.warnings
    without = probfs.rank(write("u.csv", RARE.replace("x,r\nz,s\n", "")), target="y")
    assert (ranking.features, ranking.rounds) == (without.features, without.rounds)
    assert without.input.dropped_rows == 0


def test_a_rare_class_may_be_kept(write: Write) -> None:
    data = write("t.csv", RARE)
    assert len(probfs.rank(data, target="y", min_class=1, estimate="resubstitution").input.classes) == 4
    with pytest.raises(probfs.DataError, match=r"class 'r' has one row only.*or drop the row with min_class=2$"):
        probfs.rank(data, target="y", min_class=1)


def test_two_classes_must_be_left(write: Write) -> None:
    data = write("t.csv", RARE)
    with command_line_language(), pytest.raises(probfs.DataError) as caught:
        probfs.rank(data, min_class=7)
    problem = "--min-class 7: no class has 7 rows or more in the target 'y', and two such classes are needed"
    assert str(caught.value).endswith(f"t.csv: {problem}; choose fewer")
    lonely = write("u.csv", "a,y\nx,p\nz,p\nx,q\n")
    with pytest.raises(probfs.DataError, match=r"class 'q' has one row only.*, or drop the row$"):
        probfs.rank(lonely, target="y")
    assert probfs.rank(lonely, target="y", estimate="resubstitution").input.classes == {"p": 2, "q": 1}


def test_a_row_that_counts_for_several_is_not_rare() -> None:
    table = read_csv_text("a,n,y\n1,3,q\n2,1,r\n3,2,p\n")
    weights = np.array([3, 1, 2])
    target = read_classes(table, MappingFile(), "y", "", weights)
    assert (target.classes, target.class_rows) == (("p", "q", "r"), (2, 3, 1))
    left, left_weights, notes = drop_rare_classes(target, weights, 2, "t.csv")
    assert (left.classes, left.class_rows, left.found) == (("p", "q"), (2, 3), ("p", "q", "r"))
    assert (left.labels.tolist(), left_weights.tolist(), len(notes)) == ([1, UNKNOWN, 0], [3, 0, 2], 1)
