"""The scores that can decide which feature leaves. Nothing heavy is imported here: help and completion need it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Score:
    """One of the paper's scores: what users call it, and where it stands in results."""

    name: str
    """The word that users choose it by."""
    key: str
    """The column of the CSV, the key of the JSON, and the attribute of ``RoundScores`` and ``RankedFeature``."""
    symbol: str
    word: str
    """What it is called in tables and reports, before its symbol."""
    signed: bool = False
    """Whether it is a sum of terms of either sign, which is known only to a fraction of the terms' size."""
    needs_unlabelled: bool = False

    @property
    def heading(self) -> str:
        """The heading of tables."""
        return f"{self.word} {self.symbol}"


ABSOLUTE = Score("absolute", "s_s", "Ŝ_S", "importance")
SIGNED = Score("signed", "s_a", "Ŝ_A", "gain", signed=True)
UNLABELED = Score("unlabeled", "s_su", "Ŝ_SU", "unlabelled importance", needs_unlabelled=True)
SCORES = {score.name: score for score in (ABSOLUTE, SIGNED, UNLABELED)}
"""The scores by name, in the order of help."""
