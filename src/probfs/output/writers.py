"""A writer for each format: from a document to text or bytes, whatever the document is about."""

from __future__ import annotations

import io
import json
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from probfs.output.documents import NOISE, Document, Table, TableColumn, bar_lengths, cells_of
from probfs.text import delimited, is_unseen, printable, shorten_middle

if TYPE_CHECKING:
    import pandas
    import rich.table

_MARKDOWN_SPECIAL = re.compile(r"[\\`*_\[\]<>#|~$&]")
_ENTITIES = {"<": "&lt;", ">": "&gt;", "&": "&amp;"}
_GAP = 2
_BAR_WIDTH = 12
_EIGHTHS = " ▏▎▍▌▋▊▉█"
_BARS_OPTIONAL = 2
"""Bars are left out of narrow terminals before any score, but after the first optional column."""
_LEAST_WIDTHS = {"name": 14, "text": 20, "value": 12}
"""The characters that cells have before optional columns are left out; they are folded or shortened beyond."""
_TIGHT = dict.fromkeys(_LEAST_WIDTHS, 8)
"""What they have where nothing is left to leave out."""
_LONGEST_WORD = 30
"""Up to so many characters, optional columns are left out before a word of a name is broken."""
_BETWEEN_WORDS = re.compile(r"(?<=[\s_/])(?=[^\s_/])|(?<=[.-])(?=[^\W\d_])")
_UNLIMITED = 10_000
_PROSE_WIDTH = 120


@dataclass(frozen=True)
class Presentation:
    """What the place where a document goes asks for."""

    width: int | None = None
    """The terminal's; None where there is no terminal, and lines may be as long as they need."""
    color: bool = False
    safe_csv: bool = False
    """Whether a CSV cell that a spreadsheet would take for a formula begins with an apostrophe."""


# CSV, data frames, JSON and Parquet: programs read these.


def csv_text(document: Document, presentation: Presentation = Presentation()) -> str:
    """A row for each record, with all digits; on a terminal, names cannot steer it."""
    rows = [tuple(document.header), *map(_with_small_booleans, document.records())]
    if presentation.width is not None:
        rows = [tuple(printable(cell) if isinstance(cell, str) else cell for cell in row) for row in rows]
    return delimited(rows, safe=presentation.safe_csv)


def _with_small_booleans(record: Sequence[Any]) -> tuple[Any, ...]:
    """True and false in small letters, as in JSON."""
    return tuple(str(value).lower() if isinstance(value, bool) else value for value in record)


def data_frame(document: Document) -> pandas.DataFrame:
    """The records as a data frame with the columns of the CSV."""
    import pandas

    frame = pandas.DataFrame(document.records(), columns=list(document.header))
    return frame.astype({name: dtype for name, dtype in document.header.items() if dtype != "text"})


def json_text(content: Any) -> str:
    """Indented JSON; null stands for NaN and infinity, which JSON does not have."""
    return _indented(finite(content))


def json_document(document: Document, presentation: Presentation = Presentation()) -> str:
    """All that is known of a result."""
    text = json_text(document.content())
    if presentation.width is not None and not text.isascii():
        # JSON has an escape for every character, which programs read as the character.
        text = "".join(f"\\u{ord(letter):04x}" if letter > "\x7e" and is_unseen(letter) else letter for letter in text)
    return text


