"""Exact scores as terminal table, CSV, JSON or Markdown."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, astuple, fields
from typing import Any

from rich.table import Table
from rich.text import Text

from probfs.choices import OutputFormat
from probfs.paper.theory import PopulationScores
from probfs.rendering.layout import laid_out
from probfs.rendering.markdown import pipe_table
from probfs.text import delimited, printable

SCHEMA = "probfs.population/1"
_HEADER = tuple(field.name for field in fields(PopulationScores))
_HEADINGS = ("feature", "S_S", "S_A", "S_B")


def render_population(
    scores: Sequence[PopulationScores],
    chosen: OutputFormat,
    about: Mapping[str, Any],
    width: int | None,
    color: bool,
    safe: bool,
) -> str:
    """The scores as text, in the order of the file's columns; ``about`` is for the JSON, ``safe`` for the CSV."""
    if chosen == "json":
        content = {"schema": SCHEMA, **about, "features": [asdict(score) for score in scores]}
        return json.dumps(content, ensure_ascii=False, indent=2) + "\n"
    rows = [astuple(score) for score in scores]
    if chosen == "csv":
        return delimited([_HEADER, *rows], safe=safe)
    if chosen == "markdown":
        return pipe_table(_HEADER, rows)
    grid = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for heading in _HEADINGS:
        if heading == "feature":
            grid.add_column(heading, overflow="fold")
        else:
            grid.add_column(heading, justify="right", no_wrap=True)
    for name, *values in rows:
        grid.add_row(Text(printable(name)), *(f"{value:.6f}" for value in values))
    return laid_out([grid], width, color)
