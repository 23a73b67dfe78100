"""Bad input, faults and hostile data: one line that says what and where, the right status, and nothing lost."""

from __future__ import annotations

import gzip
import io
import json
import lzma
import random
import signal
import subprocess
import sys
import time
import zipfile
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.support import SAMPLES
from tests.support.commands import PATIENCE, Run
from tests.support.tables import Write, feather_bytes, parquet_bytes, workbook_bytes

GOOD = b"a,b,y\nx,1,p\nz,2,q\nx,2,p\nz,1,q\nx,1,p\nz,2,q\n"
TYPED = pa.table({"a": [1, 2], "y": ["p", "q"]})
ARFF = b"@relation r\n@attribute a {x,z}\n@attribute b numeric\n@attribute y {p,q}\n@data\n"
SPARSE = "the sparse row is not {index value, …} with indices from 0 to 2, each once"
OF_NO_ROW = "; a missing one is written ?"
OF_JSON = "JSON lines hold one object a line"
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
PIECES = (",", "' ", "{", "{0 ", "'\\", "', ", "1 ", "\t")


def _zip() -> bytes:
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w") as archive:
        archive.writestr("a.csv", GOOD)
    return sink.getvalue()


def _parquet_without_groups() -> bytes:
    sink = io.BytesIO()
    pq.ParquetWriter(sink, TYPED.schema).close()
    return sink.getvalue()


def _declared(attribute: str, rows: str = "@data\n") -> bytes:
    return f"@relation r\n@attribute {attribute}\n{rows}".encode()


