"""The command line: the application, and the one place where an error becomes a line and an exit status."""

from __future__ import annotations

import os
import signal
import sys
from typing import Annotated, NoReturn

import typer

from probfs import __version__
from probfs.cli.inspect import EXAMPLES as INSPECT_EXAMPLES
from probfs.cli.inspect import inspect
from probfs.cli.map import EXAMPLES as MAP_EXAMPLES
from probfs.cli.map import map_
from probfs.cli.rank import EXAMPLES as RANK_EXAMPLES
from probfs.cli.rank import rank
from probfs.cli.suggest import EXAMPLES as SUGGEST_EXAMPLES
from probfs.cli.suggest import suggest
from probfs.errors import ProbfsError

INTERRUPTED = 130

app = typer.Typer(
    name="probfs",
    no_args_is_help=True,
    # Help is plain text: markup would swallow every [bracketed] word.
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("rank", epilog=RANK_EXAMPLES)(rank)
app.command("map", epilog=MAP_EXAMPLES)(map_)
app.command("suggest", epilog=SUGGEST_EXAMPLES)(suggest)
app.command("inspect", epilog=INSPECT_EXAMPLES)(inspect)


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"probfs {__version__}")
        raise typer.Exit


@app.callback()
def probfs(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Which columns of a table matter: ranks features by what a classifier's probabilities lose without them."""


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run a command and leave with its exit status."""
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    sys.exit(run(arguments))


def run(arguments: list[str] | None = None) -> int:
    """Run a command; a user's mistake is one line on standard error."""
    try:
        # Without standalone mode an Exit comes back as its status, Ctrl-C as 130, and errors are raised.
        status = app(args=arguments, prog_name="probfs", standalone_mode=False)
        sys.stdout.flush()
        if status == INTERRUPTED:
            print("probfs: interrupted", file=sys.stderr)
        return status if isinstance(status, int) else 0
    except ProbfsError as error:
        return _complain(str(error), error.exit_status)
    except typer.TyperException as error:
        return _complain(_usage_message(error), getattr(error, "exit_code", 1))
    except KeyboardInterrupt:
        print("probfs: interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read our output has had enough, as `head` has: that is not an error. Nothing more can be flushed.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except MemoryError:
        return _complain("out of memory: rank fewer columns (--include), or merge equal rows (--count)", 1)


def _usage_message(error: typer.TyperException) -> str:
    message = error.format_message() if hasattr(error, "format_message") else str(error)
    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else "probfs"
    return f"{message.rstrip('.')}; see '{command} --help'"


def _complain(message: str, status: int) -> int:
    print(f"probfs: error: {message}", file=sys.stderr)
    return status
