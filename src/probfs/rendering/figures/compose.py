"""Puts bars and curves together: on a figure of their own, or on axes that somebody else made."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from probfs.rendering.figures.bars import BarChart, BarSpace, draw_bars, label_bars
from probfs.rendering.figures.curves import Curves, draw_curves
from probfs.rendering.figures.lettering import FONT_SIZE, PLAIN, Lettering
from probfs.rendering.figures.panels import (
    BARS,
    LEAST_PITCH,
    NAMES,
    TITLE_LINE,
    Plan,
    count_shown,
    plan_figure,
    title_room,
)
from probfs.rendering.figures.style import Palette, choose_palette

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

POINTS_PER_INCH = 72.0

NewFigure = Callable[[tuple[float, float]], "Figure"]
"""Makes an empty figure of so many inches."""


@dataclass(frozen=True)
class Drawing:
    """What a figure of a result shows."""

    title: tuple[str, ...]
    """Parts, each of which may stand on a line of its own; the first says what the others explain."""
    bars: BarChart
    curves: Curves | None
    """None where there is only one number of features."""


def draw_figure(drawing: Drawing, new_figure: NewFigure, top: int | None = None) -> list[Axes]:
    """A figure as large as its content needs: the axes of the bars, and then those of the curves if there are any."""
    lettering, palette = Lettering(), choose_palette()
    space = _choose_bars(drawing.bars, _count(drawing.bars, top), BARS, lettering)
    curves = drawing.curves
    names = max((lettering.width(name) for name in space.names), default=0.0)
    panels_wanted = 0 if curves is None else len(curves.panels)
    title = _fit_title(drawing.title, title_room(names, panels_wanted), lettering)
    plan = plan_figure(
        lines=len(space.names) + len(space.rest),
        names=names,
        panels=panels_wanted,
        legend_lines=0 if curves is None else len(curves.labels),
        title_lines=len(title),
    )
    figure = new_figure((plan.width / POINTS_PER_INCH, plan.height / POINTS_PER_INCH))
    _draw_title(figure, title, plan, lettering, palette)
    bars = figure.add_axes(plan.share(plan.bars))
    draw_bars(bars, drawing.bars, space, lettering, palette)
    panels = [figure.add_axes(plan.share(box)) for box in plan.curves]
    if curves is not None:
        explained = draw_curves(panels, curves, lettering, palette)
        # They stand above each other, over the same numbers of features.
        for own in panels[:-1]:
            own.set_xlabel("")
            own.tick_params(labelbottom=False)
        corner = plan.legend[0] / plan.width, plan.legend[1] / plan.height
        artists, labels = zip(*explained, strict=True)
        figure.legend(
            artists,
            labels,
            loc="upper left",
            bbox_to_anchor=corner,
            frameon=False,
            fontsize=FONT_SIZE,
            borderpad=0.0,
            borderaxespad=0.0,
            labelspacing=0.3,
        )
    return [bars, *panels]


def draw_on_axes(drawing: Drawing, axes: Sequence[Axes], top: int | None = None) -> None:
    """Draw on axes of any size: the bars on the first, and the curves on the others, if there are others."""
    lettering, palette = Lettering(), choose_palette()
    bars, *panels = axes
    if drawing.curves is None:
        for own in panels:
            own.set_axis_off()
    elif panels:
        artists, labels = zip(*draw_curves(panels, drawing.curves, lettering, palette), strict=True)
        panels[-1].legend(artists, labels, loc="best", fontsize=FONT_SIZE)
    space = _fill(bars, drawing.bars, top, lettering)
    if bars.figure.get_layout_engine() is not None:
        # What stands around the bars takes room from them, and they have to know how much is left.
        label_bars(bars, drawing.bars, space, lettering, palette)
        bars.figure.canvas.figure.draw_without_rendering()
        space = _fill(bars, drawing.bars, top, lettering)
    draw_bars(bars, drawing.bars, space, lettering, palette)


def _fill(axes: Axes, chart: BarChart, top: int | None, lettering: Lettering) -> BarSpace:
    """As many bars as axes of this size have room for."""
    width, height = _size(axes)
    fitting = max(1, int(height / LEAST_PITCH))
    space = _choose_bars(chart, min(_count(chart, top), fitting), width, lettering)
    if len(space.names) + len(space.rest) > fitting:
        space = _choose_bars(chart, max(1, fitting - len(space.rest)), width, lettering)
    return space


def _count(chart: BarChart, top: int | None) -> int:
    return count_shown(len(chart.rows), chart.asked if top is None else top, chart.telling)


def _choose_bars(chart: BarChart, shown: int, width: float, lettering: Lettering) -> BarSpace:
    rows = chart.rows[:shown]
    names = lettering.fit_names([row.name for row in rows], [row.rank for row in rows], NAMES)
    return BarSpace(width, names, lettering.wrap(chart.describe_rest(shown), width))


def _fit_title(parts: Sequence[str], width: float, lettering: Lettering) -> list[str]:
    """One line if the parts fit on it, else a line for each of them."""
    whole = ": ".join(map(lettering.readable, parts))
    return [whole] if lettering.width(whole) <= width else [lettering.fit(part, width) for part in parts]


def _draw_title(figure: Figure, title: Sequence[str], plan: Plan, lettering: Lettering, palette: Palette) -> None:
    left, upper = plan.title
    for number, line in enumerate(title):
        figure.text(
            left / plan.width,
            (upper - number * TITLE_LINE) / plan.height,
            line,
            va="top",
            fontproperties=lettering.font,
            color=palette.pale,
            **PLAIN,
        )


def _size(axes: Axes) -> tuple[float, float]:
    """Width and height in points."""
    box = axes.get_window_extent()
    points = POINTS_PER_INCH / axes.figure.dpi
    return box.width * points, box.height * points
