"""Figures of results: bars and curves, drawn with matplotlib, which is imported when the first of them is drawn.

They are readable in grey print and by the colour-blind, and names are never markup.
"""

from __future__ import annotations

import io
import logging
import math
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rich.cells import cell_len

from probfs.classifiers.options import WholeNumber, check_value
from probfs.classifiers.scores import SCORES
from probfs.errors import UsageError
from probfs.output.drawings import Bar, Drawing, round_values
from probfs.output.sentences import describe_rest, shown_number
from probfs.text import option, printable, shorten_middle

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

SCORE_LABELS = {"s_s": "$\\hat{S}_S$", "s_a": "$\\hat{S}_A$", "s_su": "$\\hat{S}_{SU}$"}
_MOST_BARS = 500
TOP = WholeNumber(1, _MOST_BARS)
_ALL_SHOWN = 50
"""Up to so many columns all are shown; of more, only some."""
_SHOWN_OF_MANY = 40
_FONT_SIZE = 8.0
_LINE = 13.0
"""Points from one bar to the next, at least."""
_CHARACTER = 4.9
"""Points of an average character."""
_BARS, _CURVES = 2.6, 3.0
"""Inches that bars, and panels of curves, are wide without what is written beside them."""
_PANEL_HEIGHT, _LEGEND_LINE, _MARGIN = 1.6, 0.18, 0.8
_LONGEST_NAME = 28
_MOST_MARKERS = 30
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
# Matplotlib's own font knows European scripts, Arabic and Hebrew; others are looked for in these, where installed.
_FURTHER_FAMILIES = (
    *("Noto Sans CJK JP", "Noto Sans CJK SC", "Noto Sans JP", "Source Han Sans", "WenQuanYi Micro Hei"),
    *("Hiragino Sans", "PingFang SC", "Microsoft YaHei", "Yu Gothic", "Malgun Gothic"),
    *("Noto Sans Devanagari", "Noto Sans Thai", "Arial Unicode MS"),
)
# Colours differ in lightness, so that they can be told apart in grey print.
_ON_WHITE = {"ink": "#1a1a1a", "pale": "#6a6a6a", "strong": "#1f4e79", "weak": "#a9bccd"}
_ON_WHITE |= {"hatched": "#e3edf5", "dim": "#d3d3d3", "grid": "#e6e6e6"}
_ON_BLACK = {"ink": "#f0f0f0", "pale": "#a2a2a2", "strong": "#8cc0ea", "weak": "#4a6178"}
_ON_BLACK |= {"hatched": "#1d2f3f", "dim": "#3f3f3f", "grid": "#333333"}


def _choose_style() -> tuple[Mapping[str, str], dict[str, Any]]:
    """The colours, and how names are written: in the user's font, as they are, without markup between dollar signs."""
    import matplotlib as mpl
    from matplotlib.colors import to_rgb
    from matplotlib.font_manager import FontProperties, fontManager

    installed = set(fontManager.get_font_names())
    families = [*mpl.rcParams["font.family"], *(family for family in _FURTHER_FAMILIES if family in installed)]
    font = FontProperties(family=families, size=_FONT_SIZE)
    # Light text stands on a dark background.
    colors = _ON_BLACK if sum(to_rgb(mpl.rcParams["text.color"])) > 1.5 else _ON_WHITE
    return colors, {"fontproperties": font, "parse_math": False, "usetex": False}


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
            # Of characters that no font has, for instance.
            warnings.simplefilter("ignore", UserWarning)
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
    import numpy as np

    top = None if top is None else check_value("top", TOP, top)
    if axes is None:
        from matplotlib import pyplot

        return np.array(_draw_figure(drawing, pyplot.figure(), top), dtype=object)
    from matplotlib.axes import Axes

    given = np.ravel(np.asarray(axes, dtype=object))
    if len(given) not in (1, 3) or not all(isinstance(each, Axes) for each in given):
        problem = "one of matplotlib's Axes draws the bars, three draw bars, log-loss and wrong rows"
        raise UsageError(f"{option('axes')}: {problem}; pass one or three, or nothing for a figure of its own")
    colors, written = _choose_style()
    bars, *panels = given.tolist()
    if panels and drawing.panels:
        panels[-1].legend(*_draw_panels(panels, drawing, colors), loc="best", fontsize=_FONT_SIZE)
    else:
        for panel in panels:
            panel.set_axis_off()
    room = int(bars.get_window_extent().height * 72 / bars.figure.dpi / _LINE)
    _draw_bars(bars, drawing, min(_count_bars(drawing, top), max(room, 1)), colors, written)
    return given


