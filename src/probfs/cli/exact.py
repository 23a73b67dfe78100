"""``probfs exact``; what it does stands in ``COMMANDS``, with the other commands."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from probfs import __version__
from probfs.cli import options as opt
from probfs.cli.reporter import reporting
from probfs.cli.streams import require_data
from probfs.paper.rendering.population import POPULATION_FORMATS

EXAMPLES = """Examples:

probfs exact joint.csv

probfs exact joint.csv --format json
"""

JointPaths = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="JOINT...",
        help="A table with a row for each cell of the distribution: its features, p (its probability) and p_y (that of "
        "the positive class in it); - is standard input. Several files, a pattern or a directory are one table.",
        show_default=False,
    ),
]


class PopulationOutput(opt.DocumentOutput):
    formats = POPULATION_FORMATS


def exact(
    context: typer.Context,
    reading: opt.ReadingOptions,
    result: PopulationOutput,
    joint: JointPaths = None,
    quiet: opt.Quiet = 0,
) -> None:
    files = require_data(joint, context)
    destination = result.destination(*files)
    from probfs.paper.rendering.population import PopulationReport
    from probfs.paper.theory import joint_from_table, population_scores
    from probfs.ranking.inputs import every_name
    from probfs.tables.reading import read_table

    with reporting(quiet, progress=False) as reporter:
        table = read_table(files, replace(reading.chosen(), as_text=every_name))
        for note in table.notes:
            reporter.note(note)
        distribution = joint_from_table(table, reading.decimal or ".")
    destination.write(PopulationReport(__version__, table.source, population_scores(distribution)))