UNREADABLE: dict[str, tuple[str, bytes | None, str]] = {
    "missing file": ("none.csv", None, ": cannot be read: no such file or directory"),
    "empty": ("t.csv", b"", ": is empty; a header line and data rows are needed"),
    "long row": ("t.csv", GOOD + b"x,1,p,7\n", ":8: 4 fields, but the header has 3; quote a cell"),
    "long row after BOM, CRLF": ("t.csv", b'\xef\xbb\xbfa,b\r\n"x\r\nx\ry",1\r\n2,3\r\nx,1,7\r\n', ":6: 3 fields, but"),
    "four names above six cells": ("t.csv", b"w,x,y,z\na,b,c,d,e,f\n1,2,3,4,5,6\n", ":2: 6 fields, but the header h"),
    "a title and names": ("t.csv", b"Sales\na,b,c\n", ":2: 3 fields, but the header has 1; quote a cell"),
    "SQLite": ("t.csv", b"SQLite format 3\0" + bytes(90), ": is an SQLite database; write its table as CSV"),
    "PDF": ("t.csv", b"%PDF-1.7\n%\xe2\xe3\n", ": is a PDF document, not a table"),
    "Git LFS": ("t.parquet", b"version https://git-lfs.github.com/spec/v1\noid", ": is a pointer of Git LFS"),
    "tar": ("t.csv", b"a".ljust(257, b"\0") + b"ustar\0", ": is a tar archive; unpack it first"),
    "random bytes": ("t.csv", random.Random(0).randbytes(2000), ": holds binary data, not text"),
    "text after a quote": ("t.csv", GOOD + b'x,"1"1,p\n', ":8: text follows a closing quote"),
    "not UTF-8": ("t.csv", GOOD + b"x,\x81,p\n", ":8: byte 3 of the line (0x81) is not UTF-8; try --encoding latin-1"),
    "damaged UTF-8": ("t.csv", GOOD + "ü,ö,p\né,ß,p\n".encode() + b"\xe9,1,p\n", ":10: byte 1 of the line (0xe9)"),
    "gzip of xz": ("t.csv", gzip.compress(lzma.compress(GOOD)), ": is compressed twice, with xz and then gzip"),
    "damaged zstd": ("t.csv.zst", b"\x28\xb5\x2f\xfd rest", ": the zstd data is damaged"),
    "JSON array": ("t.csv", b'[{"a": 1}]\n', ": is a JSON array, not a table; write one object a line"),
    "corrupt Parquet": ("t.parquet", b"PAR1" + bytes(200) + b"PAR1", ": is not a readable Parquet file: "),
    "CSV called Parquet": ("t.parquet", GOOD, ": is not a readable Parquet file: "),
    "Parquet called CSV": ("t.csv", parquet_bytes(TYPED), ": is a Parquet file, not CSV; use --input-format parquet"),
    "Feather called CSV": ("t.csv", feather_bytes(TYPED), ": is a Feather file, not CSV; use --input-format feather"),
    "Feather of version 1": ("t.feather", b"FEA1 of old", ": is a Feather file of version 1; write it again"),
    "Parquet of no rows": ("t.parquet", _parquet_without_groups(), ": has no data rows; is it the right file?"),
    "no Arrow": ("t.ipc", b"?", ": is not a readable Feather file: "),
    "web page called Excel": ("t.xls", b"<html><table>", ": is a web page or XML; save it as .xlsx or CSV"),
    "CSV called Excel": ("t.xlsx", GOOD, ": is not an Excel workbook; say what it is with --input-format"),
    "Excel called CSV": ("t.csv", workbook_bytes([["a"], [1]]), ": is an Excel file, not CSV; use --input-format"),
    "zip called Excel": ("t.xlsx", _zip(), ": is a zip archive; unpack it first"),
    "empty JSON lines": ("t.jsonl", b"\n \n", f": is empty; {OF_JSON}"),
    "two objects on a line": ("t.jsonl", b'{"a": 1} {"a": 2}\n', ":1: is not JSON: extra data, at character 10; JSON"),
    "JSON nested deeply": ("t.jsonl", b'{"a": ' + b"[" * 100_000, ":1: is "),
    "objects without keys": ("t.jsonl", b"{}\n{}\n", ": has no columns, as its objects have no keys"),
    "a list": ("t.jsonl", b'{"a": 1}\n\n[1, 2]\n', f":3: holds a list, not an object; {OF_JSON}"),
    "a number": ("t.jsonl", b'{"a": 1}\n7\n', ":2: holds a single value, not an object"),
    "null": ("t.jsonl", b"null", ":1: holds null, not an object"),
    "a key of no text": ("t.jsonl", b'{"\\ud800": 1}\n', ": the key '\\ud800' is not valid Unicode; rename it"),
    "JSON that is not UTF-8": ("t.jsonl", b'{"a": "\x81"}\n', ":1: byte 8 of the line (0x81) is not UTF-8"),
    "ARFF without rows": ("t.arff", ARFF, ": has no data rows below @data; is the file cut off?"),
    "ARFF without anything": ("t.arff", b"", ": is empty; an ARFF header and data rows are needed"),
    "a million comments": ("t.arff", b"%\n" * 1_000_000, ":1000000: the ARFF header has no @data line"),
    "no ARFF": ("t.arff", b"hello\n", ":1: 'hello' is not an ARFF declaration; choose from @relation, @attribute and"),
    "rows on the @data line": ("t.arff", _declared("a real", "@data 1\n"), ":3: something follows @data; begin the"),
    "no attributes": ("t.arff", b"@relation r\n@data\n1\n", ":2: no @attribute comes before @data"),
    "an open quote": ("t.arff", _declared("'a {x,y}"), ":2: @attribute needs a name and a type; is a quote never"),
    "an open list": ("t.arff", _declared("a {x,y", "@attribute b real\n"), ":2: the list of values is never closed w"),
    "an open quote in a list": ("t.arff", _declared("a {'x,y}"), ":2: a quote opens and is never closed on its line"),
    "a value declared twice": ("t.arff", _declared("a {x,y,y}"), ":2: attribute 'a': value 'y' is declared twice"),
    "no type": ("t.arff", _declared("a"), ":2: attribute 'a' has no type; choose from numeric, string, date"),
    "no name": ("t.arff", _declared(""), ":2: @attribute needs a name and a type"),
    **{
        f"row {row!r}": ("t.arff", ARFF + f"x,1,p\n% c\n\n{row}\n".encode(), f":9: {message}")
        for row, message in {
            "'w',1,p": "column 'a': 'w' is not among the declared values",
            "x,1_0,p": "column 'b': '1_0' is not a number, as declared; ? is a missing one",
            "x,,p": "an empty value" + OF_NO_ROW,
            ",x 1,p": "an empty value" + OF_NO_ROW,
            "x,1,p,q": "4 values, but 3 attributes are declared" + OF_NO_ROW,
            "x,1,": "2 values, but 3 attributes are declared" + OF_NO_ROW,
            "x 1 {5} p": "4 values, but 3 attributes",
            "x,1,'p''q": "a quote opens and is never closed on its line; close it, or put a backslash before it",
            r"x,1,'\q'": r"''\q'' has a backslash before a character that needs none",
            **dict.fromkeys(("{0 x 2}", "{0 x, 0 z}", "{3 1}", "{-1 1}", "{0 x, 2 p", "{" + 5000 * "9" + "}"), SPARSE),
        }.items()
    },
    **{f"row of {text!r}": ("t.arff", ARFF + f"{50_000 * text},,%\n".encode(), ":6: ") for text in (*PIECES, " {5}")},
    **{f"values of {text!r}": ("t.arff", _declared(f"a {{{50_000 * text}"), ":2: ") for text in PIECES},
}  # fmt: skip
"""Files that no reader takes: the name, the content, and how the error goes on behind the name."""
if find_spec("python_calamine") is not None:
    too_large = {"xl/media/image.png": bytes(70 << 20)}
    UNREADABLE |= {
        "empty workbook": ("t.xlsx", workbook_bytes([]), ": is empty; a row of names and data rows are needed"),
        "workbook of names": ("t.xlsx", workbook_bytes([["a", "y"]]), ": has no data rows below the row of names"),
        "damaged old workbook": ("t.xls", OLE + bytes(600), ": is not a readable Excel workbook: "),
        "workbook of zeros": (
            "t.xlsx",
            workbook_bytes([["a"]], members=too_large),
            ": the 70.4 KB of the workbook unpack to more than 64 MB; i",
        ),
    }

