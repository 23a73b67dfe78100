"""The output formats of a comparison; options, help and file endings follow from what is registered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from probfs.rendering.comparison_csv import comparison_csv
from probfs.rendering.comparison_json import comparison_json
from probfs.rendering.formats import Presentation, standard_formats

if TYPE_CHECKING:
    from probfs.comparison.result import Comparison


def _table(comparison: Comparison, presentation: Presentation) -> str:
    # rich takes as long to import as a small table to read.
    from probfs.rendering.comparison_table import comparison_table

    return comparison_table(comparison, presentation)


def _csv(comparison: Comparison, presentation: Presentation) -> str:
    return comparison_csv(comparison, safe=presentation.safe_csv)


def _json(comparison: Comparison, presentation: Presentation) -> str:
    return comparison_json(comparison)


def _markdown(comparison: Comparison, presentation: Presentation) -> str:
    from probfs.rendering.comparison_markdown import comparison_markdown

    return comparison_markdown(comparison)


COMPARISON_FORMATS = standard_formats(table=_table, csv=_csv, json=_json, markdown=_markdown)
