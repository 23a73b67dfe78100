"""What a test of several columns gives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from probfs.tables.arrays import Floats, Integers


@dataclass(frozen=True, eq=False)
class ColumnTests:
    """A statistic and its p-value for each of several columns, and whether the labels' order could change them."""

    statistic: Floats
    p: Floats
    varies: npt.NDArray[np.bool_]

    @classmethod
    def of_nothing(cls, columns: int) -> ColumnTests:
        """Tests of columns that say nothing."""
        return cls(np.zeros(columns), np.ones(columns), np.zeros(columns, dtype=np.bool_))

    @classmethod
    def joined(cls, parts: Sequence[ColumnTests]) -> ColumnTests:
        """Tests of some columns, followed by tests of others."""
        every = [cls.of_nothing(0), *parts]
        return cls(*(np.concatenate([getattr(one, name) for one in every]) for name in ("statistic", "p", "varies")))

    def put(self, columns: Integers, tests: ColumnTests) -> None:
        """Replace the tests of some columns."""
        self.statistic[columns], self.p[columns], self.varies[columns] = tests.statistic, tests.p, tests.varies
