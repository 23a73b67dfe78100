"""JSON documents of rankings and selections made by hand, for tests of what compares them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from probfs.comparison.changes import compare_rankings
from probfs.comparison.result import Comparison, Side
from probfs.ranking.result import Ranking
from probfs.ranking.settings import choose_settings
from probfs.selection.result import Selection
from tests.support.selections import make_settings


def ranking_document(
    names: Sequence[str],
    *,
    intervals: Mapping[str, tuple[int, int]] | None = None,
    scores: Mapping[str, float] | None = None,
    settings: Mapping[str, Any] | None = None,
    total: int | None = None,
    initial: float | None = None,
    **data: Any,
) -> dict[str, Any]:
    """A ranking of columns in this order; each has scores of its own, which its name decides unless they are given.

    ``initial`` is the score of all columns in the first round, if it is not the one that p goes with.
    """
    plain = choose_settings(score="absolute", screen=True)
    features = [
        {
            "rank": rank,
            "feature": name,
            "s_s": 1 / rank,
            "s_a": 0.5 / rank,
            "s_su": None,
            "round": len(names) - rank + 1,
            "initial": _initial((scores or {}).get(name, _score_of(name)) if initial is None else initial),
            "p": (scores or {}).get(name, _score_of(name)) / 10,
            "q": 0.5,
            "rank_low": None if intervals is None else intervals[name][0],
            "rank_high": None if intervals is None else intervals[name][1],
        }
        for rank, name in enumerate(names, 1)
    ]
    return _with_json_types(
        {
            "schema": "probfs.ranking/1",
            "version": "0.1.0",
            "input": _data(total or len(names), **data),
            "settings": {**plain.to_dict(), **(settings or {})},
            "features": features,
            "rounds": [
                {"round": 1, "features": len(names), "removed": [names[-1]], "errors": 9, "rows": 500}
                | {"absolute_loss": 0.2, "log_loss": None}
            ],
            "warnings": ["a warning"],
        }
    )


def selection_document(
    verdicts: Mapping[str, str],
    *,
    total: int | None = None,
    scores: Mapping[str, float] | None = None,
    **data: Any,
) -> dict[str, Any]:
    """A selection of columns in this order, with these verdicts."""
    features = [
        {
            "rank": rank,
            "feature": name,
            "keep": verdict == "keep",
            "verdict": verdict,
            "p": (scores or {}).get(name, _score_of(name)) / 10,
            "q": 0.5,
            **dict.fromkeys(("s_s", "s_a", "log_loss"), None if verdict == "noise" else 1 / rank),
            **dict.fromkeys(("folds", "instead", "explained")),
        }
        for rank, (name, verdict) in enumerate(verdicts.items(), 1)
    ]
    return _with_json_types(
        {
            "schema": "probfs.selection/1",
            "version": "0.1.0",
            "input": _data(total or len(verdicts), **data),
            "settings": make_settings().to_dict(),
            "features": features,
            "sizes": [{"features": 0, "log_loss": 0.7, "temperature": 1.0, "errors": 245}],
            "honest": None,
            "kept": [name for name, verdict in verdicts.items() if verdict == "keep"],
            "warnings": [],
        }
    )


def as_version_2(document: Mapping[str, Any]) -> dict[str, Any]:
    """The same document with warnings that are objects."""
    warning = {"code": "identifier", "severity": "warning", "columns": ["id"], "message": "left out"}
    return {**document, "schema": document["schema"].replace("/1", "/2"), "warnings": [warning]}


def ranking_of(names: Sequence[str], document: str = "r.json", **changes: Any) -> Side:
    """A ranking of columns in this order, as it is compared."""
    content = ranking_document(names, **changes)
    return Side(document, Ranking.from_dict(content, document), content["settings"])


def selection_of(verdicts: Mapping[str, str], document: str = "s.json", **changes: Any) -> Side:
    content = selection_document(verdicts, **changes)
    return Side(document, Selection.from_dict(content, document), content["settings"])


def compare_orders(old: Sequence[str], new: Sequence[str], top: int | None = None) -> Comparison:
    """What changed from one order of columns to another."""
    return compare_rankings(ranking_of(old, "old.json"), ranking_of(new, "new.json"), top)


def write_document(path: Path, document: Mapping[str, Any]) -> Path:
    path.write_text(json.dumps(document))
    return path


def _initial(score: float) -> dict[str, float | None]:
    return {"s_s": score, "s_a": score / 2, "s_su": None}


def _score_of(name: str) -> float:
    """A score between 0 and 1 of a column's own."""
    number = sum(ord(letter) * pow(31, place, 99_991) for place, letter in enumerate(name))
    return (1 + number % 99_991) / 99_993


def _data(features: int, **changes: Any) -> dict[str, Any]:
    plain = {
        "source": "patients.csv",
        "target": "outcome",
        "target_reason": "the last column",
        "classes": {"no": 255, "yes": 245},
        "labelled_rows": 500,
        "unlabelled_rows": 0,
        "unlabelled_sources": [],
        "features": features,
        "dropped_rows": 0,
    }
    return {**plain, **changes}


def _with_json_types(document: Mapping[str, Any]) -> dict[str, Any]:
    """Lists instead of tuples, as in a file."""
    content: dict[str, Any] = json.loads(json.dumps(document))
    return content
