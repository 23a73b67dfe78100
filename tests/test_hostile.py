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
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from probfs.cli import run as run_here
from tests.support import SAMPLES
from tests.support.commands import PATIENCE
from tests.support.workbook import workbook_bytes

GOOD = b"a,b,y\nx,1,p\nz,2,q\nx,2,p\nz,1,q\nx,1,p\nz,2,q\n"
HEADER = b"@relation r\n@attribute a {x,z}\n@attribute b numeric\n@attribute y {p,q}\n@data\n"
GOOD_ARFF = HEADER + b"x,1,p\nz,2,q\nx,2,p\nz,1,q\n"

_CLASSES = ["p", "q"] * 2
_NOT_UTF8 = "holds text that is not UTF-8"

Content = bytes | Callable[[Path], None]
"""What a file holds, or how to make what is at its path."""


@dataclass(frozen=True)
class Case:
    """A file that cannot be read as a table, and what is said of it: where after its name, and what."""

    name: str
    file: str
    content: Content
    place: str
    says: str

    def make(self, folder: Path) -> Path:
        path = folder / self.file
        if callable(self.content):
            self.content(path)
        else:
            path.write_bytes(self.content)
        return path


def _parquet(**columns: object) -> bytes:
    sink = io.BytesIO()
    pq.write_table(pa.table(columns), sink)
    return sink.getvalue()


def _feather(**columns: object) -> bytes:
    sink = io.BytesIO()
    table = pa.table(columns)
    with pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue()


def _not_utf8() -> pa.StringArray:
    raw = pa.array([b"\xff1", b"\xff2"] * 2, pa.binary())
    return pa.Array.from_buffers(pa.string(), len(raw), raw.buffers())


def _far_dates() -> pa.Array:
    return pa.array([2**31 - 1, 2**31 - 2] * 2, pa.int32()).view(pa.date32())


def _json_lines(cell: bytes) -> bytes:
    return (b'{"a": %b, "y": "p"}\n{"a": %b, "y": "q"}\n' % (cell, cell)) * 2


def _zip() -> bytes:
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w") as archive:
        archive.writestr("a.csv", GOOD)
        archive.writestr("b.csv", GOOD)
    return sink.getvalue()


def _bomb() -> bytes:
    """Some 100 KB that unpack to 100 MB."""
    sink = io.BytesIO()
    with gzip.GzipFile(fileobj=sink, mode="wb", mtime=0) as stream:
        stream.write(b"a,b,y\n")
        for _ in range(100):
            stream.write(b"0,0,0\n" * 174_763)
    return sink.getvalue()


