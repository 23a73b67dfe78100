"""What pages show of a terminal, run again: python docs/consoles.py writes the output of every command into its page.

A fenced block ``console`` holds commands, each after ``$ ``, and below each what it prints. The commands of a page run
one after the other in a new folder, where ``sample_data`` is at hand, as a reader would type them: standard output is a
terminal of 100 columns, so results are tables, and what goes to standard error comes first. Tests compare the pages.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
WIDTH = 100
_BLOCK = re.compile(r"(?<=```console\n)(.*?)(?=```)", re.DOTALL)


def commands(block: str) -> list[tuple[str, str]]:
    """The commands of a block, each with what it prints."""
    shown = re.split(r"^\$ (.*)\n", block, flags=re.MULTILINE)[1:]
    return list(zip(shown[::2], shown[1::2], strict=True))


def run_page(text: str) -> Iterator[tuple[str, str, str]]:
    """Each command of a page, what the page shows of it, and what it prints."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "sample_data").symlink_to(ROOT / "sample_data")
        for block in _BLOCK.findall(text):
            for command, shown in commands(block):
                yield command, shown, run_command(command, folder)


def run_command(command: str, folder: str) -> str:
    """What a shell shows: standard error, and then standard output as a terminal has it."""
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "COLUMNS": str(WIDTH),
        "NO_COLOR": "1",
        "TERM": "dumb",
        "LC_ALL": "C.UTF-8",
    }
    import pty  # which Windows lacks

    # Without a controlling terminal for standard error, there is no progress to see.
    terminal, end = pty.openpty()
    try:
        process = subprocess.Popen(
            ["bash", "-c", f'probfs() {{ "{sys.executable}" -m probfs "$@"; }}\n{command}'],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=end,
            stderr=subprocess.PIPE,
        )
        os.close(end)
        printed = b"".join(_chunks(terminal))
        assert process.stderr is not None
        noted = process.stderr.read()
        process.wait()
        process.stderr.close()
    finally:
        os.close(terminal)
    return "".join(f"{line.rstrip()}\n" for line in (noted + printed).decode().splitlines())


def _chunks(terminal: int) -> Iterator[bytes]:
    while True:
        try:
            chunk = os.read(terminal, 1 << 16)
        except OSError:  # how Linux says that the other end was closed
            return
        if not chunk:
            return
        yield chunk


def rewrite(text: str) -> str:
    """The page with what its commands print now."""
    printed = iter([(command, output) for command, _, output in run_page(text)])

    def block(found: re.Match[str]) -> str:
        return "".join(f"$ {command}\n{output}" for command, output in (next(printed) for _ in commands(found[1])))

    return _BLOCK.sub(block, text)


if __name__ == "__main__":
    chosen = {Path(name).resolve() for name in sys.argv[1:]}
    for page in PAGES:
        if "```console\n" in page.read_text() and (not chosen or page in chosen):
            page.write_text(rewrite(page.read_text()))
            sys.stdout.write(f"wrote {page.relative_to(ROOT)}\n")
