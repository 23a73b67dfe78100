"""Figures that read in black and white: every score has a line, a marker and a shade of its own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from probfs.output.figure import SCORE_LABELS as LABELS
from probfs.output.figure import figure_bytes, file_style, light_grid
from probfs.runtime.output import write_whole

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["LABELS", "STYLES", "S_A", "S_B", "S_S", "S_SU", "light_grid", "save_figure"]

S_S: dict[str, Any] = {"color": "#a50026", "linestyle": "--", "marker": "s"}
S_A: dict[str, Any] = {"color": "#35978f", "linestyle": ":", "marker": "^"}
S_SU: dict[str, Any] = {"color": "#08306b", "linestyle": "-", "marker": "o"}
S_B = S_SU
STYLES = {"s_s": S_S, "s_a": S_A, "s_su": S_SU}


def save_figure(
    draw: Callable[[Figure], None], size: tuple[float, float], folder: Path, name: str
) -> tuple[Path, Path]:
    """Draw a figure once, and write it as PNG and as SVG."""
    with file_style():
        from matplotlib.figure import Figure

        figure = Figure(figsize=size, layout="constrained")
        draw(figure)
        png, svg = folder / f"{name}.png", folder / f"{name}.svg"
        write_whole(png, figure_bytes(figure, "png"))
        write_whole(svg, figure_bytes(figure, "svg"))
    return png, svg