UNREADABLE = (
    Case("missing file", "none.csv", lambda path: None, "", "cannot be read: no such file or directory"),
    Case("directory", "folder.csv", Path.mkdir, "", "is a directory without tables"),
    Case("empty", "e.csv", b"", "", "is empty; a header line and data rows are needed"),
    Case("blank lines only", "e.csv", b"\n\r\n\n", "", "is empty; a header line and data rows are needed"),
    Case("header only", "h.csv", b"a,b,y\n", "", "has no data rows below the header"),
    Case("long row", "t.csv", GOOD + b"x,1,p,7\n", ":8", "4 fields, but the header has 3; quote a cell"),
    Case("short row", "t.csv", GOOD + b"x,1\n", ":8", "2 fields, but the header has 3; is the line cut off?"),
    Case(
        "long row after a quoted newline, BOM and CRLF",
        "t.csv",
        b"\xef\xbb\xbf" + GOOD.replace(b"\n", b"\r\n") + b'"x\r\nx",1,p\r\nx,1,p,7\r\n',
        ":10",
        "4 fields, but the header has 3",
    ),
    Case("SQLite", "t.csv", b"SQLite format 3\0" + bytes(90), "", "is an SQLite database; write its table as CSV"),
    Case("PDF", "t.csv", b"%PDF-1.7\n%\xe2\xe3\n", "", "is a PDF document, not a table"),
    Case("Git LFS", "t.parquet", b"version https://git-lfs.github.com/spec/v1\noid", "", "is a pointer of Git LFS"),
    Case("tar", "t.csv", b"a".ljust(257, b"\0") + b"ustar\0", "", "is a tar archive; unpack it first"),
    Case("random bytes", "t.csv", random.Random(0).randbytes(2000), "", "holds binary data, not text"),
    Case("unclosed quote", "t.csv", GOOD + b'x,"1,p\nz,2,q\n', ":8", "a quote opens here and is never closed"),
    Case("text after a quote", "t.csv", GOOD + b'x,"1"1,p\n', ":8", "text follows a closing quote"),
    Case("not UTF-8", "t.csv", GOOD + b"x,\x81,p\n", ":8", "byte 3 of the line (0x81) is not UTF-8; try"),
    Case("damaged UTF-8", "t.csv", GOOD + "ü,ö,p\né,ß,p\n".encode() + b"\xe9,1,p\n", ":10", "is not UTF-8; try"),
    Case("NUL byte", "t.csv", GOOD + b"x,\0,p\n", ":8", "holds a NUL byte; is it a text file?"),
    Case("binary", "t.csv", bytes(range(256)), ":1", ""),
    Case("truncated gzip", "t.csv.gz", gzip.compress(GOOD)[:-9], "", "the gzip data ends too early"),
    Case("two-member zip", "t.csv", _zip(), "", "is a zip archive; unpack it first"),
    Case("gzip of xz", "t.csv", gzip.compress(lzma.compress(GOOD)), "", "is compressed twice, with xz and then gzip"),
    Case("damaged zstd", "t.csv.zst", b"\x28\xb5\x2f\xfd rest", "", "the zstd data is damaged"),
    Case("decompression bomb", "t.csv.gz", _bomb(), "", "allow it with --max-unpacked SIZE"),
    Case("HTML", "t.csv", b"<!DOCTYPE html><html><body>404</body></html>", "", "is a web page or XML, not a table"),
    Case("JSON array", "t.csv", b'[{"a": 1}]\n', "", "is a JSON array, not a table; write one object a line"),
    Case("semicolons", "t.csv", GOOD.replace(b",", b";") + b"x\n", ":1", "contains ';'; use --delimiter ';'"),
    Case("corrupt Parquet", "t.parquet", b"PAR1" + bytes(200) + b"PAR1", "", "is not a readable Parquet file"),
    Case("CSV called Parquet", "t.parquet", GOOD, "", "is not a readable Parquet file"),
    Case("Parquet called CSV", "t.csv", _parquet(a=[1, 2], y=["p", "q"]), "", "is a Parquet file, not CSV"),
    Case("Feather called CSV", "t.csv", _feather(a=[1, 2], y=["p", "q"]), "", "is a Feather file, not CSV"),
    Case("empty JSON lines", "t.jsonl", b"\n \n", "", "is empty; JSON lines hold one object a line"),
    Case("JSON lines cut off", "t.jsonl", b'{"a": 1}\n{"a": ', ":2", "is not JSON: "),
    Case("JSON nested deeply", "t.jsonl", b'{"a": ' + b"[" * 100_000, ":1", ""),
    Case("JSON lines that are not UTF-8", "t.jsonl", b'{"a": "\x81"}\n', ":1", "byte 8 of the line (0x81) is not UTF"),
    Case("CSV called Excel", "t.xlsx", GOOD, "", "is not an Excel workbook"),
    Case("Excel called CSV", "t.csv", workbook_bytes([["a"], [1]]), "", "is an Excel file, not CSV"),
    Case("zip called Excel", "t.xlsx", _zip(), "", "is a zip archive; unpack it first"),
    Case("ARFF without @data", "t.arff", HEADER.replace(b"@data\n", b""), ":4", "the ARFF header has no @data line"),
    Case("ARFF without rows", "t.arff", HEADER, "", "has no data rows below @data"),
    Case("undeclared nominal value", "t.arff", GOOD_ARFF + b"w,1,p\n", ":10", "'w' is not among the declared values"),
    Case("hostile attribute line", "t.arff", b"@relation r\n@attribute " + b"',' " * 20_000 + b"\n", ":2", ""),
    Case("a million comments and no header", "t.arff", b"%\n" * 1_000_000, ":1000000", "the ARFF header has no @data"),
    Case("hostile row of commas", "t.arff", GOOD_ARFF + b"," * 100_000 + b"\n", ":10", "0 values, but 3"),
)  # fmt: skip

UNUSABLE = (
    Case("nested Parquet", "t.parquet", _parquet(a=[[1], [2]] * 2, y=_CLASSES), "", "column 'a' holds list<"),
    Case("Parquet that is not UTF-8", "t.parquet", _parquet(a=_not_utf8(), y=_CLASSES), "", f"column 'a' {_NOT_UTF8}"),
    Case("Parquet dates out of range", "t.parquet", _parquet(a=_far_dates(), y=_CLASSES), "", "column 'a' holds dates"),
    Case("nested Feather", "t.arrow", _feather(a=[[1], [2]] * 2, y=_CLASSES), "", "column 'a' holds list<"),
    Case("Feather that is not UTF-8", "t.ipc", _feather(a=_not_utf8(), y=_CLASSES), "", f"column 'a' {_NOT_UTF8}"),
    Case("nested JSON lines", "t.jsonl", _json_lines(b"[1]"), "", "column 'a' holds a list of 1 value on line 1,"),
    Case("JSON lines that are no Unicode", "t.jsonl", _json_lines(b'"\\ud8ff"'), "", "column 'a' holds text on line 1"),
)  # fmt: skip
"""Files with a column that may only be left out, and what is said of it."""


