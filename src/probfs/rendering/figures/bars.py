"""Bars in rank order, best on top, each with its name, its value and a remark; and a strip of rank intervals."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from probfs.rendering.figures.lettering import FONT_SIZE, PLAIN, Lettering
from probfs.rendering.figures.style import Palette
from probfs.rendering.ranking_columns import shown_score

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Look = Literal["strong", "weak", "hatched", "dim"]

_THICKNESS = 0.64
_GAP = 4.0
"""Points between a bar and its text."""
_MOST_OF_REMARK = 0.6
"""The share of the room for bars that the text behind them may take."""
_STRIP = 0.24
"""The share of the axes that rank intervals take."""
_BESIDE_STRIP = 0.05
_DOTS: dict[str, Any] = {"linestyle": "", "marker": "o", "markersize": 3.0}
_SYMBOL = 20.0
"""Points that the symbol of a score takes at most."""
_TICK_EVERY = 45.0
"""Points that the label of a tick needs at least."""


@dataclass(frozen=True)
class BarText:
    """A few words about a feature, with the name of another one among them or without."""

    before: str = ""
    name: str = ""
    after: str = ""

    def __str__(self) -> str:
        return self.before + self.name + self.after


@dataclass(frozen=True)
class BarRow:
    """A feature, and what its bar shows."""

    name: str
    rank: int
    value: float | None
    look: Look
    error: float | None = None
    """One standard error of the value."""
    interval: tuple[int, int] | None = None
    """Of ranks."""
    remark: BarText = BarText()

    @property
    def end(self) -> float:
        """How far to the right the bar and its standard error reach; at least to zero."""
        return max(0.0, _finite(self.value) + (self.error or 0.0))

    @property
    def start(self) -> float:
        return min(0.0, _finite(self.value) - (self.error or 0.0))


@dataclass(frozen=True)
class BarChart:
    """All bars, and what is said of those that there is no room for."""

    rows: tuple[BarRow, ...]
    value_label: str
    """The symbol of the score and, where the axes are wide enough, ``value_words``."""
    value_words: str
    interval_label: str
    describe_rest: Callable[[int], str]
    """What is said of the features behind the first so many; nothing where there is none."""
    telling: int | None = None
    """How many of the first rows differ in more than their names; None if all do."""
    asked: int | None = None
    """How many bars whoever made the result asked for; None if that was not said."""


@dataclass(frozen=True)
class BarSpace:
    """How much of a chart is shown, and where."""

    width: float
    """Of the axes, in points."""
    names: Sequence[str]
    """Of the features shown, made to fit."""
    rest: Sequence[str]
    """Lines about those that are not."""


def draw_bars(axes: Axes, chart: BarChart, space: BarSpace, lettering: Lettering, palette: Palette) -> None:
    """Draw the first features of a chart."""
    rows = chart.rows[: len(space.names)]
    has_strip = _has_strip(rows)
    room = space.width * (1 - _STRIP - _BESIDE_STRIP if has_strip else 1)
    texts = [_text(row, room, lettering) for row in rows]
    _set_scale(axes, rows, [lettering.width(text) for text in texts], room, space.width)
    _draw_rows(axes, rows, texts, lettering, palette)
    label_bars(axes, chart, space, lettering, palette)
    _write_rest(axes, len(rows), space.rest, lettering, palette)
    if has_strip:
        _draw_strip(axes, chart, rows, palette)


def label_bars(axes: Axes, chart: BarChart, space: BarSpace, lettering: Lettering, palette: Palette) -> None:
    """Write what stands around the bars: the names of the features and the label of their values."""
    rows = chart.rows[: len(space.names)]
    axes.set_xlabel(_value_label(chart, rows, space, lettering), loc="left", fontsize=FONT_SIZE)
    axes.tick_params(axis="x", labelsize=FONT_SIZE)
    axes.set_ylim(len(rows) + len(space.rest) - 0.5, -0.5)
    axes.set_yticks(range(len(rows)), space.names, fontproperties=lettering.font, **PLAIN)
    axes.tick_params(axis="y", length=0)
    for label, row in zip(axes.get_yticklabels(), rows, strict=True):
        label.set_color(palette.pale if row.look == "dim" else palette.ink)


def _value_label(chart: BarChart, rows: Sequence[BarRow], space: BarSpace, lettering: Lettering) -> str:
    beside = lettering.width(chart.interval_label) if _has_strip(rows) else 0.0
    free = space.width - beside - _SYMBOL - 2 * _GAP
    has_room = lettering.width(chart.value_words) <= free
    return f"{chart.value_label} {chart.value_words}" if has_room else chart.value_label


def _has_strip(rows: Sequence[BarRow]) -> bool:
    return any(row.interval is not None for row in rows)


def _text(row: BarRow, room: float, lettering: Lettering) -> str:
    """The value and the remark, the name in it shortened where it must be."""
    value = "" if row.value is None else shown_score(row.value)
    remark = row.remark
    start = f"{value}  {remark.before}" if value and str(remark) else value + remark.before
    left = room * _MOST_OF_REMARK - lettering.width(start + remark.after)
    return f"{start}{lettering.fit(remark.name, left) if remark.name else ''}{remark.after}"


def _set_scale(axes: Axes, rows: Sequence[BarRow], widths: Sequence[float], room: float, width: float) -> None:
    """The largest scale at which each bar, and a text of some width behind it, fits into the room.

    Bars and texts have ``room``, of the ``width`` of the axes; all lengths are points.
    """
    low = min((row.start for row in rows), default=0.0)
    high = max((row.end for row in rows), default=0.0)
    free = [room - own - 2 * _GAP for own in widths]
    scale = min((own / (row.end - low) for own, row in zip(free, rows, strict=True) if row.end > low), default=0.0)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    if scale <= 0:
        axes.set_xlim(0, 1)
        axes.set_xticks([])
        axes.spines["bottom"].set_visible(False)
        return
    axes.set_xlim(low, low + width / scale)
    ticks = _ticks(low, high, int(scale * (high - low) / _TICK_EVERY))
    axes.set_xticks(ticks, [f"{tick:.4g}" for tick in ticks])
    axes.spines["bottom"].set_bounds(low, high)


def _ticks(low: float, high: float, most: int) -> list[float]:
    """Round numbers between two, zero among them."""
    from matplotlib.ticker import MaxNLocator

    if most < 1:
        return [0.0]
    found = MaxNLocator(most, steps=[1, 2, 2.5, 5, 10]).tick_values(low, high)
    edge = 1e-9 * (high - low)
    # Adding 0 makes -0 plain zero.
    return [float(tick) + 0.0 for tick in found if low - edge <= tick <= high + edge]


def _draw_rows(
    axes: Axes, rows: Sequence[BarRow], texts: Sequence[str], lettering: Lettering, palette: Palette
) -> None:
    looks: dict[Look, dict[str, Any]] = {
        "strong": {"facecolor": palette.strong, "edgecolor": palette.strong},
        "weak": {"facecolor": palette.weak, "edgecolor": palette.weak},
        "hatched": {"facecolor": palette.hatched, "edgecolor": palette.strong, "hatch": "/////"},
        "dim": {"facecolor": palette.dim, "edgecolor": palette.dim},
    }
    known = [(place, row, row.value) for place, row in enumerate(rows) if _is_finite(row.value)]
    for look, style in looks.items():
        own = [(place, value) for place, row, value in known if row.look == look]
        if own:
            places, values = zip(*own, strict=True)
            axes.barh(places, values, height=_THICKNESS, linewidth=0.7, **style)
    errors = [(value, place, row.error) for place, row, value in known if row.error is not None]
    if errors:
        values, places, sizes = zip(*errors, strict=True)
        axes.errorbar(values, places, xerr=sizes, color=palette.ink, linestyle="", elinewidth=1.0, capsize=2.0)
    for place, (row, text) in enumerate(zip(rows, texts, strict=True)):
        axes.annotate(
            text,
            (row.end, place),
            (_GAP, 0),
            textcoords="offset points",
            va="center_baseline",
            fontproperties=lettering.font,
            color=palette.pale if row.look == "dim" else palette.ink,
            in_layout=False,
            **PLAIN,
        )
    if any(row.start < 0 for row in rows):
        axes.plot((0, 0), (-0.5, len(rows) - 0.5), color=palette.ink, linewidth=0.6)


def _write_rest(axes: Axes, shown: int, lines: Sequence[str], lettering: Lettering, palette: Palette) -> None:
    for number, line in enumerate(lines, shown):
        axes.annotate(
            line,
            (0, number),
            (_GAP, 0),
            xycoords=axes.get_yaxis_transform(),
            textcoords="offset points",
            va="center_baseline",
            fontproperties=lettering.font,
            color=palette.pale,
            in_layout=False,
            **PLAIN,
        )


def _draw_strip(axes: Axes, chart: BarChart, rows: Sequence[BarRow], palette: Palette) -> None:
    """Beside the bars: each feature's rank, and the interval of ranks that other rows could have given it."""
    strip = axes.inset_axes((1 - _STRIP, 0, _STRIP, 1))
    strip.set_ylim(axes.get_ylim())
    strip.set_yticks([])
    most = max(max(row.rank, *(row.interval or ())) for row in rows)
    strip.set_xlim(1 - 0.04 * most, most * 1.04)
    strip.set_xticks([1] if most == 1 else [1, most], ["1"] if most == 1 else ["1", f"{most:,}"])
    strip.tick_params(axis="x", labelsize=FONT_SIZE)
    strip.set_xlabel(chart.interval_label, loc="right", fontsize=FONT_SIZE)
    for side in ("top", "right", "left"):
        strip.spines[side].set_visible(False)
    strip.spines["bottom"].set_bounds(1, most)
    for is_dim, color in ((False, palette.ink), (True, palette.pale)):
        places = [place for place, row in enumerate(rows) if (row.look == "dim") == is_dim]
        strip.plot([rows[place].rank for place in places], places, color=color, **_DOTS)
        # No error bars: a rank need not lie between the ranks that samples have.
        for place in places:
            interval = rows[place].interval
            if interval is not None:
                strip.plot(interval, (place, place), color=color, linewidth=1.0, marker="|", markersize=4.0)


def _finite(value: float | None) -> float:
    return 0.0 if value is None or not math.isfinite(value) else value


def _is_finite(value: float | None) -> bool:
    return value is not None and math.isfinite(value)
