"""Rankings and selections of any number of features, made by hand in no time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from probfs.notes import NoteKind
from probfs.ranking.result import InputSummary, RankedFeature, Ranking, RoundSummary, Stability
from probfs.ranking.settings import choose_settings
from probfs.selection.result import SelectedFeature, Selection, Size
from tests.support.hostile_names import HOSTILE_NAMES
from tests.support.selections import HONEST, make_feature, make_settings

AWKWARD_NAMES = [
    *HOSTILE_NAMES,
    "$\\undefined$",
    "$x^2$ for $5",
    "\\frac{1}{2} \\$",
    "温度センサー",
    "z" + "\u0301\u0302\u0303\u0304\u0305" * 3 + "lgo",
    "x" * 10_000,
    "W" * 300,
    "W" * 150 + "V" + "W" * 149,
    "العربية",
    "\U0001f9ec \U000f0000",
    "a\x00b",
    "_leading",
    " ",
]
"""Names that markup, fonts or layouts stumble over; two of them look the same when they are short."""


def awkward(number: int) -> list[str]:
    """So many different names, the awkward ones first."""
    return [*AWKWARD_NAMES, *(f"feature_{place}" for place in range(number))][:number]


def make_ranking(
    names: Sequence[str], *, uncertainty: bool = False, negative: bool = False, **settings: Any
) -> Ranking:
    """A ranking of these features, best first, eliminated one by one unless the settings say otherwise."""
    chosen = choose_settings(
        **{
            "classifier": "nb",
            "score": "absolute",
            "estimate": None,
            "folds": None,
            "step": 1,
            "eliminate": True,
            "seed": 0,
            "uncertainty": uncertainty,
            **settings,
        }
    )
    number = len(names)
    features = tuple(_ranked(name, rank, number, uncertainty, negative) for rank, name in enumerate(names, 1))
    sizes = range(number, 0, -1) if chosen.eliminate else [number]
    rounds = tuple(
        RoundSummary(place, size, (names[size - 1],), 20 + place % 7, 200, 0.15 + 0.1 / size, 0.3 + 0.2 / size)
        for place, size in enumerate(sizes, 1)
    )
    data = InputSummary("people.csv", "class", "the last column", {"no": 120, "yes": 80}, 200, 0, (), number)
    stability = Stability(0.75, max(1, number // 2), 50) if uncertainty else None
    return Ranking(features, rounds, data, chosen, (NoteKind.LEAKAGE.note("a warning", ["age"]),), "0.1.0", stability)


def _ranked(name: str, rank: int, number: int, uncertainty: bool, negative: bool) -> RankedFeature:
    score = 0.4 / rank - (0.3 if negative else 0.0)
    q = 0.5 if rank > 3 else 1e-4
    feature = RankedFeature(rank, name, score, score / 2, None, number - rank + 1, 0.01, 0.005, None, 0.2, q)
    if not uncertainty:
        return feature
    low, high = max(1, rank // 2), min(number, 2 * rank)
    return replace(feature, se_initial_s_s=0.02, se_initial_s_a=0.01, rank_low=low, rank_high=high, in_first_k=1 / rank)


def make_large_selection(names: Sequence[str], **settings: Any) -> Selection:
    """A selection of these features: a fifth kept, then a fifth each redundant, copies, weak and noise."""
    fifth = -(-len(names) // 5)
    features = tuple(_selected(name, rank, names[0], (rank - 1) // fifth) for rank, name in enumerate(names, 1))
    left = sum(feature.log_loss is not None for feature in features)
    sizes = tuple(Size(size, 0.69 - 0.3 * size / (size + 2), 1.0, 90 - min(size, 60)) for size in range(left + 1))
    kept = tuple(feature.feature for feature in features if feature.keep)
    data = InputSummary("people.csv", "class", "the last column", {"no": 120, "yes": 80}, 200, 0, (), len(names))
    chosen = make_settings(**settings)
    return Selection(
        features,
        sizes,
        kept,
        HONEST,
        data,
        chosen,
        (NoteKind.LEAKAGE.note("a warning", ["age"]),),
        "0.1.0",
        best_size=left,
    )


def _selected(name: str, rank: int, first: str, kind: int) -> SelectedFeature:
    if kind == 0:
        return make_feature(rank, name, "keep")
    if kind == 1:
        return make_feature(rank, name, "redundant", instead=first, explained=0.93)
    if kind == 2:
        gone = {"s_s": None, "s_a": None, "log_loss": None}
        return make_feature(rank, name, "redundant", instead=first, explained=1.0, **gone)
    return make_feature(rank, name, "weak" if kind == 3 else "noise")
