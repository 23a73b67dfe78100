"""The documents of ``reproduce`` and ``exact``: claims and their verdicts, and the scores of a known distribution."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass
from typing import TYPE_CHECKING, Any, Literal

from probfs.output.documents import Document, Table, TableColumn, header_of, plain

if TYPE_CHECKING:
    from probfs.paper.theory import PopulationScores

Verdict = Literal["holds", "does not hold", "undecided"]
_COLORS = {"holds": "green", "does not hold": "red", "undecided": "yellow"}
_HEADINGS = {"place": "where", "says": "the paper says", "measured": "measured", "verdict": "verdict"}


@dataclass(frozen=True)
class Claim:
    """One statement that can be put to the test: what the paper says, what was measured, and whether it holds."""

    experiment: str
    place: str
    """Where the paper says it."""
    says: str
    measured: str
    verdict: Verdict
    runs: int
    """How often what is random was repeated."""


def claims_document(claims: Sequence[Claim], version: str = "", settings: Mapping[str, Any] | None = None) -> Document:
    """Claims as judged; ``settings`` say how they were put to the test."""
    content = {"schema": "probfs.reproduction/1", "version": version, "settings": settings, "claims": plain(claims)}
    names, *texts, verdicts, _ = zip(*map(astuple, claims), strict=True)
    *headings, last = _HEADINGS.values()
    columns = [
        TableColumn("experiment", names, "word"),
        *(TableColumn(heading, cells, "text") for heading, cells in zip(headings, texts, strict=True)),
        TableColumn(last, verdicts, "word", styles=_COLORS),
    ]
    table = Table(columns, rest=f"{verdicts.count('holds')} of {len(claims)} hold.", has_prose=True)
    return Document(header_of(Claim), claims, lambda: content, lambda: table, headings=_HEADINGS)


def population_document(version: str, source: str, features: Sequence[PopulationScores]) -> Document:
    """Scores in the order of the file's columns."""
    content = {"schema": "probfs.population/1", "version": version, "source": source, "features": plain(features)}
    names, *scores = zip(*map(astuple, features), strict=True)
    columns = [TableColumn("column", names, "name")]
    for heading, values in zip(("S_S", "S_A", "S_B"), scores, strict=True):
        columns.append(TableColumn(heading, [f"{value:.6f}" for value in values]))
    header = header_of(type(features[0]))
    return Document(header, features, lambda: content, lambda: Table(columns))
