"""Every option that commands share: its name, its type and its help, alone or in the bundle it always comes with."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self

import typer

from probfs.classifiers.estimates import DEFAULT_FOLDS, ESTIMATES
from probfs.classifiers.registry import CLASSIFIERS
from probfs.classifiers.scores import SCORES
from probfs.classifiers.specification import Option, known_options
from probfs.classifiers.value_types import Choice, ValueType
from probfs.cli import parsers
from probfs.cli.bundles import Bundle, keyword
from probfs.cli.destination import Destination, check_output, choose_destination
from probfs.ranking.settings import FOLDS, SEED
from probfs.rendering.formats import OutputFormats
from probfs.tables.formats import TABLE_FORMATS

if TYPE_CHECKING:
    from probfs.columns.roles import ColumnChoice
    from probfs.tables.readers import ReadOptions


def words(chosen: Sequence[str], info: Any, optional: bool = False) -> Any:
    """The type of an option or argument that takes one of some words; shells complete them."""
    literal: Any = Literal[tuple(chosen)]
    return Annotated[literal | None if optional else literal, info]


def choice(chosen: Sequence[str], help_text: str, default: str | None = None) -> Any:
    """The type of an option that takes one of some words; the default, if there is one, is shown in help."""
    shown = typer.Option(metavar="|".join(chosen), help=help_text, show_default=default is not None)
    return words(chosen, shown, optional=default is None)


Data = Annotated[
    str,
    typer.Argument(
        metavar="DATA",
        help="The table: CSV, TSV, ARFF or Parquet, gzipped or not; - is standard input.",
        show_default=False,
    ),
]
Target = Annotated[
    str | None,
    typer.Option(
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
        help="A text that means missing, besides the empty cell. May be given several times.",
        show_default=False,
    ),
]
OutputPath = Annotated[
    Path | None,
    typer.Option(
        "--output",
        metavar="FILE",
        help="Where the result goes instead of standard output; written whole or not at all.",
    ),
]
SafeCsv = Annotated[
    bool,
    typer.Option(
        "--safe-csv",
        help="CSV and TSV for spreadsheets: a text that would be taken for a formula begins with an apostrophe.",
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", help="No notes and no progress on standard error.")]
Progress = Annotated[
    bool | None,
    typer.Option(
        "--progress/--no-progress",
        help="Show progress on standard error. Default: when that is a terminal.",
        show_default=False,
    ),
]


@dataclass(frozen=True)
class ReadingOptions(Bundle):
    """How files are written."""

    delimiter: Annotated[
        str | None,
        typer.Option(
            parser=parsers.delimiter,
            metavar="CHAR",
            help="What separates the cells of a CSV file; tab or \\t for a tab. Default: a comma.",
            show_default=False,
        ),
    ] = None
    encoding: Annotated[str, typer.Option(metavar="NAME", help="The encoding of text files.")] = "utf-8"
    max_unpacked: Annotated[
        int | None,
        typer.Option(
            parser=parsers.size,
            metavar="SIZE",
            help="How much gzip data may unpack to, like 500M or 8G. Default: 4G, and 250 times its own size where "
            "that is less and above 64M.",
            show_default=False,
        ),
    ] = None
    input_format: str | None = None

    @classmethod
    def registered(cls) -> Mapping[str, Any]:
        help_text = "The format of what is read. Default: by its ending, else by how it begins."
        return {"input_format": choice(TABLE_FORMATS.names(), help_text)}

    def chosen(self) -> ReadOptions:
        from probfs.tables.readers import ReadOptions

        return ReadOptions(self.input_format, self.delimiter, self.encoding, self.max_unpacked)


@dataclass(frozen=True)
class ColumnOptions(Bundle):
    """Which columns are used, and for what."""

    target: Target = None
    mapping: MappingPath = None
    exclude: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN", help="Leave a column out. May be given several times.", show_default=False),
    ] = None
    include: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN", help="Rank only the columns named so. May be given several times.", show_default=False
        ),
    ] = None
    count: Count = None
    na: Na = None


@dataclass(frozen=True)
class ClassifierOptions(Bundle):
    """The classifier, and the options that the registered classifiers have."""

    classifier: str
    own: Mapping[str, Any]
    """None for an option that was not given."""

    for_columns_only: ClassVar[bool] = False
    """Whether only options that say how columns are encoded are taken."""

    @classmethod
    def parameters(cls) -> list[inspect.Parameter]:
        described = [f"{classifier.description} ({classifier.name})" for classifier in CLASSIFIERS]
        help_text = f"The classifier whose probabilities are used: {_either(described)}."
        default = CLASSIFIERS.names()[0]
        return [
            keyword("classifier", choice(CLASSIFIERS.names(), help_text, default), default),
            *(_own_parameter(option, owners) for option, owners in cls._options()),
        ]

    @classmethod
    def collect(cls, values: Mapping[str, Any]) -> Self:
        return cls(values["classifier"], {option.name: values[option.name] for option, _ in cls._options()})

    @classmethod
    def _options(cls) -> Iterator[tuple[Option, tuple[str, ...]]]:
        return (
            (option, owners) for option, owners in known_options() if option.for_columns or not cls.for_columns_only
        )


@dataclass(frozen=True)
class ColumnClassifierOptions(ClassifierOptions):
    """The classifier that columns are looked at for."""

    for_columns_only = True

    def column_choice(self, columns: ColumnOptions) -> ColumnChoice:
        from probfs.classifiers.specification import refuse_options_of_others
        from probfs.columns.limits import DEFAULT_BINS
        from probfs.columns.roles import ColumnChoice

        classifier = CLASSIFIERS[self.classifier]
        refuse_options_of_others(classifier, self.own)
        return ColumnChoice(
            columns.target,
            columns.count,
            tuple(columns.include or ()),
            tuple(columns.exclude or ()),
            tuple(columns.na or ()),
            self.own["bins"] or DEFAULT_BINS,
            classifier.takes_numbers,
        )


@dataclass(frozen=True)
class EliminationOptions(Bundle):
    """Which score drives the elimination, which model scores a row, and how fast features leave."""

    score: str = "absolute"
    estimate: str | None = None
    folds: Annotated[
        int | None,
        typer.Option(
            parser=parsers.parser(FOLDS),
            metavar=FOLDS.metavar,
            help=f"The number of folds for --estimate cv. Default: {DEFAULT_FOLDS}.",
            show_default=False,
        ),
    ] = None
    step: Annotated[
        float,
        typer.Option(
            parser=parsers.step,
            metavar="N",
            help="How many features leave in a round: a number, or a fraction of those that remain.",
        ),
    ] = 1
    no_eliminate: Annotated[
        bool, typer.Option("--no-eliminate", help="Rank by the scores of one round, without elimination.")
    ] = False
    seed: Annotated[
        int,
        typer.Option(
            parser=parsers.parser(SEED),
            metavar=SEED.metavar,
            help="The seed of the folds of --estimate cv and of the svm's folds and shuffles; nothing else is random.",
        ),
    ] = 0

    @classmethod
    def registered(cls) -> Mapping[str, Any]:
        scores = _either([f"{score.name} ({score.key})" for score in SCORES], comma=False)
        defaults = ", ".join(f"{classifier.default_estimate} for {classifier.name}" for classifier in CLASSIFIERS)
        return {
            "score": choice(SCORES.names(), f"The score that decides which feature leaves: {scores}.", cls.score),
            "estimate": choice(
                tuple(ESTIMATES),
                "Which model scores a labelled row: one trained on all other rows (loo), on all rows "
                f"(resubstitution), or on the other folds (cv). Default: {defaults}.",
            ),
        }


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


@dataclass(frozen=True)
class TableOutput(Bundle):
    """Where a table goes, and in which format."""

    format: str | None = None
    output: OutputPath = None

    @classmethod
    def registered(cls) -> Mapping[str, Any]:
        help_text = "The format of the table. Default: by the ending of --output, else CSV."
        return {"format": choice(TABLE_FORMATS.names(), help_text)}


def _own_parameter(option: Option, owners: tuple[str, ...]) -> inspect.Parameter:
    """A classifier's own option; help begins with the classifiers, and the other option's value, that it goes with."""
    goes_with = [*owners, *([] if option.only_with is None else [option.only_with[1]])]
    default = option.default if option.default_help is None else option.default_help
    help_text = f"{', '.join(goes_with)}: {option.help} Default: {default}."
    name = f"--{option.name.replace('_', '-')}"
    return keyword(option.name, _annotation(option.type, help_text, name), None)


def _annotation(kind: ValueType, help_text: str, name: str) -> Any:
    if isinstance(kind, Choice):
        return choice(kind.words, help_text)
    shown = typer.Option(name, parser=parsers.parser(kind), metavar=kind.metavar, help=help_text, show_default=False)
    return Annotated[str | None, shown]


def _either(items: Sequence[str], comma: bool = True) -> str:
    """The items as a choice in words."""
    *others, last = items
    return f"{', '.join(others)}{',' if comma else ''} or {last}" if others else last
