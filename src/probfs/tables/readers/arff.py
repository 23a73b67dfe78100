"""ARFF, dense and sparse: plain blocks of rows go to pyarrow, all others are read line by line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from probfs.errors import DataError
from probfs.tables.arrow_arrays import equal_to, index_array, null_where, numpy_array, text_array
from probfs.tables.readers.arff_header import QUOTED, Attribute, Header, Scanner, date_parser, read_header, unescaped
from probfs.tables.readers.cell_splitter import Splitter
from probfs.tables.readers.column_builder import ColumnBuilder, LineRecorder, MemoryGuard
from probfs.tables.readers.lines import LINE, decoded, line_ends, newlines, parsed_block
from probfs.tables.source import Utf8Stream
from probfs.tables.table import Column, Kind, Table, is_number
from probfs.text import counted, listed, quoted

_BLOCK_BYTES = 8 << 20
_NOT_PLAIN = re.compile(rb"['\"\\%{}\t\0]|\r(?!\n)")
_INDEX = re.compile(r"[0-9]{1,9}")
_COMMENT = re.compile(r"(?:^|\s)%")


def read_arff(stream: Utf8Stream) -> Table:
    """Read an ARFF file; nominal attributes keep their declared values."""
    return _Reader(stream).read()


class _Reader:
    def __init__(self, stream: Utf8Stream) -> None:
        self.source = stream.source
        self._stream = stream
        self._pending = b""
        self._position = 0
        self._next_line = 1
        self.lines = LineRecorder()
        self.columns: list[ColumnBuilder] = []
        self.attributes: tuple[Attribute, ...] = ()
        self.weighted = False

    def read(self) -> Table:
        header = read_header(self._header_lines(), self.source)
        self.attributes = header.attributes
        # In a block without quotes a bare ? is the only way to say missing; elsewhere the cell parser says None.
        self.columns = [ColumnBuilder(attribute.name, missing=None) for attribute in self.attributes]
        memory = MemoryGuard(self._stream, self.columns)
        self._splitter = Splitter(self._stream, len(self.columns), ",")
        memory.check()
        for first_line, data in self._data_blocks():
            if not self._read_plain(first_line, data):
                self._read_lines(first_line, data)
            memory.check()
        if not self.lines.rows:
            raise DataError("has no data rows below @data; is the file cut off?", source=self.source)
        return self._table(header)

    def _table(self, header: Header) -> Table:
        skeleton = Table(self.source, {}, self.lines.rows, self.lines.finish())
        columns = {
            attribute.name: _finish(skeleton, builder, attribute)
            for attribute, builder in zip(self.attributes, self.columns, strict=True)
        }
        notes = header.notes
        if self.weighted:
            notes += (f"{self.source}: instance weights are ignored",)
        hint = next((name for name in columns if name.lower() == "class"), None)
        why = None if hint is None else (hint, "the ARFF attribute of that name")
        return Table(self.source, columns, skeleton.rows, skeleton.lines, why, notes)

    def _header_lines(self) -> Iterator[tuple[int, str]]:
        while True:
            match = LINE.match(self._pending, self._position)
            while match is None or match.end() == len(self._pending):
                # What has been read is let go of here only, and more is taken each time: both stay linear that way.
                self._pending, self._position = self._pending[self._position :], 0
                chunk = self._stream.read(max(1 << 16, len(self._pending)))
                if not chunk:
                    match = LINE.match(self._pending)
                    break
                self._pending += chunk
                match = LINE.match(self._pending)
            if match is None:
                return
            self._position = match.end()
            number = self._next_line
            self._next_line += 1
            yield number, decoded(match.group(), number, self.source).strip()

    def _data_blocks(self) -> Iterator[tuple[int, bytes]]:
        line = self._next_line
        pending = self._pending[self._position :]
        while True:
            chunk = self._stream.read(_BLOCK_BYTES)
            data = pending + chunk
            end = data.rfind(b"\n") + 1 if chunk else len(data)
            if end:
                yield line, data[:end]
                line += line_ends(data[:end])
            pending = data[end:]
            if not chunk:
                return

    def _read_plain(self, first_line: int, data: bytes) -> bool:
        """Read a block of unquoted dense rows with pyarrow, or leave it alone and return False."""
        if not data.strip(b"\r\n"):
            return True
        if _NOT_PLAIN.search(data) or data.startswith(b"\xef\xbb\xbf"):
            return False
        self._splitter.prepare()
        table = self._splitter.split(data)
        if table is None:
            table = parsed_block(data, len(self.columns), quote_char=False)
        if table is None:
            return False
        if newlines(data) + (not data.endswith(b"\n")) != table.num_rows:
            return False
        blocks = [_plain_cells(cells) for cells in table.columns]
        if any(block is None for block in blocks):
            return False
        for builder, block in zip(self.columns, blocks, strict=True):
            builder.append(block)
        self.lines.append_run(first_line, table.num_rows)
        return True

    # --- line by line -----------------------------------------------------------------------------------------------

    def _read_lines(self, first_line: int, data: bytes) -> None:
        """Read rows one by one; sparse ones leave most columns at their default, so columns are filled by exception."""
        lines: list[int] = []
        cells: list[dict[int, str | None]] = [{} for _ in self.attributes]
        defaults = [_sparse_default(attribute) for attribute in self.attributes]
        for number, match in enumerate(LINE.finditer(data), start=first_line):
            line = decoded(match.group(), number, self.source).strip()
            if not line or line.startswith("%"):
                continue
            row = len(lines)
            if line.startswith("{"):
                for position, value in self._sparse(line, number).items():
                    if value != defaults[position]:
                        cells[position][row] = value
            else:
                for position, value in enumerate(self._dense(line, number)):
                    if value != defaults[position]:
                        cells[position][row] = value
            lines.append(number)
        for builder, default, exceptions in zip(self.columns, defaults, cells, strict=True):
            builder.append(_filled(default, exceptions, len(lines)))
        self.lines.append(lines)

    def _dense(self, line: str, number: int) -> list[str | None]:
        text = self._without_weight(line)
        delimiter = "\t" if "\t" in text and "," not in QUOTED.sub("", text) else ","
        values: list[str | None] = []
        position: int | None = 0
        while position is not None:
            value, position = self._cell(text, position, delimiter, number)
            values.append(value)
        if len(values) != len(self.attributes):
            problem = f"{counted(len(values), 'value')}, but {counted(len(self.attributes), 'attribute')} are declared"
            raise DataError(f"{problem}; a missing one is written ?", source=self.source, line=number)
        return values

    def _cell(self, text: str, position: int, delimiter: str, number: int) -> tuple[str | None, int | None]:
        """The cell that begins at a position, and where the next one begins, if any."""
        while text[position : position + 1] == " ":
            position += 1
        if text[position : position + 1] in ("'", '"'):
            match = QUOTED.match(text, position)
            if match is None:
                raise DataError(
                    "a quote opens and is never closed on its line; close it, or put a backslash before it",
                    source=self.source,
                    line=number,
                )
            end = text.find(delimiter, match.end())
            behind = text[match.end() : end if end >= 0 else len(text)].strip()
            if behind and not behind.startswith("%"):
                problem = f"{quoted(behind)} follows a closing quote; escape a quote inside with a backslash"
                raise DataError(problem, source=self.source, line=number)
            return unescaped(match[1] if match[1] is not None else match[2]), None if behind or end < 0 else end + 1
        end = text.find(delimiter, position)
        bare = text[position : end if end >= 0 else len(text)]
        comment = _COMMENT.search(bare)
        if comment:
            bare, end = bare[: comment.start()], -1
        bare = bare.strip()
        if not bare:
            raise DataError("an empty value; a missing one is written ?", source=self.source, line=number)
        return None if bare == "?" else bare, None if end < 0 else end + 1

    def _without_weight(self, line: str) -> str:
        """A dense row without the weight in braces that may stand behind it."""
        if line.endswith("}"):
            before, _, _ = line.rpartition("{")
            before = before.rstrip(" ")
            if before.endswith((",", "\t")):
                self.weighted = True
                return before[:-1]
        return line

    def _sparse(self, line: str, number: int) -> dict[int, str | None]:
        scanner = Scanner(line, number, self.source)
        scanner.at_end()
        scanner.advance()
        values: dict[int, str | None] = {}
        while not scanner.at_end() and scanner.peek() != "}":
            if scanner.peek() == ",":
                scanner.advance()
                continue
            index = scanner.text(stop=" \t,}")
            if not _INDEX.fullmatch(index) or scanner.at_end() or scanner.peek() in ",}":
                raise scanner.error(f"a sparse row is {{index value, …}}; {quoted(index)} does not fit")
            if int(index) >= len(self.attributes):
                problem = f"index {index} is out of range: {counted(len(self.attributes), 'attribute')}, the first is 0"
                raise scanner.error(problem)
            bare = scanner.peek() not in "'\""
            value = scanner.text(stop=",}")
            if int(index) in values:
                raise scanner.error(f"index {index} stands twice in the row; keep one")
            values[int(index)] = None if bare and value == "?" else value
        if scanner.at_end() and not line.rstrip().endswith("}"):
            raise scanner.error("the sparse row is never closed with '}'")
        scanner.advance()
        if not scanner.at_end():
            rest = scanner.rest().lstrip(", ")
            if not (rest.startswith("{") and rest.endswith("}")):
                raise scanner.error(f"{quoted(scanner.rest())} after the row is not understood")
            self.weighted = True
        return values


def _plain_cells(cells: pa.ChunkedArray) -> pa.ChunkedArray | None:
    """Trimmed cells with ? as missing, or None where there is an empty one."""
    chunks = []
    for chunk in cells.chunks:
        dictionary = pc.utf8_trim_whitespace(chunk.dictionary)
        if pc.any(equal_to(dictionary, ""), min_count=0).as_py():
            return None
        dictionary = null_where(dictionary, "?")
        chunks.append(pa.DictionaryArray.from_arrays(chunk.indices, dictionary))
    return pa.chunked_array(chunks)


def _sparse_default(attribute: Attribute) -> str | None:
    """What a sparse row means by leaving an attribute out: zero, or the first declared value."""
    if attribute.kind is Kind.NUMBER:
        return "0"
    return attribute.nominal[0] if attribute.nominal else None


def _filled(default: str | None, exceptions: dict[int, str | None], rows: int) -> pa.DictionaryArray:
    codes = {default: 0}
    indices = np.zeros(rows, dtype=np.int64)
    for row, value in exceptions.items():
        indices[row] = codes.setdefault(value, len(codes))
    return pa.DictionaryArray.from_arrays(index_array(indices), text_array(list(codes)))


def _finish(table: Table, builder: ColumnBuilder, attribute: Attribute) -> Column:
    """The column, once its values are found to be what was declared."""
    if attribute.kind is Kind.NUMBER:
        if not _is_number(builder.distinct()).all():
            column = builder.finish()[0]
            code = int(np.argmin(_is_number(column.values)))
            raise table.cell_error(
                column, code, f"{quoted(column.values[code].as_py())} is not a number, as declared; ? is a missing one"
            )
        return builder.finish(Kind.NUMBER)[0]
    if attribute.nominal is not None:
        column, surplus = builder.finish(declared=attribute.nominal)
        if len(surplus):
            # The surplus values come in the order of their first appearance.
            value = quoted(column.values[int(surplus[0])].as_py())
            problem = f"{value} is not among the declared values: {listed(attribute.nominal)}; declare it too"
            raise table.cell_error(column, int(surplus[0]), problem)
        return column
    if attribute.kind is Kind.DATE and attribute.date_format is not None:
        return _dates(table, builder.finish()[0], attribute.date_format)
    return builder.finish()[0]


def _is_number(texts: pa.StringArray) -> npt.NDArray[np.bool_]:
    """Whether each text is a number to Weka, whose missing value is NaN and may be written so."""
    nan = numpy_array(equal_to(pc.utf8_lower(texts), "nan"))
    either: npt.NDArray[np.bool_] = is_number(texts) | nan
    return either


def _dates(table: Table, column: Column, pattern: str) -> Column:
    parse = date_parser(pattern)
    if parse is None:
        return column
    texts: list[str] = []
    for code, text in enumerate(column.values.to_pylist()):
        try:
            texts.append(parse(text))
        except (ValueError, OverflowError):
            problem = f"{quoted(text)} is not a date written as {quoted(pattern)}, as declared; ? is a missing one"
            raise table.cell_error(column, code, problem) from None
    return _merged(column, texts)


def _merged(column: Column, texts: Sequence[str]) -> Column:
    """The column with its values renamed; two that get the same name become one."""
    builder = ColumnBuilder(column.name)
    indices = np.append(np.arange(len(texts)), len(texts))[column.codes]
    dictionary = text_array([*texts, None])
    builder.append(pa.DictionaryArray.from_arrays(index_array(indices), dictionary))
    return builder.finish(Kind.DATE)[0]
