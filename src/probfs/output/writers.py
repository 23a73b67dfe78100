"""A writer for each format: from a document to text or bytes, whatever the document is about."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from probfs.output.documents import Document, Table, TableColumn
from probfs.text import delimited, is_unseen, printable, shorten_middle

if TYPE_CHECKING:
    import pandas
    import rich.table

_MARKDOWN_SPECIAL = re.compile(r"[\\`*_\[\]<>#|~$&]")
_ENTITIES = {"<": "&lt;", ">": "&gt;", "&": "&amp;"}
_DIGITS = 4
_GAP = 2
_BAR_WIDTH = 12
_EIGHTHS = " ▏▎▍▌▋▊▉█"
_BARS_OPTIONAL = 2
"""Bars are left out of narrow terminals before any score, but after the first optional column."""
_LEAST_WIDTHS = {"name": 14, "text": 20, "value": 12}
"""The characters that cells have before optional columns are left out; they are folded or shortened beyond."""
_TIGHT = 8
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
    rows = [tuple(document.header), *(_as_texts(record) for record in document.records)]
    if presentation.width is not None:
        rows = [tuple(printable(cell) if isinstance(cell, str) else cell for cell in row) for row in rows]
    return delimited(rows, safe=presentation.safe_csv)


def _as_texts(record: Sequence[Any]) -> tuple[Any, ...]:
    """True and false in small letters, as in JSON."""
    return tuple(str(value).lower() if isinstance(value, bool) else value for value in record)


def data_frame(document: Document) -> pandas.DataFrame:
    """The records as a data frame with the columns of the CSV."""
    import pandas

    frame = pandas.DataFrame([list(record) for record in document.records], columns=list(document.header))
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
    if isinstance(value, (list, tuple)):
        return [finite(item) for item in value]
    return value


def _indented(content: Any) -> str:
    return json.dumps(content, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def parquet_bytes(document: Document, presentation: Presentation = Presentation()) -> bytes:
    """The records, typed; the rest of the JSON is the file's metadata, under ``probfs``."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    types = {"text": pa.string(), "float64": pa.float64(), "bool": pa.bool_(), "boolean": pa.bool_()}
    schema = pa.schema([(name, types.get(dtype, pa.int64())) for name, dtype in document.header.items()])
    rest = {key: value for key, value in document.content().items() if key != "features"}
    # Not by zip(*records): a result may have no records, but it always has its columns.
    cells = {name: [record[place] for record in document.records] for place, name in enumerate(document.header)}
    sink = pa.BufferOutputStream()
    # Arrow's own schema tells readers nothing that these types do not.
    with pq.ParquetWriter(sink, schema, store_schema=False) as writer:
        writer.write_table(pa.Table.from_pydict(cells, schema=schema))
        writer.add_key_value_metadata({"probfs": json.dumps(finite(rest), ensure_ascii=False, allow_nan=False)})
    return bytes(sink.getvalue())


# Markdown.


def markdown_text(document: Document, presentation: Presentation = Presentation()) -> str:
    """The sentences, and the records as a pipe table."""
    header, records = document.excerpt or (tuple(document.header), document.records)
    columns: Sequence[int] = range(len(header))
    if document.is_terse:
        columns = [place for place in columns if any(record[place] is not None for record in records)]
    rows = [[record[place] for place in columns] for record in map(_as_texts, records)]
    parts = [escape_markdown(sentence) for sentence in document.sentences]
    if rows:
        parts.append(_pipe_table([header[place] for place in columns], rows, _DIGITS if document.is_terse else None))
    return "\n\n".join(parts).rstrip("\n") + "\n"


