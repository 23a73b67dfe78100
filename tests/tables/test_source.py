"""Files in other encodings and compressions, read or refused, and how much of them has been read."""

from __future__ import annotations

import gzip
import io
import os
import select
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from probfs.errors import ProbfsError
from probfs.runtime.progress import Progress, listening
from probfs.tables.readers import ReadOptions, read_table
from tests.support.table_content import Write, table_content


def test_line_ends_byte_order_marks_and_encodings(write: Write) -> None:
    expected = {"é": ["1", "3"], "y": ["2", "4"]}
    for text in (
        "é,y\n1,2\n3,4\n",
        "é,y\r\n1,2\r\n3,4",
        "é,y\r1,2\r3,4\r",
        "\ufeffé,y\n1,2\n3,4\n",
        "\n\né,y\n\n1,2\n3,4\n",
    ):
        assert table_content(read_table(write("t.csv", text))) == expected, repr(text)
    for encoding in ("latin-1", "utf-16", "cp1252"):
        data = "é,y\n1,2\n3,4\n".encode(encoding)
        assert table_content(read_table(write("t.csv", data), ReadOptions(encoding=encoding))) == expected
    with pytest.raises(ProbfsError, match="no encoding 'klingon'"):
        read_table(write("t.csv", "a,b\n1,2\n"), ReadOptions(encoding="klingon"))


@pytest.mark.parametrize("encoding", ["rot13", "hex", "zlib", "base64"])
def test_an_encoding_that_is_not_of_text_is_refused(write: Write, encoding: str) -> None:
    with pytest.raises(ProbfsError, match="no encoding"):
        read_table(write("t.csv", "a,b\n1,2\n"), ReadOptions(encoding=encoding))


@pytest.mark.parametrize("encoding", ["utf-32", "utf-32-le", "utf-16-be", "utf-7", "cp1252", "shift_jis"])
def test_encodings_of_text_are_read(encoding: str, write: Write) -> None:
    table = read_table(write("t.csv", "a,y\nx,p\nz,q\n".encode(encoding)), ReadOptions(encoding=encoding))
    assert list(table.columns) == ["a", "y"]


# --- how much has been read -------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a table of some megabytes, which no reader reads at once."""
    folder = tmp_path_factory.mktemp("large")
    frame = pd.DataFrame(np.random.default_rng(0).integers(0, 10**6, (60_000, 12))).rename(columns=str)
    frame.to_csv(folder / "t.csv", index=False)
    frame.to_parquet(folder / "t.parquet", row_group_size=10_000)
    frame.to_feather(folder / "t.feather")
    (folder / "t.csv.gz").write_bytes(gzip.compress((folder / "t.csv").read_bytes(), 1))
    return folder


def heard_while_reading(path: Path | str) -> list[Progress]:
    heard: list[Progress] = []
    with listening(heard.append):
        assert read_table(path).rows == 60_000
    assert all((progress.stage, progress.unit) == ("reading", "bytes") for progress in heard)
    assert heard[0].done == 0
    assert [progress.done for progress in heard] == sorted(progress.done for progress in heard)
    assert len({progress.done for progress in heard}) > 3, "it is told on the way"
    return heard


@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz", "t.parquet"])
def test_bytes_of_the_file_as_it_is_stored_are_counted(large: Path, name: str) -> None:
    size = (large / name).stat().st_size
    heard = heard_while_reading(large / name)
    assert {progress.total for progress in heard} == {size}
    assert heard[-1].done == size


def test_standard_input_from_a_file_has_a_size(large: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with open(large / "t.csv") as file:
        monkeypatch.setattr(sys, "stdin", file)
        heard = heard_while_reading("-")
    assert heard[-1].done == heard[-1].total == (large / "t.csv").stat().st_size


@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz", "t.parquet"])
def test_of_a_pipe_only_what_was_read_is_known(large: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    data = (large / name).read_bytes()
    reading, writing = os.pipe()

    def write_all() -> None:
        with open(writing, "wb") as stream:
            stream.write(data)

    writer = threading.Thread(target=write_all)
    writer.start()
    with open(reading) as pipe:
        monkeypatch.setattr(sys, "stdin", pipe)
        heard = heard_while_reading("-")
    writer.join()
    assert {progress.total for progress in heard} == {None}
    assert heard[-1].done == len(data)


@pytest.mark.parametrize("name", ["t.csv", "t.parquet", "t.feather"])
def test_a_listener_is_never_called_by_two_threads_at_a_time(large: Path, name: str) -> None:
    """pyarrow reads Parquet and Feather files in threads of its own."""
    busy = threading.Lock()
    overlapping = []

    def hear(progress: Progress) -> None:
        if not busy.acquire(blocking=False):
            overlapping.append(progress)
            return
        time.sleep(0.001)
        busy.release()

    with listening(hear):
        assert read_table(large / name).rows == 60_000
    assert overlapping == []


@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz"])
def test_a_pipe_that_does_not_block_is_waited_for(large: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    data = (large / name).read_bytes()
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    asked = threading.Event()

    def wait(readable: list[int], writable: list[int], exceptional: list[int]) -> object:
        asked.set()
        return select.select(readable, writable, exceptional)

    def write_when_asked() -> None:
        with open(writing, "wb") as stream:
            assert asked.wait(60), "nobody waits for what is not there yet"
            stream.write(data)

    monkeypatch.setattr("probfs.tables.source.select", SimpleNamespace(select=wait))
    writer = threading.Thread(target=write_when_asked)
    writer.start()
    with open(reading) as pipe:
        monkeypatch.setattr(sys, "stdin", pipe)
        heard = heard_while_reading("-")
    writer.join()
    assert heard[-1].done == len(data)


def test_standard_input_may_be_replaced_and_partly_read(large: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = b"not of the table\n" + (large / "t.csv").read_bytes()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    assert sys.stdin.buffer.readline() == b"not of the table\n"
    assert heard_while_reading("-")[-1].total is None
