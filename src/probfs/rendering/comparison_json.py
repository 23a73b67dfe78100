"""A comparison as JSON: everything that is known of it."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from probfs.rendering.comparison_csv import COMPARISON_HEADER, comparison_rows
from probfs.rendering.json_text import json_text

if TYPE_CHECKING:
    from probfs.comparison.result import Comparison, Side

SCHEMA = "probfs.comparison/1"


def comparison_document(comparison: Comparison) -> dict[str, Any]:
    """The content of the JSON."""
    return {
        "schema": SCHEMA,
        "version": comparison.version,
        "old": _side(comparison.old),
        "new": _side(comparison.new),
        "measures": dict(comparison.measures),
        "top": comparison.top,
        "overlaps": [asdict(overlap) for overlap in comparison.overlaps],
        "same_scores": comparison.same_scores,
        "newly_kept": list(comparison.newly_kept),
        "no_longer_kept": list(comparison.no_longer_kept),
        "columns": [dict(zip(COMPARISON_HEADER, row, strict=True)) for row in comparison_rows(comparison)],
        "differences": [asdict(difference) for difference in comparison.differences],
        "warnings": [note.to_dict() for note in comparison.warnings],
    }


def comparison_json(comparison: Comparison) -> str:
    return json_text(comparison_document(comparison))


def _side(side: Side) -> dict[str, Any]:
    data = side.input
    return {
        "document": side.document,
        "kind": side.kind,
        "version": side.result.version,
        "source": data.source,
        "target": data.target,
        "classes": dict(data.classes),
        "labelled_rows": data.labelled_rows,
        "unlabelled_rows": data.unlabelled_rows,
        "features": data.features,
        "listed": len(side.features),
    }
