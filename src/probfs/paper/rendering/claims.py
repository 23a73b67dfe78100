"""The output formats of the claims of a reproduction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

from probfs.paper.claims import Claim
from probfs.rendering.formats import Presentation, standard_formats
from probfs.rendering.json_text import json_text
from probfs.rendering.markdown_tables import escape_markdown
from probfs.text import delimited

SCHEMA = "probfs.reproduction/1"
_HEADER = tuple(field.name for field in fields(Claim))
_HEADINGS = ("where", "the paper says", "measured", "verdict")
_COLORS = {"holds": "green", "does not hold": "red", "undecided": "yellow"}
_WIDTH_OFF_A_TERMINAL = 120


@dataclass(frozen=True)
class Reproduction:
    """Claims as judged, and what the JSON says of how they were put to the test."""

    version: str
    settings: Mapping[str, Any]
    claims: Sequence[Claim]


def claims_csv(claims: Sequence[Claim]) -> str:
    return delimited([_HEADER, *([getattr(claim, name) for name in _HEADER] for claim in claims)])


def claims_markdown(claims: Sequence[Claim]) -> str:
    lines = [_HEADINGS, ("---",) * len(_HEADINGS)]
    lines += [tuple(map(escape_markdown, _cells(claim))) for claim in claims]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _table(reproduction: Reproduction, presentation: Presentation) -> str:
    from rich.table import Table
    from rich.text import Text

    from probfs.rendering.terminal import terminal_text

    grid = Table(box=None, pad_edge=False, padding=(0, 2, 1, 0))
    for heading in ("experiment", *_HEADINGS):
        grid.add_column(heading, overflow="fold", no_wrap=heading == "verdict")
    for claim in reproduction.claims:
        verdict = Text(claim.verdict, style=_COLORS[claim.verdict])
        grid.add_row(claim.experiment, *(Text(cell) for cell in _cells(claim)[:-1]), verdict)
    held = sum(claim.verdict == "holds" for claim in reproduction.claims)
    width = presentation.width or _WIDTH_OFF_A_TERMINAL
    return terminal_text([grid, f"{held} of {len(reproduction.claims)} hold."], Presentation(width, presentation.color))


def _json(reproduction: Reproduction, presentation: Presentation) -> str:
    return json_text({"schema": SCHEMA, **asdict(reproduction)})


def _cells(claim: Claim) -> tuple[str, ...]:
    return claim.place, claim.says, claim.measured, claim.verdict


CLAIM_FORMATS = standard_formats(
    table=_table,
    csv=lambda reproduction, presentation: claims_csv(reproduction.claims),
    json=_json,
    markdown=lambda reproduction, presentation: claims_markdown(reproduction.claims),
)
