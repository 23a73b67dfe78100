"""The mapping file: its keys, the columns it names, and how every mistake in it is answered."""

from __future__ import annotations

import pandas as pd
import pytest

import probfs
from probfs.columns.mapping_file import MOST_BYTES, MappingFile, load_mapping, parse_mapping
from probfs.columns.rules import Category, Numeric, Quantiles
from probfs.errors import MappingError
from tests.support.mappings import check_mistake
from tests.support.table_content import Write


def test_every_key_is_read() -> None:
    mapping = parse_mapping(
        b'target = "y"\ndrop = ["id"]\nmissing = ["?", 999]\n'
        b'[columns]\na = "category"\nb = "numeric"\nc = { quantiles = 4 }\n'
    )
    assert (mapping.target, mapping.drop, mapping.missing) == ("y", ("id",), ("?", "999"))
    assert mapping.columns == {"a": Category(), "b": Numeric(), "c": Quantiles(4)}


def test_an_empty_file_says_nothing() -> None:
    mapping = parse_mapping(b"")
    assert (mapping.target, mapping.drop, mapping.missing, mapping.columns) == (None, (), (), {})


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ('tarket = "y"\n', 1, "unknown key 'tarket'; did you mean 'target'?"),
        ("target = 3\n", 1, "target must be a column's name"),
        ('drop = "a"\n', 1, "must be a list of texts"),
        ('drop = ["x"]\n[columns]\nx = "<= 5"\n', 3, "both dropped and given a rule"),
        ('target = "y"\ndrop = ["y"]\n', 1, "both the target and dropped"),
        ('target = "y"\n[columns]\ny = "numeric"\n', 3, "classes are needed"),
        ("columns = 3\n", 1, "columns must be a table"),
    ],
)
def test_every_mistake_in_a_mapping_has_its_line(write: Write, text: str, line: int, message: str) -> None:
    check_mistake(write("m.toml", text), line, message)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('target = "z"', "target: no column 'z' in <frame>; choose from 'x', 'y'"),
        ('drop = ["X"]', "drop: no column 'X' in <frame>; did you mean 'x'?"),
        ('[columns]\nxx = "category"', "columns: no column 'xx' in <frame>; did you mean 'x'?"),
    ],
)
def test_a_mapping_that_names_an_unknown_column_says_the_nearest(write: Write, text: str, message: str) -> None:
    frame = pd.DataFrame({"x": ["1", "2"], "y": ["a", "b"]})
    with pytest.raises(MappingError) as caught:
        probfs.rank(frame, mapping=write("m.toml", text))
    assert message in str(caught.value)


def test_an_unknown_column_is_shown_with_its_line() -> None:
    mapping = parse_mapping(b'target = "y"\n\n[columns]\nxx = "category"\n', "m.toml")
    with pytest.raises(MappingError) as caught:
        mapping.check_names(["x", "y"], "t.csv")
    assert str(caught.value) == "m.toml:4: columns: no column 'xx' in t.csv; did you mean 'x'?"
    MappingFile(target="x", drop=("y",)).check_names(["x", "y"], "t.csv")


def test_a_mapping_that_cannot_be_read_is_named(write: Write) -> None:
    with pytest.raises(MappingError, match=r"no\\x1bne\.toml: cannot be read: no such file"):
        load_mapping("no\x1bne.toml")
    with pytest.raises(MappingError, match=r"m\.toml: is larger than 4 MiB; is it a mapping\?"):
        load_mapping(write("m.toml", b"#" * (MOST_BYTES + 1)))
