"""A writer for each format: from a document to text or bytes, whatever the document is about."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from probfs.output.documents import NOISE, Document, Table, TableColumn, bar_lengths, cells_of
from probfs.text import delimited, is_unseen, printable, shorten_middle

if TYPE_CHECKING:
    import pandas

_MARKDOWN_SPECIAL = re.compile(r"[\\`*_\[\]<>#|~$&]")
_ENTITIES = {"<": "&lt;", ">": "&gt;", "&": "&amp;"}
_GAP = 2
_BAR_WIDTH = 12
_EIGHTHS = " ▏▎▍▌▋▊▉█"
_BARS_OPTIONAL = 2
"""Bars are left out of narrow terminals before any score, but after the first optional column."""
_LEAST_WIDTHS = {"name": 14, "text": 20, "value": 12}
"""The characters that cells have before optional columns are left out; they are folded or shortened beyond."""
_TIGHT = 8
"""The characters that such cells have where nothing can be left out any more."""
_BETWEEN_PARTS = re.compile(r"(?<=[\s_/.-])(?=[^\s_/.-])")
_UNLIMITED = 10_000
_PROSE_WIDTH = 120
_LINE_HERE = "\0"
"""Marks the row that becomes a line; no other cell has this character."""


@dataclass(frozen=True)
class Presentation:
    """What the writer has to know of the place where a document goes."""

    width: int | None = None
    """The terminal's; None where there is no terminal, and lines may be as long as they need."""
    color: bool = False
    safe_csv: bool = False
    """Whether a CSV cell that a spreadsheet would take for a formula begins with an apostrophe."""


# CSV, data frames, JSON and Parquet: programs read these.


def csv_text(document: Document, presentation: Presentation = Presentation()) -> str:
    """A row for each record, with all digits; on a terminal, names cannot steer it."""

    def cell(value: Any) -> Any:
        if isinstance(value, bool):
            # As in JSON.
            return str(value).lower()
        return printable(value) if isinstance(value, str) and presentation.width is not None else value

    rows = [tuple(document.header), *document.records()]
    return delimited([[cell(value) for value in row] for row in rows], safe=presentation.safe_csv)


def data_frame(document: Document) -> pandas.DataFrame:
    """The records as a data frame with the columns of the CSV."""
    import pandas

    frame = pandas.DataFrame(document.records(), columns=list(document.header))
    return frame.astype({name: dtype for name, dtype in document.header.items() if dtype != "text"})


