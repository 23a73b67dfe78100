"""Opening files: formats and their options, encodings, compressions and their limits, and how much has been read."""

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
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from probfs.errors import DataError, UsageError
from probfs.runtime.progress import Progress, listening
from probfs.tables.formats import TABLE_FORMATS, WRITABLE_FORMATS, format_of_content, format_of_path
from probfs.tables.opening import COMPRESSIONS, refuse_suspicious_size
from probfs.tables.reading import ReadOptions, read_table
from probfs.tables.writers import choose_table_format, table_bytes
from tests.support.tables import read_bytes, read_csv_text, table_content

TEXT = b"a,y\n" + b"x,p\nz,q\n" * 1000
PACK: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "zstd": lambda data: bytes(pa.Codec("zstd").compress(data)),
}
every_compression = pytest.mark.parametrize("name", COMPRESSIONS)


def test_line_ends_byte_order_marks_and_encodings() -> None:
    expected = {"é": ["1", "3"], "y": ["2", "4"]}
    for text in ("é,y\r\n1,2\r\n3,4", "é,y\r1,2\r3,4\r", "\ufeffé,y\n1,2\n3,4\n", "\n\né,y\n\n1,2\n3,4\n"):
        assert table_content(read_bytes(text)) == expected, repr(text)
    for encoding in ("latin-1", "utf-16", "cp1252", "utf-32-le", "utf-7"):
        assert table_content(read_bytes("é,y\n1,2\n3,4\n".encode(encoding), encoding=encoding)) == expected
    for encoding in ("klingon", "rot13", "hex", "zlib", "base64"):
        with pytest.raises(UsageError, match=f"^encoding=: no encoding '{encoding}'"):
            read_bytes("a,b\n1,2\n", encoding=encoding)
    for rows in (1, 1 << 18):
        with pytest.raises(DataError, match=f"^t.csv: is not ascii near byte {4 + 4 * rows}; try another encoding=$"):
            read_bytes("a,y\n" + "1,2\n" * rows + "é,3\n", encoding="ascii")


@pytest.mark.parametrize(
    ("cell", "is_western"),
    [
        (b"\xe4" * 10 + b"b" * 27, True),
        (b"\xe4" * 10 + b"b" * 26, False),
        (b"\xe4bcdefg\x81", False),
        ("\xe4b\xe4b".encode("latin-1") + b"bcdefgh" + "é".encode(), True),
        ("\xe4bcb".encode("latin-1") + b"bcdefgh" + "é".encode(), False),
    ],
    ids=["a quarter", "more", "none of Windows", "half is UTF-8", "more is UTF-8"],
)
def test_few_letters_of_the_west_and_no_others_are_taken_for_such(cell: bytes, is_western: bool) -> None:
    data = cell + b"\n1\n"
    if is_western:
        assert list(read_bytes(data).columns) == [cell.decode("cp1252")]
    else:
        with pytest.raises(DataError, match="is not UTF-8; try encoding="):
            read_bytes(data)


@every_compression
def test_a_compressed_table_is_the_table(name: str) -> None:
    pack, table = PACK[name], read_csv_text("a,y\n1,p\n,q\n")
    for format_name in WRITABLE_FORMATS:
        packed, ending = pack(table_bytes(table, format_name)), TABLE_FORMATS[format_name].endings[0]
        for file in (f"t{ending}{COMPRESSIONS[name][0]}", f"misnamed{ending}"):
            assert table_content(read_bytes(packed, file)) == {"a": ["1", None], "y": ["p", "q"]}, file
    in_parts = read_bytes(pack(TEXT[:3000]) + pack(TEXT[3000:]))
    assert table_content(in_parts) == table_content(read_csv_text(TEXT))
    with pytest.raises(DataError, match="is empty"):
        read_bytes(pack(b""))


@every_compression
def test_what_cannot_be_unpacked_is_refused_in_one_line(name: str) -> None:
    packed = PACK[name](TEXT)
    for length in range(len(packed) - 1, 12, -7):
        with pytest.raises(DataError, match=rf"^t.csv: the {name} data ends too early; fetch or write "):
            read_bytes(packed[:length])
    for place in range(12, len(packed), 3):
        with contextlib.suppress(DataError):
            read_bytes(packed[:place] + bytes([packed[place] ^ 0x55]) + packed[place + 1 :])


@every_compression
def test_the_limit_on_unpacked_bytes_holds(name: str) -> None:
    pack = PACK[name]
    assert read_bytes(pack(TEXT), max_unpacked=len(TEXT)).rows == 2000
    with pytest.raises(DataError, match=rf"the first .* of its {name} data unpack to more than .* max_unpacked="):
        read_bytes(pack(TEXT), max_unpacked=len(TEXT) - 1)
    # In several parts, as packing so much of the same takes bzip2 long.
    with pytest.raises(DataError, match=rf"of its {name} data unpack to more than 64"):
        read_bytes(pack(b"a,y\n") + 68 * pack(b"0,0\n" * (1 << 18)))


@pytest.mark.parametrize(
    ("most", "packed", "chosen"),
    [(64 << 20, 1, None), (64 << 20, 268_435, None), (250 << 20, 1 << 20, None), (4 << 30, 1 << 30, None), (9, 9, 9)],
)
def test_how_much_is_suspicious_depends_on_the_size(most: int, packed: int, chosen: int | None) -> None:
    refuse_suspicious_size(most, packed, chosen, "the data", "t.csv.gz")
    with pytest.raises(DataError, match=r"^t\.csv\.gz: the data unpack to more than .*; if that is meant"):
        refuse_suspicious_size(most + 1, packed, chosen, "the data", "t.csv.gz")


