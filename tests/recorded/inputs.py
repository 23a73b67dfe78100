"""What recorded commands read: the texts of `inputs/`, and the same people in other formats, encodings and files."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import json
import lzma
import random
import shutil
import zipfile
from pathlib import Path

import pyarrow as pa

from tests.support import ROOT, SAMPLES
from tests.support.tables import Cell, feather_bytes, parquet_bytes, workbook_bytes

INPUTS = ROOT / "tests" / "recorded" / "inputs"
TYPES = {"age": pa.int64(), "income": pa.float64(), "dose": pa.int8(), "joined": pa.date32()}
Rows = list[list[str]]


def write_inputs(folder: Path) -> None:
    """Everything that commands read, into a folder where they run."""
    shutil.copytree(INPUTS, folder, dirs_exist_ok=True)
    (folder / "sample_data").symlink_to(SAMPLES)
    (folder / "faulty" / "empty_folder").mkdir()
    text = (INPUTS / "people.csv").read_text(encoding="utf-8")
    rows = list(csv.reader(io.StringIO(text)))
    files = {**other_formats(text, rows), **dialects(text, rows), **many_files(rows), **faulty(text)}
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def other_formats(text: str, rows: Rows) -> dict[str, bytes]:
    names, *cells = rows
    columns = dict(zip(names, map(list, zip(*cells, strict=True)), strict=True))
    typed = pa.table(
        {
            name: pa.array([cell or None for cell in column]).cast(TYPES.get(name, pa.string()))
            for name, column in columns.items()
        }
    )
    lines = "".join(json.dumps(row, default=str) + "\n" for row in typed.to_pylist())
    small = [["a", "y"], *(f"{n % 3}{'pq'[n % 2]}" for n in range(12))]
    people, other = ([[_workbook_cell(cell) for cell in row] for row in sheet] for sheet in (rows, small))
    return {
        "people.csv.gz": gzip.compress(text.encode(), mtime=0),
        "people.csv.bz2": bz2.compress(text.encode()),
        "people.csv.xz": lzma.compress(text.encode()),
        "gzip_by_content.csv": gzip.compress(text.encode(), mtime=0),
        "people.parquet": parquet_bytes(typed),
        "people.feather": feather_bytes(typed),
        "people.jsonl": lines.encode(),
        "people.xlsx": workbook_bytes(people, other),
    }


def _workbook_cell(cell: str) -> Cell:
    number = cell.replace(".", "", 1).isdigit() and not cell.startswith("0")
    return float(cell) if number else cell or None


def dialects(text: str, rows: Rows) -> dict[str, bytes]:
    """How people's files are written: delimiters, decimals, encodings, line ends, titles, row numbers."""
    income = rows[0].index("income")
    commas = [[cell.replace(".", ",") if n == income else cell for n, cell in enumerate(row)] for row in rows]
    numbered = [["" if n == 0 else str(n), *row] for n, row in enumerate(rows)]
    return {
        "people.tsv": delimited(rows, "\t"),
        "semicolons.csv": delimited(rows, ";"),
        "pipes.txt": delimited(rows, "|"),
        "odd_delimiter.csv": delimited(rows, "^"),
        "decimal_commas.csv": delimited(commas, ";"),
        "latin1.csv": text.encode("latin-1"),
        "utf16.csv": text.encode("utf-16"),
        "bom_crlf.csv": b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode(),
        "title.csv": b"Survey of 2024\n\n" + text.encode(),
        "sep.csv": b"sep=;\n" + delimited(rows, ";"),
        "row_numbers.csv": delimited(numbered),
        "no_header.csv": delimited(rows[1:]),
    }


def many_files(rows: Rows) -> dict[str, bytes]:
    """Parts in a folder, in folders whose names are columns, and parts that lack a column."""
    names, *cells = rows
    files = {}
    for number in range(3):
        part = [names, *cells[40 * number : 40 * number + 40]]
        missing = names.index(("age", "zip", "joined")[number])
        files[f"parts/part-{number}.csv"] = delimited(part)
        files[f"hive/year={2024 + number % 2}/{number}.csv"] = delimited(part)
        files[f"lacking/{number}.csv"] = delimited([row[:missing] + row[missing + 1 :] for row in part])
    return files


def faulty(text: str) -> dict[str, bytes]:
    """Files that must be refused in one line."""
    packed = gzip.compress(text.encode(), mtime=0)
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as members:
        members.writestr("a.csv", "a,y\n1,p\n")
        members.writestr("b.csv", "a,y\n1,p\n")
    nested = pa.table({"a": [[1], [2, 3]] * 10, "s": [{"x": 1}] * 20, "y": ["p", "q"] * 10})
    return {
        "faulty/truncated.csv.gz": packed[: len(packed) // 2],
        "faulty/not_utf8.csv": text.encode("latin-1"),
        "faulty/nul.csv": text.encode().replace(b"Oslo", b"Os\x00lo", 1),
        "faulty/random.bin": random.Random(6).randbytes(500),
        "faulty/two_members.zip": archive.getvalue(),
        "faulty/nested.parquet": parquet_bytes(nested),
    }


def delimited(rows: Rows, delimiter: str = ",") -> bytes:
    sink = io.StringIO()
    csv.writer(sink, delimiter=delimiter, lineterminator="\n").writerows(rows)
    return sink.getvalue().encode()
