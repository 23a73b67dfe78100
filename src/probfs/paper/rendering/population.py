"""The output formats of the exact scores of a known distribution."""

from __future__ import annotations

from dataclasses import asdict, astuple, dataclass, fields
from typing import TYPE_CHECKING, Any

from probfs.rendering.formats import Presentation, standard_formats
from probfs.rendering.json_text import json_text
from probfs.rendering.markdown_tables import pipe_table
from probfs.text import delimited, printable

if TYPE_CHECKING:
    from probfs.paper.theory import PopulationScores

SCHEMA = "probfs.population/1"
_HEADINGS = ("feature", "S_S", "S_A", "S_B")


@dataclass(frozen=True)
class PopulationReport:
    """Scores in the order of the file's columns, and what the JSON says of where they come from."""

    version: str
    source: str
    features: tuple[PopulationScores, ...]


def _table(report: PopulationReport, presentation: Presentation) -> str:
    from rich.table import Table
    from rich.text import Text

    from probfs.rendering.terminal import terminal_text

    grid = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    grid.add_column(_HEADINGS[0], overflow="fold")
    for heading in _HEADINGS[1:]:
        grid.add_column(heading, justify="right", no_wrap=True)
    for name, *values in _rows(report):
        grid.add_row(Text(printable(name)), *(f"{value:.6f}" for value in values))
    return terminal_text([grid], presentation)


def _csv(report: PopulationReport, presentation: Presentation) -> str:
    return delimited([_header(report), *_rows(report)], safe=presentation.safe_csv)


def _json(report: PopulationReport, presentation: Presentation) -> str:
    return json_text({"schema": SCHEMA, **asdict(report)})


def _markdown(report: PopulationReport, presentation: Presentation) -> str:
    return pipe_table(_header(report), _rows(report))


def _header(report: PopulationReport) -> list[str]:
    return [field.name for field in fields(report.features[0])]


def _rows(report: PopulationReport) -> list[tuple[Any, ...]]:
    return [astuple(scores) for scores in report.features]


POPULATION_FORMATS = standard_formats(table=_table, csv=_csv, json=_json, markdown=_markdown)
