"""The odds of rows that live on a cluster, which answer with sums."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from probfs.classifiers.row_odds import Moments, TemperedSums
from probfs.cluster.block import Reference
from probfs.tables.arrays import Integers

if TYPE_CHECKING:
    from probfs.cluster.cluster_rows import ClusterRows


class ClusterOdds:
    """The labelled rows with the features that are active now; they can be asked until that changes."""

    def __init__(self, labelled: ClusterRows, rows: float, features: Integers, active: Integers) -> None:
        """``features`` are the positions in the blocks of the features that there are, ``active`` the positions among
        these of the active ones.
        """
        self._labelled = labelled
        self._history = labelled.history
        self._rows = rows
        self.features = features
        self.active = active

    @property
    def rows(self) -> float:
        return self._rows

    @property
    def errors(self) -> float:
        self._refuse_changed_rows()
        return self._labelled.fit().errors

    def tempered(self, least: float, *, compiled: bool = False) -> Callable[[float], TemperedSums]:
        def add_up(temperature: float) -> TemperedSums:
            self._refuse_changed_rows()
            return self._labelled.sum_tempered(temperature, least, compiled=compiled)

        return add_up

    def losses(self, temperature: float | None, least: float) -> ClusterLosses:
        assert temperature is not None, "Naive Bayes has a temperature"
        return ClusterLosses(self, temperature, least)

    def differences(self, temperature: float, least: float, other: ClusterLosses) -> Moments:
        """To losses of the same rows with other features, all of which there are here, too."""
        self._refuse_changed_rows()
        compared = np.flatnonzero(np.isin(self.features, other.odds.features[other.odds.active]))
        return self._labelled.compare_losses(Reference(compared, other.temperature), temperature, least)

    def _refuse_changed_rows(self) -> None:
        if self._labelled.history is not self._history:
            raise ValueError("the rows are no longer what these odds were")


@dataclass(frozen=True, eq=False)
class ClusterLosses:
    """The losses of all rows at a temperature."""

    odds: ClusterOdds
    temperature: float
    least: float

    def minus(self, other: ClusterLosses) -> Moments:
        return self.odds.differences(self.temperature, self.least, other)
