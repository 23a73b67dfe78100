"""``probfs generate``; what it does stands in ``COMMANDS``, with the other commands."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from probfs.cli import options as opt
from probfs.cli import parsers
from probfs.cli.bundles import Bundle
from probfs.cli.destination import check_output, deliver
from probfs.errors import UsageError
from probfs.paper.catalogue import PROBLEMS, SAMPLINGS, WESTON_NOISE

EXAMPLES = """Examples:

probfs generate weston --rows 100 --output weston.csv

probfs generate xcp --c 1 --p 0.7 --relevant 3 --noise 10 | probfs rank - --classifier svm

probfs generate nominal --sampling undersampling --rows 60 --unlabeled-rows 1000 --output nominal.arff
"""

Rows = Annotated[
    int, opt.parsed(parsers.whole_number(1, 10_000_000), "N", "How many labelled rows.", show_default=True)
]
UnlabeledRows = Annotated[
    int,
    opt.parsed(
        parsers.whole_number(0, 10_000_000),
        "N",
        "How many rows without a class; nominal draws them from the population, whatever --sampling.",
        show_default=True,
    ),
]
UnlabeledOutput = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE", help="Where the rows without a class go. Default: after the others, with an empty class."
    ),
]
Seed = Annotated[
    int, opt.parsed(parsers.whole_number(0), "N", "The seed; the same one draws the same table.", show_default=True)
]


@dataclass(frozen=True)
class ProblemOptions(Bundle):
    """The problem and its options, None where nothing was said."""

    problem: str
    c: Annotated[
        float | None,
        opt.parsed(parsers.number, "C", "xcp: how far a relevant column is shifted. Default: 1."),
    ] = None
    p: Annotated[
        float | None,
        opt.parsed(
            parsers.share, "P", "xcp: in which share of the rows a relevant column is shifted at all. Default: 0.7."
        ),
    ] = None
    balance: Annotated[
        float | None,
        opt.parsed(parsers.share, "SHARE", "xcp: the share of positive rows. Default: 0.5."),
    ] = None
    relevant: Annotated[
        int | None,
        opt.parsed(parsers.whole_number(0, 100_000), "N", "xcp: how many relevant columns. Default: 1."),
    ] = None
    noise: Annotated[
        int | None,
        opt.parsed(
            parsers.whole_number(0, 100_000),
            "N",
            f"xcp, weston: how many columns of noise. Default: 1 for xcp, {WESTON_NOISE} for weston.",
        ),
    ] = None
    sampling: str | None = None

    @classmethod
    def registered(cls) -> Mapping[str, Any]:
        argument = typer.Argument(
            metavar="|".join(PROBLEMS),
            help="What to draw: numeric columns X_{c,p} beside noise (xcp), Weston's linear problem with six relevant "
            "columns (weston), or five nominal columns of which the first matters (nominal).",
            show_default=False,
        )
        sampling = opt.choice(
            SAMPLINGS,
            "nominal: how the labelled rows are drawn; the telling values as often as in the population, too often or "
            "too rarely. Default: proportionate.",
        )
        return {"problem": opt.words(tuple(PROBLEMS), argument), "sampling": sampling}

    def completed(self) -> dict[str, Any]:
        """The problem's own options with their defaults; an option of another problem is refused."""
        given = {name: value for name, value in asdict(self).items() if name != "problem"}
        own = PROBLEMS[self.problem]
        for name, value in given.items():
            if value is not None and name not in own:
                owners = " and ".join(other for other, options in PROBLEMS.items() if name in options)
                raise UsageError(f"--{name} goes with {owners} only")
        completed = {name: default if given[name] is None else given[name] for name, default in own.items()}
        if self.problem == "xcp" and not completed["relevant"] + completed["noise"]:
            raise UsageError("--relevant and --noise: a table needs a column beside its class")
        return completed


def generate(
    drawn_from: ProblemOptions,
    result: opt.TableOutput,
    rows: Rows = 100,
    unlabeled_rows: UnlabeledRows = 0,
    unlabeled_output: UnlabeledOutput = None,
    seed: Seed = 0,
) -> None:
    options = drawn_from.completed()
    if unlabeled_output is not None and not unlabeled_rows:
        raise UsageError("--unlabeled-output: there is no unlabelled row; ask for some with --unlabeled-rows")
    _check_outputs(result.output, unlabeled_output)
    from probfs.paper.synthetic import CLASS, draw_sample
    from probfs.tables.writers import choose_table_format, table_bytes

    table_format = choose_table_format(result.output, result.format)
    unlabeled_format = choose_table_format(unlabeled_output, result.format, "unlabeled_output")
    labelled, unlabelled = draw_sample(drawn_from.problem, rows, unlabeled_rows, seed, options)
    if unlabeled_output is not None:
        deliver(table_bytes(unlabelled.unlabelled(), unlabeled_format), unlabeled_output)
        deliver(table_bytes(labelled.labelled(), table_format, CLASS), result.output)
    else:
        deliver(table_bytes(labelled.followed_by(unlabelled), table_format, CLASS), result.output)


def _check_outputs(*outputs: Path | None) -> None:
    """Both files can be there or none: what is wrong with either is said before one is written."""
    named = [path for path in outputs if path is not None]
    for path in named:
        check_output(path)
    if len({os.path.realpath(path) for path in named}) < len(named):
        raise UsageError("--unlabeled-output: is --output too; name another file")
