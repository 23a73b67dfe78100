"""Claims as terminal table, CSV, JSON or Markdown."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from typing import Any

from rich.table import Table
from rich.text import Text

from probfs.choices import OutputFormat
from probfs.paper.claims import SCHEMA, Claim
from probfs.rendering.layout import laid_out
from probfs.rendering.markdown import escaped
from probfs.text import delimited

_HEADER = tuple(field.name for field in fields(Claim))
_HEADINGS = ("where", "the paper says", "measured", "verdict")
_COLORS = {"holds": "green", "does not hold": "red", "undecided": "yellow"}


def render_claims(
    claims: Sequence[Claim], chosen: OutputFormat, about: Mapping[str, Any], width: int | None, color: bool
) -> str:
    """The claims as text; ``about`` is what JSON says of how they were put to the test."""
    if chosen == "csv":
        return claims_csv(claims)
    if chosen == "json":
        content = {"schema": SCHEMA, **about, "claims": [asdict(claim) for claim in claims]}
        return json.dumps(content, ensure_ascii=False, indent=2) + "\n"
    if chosen == "markdown":
        return claims_markdown(claims)
    return _table(claims, width, color)


def claims_csv(claims: Sequence[Claim]) -> str:
    return delimited([_HEADER, *([getattr(claim, name) for name in _HEADER] for claim in claims)])


def claims_markdown(claims: Sequence[Claim]) -> str:
    lines = [_HEADINGS, ("---",) * len(_HEADINGS)]
    lines += [tuple(map(escaped, _cells(claim))) for claim in claims]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _cells(claim: Claim) -> tuple[str, ...]:
    return claim.place, claim.says, claim.measured, claim.verdict


def _table(claims: Sequence[Claim], width: int | None, color: bool) -> str:
    grid = Table(box=None, pad_edge=False, padding=(0, 2, 1, 0))
    for heading in ("experiment", *_HEADINGS):
        grid.add_column(heading, overflow="fold", no_wrap=heading == "verdict")
    for claim in claims:
        verdict = Text(claim.verdict, style=_COLORS[claim.verdict])
        grid.add_row(claim.experiment, *(Text(cell) for cell in _cells(claim)[:-1]), verdict)
    held = sum(claim.verdict == "holds" for claim in claims)
    return laid_out([grid, f"{held} of {len(claims)} hold."], width or 120, color)
