"""How to select: the settings of a ranking, and those that only a selection has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal

from probfs.classifiers.estimates import DEFAULT_FOLDS
from probfs.classifiers.registry import CLASSIFIERS, find_specification
from probfs.classifiers.scores import SCORES
from probfs.classifiers.value_types import Number, ValueType, WholeNumber
from probfs.errors import UsageError
from probfs.ranking.settings import Settings, choose_settings
from probfs.text import option

FALSE_DISCOVERIES = Number(1e-6, 1.0, name="Q")
KEEP = WholeNumber(0, metavar="best|fewest|most|N", words=("best", "fewest", "most"))
NESTED_FOLDS = WholeNumber(2, metavar="K", zero="none")
DEFAULT_FALSE_DISCOVERIES = 0.1
DEFAULT_KEEP: Literal["best"] = "best"
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

    def of_ranking(self) -> Settings:
        """The settings of the elimination, as those of a ranking."""
        own = {each.name: getattr(self, each.name) for each in fields(Settings)}
        return Settings(**{**own, "folds": DEFAULT_FOLDS if self.estimate == "cv" else None})


def choose_selection_settings(
    *,
    classifier: Any,
    score: str,
    folds: int,
    seed: int,
    false_discoveries: float,
    keep: str | int,
    always: Sequence[str],
    options: Mapping[str, Any],
    columns: Mapping[str, Any],
) -> SelectionSettings:
    """Settings from parameters; ``options`` and ``columns`` are as for a ranking."""
    specification = find_specification(classifier, options.get("categories"))
    if specification.hold_out is None:
        selectors = CLASSIFIERS.names(lambda known: known.hold_out is not None)
        choices = " or ".join(option("classifier", name) for name in selectors)
        raise UsageError(f"{option('classifier', classifier)} ranks columns, but cannot select them; use {choices}")
    # Rows are judged by models that do not know them.
    judges_known_rows = specification.default_estimate == "resubstitution"
    ranking = choose_settings(
        classifier=classifier,
        score=SCORES.get(score, "score", lambda known: not known.needs_unlabelled).name,
        estimate="cv" if judges_known_rows else None,
        folds=None,
        step=1,
        eliminate=True,
        seed=seed,
        options=options,
        columns=columns,
    )
    own = {
        "folds": _check("folds", NESTED_FOLDS, folds),
        "false_discoveries": _check("false_discoveries", FALSE_DISCOVERIES, false_discoveries),
        "keep": _check("keep", KEEP, keep),
        "always": tuple(always),
    }
    return SelectionSettings(**{**vars(ranking), **own})


def _check(name: str, kind: ValueType, value: Any) -> Any:
    try:
        return kind.check(value)
    except ValueError as error:
        raise UsageError(f"{option(name)}: {error}") from None
