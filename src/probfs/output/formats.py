"""The formats that results can be written in, chosen by name or by the ending of a file.

Nothing heavy is imported here, as help lists the formats.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from probfs.runtime.output import format_by_ending

if TYPE_CHECKING:
    from probfs.output.writers import Presentation

DOCUMENT_FORMATS = ("table", "csv", "json", "markdown")
PAGE_FORMATS = (*DOCUMENT_FORMATS, "parquet", "html")
"""Of pairs, which also have a page."""
PICTURE_FORMATS = ("png", "svg", "pdf")
RESULT_FORMATS = (*PAGE_FORMATS, *PICTURE_FORMATS)
"""Of rankings and selections, which also have a figure."""
BINARY_FORMATS = ("parquet", "png", "pdf")
_ENDINGS = {".txt": "table", ".csv": "csv", ".json": "json", ".md": "markdown", ".markdown": "markdown"}
_ENDINGS |= {".parquet": "parquet", ".html": "html", ".htm": "html"}
_PICTURE_ENDINGS = {f".{name}": name for name in PICTURE_FORMATS}


def choose_format(
    formats: tuple[str, ...], name: str | None, path: str | os.PathLike[str] | None, on_terminal: bool
) -> str:
    """The format asked for, or that of the output file's ending, or a table for people and CSV for programs."""
    if name is None and path is not None:
        endings = {ending: known for ending, known in (_ENDINGS | _PICTURE_ENDINGS).items() if known in formats}
        name = format_by_ending(path, endings, "csv")
    return name or ("table" if on_terminal else "csv")


def choose_picture(path: str | os.PathLike[str]) -> str:
    """The picture that the ending of a file asks for."""
    return format_by_ending(path, _PICTURE_ENDINGS, "png", parameter="plot", by_name=False)


def render(result: Any, format_name: str, presentation: Presentation) -> str | bytes:
    """The content of a file: of a ranking or selection, or of a document, which has no pictures and no page."""
    if format_name in PICTURE_FORMATS:
        from probfs.output.figure import figure_file

        return figure_file(result.drawing(), format_name)
    if format_name == "html":
        return str(result.to_html())
    from probfs.output.writers import WRITERS

    return WRITERS[format_name](result.document() if hasattr(result, "document") else result, presentation)