def test_a_header_that_begins_like_bzip2_is_a_header() -> None:
    assert table_content(read_bytes("BZh9,y\n1,p\n")) == {"BZh9": ["1"], "y": ["p"]}


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a table of some megabytes, which no reader reads at once."""
    folder = tmp_path_factory.mktemp("large")
    frame = pd.DataFrame(np.random.default_rng(0).integers(0, 10**6, (60_000, 12))).rename(columns=str)
    frame.to_csv(folder / "t.csv", index=False)
    frame.to_parquet(folder / "t.parquet", row_group_size=10_000)
    (folder / "t.csv.gz").write_bytes(gzip.compress((folder / "t.csv").read_bytes(), 1))
    return folder


@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz", "t.parquet"])
def test_bytes_are_counted_as_stored_or_as_they_come(large: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    data = (large / name).read_bytes()

    def check(path: Path | str, total: int | None) -> None:
        heard: list[Progress] = []
        with listening(heard.append):
            assert read_table(path).rows == 60_000
        assert {(progress.stage, progress.unit, progress.total) for progress in heard} == {("reading", "bytes", total)}
        done = [progress.done for progress in heard]
        assert (done[0], done[-1], done) == (0, len(data), sorted(done))
        assert len(set(done)) > 3, "it is told on the way"

    check(large / name, len(data))
    with open(large / name) as file:
        monkeypatch.setattr(sys, "stdin", file)
        check("-", len(data))
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
        check("-", None)
    writer.join()


def test_standard_input_may_be_replaced_and_partly_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"not of the table\n" + TEXT)))
    sys.stdin.buffer.readline()
    assert table_content(read_table("-")) == table_content(read_csv_text(TEXT))


def test_the_ending_decides_the_format() -> None:
    endings = {".CSV": "csv", ".tab": "tsv", ".arff": "arff", ".pq": "parquet", ".ipc": "feather", ".ndjson": "jsonl"}
    assert {ending: choose_table_format(f"t{ending}", None) for ending in endings} == endings
    assert (choose_table_format(None, None), choose_table_format("t.csv", "arff")) == ("csv", "arff")
    with pytest.raises(UsageError, match=r"the ending '.xlsx' names no known format"):
        choose_table_format("t.xlsx", None)
    for ending in (".GZ", ".bz2", ".xz", ".zst"):
        assert format_of_path(f"T.Parquet{ending}") is TABLE_FORMATS["parquet"]
    assert format_of_path("-") is format_of_path("t.txt") is None


@pytest.mark.parametrize(
    ("head", "encoding", "expected"),
    [
        (b"", "utf-8", "csv"),
        (b"PAR1....", "no such encoding", "parquet"),
        (b"ARROW1\0\0", "utf-8", "feather"),
        (b"\xff\xff\xff\xff\x80\0\0\0", "utf-8", "feather"),
        (b"PK\x03\x04....", "utf-8", "excel"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "utf-8", "excel"),
        (b'\n {"a": [1]}\r\n{', "utf-8", "jsonl"),
        (b'{"a", "b"}\n', "utf-8", "csv"),
        (b'{"a":' * 100_000, "utf-8", "csv"),
        (b"\xef\xbb\xbf\n  @RELATION r\n", "utf-8", "arff"),
        (b"% a comment\n\n@attribute a real\n", "utf-8", "arff"),
        (b"% comments only\n", "utf-8", "arff"),
        (b"% a comment\na,b\n", "utf-8", "csv"),
        ("@relation r\n".encode("utf-16"), "utf-16", "arff"),
        (b"@relation r\n", "no such encoding", "csv"),
    ],
)
def test_the_first_bytes_decide_where_there_is_no_ending(head: bytes, encoding: str, expected: str) -> None:
    assert format_of_content(head, encoding).name == expected


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("u.tsv.gz", {"delimiter": ";", "skip_rows": 2}),
        ("-", {"delimiter": ";", "skip_rows": 2, "sheet": "s"}),
        ("u.arff", {}),
        ("u.xlsx", {"skip_rows": 2, "sheet": "s"}),
    ],
)
def test_a_further_file_keeps_the_options_that_fit_it(name: str, kept: dict[str, Any]) -> None:
    options = ReadOptions("csv", ";", "latin-1", 1000, ",", na=("none",), sheet="s", skip_rows=2)
    expected = ReadOptions(encoding="latin-1", max_unpacked=1000, decimal=",", na=("none",), **kept)
    assert options.for_another(Path(name)) == expected


@pytest.mark.parametrize(
    ("options", "message"),
    [
        *(({"delimiter": text}, "^delimiter=: .* is not one plain character") for text in ("", ";;", '"', "\n", "é")),
        ({"delimiter": ";"}, r"^delimiter=: t\.arff is ARFF, which has no delimiter to choose$"),
        ({"no_header": True}, r"^no_header=: t\.arff is ARFF, which has no row of names$"),
    ],
)
def test_options_that_do_not_fit_are_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        read_bytes("@relation r\n@attribute class {p,q}\n@data\np\nq\n", "t.arff", **options)
