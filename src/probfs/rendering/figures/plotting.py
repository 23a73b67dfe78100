"""``plot()`` of results: on a figure of pyplot, which a notebook shows once and closes, or on the caller's axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from probfs.classifiers.options import WholeNumber
from probfs.errors import UsageError
from probfs.rendering.figures.compose import Drawing, draw_figure, draw_on_axes
from probfs.rendering.figures.panels import MOST_BARS
from probfs.text import option

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

TOP = WholeNumber(1, MOST_BARS)


def plot_drawing(drawing: Drawing, axes: Any, top: Any) -> NDArray[np.object_]:
    """The axes drawn on: those of the bars, and those of the curves if there are any."""
    try:
        top = None if top is None else TOP.check(top)
    except ValueError as error:
        raise UsageError(f"{option('top')}: {error}") from None
    if axes is None:
        return _as_array(_draw_with_pyplot(drawing, top))
    given = _check_axes(axes)
    draw_on_axes(drawing, given, top)
    return _as_array(given)


def _draw_with_pyplot(drawing: Drawing, top: int | None) -> list[Axes]:
    from matplotlib import pyplot

    made: list[Figure] = []

    def new_figure(size: tuple[float, float]) -> Figure:
        # Everything has its place already; a layout engine that the user switched on for all figures would move it.
        made.append(pyplot.figure(figsize=size, layout="none"))
        return made[-1]

    try:
        return draw_figure(drawing, new_figure, top)
    except BaseException:
        for figure in made:
            pyplot.close(figure)
        raise


def _check_axes(axes: Any) -> list[Axes]:
    """The caller's axes: one for the bars, or three for bars, log-loss and wrong rows."""
    from matplotlib.axes import Axes

    given = list(np.ravel(np.asarray(axes, dtype=object)))
    if len(given) not in (1, 3) or not all(isinstance(own, Axes) for own in given):
        problem = "one of matplotlib's Axes draws the bars, three draw bars, log-loss and wrong rows"
        raise UsageError(f"{option('axes')}: {problem}; pass one or three, or nothing for a figure of its own")
    return given


def _as_array(axes: Sequence[Axes]) -> NDArray[np.object_]:
    array = np.empty(len(axes), dtype=object)
    array[:] = axes
    return array
