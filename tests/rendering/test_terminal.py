"""Sentences and tables laid out for a terminal."""

from __future__ import annotations

from rich.table import Table

from probfs.rendering.formats import Presentation
from probfs.rendering.terminal import terminal_text


def test_markup_emoji_and_links_are_text() -> None:
    line = "[bold]x[/bold] :smile: https://example.org 12.5"
    assert terminal_text([line], Presentation(color=True)) == f"{line}\n"


def test_lines_are_folded_to_the_width_and_never_without_one() -> None:
    words = "word " * 40
    assert max(map(len, terminal_text([words], Presentation(width=30)).splitlines())) <= 30
    assert terminal_text([words], Presentation()).count("\n") == 1


def test_no_line_ends_in_blanks() -> None:
    grid = Table(box=None)
    grid.add_column("a")
    grid.add_column("b")
    grid.add_row("long cell", "")
    assert all(line == line.rstrip() for line in terminal_text(["s  ", grid], Presentation()).splitlines())
