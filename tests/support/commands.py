"""Running `probfs` as its users do: as a process of its own, in a shell line, on a terminal."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path

from tests.support import ROOT, SAMPLES
from tests.support.schemas import validate_text

Run = Callable[..., "subprocess.CompletedProcess[str]"]
"""The fixtures `run` and `run_here`: arguments in, exit status and both streams out."""

PATIENCE = 600
"""Seconds after which a process is taken to hang: more than a busy machine ever needs."""
COMMUTE: tuple[Path, str, str] = (SAMPLES / "commute.csv", "--exclude", "person")
"""Arguments for a sample with unlabelled rows and an identifier."""


def run_process(
    *arguments: object, stdin: bytes | None = None, cwd: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Run `probfs` as a process of its own, in which a warning is an error; JSON that it writes follows its schema."""
    words = [str(argument) for argument in arguments]
    result = subprocess.run(
        [sys.executable, "-W", "error", "-m", "probfs", *words],
        input=b"" if stdin is None else stdin,
        capture_output=True,
        cwd=cwd,
        env={**os.environ, "COLUMNS": "100"},
        timeout=PATIENCE,
        check=False,
    )
    shown = result.stdout.decode()
    validate_text(shown)
    for option, value in pairwise(words):
        if option in ("--output", "-o") and value.endswith(".json") and result.returncode == 0:
            validate_text((cwd or Path()).joinpath(value).read_text())
    return subprocess.CompletedProcess(result.args, result.returncode, shown, result.stderr.decode())


def run_shell_line(line: str) -> subprocess.CompletedProcess[str]:
    """Run a line of bash, in which `probfs` stands for the command; the first failure in a pipe is its status."""
    line = line.replace("probfs ", f"{sys.executable} -m probfs ", 1)
    return subprocess.run(["bash", "-o", "pipefail", "-c", line], capture_output=True, text=True, check=False)


def run_in_terminal(*arguments: object, program: Sequence[str] = ("-m", "probfs")) -> str:
    """What the command, or another program of Python's, writes when all its streams are a terminal of 100 columns."""
    import pty  # which Windows lacks

    shown = b""
    child, terminal = pty.fork()
    if child == 0:
        os.environ.update(COLUMNS="100", TERM="xterm")
        os.execv(sys.executable, [sys.executable, *program, *map(str, arguments)])
    while True:
        try:
            piece = os.read(terminal, 4096)
        except OSError:
            break
        if not piece:
            break
        shown += piece
    os.waitpid(child, 0)
    os.close(terminal)
    return shown.decode().replace("\r\n", "\n")


def modules_imported_by(*arguments: object) -> set[str]:
    """The top-level modules that a command has imported by the time it ends."""
    program = (
        "import sys\nfrom probfs.cli import run\n"
        f"status = run({[str(argument) for argument in arguments]!r})\n"
        "print(*sorted({name.split('.')[0] for name in sys.modules}), file=sys.stderr)\nsys.exit(status)"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT)
    return set(result.stderr.splitlines()[-1].split())
