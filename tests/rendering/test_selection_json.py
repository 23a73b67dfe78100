"""The JSON of a selection, whose keys are a contract."""

from __future__ import annotations

import json

from probfs.rendering.selection_csv import SELECTION_HEADER
from probfs.rendering.selection_json import selection_document, selection_json
from tests.support.hostile_names import HOSTILE_NAMES
from tests.support.selections import make_hostile_selection, make_selection


def test_the_keys_of_the_json_are_a_contract() -> None:
    document = json.loads(selection_json(make_selection(always=("age",), keep=7)))
    assert list(document) == [
        "schema",
        "version",
        "input",
        "settings",
        "features",
        "sizes",
        "kept",
        "honest",
        "warnings",
    ]
    assert document["schema"] == "probfs.selection/2"
    assert list(document["features"][0]) == list(SELECTION_HEADER)
    assert list(document["sizes"][0]) == ["features", "log_loss", "temperature", "errors"]
    assert list(document["honest"]) == ["folds", "kept", "all", "none", "difference", "se"]
    assert list(document["honest"]["kept"]) == ["errors", "rows", "log_loss", "se"]
    settings = document["settings"]
    assert {key: settings[key] for key in ("false_discoveries", "keep", "always", "folds", "score")} == {
        "false_discoveries": 0.1,
        "keep": 7,
        "always": ["age"],
        "folds": 10,
        "score": "signed",
    }


def test_what_is_not_known_is_null() -> None:
    document = json.loads(selection_json(make_selection(honest=None)))
    assert document["honest"] is None
    assert document["features"][3]["s_a"] is None
    assert document["features"][0]["instead"] is None


def test_names_are_kept() -> None:
    document = json.loads(selection_json(make_hostile_selection(HOSTILE_NAMES)))
    assert document["kept"] == HOSTILE_NAMES[:-1]
    assert [feature["feature"] for feature in document["features"]] == HOSTILE_NAMES


def test_the_document_is_the_json() -> None:
    selection = make_selection()
    assert json.loads(json.dumps(selection_document(selection))) == json.loads(selection_json(selection))
