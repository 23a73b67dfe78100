"""Features as the columns of a matrix."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

import probfs
from probfs.text import command_line_language


def test_missing_cells_and_far_numbers_are_no_trouble() -> None:
    frame = pd.DataFrame(
        {
            "a": [1e300, None, 3e300, -1e300, 2e300, None, 1e300, 1.5e300],
            "b": [1e-320, 2e-320, None, 3e-320, 1e-320, 2e-320, 1e-320, 5e-320],
            "c": [None] * 8,
            "y": list("nnnnpppp"),
        }
    )
    more = pd.DataFrame({"a": [-1.7e308, 1.0], "b": [1.7e308, None], "c": [3.0, None]})
    for kernel in ("linear", "rbf"):
        for removal in ("permute", "retrain"):
            ranking = probfs.rank(
                frame,
                target="y",
                classifier="svm",
                kernel=kernel,
                removal=removal,
                unlabeled=more,
            )
            assert all(math.isfinite(feature.s_su or 0) for feature in ranking.features)
            assert {feature.feature: feature.s_s for feature in ranking.features}["c"] == 0


def test_a_column_with_a_value_in_each_row_is_refused_when_it_would_not_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("probfs.classifiers.refitting.design_matrix.MOST_CELLS", 100)
    frame = pd.DataFrame({"name": [f"n{row}" for row in range(20)], "a": range(20), "y": ["n", "p"] * 10})
    with pytest.raises(probfs.DataError, match=r"'name' has 20 values, each a column for the SVM.* with exclude=$"):
        probfs.rank(frame, target="y", classifier="svm")
    with command_line_language(), pytest.raises(probfs.DataError, match=r"leave it out with --exclude$"):
        probfs.rank(frame, target="y", classifier="svm")


def test_too_many_numeric_cells_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("probfs.classifiers.refitting.design_matrix.MOST_CELLS", 39)
    frame = pd.DataFrame({"a": np.arange(20) / 3, "b": np.arange(20) / 7, "y": ["n", "p"] * 10})
    with pytest.raises(probfs.DataError, match=r"20 rows of 2 columns are too many.*rank fewer columns with include="):
        probfs.rank(frame, target="y", classifier="svm")
