"""The command line: the application, and the one place where an error becomes a line and an exit status."""

from __future__ import annotations

import atexit
import contextlib
import gc
import os
import signal
import sys
from collections.abc import Collection
from importlib import import_module
from typing import TYPE_CHECKING, Any, NoReturn

import typer
from typer.core import TyperCommand, TyperGroup, TyperOption

from probfs import __version__
from probfs.errors import ProbfsError
from probfs.text import command_line_language

if TYPE_CHECKING:
    from probfs.cli.options import Command

INTERRUPTED = 130
COMMANDS = {
    "rank": ("rankings", "Rank the columns of a table by how much class probabilities change without them."),
    "select": ("rankings", "Say which columns to keep, which repeat kept ones and which cannot be told from noise."),
    "pairs": ("rankings", "Say which pairs of columns tell more together than one by one."),
    "compare": ("rankings", "Say what changed between two rankings or selections: what rose, fell, came and went."),
    "map": ("tables", "Apply a mapping and write the mapped table, for other tools."),
    "suggest": ("tables", "Write a draft mapping: identifiers dropped, numbers cut, rare values grouped."),
    "inspect": ("tables", "Say what each column holds, what rank would do with it, and how classes are balanced."),
    "sample": ("tables", "Write a sample table to try the other commands on."),
    "exact": ("experiments", "Compute the scores of a known distribution, which rank estimates from rows."),
    "generate": ("experiments", "Draw one of the paper's random tables, whose relevant columns are known."),
    "reproduce": ("experiments", "Regenerate the paper's tables, figures and numbers, and check its claims."),
}
"""The module of each command, which is imported when its options are needed, and what it does."""


def load_command(name: str) -> Command:
    # A function may not be called map, as Python's own is.
    command: Command = getattr(import_module(f"probfs.cli.{COMMANDS[name][0]}"), "map_" if name == "map" else name)
    return command


class PanelCommand(TyperCommand):
    """A command whose help lists its options by panels; typer's own take twice as long, since they import rich."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        panels: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            record: Any = parameter.get_help_record(ctx)
            panels.setdefault(getattr(parameter, "rich_help_panel", None) or "Output", []).append(record)
        for title, records in panels.items():
            with formatter.section(title):
                formatter.write_dl(records, col_max=24)


FIRST_OPTIONS = {
    "--version": "Show the version and exit.",
    "--install-completion": "Install completion for bash, zsh or fish.",
    "--show-completion": "Show the completion script, to copy or change it.",
}
"""Options that stand before any command, after which nothing else is done."""
SUMMARY = "Which columns of a table matter: ranks columns by how much a classifier's probabilities change without them."


def build_app(loaded: Collection[str] = tuple(COMMANDS)) -> TyperGroup:
    """The application, of typer's own parts; only ``loaded`` commands have any options."""
    # Help is plain text: markup would swallow every [bracketed] word.
    plain: Any = {"rich_markup_mode": None}
    commands: dict[str, Any] = {}
    for name, (_, summary) in COMMANDS.items():
        if name in loaded:
            command = load_command(name)
            # After \b, lines are kept as they are.
            examples = "\b\n" + "\n  ".join(["Examples:", *command.examples.splitlines()])
            parameters: Any = command.parameters()
            commands[name] = PanelCommand(
                name, params=parameters, callback=command, help=summary, epilog=examples, **plain
            )
        else:
            # A short help is shown whole in the list.
            commands[name] = TyperCommand(name, short_help=summary, **plain)
    first: Any = [
        TyperOption(
            param_decls=[name], is_flag=True, is_eager=True, expose_value=False, callback=_act_first, help=meaning
        )
        for name, meaning in FIRST_OPTIONS.items()
    ]
    settings = {"help_option_names": ["-h", "--help"], "max_content_width": 100}
    # Typer's own scripts of completion let a shell evaluate names that come from files, and are not among its parts.
    return TyperGroup(name="probfs", commands=commands, params=first, help=SUMMARY, context_settings=settings, **plain)


