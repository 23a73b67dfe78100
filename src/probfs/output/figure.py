"""Figures of results, drawn with matplotlib, which is imported when the first of them is drawn."""

from __future__ import annotations

import io
import logging
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal

from probfs.classifiers.options import WholeNumber
from probfs.errors import UsageError
from probfs.output.charts import CHARACTER, FONT_SIZE, LINE, PLAIN, choose_style, draw_bars, draw_panels
from probfs.output.drawings import Drawing
from probfs.text import option

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

FigureFormat = Literal["png", "svg", "pdf"]
_MOST_BARS = 500
TOP = WholeNumber(1, _MOST_BARS)
_ALL_SHOWN = 50
"""Up to so many columns all are shown; of more, only some."""
_SHOWN_OF_MANY = 40
_MUCH_NOISE = 10
"""Of more columns than this that have nothing to tell, only examples are shown."""
_EXAMPLES = 4
_FEW = 12
_WIDTHS = (5.3, 3.7)
"""Inches of bars with their names, and of curves."""
_PANEL = 1.6
"""Inches of a panel of curves, with its title and labels."""
_LEGEND_LINE = 0.17
_FILE_RULES: dict[Any, Any] = {
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
# Dates and versions would make every file another one.
_METADATA: dict[FigureFormat, dict[str, Any]] = {
    "png": {"Software": None},
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}


@contextmanager
def file_style() -> Iterator[None]:
    """While this is entered, figures are drawn as files have them, whatever the user's settings of matplotlib are, and
    matplotlib has nothing to say (that it builds a cache of fonts, for instance).
    """
    logger = logging.getLogger("matplotlib")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        import matplotlib.style

        with warnings.catch_warnings(), matplotlib.style.context(["default", _FILE_RULES]):
            warnings.filterwarnings("ignore", module="matplotlib")
            yield
    finally:
        logger.setLevel(level)


def figure_bytes(figure: Figure, file_format: FigureFormat) -> bytes:
    """A figure as the content of a file; to be called in the ``file_style`` in which it was drawn."""
    content = io.BytesIO()
    figure.savefig(content, format=file_format, metadata=_METADATA[file_format])
    return content.getvalue()


def figure_file(drawing: Drawing, file_format: FigureFormat) -> bytes:
    """A drawing as the content of a file: the same result gives the same bytes."""
    with file_style():
        from matplotlib.figure import Figure

        figure = Figure()
        _draw_figure(drawing, figure, None)
        return figure_bytes(figure, file_format)


def plot(drawing: Drawing, axes: Any, top: Any) -> NDArray[np.object_]:
    """Draw on a new figure of pyplot's, which a notebook shows once and closes, or on the caller's axes.

    The axes drawn on are returned: those of the bars, and those of the curves if there are any.
    """
    try:
        top = None if top is None else TOP.check(top)
    except ValueError as error:
        raise UsageError(f"{option('top')}: {error}") from None
    if axes is not None:
        given = _check_axes(axes)
        _draw_on_axes(drawing, given, top)
        return _as_array(given)
    from matplotlib import pyplot

    figure = pyplot.figure()
    try:
        return _as_array(_draw_figure(drawing, figure, top))
    except BaseException:
        pyplot.close(figure)
        raise


def _check_axes(axes: Any) -> list[Axes]:
    """The caller's axes: one for the bars, or three for bars, log-loss and wrong rows."""
    import numpy as np
    from matplotlib.axes import Axes

    given = list(np.ravel(np.asarray(axes, dtype=object)))
    if len(given) not in (1, 3) or not all(isinstance(each, Axes) for each in given):
        problem = "one of matplotlib's Axes draws the bars, three draw bars, log-loss and wrong rows"
        raise UsageError(f"{option('axes')}: {problem}; pass one or three, or nothing for a figure of its own")
    return given


def _as_array(axes: Sequence[Axes]) -> NDArray[np.object_]:
    import numpy as np

    array = np.empty(len(axes), dtype=object)
    array[:] = axes
    return array


def _draw_figure(drawing: Drawing, figure: Figure, top: int | None) -> list[Axes]:
    """Fill a figure that is as large as its content needs."""
    style = choose_style()
    shown = _count_bars(drawing, top)
    bars_height = (shown + bool(drawing.describe_rest(shown))) * LINE / 72 + 0.5
    legend_height = _LEGEND_LINE * (len(drawing.legend) + 1)
    height = max(bars_height, 2 * _PANEL + legend_height if drawing.panels else 0.0, 1.0)
    width = sum(_WIDTHS) if drawing.panels else _WIDTHS[0]
    most = int(width * 72 / CHARACTER)
    whole = ": ".join(drawing.title)
    title = [style.fit(line, most) for line in ([whole] if len(whole) <= most else drawing.title)]
    figure.set_layout_engine("constrained")
    figure.set_size_inches(width, height + 0.1 + 0.16 * len(title))
    figure.suptitle("\n".join(title), x=0.01, ha="left", fontproperties=style.font, color=style.pale, **PLAIN)
    if not drawing.panels:
        bars = figure.add_subplot()
        draw_bars(bars, drawing, shown, style)
        return [bars]
    # Beside very many bars, curves stay at the top, with their legend below them.
    rows = (_PANEL, _PANEL, height - 2 * _PANEL)
    grid = figure.add_gridspec(3, 2, width_ratios=_WIDTHS, height_ratios=rows)
    bars, *panels = (figure.add_subplot(place) for place in (grid[:, 0], grid[0, 1], grid[1, 1]))
    explained = draw_panels(panels, drawing, style)
    # They stand above each other, over the same numbers of columns.
    panels[0].set_xlabel("")
    panels[0].tick_params(labelbottom=False)
    below = figure.add_subplot(grid[2, 1])
    below.set_axis_off()
    below.legend(*explained, loc="upper left", frameon=False, fontsize=FONT_SIZE, borderaxespad=0.0)
    draw_bars(bars, drawing, shown, style)
    return [bars, *panels]


def _draw_on_axes(drawing: Drawing, axes: Sequence[Axes], top: int | None) -> None:
    """Draw on axes of any size: the bars on the first, and the curves on the others, if there are others."""
    style = choose_style()
    bars, *panels = axes
    if panels and drawing.panels:
        panels[-1].legend(*draw_panels(panels, drawing, style), loc="best", fontsize=FONT_SIZE)
    elif panels:
        for panel in panels:
            panel.set_axis_off()
    height = bars.get_window_extent().height * 72 / bars.figure.dpi
    fitting = max(1, int(height / LINE) - 1)
    draw_bars(bars, drawing, min(_count_bars(drawing, top), fitting), style)


def _count_bars(drawing: Drawing, top: int | None) -> int:
    """How many bars are drawn; of much noise only examples."""
    asked = drawing.asked if top is None else top
    bars = len(drawing.bars)
    if asked is not None:
        return min(asked, bars, _MOST_BARS)
    if drawing.informative is not None and bars - drawing.informative > _MUCH_NOISE:
        bars = max(drawing.informative + _EXAMPLES, _FEW)
    return bars if bars <= _ALL_SHOWN else _SHOWN_OF_MANY
