"""Commands made of functions, and options that only commands have; docs/reference/commands.md describes all options.

A command names the groups of options that it takes. Its function gets those that the user gave, by name; for the others
the library's defaults hold.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import typer
from typer.core import TyperArgument, TyperOption

from probfs.api.options import FILE, FLAG, Group, Kind, Option, panel
from probfs.classifiers.options import Choice, WholeNumber
from probfs.cli.streams import check_outputs
from probfs.tables.formats import WRITABLE_FORMATS

Given: TypeAlias = dict[str, Any]
"""The options that were given, by name."""
INPUTS = ("data", "unlabeled", "mapping", "old", "new", "joint")
"""Options that name inputs, which no output may overwrite."""
RESULT_FILE = Kind("FILE", parse=lambda word: None if word == "-" else Path(word))
"""``-`` is standard output, as no file at all is."""


@dataclass(frozen=True)
class Command:
    """A function that gets the options that were given, all options that it takes, and examples for its help."""

    run: Callable[[Given], None]
    options: Group
    examples: str

    def __call__(self, **values: Any) -> None:
        given = {name: value for name, value in values.items() if value not in (None, ())}
        outputs = {name: given[name] for name in given if self.options[name].takes in (RESULT_FILE, FILE)}
        if outputs:
            # Without files to read, standard input is read.
            named = (given.get(name, "-") for name in INPUTS if name in given or name in ("data", "joint"))
            inputs = [each for value in named for each in (value if isinstance(value, tuple) else (value,))]
            check_outputs(outputs, inputs)
        self.run(given)

    def parameters(self) -> list[TyperArgument | TyperOption]:
        return [_parameter(name, option) for name, option in self.options.items()]


def command(options: Group, examples: str) -> Callable[[Callable[[Given], None]], Command]:
    """Make a command of a function."""
    return lambda run: Command(run, options, inspect.cleandoc(examples))


def take(given: Given, group: Group) -> Given:
    """The given options of a group, removed from ``given``."""
    return {name: given.pop(name) for name in group if name in given}


def _parameter(name: str, option: Option) -> TyperArgument | TyperOption:
    def parse(word: str) -> Any:
        try:
            return option.takes.parse(word)
        except ValueError as error:
            # Typer names the option before this message.
            raise typer.BadParameter(f"{error}.") from None

    how: dict[str, Any] = {"help": option.line, "rich_help_panel": option.panel, "required": option.required}
    if option.takes is not FLAG:
        how |= {"metavar": option.metavar, "type": parse}
    if option.is_argument:
        return TyperArgument(param_decls=[name], nargs=-1 if option.many else 1, show_default=False, **how)
    if option.takes is not FLAG:
        how["multiple"] = option.many
    elif option.many:
        how |= {"count": True, "default": 0, "type": int}
    else:
        how["is_flag"] = True
    return TyperOption(param_decls=[name, *option.names], **how)


# --- where results go, which is the business of commands ---

OUTPUT = panel("Output", output=Option("File for the result.", RESULT_FILE, "stdout", names=("--output", "-o")))
SAFE_CSV = panel("Output", safe_csv=Option("Keep spreadsheets from running formulas in CSV."))
TOP = panel("Output", top=Option("Show only the best K columns.", WholeNumber(1, metavar="K")))
PLOT = panel("Output", plot=Option("Also draw the result: .png, .svg or .pdf.", FILE))
QUIET = panel("Output", quiet=Option("Only warnings and errors; -qq: errors.", names=("--quiet", "-q"), many=True))
PROGRESS = panel(
    "Output",
    progress=Option("Progress on stderr.", default="on a terminal", names=("--progress/--no-progress",)),
)
TABLE_OUTPUT = OUTPUT | panel(
    "Output", format=Option("Format. Default: by --output, else csv.", Choice(WRITABLE_FORMATS))
)


def document_output(formats: tuple[str, ...]) -> Group:
    """Where a document goes, and in which of its formats."""
    chosen = Option("Format. Default: by --output, else table or csv.", Choice(formats))
    return panel("Output", format=chosen) | OUTPUT | SAFE_CSV