def json_text(content: Any) -> str:
    """The content of a document as indented JSON."""
    return json.dumps(content, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def json_document(document: Document, presentation: Presentation = Presentation()) -> str:
    """All that is known of a result."""
    text = json_text(document.content())
    if presentation.width is not None and not text.isascii():
        # JSON has an escape for every character, which programs read as the character.
        text = "".join(f"\\u{ord(letter):04x}" if letter > "\x7e" and is_unseen(letter) else letter for letter in text)
    return text


def parquet_bytes(document: Document, presentation: Presentation = Presentation()) -> bytes:
    """The records, typed; the rest of the JSON is the file's metadata, under ``probfs``."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    types = {"text": pa.string(), "float64": pa.float64(), "bool": pa.bool_(), "boolean": pa.bool_()}
    schema = pa.schema([(name, types.get(dtype, pa.int64())) for name, dtype in document.header.items()])
    rows = [dict(zip(document.header, record, strict=True)) for record in document.records()]
    rest = {key: value for key, value in document.content().items() if key != "features"}
    sink = pa.BufferOutputStream()
    # Arrow's own schema tells readers nothing that these types do not.
    with pq.ParquetWriter(sink, schema, store_schema=False) as writer:
        writer.write_table(pa.Table.from_pylist(rows, schema=schema))
        writer.add_key_value_metadata({"probfs": json.dumps(rest, ensure_ascii=False, allow_nan=False)})
    return bytes(sink.getvalue())


# Markdown.


def markdown_text(document: Document, presentation: Presentation = Presentation()) -> str:
    """The sentences, and the records as a pipe table."""
    headings = document.headings or {name: name for name in document.header}
    rows = cells_of(document.rows if document.excerpt is None else document.excerpt, headings)
    columns = [(heading, [row[place] for row in rows]) for place, heading in enumerate(headings.values())]
    columns = [(heading, cells) for heading, cells in columns if any(cell is not None for cell in cells)]
    parts = [escape_markdown(sentence) for sentence in document.sentences]
    if rows:
        written = [[_markdown_cell(cell) for cell in cells] for _, cells in columns]
        rules = ["---" if any(isinstance(cell, str | bool) for cell in cells) else "---:" for _, cells in columns]
        lines = [[heading for heading, _ in columns], rules, *zip(*written, strict=True)]
        parts.append("\n".join(f"| {' | '.join(line)} |" for line in lines))
    return "\n\n".join(parts) + "\n"


def _markdown_cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.4g}"
    return escape_markdown(value) if isinstance(value, str) else str(value).lower()


def escape_markdown(text: str) -> str:
    """The text with every character escaped that Markdown or HTML would act on.

    >>> print(escape_markdown("a_b <i>"))
    a\\_b &lt;i&gt;
    """
    return _MARKDOWN_SPECIAL.sub(lambda found: _ENTITIES.get(found[0], f"\\{found[0]}"), printable(text))


# Tables for people.


def terminal_text(document: Document, presentation: Presentation = Presentation()) -> str:
    """The sentences, and a table as wide as the terminal, or as wide as it needs."""
    from rich.align import Align
    from rich.console import Console
    from rich.table import Table as Grid
    from rich.text import Text

    table = document.table()
    limit = presentation.width or (_PROSE_WIDTH if table.has_prose else _UNLIMITED)
    columns, widths = _fit(list(_columns_of(table)), limit)
    needed = sum(widths) + _GAP * (len(widths) - 1)
    file = io.StringIO()
    console = Console(
        file=file,
        # Where not even the columns asked for have room, a terminal breaks lines: nothing is left out.
        width=max(limit, needed),
        force_terminal=presentation.color,
        no_color=not presentation.color,
        highlight=False,
        markup=False,
        emoji=False,
    )

    def say(*lines: str) -> None:
        for line in lines:
            console.print(Text(printable(line)), width=limit)

    say(*document.sentences)
    grid = Grid(box=None, pad_edge=False, padding=(0, _GAP, 1 if table.has_prose else 0, 0), header_style="bold")
    for column, width in zip(columns, widths, strict=True):
        justify: Any = "right" if column.kind == "number" else "left"
        heading = Align(Text(column.heading, justify=justify), justify, vertical="bottom")
        grid.add_column(heading, width=width, justify=justify, overflow="fold")
    number = len(columns[0].cells) if columns else 0
    for row in range(number):
        if table.line is not None and row == table.line[0]:
            grid.add_row(_LINE_HERE)
        fit = {"value": shorten_middle, "name": _fold_name}
        texts = [
            fit[column.kind](column.cells[row], width) if column.kind in fit else column.cells[row]
            for column, width in zip(columns, widths, strict=True)
        ]
        cells = [Text(text, column.styles.get(text, "")) for column, text in zip(columns, texts, strict=True)]
        grid.add_row(*cells, style="dim" if table.groups and table.groups[row] == NOISE else None)
    if number:
        say(*[""] if document.sentences else [])
        console.print(grid)
    say(*filter(None, [table.rest]))
    ending = " ".join(filter(None, [*table.legend, table.advice]))
    say(*["", ending] if ending else [])
    line = "" if table.line is None else f"── {table.line[1]} ".ljust(needed, "─")[: console.width]
    return "\n".join(line if _LINE_HERE in each else each.rstrip() for each in file.getvalue().splitlines()) + "\n"


def _columns_of(table: Table) -> Iterator[TableColumn]:
    """The columns, with cells that cannot steer a terminal, and one of bars behind each that has them."""
    for column in table.columns:
        yield replace(column, cells=[printable(cell) for cell in column.cells])
        if column.has_terminal_bars:
            bars = []
            for length in bar_lengths(column.values):
                eighths = max(round(length / 100 * _BAR_WIDTH * 8), length > 0)
                bars.append("█" * (eighths // 8) + _EIGHTHS[eighths % 8].strip())
            yield TableColumn("", bars, "word", optional=_BARS_OPTIONAL, styles=dict.fromkeys(bars, "cyan"))


def _fold_name(name: str, width: int) -> str:
    """Lines that end between the parts of a name, where these are short enough."""
    from rich.cells import cell_len

    lines = [""]
    for part in _BETWEEN_PARTS.split(name):
        if lines[-1] and cell_len(lines[-1] + part.rstrip()) > width:
            lines.append("")
        lines[-1] += part
    return "\n".join(lines)


def _fit(columns: list[TableColumn], limit: int) -> tuple[list[TableColumn], list[int]]:
    """The columns that have room, and how wide each is.

    Where there is too little, headings, names and texts take several lines, then optional columns are left out.
    """
    from rich.cells import cell_len

    optional = sorted({column.optional for column in columns if column.optional})
    for left_out in range(len(optional) + 1):
        shown = [column for column in columns if column.optional not in optional[:left_out]]
        room = limit - _GAP * (len(shown) - 1)
        wanted = [max(map(cell_len, [column.heading, *column.cells])) for column in shown]
        words = [max(map(cell_len, [*column.heading.split(), *column.cells]), default=0) for column in shown]
        least = [min(word, _LEAST_WIDTHS.get(column.kind, word)) for column, word in zip(shown, words, strict=True)]
        if sum(least) <= room:
            break
    else:
        least = [
            min(width, _TIGHT) if column.kind in _LEAST_WIDTHS else width
            for column, width in zip(shown, least, strict=True)
        ]
    # The widest give way first, names last.
    for most in range(min(max(wanted, default=0), limit), -1, -1):
        widths = [
            min(width, max(few, most * 4 if column.kind == "name" else most))
            for column, width, few in zip(shown, wanted, least, strict=True)
        ]
        if sum(widths) <= room:
            break
    return shown, widths


WRITERS: Mapping[str, Callable[[Document, Presentation], str | bytes]] = {
    "table": terminal_text,
    "csv": csv_text,
    "json": json_document,
    "markdown": markdown_text,
    "parquet": parquet_bytes,
}
"""The formats of all documents, and the typed one of results."""
