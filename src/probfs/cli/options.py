"""Options, each declared once: for the parser, for help and for completion; man/generate.py has the whole story.

A group is options by their names in Python, which are keywords of the library. A command names the groups it takes, and
gets what was given by name: what was not given is left to the library's defaults.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any, ClassVar, TypeAlias

import typer

from probfs.classifiers.catalogue import CLASSIFIERS, known_options
from probfs.classifiers.options import DEFAULT_FOLDS, ESTIMATES, Choice, WholeNumber
from probfs.classifiers.scores import SCORES
from probfs.columns.choice import DATE_ORDERS, DEFAULT_MIN_CLASS
from probfs.ranking.settings import (
    AUTO_STEP,
    CUT_TARGET,
    DEFAULT_FALSE_DISCOVERIES,
    ENGINES,
    FALSE_DISCOVERIES,
    FOLDS,
    MIN_CLASS,
    SEED,
)
from probfs.tables.formats import TABLE_FORMATS, is_readable, is_writable

Given: TypeAlias = dict[str, Any]
"""The options that were given, by name."""


@dataclass(frozen=True)
class Option:
    """An option of commands."""

    help: str
    """One line."""
    takes: Any = None
    """What a word is turned into: ``str``, ``Path``, a function or a ``ValueType``; None for a flag."""
    metavar: str = ""
    default: Any = None
    """What help shows; the library has it."""
    names: tuple[str, ...] = ()
    """As users write it, where that is not the name in Python with two dashes."""
    many: bool = False
    """Whether it may be given several times."""
    required: bool = False
    panel: str = ""
    """The heading that it stands under in help."""
    manual: str = ""
    """The whole story, where the manual generator does not have it."""

    is_argument: ClassVar[bool] = False

    @property
    def shown_metavar(self) -> str:
        return self.metavar or getattr(self.takes, "metavar", "")

    @property
    def line(self) -> str:
        return self.help if self.default is None else f"{self.help} Default: {self.default}."

    def spellings(self, name: str) -> tuple[str, ...]:
        """As users write it; none for an argument."""
        return () if self.is_argument else self.names or (f"--{name.replace('_', '-')}",)

    def parameter(self, name: str) -> inspect.Parameter:
        """The parameter that typer reads it from."""
        how: dict[str, Any] = {"help": self.line, "rich_help_panel": self.panel, "show_default": False}
        kind: Any = list[str] | None if self.many else str | None
        default: Any = inspect.Parameter.empty if self.required else None
        if self.takes is not None:
            how |= {"metavar": self.shown_metavar, "parser": None if self.takes is str else partial(_parse, self.takes)}
        elif self.many:
            kind, default, how["count"] = int, 0, True
        else:
            kind = bool | None
        info: Any = typer.Argument(**how) if self.is_argument else typer.Option(*self.spellings(name), **how)
        return inspect.Parameter(
            name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, info]
        )


class Argument(Option):
    """What is given without the name of an option."""

    is_argument = True


Group: TypeAlias = dict[str, Option]


def _parse(takes: Any, word: Any) -> Any:
    """The value of a word; what is wrong with it becomes typer's message about its option."""
    try:
        return getattr(takes, "parse", takes)(str(word))
    except ValueError as error:
        raise typer.BadParameter(f"{error}.") from None


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

        parameters = [option.parameter(name) for name, option in self.options.items()]
        call.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]  # what inspect looks for
        call.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        return call


def command(options: Group, examples: str) -> Callable[[Callable[[Given], None]], Command]:
    """Make a command of a function."""
    return lambda run: Command(run, options, inspect.cleandoc(examples))


def panel(title: str, **options: Option) -> Group:
    return {name: replace(option, panel=title) for name, option in options.items()}


def take(given: Given, group: Group) -> Given:
    """Those of a group that were given, taken out of ``given``."""
    return {name: given.pop(name) for name in group if name in given}


# --- what words become ---


def parse_step(text: str) -> int | float | str:
    """How many columns leave in a round."""
    if text == AUTO_STEP:
        return text
    if re.fullmatch(r"\d{1,18}", text) and int(text) >= 1:
        return int(text)
    if re.fullmatch(r"0?\.\d+", text) and 0 < float(text) < 1:
        return float(text)
    raise ValueError(f"{text!r} is neither auto nor a whole number from 1 on nor a fraction like 0.1")


def parse_size(text: str) -> int:
    """A number of bytes, like 500M or 8G."""
    match = re.fullmatch(r"(\d{1,12})([KMGT]?)B?", text.upper())
    if match is None or not int(match[1]):
        raise ValueError(f"{text!r} is not a size like 500M or 8G")
    return int(match[1]) << {"": 0, "K": 10, "M": 20, "G": 30, "T": 40}[match[2]]


def parse_delimiter(text: str) -> str:
    return {"\\t": "\t", "tab": "\t"}.get(text, text)


# --- groups ---

