"""Which model scores a labelled row. Nothing heavy is imported here: help and completion need it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

EstimateName = Literal["loo", "resubstitution", "cv"]

ESTIMATES: Mapping[EstimateName, str] = {
    "loo": "leave-one-out",
    "resubstitution": "resubstitution",
    "cv": "cross-validation",
}
"""Each estimate with the words of the summary."""

DEFAULT_FOLDS = 10
