"""Notes and progress on standard error, while a command works."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

from probfs.cli.streams import tell
from probfs.text import printable

if TYPE_CHECKING:
    from rich.progress import Progress

    from probfs.ranking.elimination import Round


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
        """Progress within the current experiment."""
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
