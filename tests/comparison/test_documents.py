"""Reading the JSON of rankings and selections: what it holds, and what is refused."""

from __future__ import annotations

import copy
import gzip
import json
from pathlib import Path
from typing import Any, get_args

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import probfs
from probfs.comparison import documents
from probfs.comparison.changes import compare_rankings
from probfs.comparison.documents import VERDICTS, parse_document, read_document
from probfs.errors import DataError
from probfs.rendering.comparison_formats import COMPARISON_FORMATS
from probfs.rendering.formats import Presentation
from probfs.selection.result import Verdict
from probfs.text import is_unseen
from tests.support.comparisons import as_version_2, ranking_document, selection_document, write_document
from tests.support.hostile_names import HOSTILE_NAMES
from tests.support.paths import SAMPLES
from tests.support.table_content import Write

FIRST_VERSION = Path(__file__).parent / "documents"
"""Documents as they were written when warnings were texts."""
RANKING = ranking_document(["a", "b", "c"], intervals={"a": (1, 2), "b": (1, 3), "c": (3, 3)})
SELECTION = selection_document({"a": "keep", "b": "redundant", "c": "weak", "d": "noise"})


def test_a_ranking_is_read_as_it_was_written(tmp_path: Path) -> None:
    ranking = probfs.rank(SAMPLES / "commute.csv", target="mode", score="signed", uncertainty=True)
    ranking.to_json(tmp_path / "r.json")
    found = read_document(tmp_path / "r.json")
    assert found.source == str(tmp_path / "r.json")
    assert (found.kind, found.version, found.kept) == ("ranking", ranking.version, None)
    assert (found.target, found.classes, found.labelled_rows) == ("mode", ranking.input.classes, 204)
    assert (found.unlabelled_rows, found.features, found.is_partial) == (36, len(ranking.features), False)
    assert found.settings["classifier"] == "nb"
    for column, feature in zip(found.columns, ranking.features, strict=True):
        assert (column.name, column.rank, column.score) == (feature.feature, feature.rank, feature.s_a)
        assert column.traits == (feature.initial_s_s, feature.initial_s_a, feature.initial_s_su)
        assert (column.p, column.rank_low, column.rank_high) == (feature.p, feature.rank_low, feature.rank_high)
        assert column.verdict is None


def test_a_selection_is_read_as_it_was_written(tmp_path: Path) -> None:
    selection = probfs.select(SAMPLES / "commute.csv", target="mode", folds=0)
    selection.to_json(tmp_path / "s.json")
    found = read_document(tmp_path / "s.json")
    assert (found.kind, found.kept) == ("selection", selection.kept)
    for column, feature in zip(found.columns, selection.features, strict=True):
        assert (column.name, column.score, column.verdict) == (feature.feature, feature.s_a, feature.verdict)
        assert column.traits == (feature.s_s, feature.s_a, feature.log_loss)


def test_only_the_best_columns_may_be_listed(tmp_path: Path) -> None:
    ranking = probfs.rank(SAMPLES / "commute.csv", target="mode")
    ranking.top(2).to_json(tmp_path / "r.json")
    found = read_document(tmp_path / "r.json")
    assert (found.is_partial, len(found.columns), found.features) == (True, 2, len(ranking.features))


@pytest.mark.parametrize("document", [RANKING, SELECTION], ids=["ranking", "selection"])
def test_warnings_may_be_texts_or_objects(document: dict[str, Any]) -> None:
    assert parse_document(as_version_2(document), "x") == parse_document(document, "x")


@pytest.mark.parametrize("kind", ["ranking", "selection"])
def test_documents_of_the_first_version_are_compared_with_those_of_today(kind: str, tmp_path: Path) -> None:
    first = FIRST_VERSION / f"{kind}-1.json"
    assert json.loads(first.read_text())["schema"] == f"probfs.{kind}/1"
    call = probfs.rank if kind == "ranking" else probfs.select
    path = tmp_path / "now.json"
    now = call(SAMPLES / "commute.csv", target="mode")
    assert json.loads(now.to_json(path))["schema"] == f"probfs.{kind}/2"
    for old, new in ((first, path), (path, first), (first, first), (path, path)):
        comparison = probfs.compare(old, new)
        assert (comparison.measures["changed"], comparison.same_scores, comparison.warnings) == (0, True, ())
    assert probfs.compare(first, SAMPLES / "commute.csv").measures["changed"] == 0


