"""Inputs that break tools of this kind, each under a name; what every command must say of them is in test_hostile."""

from __future__ import annotations

import gzip
import io
import lzma
import random
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

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


def _zstd(data: bytes) -> bytes:
    return bytes(pa.Codec("zstd").compress(data))


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


def _damaged(data: bytes) -> bytes:
    middle = len(data) // 2
    return data[:middle] + bytes(255 - byte for byte in data[middle : middle + 4]) + data[middle + 4 :]


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
    Case("gzip of gzip", "t.csv.gz", gzip.compress(gzip.compress(GOOD)), "", "is compressed twice, with gzip and"),
    Case("two-member zip", "t.csv", _zip(), "", "is a zip archive; unpack it first"),
    Case("gzip of xz", "t.csv", gzip.compress(lzma.compress(GOOD)), "", "is compressed twice, with xz and then gzip"),
    Case("damaged zstd", "t.csv.zst", b"\x28\xb5\x2f\xfd rest", "", "the zstd data is damaged"),
    Case("decompression bomb", "t.csv.gz", _bomb(), "", "allow it with --max-unpacked SIZE"),
    Case("HTML", "t.csv", b"<!DOCTYPE html><html><body>404</body></html>", "", "is a web page or XML, not a table"),
    Case("semicolons", "t.csv", GOOD.replace(b",", b";") + b"x\n", ":1", "contains ';'; use --delimiter ';'"),
    Case("corrupt Parquet", "t.parquet", b"PAR1" + bytes(200) + b"PAR1", "", "is no readable Parquet file"),
    Case("truncated Parquet", "t.parquet", _parquet(a=[1, 2], y=["p", "q"])[:-20], "", "is no readable Parquet file"),
    Case("CSV called Parquet", "t.parquet", GOOD, "", "is no readable Parquet file"),
    Case("Parquet called CSV", "t.csv", _parquet(a=[1, 2], y=["p", "q"]), "", "is a Parquet file, not CSV"),
    Case("CSV called Feather", "t.arrow", GOOD, "", "is no readable Feather file"),
    Case("Feather called CSV", "t.csv", _feather(a=[1, 2], y=["p", "q"]), "", "is a Feather file, not CSV"),
    Case("empty JSON lines", "t.jsonl", b"\n \n", "", "is empty; JSON lines hold one object a line"),
    Case("JSON lines cut off", "t.jsonl", b'{"a": 1}\n{"a": ', ":2", "is no JSON: "),
    Case("JSON nested deeply", "t.jsonl", b'{"a": ' + b"[" * 100_000, ":1", ""),
    Case("JSON lines that are not UTF-8", "t.jsonl", b'{"a": "\x81"}\n', ":1", "byte 8 of the line (0x81) is not UTF"),
    Case("CSV called Excel", "t.xlsx", GOOD, "", "is no Excel workbook"),
    Case("Excel called CSV", "t.csv", workbook_bytes([["a"], [1]]), "", "is an Excel file, not CSV"),
    Case("zip called Excel", "t.xlsx", _zip(), "", "is a zip archive; unpack it first"),
    Case("ARFF without @data", "t.arff", HEADER.replace(b"@data\n", b""), ":4", "the ARFF header has no @data line"),
    Case("ARFF without rows", "t.arff", HEADER, "", "has no data rows below @data"),
    Case("undeclared nominal value", "t.arff", GOOD_ARFF + b"w,1,p\n", ":10", "'w' is not among the declared values"),
    Case("hostile attribute line", "t.arff", b"@relation r\n@attribute " + b"',' " * 20_000 + b"\n", ":2", ""),
    Case("a million comments and no header", "t.arff", b"%\n" * 1_000_000, ":1000000", "the ARFF header has no @data"),
    Case("hostile row of commas", "t.arff", GOOD_ARFF + b"," * 100_000 + b"\n", ":10", "0 values, but 3"),
    Case("hostile dense line", "t.arff", GOOD_ARFF + b"','" * 20_000 + b"\n", ":10", ""),
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


@dataclass(frozen=True)
class Misfit:
    """Arguments with which files that can be read cannot be ranked; and how the line begins that says so."""

    name: str
    arguments: str
    status: int
    line: str
    table: bytes = GOOD
    """What ``t.csv`` holds."""
    mapping: bytes | None = None
    """What ``m.toml`` holds."""
    further: bytes | None = None
    """What ``u.csv`` holds."""

    @property
    def files(self) -> dict[str, bytes]:
        contents = {"t.csv": self.table, "m.toml": self.mapping, "u.csv": self.further}
        return {name: content for name, content in contents.items() if content is not None}


