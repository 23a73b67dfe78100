"""Standard input, output and error: the only place that writes to them."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Sequence

import typer

from probfs.errors import OutputError


def require_data(data: Sequence[str] | None, context: typer.Context) -> list[str]:
    """The files to read, or else standard input; show the help, and fail, when only a person at a terminal is there."""
    named = list(data or ("-",))
    if named == ["-"] and sys.stdin is not None and sys.stdin.isatty():
        tell(context.get_help())
        raise typer.Exit(2)
    return named


def tell(line: str) -> None:
    """A line on standard error, if anyone is there to read it."""
    if sys.stderr is not None:
        with contextlib.suppress(OSError):
            print(line, file=sys.stderr, flush=True)


def silence_stdout() -> None:
    """Throw away what is still buffered, so that leaving does not fail over it again."""
    with contextlib.suppress(OSError, AttributeError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def print_bytes(data: bytes) -> None:
    """Write to standard output; whoever reads it may leave early."""
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
