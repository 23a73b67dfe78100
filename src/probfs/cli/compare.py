"""``probfs compare``; what it does stands in ``COMMANDS``, with the other commands."""

from __future__ import annotations

import contextlib
from typing import Annotated

import typer

from probfs.cli import options as opt
from probfs.cli import parsers
from probfs.cli.reporter import reporting
from probfs.cli.streams import require_data, tell
from probfs.comparison.result import MEASURES, parse_condition
from probfs.output.formats import COMPARISON_FORMATS
from probfs.text import printable

EXAMPLES = """Examples:

probfs compare yesterday.json today.json

probfs compare yesterday.json today.csv --fail-if 'spearman<0.8' --fail-if 'vanished>0'

probfs rank today.csv --format json | probfs compare yesterday.json - --format json
"""

CONDITION_IS_TRUE = 3
"""The exit status when a condition of ``--fail-if`` is true."""

_DOCUMENT = "the JSON of rank or select, or a table, which is ranked with the target and settings of the other"
Old = Annotated[
    str,
    typer.Argument(metavar="OLD", help=f"What was: {_DOCUMENT}; - is standard input.", show_default=False),
]
New = Annotated[
    str, typer.Argument(metavar="NEW", help=f"What is: {_DOCUMENT}; - is standard input.", show_default=False)
]
Top = Annotated[
    int | None,
    opt.parsed(
        parsers.whole_number(1),
        "K",
        "How many of the first columns the measure overlap is about. Default: 10, or half of the columns where there "
        "are fewer than 20.",
    ),
]
FailIf = Annotated[
    list[str] | None,
    typer.Option(
        metavar="CONDITION",
        help="Exit with status 3, once the result is written, if this is true, like 'spearman<0.8' (in quotes). "
        f"Measures: {', '.join(MEASURES)}; operators: < <= > >= == !=. A measure that the documents do not give makes "
        "its condition true. May be given several times.",
        show_default=False,
    ),
]


class ComparisonOutput(opt.DocumentOutput):
    formats = COMPARISON_FORMATS


def compare(
    context: typer.Context,
    reading: opt.ReadingOptions,
    result: ComparisonOutput,
    old: Old,
    new: New,
    top: Top = None,
    fail_if: FailIf = None,
    quiet: opt.Quiet = 0,
    progress: opt.Progress = None,
) -> None:
    for path in (old, new):
        require_data([path], context)
    conditions = [parse_condition(text) for text in fail_if or ()]
    destination = result.destination(old, new)
    from probfs.comparison import compare as compare_documents

    with reporting(quiet, progress) as reporter:
        comparison = compare_documents(old, new, top=top, **reading.keywords(), on_note=reporter.note)
    failed = [reason for condition in conditions if (reason := condition.explain(comparison)) is not None]
    # A reader who has had enough of the result does not make a condition less true.
    with contextlib.suppress(typer.Exit):
        destination.write(comparison)
    for reason in failed:
        tell(f"probfs: failed: {printable(reason)}")
    if failed:
        raise typer.Exit(CONDITION_IS_TRUE)
