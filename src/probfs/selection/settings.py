"""How to select: the settings of a ranking, and those that only a selection has."""

from __future__ import annotations

from dataclasses import dataclass

from probfs.classifiers.value_types import Number, WholeNumber
from probfs.ranking.settings import Settings

FALSE_DISCOVERIES = Number(1e-6, 1.0, name="Q")
KEEP = WholeNumber(1, metavar="best|fewest|most|N", words=("best", "fewest", "most"))
NESTED_FOLDS = WholeNumber(2, metavar="K", zero="none")
DEFAULT_FALSE_DISCOVERIES = 0.1
DEFAULT_KEEP = "best"
DEFAULT_NESTED_FOLDS = 10


@dataclass(frozen=True)
class SelectionSettings(Settings):
    """How columns are selected. ``folds`` is the number of folds of the honest estimate; 0 if there is none."""

    false_discoveries: float = DEFAULT_FALSE_DISCOVERIES
    """The share of noise that is tolerated, on average, among the columns told from noise; 1 screens nothing."""
    keep: str | int = DEFAULT_KEEP
    """Where to cut: best, fewest, most, or the number of columns."""
    always: tuple[str, ...] = ()
    """The columns that are kept whatever they say."""
