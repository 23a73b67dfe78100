"""The schemas of JSON documents: all that is written has one, and each refuses what it does not describe."""

from __future__ import annotations

import contextlib
import copy
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from probfs.classifiers.catalogue import CLASSIFIERS
from probfs.cli import run as run_command
from tests.support import ROOT, SAMPLES
from tests.support.commands import SCHEMAS, schema_path, validate
from tests.support.results import make_ranking, make_settings

COMMANDS = {
    "ranking": "rank commute.csv --exclude person --uncertainty",
    "selection": "select commute.csv --folds 2",
    "comparison": "compare best.json other.json --top 99",
    "inspection": "inspect commute.csv",
    "pairs": "pairs commute.csv",
    "population": "exact joint.csv",
    "reproduction": "reproduce example",
}
"""Each kind with what writes one."""
FILES = sorted(SCHEMAS.glob("*.json"))
NAME = re.compile(r"probfs\.[a-z]+/[0-9]+")
NOTE = {"code": "constant", "severity": "note", "columns": ["a"], "message": "constant, so left out: 'a'"}
FREE_KEYS = ("classes", "left_out", "runs", "together")
"""Objects whose keys are the user's, or experiments."""

Document = dict[str, Any]
Place = tuple[str | int, ...]


@pytest.fixture(scope="module")
def documents(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Document]:
    """One of each kind, as the product writes it."""
    folder = tmp_path_factory.mktemp("documents")

    def write(command: str, name: str) -> Any:
        place = {"csv": SAMPLES, "json": folder}
        words = [str(place[word.split(".")[1]] / word) if "." in word else word for word in command.split()]
        with (folder / name).open("w") as stream, contextlib.redirect_stdout(stream):
            assert run_command([*words, "--format", "json"]) == 0
        return json.loads((folder / name).read_text())

    write("rank commute.csv --exclude person --top 4", "best.json")
    write("rank commute.csv --exclude person --exclude parking --bins 3", "other.json")
    written = {kind: write(command, f"{kind}.json") for kind, command in COMMANDS.items()}
    assert written["comparison"]["differences"]
    assert written["comparison"]["warnings"]
    return written


@pytest.fixture(params=COMMANDS)
def document(request: pytest.FixtureRequest, documents: dict[str, Document]) -> Document:
    return copy.deepcopy(documents[request.param])


def objects_in(value: Any, path: Place = ()) -> Iterator[tuple[Place, Document]]:
    """The objects of a document whose keys are fixed, and where they are."""
    if isinstance(value, dict):
        yield path, value
        for key, item in value.items():
            if key not in FREE_KEYS:
                yield from objects_in(item, (*path, key))
    elif isinstance(value, list):
        for place, item in enumerate(value):
            yield from objects_in(item, (*path, place))


def refuses(document: Document) -> bool:
    try:
        validate(document)
    except AssertionError:
        return True
    return False


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_schema_is_one_and_is_called_after_what_it_describes(path: Path) -> None:
    schema = json.loads(path.read_text())
    Draft202012Validator.check_schema(schema)
    assert schema["$schema"] == Draft202012Validator.META_SCHEMA["$id"]
    assert f"(../schemas/{path.name})" in (ROOT / "docs" / "reference" / "output.md").read_text()
    if schema["$id"] != "urn:probfs:schema:parts":
        name = schema["properties"]["schema"]["const"]
        assert schema_path(name) == path
        assert schema["$id"] == "urn:probfs:schema:" + name.removeprefix("probfs.").replace("/", ":")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_every_key_is_described_here_and_in_the_docs_and_no_object_takes_others(path: Path) -> None:
    page = (ROOT / "docs" / "reference" / "output.md").read_text()
    for place, schema in objects_in(json.loads(path.read_text())):
        within = place[-1] if place else ""
        if within == "properties" and "else" not in place and "if" not in place:
            for key, own in schema.items():
                assert own.get("description", "").endswith((".", "…")), (place, key)
                assert f"`{key}`" in page, (place, key)
        if "properties" in schema and within not in ("properties", "if", "else"):
            # Documents close the settings, as each has some of its own.
            closed = {"additionalProperties", "unevaluatedProperties"} & {*schema} or place == ("$defs", "settings")
            assert closed, place


