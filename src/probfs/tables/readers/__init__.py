"""Files -> Table, one module for each format."""

from __future__ import annotations

import io
import os
from dataclasses import dataclass
from typing import BinaryIO

from probfs.choices import TABLE_ENDINGS, TABLE_FORMATS, TableFormat
from probfs.errors import DataError, UsageError
from probfs.tables.source import STANDARD_INPUT, Utf8Stream, open_source, shown_name
from probfs.tables.table import Table

_PARQUET = b"PAR1"


@dataclass(frozen=True)
class ReadOptions:
    """What the command line says of how files are written."""

    format: TableFormat | None = None
    delimiter: str | None = None
    encoding: str = "utf-8"
    max_unpacked: int | None = None
    """How many bytes gzip data may unpack to; without one, as many as are not suspicious."""

    def __post_init__(self) -> None:
        if self.format is not None and self.format not in TABLE_FORMATS:
            raise UsageError(f"--input-format: no format {self.format!r}; {', '.join(TABLE_FORMATS)}")
        if self.delimiter is not None and (
            len(self.delimiter) != 1 or not self.delimiter.isascii() or self.delimiter in '"\r\n\0'
        ):
            raise UsageError(f"--delimiter: {self.delimiter!r} is not one plain character, like ';' or a tab")

    def for_another(self, path: str | os.PathLike[str]) -> ReadOptions:
        """The options for a further file: its format is its own, and a delimiter matters only if it has one."""
        delimited = _known_format(path) in (None, "csv", "tsv")
        return ReadOptions(None, self.delimiter if delimited else None, self.encoding, self.max_unpacked)


def read_table(path: str | os.PathLike[str], options: ReadOptions | None = None) -> Table:
    """Read a table from a file, or from standard input when the path is ``-``."""
    options = options or ReadOptions()
    source = shown_name(path)
    with open_source(path, options.max_unpacked) as (raw, head):
        kind = options.format or _known_format(path) or _recognised(head, options.encoding)
        if options.delimiter is not None and kind not in ("csv", "tsv"):
            raise UsageError(f"--delimiter: {source} is {kind.upper()}, which has no delimiter to choose")
        if kind == "parquet":
            from probfs.tables.readers.arrow import read_parquet

            return read_parquet(_seekable(raw), source)
        if head.startswith(_PARQUET):
            raise DataError(f"is a Parquet file, not {kind.upper()}; use --input-format parquet", source=source)
        stream = Utf8Stream(raw, options.encoding, source)
        if kind == "arff":
            from probfs.tables.readers.arff import read_arff

            return read_arff(stream)
        from probfs.tables.readers.delimited import read_delimited

        return read_delimited(stream, options.delimiter or ("\t" if kind == "tsv" else ","))


def _known_format(path: str | os.PathLike[str]) -> TableFormat | None:
    name = os.fspath(path).lower().removesuffix(".gz")
    return None if name == STANDARD_INPUT else TABLE_ENDINGS.get(os.path.splitext(name)[1])


def _recognised(start: bytes, encoding: str) -> TableFormat:
    """The format of bytes without a telling name: Parquet and ARFF say what they are, the rest is taken for CSV."""
    if start.startswith(_PARQUET):
        return "parquet"
    try:
        text = start.decode(encoding, "ignore")
    except (LookupError, UnicodeError):
        return "csv"
    commented = False
    for line in text.removeprefix("\ufeff").splitlines():
        if line.strip() and not line.lstrip().startswith("%"):
            return "arff" if line.lstrip().lower().startswith(("@relation", "@attribute")) else "csv"
        commented = commented or bool(line.strip())
    # Nothing but comments, as far as this looks.
    return "arff" if commented else "csv"


def _seekable(raw: io.BufferedReader) -> BinaryIO:
    # Parquet is read from its end, where neither a pipe nor gzip can go.
    return raw if isinstance(raw.raw, io.FileIO) and raw.seekable() else io.BytesIO(raw.read())
