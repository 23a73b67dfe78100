"""Which columns need not be read, by their names alone."""

from __future__ import annotations

import pickle
from functools import partial

import pytest

from probfs.columns.mapping_file import MappingFile, parse_mapping
from probfs.columns.needed_columns import columns_not_needed
from probfs.columns.roles import ColumnChoice

NAMES = ["a", "b", "c,d", "n", "y"]


@pytest.mark.parametrize(
    ("choice", "mapping", "expected"),
    [
        (ColumnChoice(), b"", []),
        (ColumnChoice(exclude=["a,c,d"]), b"", ["a", "c,d"]),
        (ColumnChoice(exclude=["a", "nothing"]), b"", []),
        (ColumnChoice(exclude=["a"], target="a"), b"", []),
        (ColumnChoice(), b'drop = ["b"]', ["b"]),
        (ColumnChoice(exclude=["a"]), b'drop = ["b"]', ["a", "b"]),
        (ColumnChoice(include=["a"]), b"", ["b", "c,d", "n"]),
        (ColumnChoice(include=["a"], target="b", count="n"), b"", ["c,d"]),
        (ColumnChoice(include=["a"], exclude=["y"]), b"", ["b", "c,d", "y"]),
        (ColumnChoice(include=["a"], count="y"), b"", ["b", "c,d"]),
        (ColumnChoice(include=["a"]), b'target = "n"', ["b", "c,d"]),
        (ColumnChoice(include=["a"]), b'[columns]\nb = "category"', ["c,d", "n"]),
    ],
)
def test_columns_that_are_not_needed(choice: ColumnChoice, mapping: bytes, expected: list[str]) -> None:
    assert sorted(columns_not_needed(NAMES, parse_mapping(mapping), choice)) == expected


def test_the_question_can_be_sent_to_another_process() -> None:
    question = partial(columns_not_needed, mapping=MappingFile(), choice=ColumnChoice(exclude=["a"]))
    assert pickle.loads(pickle.dumps(question))(NAMES) == {"a"}
