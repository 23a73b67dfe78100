"""Tables for the scikit-learn selector: a frame of columns of all types, and the call of probfs that it stands for."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

LABELS = np.array(["no", "yes"])


def mixed_frame(rows: int = 120, seed: int = 0) -> tuple[pd.DataFrame, npt.NDArray[Any]]:
    """Numbers, texts, categories, truth values and missing cells, of which some tell the class, and the classes."""
    random = np.random.default_rng(seed)
    y = random.integers(0, 2, rows)
    wrong = random.random((4, rows)) < 0.2
    frame = pd.DataFrame(
        {
            "dose": y + random.normal(size=rows),
            "colour": np.array(["red", "blue"])[y ^ wrong[0]],
            "grade": pd.Categorical(np.array(["low", "high"])[y ^ wrong[1]]),
            "smokes": (y ^ wrong[2]).astype(bool),
            "noise": random.normal(size=rows),
            "dice": random.integers(1, 7, rows),
        }
    )
    frame.loc[wrong[3], "dose"] = np.nan
    frame.loc[wrong[0] & wrong[1], "colour"] = None
    return frame, LABELS[y]


SMALL: dict[str, dict[str, Any]] = {
    "nb": {},
    "svm": {"permutations": 2},
    "logistic": {"permutations": 2},
    "forest": {"permutations": 2, "trees": 5},
    "boosting": {"permutations": 2, "iterations": 5},
}
"""Options with which the classifiers are fast: for tests of all that surrounds them."""


def with_target(frame: pd.DataFrame, y: npt.NDArray[Any]) -> pd.DataFrame:
    """The frame as ``probfs.rank`` and ``probfs.select`` take it."""
    return frame.assign(y=y)
