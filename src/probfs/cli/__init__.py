"""The command line: the application, and the one place where an error becomes a line and an exit status."""

from __future__ import annotations

import atexit
import contextlib
import os
import signal
import sys
from collections.abc import Collection, Mapping
from functools import partial
from importlib import import_module
from typing import Annotated, NoReturn

import typer

from probfs import __version__
from probfs.cli.streams import silence_stdout, tell
from probfs.errors import ProbfsError
from probfs.text import command_line_language

INTERRUPTED = 130
COMMANDS: Mapping[str, str] = {
    "rank": "Rank the columns of a table by what the class probabilities lose without them.",
    "select": "Say which columns to keep, which only repeat those and which cannot be told from noise.",
    "compare": "Say what changed from one ranking or selection to another: what rose, fell, appeared and vanished.",
    "map": "Apply a mapping and write the mapped table, for other tools.",
    "suggest": "Write a draft mapping for a table: identifiers dropped, long numeric columns cut, rare values grouped.",
    "inspect": "Say what each column holds and what rank would do with it, and how the classes are balanced.",
    "exact": "Compute the scores of a distribution that is fully known, which rank estimates from rows.",
    "generate": "Draw one of the paper's random tables, in which it is known what matters.",
    "reproduce": "Regenerate the paper's tables, figures and numbers, and say which of its claims hold.",
}
"""What each command does. It is a function of the module of its name, which is imported when its options are needed."""


def build_app(loaded: Collection[str] = tuple(COMMANDS)) -> typer.Typer:
    """The application, with an option for whatever is registered by now; only ``loaded`` commands have any options."""
    app = typer.Typer(
        name="probfs",
        # Help is plain text: markup would swallow every [bracketed] word.
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        # Typer's scripts let a shell evaluate names that come from files.
        add_completion=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(probfs)
    for name, summary in COMMANDS.items():
        if name not in loaded:
            app.command(name, help=summary)(_without_options)
            continue
        from probfs.cli.bundles import flatten

        module = import_module(f"probfs.cli.{name}")
        # A function may not be called map, as Python's own is.
        command = getattr(module, "map_" if name == "map" else name)
        app.command(name, help=summary, epilog=module.EXAMPLES)(flatten(command))
    return app


def _without_options() -> None:
    """Stands for a command that is only to be listed."""
    raise AssertionError("a command was run that had not been loaded")


def _needed_commands(words: list[str]) -> Collection[str]:
    """The command that is asked for; help lists all without their options."""
    return [word for word in words if word in COMMANDS][:1]


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"probfs {__version__}")
        raise typer.Exit


def _install_completion(wanted: bool) -> None:
    if wanted:
        from probfs.cli.shells import install, running_shell

        print(install(running_shell()))
        raise typer.Exit


def _show_completion(wanted: bool) -> None:
    if wanted:
        from probfs.cli.shells import SCRIPTS, running_shell

        print(SCRIPTS[running_shell()], end="")
        raise typer.Exit


def probfs(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
    install_completion: Annotated[
        bool,
        typer.Option(
            "--install-completion",
            callback=_install_completion,
            is_eager=True,
            help="Install completion for the current shell: bash, zsh or fish.",
        ),
    ] = False,
    show_completion: Annotated[
        bool,
        typer.Option(
            "--show-completion",
            callback=_show_completion,
            is_eager=True,
            help="Show completion for the current shell, to copy it or customize the installation.",
        ),
    ] = False,
) -> None:
    """Which columns of a table matter: ranks features by what a classifier's probabilities lose without them."""


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run a command and leave with its exit status."""
    # What is ignored stays so: a shell ignores Ctrl-C for what it runs in the background.
    if signal.getsignal(signal.SIGINT) != signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if signal.getsignal(signal.SIGTERM) != signal.SIG_IGN:
        signal.signal(signal.SIGTERM, _end)
    _leave(run(arguments))


def _end(number: int, frame: object) -> None:
    """End by a signal, without an exception: raised in the middle of an import, one may be lost and its lock kept."""
    if "joblib" in sys.modules:
        _exit_after_joblib(128 + number)
    if "probfs.runtime.output" in sys.modules:
        # If it has been imported; an import here might wait for the one that was interrupted.
        sys.modules["probfs.runtime.output"].remove_unfinished()
    os._exit(128 + number)


def _leave(status: int) -> NoReturn:
    """End at once: to take apart, module by module, what was imported takes a third of a second after a large table."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            stream.flush()
    if "joblib" in sys.modules:
        _exit_after_joblib(status)
    os._exit(status)


