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
from probfs.comparison.result import MEASURES, ColumnChange, Condition, parse_condition
from probfs.errors import DataError, UsageError
from probfs.output.documents import header_of
from probfs.text import command_line_language
from tests.support.comparisons import compare_orders, ranking_document, ranking_of
from tests.support.paths import SAMPLES
from tests.support.table_content import Write

CANCER = SAMPLES / "breast_cancer.csv"
COMMUTE = SAMPLES / "commute.csv"
TEXT = json.dumps(ranking_document("abc"), indent=2)
ABC = ["a", "b", "c"]


@pytest.fixture(scope="module")
def ranking() -> probfs.Ranking:
    return probfs.rank(CANCER, target="class", score="signed")


@pytest.fixture(scope="module")
def selection() -> probfs.Selection:
    return probfs.select(CANCER, target="class", folds=0)


def shuffled(path: Path, seed: int = 3) -> str:
    header, *rows = path.read_text().splitlines(keepends=True)
    random.Random(seed).shuffle(rows)
    return "".join([header, *rows])


def assert_nothing_changed(comparison: probfs.Comparison) -> None:
    assert comparison.changed == ()
    assert comparison.same_scores
    assert comparison.differences == ()
    assert comparison.measures["spearman"] == comparison.measures["kendall"] == comparison.measures["overlap"] == 1


def test_nothing_changed_if_rows_or_columns_were_shuffled(
    ranking: probfs.Ranking, selection: probfs.Selection, write: Write
) -> None:
    table = write("shuffled.csv", shuffled(CANCER))
    assert_nothing_changed(probfs.compare(selection, selection))
    assert_nothing_changed(probfs.compare(ranking, table))
    assert_nothing_changed(probfs.compare(table, ranking))
    assert_nothing_changed(probfs.compare(selection, table))
    frame = pd.read_csv(CANCER, dtype=str, keep_default_na=False)
    assert_nothing_changed(probfs.compare(ranking, frame[sorted(map(str, frame))]))


def test_every_column_that_is_renamed_is_named(
    ranking: probfs.Ranking, selection: probfs.Selection, write: Write
) -> None:
    text = shuffled(CANCER)
    for result in (ranking, selection):
        for feature in result.features:
            renamed = text.replace(feature.feature, "another_name", 1)
            comparison = probfs.compare(result, write("renamed.csv", renamed))
            assert comparison.renamed == {feature.feature: "another_name"}
            assert len(comparison.changes("same")) == len(result.features) - 1


def test_warnings_and_notes_are_heard() -> None:
    notes: list[str] = []
    old, new = (probfs.rank(CANCER, target="class", score=score) for score in ("absolute", "signed"))
    probfs.compare(old, new, on_note=notes.append)
    assert notes == ["score: absolute in <old>, but signed in <new>; ranks are hard to compare"]
    probfs.compare(old, CANCER, on_note=notes.append)
    assert notes[1] == f"{CANCER} is read with the target and the settings of <old>"
    frame = pd.read_csv(CANCER, dtype=str, keep_default_na=False)
    progress: list[probfs.Progress] = []
    probfs.compare(frame, old, on_note=notes.append, on_progress=progress.append)
    assert "a data frame is read with the target and the settings of <new>" in notes
    assert "ranking" in {step.stage for step in progress}


class Input:
    """Standard input that holds these bytes."""

    def __init__(self, content: bytes) -> None:
        self.buffer = io.BufferedReader(io.BytesIO(content))

    def isatty(self) -> bool:
        return False


def names_in(path: str | os.PathLike[str], **options: Any) -> list[str]:
    return probfs.compare(path, path, **options).new.names


@pytest.mark.parametrize("name", ["r.json", "R.JSON", "r.json.gz", "r.out", "r"])
def test_a_document_is_known_by_its_ending_or_by_how_it_begins(write: Write, name: str) -> None:
    content = gzip.compress(TEXT.encode()) if name.endswith(".gz") else f" \n{TEXT}".encode()
    assert names_in(write(name, content)) == ABC


def test_a_file_without_a_known_ending_is_a_table_unless_it_begins_with_a_brace(write: Write) -> None:
    for table in (write("t.txt", "a,b\n1,2\n"), Path("none.csv.gz")):
        with pytest.raises(probfs.UsageError, match=r"are both tables; one of the two must be the JSON"):
            names_in(table)
    with pytest.raises(probfs.UsageError, match="standard input can be read only once; name a file for the other"):
        probfs.compare("-", "-")
    with pytest.raises(probfs.UsageError, match="are both tables"):
        names_in(write("t.dat", TEXT), input_format="jsonl")
    with pytest.raises(DataError, match="is JSON, but not of probfs"):
        names_in(write("u.dat", '{"a": 1}'))
    with pytest.raises(DataError, match="none: cannot be read: no such file"):
        names_in("none")