def test_every_document_that_is_written_has_a_schema(documents: dict[str, Document]) -> None:
    named = {name for path in (ROOT / "src").rglob("*.py") for name in NAME.findall(path.read_text())}
    written = {document["schema"] for document in documents.values()}
    assert written <= named
    assert {name.split("/")[0] for name in written} == {name.split("/")[0] for name in named}
    for name in named:
        assert schema_path(name).is_file(), name


@pytest.mark.parametrize("kind", ["ranking", "selection"])
@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_every_setting_is_described(classifier: str, kind: str) -> None:
    known = {*json.loads((SCHEMAS / "probfs.parts.schema.json").read_text())["$defs"]["settings"]["properties"]}
    settings: Any = make_settings(classifier=classifier)
    if kind == "ranking":
        settings = make_ranking(["a"], classifier=classifier).settings
    for version in (1, 2):
        schema = json.loads(schema_path(f"probfs.{kind}/{version}").read_text())
        assert {*settings.to_dict()} <= known | {*schema["properties"]["settings"]["properties"]}


def test_the_settings_of_an_estimator_and_only_these_tell_of_it(documents: dict[str, Document]) -> None:
    document = copy.deepcopy(documents["ranking"])
    document["settings"] |= {"estimator": "GaussianNB()", "categories": "onehot"}
    assert refuses(document)
    document["settings"]["classifier"] = "estimator"
    validate(document)
    del document["settings"]["categories"]
    assert refuses(document)


@pytest.mark.parametrize(("kind", "key"), [("ranking", "warnings"), ("selection", "warnings"), ("inspection", "notes")])
def test_notes_are_texts_in_the_first_version_and_objects_in_the_second(
    kind: str, key: str, documents: dict[str, Document]
) -> None:
    for version, right, wrong in ((1, "a text", NOTE), (2, NOTE, "a text")):
        known = {own: value for own, value in documents[kind].items() if version > 1 or own != "stability"}
        document = {**known, "schema": f"probfs.{kind}/{version}"}
        validate({**document, key: [right]})
        assert refuses({**document, key: [wrong]})
    for mistake in ({"severity": "error"}, {"code": "No Code"}, {"columns": "a"}, {"message": ""}, {"more": 1}):
        assert refuses({**document, key: [{**NOTE, **mistake}]}), mistake


def test_an_unknown_or_missing_key_and_a_value_of_a_wrong_type_are_refused_wherever_they_are(
    document: Document,
) -> None:
    for place, own in objects_in(document):
        if not (len(place) > 1 and isinstance(place[-1], int) and place[-1]):
            # The first entry of a list stands for all. Settings take plain values of classifiers that users added.
            own["unheard_of"] = {}
            assert refuses(document), place
            del own["unheard_of"]
        for key, value in [*own.items()]:
            if not place and key == "schema":
                continue
            del own[key]
            assert refuses(document), (place, key)
            own[key] = False if isinstance(value, str | list | dict) else [0.5]
            # What a comparison found different may be any value of a setting.
            assert refuses(document) or (place[:1] == ("differences",) and key in ("old", "new")), (place, key)
            own[key] = value
    validate(document)


def test_examples_of_the_docs_are_documents(documents: dict[str, Document]) -> None:
    pages = [path.read_text() for path in (*(ROOT / "docs").rglob("*.md"), ROOT / "README.md")]
    examples = [json.loads(text) for page in pages for text in re.findall(r"```json\n(.*?)```", page, re.DOTALL)]
    assert examples
    for example in examples:
        validate(example)
    population = {**documents["population"], "source": "sample_data/joint.csv"}
    assert population in examples


def test_the_docs_say_how_to_validate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = (ROOT / "docs" / "reference" / "output.md").read_text()
    (code,) = re.findall(r"```python\n(import json\n[^`]*jsonschema.*?)```", page, re.DOTALL)
    (tmp_path / "docs").symlink_to(ROOT / "docs")
    monkeypatch.chdir(tmp_path)
    document = make_ranking(["a", "b"]).to_dict()
    (tmp_path / "ranking.json").write_text(json.dumps(document))
    exec(code, {})
    (tmp_path / "ranking.json").write_text(json.dumps({**document, "version": None}))
    with pytest.raises(Exception, match="None is not of type 'string'"):
        exec(code, {})
