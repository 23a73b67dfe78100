"""The output formats of a document: each declared once, chosen by name or by the ending of a file.

Nothing heavy is imported here, as help lists the formats; each format imports what it needs when it is used.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from probfs.registry import Registry
from probfs.runtime.output import format_by_ending

Document = TypeVar("Document")


@dataclass(frozen=True)
class Presentation:
    """What the place where a document goes asks for."""

    width: int | None = None
    """The terminal's; None where lines may be as long as they need."""
    color: bool = False
    safe_csv: bool = False
    """Whether a CSV cell that a spreadsheet would take for a formula begins with an apostrophe."""


@dataclass(frozen=True)
class OutputFormat(Generic[Document]):
    """One format of a document."""

    name: str
    endings: tuple[str, ...]
    """Of the files that it is chosen for."""
    render: Callable[[Document, Presentation], str | bytes]
    tells_background: bool = False
    """Whether it shows what a result keeps only on request, as it takes time to gather (``report=True``)."""
    is_picture: bool = False
    is_binary: bool = False
    """Whether it is no text, which a terminal could show."""


class OutputFormats(Registry[OutputFormat[Document]]):
    """The formats that a document can be written in; ``table`` and ``csv`` are always among them."""

    def __init__(self) -> None:
        super().__init__("format")

    def choose(self, name: str | None, path: str | os.PathLike[str] | None, terminal: bool) -> OutputFormat[Document]:
        """The format asked for, or that of the output file's ending, or a table for people and CSV for programs."""
        if name is None and path is None:
            name = "table" if terminal else "csv"
        if name is None:
            assert path is not None
            endings = {ending: known.name for known in self for ending in known.endings}
            name = format_by_ending(path, endings, for_streams="csv")
        return self[name]

    def choose_picture(self, path: str | os.PathLike[str]) -> OutputFormat[Document]:
        """The picture that the ending of a file asks for."""
        endings = {ending: known.name for known in self if known.is_picture for ending in known.endings}
        return self[format_by_ending(path, endings, for_streams="png", parameter="plot", by_name=False)]


def standard_formats(
    *,
    table: Callable[[Document, Presentation], str],
    csv: Callable[[Document, Presentation], str],
    json: Callable[[Document, Presentation], str],
    markdown: Callable[[Document, Presentation], str],
) -> OutputFormats[Document]:
    """The formats that every document has."""
    formats: OutputFormats[Document] = OutputFormats()
    formats.register(OutputFormat("table", (".txt",), table))
    formats.register(OutputFormat("csv", (".csv",), csv))
    formats.register(OutputFormat("json", (".json",), json))
    formats.register(OutputFormat("markdown", (".md", ".markdown"), markdown))
    return formats
