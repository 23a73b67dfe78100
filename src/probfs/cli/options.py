"""Options of commands only, and how typer learns of all options; man/generate.py has the whole story of each.

A command names the groups of options that it takes, and gets what was given by name: what was not given is left to the
library's defaults.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import typer

from probfs.api.options import FLAG, Group, Instance, Option, panel
from probfs.classifiers.options import Choice, WholeNumber
from probfs.tables.formats import TABLE_FORMATS, is_writable

Given: TypeAlias = dict[str, Any]
"""The options that were given, by name."""


@dataclass(frozen=True)
class Command:
    """What a command does with what was given, and its options."""

    run: Callable[[Given], None]
    options: Group
    examples: str

    def for_typer(self) -> Callable[..., None]:
        """A function with a parameter for each option."""

        def call(**values: Any) -> None:
            self.run({name: value for name, value in values.items() if value is not None and value != []})

        parameters = [_parameter(name, option) for name, option in self.options.items()]
        call.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]  # what inspect looks for
        call.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        return call


def command(options: Group, examples: str) -> Callable[[Callable[[Given], None]], Command]:
    """Make a command of a function."""
    return lambda run: Command(run, options, inspect.cleandoc(examples))


def take(given: Given, group: Group) -> Given:
    """Those of a group that were given, taken out of ``given``."""
    return {name: given.pop(name) for name in group if name in given}


def _parameter(name: str, option: Option) -> inspect.Parameter:
    """The parameter that typer reads an option from."""
    how: dict[str, Any] = {"help": option.line, "rich_help_panel": option.panel, "show_default": False}
    kind: Any = list[str] | None if option.many else str | None
    default: Any = inspect.Parameter.empty if option.required else None
    if option.takes is not FLAG:
        how |= {"metavar": option.shown_metavar, "parser": partial(_parse, option.takes)}
    elif option.many:
        kind, default, how["count"] = int, 0, True
    else:
        kind = bool | None
    info: Any = typer.Argument(**how) if option.is_argument else typer.Option(*option.spellings(name), **how)
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, info])


def _parse(takes: Any, word: Any) -> Any:
    """The value of a word; what is wrong with it becomes typer's message about its option."""
    try:
        return getattr(takes, "parse", takes)(str(word))
    except ValueError as error:
        raise typer.BadParameter(f"{error}.") from None


# --- where results go, which is the business of commands ---

FILE = Instance("FILE", parse=Path)
OUTPUT = panel("Output", output=Option("File for the result.", FILE, "stdout", names=("--output", "-o")))
SAFE_CSV = panel("Output", safe_csv=Option("Keep spreadsheets from running formulas in CSV."))
TOP = panel("Output", top=Option("Show only the best K columns.", WholeNumber(1, metavar="K")))
PLOT = panel("Output", plot=Option("Also draw the result: .png, .svg or .pdf.", FILE))
QUIET = panel("Output", quiet=Option("Only warnings and errors; -qq: errors.", names=("--quiet", "-q"), many=True))
PROGRESS = panel(
    "Output",
    progress=Option("Progress on stderr.", default="on a terminal", names=("--progress/--no-progress",)),
)
TABLE_OUTPUT = OUTPUT | panel(
    "Output", format=Option("Format. Default: by --output, else csv.", Choice(TABLE_FORMATS.names(is_writable)))
)


def document_output(formats: tuple[str, ...]) -> Group:
    """Where a document goes, and in which of its formats."""
    chosen = Option("Format. Default: by --output, else table or csv.", Choice(formats))
    return panel("Output", format=chosen) | OUTPUT | SAFE_CSV
