"""probfs.compare: rankings, selections, files and tables; frames, and conditions."""

from __future__ import annotations

import gzip
import io
import json
import os
import random
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import probfs
from probfs.comparison.changes import compare_rankings
from probfs.comparison.measures import MEASURES, Condition, parse_condition
from probfs.comparison.result import ColumnChange
from probfs.errors import DataError, UsageError
from probfs.output.documents import header_of
from probfs.text import command_line_language
from tests.support import SAMPLES
from tests.support.results import compare_orders, ranking_document, ranking_of
from tests.support.tables import Write

CANCER = SAMPLES / "breast_cancer.csv"
COMMUTE = SAMPLES / "commute.csv"
TEXT = json.dumps(ranking_document("abc"), indent=2)


@pytest.fixture(scope="module")
def ranking() -> probfs.Ranking:
    return probfs.rank(CANCER, target="class", score="signed")


@pytest.fixture(scope="module")
def selection() -> probfs.Selection:
    return probfs.select(CANCER, target="class", folds=0)


def shuffled(path: Path) -> str:
    header, *rows = path.read_text().splitlines(keepends=True)
    random.Random(3).shuffle(rows)
    return "".join([header, *rows])


def test_nothing_changed_if_rows_or_columns_were_shuffled(
    ranking: probfs.Ranking, selection: probfs.Selection, write: Write
) -> None:
    table = write("shuffled.csv", shuffled(CANCER))
    frame = pd.read_csv(CANCER, dtype=str, keep_default_na=False)
    frame = frame[sorted(map(str, frame))]
    for old, new in ((selection, selection), (ranking, table), (table, ranking), (selection, table), (ranking, frame)):
        comparison = probfs.compare(old, new)
        assert (comparison.changed, comparison.differences) == ((), ())
        assert comparison.same_scores
        assert {comparison.measures[name] for name in ("spearman", "kendall", "overlap")} == {1}


def test_every_column_that_is_renamed_is_named(
    ranking: probfs.Ranking, selection: probfs.Selection, write: Write
) -> None:
    text = shuffled(CANCER)
    for result in (ranking, selection):
        for feature in result.features[::3]:
            table = write("renamed.csv", text.replace(feature.feature, "another_name", 1))
            assert probfs.compare(result, table).renamed == {feature.feature: "another_name"}


def test_warnings_and_notes_are_heard() -> None:
    notes: list[str] = []
    progress: list[probfs.Progress] = []
    old, new = (probfs.rank(CANCER, target="class", score=score) for score in ("absolute", "signed"))
    probfs.compare(old, new, on_note=notes.append)
    assert notes == ["score: absolute in <old>, but signed in <new>; ranks are hard to compare"]
    frame = pd.read_csv(CANCER, dtype=str, keep_default_na=False)
    probfs.compare(frame, old, on_note=notes.append, on_progress=progress.append)
    assert notes[1] == "a data frame is read with the target and the settings of <new>"
    assert notes[2].startswith("target: class (as in <new>)")
    assert "ranking" in {step.stage for step in progress}


class Input:
    """Standard input that holds these bytes."""

    def __init__(self, content: bytes) -> None:
        self.buffer = io.BufferedReader(io.BytesIO(content))

    def isatty(self) -> bool:
        return False


@pytest.mark.parametrize("name", ["R.JSON", "r.json.gz", "r.out", "r"])
def test_a_document_is_known_by_its_ending_or_by_how_it_begins(write: Write, name: str) -> None:
    path = write(name, gzip.compress(TEXT.encode()) if name.endswith(".gz") else f" \n{TEXT}".encode())
    assert list(probfs.compare(path, path).new.by_name) == ["a", "b", "c"]