def finite(value: Any) -> Any:
    """The content of a document as JSON can hold it: with None for NaN and infinity."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: finite(item) for key, item in value.items()}
    return [finite(item) for item in value] if isinstance(value, list | tuple) else value


def _indented(content: Any) -> str:
    return json.dumps(content, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


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
        writer.add_key_value_metadata({"probfs": json.dumps(finite(rest), ensure_ascii=False, allow_nan=False)})
    return bytes(sink.getvalue())


# Markdown.


def markdown_text(document: Document, presentation: Presentation = Presentation()) -> str:
    """The sentences, and the records as a pipe table."""
    headings = document.headings or {name: name for name in document.header}
    rows = cells_of(document.rows if document.excerpt is None else document.excerpt, headings)
    columns = [(heading, [row[place] for row in rows]) for place, heading in enumerate(headings.values())]
    if document.is_terse:
        columns = [(heading, cells) for heading, cells in columns if any(cell is not None for cell in cells)]
    parts = [escape_markdown(sentence) for sentence in document.sentences]
    if rows:
        written = [[_markdown_cell(cell, document.is_terse) for cell in cells] for _, cells in columns]
        rules = ["---" if any(isinstance(cell, str | bool) for cell in cells) else "---:" for _, cells in columns]
        lines = [[heading for heading, _ in columns], rules, *zip(*written, strict=True)]
        parts.append("\n".join(f"| {' | '.join(line)} |" for line in lines))
    return "\n\n".join(parts) + "\n"


def _markdown_cell(value: object, is_terse: bool) -> str:
    if value is None:
        return ""
    if isinstance(value, float) and is_terse:
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
    from rich.console import Console
    from rich.text import Text

    table = document.table()
    limit = presentation.width or (_PROSE_WIDTH if table.has_prose else None)
    columns, widths = _fit(list(_columns_of(table)), limit)
    needed = sum(widths) + _GAP * (len(widths) - 1)
    file = io.StringIO()
    console = Console(
        file=file,
        # Where not even the columns asked for have room, a terminal breaks lines: nothing is left out.
        width=_UNLIMITED if limit is None else max(limit, needed),
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
    number = len(columns[0].cells) if columns else 0
    if number:
        say(*[""] if document.sentences else [])
        above, line = (number, "") if table.line is None else table.line
        console.print(_grid(columns, widths, None, table))
        if above:
            console.print(_grid(columns, widths, range(above), table))
        if line:
            console.print(Text(f"── {line} ".ljust(needed, "─"), overflow="crop", no_wrap=True))
            console.print(_grid(columns, widths, range(above, number), table))
    say(*filter(None, [table.rest]))
    ending = " ".join(filter(None, [*table.legend, table.advice]))
    say(*["", ending] if ending else [])
    return "\n".join(line.rstrip() for line in file.getvalue().splitlines()) + "\n"


def _columns_of(table: Table) -> Iterator[TableColumn]:
    """The columns, with cells that cannot steer a terminal, and one of bars behind each that has them."""
    for column in table.columns:
        yield replace(column, cells=[printable(cell) for cell in column.cells])
        if column.has_terminal_bars:
            bars = [_bar(length) for length in bar_lengths(column.values)]
            yield TableColumn("", bars, "word", optional=_BARS_OPTIONAL, styles=dict.fromkeys(bars, "cyan"))


def _bar(length: float) -> str:
    """A bar in eighths of a character; ``length`` is in per cent."""
    eighths = max(round(length / 100 * _BAR_WIDTH * 8), length > 0)
    return "█" * (eighths // 8) + _EIGHTHS[eighths % 8].strip()


def _fit(columns: list[TableColumn], limit: int | None) -> tuple[list[TableColumn], list[int]]:
    """The columns that have room, and how wide each is.

    Where there is too little, headings and names take several lines, then optional columns are left out, and texts are
    folded.
    """
    optional = sorted({column.optional for column in columns if column.optional})
    for left_out in range(len(optional) + 1):
        shown = [column for column in columns if column.optional not in optional[:left_out]]
        for folds_headings in (False, True):
            wanted = [_width(column, folds_headings) for column in shown]
            least = [min(width, _least_width(column)) for column, width in zip(shown, wanted, strict=True)]
            if limit is None or sum(least) + _GAP * (len(shown) - 1) <= limit:
                return shown, _share_out(shown, wanted, least, limit)
    tight = [min(width, _TIGHT.get(column.kind, width)) for column, width in zip(shown, wanted, strict=True)]
    return shown, _share_out(shown, wanted, tight, limit)


def _width(column: TableColumn, folds_heading: bool) -> int:
    from rich.cells import cell_len

    heading = column.heading.split() if folds_heading else [column.heading]
    return max(map(cell_len, [*heading, *column.cells]), default=0)


def _least_width(column: TableColumn) -> int:
    from rich.cells import cell_len

    words = [word for cell in column.cells for word in _BETWEEN_WORDS.split(cell)] if column.kind == "name" else []
    longest = min(max(map(cell_len, words), default=0), _LONGEST_WORD)
    return max(longest, _LEAST_WIDTHS.get(column.kind, _UNLIMITED))


def _share_out(columns: list[TableColumn], wanted: list[int], least: list[int], limit: int | None) -> list[int]:
    """What columns get beyond the least: names before all others, which share the rest evenly."""
    if limit is None:
        return wanted
    free = max(limit - sum(least) - _GAP * (len(columns) - 1), 0)
    given = list(least)
    for are_names in (True, False):
        group = [place for place, column in enumerate(columns) if (column.kind == "name") == are_names]
        for done, place in enumerate(sorted(group, key=lambda place: wanted[place] - least[place])):
            more = min(free // (len(group) - done), wanted[place] - least[place])
            given[place] += more
            free -= more
    return given


def _grid(
    columns: Sequence[TableColumn], widths: Sequence[int], rows: Sequence[int] | None, table: Table
) -> rich.table.Table:
    """Some rows in columns of these widths, or without rows the headings."""
    import rich.table
    from rich.text import Text

    grid = rich.table.Table(
        box=None, pad_edge=False, show_header=False, padding=(0, _GAP, 1 if table.has_prose else 0, 0)
    )
    for column, width in zip(columns, widths, strict=True):
        grid.add_column(
            width=width,
            justify="right" if column.kind == "number" else "left",
            overflow="fold",
            vertical="bottom" if rows is None else "top",
        )
    if rows is None:
        grid.add_row(*(Text(column.heading, style="bold") for column in columns))
    for row in rows or ():
        cells = [
            Text(_fold(column, column.cells[row], width), style=column.styles.get(column.cells[row], ""))
            for column, width in zip(columns, widths, strict=True)
        ]
        grid.add_row(*cells, style="dim" if table.groups and table.groups[row] == NOISE else None)
    return grid


def _fold(column: TableColumn, text: str, width: int) -> str:
    """A cell in its width: in lines that end between words, or behind an underscore or the like in them."""
    from rich.cells import cell_len

    if column.kind == "value":
        return shorten_middle(text, width)
    if column.kind not in ("name", "text"):
        return text
    lines = [""]
    for word in _BETWEEN_WORDS.split(text):
        if lines[-1] and cell_len(lines[-1] + word.rstrip()) > width:
            lines.append("")
        lines[-1] += word
    return "\n".join(lines)


WRITERS: Mapping[str, Callable[[Document, Presentation], str | bytes]] = {
    "table": terminal_text,
    "csv": csv_text,
    "json": json_document,
    "markdown": markdown_text,
    "parquet": parquet_bytes,
}
"""The formats of all documents, and the typed one of results."""
