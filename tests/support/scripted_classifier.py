"""A classifier whose scores are given beforehand, for tests of what elimination makes of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from probfs.classifiers.protocol import Features, RoundScores
from probfs.classifiers.row_odds import Odds
from probfs.notes import Note
from probfs.tables.arrays import Floats


def round_scores(signed: Sequence[float] | Floats, sizes: Sequence[float] | Floats | None = None) -> RoundScores:
    """Scores Ŝ_A as given, and Ŝ_S as given or their sizes."""
    s_a = np.array(signed)
    s_s = np.abs(s_a) if sizes is None else np.array(sizes)
    return RoundScores(s_s, s_a, None, 1, 0, 0.0, 0.0)


class ScriptedClassifier:
    """Every feature keeps its score in all rounds."""

    calibrated = True
    notes: tuple[Note, ...] = ()

    def __init__(self, scores: Sequence[float]) -> None:
        self.active: Features = np.arange(len(scores))
        self.dropped: list[list[int]] = []
        self._scores = np.array(scores)

    def score(self) -> RoundScores:
        return round_scores(self._scores[self.active])

    def odds(self, features: Sequence[int] | None = None) -> Odds:
        raise NotImplementedError("scores alone are given")

    def drop(self, features: Features) -> None:
        self.dropped.append(features.tolist())
        self.active = np.setdiff1d(self.active, features)
