"""How to select: the settings of a ranking, and those that only a selection has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal

from probfs.classifiers.catalogue import find_classifier
from probfs.classifiers.options import DEFAULT_FOLDS, WholeNumber
from probfs.ranking.settings import Settings, choose_settings

KEEP = WholeNumber(0, metavar="best|fewest|most|N", words=("best", "fewest", "most"))
NESTED_FOLDS = WholeNumber(2, metavar="K", zero="none")
DEFAULT_KEEP: Literal["best"] = "best"
DEFAULT_NESTED_FOLDS = 10


@dataclass(frozen=True)
class SelectionSettings(Settings):
    """How columns are selected. ``folds`` is the number of folds of the honest estimate; 0 if there is none."""

    keep: str | int = DEFAULT_KEEP
    """Where to cut: best, fewest, most, or the number of columns."""

    def folds_of_estimate(self, rows: int) -> int | None:
        return min(DEFAULT_FOLDS, rows) if self.estimate == "cv" else None

    def of_ranking(self) -> Settings:
        """The settings of the elimination, as those of a ranking."""
        own = {each.name: getattr(self, each.name) for each in fields(Settings)}
        return Settings(**{**own, "folds": DEFAULT_FOLDS if self.estimate == "cv" else None})


def choose_selection_settings(
    *,
    classifier: Any = "nb",
    options: Mapping[str, Any] | None = None,
    folds: int = DEFAULT_NESTED_FOLDS,
    keep: str | int = DEFAULT_KEEP,
    **others: Any,
) -> SelectionSettings:
    """Settings from keywords that were checked one by one, as for a ranking."""
    model = find_classifier(classifier, options)
    # Rows are judged by models that do not know them.
    judges_known_rows = model.default_estimate == "resubstitution"
    ranking = choose_settings(classifier=model, estimate="cv" if judges_known_rows else None, step=1, **others)
    return SelectionSettings(**{**vars(ranking), "folds": folds, "keep": keep})
