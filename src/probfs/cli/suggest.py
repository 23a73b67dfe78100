"""probfs suggest"""

from __future__ import annotations

import typer

from probfs.choices import DEFAULT_BINS
from probfs.cli import options as opt
from probfs.cli.console import check_output, deliver, reporting, require_data

EXAMPLES = """Examples:

probfs suggest patients.csv > patients.toml

probfs rank patients.csv --mapping patients.toml
"""


def suggest(
    context: typer.Context,
    data: opt.Data = "-",
    target: opt.Target = None,
    count: opt.Count = None,
    classifier: opt.ClassifierName = "nb",
    bins: opt.Bins = None,
    na: opt.Na = None,
    delimiter: opt.Delimiter = None,
    encoding: opt.Encoding = "utf-8",
    max_unpacked: opt.MaxUnpacked = None,
    input_format: opt.InputFormat = None,
    output: opt.OutputPath = None,
    quiet: opt.Quiet = False,
) -> None:
    """Write a draft mapping for a table: identifiers dropped, long numeric columns cut, rare values grouped."""
    require_data(data, context)
    check_output(output, data)
    from probfs.api import load, target_note
    from probfs.classifiers.settings import check_meaning
    from probfs.columns.roles import ColumnChoice
    from probfs.columns.suggestion import suggest_mapping
    from probfs.tables.readers import ReadOptions

    check_meaning(classifier, {"bins": bins})
    with reporting(quiet, progress=False) as reporter:
        choice = ColumnChoice(
            target=target, count=count, na=tuple(na or ()), bins=bins or DEFAULT_BINS, measured=classifier == "svm"
        )
        prepared, _ = load(data, None, ReadOptions(input_format, delimiter, encoding, max_unpacked), choice)
        reporter.note(target_note(prepared))
        for note in prepared.notes:
            reporter.note(note)
    deliver(suggest_mapping(prepared, bins or DEFAULT_BINS, tuple(na or ())), output)