def test_what_is_no_document_is_a_table_and_one_of_the_two_must_be_one(write: Write, ranking: probfs.Ranking) -> None:
    columns = {"settings": [1], "to_json": [2]}
    lazy = pl.DataFrame(columns).lazy()
    for table in (write("t.txt", "a,b\n1,2\n"), Path("none.csv.gz"), pd.DataFrame(columns), lazy, np.zeros((2, 2))):
        with pytest.raises(UsageError, match=r"are both tables; one of the two must be the JSON"):
            probfs.compare(table, table)
    with pytest.raises(UsageError, match="are both tables"):
        probfs.compare(write("t.dat", TEXT), write("t.dat", TEXT), input_format="jsonl")
    with pytest.raises(UsageError, match="standard input can be read only once; name a file for the other"):
        probfs.compare("-", "-")
    with pytest.raises(DataError, match="is JSON, but not of probfs"):
        probfs.compare(write("u.dat", '{"a": 1}'), ranking)
    with pytest.raises(DataError, match="none: cannot be read: no such file"):
        probfs.compare("none", ranking)
    for given in ({"a": 1}, 3, None):
        with pytest.raises(UsageError, match=r"^new must be a path, a Ranking, a Selection or a "):
            probfs.compare(ranking, given)  # type: ignore[arg-type]  # the point of the test
    with pytest.raises(DataError, match=r"^<new>: lists no column, so there is nothing to compare"):
        probfs.compare(ranking, ranking.top(0))
    with pytest.raises(UsageError, match=r"^skip_rows=0: both are JSON of probfs, and there is no table to read"):
        probfs.compare(ranking, ranking, skip_rows=0)
    with pytest.raises(UsageError, match=r"^union=True: both are JSON of probfs"):
        probfs.compare(ranking, ranking, union=True, max_unpacked="1G")
    assert probfs.compare(ranking, ranking, union=False, sheet=None, max_unpacked="1G").changed == ()
    with pytest.raises(TypeError, match=r"unexpected keyword argument 'delimeter'; did you mean 'delimiter'\?"):
        probfs.compare(ranking, CANCER, delimeter=";")


def test_standard_input_and_pipes_are_looked_at_and_can_still_be_read(
    write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = write("r.json", TEXT)
    monkeypatch.setattr("sys.stdin", Input(TEXT.encode()))
    assert probfs.compare(document, "-").new.document == "<stdin>"
    ranked = write("c.json", probfs.rank(COMMUTE, target="mode").to_json())
    monkeypatch.setattr("sys.stdin", Input(COMMUTE.read_bytes()))
    assert probfs.compare(ranked, "-").changed == ()
    os.mkfifo(tmp_path / "pipe")
    writer = threading.Thread(target=(tmp_path / "pipe").write_text, args=(TEXT,))
    writer.start()
    assert probfs.compare(document, tmp_path / "pipe").changed == ()
    writer.join()


@pytest.mark.parametrize(
    "options",
    [
        {"score": "signed", "estimate": "cv", "folds": 3, "seed": 7, "bins": 3, "shrink": "on", "smoothing": 0.5},
        {"eliminate": False, "exclude": ["age"], "na": ["none", "x"], "keep_identifiers": True, "min_class": 1},
        {"step": 0.5, "include": ["age", "distance", "weather"], "missing": "value", "uncertainty": True},
        {"classifier": "logistic", "C": 0.5, "eliminate": False, "exclude": ["age", "person"]},
    ],
)
def test_a_table_is_ranked_as_the_document_was(options: dict[str, Any], write: Write) -> None:
    ranking = probfs.rank(COMMUTE, target="mode", **options)
    comparison = probfs.compare(write("r.json", ranking.to_json()), COMMUTE)
    assert comparison.new.result == ranking
    assert comparison.new.document == str(COMMUTE)


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"novelty": 3}, "settings.'novelty' is a setting that this version of probfs does not know"),
        ({"kernel": "rbf"}, "settings.'kernel' is a setting that this version of probfs does not know, or not with"),
        ({"mapping": "m\0.toml"}, "m\\x00.toml: cannot be read: embedded null byte"),
        ({"folds": 3}, 'what was done there cannot be done with the other table: folds= goes with estimate="cv" only'),
        ({"count": "age\x1b"}, "count=: no column 'age\\x1b'"),
        ({"mapping": "/dev/zero"}, "/dev/zero: is larger than"),
        ({"classifier": "estimator", "bins": None, "estimator": "Pipe\n" + "x" * 9999}, "with Pipe\\nxxxx"),
    ],
)
def test_settings_that_cannot_be_used_again_are_the_document_s_fault(
    write: Write, settings: dict[str, Any], says: str
) -> None:
    document = write("old.json", json.dumps(ranking_document("ab", target="mode", settings=settings)))
    with pytest.raises(DataError) as caught:
        probfs.compare(document, COMMUTE)
    assert str(caught.value).startswith(f"{document}: ")
    assert says in str(caught.value)
    assert len(str(caught.value)) < 600
    assert probfs.compare(document, document).changed == ()