READING = {
    "rank": ["rank", "BAD"],
    "inspect": ["inspect", "BAD"],
    "suggest": ["suggest", "BAD"],
    "map": ["map", "BAD", "--mapping", "empty.toml"],
    "exact": ["exact", "BAD"],
    "unlabeled": ["rank", "good.csv", "--unlabeled", "BAD"],
}
Capture = pytest.CaptureFixture[str]


def errors(shown: str) -> list[str]:
    """The lines on standard error that are not notes, and those that are no line of ours at all."""
    return [
        line for line in shown.splitlines() if line.startswith("probfs: error: ") or not line.startswith("probfs: ")
    ]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("case", UNREADABLE, ids=lambda case: case.name)
def test_what_cannot_be_read_is_one_line(case: Case, here: Path, capsys: Capture) -> None:
    (here / "good.csv").write_bytes(GOOD)
    (here / "empty.toml").touch()
    case.make(here)
    start = time.process_time()
    # All commands read by the same readers, so that a few files are enough for the others.
    for words in READING.values() if case in UNREADABLE[:4] else [READING["rank"]]:
        status = run_here([case.file if word == "BAD" else word for word in words])
        shown, told = capsys.readouterr()
        assert (status, shown) == (1, "")
        (line,) = told.splitlines()
        assert line.startswith(f"probfs: error: {case.file}{case.place}: ")
        assert case.says in line
    assert time.process_time() - start < 20, "bounded, however slow the machine"


@pytest.mark.parametrize("case", UNUSABLE, ids=lambda case: case.name)
def test_a_column_that_cannot_be_ranked_is_named_by_whoever_uses_it(case: Case, here: Path, capsys: Capture) -> None:
    path = case.make(here)
    (here / "good.csv").write_bytes(GOOD)
    (here / "empty.toml").touch()
    (here / "drop.toml").write_text('drop = ["a"]\n')
    for words in (
        ["rank", path.name],
        ["rank", path.name, "--target", "a"],
        ["rank", path.name, "--count", "a"],
        ["rank", "good.csv", "--exclude", "b", "--unlabeled", path.name],
        ["exact", path.name],
        ["map", path.name, "--mapping", "empty.toml"],
    ):
        status = run_here(words)
        shown, told = capsys.readouterr()
        assert (status, shown) == (1, ""), words
        (line,) = errors(told)
        assert line.startswith(f"probfs: error: {case.file}: {case.says}"), words
        assert line.endswith("or leave it out"), words
    assert run_here(["inspect", path.name]) == 0
    assert f"rank would refuse this: {case.file}: {case.says}" in capsys.readouterr().err
    assert run_here(["map", path.name, "--mapping", "drop.toml", "--quiet"]) == 0
    assert capsys.readouterr().out.startswith("y\n")
    assert run_here(["rank", "good.csv", "--exclude", "a", "--exclude", "b", "--unlabeled", path.name]) == 1
    assert "no column is left to rank" in capsys.readouterr().err


# --- limits -----------------------------------------------------------------------------------------------------------


def test_a_bomb_may_go_off_if_that_is_meant(here: Path, capsys: Capture) -> None:
    (here / "zeros.csv.gz").write_bytes(gzip.compress(b"a,y\n" + b"0,p\n" * 1_000_000 + b"0,q\n0,q\n"))
    assert run_here(["inspect", "zeros.csv.gz", "--format", "csv"]) == 0, "four megabytes are honest"
    capsys.readouterr()
    for allowed, status in (("100K", 1), ("1G", 0)):
        assert run_here(["inspect", "zeros.csv.gz", "--format", "csv", "--max-unpacked", allowed]) == status
    assert "unpack to more than 100 KB" in capsys.readouterr().err


@pytest.mark.skipif(sys.platform != "linux", reason="limits of the address space")
def test_under_a_limit_of_memory_there_is_one_line(tmp_path: Path) -> None:
    import resource  # which Windows lacks

    table = tmp_path / "t.csv"
    table.write_bytes(GOOD + GOOD.split(b"\n", 1)[1] * 200_000)
    for megabytes in (400, 700):
        result = subprocess.run(
            [sys.executable, "-m", "probfs", "rank", str(table), "--quiet"],
            capture_output=True,
            text=True,
            check=False,
            preexec_fn=partial(resource.setrlimit, resource.RLIMIT_AS, (megabytes << 20, megabytes << 20)),
        )
        if result.returncode:
            assert result.returncode == 1
            assert "Traceback" not in result.stderr
            assert len(errors(result.stderr)) == 1


# --- hostile names ----------------------------------------------------------------------------------------------------

