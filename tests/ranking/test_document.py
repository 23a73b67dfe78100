"""Rankings and selections read back from their JSON: the same as before, or refused in one line."""

from __future__ import annotations

import copy
import gzip
import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.naive_bayes import BernoulliNB

import probfs
from probfs import DataError, Ranking, Selection
from probfs.ranking import document
from probfs.text import is_unseen
from tests.support import SAMPLES
from tests.support.results import (
    HONEST,
    awkward,
    hostile_csv,
    make_large_selection,
    make_ranking,
    ranking_document,
    selection_document,
)
from tests.support.tables import Write

COMMUTE = SAMPLES / "commute.csv"
KILN = SAMPLES / "kiln.csv"
FIRST_VERSION = Path(__file__).parent / "documents"
"""Documents as they were written when warnings were texts."""
RANKING = ranking_document(["a", "b", "c"], intervals={"a": (1, 2), "b": (1, 3), "c": (3, 3)})
SELECTION = selection_document({"a": "keep", "b": "redundant", "c": "weak", "d": "noise"})


def read(content: Any) -> Ranking | Selection:
    kind = Selection if "selection" in str(content.get("schema")) else Ranking
    return kind.from_dict(content, "r.json")


@pytest.mark.parametrize(
    "options",
    [
        {"score": "signed", "estimate": "cv", "folds": 3, "seed": 7, "shrink": "on", "smoothing": 0.5},
        {"step": 0.5, "na": ["none", "x"], "exclude": ["age"], "missing": "value", "uncertainty": True},
        {"classifier": "svm", "kernel": "rbf", "C": 2.0, "gamma": "auto", "permutations": 1, "eliminate": False},
        {"classifier": "forest", "trees": 3, "depth": 2, "estimate": "oob", "permutations": 1, "eliminate": False},
        {"classifier": "svm", "eliminate": False},
    ],
)
def test_a_ranking_comes_back_as_it_was(options: dict[str, Any], tmp_path: Path) -> None:
    ranking = probfs.rank(COMMUTE, target="mode", **options)
    path = tmp_path / "r.json"
    assert Ranking.from_json(ranking.to_json(path)) == ranking
    assert Ranking.from_json(path) == Ranking.from_dict(ranking.to_dict()) == ranking
    assert [note.code for note in Ranking.from_json(path).warnings] == [note.code for note in ranking.warnings]


@pytest.mark.parametrize("options", [{"folds": 3}, {"keep": 2, "folds": 0}, {"always": ["age"], "score": "absolute"}])
def test_a_selection_comes_back_as_it_was(options: dict[str, Any]) -> None:
    selection = probfs.select(COMMUTE, target="mode", **options)
    assert Selection.from_json(selection.to_json()) == Selection.from_dict(selection.to_dict()) == selection


def test_awkward_names_and_partial_lists_come_back(write: Write) -> None:
    for ranking in (
        make_ranking(awkward(40), uncertainty=True),
        probfs.rank(write("t.csv", hostile_csv()), target="y"),
    ):
        assert Ranking.from_json(ranking.to_json()) == ranking
        assert Ranking.from_json(ranking.top(2).to_json()) == ranking.top(2)
    selection = make_large_selection(awkward(40))
    assert Selection.from_json(selection.to_json()) == selection
    again = Selection.from_json(selection.top(2).to_json())
    assert (again.kept, again.best_size) == (selection.kept, selection.best_size)
    assert "Keep 8 of 40." in repr(again)


def test_a_user_s_estimator_comes_back_as_its_text() -> None:
    ranking = probfs.rank(KILN, target="cracked", classifier=BernoulliNB(alpha=2), permutations=1, step=9)
    again = Ranking.from_json(ranking.to_json())
    assert again.settings.to_dict() == ranking.settings.to_dict()
    assert (repr(again), again.to_json()) == (repr(ranking), ranking.to_json())
    with pytest.raises(probfs.UsageError, match=r"BernoulliNB\(alpha=2\) is an object of Python's"):
        probfs.rank(KILN, target="cracked", classifier=again.settings.model)


