"""Pictures of a result as output formats: PNG, SVG and PDF."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from probfs.rendering.formats import Document, OutputFormat, OutputFormats, Presentation

if TYPE_CHECKING:
    from probfs.rendering.figures.compose import Drawing
    from probfs.rendering.figures.files import FigureFormat

_NAMES: tuple[FigureFormat, ...] = ("png", "svg", "pdf")


def register_figures(formats: OutputFormats[Document], describe: Callable[[Document], Drawing]) -> None:
    """Add the pictures of a document to its formats; ``describe`` says what there is to draw."""
    for name in _NAMES:
        render = partial(_render, describe, name)
        formats.register(OutputFormat(name, (f".{name}",), render, is_picture=True, is_binary=name != "svg"))


def _render(
    describe: Callable[[Document], Drawing], name: FigureFormat, document: Document, presentation: Presentation
) -> bytes:
    # Only a picture needs matplotlib.
    from probfs.rendering.figures.files import figure_file

    return figure_file(describe(document), name)