def _act_first(context: Any, parameter: Any, wanted: bool) -> None:
    if not wanted:
        return
    if parameter.name == "version":
        print(f"probfs {__version__}")
    else:
        from probfs.cli.completion import install, running_shell, script

        act = install if parameter.name == "install_completion" else script
        print(act(running_shell()).rstrip("\n"))
    raise typer.Exit


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run a command and leave with its exit status."""
    # Imports create many objects that stay, and looking for garbage among them takes a twentieth of the time.
    gc.set_threshold(200_000)
    # What is ignored stays so: a shell ignores Ctrl-C for what it runs in the background.
    if signal.getsignal(signal.SIGINT) != signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if signal.getsignal(signal.SIGTERM) != signal.SIG_IGN:
        signal.signal(signal.SIGTERM, _end)
    _leave(run(arguments))


def _end(number: int, frame: object) -> None:
    """End by a signal, without an exception: raised in the middle of an import, one may be lost and its lock kept."""
    if "joblib" not in sys.modules and "probfs.runtime.output" in sys.modules:
        # If it has been imported; an import here might wait for the one that was interrupted.
        sys.modules["probfs.runtime.output"].remove_unfinished()
    _leave(128 + number)


def _leave(status: int) -> NoReturn:
    """End at once: to take apart, module by module, what was imported takes a third of a second after a large table."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            stream.flush()
    if "joblib" in sys.modules:
        # Python ends as usual, so that joblib tells its processes and removes its files.
        _exit_statuses.append(status)
        sys.exit(status)
    os._exit(status)


_exit_statuses: list[int] = []


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
        # Whatever is wrong, the line that is being typed stays as it is.
        with contextlib.suppress(Exception):
            from probfs.cli.completion import answer

            # Names may hold what the locale cannot write.
            sys.stdout.buffer.write(answer(os.environ["_PROBFS_COMPLETE"], words).encode("utf-8", "replace") + b"\n")
        return 0
    with command_line_language(words):
        return _run(words)


def _run(words: list[str]) -> int:
    from probfs.cli.streams import NoInputError, silence_stdout, tell

    status = 1
    try:
        return _call(words) if words else _show_help()
    except NoInputError:
        return _show_help(*_named_command(words))
    except ProbfsError as error:
        message, status = str(error), error.exit_status
    except typer.TyperException as error:
        message, status = _usage_message(error), getattr(error, "exit_code", 1)
    except KeyboardInterrupt:
        tell("probfs: interrupted")
        return INTERRUPTED
    except OSError as error:
        silence_stdout()
        message = f"standard output cannot be written: {(error.strerror or str(error)).lower()}"
    except MemoryError:
        message = "out of memory; fewer columns (rank --include) or merged rows (rank --count) need less"
    tell(f"probfs: error: {message}")
    return status


def _call(words: list[str]) -> int:
    from probfs.cli.streams import silence_stdout

    try:
        # Without standalone mode an Exit comes back as its status, Ctrl-C as 130, and errors are raised.
        status = build_app(_named_command(words)).main(words, prog_name="probfs", standalone_mode=False)
    except SystemExit:
        # Typer leaves where whoever reads the help has had enough of it: that is no error.
        silence_stdout()
        return 0
    if status == INTERRUPTED:
        raise KeyboardInterrupt
    if sys.stdout is not None:
        sys.stdout.flush()
    return status if isinstance(status, int) else 0


def _named_command(words: list[str]) -> list[str]:
    """The command that is asked for; help lists all without their options."""
    return [word for word in words if word in COMMANDS][:1]


def _show_help(*command: str) -> int:
    """Help, where something is lacking on the command line."""
    with contextlib.redirect_stdout(sys.stderr):
        _call([*command, "--help"])
    return 2


def _usage_message(error: typer.TyperException) -> str:
    message = error.format_message() if hasattr(error, "format_message") else str(error)
    context = getattr(error, "ctx", None)
    message = " ".join(message.split()).rstrip(".")
    if message.startswith("No such option"):
        name = getattr(error, "option_name", "")
        options = {known: load_command(known).options.values() for known in COMMANDS}
        owners = [known for known in COMMANDS if any(name in option.names for option in options[known])]
        message = f"No such option: {name}, which belongs to {', '.join(owners)}" if owners else message
    page = f"'{context.command_path if context is not None else 'probfs'} --help'"
    return f"{message} See {page}" if message.endswith("?") else f"{message}; see {page}"