@pytest.mark.parametrize("kind", ["ranking", "selection"])
def test_documents_of_the_first_version_are_read(kind: str) -> None:
    path = FIRST_VERSION / f"{kind}-1.json"
    result = (Ranking if kind == "ranking" else Selection).from_json(path)
    assert [(note.code, note.severity) for note in result.warnings] == [("unknown", "warning")]
    assert probfs.compare(path, COMMUTE).measures["changed"] == 0
    as_then: dict[str, Any] = {"score": "absolute", "screen": False} if kind == "ranking" else {}
    now = (probfs.rank if kind == "ranking" else probfs.select)(COMMUTE, target="mode", **as_then)
    comparison = probfs.compare(path, now)
    assert (comparison.measures["changed"], comparison.same_scores, comparison.warnings) == (0, True, ())


def test_what_older_versions_did_not_write_has_its_default_and_null_is_an_infinite_loss() -> None:
    older = copy.deepcopy(RANKING)
    del older["input"]["dropped_rows"]
    older["rounds"][0]["log_loss"] = None
    for feature in older["features"]:
        del feature["p"], feature["q"], feature["rank_low"], feature["rank_high"]
    for name in ("trees", "shrink", "missing", "cut_target", "min_class", "uncertainty", "keep_identifiers"):
        del older["settings"][name]
    ranking = Ranking.from_dict(older)
    assert (ranking.features[0].p, ranking.settings.min_class, ranking.settings.shrink) == (None, 2, "auto")
    assert ranking.rounds[0].log_loss == float("inf")
    assert json.loads(ranking.to_json())["rounds"][0]["log_loss"] is None
    with pytest.raises(DataError, match=r"^<dict>: is a ranking, not a selection$"):
        Selection.from_dict(RANKING)


