"""The only place that writes: results to standard output, everything else to standard error."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from probfs.errors import UsageError
from probfs.text import printable

if TYPE_CHECKING:
    from rich.progress import Progress

    from probfs.elimination import Round


def require_data(data: str, context: typer.Context) -> None:
    """Show the help, and fail, when there is nothing to read but a person at a terminal."""
    if data == "-" and sys.stdin.isatty():
        print(context.get_help(), file=sys.stderr)
        raise typer.Exit(2)


def refuse_overwriting(output: Path | None, *inputs: str | Path | None) -> None:
    """An output that is also an input would be lost if anything went wrong, and is seldom meant."""
    for path in inputs:
        if output is None or path is None or str(path) == "-":
            continue
        if output.is_file() and os.path.exists(path) and os.path.samefile(output, path):
            raise UsageError(f"--output: {printable(str(output))} is an input; name another file")


def deliver(content: str | bytes, output: Path | None) -> None:
    """Write a result to a file, whole or not at all, or to standard output."""
    data = content.encode() if isinstance(content, str) else content
    if output is None:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return
    from probfs.output import write_whole

    write_whole(output, data)


def stdout_is_terminal() -> bool:
    return sys.stdout.isatty()


def table_width(output: Path | None) -> int | None:
    """The terminal's width, or None where lines may be as long as they need."""
    return shutil.get_terminal_size().columns if output is None and sys.stdout.isatty() else None


def wants_color(output: Path | None) -> bool:
    return (
        output is None and sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    )


class Reporter:
    """Notes and progress on standard error."""

    def __init__(self, quiet: bool, bar: Progress | None) -> None:
        self._quiet = quiet
        self._bar = bar
        self._task = None if bar is None else bar.add_task("reading", total=None)

    def note(self, text: str) -> None:
        if self._quiet:
            return
        line = f"probfs: {printable(text)}"
        if self._bar is None:
            print(line, file=sys.stderr)
        else:
            self._bar.console.print(line, markup=False, highlight=False, soft_wrap=True)

    def round_done(self, current: Round) -> None:
        if self._bar is not None and self._task is not None:
            remaining = len(current.active) - len(current.leaving)
            total = self._bar.tasks[0].total or len(current.active)
            self._bar.update(self._task, description="ranking", total=total, completed=total - remaining)


@contextmanager
def reporting(quiet: bool, progress: bool | None) -> Iterator[Reporter]:
    """A reporter whose progress bar is gone when the work is done."""
    if not (sys.stderr.isatty() if progress is None else progress) or quiet:
        yield Reporter(quiet, None)
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        yield Reporter(quiet, bar)
