"""A ranking as JSON: everything that is known of it."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from probfs.rendering.json_text import json_text
from probfs.rendering.ranking_csv import CSV_HEADER

if TYPE_CHECKING:
    from probfs.ranking.result import RankedFeature, Ranking

SCHEMA = "probfs.ranking/2"
_INITIAL = "initial_"


def ranking_document(ranking: Ranking) -> dict[str, Any]:
    """The content of the JSON."""
    return {
        "schema": SCHEMA,
        "version": ranking.version,
        "input": asdict(ranking.input),
        "settings": ranking.settings.to_dict(),
        "features": [_feature(feature) for feature in ranking.features],
        "rounds": [asdict(summary) for summary in ranking.rounds],
        "warnings": [note.to_dict() for note in ranking.warnings],
    }


def ranking_json(ranking: Ranking) -> str:
    return json_text(ranking_document(ranking))


def _feature(feature: RankedFeature) -> dict[str, Any]:
    content: dict[str, Any] = {}
    for name in CSV_HEADER:
        if name.startswith(_INITIAL):
            content.setdefault("initial", {})[name.removeprefix(_INITIAL)] = getattr(feature, name)
        else:
            content[name] = getattr(feature, name)
    return content
