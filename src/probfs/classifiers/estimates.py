"""Which model scores a labelled row. Nothing heavy is imported here: help and completion need it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

EstimateName = Literal["loo", "resubstitution", "cv", "oob"]

ESTIMATES: Mapping[EstimateName, str] = {
    "loo": "leave-one-out",
    "resubstitution": "resubstitution",
    "cv": "cross-validation",
    "oob": "out-of-bag",
}
"""Each estimate with the words of the summary."""

REFITTED: tuple[EstimateName, ...] = ("loo", "resubstitution", "cv")
"""Those that any classifier can have: models of other rows."""

DEFAULT_FOLDS = 10
