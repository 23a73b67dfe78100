"""Selections made by hand, for tests of what is done with a selection."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from probfs.notes import NoteKind
from probfs.ranking.result import InputSummary
from probfs.ranking.settings import SelectionSettings, choose_settings
from probfs.selection.result import HonestEstimate, Judged, SelectedFeature, Selection, Size, Verdict

HONEST = HonestEstimate(
    10, Judged(72, 500, 0.3296, 0.02), Judged(75, 500, 0.352, 0.02), Judged(245, 500, 0.694, 0.01), -0.0224, 0.0091
)


def make_settings(
    classifier: Any = "nb", options: Mapping[str, Any] | None = None, **changes: Any
) -> SelectionSettings:
    """The default settings of a selection, with changes."""
    plain = choose_settings(classifier=classifier, options=options, step=1)
    return replace(SelectionSettings(**{**vars(plain), "folds": 10}), **changes)


def make_feature(rank: int, name: str, verdict: Verdict, **changes: Any) -> SelectedFeature:
    """A feature as it leaves the elimination, or the screen if it is noise."""
    if verdict == "noise":
        feature = SelectedFeature(rank, name, False, verdict, 0.5, 0.62, None, None, None, 0, None, None)
    else:
        keep = verdict == "keep"
        scores = (0.1 / rank, 0.08712 / rank, 0.5 + rank / 100)
        feature = SelectedFeature(rank, name, keep, verdict, 1e-4, 2e-3, *scores, 10 if keep else 1, None, None)
    return replace(feature, **changes)


def make_selection(*features: SelectedFeature, honest: HonestEstimate | None = HONEST, **settings: Any) -> Selection:
    """A selection of these features; without any, one of each verdict."""
    features = features or (
        make_feature(1, "albumin", "keep"),
        make_feature(2, "albumin2", "redundant", instead="albumin", explained=0.957),
        make_feature(3, "age", "weak"),
        make_feature(4, "ward", "noise"),
    )
    sizes = tuple(Size(number, 0.7 - number / 100, 0.9, 200) for number in range(3))
    kept = tuple(feature.feature for feature in features if feature.keep)
    data = InputSummary(
        "patients.csv", "outcome", "the last column", {"no": 255, "yes": 245}, 500, 0, (), len(features)
    )
    return Selection(
        features,
        sizes,
        kept,
        honest,
        data,
        make_settings(**settings),
        (NoteKind.LEAKAGE.note("a warning", ["age"]),),
        "0.1.0",
    )


def make_hostile_selection(names: list[str]) -> Selection:
    """A selection of columns with these names: all kept but the last, which repeats the first."""
    kept = [make_feature(rank, name, "keep") for rank, name in enumerate(names[:-1], 1)]
    twin = make_feature(len(names), names[-1], "redundant", instead=names[0], explained=1.0)
    return make_selection(*kept, twin)
