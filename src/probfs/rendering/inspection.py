"""The output formats of an inspection."""

from __future__ import annotations

from dataclasses import asdict, astuple, fields
from typing import TYPE_CHECKING, Any

from probfs.rendering.formats import Presentation, standard_formats
from probfs.rendering.json_text import json_text
from probfs.rendering.markdown_tables import escape_markdown, pipe_table
from probfs.text import counted, delimited, printable, quoted

if TYPE_CHECKING:
    from probfs.columns.inspection import Inspection

SCHEMA = "probfs.inspection/1"


def _table(inspection: Inspection, presentation: Presentation) -> str:
    from rich.table import Table
    from rich.text import Text

    from probfs.rendering.terminal import terminal_text

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
    return terminal_text([*_sentences(inspection), "", grid], presentation)


def _csv(inspection: Inspection, presentation: Presentation) -> str:
    return delimited([_header(inspection), *_rows(inspection)], safe=presentation.safe_csv)


def _json(inspection: Inspection, presentation: Presentation) -> str:
    return json_text({"schema": SCHEMA, **asdict(inspection)})


def _markdown(inspection: Inspection, presentation: Presentation) -> str:
    sentences = [escape_markdown(line) for line in _sentences(inspection)]
    return "\n\n".join([*sentences, pipe_table(_header(inspection), _rows(inspection))])


def _header(inspection: Inspection) -> list[str]:
    # The target is always among the columns.
    return [field.name for field in fields(inspection.columns[0])]


def _rows(inspection: Inspection) -> list[tuple[Any, ...]]:
    return [astuple(column) for column in inspection.columns]


def _sentences(inspection: Inspection) -> list[str]:
    rows = f"{inspection.labelled_rows:,} labelled and {inspection.unlabelled_rows:,} unlabelled rows"
    columns = counted(len(inspection.columns), "column")
    return [
        f"{inspection.source}: {columns}, {rows}",
        f"target {printable(inspection.target)} ({inspection.target_reason}): {_balance(inspection) or 'no class'}",
    ]


def _balance(inspection: Inspection) -> str:
    """The classes with their rows, most frequent first."""
    total = max(inspection.labelled_rows, 1)
    ordered = sorted(inspection.classes.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{quoted(name)} {rows:,} ({rows / total:.1%})" for name, rows in ordered)


INSPECTION_FORMATS = standard_formats(table=_table, csv=_csv, json=_json, markdown=_markdown)
