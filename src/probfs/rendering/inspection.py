"""An inspection as terminal table, CSV, JSON or Markdown."""

from __future__ import annotations

import json
from dataclasses import asdict, astuple, fields

from rich.table import Table
from rich.text import Text

from probfs.choices import OutputFormat
from probfs.columns.inspection import SCHEMA, ColumnSummary, Inspection, balance
from probfs.rendering.layout import laid_out
from probfs.rendering.markdown import escaped, pipe_table
from probfs.text import counted, delimited, printable

_HEADER = tuple(field.name for field in fields(ColumnSummary))


def render_inspection(inspection: Inspection, chosen: OutputFormat, width: int | None, color: bool, safe: bool) -> str:
    """The inspection as text; ``safe`` is for the CSV."""
    if chosen == "json":
        return json.dumps({"schema": SCHEMA, **asdict(inspection)}, ensure_ascii=False, indent=2) + "\n"
    rows = [astuple(column) for column in inspection.columns]
    if chosen == "csv":
        return delimited([_HEADER, *rows], safe=safe)
    if chosen == "markdown":
        return "\n\n".join([*(escaped(line) for line in _sentences(inspection)), pipe_table(_HEADER, rows)])
    return _table(inspection, width, color)


def _sentences(inspection: Inspection) -> list[str]:
    rows = f"{inspection.labelled_rows:,} labelled and {inspection.unlabelled_rows:,} unlabelled rows"
    columns = counted(len(inspection.columns), "column")
    return [
        f"{inspection.source}: {columns}, {rows}",
        f"target {printable(inspection.target)} ({inspection.target_reason}): {balance(inspection) or 'no class'}",
    ]


def _table(inspection: Inspection, width: int | None, color: bool) -> str:
    grid = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    grid.add_column("column", overflow="fold")
    grid.add_column("kind", no_wrap=True)
    grid.add_column("distinct", justify="right", no_wrap=True)
    grid.add_column("missing", justify="right", no_wrap=True)
    grid.add_column("most frequent", overflow="fold")
    grid.add_column("use", overflow="fold")
    for column in inspection.columns:
        top = "" if column.most_frequent is None else f"{printable(column.most_frequent)} ({column.frequency:,})"
        grid.add_row(
            Text(printable(column.column)),
            column.kind,
            f"{column.distinct:,}",
            f"{column.missing:,}",
            Text(top),
            Text(printable(column.use)),
        )
    return laid_out([*_sentences(inspection), "", grid], width, color)
