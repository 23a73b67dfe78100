"""The output formats of a ranking; options, help and file endings follow from what is registered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from probfs.rendering.figure_formats import register_figures
from probfs.rendering.formats import OutputFormat, Presentation, standard_formats
from probfs.rendering.ranking_csv import CSV_HEADER, ranking_csv, ranking_rows
from probfs.rendering.ranking_json import ranking_document, ranking_json

if TYPE_CHECKING:
    from probfs.ranking.result import Ranking
    from probfs.rendering.figures.compose import Drawing


def _table(ranking: Ranking, presentation: Presentation) -> str:
    # rich takes as long to import as a small table to rank.
    from probfs.rendering.ranking_table import ranking_table

    return ranking_table(ranking, presentation)


def _csv(ranking: Ranking, presentation: Presentation) -> str:
    return ranking_csv(ranking, safe=presentation.safe_csv)


def _json(ranking: Ranking, presentation: Presentation) -> str:
    return ranking_json(ranking)


def _markdown(ranking: Ranking, presentation: Presentation) -> str:
    from probfs.rendering.ranking_markdown import ranking_markdown

    return ranking_markdown(ranking)


def _parquet(ranking: Ranking, presentation: Presentation) -> bytes:
    # Only such a file needs this part of pyarrow.
    from probfs.rendering.parquet_file import parquet_file

    return parquet_file(CSV_HEADER, ranking_rows(ranking), ranking_document(ranking))


def _html(ranking: Ranking, presentation: Presentation) -> str:
    # Only a report needs Jinja and matplotlib.
    from probfs.rendering.report.ranking_report import ranking_report

    return ranking_report(ranking)


def _drawing(ranking: Ranking) -> Drawing:
    from probfs.rendering.figures.ranking_figure import ranking_drawing

    return ranking_drawing(ranking)


RANKING_FORMATS = standard_formats(table=_table, csv=_csv, json=_json, markdown=_markdown)
RANKING_FORMATS.register(OutputFormat("parquet", (".parquet",), _parquet, is_binary=True))
RANKING_FORMATS.register(OutputFormat("html", (".html", ".htm"), _html, tells_background=True))
register_figures(RANKING_FORMATS, _drawing)
