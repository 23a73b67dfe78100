"""Figures of results: bars and curves, drawn with matplotlib, which is imported when the first of them is drawn.

They are readable in grey print and by the colour-blind, and names are never markup.
"""

from __future__ import annotations

import io
import logging
import math
import textwrap
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from rich.cells import cell_len

from probfs.classifiers.options import WholeNumber
from probfs.errors import UsageError
from probfs.output.drawings import MOST_LINEAR, Bar, Drawing, Panel
from probfs.output.sentences import shown_score
from probfs.text import escape_character, option, printable, shorten_middle

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.font_manager import FontProperties
    from numpy.typing import NDArray

SCORE_LABELS = {"s_s": "$\\hat{S}_S$", "s_a": "$\\hat{S}_A$", "s_su": "$\\hat{S}_{SU}$"}
_MOST_BARS = 500
TOP = WholeNumber(1, _MOST_BARS)
_ALL_SHOWN = 50
"""Up to so many columns all are shown; of more, only some."""
_SHOWN_OF_MANY = 40
_MUCH_NOISE = 10
"""Of more columns than this that have nothing to tell, only examples are shown."""
_EXAMPLES = 4
_FEW = 12
_FONT_SIZE = 8.0
_LINE = 13.0
"""Points from one bar to the next, at least."""
_CHARACTER = 4.9
"""Points of an average character."""
_BARS, _PANEL = (2.6, 0.5), (3.7, 1.6)
"""Inches of bars without texts, and of a panel of curves with its title and labels: width and height."""
_LEGEND_LINE = 0.17
_LONGEST_NAME = 28
_LONGEST_REMARK = 60
_MOST_MARKERS = 30
_ROUND_STEPS = [1, 2, 2.5, 5, 10]
_PLAIN: dict[str, Any] = {"parse_math": False, "usetex": False}
"""Properties of a text that shows what is in it, such as dollar signs."""
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
_METADATA: dict[str, dict[str, Any]] = {
    "png": {"Software": None},
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}
# Matplotlib's own font knows European scripts, Arabic and Hebrew; for others it looks into these, where installed.
_FURTHER_FAMILIES = (
    *("Noto Sans CJK JP", "Noto Sans CJK SC", "Noto Sans JP", "Source Han Sans", "WenQuanYi Micro Hei"),
    *("Hiragino Sans", "PingFang SC", "Microsoft YaHei", "Yu Gothic", "Malgun Gothic"),
    *("Noto Sans Devanagari", "Noto Sans Thai", "Arial Unicode MS"),
)


