"""probfs rank"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import typer

from probfs.cli import options as opt
from probfs.cli.console import (
    check_output,
    check_safe_csv,
    deliver,
    reporting,
    require_data,
    stdout_is_terminal,
    table_width,
    wants_color,
)

if TYPE_CHECKING:
    from probfs.classifiers.settings import Cost, Gamma

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
    max_unpacked: opt.MaxUnpacked = None,
    input_format: opt.InputFormat = None,
    format: opt.ResultFormat = None,
    output: opt.OutputPath = None,
    safe_csv: opt.SafeCsv = False,
    seed: opt.Seed = 0,
    jobs: opt.Jobs = None,
    quiet: opt.Quiet = False,
    progress: opt.Progress = None,
) -> None:
    """Rank the columns of a table by what the class probabilities lose without them."""
    require_data(data, context)
    check_output(output, data, mapping, *(unlabeled or ()))
    from probfs import api
    from probfs.rendering import format_for, render

    result_format = format_for(output, format, stdout_is_terminal())
    check_safe_csv(safe_csv, result_format)
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
            max_unpacked=max_unpacked,
            input_format=input_format,
            seed=seed,
            jobs=jobs,
            on_note=reporter.note,
            on_round=reporter.round_done,
            on_model=reporter.model_done,
        )
    width, color = table_width(output), wants_color(output)
    text = render(ranking.top(top), result_format, width=width, color=color, safe=safe_csv)
    deliver(text, output)
