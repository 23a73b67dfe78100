"""The standard streams, which are written to only here, and files: where results, notes and progress go."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import typer

from probfs.errors import OutputError, ProbfsError, UsageError
from probfs.notes import Note, NoteKind
from probfs.output.formats import BINARY_FORMATS, choose_format, choose_picture, render
from probfs.runtime.progress import COMPILING, Progress, listening
from probfs.text import option, printable, shown_bytes

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

    from probfs.cli.options import Given
    from probfs.output.writers import Presentation


class NoInputError(Exception):
    """No input is named, and standard input is a terminal: help is of more use than waiting."""


def take_files(given: Given, name: str = "data") -> list[str]:
    """The files to read, or else standard input."""
    named = list(given.pop(name, ("-",)))
    if named == ["-"] and sys.stdin is not None and sys.stdin.isatty():
        raise NoInputError
    return named


def stdout_is_terminal() -> bool:
    return sys.stdout is not None and sys.stdout.isatty()


# --- results ---


def silence_stdout() -> None:
    """Throw away what is still buffered, so that leaving does not fail over it again."""
    with contextlib.suppress(OSError, AttributeError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def deliver(content: str | bytes, output: Path | None = None) -> None:
    """Write a result to a file, whole or not at all, or to standard output."""
    data = content.encode() if isinstance(content, str) else content
    try:
        if output is not None:
            from probfs.runtime.output import write_whole

            write_whole(output, data)
        elif sys.stdout is None:
            raise OutputError("standard output is closed")
        else:
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()
    except BrokenPipeError:
        # Whoever reads our output, or a named pipe, has had enough, as `head` has: that is no error.
        silence_stdout()
        raise typer.Exit from None


class Destination(NamedTuple):
    """Where a result and perhaps its picture go, and in which formats; checked before the work begins."""

    format: str
    path: Path | None
    presentation: Presentation
    picture: tuple[str, Path] | None

    def write(self, result: Any) -> None:
        # The picture first: whoever reads standard output may leave early.
        self.draw(result)
        deliver(render(result, self.format, self.presentation), self.path)

    def draw(self, result: Any) -> None:
        if self.picture is not None:
            drawn, place = self.picture
            deliver(render(result, drawn, self.presentation), place)


def choose_destination(formats: tuple[str, ...], given: Given, format: str | None = None) -> Destination:
    """Where a document goes, in the format asked for, or that of the file's ending, or what suits a terminal or pipe.

    The options that say so are taken out of ``given``.
    """
    from probfs.output.writers import Presentation

    path, safe_csv, plot = given.pop("output", None), given.pop("safe_csv", False), given.pop("plot", None)
    on_terminal = path is None and stdout_is_terminal()
    chosen = choose_format(formats, given.pop("format", format), path, on_terminal)
    check_safe_csv(safe_csv, chosen)
    if chosen in BINARY_FORMATS and on_terminal:
        raise UsageError(f"--format {chosen}: a terminal cannot show it; name a file with --output")
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    width = shutil.get_terminal_size().columns if on_terminal else None
    picture = None if plot is None else (choose_picture(plot), plot)
    return Destination(chosen, path, Presentation(width, on_terminal and not plain, safe_csv), picture)


def check_outputs(outputs: Mapping[str, Path], inputs: Iterable[object]) -> None:
    """Refuse outputs that cannot be written, that are inputs, or that are the same file."""
    from probfs.runtime.output import check_writable

    places: set[str] = set()
    for name, path in sorted(outputs.items(), key=lambda item: item[0] != "output"):
        shown = f"{option(name)}: {printable(str(path))} is"
        if str(path) == "-":
            raise UsageError(f"{shown} standard output, where the result goes; name a file")
        check_writable(path)
        if path.is_file() and any(os.path.samefile(path, source) for each in inputs for source in _files_of(each)):
            raise UsageError(f"{shown} an input; name another file")
        if os.path.realpath(path) in places:
            raise UsageError(f"{shown} where the result goes; name another file")
        places.add(os.path.realpath(path))


def _files_of(name: object) -> list[str | int]:
    """The files of this computer that an input is read from."""
    from probfs.tables.files import find_parts
    from probfs.tables.urls import as_local_path, is_url

    if str(name) == "-":
        # Standard input is file number 0, whatever it was redirected from.
        return [0]
    # Readers report what is wrong with an input.
    with contextlib.suppress(ProbfsError):
        if not is_url(as_local_path(str(name))):
            return [part.path for part in find_parts([str(name)]) if os.path.exists(part.path)]
    return []


def check_safe_csv(wanted: bool, chosen: str) -> None:
    """Only CSV has cells that a spreadsheet would evaluate."""
    if wanted and chosen not in ("csv", "tsv"):
        raise UsageError(f"--safe-csv: the result is {chosen}, not CSV; leave the option out, or add --format csv")


# --- notes and progress ---


def tell(line: str) -> None:
    """A line on standard error, if anyone is there to read it."""
    if sys.stderr is not None:
        with contextlib.suppress(OSError):
            print(line, file=sys.stderr, flush=True)


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
        numbers = [progress.done] if progress.total is None else [progress.done, progress.total]
        amount = f"{'/'.join(f'{number:,}' for number in numbers)} {progress.unit}".rstrip()
        if progress.unit == "bytes":
            amount = "/".join(map(shown_bytes, numbers))
        amounts: Any = {"total": progress.total, "completed": progress.done, "amount": amount if any(numbers) else ""}
        if (progress.stage, progress.unit) == (self._shown.stage, self._shown.unit):
            self._bar.update(self._task, **amounts)
        else:
            # A new task, so that the time that is left is not estimated from how fast another stage went.
            self._bar.remove_task(self._task)
            self._task = self._bar.add_task(progress.stage, **amounts)
        self._shown = progress


@contextlib.contextmanager
def reporting(given: Given, progress: bool | None = None) -> Iterator[Reporter]:
    """A reporter that hears of all progress made meanwhile; its bar, if it has one, is gone when the work is done.

    The options that say how much is told are taken out of ``given``.
    """
    quiet, progress = given.pop("quiet", 0), given.pop("progress", progress)
    bar: Any = contextlib.nullcontext()
    if not quiet and (sys.stderr is not None and sys.stderr.isatty() if progress is None else progress):
        from rich.console import Console
        from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as Bar

        doing, amount = (TextColumn(f"{{task.{text}}}", markup=False) for text in ("description", "fields[amount]"))
        console = Console(stderr=True)
        bar = Bar(doing, BarColumn(), amount, TimeRemainingColumn(), console=console, transient=True)
    with bar as shown:
        reporter = Reporter(quiet, shown)
        with listening(reporter.hear):
            yield reporter