@dataclass(frozen=True)
class _Style:
    """The font of names, the characters that it has, and colours that differ in lightness, also in grey print."""

    font: FontProperties
    known: frozenset[int]
    ink: str
    pale: str
    strong: str
    weak: str
    hatched: str
    dim: str
    grid: str

    def fit(self, text: str, most: int) -> str:
        """A text in so many characters, with an escape for those that no font has or that act on others."""
        shown = printable(shorten_middle(text, 2 * most))
        shown = "".join(letter if ord(letter) in self.known else escape_character(letter) for letter in shown)
        # Wide characters count twice.
        return shorten_middle(shown, most * len(shown) // max(cell_len(shown), len(shown), 1))

    def names(self, bars: Sequence[Bar]) -> list[str]:
        """Names made to fit; those that would then look the same begin with their ranks."""
        names = [self.fit(bar.name, _LONGEST_NAME) for bar in bars]
        times = Counter(names)
        return [f"{bar.rank}: {name}" if times[name] > 1 else name for bar, name in zip(bars, names, strict=True)]

    def texts(self, bars: Sequence[Bar]) -> list[str]:
        """What stands behind each bar."""
        parts = [(shown_score(bar.value), self.fit(bar.remark, _LONGEST_REMARK)) for bar in bars]
        return ["  ".join(filter(None, each)) for each in parts]


_ON_WHITE = ("#1a1a1a", "#6a6a6a", "#1f4e79", "#a9bccd", "#e3edf5", "#d3d3d3", "#e6e6e6")
_ON_BLACK = ("#f0f0f0", "#a2a2a2", "#8cc0ea", "#4a6178", "#1d2f3f", "#3f3f3f", "#333333")


def _choose_style() -> _Style:
    """The user's font, with what is installed for scripts that it does not have, and colours for the background that
    matplotlib's settings go with: light text stands on a dark one.
    """
    import matplotlib as mpl
    from matplotlib.colors import to_rgb
    from matplotlib.font_manager import FontProperties, fontManager

    installed = set(fontManager.get_font_names())
    families = [*mpl.rcParams["font.family"], *(family for family in _FURTHER_FAMILIES if family in installed)]
    # Where no family is installed, matplotlib takes its own.
    known = frozenset().union(*map(_characters, families)) or _characters("DejaVu Sans")
    colors = _ON_BLACK if sum(to_rgb(mpl.rcParams["text.color"])) > 1.5 else _ON_WHITE
    return _Style(FontProperties(family=families, size=_FONT_SIZE), known, *colors)


@cache
def _characters(family: str) -> frozenset[int]:
    """The code points that a font family has glyphs for; none for one that is not installed."""
    from matplotlib.font_manager import FontProperties, findfont, get_font

    try:
        # A family alone, outside of a list, would be parsed as a pattern of fontconfig.
        path = findfont(FontProperties(family=[family]), fallback_to_default=False)
    except ValueError:
        return frozenset()
    return frozenset(get_font(path).get_charmap())


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


def figure_bytes(figure: Figure, file_format: str) -> bytes:
    """A figure as the content of a file; to be called in the ``file_style`` in which it was drawn."""
    content = io.BytesIO()
    figure.savefig(content, format=file_format, metadata=_METADATA[file_format])
    return content.getvalue()


def figure_file(drawing: Drawing, file_format: str) -> bytes:
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
    style, shown = _choose_style(), _count_bars(drawing, top)
    rest = drawing.describe_rest(shown)
    rows = shown + bool(rest)
    legend = _LEGEND_LINE * (len(drawing.legend) + 1)
    height = max(rows * _LINE / 72 + _BARS[1], 2 * _PANEL[1] + legend if drawing.panels else 0.0, 1.0)
    names, texts = style.names(drawing.bars[:shown]), style.texts(drawing.bars[:shown])
    width = max(72 * _BARS[0] + _longest(texts), _longest([rest])) + _longest(names)
    widths = [width / 72, *([_PANEL[0]] if drawing.panels else [])]
    most = int(sum(widths) * 72 / _CHARACTER)
    whole = ": ".join(drawing.title)
    title = [style.fit(line, most) for line in ([whole] if len(whole) <= most else drawing.title)]
    figure.set_layout_engine("constrained")
    figure.set_size_inches(sum(widths), height + 0.1 + 0.16 * len(title))
    figure.suptitle("\n".join(title), x=0.01, ha="left", fontproperties=style.font, color=style.pale, **_PLAIN)
    # Beside very many bars, curves stay at the top, with their legend below them.
    heights = (_PANEL[1], _PANEL[1], height - 2 * _PANEL[1]) if drawing.panels else (height,)
    grid = figure.add_gridspec(len(heights), len(widths), width_ratios=widths, height_ratios=heights)
    bars = figure.add_subplot(grid[:, 0])
    _draw_bars(bars, drawing, shown, style, width - _longest(names) - _longest(texts))
    if not drawing.panels:
        return [bars]
    panels = [figure.add_subplot(grid[row, 1]) for row in (0, 1)]
    explained = _draw_panels(panels, drawing, style)
    # They stand above each other, over the same numbers of columns.
    panels[0].set_xlabel("")
    panels[0].tick_params(labelbottom=False)
    below = figure.add_subplot(grid[2, 1])
    below.set_axis_off()
    below.legend(*explained, loc="upper left", frameon=False, fontsize=_FONT_SIZE, borderaxespad=0.0)
    return [bars, *panels]


def _draw_on_axes(drawing: Drawing, axes: Sequence[Axes], top: int | None) -> None:
    """Draw on axes of any size: the bars on the first, and the curves on the others, if there are others."""
    style = _choose_style()
    bars, *panels = axes
    if panels and drawing.panels:
        panels[-1].legend(*_draw_panels(panels, drawing, style), loc="best", fontsize=_FONT_SIZE)
    elif panels:
        for panel in panels:
            panel.set_axis_off()
    box, scale = bars.get_window_extent(), 72 / bars.figure.dpi
    shown = min(_count_bars(drawing, top), max(1, int(box.height * scale / _LINE) - 1))
    width = box.width * scale
    _draw_bars(bars, drawing, shown, style, max(width - _longest(style.texts(drawing.bars[:shown])), 0.3 * width))


def _count_bars(drawing: Drawing, top: int | None) -> int:
    """How many bars are drawn; of much noise only examples."""
    asked = drawing.asked if top is None else top
    bars = len(drawing.bars)
    if asked is not None:
        return min(asked, bars, _MOST_BARS)
    if drawing.informative is not None and bars - drawing.informative > _MUCH_NOISE:
        bars = max(drawing.informative + _EXAMPLES, _FEW)
    return bars if bars <= _ALL_SHOWN else _SHOWN_OF_MANY


def _longest(texts: Sequence[str]) -> float:
    """Points of the longest of some texts, about."""
    return max((_CHARACTER * (cell_len(text) + 0.5 * sum(map(str.isupper, text)) + 1) for text in texts), default=0.0)


def light_grid(axes: Axes, color: str = "0.9") -> None:
    axes.grid(color=color, linewidth=0.6)
    axes.set_axisbelow(True)


# Bars.


def _draw_bars(axes: Axes, drawing: Drawing, shown: int, style: _Style, room: float) -> None:
    """Bars in rank order, best on top, each with its name, its value and a remark, and a line about the others.

    The longest bar takes ``room`` points; the texts stand below each other to the right of it.
    """
    bars, rest = drawing.bars[:shown], drawing.describe_rest(shown)
    texts, lines = style.texts(bars), shown + bool(rest)
    label = SCORE_LABELS.get(drawing.score.key, drawing.score.symbol)
    when = f"{drawing.score.word} {label} ({drawing.score.name}) {drawing.when}".rstrip()
    axes.set_xlabel(when, loc="left", fontsize=_FONT_SIZE)
    axes.tick_params(axis="x", labelsize=_FONT_SIZE)
    axes.tick_params(axis="y", length=0)
    axes.set_yticks(range(shown), style.names(bars), fontproperties=style.font, **_PLAIN)
    axes.set_ylim(lines - 0.5, -0.5)
    axes.spines[["top", "right", "left"]].set_visible(False)
    end = _set_scale(axes, bars, room / (room + _longest(texts)))
    how: dict[str, Any] = {"va": "center_baseline", "fontproperties": style.font, **_PLAIN}
    for place, (bar, text) in enumerate(zip(bars, texts, strict=True)):
        color = style.pale if bar.style == "dim" else style.ink
        axes.get_yticklabels()[place].set_color(color)
        axes.annotate(text, (end, place), (6, 0), textcoords="offset points", color=color, **how)
    if rest:
        line = textwrap.shorten(rest, int((room + _longest(texts)) / _CHARACTER), placeholder=" …")
        axes.annotate(line, (axes.get_xlim()[0], shown), (4, 0), textcoords="offset points", color=style.pale, **how)
    _draw_rectangles(axes, bars, style)


def _set_scale(axes: Axes, bars: Sequence[Bar], share: float) -> float:
    """Let the longest bar take this share of the axes; return where it ends."""
    from matplotlib.ticker import MaxNLocator

    values = [(_finite(bar.value), bar.error or 0.0) for bar in bars]
    reached = [value + sign * error for value, error in values for sign in (-1, 1)]
    low, high = min([0.0, *reached]), max([0.0, *reached])
    if low == high:
        axes.set_xlim(0, 1)
        axes.set_xticks([])
        axes.spines["bottom"].set_visible(False)
        return 0.0
    axes.set_xlim(low, low + (high - low) / share)
    edge = 1e-9 * (high - low)
    # Adding 0 makes -0 plain zero.
    found = [float(tick) + 0.0 for tick in MaxNLocator(4, steps=_ROUND_STEPS).tick_values(low, high)]
    ticks = [tick for tick in found if low - edge <= tick <= high + edge]
    axes.set_xticks(ticks, [f"{tick:.4g}" for tick in ticks])
    axes.spines["bottom"].set_bounds(low, high)
    return high


def _finite(value: float | None) -> float:
    """A value as long as a bar can be."""
    return 0.0 if value is None or not math.isfinite(value) else value


def _draw_rectangles(axes: Axes, bars: Sequence[Bar], style: _Style) -> None:
    for name, hatch in (("strong", ""), ("weak", ""), ("hatched", "/////"), ("dim", "")):
        lengths = {place: _finite(bar.value) for place, bar in enumerate(bars) if bar.style == name and bar.value}
        edge = style.strong if hatch else getattr(style, name)
        color = {"facecolor": getattr(style, name), "edgecolor": edge, "hatch": hatch}
        axes.barh(list(lengths), list(lengths.values()), height=0.64, linewidth=0.7, **color)
    for place, bar in enumerate(bars):
        if bar.error is not None:
            axes.errorbar(_finite(bar.value), place, xerr=bar.error, color=style.ink, elinewidth=1.0, capsize=2.0)
    if axes.get_xlim()[0] < 0:
        axes.plot((0, 0), (-0.5, len(bars) - 0.5), color=style.ink, linewidth=0.6)


# Curves.


def _draw_panels(axes: Sequence[Axes], drawing: Drawing, style: _Style) -> tuple[list[Artist], list[str]]:
    """Draw each panel on one of the axes; what a legend should explain is returned."""
    explained: dict[str, Artist] = {}
    for each, panel in zip(axes, drawing.panels, strict=True):
        light_grid(each, style.grid)
        each.set_xlabel(drawing.size_label, loc="left", fontsize=_FONT_SIZE)
        each.set_title(panel.title, loc="left", fontsize=_FONT_SIZE, pad=4.0)
        each.tick_params(labelsize=_FONT_SIZE)
        each.spines[["top", "right"]].set_visible(False)
        explained |= _draw_curves(each, panel, style)
        _set_sizes(each, panel)
        _set_values(each, panel)
    return [explained[label] for label in drawing.legend], list(drawing.legend)


def _draw_curves(axes: Axes, panel: Panel, style: _Style) -> dict[str, Artist]:
    looks: dict[str, dict[str, Any]] = {
        "solid": {"color": style.strong, "marker": "o", "markersize": 3.5},
        "dashed": {"color": style.pale, "linestyle": "dashed", "marker": "s", "markersize": 3.5},
        "dotted": {"color": style.pale, "linestyle": "dotted", "zorder": 1.5},
        "dashdot": {"color": style.pale, "linestyle": "dashdot", "zorder": 1.5},
        "least": {"color": style.ink, "marker": "o", "markersize": 8.0, "fillstyle": "none", "linestyle": ""},
        "estimate": {"color": style.ink, "marker": "D", "markersize": 5.0, "linestyle": "", "zorder": 3},
    }
    drawn: dict[str, Artist] = {}
    for curve in panel.curves:
        sizes, values = zip(*curve.points, strict=True)
        if curve.style == "cut":
            drawn[curve.label] = axes.axvline(sizes[0], color=style.ink, linestyle=(0, (4, 2)), linewidth=1.0)
            continue
        look = {"linewidth": 1.4, **looks[curve.style]}
        if len(sizes) > _MOST_MARKERS:
            look["marker"] = ""
        finite = [value if math.isfinite(value) else math.nan for value in values]
        (drawn[curve.label],) = axes.plot(sizes, finite, **look)
        if curve.error:
            axes.errorbar(sizes, finite, yerr=curve.error, color=style.ink, linestyle="", capsize=3.0)
    return drawn


def _set_sizes(axes: Axes, panel: Panel) -> None:
    """The axis of numbers of columns: linear for few, logarithmic for many."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator, NullLocator

    sizes = [size for size, _ in panel.curves[0].points]
    least, most = min(sizes), max(sizes)
    if most <= MOST_LINEAR:
        margin = max(0.05 * (most - least), 0.5)
        axes.set_xlim(least - margin, most + margin)
        found = MaxNLocator(6, integer=True).tick_values(least, most)
        axes.set_xticks([tick for tick in found if least <= tick <= most])
        return
    axes.set_xscale("symlog", linthresh=1.0)
    axes.set_xlim(least - 0.2, most * 1.2)
    steps = (1, 2, 5) if most < 1_000 else (1,)
    axes.xaxis.set_major_locator(FixedLocator([0, *(step * 10**power for power in range(7) for step in steps)]))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda size, _: f"{size:,.0f}"))
    axes.xaxis.set_minor_locator(NullLocator())


def _set_values(axes: Axes, panel: Panel) -> None:
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    low, high = panel.value_range
    margin = 0.08 * (high - low)
    axes.set_ylim(low - margin, high + margin)
    axes.yaxis.set_major_locator(MaxNLocator(4, steps=_ROUND_STEPS))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: panel.show(value)))
