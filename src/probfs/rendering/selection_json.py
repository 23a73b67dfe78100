"""A selection as JSON: everything that is known of it."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from probfs.rendering.json_text import json_text

if TYPE_CHECKING:
    from probfs.selection.result import Selection

SCHEMA = "probfs.selection/2"


def selection_document(selection: Selection) -> dict[str, Any]:
    """The content of the JSON."""
    return {
        "schema": SCHEMA,
        "version": selection.version,
        "input": asdict(selection.input),
        "settings": selection.settings.to_dict(),
        "features": [asdict(feature) for feature in selection.features],
        "sizes": [asdict(size) for size in selection.sizes],
        "kept": list(selection.kept),
        "honest": None if selection.honest is None else asdict(selection.honest),
        "warnings": [note.to_dict() for note in selection.warnings],
    }


def selection_json(selection: Selection) -> str:
    return json_text(selection_document(selection))
