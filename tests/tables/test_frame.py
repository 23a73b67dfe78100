"""Data frames of every dtype, as text categories."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import probfs
from probfs.errors import DataError
from probfs.tables.readers.frame import table_from_frame
from tests.support.table_content import table_content


def test_typed_columns_become_the_texts_a_csv_would_hold() -> None:
    frame = pd.DataFrame(
        {
            "whole": pd.array([1, None, 3], dtype="Int64"),
            "float": [1.0, 2.5, float("nan")],
            "flag": [True, False, None],
            "kind": pd.Categorical(["x", None, "y"], categories=["y", "x", "unused"]),
            "day": pd.to_datetime(pd.Series(["2020-01-01 00:00:00", "2020-01-02 03:04:05", None])),
            "mixed": [1, "one", None],
            5: ["a", "b", "c"],
        }
    )
    found = table_content(table_from_frame(frame))
    assert found["whole"] == ["1", None, "3"]
    assert found["float"] == ["1", "2.5", None]
    assert [None if cell is None else cell.lower() for cell in found["flag"]] == ["true", "false", None]
    assert found["kind"] == ["x", None, "y"]
    assert found["day"] == ["2020-01-01 00:00:00", "2020-01-02 03:04:05", None]
    assert found["mixed"] == ["1", "one", None]
    assert found["5"] == ["a", "b", "c"]


def test_odd_frames_are_read_or_refused_in_one_line() -> None:
    odd = pd.DataFrame(
        {"none": pd.Categorical([None] * 4), "half": np.array([1, 2, 1, 2], dtype=np.float16), "y": list("ppqq")}
    )
    assert table_content(table_from_frame(odd)) == {"none": [None] * 4, "half": ["1", "2", "1", "2"], "y": list("ppqq")}
    huge = pd.DataFrame({"big": pd.Series([10**30, 1], dtype=object), "y": ["p", "q"]})
    assert table_content(table_from_frame(huge))["big"] == [str(10**30), "1"]
    with pytest.raises(DataError, match="has no columns"):
        table_from_frame(pd.DataFrame())
    with pytest.raises(DataError, match="two columns are called 'a'"):
        table_from_frame(pd.DataFrame([["x", "y"]], columns=["a", "a"]))
    with pytest.raises(DataError, match="has no data rows"):
        table_from_frame(pd.DataFrame({"a": []}))


@pytest.mark.parametrize(
    ("cells", "problem"),
    [
        ([[1], None], "holds list<"),
        ([{"x": 1}, None], "holds struct<"),
        ([[1], 2], "holds lists or other containers"),
        ([{1, 2}, "x"], "holds lists or other containers"),
        ([np.eye(2), None], "holds lists or other containers"),
        ([b"\xff", None], "holds binary"),
        (["\ud800", None], "holds text that is no valid Unicode"),
        ([pd.Period("2020-01"), None], "holds "),
    ],
    ids=str,
)
def test_a_column_of_anything_may_be_left_out(cells: list[object], problem: str) -> None:
    bad = pd.Series([*cells, *cells], dtype=object)
    frame = pd.DataFrame({"bad": bad, "a": list("xxzz"), "y": list("ppqq")})
    column = table_from_frame(frame).columns["bad"]
    if problem != "holds " or column.problem is not None:
        assert (column.problem or "").startswith(problem)
        with pytest.raises(DataError, match=r"<frame>: column 'bad' holds .*, or leave it out$"):
            probfs.rank(frame)
        with pytest.raises(DataError, match=r"<frame>: column 'bad' holds .*, or leave it out$"):
            probfs.rank(frame[["bad", "a"]], target="bad")
    expected = probfs.rank(frame[["a", "y"]], target="y").to_csv()
    assert probfs.rank(frame, target="y", exclude=["bad"]).to_csv() == expected
    assert probfs.rank(frame, target="y", include=["a"]).to_csv() == expected
