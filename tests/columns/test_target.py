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
from probfs.columns.target import choose_target, read_classes
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
    ranking = probfs.rank(frame[["a", "b", "y", "n"]], count="n")
    assert ranking.input.target == "y"
    assert {feature.feature for feature in ranking.features} == {"a", "b"}


def test_many_numbers_may_be_classes_if_the_user_says_so(write: Write) -> None:
    body = "".join(f"{'xy'[n % 2]},{n}\nx,{n}\n" for n in range(60))
    names = ",".join(str(n) for n in range(60))
    arff = f"@relation r\n@attribute a {{x,y}}\n@attribute class {{{names}}}\n@data\n{body}"
    assert len(probfs.rank(write("t.arff", arff)).input.classes) == 60
    data, mapping = write("t.csv", "a,y\n" + body), write("m.toml", '[columns]\ny = "category"\n')
    assert len(probfs.rank(data, mapping=mapping).input.classes) == 60


def test_the_target_may_be_made_by_a_rule(write: Write) -> None:
    frame = pd.DataFrame({"x": list("aabbaabb"), "y": [str(number) for number in range(8)]})
    ranking = probfs.rank(frame, mapping=write("m.toml", '[columns]\ny = "< 4"\n'))
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
