"""Where the result of a command goes: a file, written whole or not at all, or standard output."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

import typer

from probfs.cli.streams import print_bytes, stdout_is_terminal
from probfs.errors import ProbfsError, UsageError
from probfs.output.formats import OutputFormat, OutputFormats
from probfs.output.writers import Presentation
from probfs.text import printable

Document = TypeVar("Document")


@dataclass(frozen=True)
class Destination(Generic[Document]):
    """A place and a format, both known to be good before the work begins."""

    format: OutputFormat[Document]
    path: Path | None
    presentation: Presentation

    def write(self, document: Document) -> None:
        deliver(self.format.render(document, self.presentation), self.path)


def choose_destination(
    formats: OutputFormats[Document], name: str | None, path: Path | None, safe_csv: bool = False
) -> Destination[Document]:
    """The format asked for, or that of the file's ending, or what suits a terminal or a pipe."""
    on_terminal = path is None and stdout_is_terminal()
    chosen = formats.choose(name, path, on_terminal)
    check_safe_csv(safe_csv, chosen.name)
    if chosen.is_binary and on_terminal:
        raise UsageError(f"--format {chosen.name}: a terminal cannot show it; name a file with --output")
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    width = shutil.get_terminal_size().columns if on_terminal else None
    return Destination(chosen, path, Presentation(width, on_terminal and not plain, safe_csv))


def check_output(output: Path | None, *inputs: str | Path | None, option: str = "--output") -> None:
    """Refuse what cannot be written, and an input, which would be lost if anything went wrong and is seldom meant."""
    if output is None:
        return
    from probfs.runtime.output import check_writable

    check_writable(output)
    if not output.is_file():
        return
    for path in inputs:
        if path is not None and any(os.path.samefile(output, source) for source in _files_of(path)):
            raise UsageError(f"{option}: {printable(str(output))} is an input; name another file")


def _files_of(path: str | Path) -> list[str | int]:
    """The files of this computer that an input is read from."""
    if str(path) == "-":
        # Standard input is file number 0, whatever it was redirected from.
        return [0]
    from probfs.tables.files import find_parts
    from probfs.tables.urls import as_local_path, is_url

    if is_url(as_local_path(str(path))):
        return []
    try:
        files = [part.path for part in find_parts([path])]
    except ProbfsError:
        # Whoever reads it says so.
        return []
    return [file for file in files if os.path.exists(file)]


def check_apart(path: Path, output: Path | None, option: str) -> None:
    """Refuse a further file that is where the result goes."""
    if output is not None and os.path.realpath(path) == os.path.realpath(output):
        raise UsageError(f"{option}: {printable(str(path))} is where the result goes; name another file")


def check_safe_csv(wanted: bool, chosen: str) -> None:
    """Only CSV has cells that a spreadsheet would evaluate."""
    if wanted and chosen not in ("csv", "tsv"):
        raise UsageError(f"--safe-csv: the result is {chosen}, not CSV; leave the option out, or add --format csv")


def deliver(content: str | bytes, output: Path | None) -> None:
    """Write a result to a file, whole or not at all, or to standard output."""
    data = content.encode() if isinstance(content, str) else content
    if output is None:
        print_bytes(data)
        return
    from probfs.runtime.output import write_whole

    try:
        write_whole(output, data)
    except BrokenPipeError:
        # A named pipe, whose reader has had enough.
        raise typer.Exit from None
