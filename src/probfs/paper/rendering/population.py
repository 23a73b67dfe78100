"""The exact scores of a known distribution as a document."""

from __future__ import annotations

from dataclasses import asdict, astuple, dataclass, fields
from typing import TYPE_CHECKING

from probfs.output.documents import Document, Header, Table, TableColumn
from probfs.output.formats import document_formats

if TYPE_CHECKING:
    from probfs.paper.theory import PopulationScores

SCHEMA = "probfs.population/1"
_HEADINGS = ("S_S", "S_A", "S_B")


@dataclass(frozen=True)
class PopulationReport:
    """Scores in the order of the file's columns, and what the JSON says of where they come from."""

    version: str
    source: str
    features: tuple[PopulationScores, ...]


def population_document(report: PopulationReport) -> Document:
    name, *scores = (field.name for field in fields(report.features[0]))
    header: Header = {name: "text", **dict.fromkeys(scores, "float64")}
    return Document(
        header,
        [astuple(scores) for scores in report.features],
        lambda: {"schema": SCHEMA, **asdict(report)},
        lambda: _table(report),
        is_terse=False,
    )


def _table(report: PopulationReport) -> Table:
    names, *scores = zip(*map(astuple, report.features), strict=True)
    numbers = [[f"{value:.6f}" for value in values] for values in scores]
    columns = [TableColumn(heading, cells) for heading, cells in zip(_HEADINGS, numbers, strict=True)]
    return Table([TableColumn("column", names, "name"), *columns])


POPULATION_FORMATS = document_formats(population_document)
