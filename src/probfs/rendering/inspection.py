"""The output formats of an inspection."""

from __future__ import annotations

from dataclasses import asdict, astuple, fields
from typing import TYPE_CHECKING, Any

from probfs.rendering.formats import Presentation, standard_formats
from probfs.rendering.json_text import json_text
from probfs.rendering.markdown_tables import escape_markdown, pipe_table
from probfs.text import counted, delimited, printable, quoted, shorten_middle

if TYPE_CHECKING:
    from probfs.columns.inspect import ColumnSummary, Inspection

SCHEMA = "probfs.inspection/2"
_OTHER_COLUMNS = 7 + 8 + 7 + 5 * 2
"""Characters of a line that kind, distinct, missing and the gaps take."""
_ROOM_FOR_USE = 20
_NARROWEST_NAME = 14
_NARROWEST_TOP = 12


def _table(inspection: Inspection, presentation: Presentation) -> str:
    from rich.table import Table
    from rich.text import Text

    from probfs.rendering.terminal import terminal_text

    names = [printable(column.column) for column in inspection.columns]
    tops = [_most_frequent(column, None) for column in inspection.columns]
    uses = ["; ".join([column.use, *_unsaid(column)]) for column in inspection.columns]
    if presentation.width is not None:
        for_name, for_top = _widths(presentation.width, names, tops, uses)
        names = _shortened_names(names, for_name)
        tops = [_most_frequent(column, for_top) for column in inspection.columns]
    grid = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    grid.add_column("column", overflow="fold")
    grid.add_column("kind", no_wrap=True)
    grid.add_column("distinct", justify="right", no_wrap=True)
    grid.add_column("missing", justify="right", no_wrap=True)
    grid.add_column("top value", no_wrap=True)
    grid.add_column("use", overflow="fold")
    for column, name, top, use in zip(inspection.columns, names, tops, uses, strict=True):
        cells = (column.kind, f"{column.distinct:,}", f"{column.missing:,}")
        grid.add_row(Text(name), *cells, Text(top), Text(printable(use)))
    return terminal_text([*_sentences(inspection), "", grid], presentation)


def _most_frequent(column: ColumnSummary, width: int | None) -> str:
    """The most frequent value, shortened if need be, and in how many rows it stands."""
    if column.most_frequent is None:
        return ""
    value, rows = printable(column.most_frequent), f" ({column.frequency:,})"
    return (value if width is None else shorten_middle(value, max(width - len(rows), 3))) + rows


def _unsaid(column: ColumnSummary) -> list[str]:
    """The flags that the use of a column does not speak of."""
    return [flag for flag in column.flags if f"({flag}: " not in column.use]


def _widths(width: int, names: list[str], tops: list[str], uses: list[str]) -> tuple[int, int]:
    """How wide names and most frequent values may be, so that the use of columns has room on the same line."""
    free = width - _OTHER_COLUMNS - min(max(map(len, uses)), _ROOM_FOR_USE)
    longest_name, longest_top = max(map(len, names)), max(map(len, tops))
    for_top = max(min(longest_top, free - longest_name), _NARROWEST_TOP)
    return max(min(longest_name, free - min(for_top, longest_top)), _NARROWEST_NAME), for_top


def _shortened_names(names: list[str], width: int) -> list[str]:
    """The names, shortened unless two of them then look the same."""
    short = [shorten_middle(name, width) for name in names]
    return short if len(set(short)) == len(set(names)) else names


def _csv(inspection: Inspection, presentation: Presentation) -> str:
    return delimited([_header(inspection), *_rows(inspection)], safe=presentation.safe_csv)


def _json(inspection: Inspection, presentation: Presentation) -> str:
    notes = [note.to_dict() for note in inspection.notes]
    return json_text({"schema": SCHEMA, **asdict(inspection), "notes": notes})


def _markdown(inspection: Inspection, presentation: Presentation) -> str:
    sentences = [escape_markdown(line) for line in _sentences(inspection)]
    return "\n\n".join([*sentences, pipe_table(_header(inspection), _rows(inspection))])


def _header(inspection: Inspection) -> list[str]:
    # The target is always among the columns.
    return [field.name for field in fields(inspection.columns[0])]


def _rows(inspection: Inspection) -> list[tuple[Any, ...]]:
    # Flags are the last field, and one cell.
    return [(*astuple(column)[:-1], "; ".join(column.flags)) for column in inspection.columns]


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