_exit_statuses: list[int] = []


def _exit_after_joblib(status: int) -> NoReturn:
    """End once joblib has told its processes, and removed its files, as it does when Python ends."""
    _exit_statuses.append(status)
    sys.exit(status)


# What is registered first is called last: when this module is imported, joblib and multiprocessing have not been yet.
@atexit.register
def _exit_at_last() -> None:
    """End before Python takes itself apart, with fits perhaps still running in threads.

    After an interrupt in code that was given to ``exec`` as a text, as there is in imports, Python would also end by
    the signal instead of with the status, even though the interrupt was caught.
    """
    if _exit_statuses:
        os._exit(_exit_statuses[-1])


def run(arguments: list[str] | None = None) -> int:
    """Run a command; a user's mistake is one line on standard error."""
    words = sys.argv[1:] if arguments is None else arguments
    if "_PROBFS_COMPLETE" in os.environ:
        return _complete(os.environ["_PROBFS_COMPLETE"], words)
    with command_line_language(words):
        return _run(words)


def _complete(shell: str, words: list[str]) -> int:
    """Tell a shell what it may offer for a word; whatever is wrong, the line that is being typed stays as it is."""
    with contextlib.suppress(Exception):
        from probfs.cli.completion import suggest_words
        from probfs.cli.shells import answer

        told = answer(shell, words, partial(suggest_words, commands=COMMANDS, build_app=build_app))
        # Names may hold what the locale cannot write.
        sys.stdout.buffer.write(told.encode("utf-8", "replace") + b"\n")
    return 0


def _run(words: list[str]) -> int:
    try:
        if not words:
            with contextlib.redirect_stdout(sys.stderr):
                build_app(())(args=["--help"], prog_name="probfs", standalone_mode=False)
            return 2
        # Without standalone mode an Exit comes back as its status, Ctrl-C as 130, and errors are raised.
        status = build_app(_needed_commands(words))(args=words, prog_name="probfs", standalone_mode=False)
        if sys.stdout is not None:
            sys.stdout.flush()
        if status == INTERRUPTED:
            tell("probfs: interrupted")
        return status if isinstance(status, int) else 0
    except ProbfsError as error:
        return _complain(str(error), error.exit_status)
    except typer.TyperException as error:
        return _complain(_usage_message(error), getattr(error, "exit_code", 1))
    except KeyboardInterrupt:
        tell("probfs: interrupted")
        return INTERRUPTED
    except OSError as error:
        silence_stdout()
        return _complain(f"standard output cannot be written: {(error.strerror or str(error)).lower()}", 1)
    except MemoryError:
        return _complain("out of memory; fewer columns (rank --include) or merged rows (rank --count) need less", 1)


def _usage_message(error: typer.TyperException) -> str:
    message = error.format_message() if hasattr(error, "format_message") else str(error)
    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else "probfs"
    message = " ".join(message.replace("Value error, ", "").split()).rstrip(".")
    if message.startswith("No such option"):
        name = getattr(error, "option_name", "")
        others = _commands_with(name)
        message = f"No such option: {name}, which belongs to {', '.join(others)}" if others else message
    return f"{message} See '{command} --help'" if message.endswith("?") else f"{message}; see '{command} --help'"


def _commands_with(option: str) -> list[str]:
    """The commands that have an option."""
    commands = getattr(typer.main.get_command(build_app()), "commands", {})
    return [name for name, command in commands.items() if any(option in known.opts for known in command.params)]


def _complain(message: str, status: int) -> int:
    tell(f"probfs: error: {message}")
    return status
