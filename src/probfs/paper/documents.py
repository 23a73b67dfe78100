"""The documents of ``reproduce`` and ``exact``: claims and their verdicts, and the scores of a known distribution."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, astuple, dataclass, fields
from typing import TYPE_CHECKING, Any, Literal

from probfs.output.documents import Document, Table, TableColumn
from probfs.output.writers import markdown_text

if TYPE_CHECKING:
    from probfs.paper.theory import PopulationScores

Verdict = Literal["holds", "does not hold", "undecided"]
_COLORS = {"holds": "green", "does not hold": "red", "undecided": "yellow"}
_HEADINGS = ("where", "the paper says", "measured", "verdict")


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


def claims_markdown(claims: Sequence[Claim]) -> str:
    return markdown_text(claims_document(claims))


def claims_document(claims: Sequence[Claim], version: str = "", settings: Mapping[str, Any] | None = None) -> Document:
    """Claims as judged; ``settings`` say how they were put to the test."""
    rows = [(claim.place, claim.says, claim.measured, claim.verdict) for claim in claims]
    content = {"schema": "probfs.reproduction/1", "version": version, "settings": settings}
    return Document(
        {field.name: "text" for field in fields(Claim)},
        [astuple(claim) for claim in claims],
        lambda: {**content, "claims": [asdict(claim) for claim in claims]},
        lambda: _claims_table(claims, rows),
        excerpt=(_HEADINGS, rows),
    )


def _claims_table(claims: Sequence[Claim], rows: Sequence[Sequence[str]]) -> Table:
    *texts, verdict = (
        TableColumn(heading, [row[place] for row in rows], "text") for place, heading in enumerate(_HEADINGS)
    )
    names = TableColumn("experiment", [claim.experiment for claim in claims], "word")
    verdicts = TableColumn(verdict.heading, verdict.cells, "word", styles=_COLORS)
    held = sum(claim.verdict == "holds" for claim in claims)
    return Table([names, *texts, verdicts], rest=f"{held} of {len(claims)} hold.", has_prose=True)


def population_document(version: str, source: str, features: Sequence[PopulationScores]) -> Document:
    """Scores in the order of the file's columns."""
    name, *scores = (field.name for field in fields(features[0]))
    content = {"schema": "probfs.population/1", "version": version, "source": source}
    return Document(
        {name: "text", **dict.fromkeys(scores, "float64")},
        [astuple(each) for each in features],
        lambda: {**content, "features": [asdict(each) for each in features]},
        lambda: _population_table(features),
        is_terse=False,
    )


def _population_table(features: Sequence[PopulationScores]) -> Table:
    names, *scores = zip(*map(astuple, features), strict=True)
    numbers = [[f"{value:.6f}" for value in values] for values in scores]
    columns = [TableColumn(heading, cells) for heading, cells in zip(("S_S", "S_A", "S_B"), numbers, strict=True)]
    return Table([TableColumn("column", names, "name"), *columns])