READING = (
    ("rank", "BAD"),
    ("inspect", "BAD"),
    ("suggest", "BAD"),
    ("map", "BAD", "--mapping", "empty.toml"),
    ("exact", "BAD"),
    ("rank", "good.csv", "--unlabeled", "BAD"),
)


@pytest.mark.parametrize("case", UNREADABLE)
def test_what_cannot_be_read_is_one_line(case: str, write: Write, run_here: Run) -> None:
    name, content, message = UNREADABLE[case]
    write("good.csv", GOOD)
    write("empty.toml", "")
    if content is not None:
        write(name, content)
    # All commands read by the same readers, so that a few files are enough for the others.
    for words in READING if case in ("missing file", "empty", "long row") else READING[:1]:
        result = run_here(*(name if word == "BAD" else word for word in words))
        assert (result.returncode, result.stdout, result.stderr.count("\n")) == (1, "", 1)
        assert result.stderr.startswith(f"probfs: error: {name}{message}")


def errors(shown: str) -> list[str]:
    """The lines on standard error that are not notes, and those that are no line of ours at all."""
    return [
        line for line in shown.splitlines() if line.startswith("probfs: error: ") or not line.startswith("probfs: ")
    ]


def test_a_bomb_goes_off_only_if_that_is_meant(write: Write, run_here: Run) -> None:
    write("zeros.csv.gz", gzip.compress(b"a,y\n" + b"0,p\n" * 1_000_000 + b"0,q\n0,q\n"))
    assert run_here("inspect", "zeros.csv.gz").returncode == 0, "four megabytes are honest"
    assert run_here("inspect", "zeros.csv.gz", "--max-unpacked", "1G").returncode == 0
    refused = run_here("inspect", "zeros.csv.gz", "--max-unpacked", "100K").stderr
    told = "unpack to more than 100 KB; if that is meant, allow it with --max-unpacked SIZE\n"
    assert refused.startswith("probfs: error: zeros.csv.gz: the first ")
    assert refused.endswith(f" of its gzip data {told}")