def _mapped(name: str, mapping: bytes, place: str, table: bytes = GOOD, status: int = 2) -> Misfit:
    """A mapping with which ``t.csv`` cannot be ranked."""
    return Misfit(name, "rank t.csv --mapping m.toml", status, place, table, mapping)


_INFINITE = b"a,y\n1,p\ninf,q\n2,p\n3,q\n"
_QUANTITY = "".join(["a,y\n", *(f"{i % 3},{i / 7}\n" for i in range(300))]).encode()
_BEHIND_A_TEXT = b'columns = { x = """\n# """, ' + b"a." * 40_000 + b"a = 1 }\n"
_DEEP_ARRAYS = b"drop = " + b"[" * 100_000 + b"]" * 100_000

MISFITS = (
    Misfit("unknown target", "rank t.csv --target Y", 2, "--target: "),
    Misfit("one class only", "rank t.csv", 1, "t.csv: ", b"a,y\nx,p\nz,p\n"),
    Misfit("a class with one row", "rank t.csv", 1, "t.csv: ", b"a,y\nx,p\nz,p\nx,q\n"),
    Misfit("no labelled rows", "rank t.csv", 1, "t.csv: ", b"a,y\nx,\nz,\n"),
    Misfit("regression target", "rank t.csv", 1, "t.csv: ", _QUANTITY),
    Misfit("target only", "rank t.csv", 1, "t.csv: ", b"y\np\nq\np\nq\n"),
    Misfit("unlabelled table lacking a column", "rank t.csv --unlabeled u.csv", 1, "u.csv: ", further=b"a\nx\n"),
    Misfit("nothing unlabelled", "rank t.csv --score unlabeled", 2, "--score unlabeled: "),
    Misfit("output equals input", "rank t.csv --output t.csv", 2, "--output: "),
    Misfit("output is a folder", "rank t.csv --output . --format csv", 1, ".: "),
    Misfit("output in no folder", "rank t.csv --output no/r.csv", 1, "no/r.csv: "),
    Misfit("output with too long a name", f"rank t.csv --output {'a' * 300}.csv", 1, "aaaa"),
    Misfit("full disk", "rank t.csv --output /dev/full", 1, "/dev/full: "),
    Misfit("unknown option", "rank t.csv --scor signed", 2, ""),
    Misfit("unknown score", "rank t.csv --score bad", 2, ""),
    Misfit("unknown encoding", "rank t.csv --encoding rot13", 2, "--encoding: "),
    Misfit("delimiter of two characters", "rank t.csv --delimiter ;;", 2, "--delimiter: "),
    Misfit("size that is none", "rank t.csv --max-unpacked lots", 2, ""),
    Misfit("spreadsheet guard for JSON", "rank t.csv --safe-csv --format json", 2, "--safe-csv: "),
    Misfit("standard input twice", "rank - --unlabeled -", 2, "standard input"),
    Misfit("too many folds", "rank t.csv --estimate cv --folds 9", 2, "--folds 9 "),
    Misfit("count that is no number", "rank t.csv --count a", 1, "t.csv:2: "),
    Misfit("exact without probabilities", "exact t.csv", 1, "t.csv: "),
    Misfit("missing mapping", "rank t.csv --mapping m.toml", 2, "m.toml: "),
    _mapped("text in a column mapped numeric", b'[columns]\na = "numeric"\n', "t.csv:2: ", status=1),
    _mapped("text in a column that is cut", b"[columns]\na = { cut = [1.5] }\n", "t.csv:2: ", status=1),
    _mapped("infinite value", b"[columns]\na = { quantiles = 2 }\n", "t.csv:3: ", _INFINITE, status=1),
    _mapped("TOML syntax", b'target = "y"\ndrop = [\n', "m.toml"),
    _mapped("mapping of an unknown column", b'[columns]\n"bb" = "category"\n', "m.toml:2: "),
    _mapped("mapping with an unknown key", b"colums = 1\n", "m.toml:1: "),
    _mapped("mapping with a hostile dotted key", b"a." * 40_000 + b"a = 1\n", "m.toml:1: "),
    _mapped("mapping of deep arrays", _DEEP_ARRAYS, "m.toml"),
    _mapped("huge mapping", b"#" * (5 << 20), "m.toml: "),
    _mapped("mapping with a dotted key behind a text of several lines", _BEHIND_A_TEXT, "m.toml:"),
    _mapped("mapping with a number of many digits", b"drop = [0x" + b"f" * 40_000 + b"]\n", "m.toml:1: "),
    _mapped("mapping with a long name", b'drop = ["' + b"x" * 3_000_000 + b'"]\n', "m.toml: "),
    _mapped("mapping with more than a list", b'[columns]\na = "in [1]\\n[foo]"\n', "m.toml:2: "),
    _mapped("mapping that is binary", b"\xff\xfe\0", "m.toml:1: "),
)
