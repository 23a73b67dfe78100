"""The output formats of a selection; options, help and file endings follow from what is registered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from probfs.rendering.figure_formats import register_figures
from probfs.rendering.formats import OutputFormat, Presentation, standard_formats
from probfs.rendering.selection_csv import SELECTION_HEADER, selection_csv, selection_rows
from probfs.rendering.selection_json import selection_document, selection_json

if TYPE_CHECKING:
    from probfs.rendering.figures.compose import Drawing
    from probfs.selection.result import Selection


def _table(selection: Selection, presentation: Presentation) -> str:
    # rich takes as long to import as a small table to read.
    from probfs.rendering.selection_table import selection_table

    return selection_table(selection, presentation)


def _csv(selection: Selection, presentation: Presentation) -> str:
    return selection_csv(selection, safe=presentation.safe_csv)


def _json(selection: Selection, presentation: Presentation) -> str:
    return selection_json(selection)


def _markdown(selection: Selection, presentation: Presentation) -> str:
    from probfs.rendering.selection_markdown import selection_markdown

    return selection_markdown(selection)


def _parquet(selection: Selection, presentation: Presentation) -> bytes:
    # Only such a file needs this part of pyarrow.
    from probfs.rendering.parquet_file import parquet_file

    return parquet_file(SELECTION_HEADER, selection_rows(selection), selection_document(selection))


def _html(selection: Selection, presentation: Presentation) -> str:
    # Only a report needs Jinja and matplotlib.
    from probfs.rendering.report.selection_report import selection_report

    return selection_report(selection)


def _drawing(selection: Selection) -> Drawing:
    from probfs.rendering.figures.selection_figure import selection_drawing

    return selection_drawing(selection)


SELECTION_FORMATS = standard_formats(table=_table, csv=_csv, json=_json, markdown=_markdown)
SELECTION_FORMATS.register(OutputFormat("parquet", (".parquet",), _parquet, is_binary=True))
SELECTION_FORMATS.register(OutputFormat("html", (".html", ".htm"), _html, tells_background=True))
register_figures(SELECTION_FORMATS, _drawing)