def test_standard_input_is_looked_at_and_can_still_be_read(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    document = write("r.json", TEXT)
    monkeypatch.setattr("sys.stdin", Input(TEXT.encode()))
    found = probfs.compare(document, "-").new
    assert (found.document, found.names) == ("<stdin>", ABC)
    ranked = write("c.json", probfs.rank(COMMUTE, target="mode").to_json())
    monkeypatch.setattr("sys.stdin", Input(COMMUTE.read_bytes()))
    assert probfs.compare(ranked, "-").changed == ()


def test_a_named_pipe_is_a_document(write: Write, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=(TEXT,))
    writer.start()
    assert probfs.compare(write("r.json", TEXT), pipe).new.names == ABC
    writer.join()


def test_what_is_in_memory_is_a_result_or_a_table(ranking: probfs.Ranking) -> None:
    columns = {"settings": [1], "to_json": [2]}
    frame = pl.DataFrame(columns)
    for table in (pd.DataFrame(columns), frame, frame.lazy(), frame.to_arrow(), np.zeros((2, 2))):
        with pytest.raises(probfs.UsageError, match="a data frame and a data frame are both tables"):
            probfs.compare(table, table)
    for given in ({"a": 1}, 3, None):
        with pytest.raises(probfs.UsageError, match=r"^new must be a path, a Ranking, a Selection or a "):
            probfs.compare(ranking, given)  # type: ignore[arg-type]  # the point of the test
    with pytest.raises(DataError, match=r"^<new>: lists no column, so there is nothing to compare"):
        probfs.compare(ranking, ranking.top(0))


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
        ({"keep": "best"}, "settings.'keep' is a setting that this version of probfs does not"),
        ({"screen": False, "false_discoveries": 0.1}, "false_discoveries= goes with screen=True only"),
        ({"kernel": "rbf"}, "settings.'kernel' is a setting that this version of probfs does not know, or not with"),
        ({"mapping": "m\0.toml"}, "settings.mapping holds a character that no name has"),
        ({"folds": 3}, 'what was done there cannot be done with the other table: folds= goes with estimate="cv" only'),
        ({"step": 1.5}, "what was done there cannot be done with the other table: step=: 1.5 is neither"),
        ({"exclude": ["nothing"]}, "exclude=: no column 'nothing'"),
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


def test_a_table_without_the_target_and_a_broken_one_are_refused_with_their_names(write: Write) -> None:
    ranking = probfs.rank(COMMUTE, target="mode")
    with pytest.raises(DataError, match=r"^<old>: .*target=: no column 'mode' in .*t\.csv"):
        probfs.compare(ranking, write("t.csv", "a,b\n1,2\n"))
    with pytest.raises(DataError, match=r"t\.csv:2: 3 fields"):
        probfs.compare(ranking, write("t.csv", "a,mode\n1,2,3\n"))


def test_unlabelled_rows_of_other_files_are_not_left_out_silently(write: Write) -> None:
    more = write("more.csv", COMMUTE.read_text())
    ranking = probfs.rank(COMMUTE, target="mode", unlabeled=more, score="unlabeled")
    with pytest.raises(DataError, match=r"^<old>: was ranked with the unlabelled rows of '.*', which are not read"):
        probfs.compare(ranking, COMMUTE)
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
    assert list(frame) == list(header_of(ColumnChange))
    assert frame["old_rank"].dtype == frame["moved"].dtype == "Int64"
    assert frame["beyond"].dtype == "boolean"
    assert frame["beyond"].tolist() == [True, False, True]
    missing = compare_orders("a", "b").to_frame()
    assert missing["old_rank"].isna().tolist() == [True, False]


def test_what_a_partial_document_cannot_tell_is_not_known() -> None:
    part, whole = ranking_of("ab", total=4), ranking_of("abcd")
    names = ("changed", "appeared", "vanished", "renamed")
    assert [compare_rankings(part, whole).measures[name] for name in names] == [0, None, 0, None]
    assert [compare_rankings(whole, part).measures[name] for name in names] == [0, 0, None, None]
    assert [compare_rankings(part, part).measures[name] for name in names] == [0, None, None, None]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            "",
            "'' is not a measure, <= >= == != < >, and a number, in quotes, like 'spearman<0.8'; measures: spearman, ",
        ),
        ("spearman=0.8", "in quotes"),
        ("spearman<0.8<1", "'0.8<1' is not a number"),
        (
            "spearmen<0.8",
            "'spearmen' is no measure; choose from spearman, kendall, overlap, rbo, changed, rose, fell, ",
        ),
        ("spearman<nan", "'nan' is not a number, in the condition 'spearman<nan'"),
        ("spearman<\x1b[31m", "'\\x1b[31m' is not a number"),
    ],
)
def test_a_malformed_condition_is_a_usage_error_with_the_way_out(text: str, says: str) -> None:
    with command_line_language(), pytest.raises(UsageError, match=r"^--fail-if: ") as caught:
        parse_condition(text)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)
    assert parse_condition(" Kendall <= -.5") == Condition("kendall", "<=", -0.5)
    assert parse_condition("kept_changed!=0") == Condition("kept_changed", "!=", 0)


@pytest.mark.parametrize(
    ("measure", "reason"),
    [
        ("spearman", "fewer than two columns are in both"),
        ("beyond", "neither document has rank intervals"),
        ("kept_changed", "the two are not both selections"),
    ],
)
@pytest.mark.parametrize("symbol", ["<", "!="])
def test_a_measure_that_is_not_known_fails_closed(measure: str, reason: str, symbol: str) -> None:
    comparison = compare_orders("ab", "bc")
    assert comparison.measures[measure] is None
    explained = parse_condition(f"{measure}{symbol}0").explain(comparison)
    assert explained == f"{measure} {symbol} 0 counts as true: {measure} is not known, as {reason}"


def test_every_measure_of_a_comparison_can_be_asked_for_and_has_a_reason_to_be_missing() -> None:
    measures = compare_orders("a", "b").measures
    assert list(measures) == list(MEASURES)
    assert all(MEASURES[name] for name, value in measures.items() if value is None)
    assert not [name for name, reason in MEASURES.items() if not reason and measures[name] is None]
