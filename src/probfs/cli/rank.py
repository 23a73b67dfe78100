"""probfs rank"""

from __future__ import annotations

import typer

from probfs.cli import options as opt
from probfs.cli.console import (
    deliver,
    refuse_overwriting,
    reporting,
    require_data,
    stdout_is_terminal,
    table_width,
    wants_color,
)

EXAMPLES = """Examples:

probfs rank patients.csv

probfs rank patients.csv --target outcome --score signed --top 10

probfs rank survey.csv --unlabeled more.csv --score unlabeled

zcat log.csv.gz | probfs rank - --format json > ranking.json
"""


def rank(
    context: typer.Context,
    data: opt.Data = "-",
    target: opt.Target = None,
    mapping: opt.MappingPath = None,
    unlabeled: opt.Unlabeled = None,
    classifier: opt.ClassifierName = "nb",
    score: opt.ScoreName = "absolute",
    estimate: opt.EstimateName = "loo",
    folds: opt.Folds = None,
    smoothing: opt.Smoothing = 1.0,
    step: opt.Step = 1,
    no_eliminate: opt.NoEliminate = False,
    top: opt.Top = None,
    exclude: opt.Exclude = None,
    include: opt.Include = None,
    count: opt.Count = None,
    bins: opt.Bins = opt.BINS,
    na: opt.Na = None,
    delimiter: opt.Delimiter = None,
    encoding: opt.Encoding = "utf-8",
    input_format: opt.InputFormat = None,
    format: opt.ResultFormat = None,
    output: opt.OutputPath = None,
    seed: opt.Seed = 0,
    quiet: opt.Quiet = False,
    progress: opt.Progress = None,
) -> None:
    """Rank the columns of a table by what the class probabilities lose without them."""
    require_data(data, context)
    refuse_overwriting(output, data, mapping, *(unlabeled or ()))
    from probfs import api
    from probfs.render import format_for, render

    result_format = format_for(output, format, stdout_is_terminal())
    with reporting(quiet, progress) as reporter:
        ranking = api.rank(
            data,
            target=target,
            mapping=mapping,
            unlabeled=unlabeled or (),
            classifier=classifier,
            score=score,
            estimate=estimate,
            folds=folds,
            smoothing=smoothing,
            step=step,
            eliminate=not no_eliminate,
            include=include or (),
            exclude=exclude or (),
            count=count,
            bins=bins,
            na=na or (),
            delimiter=delimiter,
            encoding=encoding,
            input_format=input_format,
            seed=seed,
            on_note=reporter.note,
            on_round=reporter.round_done,
        )
    text = render(ranking.top(top), result_format, width=table_width(output), color=wants_color(output))
    deliver(text, output)
