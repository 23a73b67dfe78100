"""Columns without a name: the row index is left out, others are named by position."""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import probfs
from probfs.errors import ProbfsError
from probfs.tables.readers import read_table
from probfs.tables.readers.frame import table_from_frame
from probfs.tables.readers.unnamed_columns import name_columns
from tests.support.table_content import Write, table_content


@pytest.mark.parametrize(
    ("names", "kept", "left_out"),
    [
        (["", "a", "y"], ["a", "y"], [""]),
        (["Unnamed: 0", "a"], ["a"], ["Unnamed: 0"]),
        (["", "Unnamed: 0", "a"], ["a"], ["", "Unnamed: 0"]),
        (["Unnamed: 0.1", "Unnamed: 0", "a"], ["a"], ["Unnamed: 0.1", "Unnamed: 0"]),
        (["a", "Unnamed: 0"], ["a", "Unnamed: 0"], []),
        (["Unnamed: 01", "a"], ["Unnamed: 01", "a"], []),
        (["a", "", " ", "column 2"], ["a", "column 2 (2)", "column 3", "column 2"], []),
        ([""], ["column 1"], []),
        (["Unnamed: 0"], ["Unnamed: 0"], []),
        ([], [], []),
    ],
)
def test_a_first_column_without_a_name_is_an_index(names: list[str], kept: list[str], left_out: list[str]) -> None:
    header = name_columns(names, "t.csv")
    assert list(header.names[header.indexes :]) == kept
    assert list(header.left_out) == left_out
    assert bool(header.notes) == (kept != names)


@given(st.lists(st.sampled_from(["", " ", "a", "b", "column 1", "column 2", "column 2 (2)", "Unnamed: 0"])))
def test_given_names_are_kept_and_new_ones_are_new(names: Sequence[str]) -> None:
    header = name_columns(names, "t.csv")
    assert len(header.names) == len(names)
    assert header.indexes < max(len(names), 1)
    new = [own for own, given_ in zip(header.names, names, strict=True) if own != given_]
    assert len(set(new)) == len(new)
    assert not set(new) & set(names)
    for own, given_ in list(zip(header.names, names, strict=True))[header.indexes :]:
        assert own.strip()
        assert own == given_ or not given_.strip()


def test_frames_and_parquet_files_are_treated_alike(write: Write) -> None:
    cells = [["0", "u", "1", "p"], ["1", "v", "2", "q"]]
    for blank in ("", None, np.nan, pd.NA):
        frame = pd.DataFrame(cells, columns=pd.Index(["Unnamed: 0", "a", blank, "y"], dtype=object))
        table = table_from_frame(frame)
        assert table_content(table) == {"a": ["u", "v"], "column 3": ["1", "2"], "y": ["p", "q"]}
        assert table.notes[0] == "<frame>: the unnamed first column was left out as a row index"
    path = write("t.parquet", b"")
    pd.DataFrame(cells, columns=["", "a", "b", "y"]).to_parquet(path)
    assert list(read_table(path).columns) == ["a", "b", "y"]


def test_a_table_with_an_index_ranks_as_without_it(write: Write) -> None:
    frame = pd.DataFrame({"a": list("xxyyxxyy"), "b": list("uvuvuvuv"), "y": list("00110011")})
    with_index, without = write("i.csv", ""), write("w.csv", "")
    frame.to_csv(with_index)
    frame.to_csv(without, index=False)
    ranking = probfs.rank(with_index, target="y")
    assert ranking.to_csv() == probfs.rank(without, target="y").to_csv()
    message = f"{with_index}: the unnamed first column was left out as a row index"
    note = {"code": "row-index", "severity": "note", "columns": [""], "message": message}
    assert note in json.loads(ranking.to_json())["warnings"]


def test_an_index_may_be_excluded_but_not_used(write: Write) -> None:
    frame = pd.DataFrame({"Unnamed: 0": range(8), "a": list("xxyyxxyy"), "b": list("uvuvuvuv"), "y": list("00110011")})
    expected = probfs.rank(frame, target="y").to_csv()
    assert probfs.rank(frame, target="y", exclude="Unnamed: 0").to_csv() == expected
    assert probfs.rank(frame, target="y", mapping=write("m.toml", 'drop = ["Unnamed: 0"]')).to_csv() == expected
    with pytest.raises(
        ProbfsError, match="include=: no column 'Unnamed: 0' in <frame>; it was left out as a row index"
    ):
        probfs.rank(frame, include="Unnamed: 0")
