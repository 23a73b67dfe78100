"""Notes: texts with a code, a severity and columns, and the registry of their kinds."""

from __future__ import annotations

import ast
import copy
import json
import pickle
import re
from pathlib import Path

from probfs.notes import Note, NoteKind
from tests.support.paths import ROOT

NOTE = NoteKind.LEAKAGE.note("these give the class away: 'a\\n'", ["a\n", "b"])


def test_the_content_of_the_json() -> None:
    assert list(NOTE.to_dict().items()) == [
        ("code", "leakage"),
        ("severity", "warning"),
        ("columns", ["a\n", "b"]),
        ("message", NOTE.message),
    ]
    assert json.loads(json.dumps(NOTE.to_dict())) == NOTE.to_dict()


def test_a_note_can_be_pickled_and_copied() -> None:
    for again in (pickle.loads(pickle.dumps(NOTE)), copy.copy(NOTE), copy.deepcopy(NOTE)):
        assert type(again) is Note
        assert again.to_dict() == NOTE.to_dict()


def test_codes_are_words_and_differ() -> None:
    codes = [kind.code for kind in NoteKind]
    assert len(set(codes)) == len(codes)
    assert all(re.fullmatch(r"[a-z]+(-[a-z]+)*", code) for code in codes)
    assert {kind.severity for kind in NoteKind} == {"note", "warning"}


def test_the_docs_list_every_code_with_its_severity_and_meaning() -> None:
    page = (ROOT / "docs" / "reference" / "notes.md").read_text()
    rows = re.findall(r"^\| `([a-z-]+)` \| (\w+) \| (.+) \|$", page, re.MULTILINE)
    assert rows == [(kind.code, kind.severity, kind.meaning) for kind in NoteKind]


def source_trees() -> list[tuple[Path, ast.AST]]:
    files = sorted((ROOT / "src" / "probfs").rglob("*.py"))
    return [(path, ast.parse(path.read_text())) for path in files if path.name != "notes.py"]


def test_every_kind_is_used_and_no_note_is_made_without_one() -> None:
    used = set()
    for path, tree in source_trees():
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "NoteKind":
                used.add(node.attr)
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                read_back = path.name == "document.py"
                assert node.func.id != "Note" or read_back, f"{path}:{node.lineno} makes a note of no kind"
    assert used == {kind.name for kind in NoteKind}
