"""Bars and curves on axes of matplotlib: readable in grey print and by the colour-blind; names are never markup."""

from __future__ import annotations

import math
import textwrap
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from probfs.classifiers.scores import Score
from probfs.output.drawings import Bar, Drawing, Panel
from probfs.output.sentences import shown_score
from probfs.text import escape_character, printable, shorten_middle

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.font_manager import FontProperties

SCORE_LABELS = {"s_s": "$\\hat{S}_S$", "s_a": "$\\hat{S}_A$", "s_su": "$\\hat{S}_{SU}$"}
FONT_SIZE = 8.0
LINE = 13.0
"""Points from one bar to the next, at least."""
CHARACTER = 5.2
"""Points of an average character."""
PLAIN: dict[str, Any] = {"parse_math": False, "usetex": False}
"""Properties of a text that shows what is in it, such as dollar signs."""
_LONGEST_NAME = 28
_LONGEST_REMARK = 60
_STRIP = 0.24
"""The share of the axes that rank intervals take."""
_MOST_LINEAR = 60
"""Numbers of columns beyond which the axis is logarithmic: what matters happens among the first few."""
_MOST_MARKERS = 30
_ROUND_STEPS = [1, 2, 2.5, 5, 10]
# Matplotlib's own font knows European scripts, Arabic and Hebrew; for others it looks into these, where installed.
_FURTHER_FAMILIES = (
    *("Noto Sans CJK JP", "Noto Sans CJK SC", "Noto Sans JP", "Source Han Sans", "WenQuanYi Micro Hei"),
    *("Hiragino Sans", "PingFang SC", "Microsoft YaHei", "Yu Gothic", "Malgun Gothic"),
    *("Noto Sans Devanagari", "Noto Sans Thai", "Arial Unicode MS"),
)


