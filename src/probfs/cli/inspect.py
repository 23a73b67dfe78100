"""probfs inspect"""

from __future__ import annotations

import typer

from probfs.choices import DEFAULT_BINS
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

EXAMPLES = """Examples:

probfs inspect patients.csv

probfs inspect patients.csv --mapping patients.toml --format json
"""


def inspect(
    context: typer.Context,
    data: opt.Data = "-",
    target: opt.Target = None,
    mapping: opt.MappingPath = None,
    exclude: opt.Exclude = None,
    include: opt.Include = None,
    count: opt.Count = None,
    classifier: opt.ClassifierName = "nb",
    bins: opt.Bins = None,
    na: opt.Na = None,
    delimiter: opt.Delimiter = None,
    encoding: opt.Encoding = "utf-8",
    max_unpacked: opt.MaxUnpacked = None,
    input_format: opt.InputFormat = None,
    format: opt.ResultFormat = None,
    output: opt.OutputPath = None,
    safe_csv: opt.SafeCsv = False,
    quiet: opt.Quiet = False,
) -> None:
    """Say what each column holds and what rank would do with it, and how the classes are balanced."""
    require_data(data, context)
    check_output(output, data, mapping)
    from probfs.api import load, target_note
    from probfs.classifiers.settings import check_meaning
    from probfs.columns.inspection import inspect_table
    from probfs.columns.roles import ColumnChoice
    from probfs.rendering import format_for
    from probfs.rendering.inspection import render_inspection
    from probfs.tables.readers import ReadOptions

    result_format = format_for(output, format, stdout_is_terminal())
    check_safe_csv(safe_csv, result_format)
    check_meaning(classifier, {"bins": bins})
    with reporting(quiet, progress=False) as reporter:
        choice = ColumnChoice(
            target,
            count,
            tuple(include or ()),
            tuple(exclude or ()),
            tuple(na or ()),
            bins or DEFAULT_BINS,
            classifier == "svm",
        )
        prepared, _ = load(data, mapping, ReadOptions(input_format, delimiter, encoding, max_unpacked), choice)
        reporter.note(target_note(prepared))
        inspection = inspect_table(prepared)
        for note in inspection.notes:
            reporter.note(note)
    width, color = table_width(output), wants_color(output)
    deliver(render_inspection(inspection, result_format, width, color, safe_csv), output)
