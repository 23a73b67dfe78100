"""Compressed files: how they are known, and unpacking them as far as they are no suspicious size."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import Any, BinaryIO

from probfs.errors import DataError
from probfs.text import option, shown_bytes

_PIECE = 1 << 20
_MOST_UNPACKED = 4 << 30
_ALWAYS_UNPACKED = 64 << 20
"""Compressed data may unpack to this many bytes however small it is."""
_MOST_RATIO = 250
"""Beyond that, the largest ratio of unpacked to packed bytes; tables seldom reach a fifth of this."""


@dataclass(frozen=True)
class Compression:
    """One way to compress a file."""

    name: str
    ending: str
    """What file names end in after the ending of their format."""
    magic: re.Pattern[bytes]
    """How its data begins."""
    module: str | None
    """The module of the standard library that unpacks it; without one, pyarrow does."""

    def open(self, packed: BinaryIO) -> Any:
        """A stream of the unpacked bytes."""
        if self.module is not None:
            return import_module(self.module).open(packed)
        import pyarrow as pa

        return pa.CompressedInputStream(pa.PythonFile(packed, "r"), self.name)


COMPRESSIONS = (
    Compression("gzip", ".gz", re.compile(rb"\x1f\x8b"), "gzip"),
    # The three letters alone could begin a CSV file; a block, or the end of empty data, follows them.
    Compression("bzip2", ".bz2", re.compile(rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)"), "bz2"),
    Compression("xz", ".xz", re.compile(rb"\xfd7zXZ\x00"), "lzma"),
    # The standard library has zstd from Python 3.14 on only.
    Compression("zstd", ".zst", re.compile(rb"\x28\xb5\x2f\xfd"), None),
)


def compression_of(head: bytes) -> Compression | None:
    """The compression of data that begins like this; None for data that is not compressed."""
    return next((compression for compression in COMPRESSIONS if compression.magic.match(head)), None)


def without_compression_ending(name: str) -> str:
    """A file name in lower case, without the ending of a compression.

    >>> without_compression_ending("t.csv.xz"), without_compression_ending("t.csv")
    ('t.csv', 't.csv')
    """
    return re.sub(r"\.(?:gz|bz2|xz|zst)$", "", name)


def refuse_suspicious_size(unpacked: int, packed: int, chosen: int | None, which: str, source: str) -> None:
    """Refuse data that unpacks to more than the user's limit, or to suspiciously many times its size."""
    limit = min(_MOST_UNPACKED, max(_ALWAYS_UNPACKED, _MOST_RATIO * packed)) if chosen is None else chosen
    if unpacked > limit:
        problem = f"{which} unpack to more than {shown_bytes(limit)}"
        remedy = f"if that is meant, allow it with {option('max_unpacked', typed='SIZE')}"
        raise DataError(f"{problem}; {remedy}", source=source)


def unpack(compression: Compression, packed: BinaryIO, source: str, most: int | None) -> Iterator[bytes]:
    """The unpacked bytes of compressed data, up to a limit."""
    import lzma
    import zlib

    start, unpacked, data = packed.tell(), 0, None
    with compression.open(packed) as stream:
        while data != b"":
            try:
                data = bytes(stream.read(_PIECE))
            except (EOFError, OSError, zlib.error, lzma.LZMAError) as error:
                if isinstance(error, OSError) and error.errno is not None:
                    # The file could not be read, which is no fault of its content.
                    raise
                early = isinstance(error, EOFError) or str(error).startswith("Truncated")
                problem = f"the {compression.name} data {'ends too early' if early else 'is damaged'}"
                raise DataError(f"{problem}; fetch or write the file again", source=source) from error
            unpacked += len(data)
            size = packed.tell() - start
            which = f"the first {shown_bytes(size)} of its {compression.name} data"
            refuse_suspicious_size(unpacked, size, most, which, source)
            yield data
