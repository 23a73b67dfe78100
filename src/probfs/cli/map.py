"""``probfs map``; what it does stands in ``COMMANDS``, with the other commands."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from probfs.cli import options as opt
from probfs.cli.destination import check_output, check_safe_csv, deliver
from probfs.cli.reporter import reporting
from probfs.cli.streams import require_data

EXAMPLES = """Examples:

probfs map patients.csv --mapping patients.toml --output binarised.arff

probfs map patients.csv --mapping patients.toml | csvstat
"""

RequiredMapping = Annotated[
    Path,
    typer.Option(
        "--mapping", metavar="FILE", help="The TOML mapping to apply; see probfs-mapping(5).", show_default=False
    ),
]


def map_(
    context: typer.Context,
    mapping: RequiredMapping,
    reading: opt.ReadingOptions,
    result: opt.TableOutput,
    data: opt.Data = None,
    target: opt.Target = None,
    count: opt.Count = None,
    na: opt.Na = None,
    safe_csv: opt.SafeCsv = False,
    quiet: opt.Quiet = 0,
) -> None:
    files = require_data(data, context)
    check_output(result.output, *files, mapping)
    from probfs.columns.choice import ColumnChoice
    from probfs.columns.prepare import apply_mapping
    from probfs.ranking.inputs import read_prepared
    from probfs.tables.writers import choose_table_format, table_bytes

    table_format = choose_table_format(result.output, result.format)
    check_safe_csv(safe_csv, table_format)
    with reporting(quiet, progress=False) as reporter:
        choice = ColumnChoice(target=target, count=count, na=tuple(na or ()))
        prepared, mapping_file = read_prepared(files, mapping, reading.chosen(), choice, keep_texts=True)
        reporter.note(prepared.target_note)
        for note in prepared.table.notes:
            reporter.note(note)
        table = apply_mapping(prepared, mapping_file)
    deliver(table_bytes(table, table_format, prepared.target.name, safe=safe_csv), result.output)