def _draw_figure(drawing: Drawing, figure: Figure, top: int | None) -> list[Axes]:
    """Fill a figure that is as large as its content needs; matplotlib lays out what is written beside the axes."""
    (colors, written), shown = _choose_style(), _count_bars(drawing, top)
    curves = 2 * _PANEL_HEIGHT + _LEGEND_LINE * (len(drawing.legend) + 1) if drawing.panels else 0.0
    height = max(shown * _LINE / 72 + _MARGIN, curves)
    names, texts = zip(*_written(drawing.bars[:shown]), strict=True)
    width = max(_BARS + _longest(names) + _longest(texts), _longest([describe_rest(drawing.result, shown)]))
    width += _CURVES + 0.7 if drawing.panels else 0.0
    figure.set_layout_engine("constrained")
    data = drawing.result.input
    titles = [f"{data.source}, target {data.target}", drawing.method]
    lines, most = [": ".join(titles)] if _longest([": ".join(titles)]) < width else titles, int(width * 72 / _CHARACTER)
    figure.set_size_inches(width, height + 0.16 * len(lines))
    title = "\n".join(shorten_middle(printable(line), most) for line in lines)
    figure.suptitle(title, x=0.01, ha="left", color=colors["pale"], **written)
    if not drawing.panels:
        axes = figure.add_subplot()
        _draw_bars(axes, drawing, shown, colors, written)
        return [axes]
    # Beside very many bars, curves stay at the top, with their legend below them.
    made = figure.subplot_mosaic(
        [["bars", "loss"], ["bars", "wrong"], ["bars", "legend"]],
        width_ratios=(_BARS, _CURVES),
        height_ratios=(_PANEL_HEIGHT, _PANEL_HEIGHT, height - 2 * _PANEL_HEIGHT),
    )
    _draw_bars(made["bars"], drawing, shown, colors, written)
    panels = [made["loss"], made["wrong"]]
    explained = _draw_panels(panels, drawing, colors)
    # They stand above each other, over the same numbers of columns.
    panels[0].set_xlabel("")
    panels[0].tick_params(labelbottom=False)
    made["legend"].set_axis_off()
    made["legend"].legend(*explained, loc="upper left", frameon=False, fontsize=_FONT_SIZE, borderaxespad=0.0)
    return [made["bars"], *panels]


def _count_bars(drawing: Drawing, top: int | None) -> int:
    asked, bars = drawing.result.most_listed if top is None else top, len(drawing.bars)
    if asked is not None:
        return min(asked, bars, _MOST_BARS)
    return bars if bars <= _ALL_SHOWN else _SHOWN_OF_MANY


def _longest(texts: Iterable[str]) -> float:
    """Inches of the longest of some texts, about."""
    wide = (cell_len(text) + 0.5 * sum(map(str.isupper, text)) for text in texts)
    return max(_CHARACTER / 72 * (number + 1) for number in wide)


def _written(bars: Sequence[Bar]) -> list[tuple[str, str]]:
    """What stands before and behind each bar: names made to fit, with their ranks where they would look the same."""
    names = [shorten_middle(printable(bar.name), _LONGEST_NAME) for bar in bars]
    times = Counter(names)
    before = [f"{bar.rank}: {name}" if times[name] > 1 else name for bar, name in zip(bars, names, strict=True)]
    behind = ["  ".join(filter(None, [shown_number(bar.value), bar.remark])) for bar in bars]
    return list(zip(before, behind, strict=True))


def light_grid(axes: Axes, color: str = "0.9") -> None:
    axes.grid(color=color, linewidth=0.6)
    axes.set_axisbelow(True)


