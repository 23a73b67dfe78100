"""probfs.compare: rankings, selections, files and tables."""

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
from probfs.errors import DataError
from tests.support.comparisons import ranking_document
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
        ({"classifier": "estimator", "estimator": "Pipe\n" + "x" * 9999}, "with Pipe\\nxxxx"),
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
