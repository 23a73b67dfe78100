"""Curves over the number of features in the model: losses, shares of wrong rows, and where the cut is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from probfs.rendering.figures.lettering import FONT_SIZE, Lettering
from probfs.rendering.figures.style import Palette, light_grid

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes


_MOST_MARKERS = 30
_MOST_LINEAR = 60
"""Numbers of features beyond which the axis is logarithmic: what matters happens among the first few."""
_STEPS = (1, 5, 2)
"""Ticks of a logarithmic axis, times powers of ten; the first have a label before the others."""
_BETWEEN_TICKS = 3.0
"""Points between the labels of two ticks."""
_ROUND = (1, 2, 2.5, 5, 10)


@dataclass(frozen=True)
class Line:
    """One value for each of some numbers of features."""

    label: str
    points: tuple[tuple[int, float], ...]
    look: Literal["solid", "dashed"] = "solid"


@dataclass(frozen=True)
class Estimate:
    """A value that was found in another way, with one standard error; without a number of features it is a level."""

    label: str
    value: float
    error: float = 0.0
    features: int | None = None
    look: Literal["dotted", "dash-dotted"] = "dotted"
    """Of a level."""


@dataclass(frozen=True)
class Mark:
    """A number of features that matters."""

    label: str
    features: int
    look: Literal["cut", "least"] = "cut"


@dataclass(frozen=True)
class CurvePanel:
    """What one axes shows."""

    title: str
    lines: tuple[Line, ...]
    estimates: tuple[Estimate, ...] = ()
    as_share: bool = False
    """Whether values are shares, written in per cent."""


@dataclass(frozen=True)
class Curves:
    """Panels above each other, over the same numbers of features."""

    panels: tuple[CurvePanel, ...]
    marks: tuple[Mark, ...] = ()
    size_label: str = "features in the model"

    @property
    def most(self) -> int:
        return max(size for panel in self.panels for line in panel.lines for size, _ in line.points)

    @property
    def least(self) -> int:
        return min(size for panel in self.panels for line in panel.lines for size, _ in line.points)

    @property
    def labels(self) -> list[str]:
        """What a legend explains: not a line that the title of its panel names."""
        lines = [line.label for panel in self.panels for line in panel.lines if line.label != panel.title]
        estimates = [estimate.label for panel in self.panels for estimate in panel.estimates]
        return list(dict.fromkeys([*lines, *(mark.label for mark in self.marks), *estimates]))


def draw_curves(
    axes: Sequence[Axes], curves: Curves, lettering: Lettering, palette: Palette
) -> list[tuple[Artist, str]]:
    """Draw each panel on one of the axes; what a legend should explain is returned."""
    explained: dict[str, Artist] = {}
    for own, panel in zip(axes, curves.panels, strict=True):
        light_grid(own, palette.grid)
        own.set_xlabel(curves.size_label, loc="left", fontsize=FONT_SIZE)
        own.set_title(panel.title, loc="left", fontsize=FONT_SIZE, pad=4.0)
        own.tick_params(labelsize=FONT_SIZE)
        for side in ("top", "right"):
            own.spines[side].set_visible(False)
        for line in panel.lines:
            explained.setdefault(line.label, _draw_line(own, line, palette))
        for mark in curves.marks:
            explained.setdefault(mark.label, _draw_mark(own, mark, panel, palette))
        for estimate in panel.estimates:
            explained.setdefault(estimate.label, _draw_estimate(own, estimate, palette))
        _set_sizes(own, curves, lettering)
        _set_values(own, panel)
    return [(explained[label], label) for label in curves.labels]


def _draw_line(axes: Axes, line: Line, palette: Palette) -> Artist:
    solid = line.look == "solid"
    few = len(line.points) <= _MOST_MARKERS
    (drawn,) = axes.plot(
        [size for size, _ in line.points],
        [value if math.isfinite(value) else math.nan for _, value in line.points],
        color=palette.strong if solid else palette.pale,
        linestyle="-" if solid else "--",
        linewidth=1.4,
        marker=("o" if solid else "s") if few else "",
        markersize=3.5,
    )
    return drawn


def _draw_mark(axes: Axes, mark: Mark, panel: CurvePanel, palette: Palette) -> Artist:
    if mark.look == "cut":
        return axes.axvline(mark.features, color=palette.ink, linestyle=(0, (4, 2)), linewidth=1.0, zorder=1.5)
    values = dict(panel.lines[0].points)
    (drawn,) = axes.plot(
        mark.features,
        values.get(mark.features, math.nan),
        color=palette.ink,
        marker="o",
        markersize=8.0,
        fillstyle="none",
        linestyle="",
    )
    return drawn


def _draw_estimate(axes: Axes, estimate: Estimate, palette: Palette) -> Artist:
    if estimate.features is None:
        style = ":" if estimate.look == "dotted" else "-."
        return axes.axhline(estimate.value, color=palette.pale, linestyle=style, linewidth=1.4, zorder=1.5)
    drawn: Artist
    drawn, _, _ = axes.errorbar(
        estimate.features,
        estimate.value,
        yerr=estimate.error or None,
        color=palette.ink,
        marker="D",
        markersize=5.0,
        linestyle="",
        capsize=3.0,
        zorder=3,
    )
    return drawn


def _set_sizes(axes: Axes, curves: Curves, lettering: Lettering) -> None:
    """The axis of numbers of features: linear for few, logarithmic for many."""
    from matplotlib.ticker import MaxNLocator, NullLocator

    least, most = curves.least, curves.most
    if most <= _MOST_LINEAR:
        margin = max(0.05 * (most - least), 0.5)
        axes.set_xlim(least - margin, most + margin)
        found = MaxNLocator(6, integer=True).tick_values(least, most)
        axes.set_xticks([int(tick) for tick in found if least <= tick <= most])
        return
    axes.set_xscale("symlog", linthresh=1.0)
    axes.set_xlim(least - 0.2, most * 1.2)
    powers = range(len(str(most)))
    wanted = [0, *(step * 10**power for step in _STEPS for power in powers)]
    ticks = _apart([size for size in wanted if least <= size <= most], axes, lettering)
    axes.set_xticks(ticks, [f"{tick:,}" for tick in ticks])
    axes.xaxis.set_minor_locator(NullLocator())


def _apart(sizes: Sequence[int], axes: Axes, lettering: Lettering) -> list[int]:
    """Those of some ticks, the most wanted first, whose labels do not touch those of others; in increasing order."""
    points = 72.0 / axes.figure.dpi
    kept: dict[int, tuple[float, float]] = {}
    for size in sizes:
        center = axes.transData.transform((size, 0.5))[0] * points
        half = (lettering.width(f"{size:,}") + _BETWEEN_TICKS) / 2
        if all(center + half <= left or right <= center - half for left, right in kept.values()):
            kept[size] = center - half, center + half
    return sorted(kept)


def _set_values(axes: Axes, panel: CurvePanel) -> None:
    """The axis of values: from zero where that costs little room."""
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    reached = [value for line in panel.lines for _, value in line.points]
    reached += [end for own in panel.estimates for end in (own.value - own.error, own.value + own.error)]
    finite = [value for value in reached if math.isfinite(value)]
    low, high = min(finite, default=0.0), max(finite, default=1.0)
    if 0 <= low <= high / 2:
        low = 0.0
    # Differences that only rounding makes are no hills and valleys.
    margin = 0.08 * max(high - low, 1e-3 * abs(high), 1e-9)
    axes.set_ylim(low - margin, high + margin)
    axes.yaxis.set_major_locator(MaxNLocator(4, steps=_ROUND))
    axes.yaxis.set_major_formatter(FuncFormatter(_share if panel.as_share else _plain))


def _plain(value: float, position: int | None = None) -> str:
    return f"{value:.4g}"


def _share(value: float, position: int | None = None) -> str:
    return f"{100 * value:.4g}%"
