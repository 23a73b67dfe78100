"""probfs exact"""

from __future__ import annotations

from typing import Annotated

import typer

from probfs import __version__
from probfs.cli import options as opt
from probfs.cli.console import (
    check_output,
    check_safe_csv,
    deliver,
    require_data,
    stdout_is_terminal,
    table_width,
    wants_color,
)

EXAMPLES = """Examples:

probfs exact joint.csv

probfs exact joint.csv --format json
"""

JointPath = Annotated[
    str,
    typer.Argument(
        metavar="JOINT",
        help="A table with a row for each cell of the distribution: its features, p (its probability) and p_y (that of "
        "the positive class in it); - is standard input.",
        show_default=False,
    ),
]


def exact(
    context: typer.Context,
    joint: JointPath = "-",
    delimiter: opt.Delimiter = None,
    encoding: opt.Encoding = "utf-8",
    max_unpacked: opt.MaxUnpacked = None,
    input_format: opt.InputFormat = None,
    format: opt.ResultFormat = None,
    output: opt.OutputPath = None,
    safe_csv: opt.SafeCsv = False,
) -> None:
    """Compute the scores of a distribution that is fully known, which rank estimates from rows."""
    require_data(joint, context)
    check_output(output, joint)
    from probfs.paper.theory import joint_from_table, population_scores
    from probfs.rendering import format_for
    from probfs.rendering.population import render_population
    from probfs.tables.readers import ReadOptions, read_table

    result_format = format_for(output, format, stdout_is_terminal())
    check_safe_csv(safe_csv, result_format)
    table = read_table(joint, ReadOptions(input_format, delimiter, encoding, max_unpacked))
    scores = population_scores(joint_from_table(table))
    about = {"version": __version__, "source": table.source}
    width, color = table_width(output), wants_color(output)
    deliver(render_population(scores, result_format, about, width, color, safe_csv), output)
