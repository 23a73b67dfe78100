"""The only place that writes: results to standard output, everything else to standard error."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from probfs.errors import OutputError, UsageError
from probfs.text import printable

if TYPE_CHECKING:
    from rich.progress import Progress

    from probfs.ranking.elimination import Round


def require_data(data: str, context: typer.Context) -> None:
    """Show the help, and fail, when there is nothing to read but a person at a terminal."""
    if data == "-" and sys.stdin is not None and sys.stdin.isatty():
        tell(context.get_help())
        raise typer.Exit(2)


def check_output(output: Path | None, *inputs: str | Path | None) -> None:
    """Refuse what cannot be written, and an input, which would be lost if anything went wrong and is seldom meant."""
    if output is None:
        return
    from probfs.runtime.output import check_writable

    check_writable(output)
    for path in inputs:
        # Standard input is file number 0, whatever it was redirected from.
        source = 0 if str(path) == "-" else path
        if source is None or not output.is_file():
            continue
        if os.path.exists(source) and os.path.samefile(output, source):
            raise UsageError(f"--output: {printable(str(output))} is an input; name another file")


def check_safe_csv(wanted: bool, chosen: str) -> None:
    """Only CSV has cells that a spreadsheet would compute."""
    if wanted and chosen not in ("csv", "tsv"):
        raise UsageError(f"--safe-csv: the result is {chosen}, not CSV; leave the option out, or add --format csv")


def tell(line: str) -> None:
    """A line on standard error, if anyone is there to read it."""
    if sys.stderr is not None:
        with contextlib.suppress(OSError):
            print(line, file=sys.stderr, flush=True)


def silence_stdout() -> None:
    """Throw away what is still buffered, so that leaving does not fail over it again."""
    with contextlib.suppress(OSError, AttributeError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def deliver(content: str | bytes, output: Path | None) -> None:
    """Write a result to a file, whole or not at all, or to standard output."""
    data = content.encode() if isinstance(content, str) else content
    if output is None:
        _print_bytes(data)
        return
    from probfs.runtime.output import write_whole

    try:
        write_whole(output, data)
    except BrokenPipeError:
        # A named pipe, whose reader has had enough.
        raise typer.Exit from None


def _print_bytes(data: bytes) -> None:
    if sys.stdout is None:
        raise OutputError("standard output is closed")
    try:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        # Whoever read our output has had enough, as `head` has: that is no error.
        silence_stdout()
        raise typer.Exit from None
    except OSError as error:
        silence_stdout()
        raise OutputError(f"standard output cannot be written: {(error.strerror or str(error)).lower()}") from error


def stdout_is_terminal() -> bool:
    return sys.stdout is not None and sys.stdout.isatty()


def table_width(output: Path | None) -> int | None:
    """The terminal's width, or None where lines may be as long as they need."""
    return shutil.get_terminal_size().columns if output is None and stdout_is_terminal() else None


def wants_color(output: Path | None) -> bool:
    return (
        output is None and stdout_is_terminal() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    )


class Reporter:
    """Notes and progress on standard error."""

    def __init__(self, quiet: bool, bar: Progress | None, doing: str = "") -> None:
        self._quiet = quiet
        self._bar = bar
        self._task = None if bar is None else bar.add_task(doing, total=None)
        self._rounds = 0
        self._models = False

    def note(self, text: str) -> None:
        if self._quiet:
            return
        line = f"probfs: {printable(text)}"
        if self._bar is None:
            tell(line)
        else:
            self._bar.console.print(line, markup=False, highlight=False, soft_wrap=True)

    def model_done(self, done: int, total: int) -> None:
        """Progress by models, where each takes its time."""
        if self._bar is not None and self._task is not None:
            self._models = True
            doing = f"round {self._rounds + 1}, models fitted"
            self._bar.update(self._task, description=doing, total=total, completed=done)

    def step_done(self, name: str, done: int, total: int) -> None:
        """Progress by the parts of one thing after another."""
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, description=name, total=total, completed=done)

    def round_done(self, current: Round) -> None:
        self._rounds = current.number
        if self._bar is not None and self._task is not None and not self._models:
            remaining = len(current.active) - len(current.leaving)
            total = self._bar.tasks[0].total or len(current.active)
            self._bar.update(self._task, description="ranking", total=total, completed=total - remaining)


@contextlib.contextmanager
def reporting(quiet: bool, progress: bool | None, doing: str = "reading") -> Iterator[Reporter]:
    """A reporter whose progress bar, which begins with what is done first, is gone when the work is done."""
    terminal = sys.stderr is not None and sys.stderr.isatty()
    if quiet or not (terminal if progress is None else progress):
        yield Reporter(quiet, None)
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        yield Reporter(quiet, bar, doing)
