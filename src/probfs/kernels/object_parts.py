"""What readers of object files share: records that must lie within the file, names and symbols."""

from __future__ import annotations

import struct
from typing import Any, NamedTuple

MAX_ALIGNMENT = 1 << 12
MAX_EMPTY_SIZE = 1 << 24
"""Of a section that the file only states the size of, and for which memory is taken."""


class Symbol(NamedTuple):
    """A name that other object files can see, as C spells it."""

    name: str
    is_defined: bool
    is_code: bool = False
    """Whether it is defined in a part of the file that can be executed."""


def require(is_true: bool, what: str) -> None:
    """Refuse an object file unless something is true of it."""
    if not is_true:
        raise ValueError(f"the object code is malformed: {what}")


def slice_within(content: bytes, start: int, size: int, what: str) -> bytes:
    """A part of a file, all of which must be there."""
    require(0 <= start <= start + size <= len(content), f"{what} outside of the file")
    return content[start : start + size]


def unpack_records(layout: struct.Struct, content: bytes, start: int, count: int, what: str) -> list[tuple[Any, ...]]:
    """Records that follow each other, all of which must be there."""
    return list(layout.iter_unpack(slice_within(content, start, count * layout.size, what)))


def name_at(names: bytes, start: int) -> str:
    """The name that begins somewhere in a table of names and ends with a zero byte."""
    end = names.find(b"\0", start)
    require(0 <= start <= end, "a name outside of its table")
    name = names[start:end]
    require(name.isascii(), "a name that is no ASCII")
    return name.decode("ascii")
