"""probfs suggest"""

from __future__ import annotations

import typer

from probfs.cli import options as opt
from probfs.cli.console import deliver, refuse_overwriting, reporting, require_data

EXAMPLES = """Examples:

probfs suggest patients.csv > patients.toml

probfs rank patients.csv --mapping patients.toml
"""


def suggest(
    context: typer.Context,
    data: opt.Data = "-",
    target: opt.Target = None,
    count: opt.Count = None,
    bins: opt.Bins = opt.BINS,
    na: opt.Na = None,
    delimiter: opt.Delimiter = None,
    encoding: opt.Encoding = "utf-8",
    input_format: opt.InputFormat = None,
    output: opt.OutputPath = None,
    quiet: opt.Quiet = False,
) -> None:
    """Write a draft mapping for a table: identifiers dropped, long numeric columns cut, rare values grouped."""
    require_data(data, context)
    refuse_overwriting(output, data)
    from probfs.api import load, target_note
    from probfs.planning import ColumnChoice
    from probfs.readers import ReadOptions
    from probfs.suggestion import suggest_mapping

    with reporting(quiet, progress=False) as reporter:
        choice = ColumnChoice(target=target, count=count, na=tuple(na or ()), bins=bins)
        prepared, _ = load(data, None, ReadOptions(input_format, delimiter, encoding), choice)
        reporter.note(target_note(prepared))
    deliver(suggest_mapping(prepared, bins, tuple(na or ())), output)
