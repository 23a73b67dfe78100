"""Where results go: files, written whole or not at all, and the standard streams, which are written to only here."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import typer

from probfs.errors import OutputError, ProbfsError, UsageError
from probfs.text import printable

if TYPE_CHECKING:
    from probfs.cli.options import Given
    from probfs.output.formats import OutputFormat, OutputFormats
    from probfs.output.writers import Presentation


class NoInputError(Exception):
    """Nothing was named to read, and only a person at a terminal is there: help is of more use than waiting."""


def take_files(given: Given, name: str = "data") -> list[str]:
    """The files to read, or else standard input."""
    named = list(given.pop(name, ("-",)))
    if named == ["-"] and sys.stdin is not None and sys.stdin.isatty():
        raise NoInputError
    return named


def tell(line: str) -> None:
    """A line on standard error, if anyone is there to read it."""
    if sys.stderr is not None:
        with contextlib.suppress(OSError):
            print(line, file=sys.stderr, flush=True)


def stdout_is_terminal() -> bool:
    return sys.stdout is not None and sys.stdout.isatty()


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
    """A place and a format, both known to be good before the work begins."""

    format: OutputFormat
    path: Path | None
    presentation: Presentation

    def write(self, document: Any) -> None:
        deliver(self.format.render(document, self.presentation), self.path)


def choose_destination(
    formats: OutputFormats, given: Given, inputs: Iterable[object] = (), format: str | None = None
) -> Destination:
    """Where a document goes, in the format asked for, or that of the file's ending, or what suits a terminal or pipe.

    The options that say so are taken out of ``given``.
    """
    from probfs.output.writers import Presentation

    path, safe_csv = given.pop("output", None), given.pop("safe_csv", False)
    check_output(path, inputs)
    on_terminal = path is None and stdout_is_terminal()
    chosen = formats.choose(given.pop("format", format), path, on_terminal)
    check_safe_csv(safe_csv, chosen.name)
    if chosen.is_binary and on_terminal:
        raise UsageError(f"--format {chosen.name}: a terminal cannot show it; name a file with --output")
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    width = shutil.get_terminal_size().columns if on_terminal else None
    return Destination(chosen, path, Presentation(width, on_terminal and not plain, safe_csv))


def choose_picture(formats: OutputFormats, given: Given, inputs: Iterable[object]) -> list[Destination]:
    """Where a picture beside the result goes, if one is wanted."""
    from probfs.output.writers import Presentation

    path = given.pop("plot", None)
    check_output(path, inputs, "--plot", given.get("output"))
    return [] if path is None else [Destination(formats.choose_picture(path), path, Presentation())]


def check_output(
    path: Path | None, inputs: Iterable[object] = (), option: str = "--output", result: Path | None = None
) -> None:
    """Refuse what cannot be written, an input, which would be lost if anything went wrong, and the result's place."""
    if path is None:
        return
    from probfs.runtime.output import check_writable

    check_writable(path)
    if path.is_file() and any(os.path.samefile(path, source) for name in inputs for source in _files_of(name)):
        raise UsageError(f"{option}: {printable(str(path))} is an input; name another file")
    if result is not None and os.path.realpath(path) == os.path.realpath(result):
        raise UsageError(f"{option}: {printable(str(path))} is where the result goes; name another file")


def _files_of(name: object) -> list[str | int]:
    """The files of this computer that an input is read from."""
    from probfs.tables.files import find_parts
    from probfs.tables.urls import as_local_path, is_url

    if str(name) == "-":
        # Standard input is file number 0, whatever it was redirected from.
        return [0]
    # Whoever reads it says what is wrong with it.
    with contextlib.suppress(ProbfsError):
        if name is not None and not is_url(as_local_path(str(name))):
            return [part.path for part in find_parts([str(name)]) if os.path.exists(part.path)]
    return []


def check_safe_csv(wanted: bool, chosen: str) -> None:
    """Only CSV has cells that a spreadsheet would evaluate."""
    if wanted and chosen not in ("csv", "tsv"):
        raise UsageError(f"--safe-csv: the result is {chosen}, not CSV; leave the option out, or add --format csv")
