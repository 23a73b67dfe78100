"""Every option that commands share, declared once: its type, its name and its help."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Annotated, Any, get_args

import typer

from probfs.choices import (
    DEFAULT_BINS,
    DEFAULT_FOLDS,
    DEFAULT_PERMUTATIONS,
    DEFAULT_SMOOTHING,
    MOST_BINS,
    MOST_PERMUTATIONS,
    Classifier,
    Estimate,
    Kernel,
    OutputFormat,
    Removal,
    Score,
    TableFormat,
)


def words(choice: Any) -> str:
    """The words that a choice consists of, as help shows them."""
    return "|".join(get_args(choice))


def whole_number(least: int, most: int = 10**18) -> Any:
    """A parser for whole numbers; the usual one takes 3.0 and 1_0 as well."""

    def parse(text: str | int) -> int:
        if not re.fullmatch(r"\d{1,18}", str(text)) or not least <= int(text) <= most:
            reach = f"from {least} on, of up to 18 digits" if most == 10**18 else f"from {least} to {most}"
            raise typer.BadParameter(f"{text!r} is not a whole number {reach}.")
        return int(text)

    return parse


def number(text: str | float) -> float:
    """A parser for numbers from 0 on."""
    try:
        value = float(text) if "_" not in str(text) else math.nan
    except ValueError:
        value = math.nan
    if not math.isfinite(value) or value < 0:
        raise typer.BadParameter(f"{text!r} is not a number from 0 on.")
    return value


def share(text: str | float) -> float:
    """A parser for numbers from 0 to 1."""
    try:
        value = number(text)
    except typer.BadParameter:
        value = math.inf
    if value > 1:
        raise typer.BadParameter(f"{text!r} is not a number from 0 to 1.")
    return value


def _number_or(*choices: str) -> Any:
    """A parser for numbers above 0, or one of some words."""

    def parse(text: str | float) -> float | str:
        if text in choices:
            return str(text)
        try:
            value = number(text)
        except typer.BadParameter:
            value = 0.0
        if not value:
            raise typer.BadParameter(f"{text!r} is neither {' nor '.join(choices)} nor a number above 0.")
        return value

    return parse


def _step(text: str | float) -> int | float:
    if re.fullmatch(r"\d{1,18}", str(text)) and int(text) >= 1:
        return int(text)
    if re.fullmatch(r"0?\.\d+", str(text)) and 0 < float(text) < 1:
        return float(text)
    raise typer.BadParameter(f"{text!r} is neither a whole number from 1 on nor a fraction like 0.1.")


def _size(text: str | int) -> int:
    match = re.fullmatch(r"(\d{1,12})([KMGT]?)B?", str(text).upper())
    if match is None or not int(match[1]):
        raise typer.BadParameter(f"{text!r} is not a size like 500M or 8G.")
    return int(match[1]) << {"": 0, "K": 10, "M": 20, "G": 30, "T": 40}[match[2]]


def _delimiter(text: str) -> str:
    return {"\\t": "\t", "tab": "\t"}.get(text, text)


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
Unlabeled = Annotated[
    list[str] | None,
    typer.Option(
        metavar="FILE",
        help="A table of rows without a class, for the score s_su. May be given several times.",
        show_default=False,
    ),
]
ClassifierName = Annotated[
    Classifier,
    typer.Option(
        metavar=words(Classifier),
        help="The classifier whose probabilities are used: Naive Bayes, which counts categories (nb), or a "
        "Platt-scaled support vector machine, which takes numbers as they are (svm).",
    ),
]
ScoreName = Annotated[
    Score,
    typer.Option(
        metavar=words(Score),
        help="The score that decides which feature leaves: absolute (s_s), signed (s_a) or unlabeled (s_su).",
    ),
]
EstimateName = Annotated[
    Estimate | None,
    typer.Option(
        metavar=words(Estimate),
        help="Which model scores a labelled row: one trained on all other rows (loo), on all rows (resubstitution), "
        "or on the other folds (cv). Default: loo for nb, resubstitution for svm.",
        show_default=False,
    ),
]
Folds = Annotated[
    int | None,
    typer.Option(
        parser=whole_number(2),
        metavar="K",
        help=f"The number of folds for --estimate cv. Default: {DEFAULT_FOLDS}.",
        show_default=False,
    ),
]
Smoothing = Annotated[
    float | None,
    typer.Option(
        parser=number,
        metavar="ALPHA",
        help="nb: what is added to every count; 0 is the exact limit of less and less smoothing. "
        f"Default: {DEFAULT_SMOOTHING}.",
        show_default=False,
    ),
]
KernelName = Annotated[
    Kernel | None,
    typer.Option(
        "--kernel",
        metavar=words(Kernel),
        help="svm: the kernel; linear weighs the columns, rbf also sees how they act together. Default: linear.",
        show_default=False,
    ),
]
Cost = Annotated[
    str | None,
    typer.Option(
        "--C",
        parser=_number_or("scale"),
        metavar="scale|NUMBER",
        help="svm: what a row on the wrong side costs; less is smoother. Default: scale, which is 1 for rbf, and for "
        "linear 1 / the mean squared length of the table's standardised rows: 1 / 30 for 30 numeric columns.",
        show_default=False,
    ),
]
Gamma = Annotated[
    str | None,
    typer.Option(
        parser=_number_or("scale", "auto"),
        metavar="scale|auto|NUMBER",
        help="svm, rbf: how fast the kernel falls with the squared distance. Default: scale, 1 / (columns * variance), "
        "each value of a category being a column; auto is 1 / columns.",
        show_default=False,
    ),
]
RemovalName = Annotated[
    Removal | None,
    typer.Option(
        "--removal",
        metavar=words(Removal),
        help="svm: how a column is taken away: by shuffling it among the rows (permute), or by fitting the model "
        "without it (retrain), which is exact and takes a fit for each column. Default: permute.",
        show_default=False,
    ),
]
Permutations = Annotated[
    int | None,
    typer.Option(
        parser=whole_number(1, MOST_PERMUTATIONS),
        metavar="M",
        help=f"svm, permute: the number of shuffles whose probabilities are averaged. Default: {DEFAULT_PERMUTATIONS}.",
        show_default=False,
    ),
]
Jobs = Annotated[
    int | None,
    typer.Option(
        parser=whole_number(1, 10_000),
        metavar="N",
        help="svm: how many processes fit models at a time. Default: one for each core.",
        show_default=False,
    ),
]
Step = Annotated[
    float,
    typer.Option(
        parser=_step,
        metavar="N",
        help="How many features leave in a round: a number, or a fraction of those that remain.",
    ),
]
NoEliminate = Annotated[
    bool, typer.Option("--no-eliminate", help="Rank by the scores of one round, without elimination.")
]
Top = Annotated[
    int | None,
    typer.Option(
        parser=whole_number(1),
        metavar="K",
        help="Print only the best K features; all are computed.",
        show_default=False,
    ),
]
Exclude = Annotated[
    list[str] | None,
    typer.Option(metavar="COLUMN", help="Leave a column out. May be given several times.", show_default=False),
]
Include = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMN", help="Rank only the columns named so. May be given several times.", show_default=False
    ),
]
Count = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN", help="The column that says how many equal rows a row stands for.", show_default=False
    ),
]
Bins = Annotated[
    int | None,
    typer.Option(
        parser=whole_number(2, MOST_BINS),
        metavar="K",
        help="nb: into how many intervals an unmapped numeric column with more than 20 values is cut. "
        f"Default: {DEFAULT_BINS}.",
        show_default=False,
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
Delimiter = Annotated[
    str | None,
    typer.Option(
        parser=_delimiter,
        metavar="CHAR",
        help="What separates the cells of a CSV file; tab or \\t for a tab. Default: a comma.",
        show_default=False,
    ),
]
Encoding = Annotated[str, typer.Option(metavar="NAME", help="The encoding of text files.")]
MaxUnpacked = Annotated[
    int | None,
    typer.Option(
        parser=_size,
        metavar="SIZE",
        help="How much gzip data may unpack to, like 500M or 8G. Default: 4G, and 250 times its own size where that is "
        "less and above 64M.",
        show_default=False,
    ),
]
InputFormat = Annotated[
    TableFormat | None,
    typer.Option(
        "--input-format",
        metavar=words(TableFormat),
        help="The format of what is read. Default: by its ending, else by how it begins.",
        show_default=False,
    ),
]
ResultFormat = Annotated[
    OutputFormat | None,
    typer.Option(
        "--format",
        metavar=words(OutputFormat),
        help="The format of the result. Default: by the ending of --output, else a table on a terminal "
        "and CSV elsewhere.",
        show_default=False,
    ),
]
WrittenFormat = Annotated[
    TableFormat | None,
    typer.Option(
        "--format",
        metavar=words(TableFormat),
        help="The format of the table. Default: by the ending of --output, else CSV.",
        show_default=False,
    ),
]
SafeCsv = Annotated[
    bool,
    typer.Option(
        "--safe-csv",
        help="CSV and TSV for spreadsheets: a text that would be taken for a formula begins with an apostrophe.",
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
Seed = Annotated[
    int,
    typer.Option(
        parser=whole_number(0),
        metavar="N",
        help="The seed of the folds of --estimate cv and of the svm's folds and shuffles; nothing else is random.",
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
