"""Figures as files: the same figure gives the same bytes."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal

from probfs.rendering.figures.compose import Drawing, draw_figure
from probfs.rendering.figures.style import FILE_RULES

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FigureFormat = Literal["png", "svg", "pdf"]

# Dates and versions would make every file another one.
_METADATA: dict[FigureFormat, dict[str, Any]] = {
    "png": {"Software": None},
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}


@contextmanager
def file_style() -> Iterator[None]:
    """While this is entered, figures are drawn as files have them, whatever the user's settings of matplotlib are."""
    import matplotlib.style

    with matplotlib.style.context(["default", FILE_RULES]):
        yield


def figure_bytes(figure: Figure, file_format: FigureFormat) -> bytes:
    """A figure as the content of a file; to be called in the ``file_style`` in which it was drawn."""
    content = io.BytesIO()
    figure.savefig(content, format=file_format, metadata=_METADATA[file_format])
    return content.getvalue()


def figure_file(drawing: Drawing, file_format: FigureFormat) -> bytes:
    """A drawing as the content of a file."""
    from matplotlib.figure import Figure

    with file_style():
        figure = Figure()

        def new_figure(size: tuple[float, float]) -> Figure:
            figure.set_size_inches(size)
            return figure

        draw_figure(drawing, new_figure)
        return figure_bytes(figure, file_format)