@pytest.mark.skipif(sys.platform != "linux", reason="limits of the address space")
def test_under_a_limit_of_memory_there_is_one_line(write: Write) -> None:
    import resource  # which Windows lacks

    table = write("t.csv", GOOD + GOOD.split(b"\n", 1)[1] * 200_000)
    for megabytes in (400, 700):
        result = subprocess.run(
            [sys.executable, "-m", "probfs", "rank", str(table), "--quiet"],
            capture_output=True,
            text=True,
            check=False,
            preexec_fn=partial(resource.setrlimit, resource.RLIMIT_AS, (megabytes << 20, megabytes << 20)),
        )
        told = (result.returncode, "Traceback" in result.stderr, len(errors(result.stderr)))
        assert told in ((0, False, 0), (1, False, 1))


EVERY_MOMENT = pytest.param(np.arange(0.1, 1.6, 0.03), marks=pytest.mark.slow, id="every moment")


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=lambda number: number.name)
@pytest.mark.parametrize("delays", [pytest.param([0.3, 0.6], id="two moments"), EVERY_MOMENT])
def test_a_kill_leaves_the_old_file_or_the_new(number: signal.Signals, delays: Any, tmp_path: Path) -> None:
    output = tmp_path / "ranking.json"
    for delay in delays:
        output.write_text("old")
        command = [sys.executable, "-m", "probfs", "rank", str(SAMPLES / "breast_cancer.csv"), "--output", str(output)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        time.sleep(delay)
        process.send_signal(number)
        shown, told = process.communicate(timeout=PATIENCE)
        content = output.read_text()
        assert ([path.name for path in tmp_path.iterdir()], shown) == ([output.name], "")
        # Before its first line Python itself may still complain of Ctrl-C.
        if process.returncode not in (-signal.SIGTERM, -signal.SIGINT, 1):
            assert not errors(told)
        if content == "old":
            assert process.returncode in (128 + number, -number, 1)
        else:
            assert len(json.loads(content)["features"]) == 9


@pytest.mark.parametrize(
    "command",
    ["rank t.csv", "inspect t.csv", "suggest t.csv", "map t.csv --mapping empty.toml", "exact j.csv", "generate xcp"],
)
def test_every_command_writes_whole_or_not_at_all(command: str, tmp_path: Path, write: Write, run_here: Run) -> None:
    for name, content in (("t.csv", GOOD), ("empty.toml", b""), ("j.csv", (SAMPLES / "joint.csv").read_bytes())):
        write(name, content)
    ending = "toml" if command.startswith("suggest") else "csv"
    output, link = tmp_path / f"out.{ending}", tmp_path / f"link.{ending}"
    output.write_text("old")
    output.chmod(0o640)
    link.symlink_to(output)
    before = {path.name for path in tmp_path.iterdir()}
    assert run_here(*command.split(), "--output", link.name).returncode == 0
    assert (output.read_text() == "old", output.stat().st_mode & 0o777, link.is_symlink()) == (False, 0o640, True)
    assert {path.name for path in tmp_path.iterdir()} == before
    chosen = ["--format", "csv"] if ending == "csv" else []
    for words, reason in (
        (["/dev/full", *chosen], "/dev/full: cannot be written: no space left on device"),
        (["no/where.csv"], "no/where.csv: cannot be written: there is no folder"),
        (["."], ".: is a directory"),
    ):
        failed = run_here(*command.split(), "--output", *words)
        assert (failed.returncode, failed.stdout) == (1, "")
        assert errors(failed.stderr)[0].startswith(f"probfs: error: {reason}")