@dataclass(frozen=True)
class Style:
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
        from rich.cells import cell_len

        shown = printable(shorten_middle(text, 2 * most))
        shown = "".join(letter if ord(letter) in self.known else escape_character(letter) for letter in shown)
        # Wide characters count twice.
        return shorten_middle(shown, most * len(shown) // max(cell_len(shown), len(shown), 1))


_ON_WHITE = ("#1a1a1a", "#6a6a6a", "#1f4e79", "#a9bccd", "#e3edf5", "#d3d3d3", "#e6e6e6")
_ON_BLACK = ("#f0f0f0", "#a2a2a2", "#8cc0ea", "#4a6178", "#1d2f3f", "#3f3f3f", "#333333")


def choose_style() -> Style:
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
    return Style(FontProperties(family=families, size=FONT_SIZE), known, *colors)


@lru_cache(maxsize=64)
def _characters(family: str) -> frozenset[int]:
    """The code points that a font family has glyphs for; none for one that is not installed."""
    from matplotlib.font_manager import FontProperties, findfont, get_font

    try:
        # A family alone, outside of a list, would be parsed as a pattern of fontconfig.
        path = findfont(FontProperties(family=[family]), fallback_to_default=False)
    except ValueError:
        return frozenset()
    return frozenset(get_font(path).get_charmap())


def score_label(score: Score) -> str:
    """The symbol of a score as matplotlib sets it; that of a score which the paper does not have stays as it is."""
    return SCORE_LABELS.get(score.key, score.symbol)


def light_grid(axes: Axes, color: str = "0.9") -> None:
    axes.grid(color=color, linewidth=0.6)
    axes.set_axisbelow(True)


# Bars.


def draw_bars(axes: Axes, drawing: Drawing, shown: int, style: Style) -> None:
    """Bars in rank order, best on top, each with its name, its value and a remark, and a line about the others."""
    bars, rest = drawing.bars[:shown], drawing.describe_rest(shown)
    lines = len(bars) + bool(rest)
    has_strip = any(bar.interval is not None for bar in bars)
    label = f"{drawing.score.word} {score_label(drawing.score)}"
    when = "" if has_strip else f" ({drawing.score.name}) {drawing.when}".rstrip()
    axes.set_xlabel(label + when, loc="left", fontsize=FONT_SIZE)
    axes.tick_params(axis="x", labelsize=FONT_SIZE)
    axes.tick_params(axis="y", length=0)
    axes.set_yticks(range(len(bars)), _bar_names(bars, style), fontproperties=style.font, **PLAIN)
    for tick, bar in zip(axes.get_yticklabels(), bars, strict=True):
        tick.set_color(style.pale if bar.look == "dim" else style.ink)
    axes.set_ylim(lines - 0.5, -0.5)
    axes.spines[["top", "right", "left"]].set_visible(False)
    # Names take room from the bars; once they have it, it is known how much is left.
    axes.figure.canvas.figure.draw_without_rendering()
    box, scale = axes.get_window_extent(), 72 / axes.figure.dpi
    width, height = box.width * scale, box.height * scale
    _draw_rectangles(axes, bars, min(0.64, 20 * lines / height), style)
    texts = [_bar_text(bar, style) for bar in bars]
    for place, (bar, text) in enumerate(zip(bars, texts, strict=True)):
        _write(axes, text, (_end(bar), place), style, is_dim=bar.look == "dim")
    if rest:
        line = textwrap.shorten(rest, int(width / CHARACTER), placeholder=" …")
        _write(axes, line, (min(map(_start, bars)), len(bars)), style, is_dim=True)
    _set_scale(axes, bars, texts, width, width * (0.95 - _STRIP if has_strip else 1))
    if has_strip:
        _draw_strip(axes, bars, style)


def _bar_names(bars: Sequence[Bar], style: Style) -> list[str]:
    """Names made to fit; those that would then look the same begin with their ranks."""
    names = [style.fit(bar.name, _LONGEST_NAME) for bar in bars]
    times = Counter(names)
    return [f"{bar.rank}: {name}" if times[name] > 1 else name for bar, name in zip(bars, names, strict=True)]


def _bar_text(bar: Bar, style: Style) -> str:
    value = "" if bar.value is None else shown_score(bar.value)
    return "  ".join(filter(None, [value, style.fit(bar.remark, _LONGEST_REMARK)]))


def _write(axes: Axes, text: str, place: tuple[float, float], style: Style, *, is_dim: bool) -> None:
    axes.annotate(
        text,
        place,
        (4, 0),
        textcoords="offset points",
        va="center_baseline",
        fontproperties=style.font,
        color=style.pale if is_dim else style.ink,
        in_layout=False,
        clip_on=True,
        **PLAIN,
    )


def _draw_rectangles(axes: Axes, bars: Sequence[Bar], thickness: float, style: Style) -> None:
    known = [(place, bar, bar.value) for place, bar in enumerate(bars) if bar.value is not None]
    known = [(place, bar, value) for place, bar, value in known if math.isfinite(value)]
    for look, edge, hatch in (
        ("strong", style.strong, ""),
        ("weak", style.weak, ""),
        ("hatched", style.strong, "/////"),
        ("dim", style.dim, ""),
    ):
        places = [place for place, bar, _ in known if bar.look == look]
        values = [value for _, bar, value in known if bar.look == look]
        color = getattr(style, look)
        axes.barh(places, values, height=thickness, linewidth=0.7, facecolor=color, edgecolor=edge, hatch=hatch)
    errors = [(value, place, bar.error) for place, bar, value in known if bar.error is not None]
    for value, place, error in errors:
        axes.errorbar(value, place, xerr=error, color=style.ink, linestyle="", elinewidth=1.0, capsize=2.0)
    if any(value < 0 for _, _, value in known):
        axes.plot((0, 0), (-0.5, len(bars) - 0.5), color=style.ink, linewidth=0.6)


def _set_scale(axes: Axes, bars: Sequence[Bar], texts: Sequence[str], width: float, room: float) -> None:
    """The largest scale at which each bar and the text behind it fit into the room; all lengths are points."""
    from matplotlib.ticker import MaxNLocator
    from rich.cells import cell_len

    low, high = min(map(_start, bars), default=0.0), max(map(_end, bars), default=0.0)
    lengths = [max(room - CHARACTER * cell_len(text) - 8, 0.15 * room) for text in texts]
    scales = [length / (_end(bar) - low) for bar, length in zip(bars, lengths, strict=True) if _end(bar) > low]
    if not scales:
        axes.set_xlim(0, 1)
        axes.set_xticks([])
        axes.spines["bottom"].set_visible(False)
        return
    axes.set_xlim(low, low + width / min(scales))
    found = MaxNLocator(max(1, int(min(scales) * (high - low) / 45)), steps=_ROUND_STEPS).tick_values(low, high)
    edge = 1e-9 * (high - low)
    # Adding 0 makes -0 plain zero.
    ticks = [float(tick) + 0.0 for tick in found if low - edge <= tick <= high + edge]
    axes.set_xticks(ticks, [f"{tick:.4g}" for tick in ticks])
    axes.spines["bottom"].set_bounds(low, high)


def _end(bar: Bar) -> float:
    """How far to the right the bar and its standard error reach; at least to zero."""
    return max(0.0, _finite(bar.value) + (bar.error or 0.0))


def _start(bar: Bar) -> float:
    return min(0.0, _finite(bar.value) - (bar.error or 0.0))


def _finite(value: float | None) -> float:
    return 0.0 if value is None or not math.isfinite(value) else value


def _draw_strip(axes: Axes, bars: Sequence[Bar], style: Style) -> None:
    """Beside the bars: each column's rank, and the interval of ranks that other rows could have given it."""
    strip = axes.inset_axes((1 - _STRIP, 0, _STRIP, 1))
    most = max(max(bar.rank, *(bar.interval or ())) for bar in bars)
    strip.set_ylim(axes.get_ylim())
    strip.set_yticks([])
    strip.set_xlim(1 - 0.04 * most, most * 1.04)
    strip.set_xticks(sorted({1, most}), [f"{tick:,}" for tick in sorted({1, most})])
    strip.tick_params(axis="x", labelsize=FONT_SIZE)
    strip.set_xlabel("rank, 90 % interval", loc="right", fontsize=FONT_SIZE)
    strip.spines[["top", "right", "left"]].set_visible(False)
    strip.spines["bottom"].set_bounds(1, most)
    for place, bar in enumerate(bars):
        color = style.pale if bar.look == "dim" else style.ink
        strip.plot(bar.rank, place, color=color, linestyle="", marker="o", markersize=3.0)
        # No error bars: a rank need not lie between the ranks that samples have.
        if bar.interval is not None:
            strip.plot(bar.interval, (place, place), color=color, linewidth=1.0, marker="|", markersize=4.0)


# Curves.


def draw_panels(axes: Sequence[Axes], drawing: Drawing, style: Style) -> tuple[list[Artist], list[str]]:
    """Draw each panel on one of the axes; what a legend should explain is returned."""
    explained: dict[str, Artist] = {}
    for each, panel in zip(axes, drawing.panels, strict=True):
        light_grid(each, style.grid)
        each.set_xlabel(drawing.size_label, loc="left", fontsize=FONT_SIZE)
        each.set_title(panel.title, loc="left", fontsize=FONT_SIZE, pad=4.0)
        each.tick_params(labelsize=FONT_SIZE)
        each.spines[["top", "right"]].set_visible(False)
        explained |= _draw_curves(each, panel, style) | _draw_marks(each, panel, drawing, style)
        _set_sizes(each, drawing)
        _set_values(each, panel)
    return [explained[label] for label in drawing.legend], list(drawing.legend)


def _draw_curves(axes: Axes, panel: Panel, style: Style) -> dict[str, Artist]:
    drawn: dict[str, Artist] = {}
    for curve in panel.curves:
        solid = curve.style == "solid"
        (drawn[curve.label],) = axes.plot(
            [size for size, _ in curve.points],
            [value if math.isfinite(value) else math.nan for _, value in curve.points],
            color=style.strong if solid else style.pale,
            linestyle=curve.style,
            linewidth=1.4,
            marker=("o" if solid else "s") if len(curve.points) <= _MOST_MARKERS else "",
            markersize=3.5,
        )
    return drawn


def _draw_marks(axes: Axes, panel: Panel, drawing: Drawing, style: Style) -> dict[str, Artist]:
    """What is not a curve: where the cut is, where the loss is least, and what is known of unseen rows."""
    drawn: dict[str, Artist] = {}
    if drawing.cut is not None:
        label, size = drawing.cut
        drawn[label] = axes.axvline(size, color=style.ink, linestyle=(0, (4, 2)), linewidth=1.0, zorder=1.5)
    if drawing.least is not None:
        label, size = drawing.least
        ring: dict[str, Any] = {"marker": "o", "markersize": 8.0, "fillstyle": "none", "linestyle": ""}
        value = dict(panel.curves[0].points).get(size, math.nan)
        (drawn[label],) = axes.plot(size, value, color=style.ink, **ring)
    for level in panel.levels:
        line: dict[str, Any] = {"linestyle": level.style, "linewidth": 1.4, "zorder": 1.5}
        drawn[level.label] = axes.axhline(level.value, color=style.pale, **line)
    for point in panel.estimates:
        diamond: dict[str, Any] = {"marker": "D", "markersize": 5.0, "linestyle": "", "capsize": 3.0, "zorder": 3}
        bars = axes.errorbar(point.size, point.value, yerr=point.error or None, color=style.ink, **diamond)
        drawn[point.label] = bars[0]
    return drawn


def _set_sizes(axes: Axes, drawing: Drawing) -> None:
    """The axis of numbers of columns: linear for few, logarithmic for many."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator, NullLocator

    sizes = [size for panel in drawing.panels for curve in panel.curves for size, _ in curve.points]
    least, most = min(sizes), max(sizes)
    if most <= _MOST_LINEAR:
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
