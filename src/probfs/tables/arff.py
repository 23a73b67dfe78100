"""ARFF, dense and sparse -> Table: pyarrow reads blocks of plain rows, others are split one by one; liac-arff
decodes those that are sparse, and escapes.

Behind a row may stand a comment or a weight. Where no commas separate its values, blanks do, as Weka has it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from io import BufferedReader, TextIOWrapper
from itertools import chain
from typing import BinaryIO

import numpy as np
import pyarrow as pa

from probfs.errors import DataError
from probfs.notes import Note, NoteKind
from probfs.runtime.memory import require_memory
from probfs.tables.arrays import Integers, double_array, filled, known_numbers, text_array
from probfs.tables.cells import Kind
from probfs.tables.column import Column, dictionary_cells, typed_column
from probfs.tables.csv_head import HEAD_BYTES, Reading
from probfs.tables.header import tell_apart
from probfs.tables.opening import TableInput, decode_line
from probfs.tables.table import NoRowsError, Table, join_lines
from probfs.text import counted, listed, quoted

_BLOCK = 16 << 20
"""How many characters are read at a time."""
_CELLS_AT_ONCE = 1 << 22
"""Cells of rows that are checked together: a sparse row of two bytes stands for as many as are declared."""
_QUOTED = re.compile(r"""(?<![^\s,{])('[^'\\]*(?:\\.[^'\\]*)*'|"[^"\\]*(?:\\.[^"\\]*)*\")(?![^\s,{}%])""")
"""A value in quotes of either kind, with a backslash before a quote inside it."""
_COMMENT = re.compile(r"(?:^|(?<=[\s,}\0]))%.*", re.DOTALL)
_WEIGHT = re.compile(r"(?<!^)[\s,]*\{\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\s*\}$")
_KEYWORD = re.compile(r"@([a-z]+)(?![^\s{\0])\s*(.*)", re.DOTALL | re.IGNORECASE)
_NAME_AND_TYPE = re.compile(r"(\0|[^\s{'\"]+)\s*(.*)", re.DOTALL)
_TYPE = re.compile(r"(\0|[^\s{\[]+)\s*(?:\[[^\]]*\])?\s*(.*)", re.DOTALL)
_ISO_DATE = "yyyy-MM-dd'T'HH:mm:ss"
_ISO_DATES = re.compile("yyyy-MM-dd(?:(?:'T'| )HH:mm(?::ss)?)?")
_SPECIAL = b"\\%{}'\"" + bytes(number for number in range(32) if number not in b"\t\n")
"""Characters that no plain row has."""
_DICTIONARY = pa.dictionary(pa.int32(), pa.string())


class _LineError(Exception):
    """What is wrong with a line."""


class _ValueError(Exception):
    def __init__(self, problem: str, text: str) -> None:
        super().__init__(problem)
        self.text = text


@dataclass(frozen=True)
class Attribute:
    """A column as an @attribute line declares it."""

    name: str
    is_number: bool = False
    nominal: tuple[str, ...] | None = None
    """The declared values of a nominal attribute."""
    date_format: str | None = None
    """How dates of a date attribute are written, as Java has it."""


def read_arff(table_input: TableInput) -> Table:
    """Read an ARFF file; nominal attributes keep their declared values."""
    with table_input.as_utf8() as raw:
        text = open_text(raw)
        reader = _DataReader(*read_header(text, table_input.source), table_input.source)
        while data := _as_bytes(text.read(_BLOCK) + text.readline()):
            reader.read(data.removesuffix(b"\n") + b"\n")
        return reader.finish()


def open_text(raw: BinaryIO) -> TextIOWrapper:
    """The text of a file, whose lines may end in any way; bytes that are not UTF-8 are found line by line."""
    # The file stays open when the text is closed.
    return TextIOWrapper(BufferedReader(Reading(raw, raw.tell()), HEAD_BYTES), "utf-8", "surrogateescape")


def _as_bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def read_header(text: TextIOWrapper, source: str) -> tuple[list[Attribute], list[Note], int]:
    """The attributes in their order, what is ignored, and how many lines the header takes, up to @data and with it."""
    numbered = enumerate(iter(text.readline, ""), 1)
    lines = ((number, decode_line(_as_bytes(line), number, source).strip()) for number, line in numbered)
    attributes: list[Attribute] = []
    notes: list[Note] = []
    number = 0
    try:
        for number, line in lines:
            outline, values = _outline_of(line)
            declaration = _KEYWORD.match(outline)
            keyword = declaration[1].lower() if declaration else ""
            if declaration and keyword == "attribute":
                while "{" in outline and "}" not in outline:
                    _, more = next(lines, (0, "@data"))
                    if _KEYWORD.match(more):
                        raise _LineError("the list of values is never closed with '}'")
                    more, further = _outline_of(more)
                    outline, values = f"{outline} {more}", chain(values, further)
                attribute, rest = _parse_attribute(outline[declaration.start(2) :], values)
                attributes.append(attribute)
                if rest:
                    message = f"{source}: attribute {quoted(attribute.name)}: {quoted(rest)} after the type is ignored"
                    notes.append(NoteKind.IGNORED.note(message, [attribute.name]))
            elif declaration and keyword == "data":
                if not attributes:
                    raise _LineError("no @attribute comes before @data; declare each column with one")
                if declaration[2]:
                    raise _LineError("something follows @data; begin the rows on the next line")
                names, notes_on_names = tell_apart([attribute.name for attribute in attributes], source, "attribute")
                named = [replace(attribute, name=name) for attribute, name in zip(attributes, names, strict=True)]
                return named, [*notes_on_names, *notes], number
            elif outline and keyword != "relation":
                choices = "choose from @relation, @attribute and @data"
                raise _LineError(f"{quoted(line.split()[0])} is not an ARFF declaration; {choices}")
        if number:
            raise _LineError("the ARFF header has no @data line; is the file cut off?")
    except _LineError as error:
        raise DataError(str(error), source=source, line=number) from error
    raise DataError("is empty; an ARFF header and data rows are needed", source=source)


def _parse_attribute(outline: str, values: Iterator[str]) -> tuple[Attribute, str]:
    match = _NAME_AND_TYPE.match(outline)
    if match is None:
        raise _LineError("@attribute needs a name and a type; is a quote never closed?")
    name, rest = (_value(match[1], values) or "").strip(), match[2]
    subject = f"attribute {quoted(name)}"
    if rest.startswith("{"):
        inside, _, rest = rest[1:].partition("}")
        inside = inside.strip(", \t")
        listed_values = _split_values(inside, values) if inside else []
        nominal = tuple("?" if value is None else value for value in listed_values)
        if len(set(nominal)) < len(nominal):
            twice = next(value for place, value in enumerate(nominal) if value in nominal[:place])
            raise _LineError(f"{subject}: value {quoted(twice)} is declared twice")
        return Attribute(name, nominal=nominal), rest.strip()
    declared = _TYPE.match(rest)
    if declared is None:
        raise _LineError(f"{subject} has no type; choose from numeric, string, date and {{a,b,c}}")
    kind, rest = (_value(declared[1], values) or "?").lower(), declared[2]
    if kind == "date":
        return Attribute(name, date_format=(_value(rest, values) if rest else None) or _ISO_DATE), ""
    if kind not in ("numeric", "real", "integer", "string"):
        raise _LineError(f"{subject}: type {quoted(kind)} is not one of numeric, string, date, {{a,b,c}}")
    return Attribute(name, is_number=kind != "string"), rest


def _outline_of(line: str) -> tuple[str, Iterator[str]]:
    """A line with NUL in place of each quoted value, without the comment behind it; and these values."""
    return _COMMENT.sub("", _QUOTED.sub("\0", line)).strip(), iter(_QUOTED.findall(line))


def _split_values(outline: str, quoted_values: Iterator[str]) -> list[str | None]:
    """The values of a row or a list, between commas, or else blanks; None for a missing one."""
    cells = outline.split("," if "," in outline else None)
    return [_value(cell.strip(), quoted_values) for cell in cells]


def _value(cell: str, quoted_values: Iterator[str]) -> str | None:
    if cell == "\0":
        text = next(quoted_values)
        if "\\" not in text:
            return text[1:-1]
        from arff import DenseGeneratorData

        try:
            ((value,),) = DenseGeneratorData().decode_rows((text,), [str])
        except ValueError as error:
            problem = "has a backslash before a character that needs none"
            raise _LineError(f"{quoted(text)} {problem}") from error
        return str(value)
    if not cell:
        raise _LineError("an empty value; a missing one is written ?")
    if cell[0] in "'\"":
        raise _LineError("a quote opens and is never closed on its line; close it, or put a backslash before it")
    return None if cell == "?" else re.sub("\0", lambda _: next(quoted_values), cell)


class _DataReader:
    """Reads the rows below @data into the columns that a header declares."""

    def __init__(self, attributes: Sequence[Attribute], notes: Sequence[Note], lines: int, source: str) -> None:
        self._attributes, self._notes, self._source = attributes, notes, source
        self._next_line = lines + 1
        self._lines: list[Integers] = []
        self._chunks: list[list[pa.Array]] = [[] for _ in attributes]
        self._weighted = False

    def read(self, data: bytes) -> None:
        lines = np.arange(self._next_line, self._next_line + data.count(b"\n"))
        self._next_line += len(lines)
        if b"%" in data or data[:1] in b" \t\n" or any(blank in data for blank in (b"\n ", b"\n\t", b"\n\n")):
            # Lines that are blank or comments are no rows.
            texts = [line.strip() for line in data.split(b"\n")]
            kept = [place for place, text in enumerate(texts) if text and not text.startswith(b"%")]
            lines, data = lines[kept], b"".join(texts[place] + b"\n" for place in kept)
        if not len(lines):
            return
        require_memory(8 * len(lines) * len(self._attributes), "this table", self._source)
        self._lines.append(lines)
        if not self._read_plain(data, len(lines)):
            self._read_rows(data.split(b"\n"), lines.tolist())

    def finish(self) -> Table:
        if not self._lines:
            names = [attribute.name for attribute in self._attributes]
            problem = "has no data rows below @data; is the file cut off?"
            raise NoRowsError(problem, source=self._source, columns=names)
        columns, notes = {}, list(self._notes)
        for attribute, chunks in zip(self._attributes, self._chunks, strict=True):
            declared = None if attribute.nominal is None else text_array(attribute.nominal)
            kind = Kind.NUMBER if attribute.is_number else Kind.TEXT
            columns[attribute.name] = column = Column(attribute.name, pa.chunked_array(chunks), kind, declared)
            if attribute.date_format:
                dates = None
                with suppress(pa.ArrowInvalid):
                    if _ISO_DATES.fullmatch(attribute.date_format):
                        dates = column.cells.cast(pa.string()).cast(pa.timestamp("s"))
                if dates is None:
                    problem = f"not all cells are ISO dates, as {quoted(attribute.date_format)}, so they are texts"
                    message = f"{self._source}: column {quoted(attribute.name)}: {problem}"
                    notes.append(NoteKind.DATE_FORMAT.note(message, [attribute.name]))
                else:
                    columns[attribute.name] = typed_column(attribute.name, dates)
        if self._weighted:
            notes.append(NoteKind.IGNORED.note(f"{self._source}: instance weights are ignored"))
        lines = join_lines(self._lines)
        target = next((name for name in columns if name.lower() == "class"), None)
        hint = None if target is None else (target, "the ARFF attribute of that name")
        return Table(self._source, columns, len(lines), lines, hint, tuple(notes))

    def _read_plain(self, data: bytes, rows: int) -> bool:
        """Read a block, if pyarrow can: dense rows without quotes, between commas."""
        from pyarrow import csv

        # pyarrow would drop a byte-order mark.
        if len(data.translate(None, _SPECIAL)) < len(data) or data.startswith(b"\xef\xbb\xbf"):
            return False
        types = {
            str(place): pa.float64() if attribute.is_number else _DICTIONARY
            for place, attribute in enumerate(self._attributes)
        }
        missing = ["?", " ?", "nan", "NaN", "NAN"]
        try:
            table = csv.read_csv(
                pa.BufferReader(data),
                csv.ReadOptions(column_names=list(types), block_size=_BLOCK // 2),
                csv.ParseOptions(quote_char=False, ignore_empty_lines=False),
                csv.ConvertOptions(column_types=types, null_values=missing, strings_can_be_null=False),
            )
            cells = [
                column.chunks if attribute.is_number else [_plain_texts(attribute, chunk) for chunk in column.chunks]
                for attribute, column in zip(self._attributes, table.columns, strict=True)
            ]
        except (pa.ArrowInvalid, _ValueError):
            # Row by row, the line at fault is found.
            return False
        if table.num_rows != rows:
            return False
        for chunks, more in zip(self._chunks, cells, strict=True):
            chunks += more
        return True

    def _read_rows(self, texts: Sequence[bytes], lines: Sequence[int]) -> None:
        # Sparse rows leave out zeros and the first declared value.
        omitted = [
            "0" if known.is_number else known.nominal[0] if known.nominal else None for known in self._attributes
        ]
        at_once = max(1, _CELLS_AT_ONCE // len(self._attributes))
        for first in range(0, len(lines), at_once):
            rows, some = [], lines[first : first + at_once]
            for text, line in zip(texts[first:], some, strict=False):
                cells = omitted.copy()
                try:
                    for place, value in self._split(decode_line(text, line, self._source)):
                        cells[place] = value
                except _LineError as error:
                    raise DataError(str(error), source=self._source, line=line) from error
                rows.append(cells)
            for attribute, chunks, column in zip(self._attributes, self._chunks, zip(*rows, strict=True), strict=True):
                encoded = text_array(column).dictionary_encode()
                try:
                    chunks.append(_declared_cells(attribute, encoded.indices, encoded.dictionary.to_pylist()))
                except _ValueError as error:
                    problem = f"column {quoted(attribute.name)}: {quoted(error.text)} {error}"
                    line = some[column.index(error.text)]
                    raise DataError(problem, source=self._source, line=line) from error

    def _split(self, line: str) -> Iterable[tuple[int, str | None]]:
        """The position and the value of each cell, None for a missing one; a sparse row leaves out some."""
        outline, quoted_values = _outline_of(line)
        outline = outline.rstrip(", \t")
        row = _WEIGHT.sub("", outline)
        self._weighted |= row != outline
        width = len(self._attributes)
        if not row.startswith("{"):
            values = _split_values(row, quoted_values)
            if len(values) != width:
                declared = f"{counted(width, 'attribute')} are declared"
                raise _LineError(f"{counted(len(values), 'value')}, but {declared}; a missing one is written ?")
            return enumerate(values)
        from arff import ArffException, LODGeneratorData

        inside = row.strip("{} \t")
        problem = f"the sparse row is not {{index value, …}} with indices from 0 to {width - 1}, each once"
        cells: dict[int, str | None]
        try:
            whole = re.sub("\0", lambda _: next(quoted_values), row)
            (cells,) = LODGeneratorData().decode_rows((whole,), [str] * width)
        except (ArffException, ValueError) as error:
            raise _LineError(problem) from error
        if len(cells) != (inside.count(",") + 1 if inside else 0) or min(cells, default=0) < 0:
            raise _LineError(problem)
        return cells.items()


def _plain_texts(attribute: Attribute, cells: pa.Array) -> pa.Array:
    texts = [text.strip() for text in cells.dictionary.to_pylist()]
    if "" in texts:
        raise _ValueError("is empty", "")
    return _declared_cells(attribute, cells.indices, [None if text == "?" else text for text in texts])


def _declared_cells(attribute: Attribute, indices: pa.Array, texts: Sequence[str | None]) -> pa.Array:
    """Cells as their attribute declares them, given the distinct texts, None for a missing one, and their indices."""
    places = filled(indices, len(texts))
    if attribute.is_number:
        numbers = known_numbers(text_array([text or "" for text in texts]))
        for text, number in zip(texts, numbers.tolist(), strict=True):
            # Weka's missing value is NaN, and may be written so.
            if number != number and text is not None and text.strip().lower() != "nan":
                raise _ValueError("is not a number, as declared; ? is a missing one", text)
        return double_array(np.append(numbers, np.nan)[places])
    known = list(dict.fromkeys(text for text in texts if text is not None))
    if attribute.nominal is not None:
        unknown = next((text for text in known if text not in attribute.nominal), None)
        if unknown is not None:
            raise _ValueError(f"is not among the declared values: {listed(attribute.nominal)}; declare it too", unknown)
        known = list(attribute.nominal)
    codes: dict[str | None, int] = {text: code for code, text in enumerate(known)}
    code_of_text = np.array([*(codes.get(text, len(known)) for text in texts), len(known)])
    return dictionary_cells(code_of_text[places], text_array(known)).chunk(0)
