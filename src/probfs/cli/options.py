"""Every option that commands share: its name, its type and its help, alone or in the bundle it always comes with."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import typer

from probfs.cli import parsers
from probfs.cli.bundles import Bundle
from probfs.cli.destination import Destination, check_apart, check_output, choose_destination
from probfs.columns.choice import DEFAULT_MIN_CLASS, MOST_TARGET_CLASSES
from probfs.output.formats import OutputFormats
from probfs.output.writers import Presentation
from probfs.ranking.settings import ENGINES
from probfs.tables.formats import TABLE_FORMATS, is_readable, is_writable

if TYPE_CHECKING:
    from probfs.tables.reading import ReadOptions


def words(chosen: Sequence[str], info: Any, optional: bool = False) -> Any:
    """The type of an option or argument that takes one of some words; shells complete them."""
    literal: Any = Literal[tuple(chosen)]
    return Annotated[literal | None if optional else literal, info]


def choice(chosen: Sequence[str], help_text: str, default: str | None = None) -> Any:
    """The type of an option that takes one of some words; the default, if there is one, is shown in help."""
    shown = typer.Option(metavar="|".join(chosen), help=help_text, show_default=default is not None)
    return words(chosen, shown, optional=default is None)


def parsed(parse: Callable[[Any], Any], metavar: str, help_text: str, show_default: bool = False) -> Any:
    """An option with a parser of its own; unless its default is shown, the help says it."""
    return typer.Option(parser=parse, metavar=metavar, help=help_text, show_default=show_default)


Data = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="DATA...",
        help="The table: CSV, TSV, ARFF, Parquet, Feather, JSON lines or Excel, also compressed; - is standard input. "
        "Several files, a pattern in quotes, or a directory of files are one table.",
        show_default=False,
    ),
]
Target = Annotated[
    str | None,
    typer.Option(
        "--target",
        "-t",
        metavar="COLUMN",
        help="The column to predict. Default: the mapping's, else the ARFF attribute called class, "
        "else the last column.",
    ),
]
MappingPath = Annotated[
    Path | None,
    typer.Option(
        "--mapping",
        metavar="FILE",
        help="A TOML file that says how columns are cut, grouped or dropped; see probfs-mapping(5).",
    ),
]
Count = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN", help="The column that says how many equal rows a row stands for.", show_default=False
    ),
]
Na = Annotated[
    list[str] | None,
    typer.Option(
        metavar="TEXT",
        help="A text that means missing, besides the empty cell; auto: all that look so, like NA, N/A, null and ?; "
        "none: none but those named. May be given several times. Default: those that look so among numbers.",
        show_default=False,
    ),
]
OutputPath = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="Where the result goes instead of standard output; written whole or not at all.",
    ),
]
Plot = Annotated[
    Path | None,
    typer.Option(
        "--plot",
        metavar="FILE",
        help="Also draw the result into this file: PNG, SVG or PDF, by its ending.",
    ),
]
SafeCsv = Annotated[
    bool,
    typer.Option(
        "--safe-csv",
        help="CSV and TSV for spreadsheets: a text that would be taken for a formula begins with an apostrophe.",
    ),
]
Top = Annotated[int | None, parsed(parsers.whole_number(1), "K", "Print only the best K features; all are computed.")]
Quiet = Annotated[
    int,
    typer.Option(
        "--quiet",
        "-q",
        count=True,
        help="No notes and no progress on standard error, only warnings and errors; twice (-qq): only errors.",
        show_default=False,
    ),
]
Progress = Annotated[
    bool | None,
    typer.Option(
        "--progress/--no-progress",
        help="Show progress on standard error. Default: when that is a terminal.",
        show_default=False,
    ),
]


@dataclass(frozen=True)
class EngineOptions(Bundle):
    """Where the work is done."""

    engine: str = "local"
    scheduler: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="For --engine dask: the scheduler of a running cluster, such as tcp://host:8786. Default: processes "
            "on this machine.",
            show_default=False,
        ),
    ] = None
    workers: Annotated[
        int | None,
        parsed(
            parsers.whole_number(1),
            "N",
            "For --engine dask without --scheduler: how many processes of this machine work. Default: one for each "
            "core.",
        ),
    ] = None

    @classmethod
    def registered(cls) -> Mapping[str, Any]:
        help_text = "Where the work is done: in this process (local), or on a Dask cluster (dask)."
        return {"engine": choice(ENGINES, help_text, "local")}


@dataclass(frozen=True)
class ReadingOptions(Bundle):
    """How files are written."""

    delimiter: Annotated[
        str | None,
        parsed(
            parsers.delimiter,
            "CHAR",
            "What separates the cells of a CSV file; tab or \\t for a tab. Default: a comma, or ; tab | where "
            "the first lines show it.",
        ),
    ] = None
    encoding: Annotated[str, typer.Option(metavar="NAME", help="The encoding of text files.")] = "utf-8"
    max_unpacked: Annotated[
        int | None,
        parsed(
            parsers.size,
            "SIZE",
            "How much compressed data may unpack to, like 500M or 8G. Default: 4G, and 250 times its own size where "
            "that is less and above 64M.",
        ),
    ] = None
    input_format: str | None = None
    decimal: str | None = None
    union: Annotated[
        bool,
        typer.Option(
            "--union",
            help="Several files may have other columns: where a file lacks one, its cells are missing. Default: they "
            "are refused.",
        ),
    ] = False

    @classmethod
    def registered(cls) -> Mapping[str, Any]:
        input_format = "The format of what is read. Default: by its ending, else by how it begins."
        decimal = "What stands before the decimals of numbers; the other separates thousands. Default: a point."
        formats = TABLE_FORMATS.names(is_readable)
        return {"input_format": choice(formats, input_format), "decimal": choice((".", ","), decimal)}

    def chosen(self) -> ReadOptions:
        from probfs.tables.reading import ReadOptions

        return ReadOptions(
            self.input_format, self.delimiter, self.encoding, self.max_unpacked, self.decimal, self.union
        )


@dataclass(frozen=True)
class ColumnOptions(Bundle):
    """Which columns are used, and for what."""

    target: Target = None
    cut_target: Annotated[
        int | None,
        parsed(
            parsers.whole_number(2, MOST_TARGET_CLASSES),
            "K",
            "Into how many classes a target of numbers is cut, at its quantiles.",
        ),
    ] = None
    min_class: Annotated[
        int,
        parsed(
            parsers.whole_number(1),
            "N",
            "Rows of classes with fewer rows than this are dropped, with a warning.",
            show_default=True,
        ),
    ] = DEFAULT_MIN_CLASS
    mapping: MappingPath = None
    exclude: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN",
            help="Leave a column out, or several: a,b. May be given several times.",
            show_default=False,
        ),
    ] = None
    include: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN",
            help="Rank only the columns named so, one or several: a,b. May be given several times.",
            show_default=False,
        ),
    ] = None
    keep_identifiers: Annotated[
        bool,
        typer.Option(
            "--keep-identifiers",
            help="Rank columns that look like identifiers, such as row numbers, too. Default: they are left out, "
            "unless --include or the mapping names them.",
        ),
    ] = False
    count: Count = None
    na: Na = None


@dataclass(frozen=True)
class DocumentOutput(Bundle):
    """Where a document goes, and in which of its formats."""

    format: str | None = None
    output: OutputPath = None
    safe_csv: SafeCsv = False

    formats: ClassVar[OutputFormats[Any]]

    @classmethod
    def registered(cls) -> Mapping[str, Any]:
        default = "by the ending of --output, else a table on a terminal and CSV elsewhere"
        return {"format": choice(cls.formats.names(), f"The format of the result. Default: {default}.")}

    def destination(self, *inputs: str | Path | None) -> Destination[Any]:
        """Where to write, once it is known that it can be written and is none of the inputs."""
        check_output(self.output, *inputs)
        return choose_destination(self.formats, self.format, self.output, self.safe_csv)

    def picture(self, plot: Path | None, *inputs: str | Path | None) -> Destination[Any] | None:
        """Where a picture beside the result goes; None where none is wanted."""
        if plot is None:
            return None
        check_output(plot, *inputs, option="--plot")
        check_apart(plot, self.output, "--plot")
        return Destination(self.formats.choose_picture(plot), plot, Presentation())


@dataclass(frozen=True)
class TableOutput(Bundle):
    """Where a table goes, and in which format."""

    format: str | None = None
    output: OutputPath = None

    @classmethod
    def registered(cls) -> Mapping[str, Any]:
        help_text = "The format of the table. Default: by the ending of --output, else CSV."
        return {"format": choice(TABLE_FORMATS.names(is_writable), help_text)}