def _pipe_table(header: Sequence[str], rows: Sequence[Sequence[object]], digits: int | None) -> str:
    texts = [any(isinstance(row[column], str) for row in rows) for column in range(len(header))]
    lines = [list(header), ["---" if text else "---:" for text in texts]]
    lines += [[_markdown_cell(value, digits) for value in row] for row in rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _markdown_cell(value: object, digits: int | None) -> str:
    if value is None:
        return ""
    if digits is not None and isinstance(value, float):
        return f"{value:.{digits}g}"
    return escape_markdown(value) if isinstance(value, str) else str(value)


def escape_markdown(text: str) -> str:
    """The text with every character escaped that Markdown or HTML would act on.

    >>> print(escape_markdown("a_b <i>"))
    a\\_b &lt;i&gt;
    """
    return _MARKDOWN_SPECIAL.sub(lambda found: _ENTITIES.get(found[0], f"\\{found[0]}"), printable(text))


# Tables for people.


def terminal_text(document: Document, presentation: Presentation = Presentation()) -> str:
    """The sentences, and a table as wide as the terminal, or as wide as it needs."""
    import io

    from rich.console import Console
    from rich.text import Text

    table = document.table()
    limit = presentation.width or (_PROSE_WIDTH if table.has_prose else None)
    columns = [_made_printable(column) for column in _with_bars(table.columns)]
    columns, widths = _fit(columns, limit)
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
    if columns and columns[0].cells:
        if document.sentences:
            say("")
        rows = range(len(columns[0].cells))
        above = len(rows) if table.line is None else table.line[0]
        console.print(_grid(columns, widths, None, table))
        console.print(_grid(columns, widths, rows[:above], table), end="" if above == 0 else "\n")
        if table.line is not None:
            console.print(Text(f"── {table.line[1]} ".ljust(needed, "─"), overflow="crop", no_wrap=True))
            console.print(_grid(columns, widths, rows[above:], table))
    say(*filter(None, [table.rest]))
    ending = " ".join(filter(None, [*table.legend, table.advice]))
    if ending:
        say("", ending)
    return "\n".join(line.rstrip() for line in file.getvalue().splitlines()) + "\n"


def _made_printable(column: TableColumn) -> TableColumn:
    return replace(column, cells=[printable(cell) for cell in column.cells])


def _with_bars(columns: Sequence[TableColumn]) -> Iterator[TableColumn]:
    """The columns, with one of bars behind each that has them."""
    for column in columns:
        yield column
        if column.has_terminal_bars:
            largest = max((abs(value or 0.0) for value in column.values), default=0.0)
            bars = [_bar(value, largest) for value in column.values]
            yield TableColumn("", bars, "word", optional=_BARS_OPTIONAL, styles=dict.fromkeys(bars, "cyan"))


def _bar(value: float | None, largest: float) -> str:
    """A bar in eighths of a character; a score below zero gets none, only its minus sign."""
    if value is None or value <= 0 or largest <= 0:
        return ""
    eighths = max(1, round(value / largest * _BAR_WIDTH * 8))
    return "█" * (eighths // 8) + _EIGHTHS[eighths % 8].strip()


def _fit(columns: list[TableColumn], limit: int | None) -> tuple[list[TableColumn], list[int]]:
    """The columns that have room, and how wide each is.

    Where there is too little, headings take several lines, then names do, then optional columns are left out, and texts
    are folded.
    """
    optional = sorted((column.optional, place) for place, column in enumerate(columns) if column.optional)
    left_out: set[int] = set()
    for _, place in [*optional, (0, -1)]:
        shown = [column for number, column in enumerate(columns) if number not in left_out]
        longest = max((_longest_word(column) for column in shown if column.kind == "name"), default=0)
        for heading_lines, name in ((1, _LONGEST_WORD), (2, _LONGEST_WORD), (1, longest), (2, longest)):
            widths = [_width(column, heading_lines) for column in shown]
            least = _least_widths(shown, widths, {**_LEAST_WIDTHS, "name": max(_LEAST_WIDTHS["name"], name)})
            if limit is None or sum(least) + _GAP * (len(shown) - 1) <= limit:
                return shown, _share_out(shown, widths, least, limit)
        left_out.add(place)
    return shown, _share_out(shown, widths, _least_widths(shown, widths, dict.fromkeys(_LEAST_WIDTHS, _TIGHT)), limit)


def _least_widths(columns: list[TableColumn], widths: list[int], least: Mapping[str, int]) -> list[int]:
    return [min(width, least.get(column.kind, width)) for column, width in zip(columns, widths, strict=True)]


def _longest_word(column: TableColumn) -> int:
    from rich.cells import cell_len

    words = [word for cell in column.cells for word in _BETWEEN_WORDS.split(cell)]
    return min(max(map(cell_len, words), default=0), _LONGEST_WORD)


def _break_lines(text: str, width: int) -> str:
    """A text in lines that end between words, or behind an underscore or the like in them."""
    from rich.cells import cell_len

    lines = [""]
    for word in _BETWEEN_WORDS.split(text):
        if lines[-1] and cell_len(lines[-1] + word.rstrip()) > width:
            lines.append("")
        lines[-1] += word
    return "\n".join(lines)


def _share_out(columns: list[TableColumn], widths: list[int], least: list[int], limit: int | None) -> list[int]:
    """What texts get beyond the least: names before all others, which share the rest evenly."""
    if limit is None:
        return widths
    free = max(limit - sum(least) - _GAP * (len(columns) - 1), 0)
    given = list(least)
    for are_names in (True, False):
        group = [place for place, column in enumerate(columns) if (column.kind == "name") == are_names]
        for done, place in enumerate(sorted(group, key=lambda place: widths[place] - least[place])):
            more = min(free // (len(group) - done), widths[place] - least[place])
            given[place] += more
            free -= more
    return given


def _width(column: TableColumn, heading_lines: int) -> int:
    from rich.cells import cell_len

    heading = [column.heading] if heading_lines == 1 else column.heading.split()
    return max(map(cell_len, [*heading, *column.cells]), default=0)


def _made_to_fit(column: TableColumn, cell: str, width: int) -> str:
    if column.kind == "value":
        return shorten_middle(cell, width)
    return _break_lines(cell, width) if column.kind in ("name", "text") else cell


def _grid(
    columns: Sequence[TableColumn], widths: Sequence[int], rows: Sequence[int] | None, table: Table
) -> rich.table.Table:
    """Some rows in columns of these widths, or without rows the headings."""
    import rich.table
    from rich.text import Text

    below = 1 if table.has_prose else 0
    grid = rich.table.Table(box=None, pad_edge=False, show_header=False, padding=(0, _GAP, below, 0))
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
            Text(_made_to_fit(column, column.cells[row], width), style=column.styles.get(column.cells[row], ""))
            for column, width in zip(columns, widths, strict=True)
        ]
        grid.add_row(*cells, style="dim" if table.dim and table.dim[row] else None)
    return grid


WRITERS: Mapping[str, Callable[[Document, Presentation], str | bytes]] = {
    "table": terminal_text,
    "csv": csv_text,
    "json": json_document,
    "markdown": markdown_text,
    "parquet": parquet_bytes,
}
"""The formats of all documents, and the typed one of results."""
