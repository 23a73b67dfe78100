"""JSON documents held against their schemas, which are in `docs/schemas/`."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match
from referencing import Registry, Resource

from tests.support import ROOT

SCHEMAS = ROOT / "docs" / "schemas"
_PREFIX = "probfs."
_MOST_CHECKED = 300
"""Entries of a list that are checked, at a tenth of a millisecond each; the same lines of code write them all."""


def schema_path(name: str) -> Path:
    """The schema of the documents that call themselves by this name, as `probfs.ranking/1`."""
    return SCHEMAS / f"{name.replace('/', '-')}.schema.json"


def validate(document: Any) -> None:
    """Fail if a document is not what the schema that it names says."""
    name = document["schema"]
    assert schema_path(name).is_file(), f"{name} has no {schema_path(name).relative_to(ROOT)}"
    sample = {key: _sample(value) if isinstance(value, list) else value for key, value in document.items()}
    error = best_match(_validator(name).iter_errors(sample))
    assert error is None, f"{name}: {error.json_path}: {error.message}"


def validate_text(text: str) -> None:
    """Fail if a text is JSON that names a schema of probfs and is not what that says."""
    if text.startswith("{"):
        try:
            content = json.loads(text)
        except json.JSONDecodeError:
            # Lines of JSON, one for each row of a table, or the beginning of a document.
            return
        if is_document(content):
            validate(content)


def is_document(content: Any) -> bool:
    """Whether the content of some JSON names a schema of probfs."""
    return isinstance(content, dict) and str(content.get("schema", "")).startswith(_PREFIX)


def _sample(entries: list[Any]) -> list[Any]:
    """All entries, or of a longer list the first, the last and others evenly between them."""
    last = len(entries) - 1
    if last < _MOST_CHECKED:
        return entries
    return [entries[place * last // (_MOST_CHECKED - 1)] for place in range(_MOST_CHECKED)]


@cache
def _validator(name: str) -> Draft202012Validator:
    return Draft202012Validator(json.loads(schema_path(name).read_text()), registry=_registry())


@cache
def _registry() -> Registry[Any]:
    """All schemas, as they refer to each other."""
    contents = [json.loads(path.read_text()) for path in SCHEMAS.glob("*.json")]
    return Registry().with_resources((content["$id"], Resource.from_contents(content)) for content in contents)
