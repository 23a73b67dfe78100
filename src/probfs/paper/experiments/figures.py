"""Figures that read in black and white: every score has a line, a marker and a shade of its own."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from probfs.runtime.output import write_whole

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

S_S: dict[str, Any] = {"color": "#a50026", "linestyle": "--", "marker": "s"}
S_A: dict[str, Any] = {"color": "#35978f", "linestyle": ":", "marker": "^"}
S_SU: dict[str, Any] = {"color": "#08306b", "linestyle": "-", "marker": "o"}
S_B = S_SU
LABELS = {"s_s": "$\\hat{S}_S$", "s_a": "$\\hat{S}_A$", "s_su": "$\\hat{S}_{SU}$"}
STYLES = {"s_s": S_S, "s_a": S_A, "s_su": S_SU}

_RULES: dict[Any, Any] = {
    "font.size": 9.0,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 9.0,
    "figure.labelsize": 9.0,
    "lines.linewidth": 1.4,
    "lines.markersize": 4.0,
    "legend.frameon": False,
    "figure.dpi": 150.0,
    # The same numbers give the same file.
    "svg.hashsalt": "probfs",
    "svg.fonttype": "path",
}


def save_figure(
    draw: Callable[[Figure], None], size: tuple[float, float], folder: Path, name: str
) -> tuple[Path, Path]:
    """Draw a figure once, and write it as PNG and as SVG."""
    # Only here is matplotlib imported, which nothing else needs.
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context(_RULES):
        figure = Figure(figsize=size, layout="constrained")
        draw(figure)
        paths = folder / f"{name}.png", folder / f"{name}.svg"
        for path, metadata in zip(paths, ({"Software": None}, {"Date": None, "Creator": None}), strict=True):
            content = io.BytesIO()
            figure.savefig(content, format=path.suffix[1:], metadata=metadata)
            write_whole(path, content.getvalue())
    return paths


def light_grid(axes: Axes) -> None:
    axes.grid(color="0.9", linewidth=0.6)
    axes.set_axisbelow(True)