def test_a_table_that_does_not_suit_is_refused_with_its_name(write: Write) -> None:
    ranking = probfs.rank(COMMUTE, target="mode")
    with pytest.raises(DataError, match=r"^<old>: .*target=: no column 'mode' in .*t\.csv"):
        probfs.compare(ranking, write("t.csv", "a,b\n1,2\n"))
    with pytest.raises(DataError, match=r"t\.csv:2: 3 fields"):
        probfs.compare(ranking, write("t.csv", "a,mode\n1,2,3\n"))
    more = write("more.csv", COMMUTE.read_text())
    with pytest.raises(DataError, match=r"^<old>: was ranked with the unlabelled rows of '.*', which are not read"):
        probfs.compare(probfs.rank(COMMUTE, target="mode", unlabeled=more, score="unlabeled"), COMMUTE)
    assert probfs.compare(probfs.rank(COMMUTE, target="mode", unlabeled=more), COMMUTE).changed == ()


def test_mappings_are_read_again_and_the_table_as_it_is_said(write: Write) -> None:
    rows = "".join(f"{n % 2};{n % 3};{1 + n % 2};{n}.5\n" for n in range(30))
    table, mapping = write("t.txt", f"a;b;n;y\n{rows}"), write("m.toml", '[columns]\na = "category"\n')
    ranking = probfs.rank(table, target="y", cut_target=3, count="n", mapping=mapping, delimiter=";")
    assert probfs.compare(ranking, table, delimiter=";").new.result == ranking
    mapping.unlink()
    with pytest.raises(DataError, match=r"^<old>: what was done there .*: .*m\.toml: cannot be read: no such file"):
        probfs.compare(ranking, table, delimiter=";")


def test_a_frame_has_the_columns_of_the_csv_and_types_that_know_missing_values() -> None:
    intervals = {"a": (1, 1), "b": (2, 3), "c": (2, 3)}
    frame = compare_rankings(ranking_of("abc", intervals=intervals), ranking_of("cba")).to_frame()
    assert repr(compare_orders("abc", "acb")) == (
        "<Comparison of old.json with new.json: 2 of 3 columns changed, Spearman 0.500>"
    )
    assert repr(compare_orders("a", "b")).endswith(": 2 of 2 columns changed, no correlation>")
    assert list(frame) == list(header_of(ColumnChange))
    assert [str(frame[name].dtype) for name in ("old_rank", "moved", "beyond")] == ["Int64", "Int64", "boolean"]
    assert frame["beyond"].tolist() == [True, False, True]
    assert compare_orders("a", "b").to_frame()["old_rank"].isna().tolist() == [True, False]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("spearman<0.8<1", "'0.8<1' is not a number"),
        (
            "spearmen<0.8",
            "'spearmen' is not a measure; choose from spearman, kendall, overlap, rbo, changed, rose, fell, ",
        ),
        ("spearman<nan", "'nan' is not a number, in the condition 'spearman<nan'"),
        (
            "\x1b",
            "'\\x1b' is not a measure, <= >= == != < >, and a number, in quotes, like 'spearman<0.8'; measures: s",
        ),
    ],
)
def test_a_malformed_condition_is_a_usage_error_with_the_way_out(text: str, says: str) -> None:
    with command_line_language(), pytest.raises(UsageError, match=r"^--fail-if: ") as caught:
        parse_condition(text)
    assert says in str(caught.value)
    assert parse_condition(" Kendall <= -.5") == Condition("kendall", "<=", -0.5)


def test_a_condition_is_true_or_not_and_fails_closed_where_its_measure_is_not_known() -> None:
    measures = compare_orders("ab", "bc").measures
    assert list(measures) == list(MEASURES)
    assert {name for name, value in measures.items() if value is None} == {"spearman", "kendall", "beyond"} | {
        "verdicts",
        "kept_changed",
    }
    for symbol, says in (("<", False), ("<=", True), (">", False), (">=", True), ("==", True), ("!=", False)):
        assert (parse_condition(f"appeared{symbol}1").explain(measures) is not None) == says
        explained = parse_condition(f"spearman{symbol}0").explain(measures)
        reason = "counts as true: spearman is not known, as fewer than two columns are in both"
        assert explained == f"spearman {symbol} 0 {reason}"
    assert parse_condition("rbo<1").explain({"rbo": 0.25}) == "rbo < 1 is true: rbo is 0.25"
