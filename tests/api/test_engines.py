"""Which engine is opened, and what is wrong with how one was named."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

import probfs
from probfs.errors import UsageError


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"engine": "spark"}, 'engine="spark": no such engine; choose from local, dask'),
        ({"engine": "dsk"}, "did you mean 'dask'"),
        ({"scheduler": "tcp://x:1"}, 'scheduler= goes with engine="dask" only'),
        ({"workers": 2}, 'workers= goes with engine="dask" only'),
        ({"engine": "dask", "workers": 0}, "workers=: 0 is no number of processes; give 1 or more"),
        ({"engine": "dask", "workers": True}, "workers=: True is no number of processes"),
        ({"engine": "dask", "workers": 2, "scheduler": "tcp://x:1"}, "keep one of the two"),
    ],
)
def test_mistakes(options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        probfs.rank(pd.DataFrame({"a": list("xyxy"), "y": list("0101")}), target="y", **options)
