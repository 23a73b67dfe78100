"""Data frames of every dtype, as text categories."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

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
    for bad in ([[1], [2]], ["\ud800", "x"]):
        with pytest.raises(DataError):
            table_from_frame(pd.DataFrame({"bad": pd.Series(bad, dtype=object), "y": ["p", "q"]}))
