"""probfs generate"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from probfs.choices import PROBLEMS, WESTON_NOISE, Problem, Sampling
from probfs.cli import options as opt
from probfs.cli.console import check_output, deliver
from probfs.errors import UsageError

EXAMPLES = """Examples:

probfs generate weston --rows 100 --output weston.csv

probfs generate xcp --c 1 --p 0.7 --relevant 3 --noise 10 | probfs rank - --classifier svm

probfs generate nominal --sampling undersampling --rows 60 --unlabeled-rows 1000 --output nominal.arff
"""

_OWN: Mapping[Problem, Mapping[str, Any]] = {
    "xcp": {"c": 1.0, "p": 0.7, "balance": 0.5, "relevant": 1, "noise": 1},
    "weston": {"noise": WESTON_NOISE},
    "nominal": {"sampling": "proportionate"},
}
"""The options that each problem has, and what they are when nothing is said."""

ProblemName = Annotated[
    Problem,
    typer.Argument(
        metavar="|".join(PROBLEMS),
        help="What to draw: numeric columns X_{c,p} beside noise (xcp), Weston's linear problem with six relevant "
        "columns (weston), or five nominal columns of which the first matters (nominal).",
        show_default=False,
    ),
]
Rows = Annotated[int, typer.Option(parser=opt.whole_number(1, 10_000_000), metavar="N", help="How many labelled rows.")]
UnlabeledRows = Annotated[
    int,
    typer.Option(
        parser=opt.whole_number(0, 10_000_000),
        metavar="N",
        help="How many rows without a class; nominal draws them from the population, whatever --sampling.",
    ),
]
UnlabeledOutput = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Where the rows without a class go. Default: after the others, with an empty class.",
        show_default=False,
    ),
]
Shift = Annotated[
    float | None,
    typer.Option(
        parser=opt.number,
        metavar="C",
        help="xcp: how far a relevant column is shifted. Default: 1.",
        show_default=False,
    ),
]
Share = Annotated[
    float | None,
    typer.Option(
        parser=opt.share,
        metavar="P",
        help="xcp: in which share of the rows a relevant column is shifted at all. Default: 0.7.",
        show_default=False,
    ),
]
Balance = Annotated[
    float | None,
    typer.Option(
        parser=opt.share, metavar="SHARE", help="xcp: the share of positive rows. Default: 0.5.", show_default=False
    ),
]
Relevant = Annotated[
    int | None,
    typer.Option(
        parser=opt.whole_number(0, 100_000),
        metavar="N",
        help="xcp: how many relevant columns. Default: 1.",
        show_default=False,
    ),
]
Noise = Annotated[
    int | None,
    typer.Option(
        parser=opt.whole_number(0, 100_000),
        metavar="N",
        help=f"xcp, weston: how many columns of noise. Default: 1 for xcp, {WESTON_NOISE} for weston.",
        show_default=False,
    ),
]
SamplingName = Annotated[
    Sampling | None,
    typer.Option(
        "--sampling",
        metavar=opt.words(Sampling),
        help="nominal: how the labelled rows are drawn; the telling values as often as in the population, too often or "
        "too rarely. Default: proportionate.",
        show_default=False,
    ),
]
Seed = Annotated[
    int, typer.Option(parser=opt.whole_number(0), metavar="N", help="The seed; the same one draws the same table.")
]


def generate(
    problem: ProblemName,
    rows: Rows = 100,
    unlabeled_rows: UnlabeledRows = 0,
    unlabeled_output: UnlabeledOutput = None,
    c: Shift = None,
    p: Share = None,
    balance: Balance = None,
    relevant: Relevant = None,
    noise: Noise = None,
    sampling: SamplingName = None,
    seed: Seed = 0,
    format: opt.WrittenFormat = None,
    output: opt.OutputPath = None,
) -> None:
    """Draw one of the paper's random tables, in which it is known what matters."""
    given = {"c": c, "p": p, "balance": balance, "relevant": relevant, "noise": noise, "sampling": sampling}
    own = _settled(problem, given)
    if unlabeled_output is not None and not unlabeled_rows:
        raise UsageError("--unlabeled-output: there is no unlabelled row; ask for some with --unlabeled-rows")
    _check_outputs(output, unlabeled_output)
    from probfs.paper.synthetic import CLASS, drawn
    from probfs.tables.writers import table_format_for, written

    table_format = table_format_for(output, format)
    unlabeled_format = table_format_for(unlabeled_output, format, "unlabeled_output")
    labelled, unlabelled = drawn(problem, rows, unlabeled_rows, seed, own)
    if unlabeled_output is not None:
        deliver(written(unlabelled.unlabelled(), unlabeled_format), unlabeled_output)
        deliver(written(labelled.labelled(), table_format, CLASS), output)
    else:
        deliver(written(labelled.followed_by(unlabelled), table_format, CLASS), output)


def _check_outputs(*outputs: Path | None) -> None:
    """Both files can be there or none: what is wrong with either is said before one is written."""
    named = [path for path in outputs if path is not None]
    for path in named:
        check_output(path)
    if len({os.path.realpath(path) for path in named}) < len(named):
        raise UsageError("--unlabeled-output: is --output too; name another file")


def _settled(problem: Problem, given: Mapping[str, Any]) -> dict[str, Any]:
    own = _OWN[problem]
    for name, value in given.items():
        if value is not None and name not in own:
            owners = " and ".join(other for other, options in _OWN.items() if name in options)
            raise UsageError(f"--{name} goes with {owners} only")
    settled = {name: default if given[name] is None else given[name] for name, default in own.items()}
    if problem == "xcp" and not settled["relevant"] + settled["noise"]:
        raise UsageError("--relevant and --noise: a table needs a column beside its class")
    return settled
