"""What a paper says, what was measured, and whether it holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Verdict = Literal["holds", "does not hold", "undecided"]


@dataclass(frozen=True)
class Claim:
    """One statement that can be put to the test."""

    experiment: str
    place: str
    """Where the paper says it."""
    says: str
    measured: str
    verdict: Verdict
    runs: int
    """How often what is random was repeated."""


def verdict(holds: bool) -> Verdict:
    return "holds" if holds else "does not hold"