def test_the_verdicts_are_those_of_selections() -> None:
    assert get_args(Verdict) == VERDICTS


def test_names_are_kept_as_they_are() -> None:
    assert parse_document(ranking_document(HOSTILE_NAMES), "x").names == HOSTILE_NAMES


def test_a_document_may_be_compressed_and_begin_with_a_mark(write: Write) -> None:
    text = json.dumps(RANKING)
    expected = parse_document(RANKING, "x").columns
    assert read_document(write("r.json.gz", gzip.compress(text.encode()))).columns == expected
    assert read_document(write("r2.json", b"\xef\xbb\xbf" + text.encode())).columns == expected


def set_at(document: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    """A copy of a document with another value in a place like ``features.1.rank``."""
    changed: Any = copy.deepcopy(document)
    place = changed
    *steps, last = [int(step) if step.isdigit() else step for step in path.split(".")]
    for step in steps:
        place = place[step]
    place[last] = value
    assert isinstance(changed, dict)
    return changed


@pytest.mark.parametrize(
    ("path", "value", "says"),
    [
        ("schema", None, "is JSON, but not of probfs rank or probfs select"),
        ("schema", "openapi/3", "is JSON, but not of probfs rank or probfs select"),
        (
            "schema",
            "probfs.inspection/1",
            "is 'probfs.inspection/1', which is neither a ranking nor a selection; name the",
        ),
        (
            "schema",
            "probfs.ranking/3",
            "'probfs.ranking/3', which this version of probfs does not know; it reads up to",
        ),
        ("schema", "probfs.ranking/01", "which this version of probfs does not know"),
        ("schema", "probfs.ranking", "which this version of probfs does not know"),
        ("version", 1, "version is not a text"),
        ("input", [], "input is not an object"),
        ("input.target", None, "input.target is not a text"),
        ("input.target", "\ud800", "input.target is not valid Unicode"),
        ("input.source", 7, "input.source is not a text"),
        ("input.classes", {"a": "b"}, "input.classes.a is not a whole number"),
        ("input.classes", {"\ud800": 1}, "is not valid Unicode"),
        ("input.classes", {"\x1b[31m\n": -1}, "input.classes.\\x1b[31m\\n is not a whole number"),
        ("input.classes", {"x" * 9999: -1}, "xxx…xxx"),
        ("input.features", 2, "input.features is not a whole number from 3 on"),
        ("input.labelled_rows", -1, "input.labelled_rows is not a whole number from 0 on"),
        ("input.unlabelled_sources", "x", "input.unlabelled_sources is not a list of texts"),
        ("settings", None, "settings is not an object"),
        ("settings.score", "loud", "settings.score is 'loud', not one of absolute, signed, unlabeled"),
        ("settings.mapping", {}, "settings.'mapping' is neither a value nor a list of values"),
        ("features", {}, "features is not a list"),
        ("features", [], "lists no column, so there is nothing to compare"),
        ("features.1", "b", "features[1] is not an object"),
        ("features.1.feature", 5, "features[1].feature is not a text"),
        ("features.1.feature", "\udcff", "features[1].feature is not valid Unicode"),
        ("features.1.feature", "a", "features[1].feature 'a' stands there twice"),
        ("features.1.rank", 3, "features[1].rank is 3, but the column is number 2"),
        ("features.1.rank", True, "features[1].rank is not a whole number from 1 on"),
        ("features.0.s_s", "0.5", "features[0].s_s is not a finite number"),
        ("features.0.s_s", float("inf"), "features[0].s_s is not a finite number"),
        ("features.0.initial", None, "features[0].initial is not an object"),
        ("features.0.initial.s_a", [], "features[0].initial.s_a is not a finite number"),
        ("features.0.rank_low", None, "features[0].rank_low and rank_high belong together, but one of them is missing"),
        ("features.0.rank_low", 2, "features[0].rank is outside of rank_low and rank_high"),
        ("features.2.rank_high", 2, "features[2].rank is outside of rank_low and rank_high"),
        ("features.0.rank_low", 0, "features[0].rank_low is not a whole number from 1 on"),
    ],
)
def test_what_cannot_be_trusted_is_one_line_with_the_field(path: str, value: Any, says: str) -> None:
    with pytest.raises(DataError) as caught:
        parse_document(set_at(RANKING, path, value), "r.json")
    assert str(caught.value).startswith("r.json: ")
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("path", "value", "says"),
    [
        ("features.0.verdict", "maybe", "features[0].verdict is 'maybe', not one of keep, redundant, weak, noise"),
        ("features.0.verdict", None, "features[0].verdict is not a text"),
        ("kept", None, "kept is not a list of texts"),
        ("kept", ["\ud800"], "kept is not a list of texts"),
        ("kept", ["a", "a"], "kept has 'a' twice"),
        ("kept", [], "kept has not 'a', whose verdict is keep"),
        ("kept", ["a", "b"], "kept has 'b', whose verdict is "),
        ("kept", ["a", "x"], "kept has 'x', which is none of the features"),
    ],
)
def test_a_selection_is_checked_as_well(path: str, value: Any, says: str) -> None:
    with pytest.raises(DataError, match=r"^s\.json: ") as caught:
        parse_document(set_at(SELECTION, path, value), "s.json")
    assert says in str(caught.value)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "is empty"),
        (b" \n", "is empty"),
        (json.dumps(RANKING).encode()[:-40], "is the file cut off?"),
        (b"[]", "the document is not an object"),
        (b"3", "the document is not an object"),
        (b"a,b\n1,2\n", "is not JSON: expecting value"),
        (b'{"a": "\xff"}', "is not UTF-8 near byte 7, as JSON must be"),
        (gzip.compress(b"{}", mtime=0)[:-6], "the gzip data ends too early"),
        (b"PK\x03\x04" + b"x" * 40, "is a zip archive"),
    ],
)
def test_a_file_that_is_no_document_is_one_line_with_its_name(write: Write, content: bytes, says: str) -> None:
    path = write("r.json", content)
    with pytest.raises(DataError) as caught:
        read_document(path)
    assert str(caught.value).startswith(f"{path}:")
    assert says in str(caught.value)


