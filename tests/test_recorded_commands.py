"""Commands give what they gave: their exit status, both streams and the files they write, as `recorded/expected/` has
them. `PROBFS_SNAPSHOTS=write python -m pytest tests/test_recorded_commands.py` writes it anew, to be read in the diff.
"""

from __future__ import annotations

import gzip
import io
import json
import os
import re
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.feather as feather
import pyarrow.parquet as parquet
import pytest

from probfs.cli import run
from probfs.cli.streams import Reporter
from probfs.notes import Note
from probfs.text import printable
from tests.recorded.inputs import write_inputs
from tests.support import ROOT

RECORDED = ROOT / "tests" / "recorded"
MASKS = (
    (re.compile(r'("version": "|probfs[ /])\d+\.\d+(\.\w+)*'), r"\1<version>"),
    (re.compile(r"\b\d+(\.\d+)? ?(ms|s|seconds?|minutes?|min)\b"), "<time>"),
    # Versions of rich pad cells differently.
    (re.compile(r" {3,}"), "  "),
    (re.compile(r"─{3,}"), "───"),
)
FRACTION = re.compile(r"(-?\d+\.\d+(?:e[-+]?\d+)?|-?\d+e-\d+)")
WORD = re.compile(r"[a-zA-Z]\w+")


def read_commands() -> dict[str, str]:
    """The command line of each name; the name begins with ~ if only the words of the output are compared."""
    text = (RECORDED / "commands.txt").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    commands = {name.strip(): line.strip() for name, _, line in (line.partition(":") for line in lines)}
    assert len(commands) == len(lines), "a name is used twice"
    return commands


COMMANDS = read_commands()


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder in which commands run, with all inputs."""
    folder = tmp_path_factory.mktemp("recorded")
    write_inputs(folder)
    (folder / "out").mkdir()
    return folder


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_gives_what_it_gave(
    name: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    for variable, value in {"COLUMNS": "120", "LINES": "40", "NO_COLOR": "1", "TERM": "dumb"}.items():
        monkeypatch.setenv(variable, value)
    monkeypatch.chdir(folder)
    line, _, stdin = COMMANDS[name].partition(" < ")
    stream = (folder / stdin).open("rb") if stdin else io.BytesIO()
    heard: list[Note] = []
    show = Reporter.note

    def hear(reporter: Reporter, note: Note) -> None:
        heard.append(note)
        show(reporter, note)

    monkeypatch.setattr(Reporter, "note", hear)
    before = files_in(folder)
    with io.TextIOWrapper(stream) as text:
        monkeypatch.setattr(sys, "stdin", text)
        status = run(shlex.split(line))
    shown = capsysbinary.readouterr()
    parts = [("stdout", shown.out), ("stderr", shown.err)]
    for path in sorted(files_in(folder) - before):
        parts.append((path[0], (folder / path[0]).read_bytes()))
        (folder / path[0]).unlink()
    notes = "; ".join(" ".join([note.code, *note.columns]) for note in heard)
    told = f"$ probfs {COMMANDS[name]}\nstatus {status}\nnotes {printable(notes)}".rstrip() + "\n"
    for part, content in parts:
        if content:
            told += f"--- {part}\n{readable(content)}".rstrip("\n") + "\n"
    told = masked(told.replace(str(folder), "<folder>"))
    if name.startswith("~"):
        told = outline(told)
    recorded = RECORDED / "expected" / f"{name.removeprefix('~')}.txt"
    if os.environ.get("PROBFS_SNAPSHOTS") == "write":
        recorded.write_text(told, encoding="utf-8")
    expected = recorded.read_text(encoding="utf-8")
    if not nearly_same(told, expected):
        assert told == expected


def test_nothing_is_recorded_of_commands_that_are_gone() -> None:
    names = {name.removeprefix("~") for name in COMMANDS}
    assert {path.stem for path in (RECORDED / "expected").iterdir()} == names


def files_in(folder: Path) -> set[tuple[str, int, int]]:
    """The files, with what changes when they are written."""
    paths = (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    return {(str(path.relative_to(folder)), path.stat().st_mtime_ns, path.stat().st_size) for path in paths}


def readable(content: bytes) -> str:
    """A file as text: the rows of binary tables, only the beginning of pictures and pages, documents row by row."""
    if content.startswith(b"\x1f\x8b"):
        content = gzip.decompress(content)
    if content.startswith((b"PAR1", b"ARROW1")):
        read = parquet.read_table if content.startswith(b"PAR1") else feather.read_table
        table = read(io.BytesIO(content))
        return f"{table.schema.to_string(show_schema_metadata=False)}\n" + "".join(
            f"{row}\n" for row in table.to_pylist()
        )
    if content.lower().startswith((b"\x89png", b"%pdf", b"<?xml", b"<!doctype html")):
        return f"begins with {content[:5]!r}"
    text = content.decode(errors="backslashreplace").replace("\r", "\\r")
    if text.startswith('{\n  "schema"'):
        return "\n".join(document_lines(json.loads(text)))
    return text


def document_lines(document: dict[str, Any]) -> Iterator[str]:
    """A line for each key of a document, and for each row of a list; keys without a value are left out."""
    for key, value in without_nulls(document).items():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            yield f'"{key}":'
            yield from (f"  {json.dumps(row, ensure_ascii=False)}" for row in value)
        else:
            yield f'"{key}": {json.dumps(value, ensure_ascii=False)}'


def without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: without_nulls(content) for key, content in value.items() if content is not None}
    return [without_nulls(content) for content in value] if isinstance(value, list) else value


def masked(text: str) -> str:
    """Without what differs each time, and with ten digits of numbers."""
    for pattern, replacement in MASKS:
        text = pattern.sub(replacement, text)
    return FRACTION.sub(lambda found: found[0] if len(found[0]) < 12 else f"{float(found[0]):.10g}", text)


def outline(text: str) -> str:
    """The words of an output: what is left where a library of another version fits another model."""
    head, _, shown = text.partition("--- stdout")
    output, _, errors = shown.partition("--- stderr")
    return f"{head}--- words of stdout\n{' '.join(sorted(set(WORD.findall(output))))}\n--- stderr{errors}"


def nearly_same(text: str, expected: str) -> bool:
    """Whether texts differ at most in the last digits of numbers."""
    parts, others = FRACTION.split(text), FRACTION.split(expected)
    numbers, other_numbers = list(map(float, parts[1::2])), list(map(float, others[1::2]))
    return parts[::2] == others[::2] and numbers == pytest.approx(other_numbers, rel=1e-8, abs=1e-14)
