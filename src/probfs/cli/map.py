"""probfs map"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from probfs.cli import options as opt
from probfs.cli.console import check_output, check_safe_csv, deliver, reporting, require_data

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
    data: opt.Data = "-",
    target: opt.Target = None,
    count: opt.Count = None,
    na: opt.Na = None,
    delimiter: opt.Delimiter = None,
    encoding: opt.Encoding = "utf-8",
    max_unpacked: opt.MaxUnpacked = None,
    input_format: opt.InputFormat = None,
    format: opt.WrittenFormat = None,
    output: opt.OutputPath = None,
    safe_csv: opt.SafeCsv = False,
    quiet: opt.Quiet = False,
) -> None:
    """Apply a mapping and write the mapped table, for other tools."""
    require_data(data, context)
    check_output(output, data, mapping)
    from probfs.api import mapped_table
    from probfs.columns.roles import ColumnChoice
    from probfs.tables.readers import ReadOptions
    from probfs.tables.writers import choose_table_format, table_bytes

    table_format = choose_table_format(output, format)
    check_safe_csv(safe_csv, table_format)
    with reporting(quiet, progress=False) as reporter:
        choice = ColumnChoice(target=target, count=count, na=tuple(na or ()))
        options = ReadOptions(input_format, delimiter, encoding, max_unpacked)
        table, target_name = mapped_table(data, mapping, options, choice, reporter.note)
    deliver(table_bytes(table, table_format, target_name, safe=safe_csv), output)
