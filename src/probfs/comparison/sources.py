"""What is compared: a document of ``rank`` or ``select``, or a table that has yet to be ranked as the other one was."""

from __future__ import annotations

import codecs
import json
import os
import sys
from typing import TYPE_CHECKING, Any, TypeAlias

from probfs.comparison.documents import ComparedRanking, parse_document, read_document
from probfs.errors import UsageError
from probfs.tables.files import may_be_many
from probfs.tables.formats import format_of_path
from probfs.tables.opening import STANDARD_INPUT, display_name, open_source
from probfs.tables.streams import without_compression_ending

if TYPE_CHECKING:
    from probfs.ranking.result import Ranking
    from probfs.selection.result import Selection
    from probfs.tables.frames import InMemory

Comparable: TypeAlias = "str | os.PathLike[str] | Ranking | Selection | InMemory"
"""A path, a result, or a table."""


def find_document(
    given: Comparable, name: str, input_format: str | None = None, max_unpacked: int | None = None
) -> ComparedRanking | None:
    """The document that was given, or that a path leads to; None for a table. ``name`` is the parameter's."""
    if isinstance(given, str | os.PathLike):
        is_document = _leads_to_document(given, input_format, max_unpacked)
        return read_document(given, max_unpacked) if is_document else None
    # Asked of the class, since a frame may have a column of that name.
    if "settings" in getattr(type(given), "__dataclass_fields__", ()):
        return document_of(given, f"<{name}>")
    # Imports numpy, which whoever holds a table has anyway.
    from probfs.tables.frames import is_table

    if is_table(given):
        return None
    expected = "a path, a Ranking, a Selection or a data frame"
    raise UsageError(f"{name} must be {expected}, not {type(given).__name__}")


def document_of(result: Any, source: str) -> ComparedRanking:
    """A result, as it would be read from its file."""
    return parse_document(json.loads(result.to_json()), source)


def name_of_table(given: Comparable) -> str:
    """What messages call a table."""
    return display_name(given) if isinstance(given, str | os.PathLike) else "a data frame"


def _leads_to_document(path: str | os.PathLike[str], input_format: str | None, max_unpacked: int | None) -> bool:
    """Whether a path leads to a document: by its ending, else by how the file begins.

    A table in JSON lines begins as a document does, so it needs its ending or the name of its format. What a named pipe
    holds cannot be looked at twice: it is taken for a document unless the format of a table was named.
    """
    if without_compression_ending(os.fspath(path).lower()).endswith(".json"):
        return True
    if input_format is not None or format_of_path(path) is not None or may_be_many(path):
        return False
    if os.fspath(path) == STANDARD_INPUT:
        return _begins_as_object(_peek_at_standard_input())
    if os.path.exists(path) and not os.path.isfile(path):
        return True
    with open_source(path, max_unpacked) as (_, head):
        return _begins_as_object(head)


def _peek_at_standard_input() -> bytes:
    """The first bytes of standard input, which stay there to be read; none if it is closed."""
    peek = getattr(getattr(sys.stdin, "buffer", None), "peek", None)
    return b"" if peek is None else peek(1)


def _begins_as_object(head: bytes) -> bool:
    return head.removeprefix(codecs.BOM_UTF8).lstrip().startswith(b"{")
