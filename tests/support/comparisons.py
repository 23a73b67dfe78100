"""Rankings and selections as JSON documents, changed by hand, for tests of what reads and compares them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from probfs.comparison.changes import compare_rankings
from probfs.comparison.result import Comparison, Side
from probfs.ranking.result import Ranking
from probfs.selection.result import Selection
from tests.support.results import make_feature, make_ranking, make_selection


def ranking_document(
    names: Sequence[str],
    *,
    intervals: Mapping[str, tuple[int, int]] | None = None,
    scores: Mapping[str, float] | None = None,
    settings: Mapping[str, Any] | None = None,
    initial: float | None = None,
    **data: Any,
) -> dict[str, Any]:
    """A ranking of columns in this order; each has scores of its own, which its name decides unless they are given.

    ``initial`` is the score of all columns in the first round, if it is not the one that p goes with.
    """
    document = make_ranking(names).to_dict()
    for feature in document["features"]:
        name = feature["feature"]
        score = (scores or {}).get(name, _score_of(name))
        low, high = (None, None) if intervals is None else intervals[name]
        first = score if initial is None else initial
        feature |= {"initial": {"s_s": first, "s_a": first / 2, "s_su": None}, "p": score / 10, "q": 0.5}
        feature |= {"rank_low": low, "rank_high": high}
    document["settings"] |= settings or {}
    return _first_version(document, ["a warning"], data)


def selection_document(
    verdicts: Mapping[str, Any], *, scores: Mapping[str, float] | None = None, **data: Any
) -> dict[str, Any]:
    """A selection of columns in this order, with these verdicts."""
    features = [
        make_feature(rank, name, verdict, p=(scores or {}).get(name, _score_of(name)) / 10)
        for rank, (name, verdict) in enumerate(verdicts.items(), 1)
    ]
    return _first_version(make_selection(*features, honest=None).to_dict(), [], data)


def _first_version(document: dict[str, Any], warnings: list[str], data: dict[str, Any]) -> dict[str, Any]:
    """The document as a file of the first version has it, in which warnings are texts."""
    source = {"source": "patients.csv", "target": "outcome", "classes": {"no": 255, "yes": 245}, "labelled_rows": 500}
    total = data.pop("total", None) or len(document["features"])
    changed = {
        "schema": document["schema"].replace("/2", "/1"),
        "input": {**document["input"], **source, "features": total, **data},
        "warnings": warnings,
    }
    # Lists instead of tuples, as in a file.
    content: dict[str, Any] = json.loads(json.dumps({**document, **changed}))
    return content


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


def _score_of(name: str) -> float:
    """A score between 0 and 1 of a column's own."""
    number = sum(ord(letter) * pow(31, place, 99_991) for place, letter in enumerate(name))
    return (1 + number % 99_991) / 99_993