def _draw_bars(axes: Axes, drawing: Drawing, shown: int, colors: Mapping[str, str], written: dict[str, Any]) -> None:
    """Bars in rank order, best on top, each with its name on the left, and its value and a remark on the right."""
    bars, rest = drawing.bars[:shown], describe_rest(drawing.result, shown)
    names, texts = zip(*_written(bars), strict=True)
    score = SCORES[drawing.result.settings.score]
    what = f"{score.word} {SCORE_LABELS[score.key]} ({score.name}) {drawing.when}".rstrip()
    axes.set_xlabel("\n".join(filter(None, [what, rest])), loc="left", fontsize=_FONT_SIZE)
    axes.set_yticks(range(shown), names, **written)
    axes.set_ylim(shown - 0.5, -0.5)
    axes.tick_params(axis="x", labelsize=_FONT_SIZE)
    axes.tick_params(axis="y", length=0)
    axes.spines[["top", "right", "left"]].set_visible(False)
    how: dict[str, Any] = {"xycoords": ("axes fraction", "data"), "textcoords": "offset points", **written}
    values = [0.0 if bar.value is None or not math.isfinite(bar.value) else bar.value for bar in bars]
    for place, (bar, value, text, label) in enumerate(zip(bars, values, texts, axes.get_yticklabels(), strict=True)):
        color = colors["pale" if bar.style == "dim" else "ink"]
        label.set_color(color)
        axes.annotate(text, (1, place), (6, 0), color=color, va="center_baseline", **how)
        if bar.error is not None:
            axes.errorbar(value, place, xerr=bar.error, color=colors["ink"], elinewidth=1.0, capsize=2.0)
    for name in ("strong", "weak", "hatched", "dim"):
        lengths = {place: value for place, value in enumerate(values) if bars[place].style == name and value}
        edge, hatch = (colors["strong"], "/////") if name == "hatched" else (colors[name], "")
        look: dict[str, Any] = {"facecolor": colors[name], "edgecolor": edge, "hatch": hatch, "linewidth": 0.7}
        axes.barh(list(lengths), list(lengths.values()), 0.64, **look)
    ends = [value + sign * (bar.error or 0.0) for value, bar in zip(values, bars, strict=True) for sign in (-1, 1)]
    low, high = min([0.0, *ends]), max([0.0, *ends])
    if low < 0:
        axes.axvline(0, color=colors["ink"], linewidth=0.6)
    ticks = round_values(low, high) if low < high else []
    axes.set_xlim(low, high if ticks else 1.0)
    axes.set_xticks(ticks, [f"{tick:.4g}" for tick in ticks])


def _draw_panels(axes: Sequence[Axes], drawing: Drawing, colors: Mapping[str, str]) -> tuple[list[Artist], list[str]]:
    """Draw each panel on one of the axes; what a legend should explain is returned."""
    import numpy as np

    ink, pale, strong = (colors[name] for name in ("ink", "pale", "strong"))
    looks: dict[str, dict[str, Any]] = {
        "solid": {"color": strong, "marker": "o", "markersize": 3.5},
        "dashed": {"color": pale, "linestyle": "dashed", "marker": "s", "markersize": 3.5},
        "dotted": {"color": pale, "linestyle": "dotted", "zorder": 1.5},
        "dashdot": {"color": pale, "linestyle": "dashdot", "zorder": 1.5},
        "least": {"color": ink, "marker": "o", "markersize": 8.0, "fillstyle": "none", "linestyle": ""},
        "estimate": {"color": ink, "marker": "D", "markersize": 5.0, "linestyle": "", "zorder": 3},
    }
    drawn: dict[str, Artist] = {}
    for each, panel in zip(axes, drawing.panels, strict=True):
        light_grid(each, colors["grid"])
        each.set_xlabel(drawing.size_label, loc="left", fontsize=_FONT_SIZE)
        each.set_title(panel.title, loc="left", fontsize=_FONT_SIZE, pad=4.0)
        each.tick_params(labelsize=_FONT_SIZE)
        each.spines[["top", "right"]].set_visible(False)
        for curve in panel.curves:
            sizes, values = zip(*curve.points, strict=True)
            if curve.style == "cut":
                drawn[curve.label] = each.axvline(sizes[0], color=ink, linestyle=(0, (4, 2)), linewidth=1.0)
                continue
            look = {"linewidth": 1.4, **looks[curve.style]} | ({"marker": ""} if len(sizes) > _MOST_MARKERS else {})
            finite = [value if math.isfinite(value) else math.nan for value in values]
            (drawn[curve.label],) = each.plot(sizes, finite, **look)
            if curve.error:
                each.errorbar(sizes, finite, yerr=curve.error, color=ink, linestyle="", capsize=3.0)
        (fewest, most), (low, high) = panel.sizes, panel.value_range
        margin, spare = max(0.05 * (most - fewest), 0.5), 0.08 * (high - low)
        each.set_xlim(fewest - margin, most + margin)
        if panel.is_logarithmic:
            each.set_xscale("function", functions=(np.log1p, np.expm1))
            each.set_xlim(max(0.9 * fewest - 0.1, -0.5), 1.2 * most)
        each.set_xticks(panel.size_ticks, [f"{size:,}" for size in panel.size_ticks])
        each.set_ylim(low - spare, high + spare)
        ticks = round_values(low, high)
        each.set_yticks(ticks, [panel.show(tick) for tick in ticks])
    return [drawn[label] for label in drawing.legend], list(drawing.legend)
