"""Record what some 250 commands print and write, so that a change that should alter nothing can be shown to.

    python tests/record_commands.py before /path/to/old/bin/python
    python tests/record_commands.py after /path/to/new/bin/python
    python tests/record_commands.py compare before after

Each command is a process of its own (``PYTHON -m probfs …``; PYTHONPATH is passed on), one after the other, on inputs
that are the same each time. A folder is recorded for each: ``command``, ``status``, ``stdout``, ``stderr`` and
``files/``. Versions, durations and the folder's own path are masked; tables in binary formats are written out as text,
and of pictures only the size is kept, to a factor of two. Names after PYTHON record those commands alone, and those
whose results are read by others. The commands are listed in tests/recording/commands.py.
"""

from __future__ import annotations

import argparse
import gzip
import io
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.recording.commands import Command

PATIENCE = 120
"""Seconds after which a command is stopped and recorded as such."""
UNTIL_INTERRUPT = 4
"""Seconds after which a command that waits for input surely does."""
ENVIRONMENT = {"COLUMNS": "100", "LINES": "40", "NO_COLOR": "1", "TERM": "dumb", "LC_ALL": "C.UTF-8", "TZ": "UTC"}

MASKS = (
    (re.compile(r'("version": "|probfs[ /])\d+\.\d+(\.\w+)*'), r"\1<version>"),
    (re.compile(r"\b\d+(\.\d+)? ?(ms|s|seconds?|minutes?|min)\b"), "<time>"),
)


def record(folder: Path, python: str, names: Sequence[str]) -> None:
    from tests.recording.commands import all_commands
    from tests.recording.faulty_inputs import write_faulty_inputs
    from tests.recording.inputs import write_inputs

    folder.mkdir()
    with tempfile.TemporaryDirectory() as place:
        work = Path(place).resolve()
        for name in ("out", "made", "faulty"):
            (work / name).mkdir()
        write_inputs(work)
        write_faulty_inputs(work / "faulty")
        for command in all_commands():
            if names and command.name not in names and "made/" not in str(command.arguments[-1:]):
                continue
            start = time.perf_counter()
            status = record_command(command, python, work, folder / command.name)
            print(f"{command.name:20} {status} {time.perf_counter() - start:5.1f} s  {command.line}", flush=True)


def record_command(command: Command, python: str, work: Path, folder: Path) -> str:
    """Run a command and write down all that is seen of it; its exit status."""
    before = _contents(work)
    status, stdout, stderr = run([python, "-m", "probfs", *command.arguments], command, work)
    folder.mkdir()
    (folder / "command").write_text(command.line + "\n")
    (folder / "status").write_text(status + "\n")
    for name, text in readable("stdout", stdout):
        (folder / name).write_text(masked(text, work))
    (folder / "stderr").write_text(masked(stderr.decode(errors="backslashreplace"), work))
    for path, content in _contents(work).items():
        if before.get(path) == content:
            continue
        target = folder / "files" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        for name, text in readable(target.name, content):
            (target.parent / name).write_text(masked(text, work))
        if path not in before and path.parts[0] != "made":
            (work / path).unlink()
        elif path in before:
            (work / path).write_bytes(before[path])
    shutil.rmtree(work / "out")
    (work / "out").mkdir()
    return status


def _contents(work: Path) -> dict[Path, bytes]:
    """All that commands could have written or destroyed; the faulty inputs are too long to be looked at each time."""
    paths = (path for path in work.rglob("*") if path.is_file() and path.relative_to(work).parts[0] != "faulty")
    return {path.relative_to(work): path.read_bytes() for path in paths}


def run(words: Sequence[str], command: Command, work: Path) -> tuple[str, bytes, bytes]:
    """Exit status, standard output and standard error; a command that hangs is stopped."""
    environment = {**os.environ, **ENVIRONMENT}
    stdin = open(work / command.stdin, "rb") if command.stdin else subprocess.PIPE  # noqa: SIM115
    process = subprocess.Popen(
        words, stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=work, env=environment
    )
    try:
        if command.interrupted:
            time.sleep(UNTIL_INTERRUPT)
            process.send_signal(signal.SIGINT)
            process.wait(PATIENCE)
        stdout, stderr = process.communicate(timeout=PATIENCE)
        return str(process.returncode), stdout, stderr
    except subprocess.TimeoutExpired:
        process.kill()
        stdout, stderr = process.communicate()
        return f"stopped after {PATIENCE} s", stdout, stderr
    finally:
        if command.stdin:
            assert not isinstance(stdin, int)
            stdin.close()


def readable(name: str, content: bytes) -> Iterator[tuple[str, str]]:
    """A file's name and text; of a binary file, the table in it as text, or its kind and the size of it."""
    if content.startswith(b"\x1f\x8b"):
        content = gzip.decompress(content)
    if content.startswith((b"PAR1", b"ARROW1")):
        import pyarrow.feather as feather
        import pyarrow.parquet as parquet

        stream = io.BytesIO(content)
        table = parquet.read_table(stream) if content.startswith(b"PAR1") else feather.read_table(stream)
        rows = "".join(f"{row}\n" for row in table.to_pylist())
        yield f"{name}.txt", f"{table.schema.to_string(show_schema_metadata=False)}\n{rows}"
    elif content.startswith((b"\x89PNG", b"%PDF")):
        yield f"{name}.txt", f"a picture of about {1 << len(content).bit_length()} bytes\n"
    else:
        yield name, content.decode(errors="backslashreplace")


def masked(text: str, work: Path) -> str:
    text = text.replace(str(work), "<folder>")
    for pattern, replacement in MASKS:
        text = pattern.sub(replacement, text)
    return text


def main(arguments: list[str]) -> int:
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
    if arguments[:1] == ["compare"]:
        from tests.recording.compare_commands import compare

        before, after = map(Path, arguments[1:])
        return compare(before, after)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where the record goes; a new folder")
    parser.add_argument("python", help="the interpreter whose probfs is run")
    parser.add_argument("names", nargs="*", help="only these commands; default: all")
    chosen = parser.parse_args(arguments)
    record(chosen.folder, chosen.python, chosen.names)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
