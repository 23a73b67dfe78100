"""The formats that results can be written in: each declared once, chosen by name or by the ending of a file.

Nothing heavy is imported here, as help lists the formats; each format imports what it needs when it is used.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Generic, TypeVar

from probfs.output import writers
from probfs.output.documents import (
    Document,
    comparison_document,
    inspection_document,
    ranking_document,
    selection_document,
)
from probfs.output.drawings import Drawing, ranking_drawing, selection_drawing
from probfs.output.figure import FigureFormat, figure_file
from probfs.output.report import ranking_report, selection_report
from probfs.output.writers import Presentation
from probfs.registry import Registry
from probfs.runtime.output import format_by_ending

if TYPE_CHECKING:
    from probfs.columns.inspect import Inspection
    from probfs.comparison.result import Comparison
    from probfs.ranking.result import Ranking
    from probfs.selection.result import Selection

Result = TypeVar("Result")
_FIGURES: tuple[FigureFormat, ...] = ("png", "svg", "pdf")


@dataclass(frozen=True)
class OutputFormat(Generic[Result]):
    """One format of a result."""

    name: str
    endings: tuple[str, ...]
    """Of the files that it is chosen for."""
    render: Callable[[Result, Presentation], str | bytes]
    tells_background: bool = False
    """Whether it shows what a result keeps only on request, as it takes time to gather (``report=True``)."""
    is_picture: bool = False
    is_binary: bool = False
    """Whether it is no text, which a terminal could show."""


class OutputFormats(Registry[OutputFormat[Result]]):
    """The formats that a result can be written in; ``table`` and ``csv`` are always among them."""

    def __init__(self) -> None:
        super().__init__("format")

    def choose(self, name: str | None, path: str | os.PathLike[str] | None, terminal: bool) -> OutputFormat[Result]:
        """The format asked for, or that of the output file's ending, or a table for people and CSV for programs."""
        if name is None and path is None:
            name = "table" if terminal else "csv"
        if name is None:
            assert path is not None
            endings = {ending: known.name for known in self for ending in known.endings}
            name = format_by_ending(path, endings, for_streams="csv")
        return self[name]

    def choose_picture(self, path: str | os.PathLike[str]) -> OutputFormat[Result]:
        """The picture that the ending of a file asks for."""
        endings = {ending: known.name for known in self if known.is_picture for ending in known.endings}
        return self[format_by_ending(path, endings, for_streams="png", parameter="plot", by_name=False)]


def document_formats(make_document: Callable[[Result], Document]) -> OutputFormats[Result]:
    """The formats of anything that can be made a document."""

    def written_by(
        write: Callable[[Document, Presentation], str],
    ) -> Callable[[Result, Presentation], str]:
        return lambda result, presentation: write(make_document(result), presentation)

    formats: OutputFormats[Result] = OutputFormats()
    formats.register(OutputFormat("table", (".txt",), written_by(writers.terminal_text)))
    formats.register(OutputFormat("csv", (".csv",), written_by(writers.csv_text)))
    formats.register(OutputFormat("json", (".json",), written_by(writers.json_document)))
    formats.register(OutputFormat("markdown", (".md", ".markdown"), written_by(writers.markdown_text)))
    return formats


def _result_formats(
    make_document: Callable[[Result], Document],
    make_page: Callable[[Result], str],
    describe: Callable[[Result], Drawing],
) -> OutputFormats[Result]:
    """The formats of a result that also has a report and a figure."""
    formats = document_formats(make_document)

    def draw(name: FigureFormat, result: Result, presentation: Presentation) -> bytes:
        return figure_file(describe(result), name)

    def parquet(result: Result, presentation: Presentation) -> bytes:
        return writers.parquet_bytes(make_document(result))

    def page(result: Result, presentation: Presentation) -> str:
        return make_page(result)

    formats.register(OutputFormat("parquet", (".parquet",), parquet, is_binary=True))
    formats.register(OutputFormat("html", (".html", ".htm"), page, tells_background=True))
    for name in _FIGURES:
        formats.register(
            OutputFormat(name, (f".{name}",), partial(draw, name), is_picture=True, is_binary=name != "svg")
        )
    return formats


RANKING_FORMATS: OutputFormats[Ranking] = _result_formats(ranking_document, ranking_report, ranking_drawing)
SELECTION_FORMATS: OutputFormats[Selection] = _result_formats(selection_document, selection_report, selection_drawing)
COMPARISON_FORMATS: OutputFormats[Comparison] = document_formats(comparison_document)
INSPECTION_FORMATS: OutputFormats[Inspection] = document_formats(inspection_document)
