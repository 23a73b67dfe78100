"""The claims of a reproduction as a document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, astuple, dataclass, fields
from typing import Any

from probfs.output.documents import Document, Header, Table, TableColumn
from probfs.output.formats import document_formats
from probfs.output.writers import csv_text, markdown_text
from probfs.paper.claims import Claim

SCHEMA = "probfs.reproduction/1"
_HEADER: Header = {field.name: "text" for field in fields(Claim)}
_HEADINGS = ("where", "the paper says", "measured", "verdict")
_COLORS = {"holds": "green", "does not hold": "red", "undecided": "yellow"}


@dataclass(frozen=True)
class Reproduction:
    """Claims as judged, and what the JSON says of how they were put to the test."""

    version: str
    settings: Mapping[str, Any]
    claims: Sequence[Claim]


def claims_csv(claims: Sequence[Claim]) -> str:
    return csv_text(claims_document(Reproduction("", {}, claims)))


def claims_markdown(claims: Sequence[Claim]) -> str:
    return markdown_text(claims_document(Reproduction("", {}, claims)))


def claims_document(reproduction: Reproduction) -> Document:
    claims = reproduction.claims
    rows = [(claim.place, claim.says, claim.measured, claim.verdict) for claim in claims]
    return Document(
        _HEADER,
        [astuple(claim) for claim in claims],
        lambda: {"schema": SCHEMA, **asdict(reproduction)},
        lambda: _table(claims, rows),
        excerpt=(_HEADINGS, rows),
    )


def _table(claims: Sequence[Claim], rows: Sequence[Sequence[str]]) -> Table:
    where, says, measured, verdict = (
        TableColumn(heading, [row[place] for row in rows], "text") for place, heading in enumerate(_HEADINGS)
    )
    held = sum(claim.verdict == "holds" for claim in claims)
    return Table(
        [
            TableColumn("experiment", [claim.experiment for claim in claims], "word"),
            where,
            says,
            measured,
            TableColumn(verdict.heading, verdict.cells, "word", styles=_COLORS),
        ],
        rest=f"{held} of {len(claims)} hold.",
        has_prose=True,
    )


CLAIM_FORMATS = document_formats(claims_document)