def test_a_file_that_is_not_there_or_a_folder_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cannot be read: no such file"):
        read_document(tmp_path / "none.json")
    with pytest.raises(DataError, match="is a directory"):
        read_document(tmp_path)


def test_a_huge_file_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_document(tmp_path / "r.json", RANKING)
    size = path.stat().st_size
    monkeypatch.setattr(documents, "MOST_BYTES", size)
    assert read_document(path).names == ["a", "b", "c"]
    monkeypatch.setattr(documents, "MOST_BYTES", size - 1)
    with pytest.raises(DataError, match=r"r\.json: is larger than .*; is it a ranking or selection\?"):
        read_document(path)


ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(), max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=4,
)


def places_of(value: Any, place: str = "") -> list[str]:
    """Every place of a document that holds something."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    found = [own for key, item in inner for own in places_of(item, f"{place}.{key}")]
    return [place.removeprefix("."), *found] if place else found


@settings(max_examples=40)
@given(st.sampled_from([RANKING, SELECTION]), st.data())
def test_whatever_stands_anywhere_is_compared_or_refused_in_one_line(
    document: dict[str, Any], data: st.DataObject
) -> None:
    place = data.draw(st.sampled_from(places_of(document)))
    changed = set_at(document, place, data.draw(ANY_JSON))
    found = refused = None
    try:
        found = parse_document(changed, "r.json")
    except DataError as error:
        refused = str(error)
    if found is None:
        assert refused is not None
        assert refused.startswith("r.json: ")
        assert not any(map(is_unseen, refused))
        return
    comparison = compare_rankings(parse_document(document, "old.json"), found)
    for known in COMPARISON_FORMATS:
        text = known.render(comparison, Presentation())
        assert isinstance(text, str)
        assert text.encode()


def test_a_ranking_of_a_frame_is_read_too(frame: pd.DataFrame) -> None:
    assert parse_document(json.loads(probfs.rank(frame, target="y").to_json()), "x").table == "<frame>"
