"""What each column is for: options, mapping and content, and options that contradict each other."""

from __future__ import annotations

import pandas as pd
import pytest

import probfs
from tests.support.table_content import Write


def test_options_that_contradict_the_mapping_are_refused(frame: pd.DataFrame, write: Write) -> None:
    for text, options in (
        ('drop = ["y"]', {"target": "y"}),
        ('[columns]\ny = "numeric"', {"target": "y"}),
        ('[columns]\nn = "<= 1"', {"count": "n"}),
        ('drop = ["a"]', {"include": ["a"]}),
    ):
        with pytest.raises(probfs.UsageError, match=r"m\.toml"):
            probfs.rank(frame, mapping=write("m.toml", text), **options)


def test_grouped_values_that_the_table_does_not_hold_are_noted(write: Write) -> None:
    frame = pd.DataFrame({"x": list("abab"), "y": list("0011")})
    mapping = write("m.toml", '[columns]\nx = { groups = { one = ["a", "zzz"] } }\n')
    assert any("holds none of 'zzz'" in warning for warning in probfs.rank(frame, mapping=mapping).warnings)
