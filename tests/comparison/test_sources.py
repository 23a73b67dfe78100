"""What is a document, and what is a table."""

from __future__ import annotations

import gzip
import io
import json
import os
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import probfs
from probfs.comparison.sources import document_of, find_document
from probfs.errors import DataError, UsageError
from probfs.tables.reading import read_table
from tests.support.comparisons import ranking_document
from tests.support.paths import SAMPLES
from tests.support.table_content import Write

TEXT = json.dumps(ranking_document("abc"), indent=2)


class Input:
    """Standard input that holds these bytes."""

    def __init__(self, content: bytes) -> None:
        self.buffer = io.BufferedReader(io.BytesIO(content))

    def isatty(self) -> bool:
        return False


@pytest.mark.parametrize("name", ["r.json", "R.JSON", "r.json.gz", "r.out", "r"])
def test_a_document_is_known_by_its_ending_or_by_how_it_begins(write: Write, name: str) -> None:
    content = gzip.compress(TEXT.encode()) if name.endswith(".gz") else f" \n{TEXT}".encode()
    found = find_document(write(name, content), "old")
    assert found is not None
    assert found.names == ["a", "b", "c"]


@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz", "t.parquet", "t.jsonl", "t.xlsx"])
def test_the_ending_of_a_table_is_that_of_a_table_even_if_the_file_is_not_there(name: str) -> None:
    assert find_document(name, "new") is None


def test_a_file_without_a_known_ending_is_a_table_unless_it_begins_with_a_brace(write: Write) -> None:
    assert find_document(write("t.txt", "a,b\n1,2\n"), "new") is None
    assert find_document(write("t.dat", TEXT), "new", input_format="jsonl") is None
    with pytest.raises(DataError, match="is JSON, but not of probfs"):
        find_document(write("u.dat", '{"a": 1}'), "new")


def test_what_ends_in_json_is_a_document_whatever_format_is_named(write: Write) -> None:
    assert find_document(write("r.json", TEXT), "old", input_format="csv") is not None


def test_standard_input_is_looked_at_and_can_still_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", Input(TEXT.encode()))
    found = find_document("-", "new")
    assert found is not None
    assert found.source == "<stdin>"
    monkeypatch.setattr("sys.stdin", Input(b"a,b\n1,2\n"))
    assert find_document("-", "new") is None
    assert list(read_table("-").columns) == ["a", "b"]
    monkeypatch.setattr("sys.stdin", None)
    assert find_document("-", "new") is None


def test_a_named_pipe_is_a_document_unless_a_format_is_named(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=(TEXT,))
    writer.start()
    found = find_document(pipe, "new")
    writer.join()
    assert found is not None
    assert found.names == ["a", "b", "c"]
    assert find_document(pipe, "new", input_format="csv") is None


def test_a_path_that_leads_nowhere_is_one_line(tmp_path: Path) -> None:
    for name in ("none.json", "none"):
        with pytest.raises(DataError, match=f"{name}: cannot be read: no such file"):
            find_document(tmp_path / name, "old")


def test_results_are_documents_and_frames_are_tables() -> None:
    ranking = probfs.rank(SAMPLES / "commute.csv", target="mode")
    found = find_document(ranking, "old")
    assert found == document_of(ranking, "<old>")
    assert found is not None
    assert (found.source, found.names) == ("<old>", [feature.feature for feature in ranking.features])
    assert find_document(pd.DataFrame({"a": [1]}), "new") is None
    assert find_document(read_table(SAMPLES / "commute.csv"), "new") is None


def test_tables_in_memory_are_told_by_what_they_offer() -> None:
    columns = {"settings": [1], "to_json": [2]}
    frame = pl.DataFrame(columns)
    for table in (pd.DataFrame(columns), frame, frame.lazy(), frame.to_arrow(), np.zeros((2, 2))):
        assert find_document(table, "new") is None


@pytest.mark.parametrize("given", [{"a": 1}, 3, None])
def test_anything_else_is_refused(given: Any) -> None:
    with pytest.raises(UsageError, match=r"^old must be a path, a Ranking, a Selection or a data frame, not "):
        find_document(given, "old")
