"""How figures look: readable in grey print and by the colour-blind, and the same file for the same numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from probfs.classifiers.scores import Score

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SCORE_LABELS = {"s_s": "$\\hat{S}_S$", "s_a": "$\\hat{S}_A$", "s_su": "$\\hat{S}_{SU}$"}

FILE_RULES: dict[Any, Any] = {
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
"""What matplotlib is told while a file is drawn."""


@dataclass(frozen=True)
class Palette:
    """Colours that differ in lightness, and so in grey print too."""

    ink: str
    """Of text and lines."""
    pale: str
    """Of text that matters less."""
    strong: str
    """Of bars that count."""
    weak: str
    hatched: str
    """Below hatching in the strong colour."""
    dim: str
    grid: str


_ON_WHITE = Palette("#1a1a1a", "#6a6a6a", "#1f4e79", "#a9bccd", "#e3edf5", "#d3d3d3", "#e6e6e6")
_ON_BLACK = Palette("#f0f0f0", "#a2a2a2", "#8cc0ea", "#4a6178", "#1d2f3f", "#3f3f3f", "#333333")


def choose_palette() -> Palette:
    """The colours for the background that matplotlib's settings go with: light text stands on a dark one."""
    import matplotlib as mpl
    from matplotlib.colors import to_rgb

    red, green, blue = to_rgb(mpl.rcParams["text.color"])
    return _ON_BLACK if 0.299 * red + 0.587 * green + 0.114 * blue > 0.5 else _ON_WHITE


def score_label(score: Score) -> str:
    """The symbol of a score as matplotlib sets it; that of a score which the paper does not have stays as it is."""
    return SCORE_LABELS.get(score.key, score.symbol)


def light_grid(axes: Axes, color: str = "0.9") -> None:
    axes.grid(color=color, linewidth=0.6)
    axes.set_axisbelow(True)
