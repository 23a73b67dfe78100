"""Opening files: encodings, compressions and their limits, memory, and how much has been read."""

from __future__ import annotations

import bz2
import contextlib
import gzip
import io
import lzma
import os
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from probfs.errors import DataError, UsageError
from probfs.runtime import memory
from probfs.runtime.progress import Progress, listening
from probfs.tables.formats import TABLE_FORMATS, is_writable
from probfs.tables.opening import COMPRESSIONS, Compression
from probfs.tables.reading import ReadOptions, read_table
from probfs.tables.writers import table_bytes
from tests.support.table_content import Write, read_bytes, read_csv_text, table_content

TEXT = b"a,y\n" + b"x,p\nz,q\n" * 1000
PACK: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "zstd": lambda data: bytes(pa.Codec("zstd").compress(data)),
}
every_compression = pytest.mark.parametrize("compression", COMPRESSIONS, ids=lambda compression: compression.name)


def test_line_ends_byte_order_marks_and_encodings(write: Write) -> None:
    expected = {"é": ["1", "3"], "y": ["2", "4"]}
    for text in ("é,y\r\n1,2\r\n3,4", "é,y\r1,2\r3,4\r", "\ufeffé,y\n1,2\n3,4\n", "\n\né,y\n\n1,2\n3,4\n"):
        assert table_content(read_table(write("t.csv", text))) == expected, repr(text)
    for encoding in ("latin-1", "utf-16", "cp1252", "utf-32-le", "utf-7"):
        data = "é,y\n1,2\n3,4\n".encode(encoding)
        assert table_content(read_table(write("t.csv", data), ReadOptions(encoding=encoding))) == expected
    for encoding in ("klingon", "rot13", "hex", "zlib", "base64"):
        with pytest.raises(UsageError, match=f"^encoding=: no encoding '{encoding}'"):
            read_table(write("t.csv", "a,b\n1,2\n"), ReadOptions(encoding=encoding))


@every_compression
def test_a_compressed_table_is_the_table(compression: Compression) -> None:
    pack, table = PACK[compression.name], read_csv_text("a,y\n1,p\n,q\n")
    for table_format in filter(is_writable, TABLE_FORMATS):
        packed = pack(table_bytes(table, table_format.name))
        for file in (f"t{table_format.endings[0]}{compression.ending}", f"misnamed{table_format.endings[0]}"):
            assert table_content(read_bytes(packed, file)) == {"a": ["1", None], "y": ["p", "q"]}, file
    assert table_content(read_bytes(pack(TEXT[:3000]) + pack(TEXT[3000:]), "t.csv")) == table_content(
        read_csv_text(TEXT)
    )
    with pytest.raises(DataError, match="is empty"):
        read_bytes(pack(b""), "t.csv")


@every_compression
def test_what_cannot_be_unpacked_is_refused_in_one_line(compression: Compression) -> None:
    packed = PACK[compression.name](TEXT)
    for length in range(len(packed) - 1, 12, -7):
        with pytest.raises(DataError, match=rf"t.csv: the {compression.name} data ends too early; fetch or write "):
            read_bytes(packed[:length], "t.csv")
    for place in range(12, len(packed), 3):
        with contextlib.suppress(DataError):
            read_bytes(packed[:place] + bytes([packed[place] ^ 0x55]) + packed[place + 1 :], "t.csv")


@every_compression
def test_the_limit_on_unpacked_bytes_holds(compression: Compression, write: Write) -> None:
    name, pack = compression.name, PACK[compression.name]
    path = write("t.csv", pack(TEXT))
    read_table(path, ReadOptions(max_unpacked=len(TEXT)))
    with pytest.raises(DataError, match=rf"the first .* of its {name} data unpack to more than .* max_unpacked="):
        read_table(path, ReadOptions(max_unpacked=len(TEXT) - 1))
    # In several parts, as packing so much of the same takes bzip2 long.
    with pytest.raises(DataError, match=rf"of its {name} data unpack to more than 64"):
        read_bytes(pack(b"a,y\n") + 68 * pack(b"0,0\n" * (1 << 18)), "bomb.csv")


def test_a_header_that_begins_like_bzip2_is_a_header_and_packing_twice_is_refused() -> None:
    assert table_content(read_bytes(b"BZh9,y\n1,p\n", "t.csv")) == {"BZh9": ["1"], "y": ["p"]}
    with pytest.raises(DataError, match=r"is compressed twice, with xz and then gzip; unpack it first$"):
        read_bytes(gzip.compress(lzma.compress(TEXT)), "t.csv")


@pytest.mark.parametrize("kind", TABLE_FORMATS.names(is_writable))
def test_a_small_table_is_read_in_little_memory(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    data = table_bytes(read_csv_text("a,y\n" + "1,p\n2,q\n" * 30), kind)
    monkeypatch.setattr(memory, "free_memory", lambda: 115 << 20)
    assert read_bytes(data, f"t.{kind}").rows == 60


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a table of some megabytes, which no reader reads at once."""
    folder = tmp_path_factory.mktemp("large")
    frame = pd.DataFrame(np.random.default_rng(0).integers(0, 10**6, (60_000, 12))).rename(columns=str)
    frame.to_csv(folder / "t.csv", index=False)
    frame.to_parquet(folder / "t.parquet", row_group_size=10_000)
    (folder / "t.csv.gz").write_bytes(gzip.compress((folder / "t.csv").read_bytes(), 1))
    return folder


def check_progress(path: Path | str, size: int, total: int | None) -> None:
    """Check what a listener hears while a large table is read."""
    heard: list[Progress] = []
    with listening(heard.append):
        assert read_table(path).rows == 60_000
    assert {(progress.stage, progress.unit, progress.total) for progress in heard} == {("reading", "bytes", total)}
    done = [progress.done for progress in heard]
    assert (done[0], done[-1], done) == (0, size, sorted(done))
    assert len(set(done)) > 3, "it is told on the way"


@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz", "t.parquet"])
def test_bytes_are_counted_as_they_are_stored_of_a_file_and_as_they_come_of_a_pipe(
    large: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = (large / name).read_bytes()
    check_progress(large / name, len(data), len(data))
    with open(large / name) as file:
        monkeypatch.setattr(sys, "stdin", file)
        check_progress("-", len(data), len(data))
    reading, writing = os.pipe()
    os.set_blocking(reading, False)

    def write_late() -> None:
        time.sleep(0.1)
        with open(writing, "wb") as stream:
            stream.write(data)

    writer = threading.Thread(target=write_late)
    writer.start()
    with open(reading) as pipe:
        monkeypatch.setattr(sys, "stdin", pipe)
        check_progress("-", len(data), None)
    writer.join()


def test_standard_input_may_be_replaced_and_partly_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"not of the table\n" + TEXT)))
    sys.stdin.buffer.readline()
    assert table_content(read_table("-")) == table_content(read_csv_text(TEXT))