def set_at(content: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    """A copy of a document with another value in a place like ``features.1.rank``, or with none."""
    changed: Any = copy.deepcopy(content)
    place = changed
    *steps, last = [int(step) if step.isdigit() else step for step in path.split(".")]
    for step in steps:
        place = place[step]
    if value is MISSING:
        del place[last]
    else:
        place[last] = value
    assert isinstance(changed, dict)
    return changed


MISSING = object()


@pytest.mark.parametrize(
    ("path", "value", "says"),
    [
        ("schema", None, "is JSON, but not of probfs rank or probfs select"),
        ("schema", "probfs.inspection/1", "is 'probfs.inspection/1', which is neither a ranking nor a selection; name"),
        ("schema", "probfs.ranking/3", "does not know; it reads up to probfs.ranking/2"),
        ("version", 1, "version is not a text"),
        ("input.classes", {"\x1b[31m\n": -1}, "input.classes.\\x1b[31m\\n is not a whole number"),
        ("input.classes", {"x" * 9999: -1}, "xxx…xxx"),
        ("input.classes", {}, "input.classes has none"),
        ("input.labelled_rows", 0, "input.labelled_rows is 0"),
        ("rounds.1.rows", 0, "rounds[1].rows is 0"),
        ("input.features", 2, "input.features is 2, but 3 are listed"),
        ("input.unlabelled_sources", [3], "input.unlabelled_sources[0] is not a text"),
        ("settings", None, "settings is not an object"),
        ("settings.score", "loud", "settings are wrong: score=: 'loud' is not one of absolute, signed, unlabeled"),
        ("settings.bins", 1, "settings are wrong: bins=: 1 is not a whole number"),
        ("settings.step", True, "settings.step is not one of auto"),
        ("settings.eliminate", 1, "settings.eliminate is not true or false"),
        ("features", {}, "features is not a list"),
        ("features.1", "b", "features[1] is not an object"),
        ("features.1.feature", "a", "features[1].feature 'a' stands there twice"),
        ("features.1.rank", 3, "features[1].rank is 3, but the column is number 2"),
        ("features.0.s_s", float("inf"), "features[0].s_s is not a finite number"),
        ("features.0.s_s", MISSING, "features[0].s_s is missing"),
        ("features.0.initial.s_a", MISSING, "features[0].initial.s_a is missing"),
        ("features.0.rank_low", None, "features[0].rank_low and rank_high do not have the rank between them"),
        ("features.2.rank_high", 2, "features[2].rank_low and rank_high do not have the rank between them"),
        ("warnings", [{}], "warnings[0].message is missing"),
        ("rounds", [], "rounds has none"),
        # Of a selection.
        ("features.0.verdict", "maybe", "features[0].verdict is 'maybe', not one of keep, redundant, weak, noise"),
        ("kept", ["a", "a"], "kept has 'a', which is there twice or not among the features to keep"),
        ("kept", ["a", "x"], "kept has 'x', which is there twice or not"),
        ("kept", [], "kept has not 'a', whose verdict is keep"),
        ("sizes", [], "sizes does not say how all columns together do"),
        ("honest", asdict(replace(HONEST, all=replace(HONEST.all, rows=0))), "honest.all.rows is 0"),
    ],
)
def test_what_cannot_be_trusted_is_one_line_with_the_field(path: str, value: Any, says: str) -> None:
    of_selection = path in ("features.0.verdict", "kept", "sizes", "honest")
    with pytest.raises(DataError, match=r"^r\.json: .*") as caught:
        read(set_at(SELECTION if of_selection else RANKING, path, value))
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b" \n", ": is empty"),
        (json.dumps(RANKING).encode()[:-40], "is the file cut off?"),
        (b"[]", "is JSON, but not of probfs"),
        (b'{"a": "\xff"}', "is not UTF-8 near byte 7, as JSON must be"),
        (b'{"a": "\\uD800"}', "half of a character"),
        (b'{"a": NaN}', "it holds NaN"),
        (b"[" * 100_000, "or lists in a thousand lists"),
        (b"9" * 10_000, "a number of thousands of digits"),
        (gzip.compress(b"{}", mtime=0)[:-6], "the gzip data ends too early"),
    ],
)
def test_a_file_that_is_no_document_is_one_line_with_its_name(write: Write, content: bytes, says: str) -> None:
    path = write("r.json", content)
    with pytest.raises(DataError) as caught:
        Ranking.from_json(path)
    assert str(caught.value).startswith(f"{path}:")
    assert says in str(caught.value)


def test_a_file_may_be_compressed_begin_with_a_mark_and_not_be_huge(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = json.dumps(RANKING).encode()
    expected = Ranking.from_dict(RANKING)
    assert Ranking.from_json(write("r.json.gz", gzip.compress(text))) == expected
    assert Ranking.from_json(write("r.json", b"\xef\xbb\xbf" + text)) == expected
    monkeypatch.setattr(document, "MOST_BYTES", len(text))
    with pytest.raises(DataError, match=r"r\.json: is larger than .*; is it a ranking or selection\?"):
        Ranking.from_json(write("r.json", b" " + text))


ANY_JSON = st.recursive(
    st.just(MISSING) | st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=4,
)


def places_of(value: Any, place: str = "") -> list[str]:
    """Every place of a document that holds something."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    found = [own for key, item in inner for own in places_of(item, f"{place}.{key}")]
    return [place.removeprefix("."), *found] if place else found


@settings(max_examples=100)
@given(st.sampled_from([RANKING, SELECTION]), st.data())
def test_whatever_stands_anywhere_is_read_or_refused_in_one_line(content: dict[str, Any], data: st.DataObject) -> None:
    changed = set_at(content, data.draw(st.sampled_from(places_of(content))), data.draw(ANY_JSON))
    refused = ""
    try:
        found = read(changed)
        assert repr(found)
        assert probfs.compare(read(content), found).to_dict()
    except DataError as error:
        refused = str(error)
    assert not any(map(is_unseen, refused))
