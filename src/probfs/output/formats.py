"""The formats that results can be written in: each declared once, chosen by name or by the ending of a file.

Nothing heavy is imported here, as help lists the formats; each imports what it needs when it is used.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from probfs.registry import Registry
from probfs.runtime.output import format_by_ending

if TYPE_CHECKING:
    from probfs.output.writers import Presentation


@dataclass(frozen=True)
class OutputFormat:
    """One format of results."""

    name: str
    endings: tuple[str, ...]
    """Of the files that it is chosen for."""
    tells_background: bool = False
    """Whether it shows what a result keeps only on request, as it takes time to gather (``report=True``)."""
    is_picture: bool = False
    is_binary: bool = False
    """Whether it is no text, which a terminal could show."""

    def render(self, result: Any, presentation: Presentation) -> str | bytes:
        """The content of a file: of a ranking or selection, or of a document, which has no pictures and no page."""
        if self.is_picture:
            from probfs.output.figure import figure_file

            return figure_file(result.drawing(), self.name)
        if self.tells_background:
            return str(result.to_html())
        from probfs.output.writers import WRITERS

        return WRITERS[self.name](result.document() if hasattr(result, "document") else result, presentation)


class OutputFormats(Registry[OutputFormat]):
    """The formats that something can be written in; ``table`` and ``csv`` are always among them."""

    def choose(self, name: str | None, path: str | os.PathLike[str] | None, terminal: bool) -> OutputFormat:
        """The format asked for, or that of the output file's ending, or a table for people and CSV for programs."""
        if name is None and path is not None:
            name = format_by_ending(path, {ending: each.name for each in self for ending in each.endings}, "csv")
        return self[name or ("table" if terminal else "csv")]

    def choose_picture(self, path: str | os.PathLike[str]) -> OutputFormat:
        """The picture that the ending of a file asks for."""
        endings = {ending: each.name for each in self if each.is_picture for ending in each.endings}
        return self[format_by_ending(path, endings, "png", parameter="plot", by_name=False)]


_DOCUMENTS = [
    OutputFormat("table", (".txt",)),
    OutputFormat("csv", (".csv",)),
    OutputFormat("json", (".json",)),
    OutputFormat("markdown", (".md", ".markdown")),
]
_PAGES = [
    OutputFormat("parquet", (".parquet",), is_binary=True),
    OutputFormat("html", (".html", ".htm"), tells_background=True),
]
_PICTURES = [
    OutputFormat(name, (f".{name}",), is_picture=True, is_binary=name != "svg") for name in ("png", "svg", "pdf")
]
DOCUMENT_FORMATS = OutputFormats("format", _DOCUMENTS)
PAGE_FORMATS = OutputFormats("format", [*_DOCUMENTS, *_PAGES])
"""Of pairs, which also have a page."""
RESULT_FORMATS = OutputFormats("format", [*_DOCUMENTS, *_PAGES, *_PICTURES])
"""Of rankings and selections, which also have a figure."""
