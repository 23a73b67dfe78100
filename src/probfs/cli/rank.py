"""probfs rank"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

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

if TYPE_CHECKING:
    from probfs.settings import Cost, Gamma

EXAMPLES = """Examples:

probfs rank patients.csv

probfs rank patients.csv --target outcome --score signed --top 10

probfs rank survey.csv --unlabeled more.csv --score unlabeled

probfs rank measurements.csv --classifier svm --kernel rbf

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
    estimate: opt.EstimateName = None,
    folds: opt.Folds = None,
    smoothing: opt.Smoothing = None,
    kernel: opt.KernelName = None,
    cost: opt.Cost = None,
    gamma: opt.Gamma = None,
    removal: opt.RemovalName = None,
    permutations: opt.Permutations = None,
    step: opt.Step = 1,
    no_eliminate: opt.NoEliminate = False,
    top: opt.Top = None,
    exclude: opt.Exclude = None,
    include: opt.Include = None,
    count: opt.Count = None,
    bins: opt.Bins = None,
    na: opt.Na = None,
    delimiter: opt.Delimiter = None,
    encoding: opt.Encoding = "utf-8",
    input_format: opt.InputFormat = None,
    format: opt.ResultFormat = None,
    output: opt.OutputPath = None,
    seed: opt.Seed = 0,
    jobs: opt.Jobs = None,
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
            kernel=kernel,
            C=cast("Cost | None", cost),
            gamma=cast("Gamma | None", gamma),
            removal=removal,
            permutations=permutations,
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
            jobs=jobs,
            on_note=reporter.note,
            on_round=reporter.round_done,
            on_model=reporter.model_done,
        )
    text = render(ranking.top(top), result_format, width=table_width(output), color=wants_color(output))
    deliver(text, output)
