"""``probfs inspect``; what it does stands in ``COMMANDS``, with the other commands."""

from __future__ import annotations

import typer

from probfs.cli import options as opt
from probfs.cli.classifier_options import ColumnClassifierOptions
from probfs.cli.reporter import reporting
from probfs.cli.streams import require_data
from probfs.output.formats import INSPECTION_FORMATS

EXAMPLES = """Examples:

probfs inspect patients.csv

probfs inspect patients.csv --mapping patients.toml --format json
"""


class InspectionOutput(opt.DocumentOutput):
    formats = INSPECTION_FORMATS


def inspect(
    context: typer.Context,
    columns: opt.ColumnOptions,
    classifier: ColumnClassifierOptions,
    reading: opt.ReadingOptions,
    result: InspectionOutput,
    data: opt.Data = None,
    quiet: opt.Quiet = 0,
) -> None:
    files = require_data(data, context)
    destination = result.destination(*files, columns.mapping)
    from probfs.columns.inspect import inspect_table
    from probfs.ranking.inputs import read_prepared

    choice = classifier.column_choice(columns)
    with reporting(quiet, progress=False) as reporter:
        prepared, _ = read_prepared(files, columns.mapping, reading.chosen(), choice, every_column=True)
        reporter.note(prepared.target_note)
        inspection = inspect_table(prepared)
        for note in inspection.notes:
            reporter.note(note)
    destination.write(inspection)
