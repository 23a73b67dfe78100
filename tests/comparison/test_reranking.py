"""Ranking a table as a document says: its settings are used, and each is checked."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from sklearn.naive_bayes import BernoulliNB

import probfs
from probfs.classifiers.catalogue import CLASSIFIERS
from probfs.comparison.documents import ComparedRanking, parse_document
from probfs.comparison.reranking import rank_alike, settings_as_keywords
from probfs.comparison.sources import document_of
from probfs.errors import DataError
from tests.support.comparisons import ranking_document, selection_document
from tests.support.paths import SAMPLES
from tests.support.table_content import Write

COMMUTE = SAMPLES / "commute.csv"


def ranking_with(**settings: Any) -> ComparedRanking:
    return parse_document(ranking_document("ab", target="mode", settings=settings), "old.json")


def selection_with(**settings: Any) -> ComparedRanking:
    document = selection_document({"a": "keep"}, target="mode")
    document["settings"] |= settings
    return parse_document(document, "old.json")


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"score": "signed", "estimate": "cv", "folds": 3, "seed": 7, "bins": 3, "shrink": "on", "smoothing": 0.5},
        {"eliminate": False, "exclude": ["age"], "na": ["none", "x"], "keep_identifiers": True, "min_class": 1},
        {"step": 0.5, "include": ["age", "distance", "weather"], "missing": "value", "uncertainty": True},
        {"score": "unlabeled", "smoothing": 0.0, "step": 2},
        {"step": "auto"},
    ],
)
def test_a_table_is_ranked_as_the_document_was(options: dict[str, Any]) -> None:
    ranking = probfs.rank(COMMUTE, target="mode", **options)
    document = document_of(ranking, "old.json")
    again = rank_alike(COMMUTE, document, {})
    assert again.settings == document.settings
    assert (again.columns, again.classes, again.kind) == (document.columns, document.classes, "ranking")
    assert again.source == str(COMMUTE)


def test_columns_are_selected_as_the_document_says() -> None:
    selection = probfs.select(
        COMMUTE,
        target="mode",
        folds=2,
        keep=2,
        always="age",
        false_discoveries=0.4,
        score="absolute",
        bins=4,
        exclude="person",
    )
    document = document_of(selection, "old.json")
    again = rank_alike(COMMUTE, document, {})
    assert again.settings == document.settings
    assert (again.kept, again.columns) == (selection.kept, document.columns)


CHOICES: dict[str, dict[str, Any]] = {
    "nb": {"shrink": "on"},
    "svm": {"kernel": "rbf", "C": 2.0, "gamma": "auto", "permutations": 3},
    "logistic": {"C": 0.5, "removal": "retrain"},
    "forest": {"trees": 5, "leaf": 9, "depth": "any", "estimate": "oob", "permutations": 1},
    "boosting": {"iterations": 3, "learning_rate": 0.5, "depth": 2, "permutations": 1},
}


@pytest.mark.parametrize("classifier", CLASSIFIERS.names())
def test_the_settings_of_every_classifier_make_the_round_trip(classifier: str) -> None:
    table = SAMPLES / "kiln.csv"
    ranking = probfs.rank(table, target="cracked", classifier=classifier, eliminate=False, **CHOICES[classifier])
    keywords = settings_as_keywords(document_of(ranking, "old.json"))
    assert probfs.rank(table, target="cracked", **keywords).settings == ranking.settings


def test_cut_targets_counts_and_mappings_make_the_round_trip(write: Write) -> None:
    rows = "".join(f"{n % 2},{n % 3},{1 + n % 2},{n}.5\n" for n in range(30))
    table, mapping = write("t.csv", f"a,b,n,y\n{rows}"), write("m.toml", '[columns]\na = "category"\n')
    ranking = probfs.rank(table, target="y", cut_target=3, count="n", mapping=mapping)
    document = document_of(ranking, "old.json")
    assert rank_alike(table, document, {}).columns == document.columns
    mapping.unlink()
    with pytest.raises(DataError, match=r"^old\.json: what was done there .*: .*m\.toml: cannot be read: no such file"):
        rank_alike(table, document, {})


def test_notes_are_passed_on() -> None:
    notes: list[str] = []
    rank_alike(COMMUTE, ranking_with(exclude=["person"]), {}, notes.append)
    assert any(note.startswith("target: mode") for note in notes)


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"classifier": "tree"}, "settings.classifier is 'tree', not one of nb, svm, logistic, forest, boosting"),
        ({"classifier": None}, "settings.classifier is not a text"),
        ({"novelty": 3}, "settings.'novelty' is a setting that this version of probfs does not know"),
        ({"false_discoveries": 0.1}, "settings.'false_discoveries' is a setting that this version of probfs does not"),
        ({"eliminate": 1}, "settings.eliminate is neither true nor false"),
        ({"keep_identifiers": "yes"}, "settings.keep_identifiers is neither true nor false"),
        ({"na": "x"}, "settings.na is not a list of texts"),
        ({"include": [1]}, "settings.include is not a list of texts"),
        ({"mapping": ["m.toml"]}, "settings.mapping is not a text"),
        ({"mapping": "m\0.toml"}, "settings.mapping holds a character that no name has"),
        ({"count": 3}, "settings.count is not a text"),
        ({"estimate": 3}, "settings.estimate is not a text"),
        ({"seed": "1\n2"}, "settings.seed is not a finite number"),
        ({"step": "1"}, "settings.step is not a finite number"),
        ({"step": True}, "settings.step is not a finite number"),
        ({"bins": [3]}, "settings.bins is a list"),
    ],
)
def test_a_setting_of_another_type_is_one_line_with_its_name(settings: dict[str, Any], says: str) -> None:
    with pytest.raises(DataError, match=r"^old\.json: ") as caught:
        rank_alike(COMMUTE, ranking_with(**settings), {})
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"estimate": "guess"}, "estimate=: 'guess' is not one of"),
        ({"folds": 3}, 'folds= goes with estimate="cv" only'),
        ({"step": 1.5}, "step=: 1.5 is neither"),
        ({"seed": -1}, "seed=: -1 is out of range"),
        ({"seed": 0.5}, "seed=: 0.5 is not a whole number"),
        ({"bins": 10**9}, "bins=: 1000000000 is out of range"),
        ({"smoothing": "much"}, "smoothing=: 'much' is neither"),
        ({"kernel": "rbf"}, 'kernel= goes with classifier="svm" only'),
        ({"exclude": ["nothing"]}, "exclude=: no column 'nothing'"),
        ({"count": "age\x1b"}, "count=: no column 'age\\x1b'"),
        ({"mapping": "none.toml"}, "none.toml: cannot be read"),
        ({"mapping": "/dev/zero"}, "/dev/zero: is larger than"),
    ],
)
def test_a_value_that_no_user_could_give_is_the_document_s_fault(settings: dict[str, Any], says: str) -> None:
    with pytest.raises(
        DataError, match=r"^old\.json: what was done there cannot be done with the other table"
    ) as caught:
        rank_alike(COMMUTE, ranking_with(**settings), {})
    assert says in str(caught.value)
    assert caught.value.exit_status == 1


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"keep": "some"}, "keep=: 'some' is neither best nor fewest nor most nor a whole number"),
        ({"false_discoveries": 7}, "false_discoveries=: 7 is not a number from"),
        ({"folds": 1}, "folds=: 1 is out of range"),
        ({"score": "unlabeled"}, "score=: 'unlabeled' is not one of absolute, signed"),
        ({"always": ["nothing"]}, "always=: no column 'nothing'"),
    ],
)
def test_the_settings_of_a_selection_are_checked_as_well(settings: dict[str, Any], says: str) -> None:
    with pytest.raises(DataError, match=r"^old\.json: what was done there") as caught:
        rank_alike(COMMUTE, selection_with(**settings), {})
    assert says in str(caught.value)


def test_an_estimator_of_python_s_cannot_be_had_from_a_document() -> None:
    own = BernoulliNB(alpha=2)
    old = probfs.rank(COMMUTE, target="mode", classifier=own, eliminate=False, permutations=1)
    with pytest.raises(DataError) as caught:
        rank_alike(COMMUTE, document_of(old, "old.json"), {})
    assert str(caught.value) == (
        "old.json: was made in Python with BernoulliNB(alpha=2), an object that no document holds; "
        "call probfs.rank for the other table with the same object, and compare the two results"
    )
    with pytest.raises(DataError, match=r"an estimator, an object .*; call probfs\.select for the other table"):
        rank_alike(COMMUTE, selection_with(classifier="estimator"), {})
    with pytest.raises(DataError, match=r"Pipe\\nx+…x+, an object") as caught:
        rank_alike(COMMUTE, ranking_with(classifier="estimator", estimator="Pipe\n" + "x" * 9999), {})
    assert len(str(caught.value)) < 400


def test_a_table_without_the_target_is_refused_with_its_name(write: Write) -> None:
    table = write("t.csv", "a,b\n1,2\n")
    with pytest.raises(DataError, match=r"^old\.json: .*target=: no column 'mode' in .*t\.csv"):
        rank_alike(table, ranking_with(), {})


def test_a_broken_table_is_its_own_fault(write: Write) -> None:
    table = write("t.csv", "a,mode\n1,2,3\n")
    with pytest.raises(DataError, match=r"t\.csv:2: 3 fields"):
        rank_alike(table, ranking_with(), {})


def test_unlabelled_rows_of_other_files_are_not_left_out_silently(write: Write) -> None:
    more = write("more.csv", COMMUTE.read_text())
    document = document_of(probfs.rank(COMMUTE, target="mode", unlabeled=more, score="unlabeled"), "old.json")
    with pytest.raises(DataError, match=r"^old\.json: was ranked with the unlabelled rows of '.*', which are not read"):
        rank_alike(COMMUTE, document, {})
    other = document_of(probfs.rank(COMMUTE, target="mode", unlabeled=more), "old.json")
    assert rank_alike(COMMUTE, other, {}).names == other.names


def test_how_a_table_is_read_is_given_anew(write: Write, tmp_path: Path) -> None:
    table = write("t.txt", COMMUTE.read_text().replace(",", ";"))
    document = ranking_with(exclude=["person"])
    found = rank_alike(table, document, {"delimiter": ";", "encoding": "utf-8"})
    assert json.dumps(found.names) == json.dumps(rank_alike(COMMUTE, document, {}).names)
