"""``probfs select``; what it does stands in ``COMMANDS``, with the other commands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from probfs.classifiers.scores import SCORES
from probfs.cli import options as opt
from probfs.cli import parsers
from probfs.cli.bundles import Bundle
from probfs.cli.classifier_options import ClassifierOptions
from probfs.cli.destination import check_apart, check_output, deliver
from probfs.cli.reporter import reporting
from probfs.cli.streams import require_data, stdout_is_terminal
from probfs.errors import DataError, UsageError
from probfs.notes import NoteKind
from probfs.output.formats import SELECTION_FORMATS
from probfs.ranking.settings import SEED
from probfs.selection.settings import (
    DEFAULT_FALSE_DISCOVERIES,
    DEFAULT_KEEP,
    DEFAULT_NESTED_FOLDS,
    FALSE_DISCOVERIES,
    KEEP,
    NESTED_FOLDS,
)
from probfs.text import printable, quoted

if TYPE_CHECKING:
    from probfs.selection.result import Selection

EXAMPLES = """Examples:

probfs select patients.csv

probfs select patients.csv --target outcome --reduced small.parquet

probfs select patients.csv --keep fewest --always age,sex --format json

probfs select patients.csv --names --quiet > kept.txt
"""

Reduced = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Write the table with only the kept columns, the target and the count, cells and order as they were; the "
        "ending decides the format.",
    ),
]
Names = Annotated[
    bool, typer.Option("--names", help="Print only the names of the kept columns, one a line, best first.")
]


@dataclass(frozen=True)
class SelectionOptions(Bundle):
    """What is told from noise, where to cut, and how that is judged."""

    false_discoveries: Annotated[
        float,
        opt.parsed(
            parsers.parser(FALSE_DISCOVERIES),
            FALSE_DISCOVERIES.metavar,
            "The share of noise tolerated among the columns told from noise, from 1e-06 to 1, which screens nothing.",
            show_default=True,
        ),
    ] = DEFAULT_FALSE_DISCOVERIES
    keep: Annotated[
        str,
        opt.parsed(
            parsers.parser(KEEP),
            KEEP.metavar,
            "How many columns to keep: as many as have the least log-loss (best), the fewest or the most within one "
            "standard error of it, or at most N; fewer where fewer are told from noise (--false-discoveries 1 screens "
            "nothing).",
            show_default=True,
        ),
    ] = DEFAULT_KEEP
    always: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN",
            help="Keep a column whatever it says, or several: a,b. May be given several times.",
            show_default=False,
        ),
    ] = None
    score: str = "signed"
    folds: Annotated[
        int,
        opt.parsed(
            parsers.parser(NESTED_FOLDS),
            NESTED_FOLDS.metavar,
            "In how many folds the choice is repeated and judged on unseen rows; 0: not at all.",
            show_default=True,
        ),
    ] = DEFAULT_NESTED_FOLDS
    seed: Annotated[
        int,
        opt.parsed(
            parsers.parser(SEED),
            SEED.metavar,
            "The seed of the folds, of the tables drawn to test sparse columns, of shuffled columns, and of forests.",
            show_default=True,
        ),
    ] = 0

    @classmethod
    def registered(cls) -> Mapping[str, Any]:
        scores = SCORES.names(lambda score: not score.needs_unlabelled)
        return {"score": opt.choice(scores, "The score that decides which feature leaves.", cls.score)}


class SelectionOutput(opt.DocumentOutput):
    formats = SELECTION_FORMATS


def select(
    context: typer.Context,
    columns: opt.ColumnOptions,
    classifier: ClassifierOptions,
    selection: SelectionOptions,
    reading: opt.ReadingOptions,
    result: SelectionOutput,
    engine: opt.EngineOptions,
    data: opt.Data = None,
    reduced: Reduced = None,
    names: Names = False,
    top: opt.Top = None,
    plot: opt.Plot = None,
    quiet: opt.Quiet = 0,
    progress: opt.Progress = None,
) -> None:
    files = require_data(data, context)
    if reduced is not None and engine.engine == "dask":
        raise UsageError("--reduced needs the table here, and with --engine dask only workers read it; leave out one")
    if names:
        _refuse_other_formats(result)
        check_output(result.output, *files, columns.mapping)
    destination = None if names else result.destination(*files, columns.mapping)
    picture = result.picture(plot, *files, columns.mapping, reduced)
    reduced_format = None if reduced is None else _check_reduced(reduced, result.output, *files, columns.mapping)
    from probfs import api
    from probfs.ranking.inputs import every_name
    from probfs.tables.reading import read_table

    with reporting(quiet, progress) as reporter:
        # A table that is to be reduced is needed twice; otherwise mistakes in options are found before it is read.
        table = None if reduced is None else read_table(files, replace(reading.chosen(), as_text=every_name))
        selected = api.select(
            files if table is None else table,
            classifier=classifier.classifier,
            **classifier.options,
            **columns.keywords(),
            **selection.keywords(),
            **(reading.keywords() if table is None else {"decimal": reading.decimal}),
            **engine.keywords(),
            report=destination is not None and destination.format.tells_background,
            on_note=reporter.note,
        )
        if names and not selected.kept:
            reporter.note(NoteKind.NOTHING_KEPT.note("no column is kept, so no name is printed"))
    if table is not None and reduced_format is not None:
        from probfs.tables.writers import table_bytes

        small = table.only(selected.reduced_columns)
        target, safe = selected.input.target, result.safe_csv
        deliver(table_bytes(small, reduced_format, target, safe=safe, plain_numbers=True), reduced)
    if destination is None:
        deliver(_kept_names(selected, top, result.output), result.output)
    else:
        destination.write(selected.top(top))
    if picture is not None:
        picture.write(selected.top(top))


def _refuse_other_formats(result: SelectionOutput) -> None:
    for option, given in (("--format", result.format is not None), ("--safe-csv", result.safe_csv)):
        if given:
            raise UsageError(f"--names: the result is a list of names; leave out {option}, or --names")


def _check_reduced(reduced: Path, output: Path | None, *inputs: str | Path | None) -> str:
    """The format of the reduced table, once it is known that it can be written and takes the place of nothing else."""
    check_output(reduced, *inputs, option="--reduced")
    check_apart(reduced, output, "--reduced")
    from probfs.tables.writers import choose_table_format

    return choose_table_format(reduced, None, "reduced", by_name=False)


def _kept_names(selection: Selection, top: int | None, output: Path | None) -> str:
    """The kept names, one a line: as they are for programs, and escaped for a terminal."""
    kept = selection.kept[:top]
    if output is None and stdout_is_terminal():
        kept = tuple(map(printable, kept))
    for name in kept:
        if "\n" in name or "\r" in name:
            raise DataError(f"--names: the name {quoted(name)} is more than one line; use --format json")
    return "".join(f"{name}\n" for name in kept)
