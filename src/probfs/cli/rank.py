"""``probfs rank``; what it does stands in ``COMMANDS``, with the other commands."""

from __future__ import annotations

from typing import Annotated

import typer

from probfs.cli import options as opt
from probfs.cli.classifier_options import ClassifierOptions, EliminationOptions
from probfs.cli.reporter import reporting
from probfs.cli.streams import require_data
from probfs.output.formats import RANKING_FORMATS

EXAMPLES = """Examples:

probfs rank patients.csv

probfs rank patients.csv --target outcome --score signed --top 10

probfs rank survey.csv --unlabeled more.csv --score unlabeled

probfs rank measurements.csv --classifier svm --kernel rbf

probfs rank sales/ --target returned --exclude year

zcat log.csv.gz | probfs rank - --format json > ranking.json
"""

Unlabeled = Annotated[
    list[str] | None,
    typer.Option(
        metavar="FILE",
        help="A table of rows without a class, for the score s_su: a file, a pattern or a directory. May be given "
        "several times.",
        show_default=False,
    ),
]

Uncertainty = Annotated[
    bool,
    typer.Option(
        "--uncertainty",
        help="Also say how sure the ranking is: standard errors of the scores in round 1, and rank intervals. Takes 50 "
        "rankings of half of the rows.",
    ),
]


class RankingOutput(opt.DocumentOutput):
    formats = RANKING_FORMATS


def rank(
    context: typer.Context,
    columns: opt.ColumnOptions,
    classifier: ClassifierOptions,
    elimination: EliminationOptions,
    reading: opt.ReadingOptions,
    result: RankingOutput,
    engine: opt.EngineOptions,
    data: opt.Data = None,
    unlabeled: Unlabeled = None,
    top: opt.Top = None,
    uncertainty: Uncertainty = False,
    plot: opt.Plot = None,
    quiet: opt.Quiet = 0,
    progress: opt.Progress = None,
) -> None:
    files = require_data(data, context)
    inputs = (*files, columns.mapping, *(unlabeled or ()))
    destination, picture = result.destination(*inputs), result.picture(plot, *inputs)
    from probfs import api

    with reporting(quiet, progress) as reporter:
        ranking = api.rank(
            files,
            unlabeled=unlabeled or (),
            target=columns.target,
            cut_target=columns.cut_target,
            min_class=columns.min_class,
            mapping=columns.mapping,
            include=columns.include or (),
            exclude=columns.exclude or (),
            keep_identifiers=columns.keep_identifiers,
            count=columns.count,
            na=columns.na or (),
            classifier=classifier.classifier,
            **classifier.options,
            score=elimination.score,
            estimate=elimination.estimate,
            folds=elimination.folds,
            step=elimination.step,
            eliminate=not elimination.no_eliminate,
            seed=elimination.seed,
            uncertainty=uncertainty,
            report=destination.format.tells_background,
            delimiter=reading.delimiter,
            decimal=reading.decimal,
            encoding=reading.encoding,
            max_unpacked=reading.max_unpacked,
            input_format=reading.input_format,
            union=reading.union,
            **engine.keywords(),
            on_note=reporter.note,
        )
    destination.write(ranking.top(top))
    if picture is not None:
        picture.write(ranking.top(top))
