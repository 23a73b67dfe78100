"""Notes, warnings and progress on standard error, while a command works."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from probfs.cli.options import Given
from probfs.cli.output import tell
from probfs.notes import Note, NoteKind
from probfs.runtime.progress import COMPILING, Progress, listening
from probfs.text import printable, shown_bytes

if TYPE_CHECKING:
    from rich.progress import Progress as Bar


class Reporter:
    """Notes, warnings and progress on standard error."""

    def __init__(self, quiet: int, bar: Bar | None) -> None:
        """``quiet`` is how often quiet was asked for: once hides notes, twice hides warnings, too."""
        self._quiet = quiet
        self._bar = bar
        self._task = None if bar is None else bar.add_task("starting", total=None, amount="")
        self._shown = Progress("starting")
        self._announced = False

    def note(self, note: Note) -> None:
        if self._quiet >= (2 if note.is_warning else 1):
            return
        line = f"probfs: {'warning: ' if note.is_warning else ''}{printable(note)}"
        if self._bar is None:
            tell(line)
        else:
            self._bar.console.print(line, markup=False, highlight=False, soft_wrap=True)

    def hear(self, progress: Progress) -> None:
        """Show what is being done, and say what will not have to be done again."""
        self.announce_compiling(progress)
        # A round has many models, each of which takes its time: they show better than columns how far it has come.
        if (self._shown.stage, self._shown.unit, progress.unit) != (progress.stage, "models", "columns"):
            self.show(progress)

    def announce_compiling(self, progress: Progress) -> None:
        """Say once, and without a bar too, why nothing else seems to happen."""
        if progress.stage == COMPILING and not self._announced:
            self._announced = True
            self.note(NoteKind.COMPILING.note("compiling loops for this machine, once (a few seconds)"))

    def show(self, progress: Progress) -> None:
        if self._bar is None or self._task is None:
            return
        amounts: Any = {"total": progress.total, "completed": progress.done, "amount": shown_amount(progress)}
        if (progress.stage, progress.unit) == (self._shown.stage, self._shown.unit):
            self._bar.update(self._task, **amounts)
        else:
            # A new task, so that the time that is left is not estimated from how fast another stage went.
            self._bar.remove_task(self._task)
            self._task = self._bar.add_task(progress.stage, **amounts)
        self._shown = progress


def shown_amount(progress: Progress) -> str:
    """How much is done of how much.

    >>> shown_amount(Progress("reading", 12_900_000, 47_800_000, "bytes"))
    '12.3 MB/45.6 MB'
    >>> shown_amount(Progress("ranking", 3, 1200, "columns")), shown_amount(Progress("compiling loops"))
    ('3/1,200 columns', '')
    """
    amounts = [progress.done] if progress.total is None else [progress.done, progress.total]
    if not any(amounts):
        return ""
    if progress.unit == "bytes":
        return "/".join(map(shown_bytes, amounts))
    return f"{'/'.join(f'{amount:,}' for amount in amounts)} {progress.unit}".rstrip()


@contextlib.contextmanager
def reporting(given: Given, progress: bool | None = None) -> Iterator[Reporter]:
    """A reporter that hears of all progress made meanwhile; its bar, if it has one, is gone when the work is done.

    The options that say how much is told are taken out of ``given``.
    """
    quiet, progress = given.pop("quiet", 0), given.pop("progress", progress)
    terminal = sys.stderr is not None and sys.stderr.isatty()
    is_shown = not quiet and (terminal if progress is None else progress)
    with _make_bar() if is_shown else contextlib.nullcontext() as bar:
        reporter = Reporter(quiet, bar)
        with listening(reporter.hear):
            yield reporter


def _make_bar() -> Bar:
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    doing, amount = (TextColumn(f"{{task.{text}}}", markup=False) for text in ("description", "fields[amount]"))
    return Bar(doing, BarColumn(), amount, TimeRemainingColumn(), console=Console(stderr=True), transient=True)