DATA = panel("Table", data=Argument("The table, one file or several; - is stdin.", str, "DATA...", many=True))
READING = panel(
    "Table",
    input_format=Option("Format. Default: by its ending or first bytes.", Choice(TABLE_FORMATS.names(is_readable))),
    delimiter=Option("Separator of CSV. Default: found in the file.", parse_delimiter, "CHAR"),
    decimal=Option("Decimal separator. Default: a point.", Choice((".", ","))),
    encoding=Option("Encoding of text files. Default: found in the file.", str, "NAME"),
    sheet=Option("Sheet of a workbook. Default: the first.", str, "NAME"),
    skip_rows=Option("Rows above the header. Default: titles found there.", WholeNumber(0, metavar="N")),
    no_header=Option("The first row is data, not names."),
    union=Option("Allow files with different columns."),
    max_unpacked=Option("Limit of unpacked data, like 500M or 8G.", parse_size, "SIZE"),
)
CELLS = panel(
    "Columns",
    target=Option("Column to predict. Default: the last one.", str, "COLUMN", names=("--target", "-t")),
    count=Option("Column of counts: rows that each row stands for.", str, "COLUMN"),
    na=Option("Text that means missing, or auto, or none.", str, "TEXT", many=True),
    dates=Option("What comes first in 1/2/2024: day or month.", Choice(DATE_ORDERS)),
    ignore_case=Option("Merge values that differ only in case."),
)
MAPPING = panel("Columns", mapping=Option("TOML file that cuts, groups or drops columns.", Path, "FILE"))
OTHER_COLUMNS = panel(
    "Columns",
    exclude=Option("Leave a column out, or several: a,b.", str, "COLUMN", many=True),
    include=Option("Use only this column, or several: a,b.", str, "COLUMN", many=True),
    keep_identifiers=Option("Rank columns that look like identifiers, too."),
    cut_target=Option("Cut a numeric target into K classes.", CUT_TARGET),
    min_class=Option("Drop classes with fewer rows.", MIN_CLASS, default=DEFAULT_MIN_CLASS),
)
COLUMNS = CELLS | MAPPING | OTHER_COLUMNS
JOIN = panel("Columns", join=Option("Rank two columns as one: a+b.", str, "A+B", many=True))
GROUP = panel("Columns", group=Option("Column of subjects whose rows belong together.", str, "COLUMN"))


def _classifier_options(for_columns_only: bool) -> Group:
    """The classifier, and options of classifiers: all, or only those that say how columns are encoded."""
    names = CLASSIFIERS.names()
    chosen = {"classifier": Option("Whose probabilities are used.", Choice(names), default=names[0])}
    for name, declared, owners in known_options():
        if declared.for_columns or not for_columns_only:
            whose, default = _owners(owners, declared.only_with), str(declared.default_help or declared.default)
            story = whose + declared.help if whose else f"{declared.help[:1].upper()}{declared.help[1:]}"
            # The line ends at the first mark; the rest is for the manual.
            line = whose + re.split("[:;.]", story.removeprefix(whose))[0]
            manual = f"{story} Default: {default}."
            chosen[name] = Option(f"{line}.", declared.kind, default=default.partition(", ")[0], manual=manual)
    return panel("Model", **chosen)


def _owners(owners: Sequence[str], other: tuple[str, str] | None) -> str:
    """The classifiers, and the value of another option, that an option is for: the beginning of its help."""
    others = [name for name in CLASSIFIERS.names() if name not in owners]
    whose = ", ".join(owners) if len(others) > 1 else f"all but {others[0]}" if others else ""
    words = ", ".join(filter(None, (whose, other and other[1])))
    return f"{words}: " if words else ""


CLASSIFIER = _classifier_options(for_columns_only=False)
COLUMN_CLASSIFIER = _classifier_options(for_columns_only=True)
FALSE_DISCOVERY = {
    "false_discoveries": Option(
        "Noise tolerated among columns told from it.", FALSE_DISCOVERIES, default=DEFAULT_FALSE_DISCOVERIES
    )
}
ELIMINATION = panel(
    "Elimination",
    score=Option("Score that decides which column leaves.", Choice(SCORES.names()), default="signed"),
    screen=Option("Columns of noise leave first.", None, "", "--screen", ("--screen/--no-screen",)),
    **FALSE_DISCOVERY,
    estimate=Option("Which model scores a row. Default: by classifier.", Choice(tuple(ESTIMATES))),
    folds=Option("Folds of --estimate cv.", FOLDS, default=DEFAULT_FOLDS),
    step=Option("Columns that leave in a round, or a fraction.", parse_step, "auto|N"),
    always=Option("Let a column leave last, or several: a,b.", str, "COLUMN", many=True),
    no_eliminate=Option("Rank by the scores of one round."),
    uncertainty=Option("Add standard errors and rank intervals (slow)."),
    seed=Option("Seed of folds, shuffles, forests and samples.", SEED, default=0),
)
OUTPUT = panel("Output", output=Option("File for the result.", Path, "FILE", "stdout", ("--output", "-o")))
SAFE_CSV = panel("Output", safe_csv=Option("Keep spreadsheets from running formulas in CSV."))
TOP = panel("Output", top=Option("Show only the best K columns.", WholeNumber(1, metavar="K")))
PLOT = panel("Output", plot=Option("Also draw the result: .png, .svg or .pdf.", Path, "FILE"))
QUIET = panel("Output", quiet=Option("Only warnings and errors; -qq: errors.", names=("--quiet", "-q"), many=True))
PROGRESS = panel(
    "Output", progress=Option("Progress on stderr.", None, "", "on a terminal", ("--progress/--no-progress",))
)
ENGINE = panel(
    "Where to run",
    engine=Option("In this process, or on a Dask cluster.", Choice(ENGINES), default="local"),
    scheduler=Option("Scheduler of a cluster, like tcp://host:8786.", str, "ADDRESS"),
    workers=Option("Processes of this machine, for --engine dask.", WholeNumber(1)),
)
TABLE_OUTPUT = OUTPUT | panel(
    "Output", format=Option("Format. Default: by --output, else csv.", Choice(TABLE_FORMATS.names(is_writable)))
)


def document_output(formats: tuple[str, ...]) -> Group:
    """Where a document goes, and in which of its formats."""
    chosen = Option("Format. Default: by --output, else table or csv.", Choice(formats))
    return panel("Output", format=chosen) | OUTPUT | SAFE_CSV