FORMULAS = ["=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "＝1"]


def test_a_spreadsheet_is_guarded_against_formulas(here: Path, capsys: Capture) -> None:
    names = [*FORMULAS, "-1.5", "plain"]
    header = ",".join('"' + name.replace('"', '""') + '"' for name in [*names, "y"])
    (here / "t.csv").write_text(header + "\n" + "".join(f"{'=x,' * 7}{i % 2}\n" for i in range(6)))
    (here / "empty.toml").touch()
    for command in (["rank"], ["inspect"], ["map", "--mapping", "empty.toml"]):
        for safe in (False, True):
            assert run_here([*command, "t.csv", "--format", "csv", *(["--safe-csv"] if safe else [])]) == 0
            shown = capsys.readouterr().out
            for name in FORMULAS:
                assert f"'{name}" in shown if safe else f"'{name}" not in shown
            assert "'-1.5" not in shown
            assert "'plain" not in shown
            assert ("'=x" in shown) == (safe and command[0] != "rank")
    assert run_here(["rank", "t.csv", "--format", "json"]) == 0
    kept = [feature["feature"] for feature in json.loads(capsys.readouterr().out)["features"]]
    assert sorted(kept) == sorted(names)


# --- faults while writing ---------------------------------------------------------------------------------------------


def killed_while_writing(folder: Path, number: signal.Signals, delay: float) -> str:
    """What is at the output after a kill: the old file or the new one; anything else fails."""
    output = folder / "ranking.json"
    output.write_text("old")
    command = [sys.executable, "-m", "probfs", "rank", str(SAMPLES / "breast_cancer.csv"), "--output", str(output)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(delay)
    process.send_signal(number)
    shown, told = process.communicate(timeout=PATIENCE)
    content = output.read_text()
    assert [path.name for path in folder.iterdir()] == [output.name], "litter"
    assert not shown
    # Before its first line Python itself may still complain of Ctrl-C.
    if process.returncode not in (-signal.SIGTERM, -signal.SIGINT, 1):
        assert not errors(told)
    if content == "old":
        assert process.returncode in (128 + number, -number, 1)
        return "old"
    assert len(json.loads(content)["features"]) == 9
    return "new"


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=lambda number: number.name)
def test_a_kill_leaves_the_old_file_or_the_new(number: signal.Signals, tmp_path: Path) -> None:
    for delay in (0.3, 0.6):
        killed_while_writing(tmp_path, number, delay)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=lambda number: number.name)
def test_a_kill_at_any_moment_leaves_the_old_file_or_the_new(number: signal.Signals, tmp_path: Path) -> None:
    start = time.perf_counter()
    assert killed_while_writing(tmp_path, number, 30) == "new"
    whole = min(time.perf_counter() - start, 1.5)
    moments = random.Random(number)
    outcomes = [killed_while_writing(tmp_path, number, moments.uniform(0.1, whole)) for _ in range(50)]
    print(f"{number.name}: old {outcomes.count('old')}, new {outcomes.count('new')}")
    assert outcomes.count("old")


@pytest.mark.parametrize(
    "command",
    [
        ["rank", "t.csv"],
        ["inspect", "t.csv"],
        ["suggest", "t.csv"],
        ["map", "t.csv", "--mapping", "empty.toml"],
        ["exact", "joint.csv"],
        ["generate", "xcp"],
    ],
    ids=lambda command: command[0],
)
def test_every_command_writes_whole_or_not_at_all(command: list[str], here: Path, capsys: Capture) -> None:
    (here / "t.csv").write_bytes(GOOD)
    (here / "empty.toml").touch()
    (here / "joint.csv").write_bytes((SAMPLES / "joint.csv").read_bytes())
    ending = "toml" if command[0] == "suggest" else "csv"
    output, link = here / f"out.{ending}", here / f"link.{ending}"
    output.write_text("old")
    output.chmod(0o640)
    link.symlink_to(output)
    before = {path.name for path in here.iterdir()}
    assert run_here([*command, "--output", link.name]) == 0
    assert output.read_text() != "old"
    assert output.stat().st_mode & 0o777 == 0o640
    assert link.is_symlink()
    assert {path.name for path in here.iterdir()} == before
    capsys.readouterr()
    assert run_here([*command, "--output", "/dev/full", "--format", ending] if ending == "csv" else
                    [*command, "--output", "/dev/full"]) == 1  # fmt: skip
    shown, told = capsys.readouterr()
    assert errors(told) == ["probfs: error: /dev/full: cannot be written: no space left on device"]
    assert not shown
    for bad, reason in (
        ("no/where.csv", "no/where.csv: cannot be written: there is no folder"),
        (".", ".: is a directory"),
    ):
        assert run_here([*command, "--output", bad]) == 1
        assert errors(capsys.readouterr().err)[0].startswith(f"probfs: error: {reason}")
