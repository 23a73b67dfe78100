"""``probfs suggest``; what it does stands in ``COMMANDS``, with the other commands."""

from __future__ import annotations

import typer

from probfs.cli import options as opt
from probfs.cli.classifier_options import ColumnClassifierOptions
from probfs.cli.destination import check_output, deliver
from probfs.cli.reporter import reporting
from probfs.cli.streams import require_data

EXAMPLES = """Examples:

probfs suggest patients.csv > patients.toml

probfs rank patients.csv --mapping patients.toml
"""


def suggest(
    context: typer.Context,
    classifier: ColumnClassifierOptions,
    reading: opt.ReadingOptions,
    data: opt.Data = None,
    target: opt.Target = None,
    count: opt.Count = None,
    na: opt.Na = None,
    output: opt.OutputPath = None,
    quiet: opt.Quiet = 0,
) -> None:
    files = require_data(data, context)
    check_output(output, *files)
    from probfs.columns.suggest import suggest_mapping
    from probfs.ranking.inputs import read_prepared

    choice = classifier.column_choice(opt.ColumnOptions(target=target, count=count, na=na))
    with reporting(quiet, progress=False) as reporter:
        prepared, _ = read_prepared(files, None, reading.chosen(), choice)
        reporter.note(prepared.target_note)
        for note in prepared.notes:
            reporter.note(note)
    deliver(suggest_mapping(prepared, classifier.classifier), output)
