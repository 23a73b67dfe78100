"""What a test of several columns gives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from probfs.tables.table import Floats


@dataclass(frozen=True, eq=False)
class Tests:
    """A statistic and its p-value for each of several columns."""

    statistic: Floats
    p: Floats

    @classmethod
    def joined(cls, parts: Sequence[Tests]) -> Tests:
        """Tests of some columns, followed by tests of others."""
        none = np.empty(0)
        return cls(
            np.concatenate([none, *(part.statistic for part in parts)]),
            np.concatenate([none, *(part.p for part in parts)]),
        )
