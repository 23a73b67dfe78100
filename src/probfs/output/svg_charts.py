"""Curves over the number of columns as a page has them: SVG that is as wide as the window, in the page's colours."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from probfs.output.drawings import Drawing, Panel
from probfs.text import counted

_MOST_LINEAR = 60
"""Numbers of columns beyond which the axis is logarithmic: what matters happens among the first few."""
_MOST_POINTS = 300


@dataclass(frozen=True)
class SvgChart:
    """A panel in per cent of its width, from the left, and of its height, from the top."""

    title: str
    description: str
    curves: Sequence[tuple[str, str]]
    """The look of each, and its points."""
    levels: Sequence[tuple[str, float]]
    estimates: Sequence[tuple[float, ...]]
    """Place, value, and the ends of one standard error on either side."""
    cut: float | None
    least: tuple[float, float] | None
    rows: Sequence[tuple[float, str]]
    """Where horizontal lines are, and what value each is at."""
    sizes: Sequence[tuple[float, str]]


def svg_chart(panel: Panel, drawing: Drawing) -> SvgChart:
    values = dict(panel.curves[0].points)
    fewest, most = min(values), max(values)
    scale = math.log1p if most > _MOST_LINEAR else float
    low, high = panel.value_range

    def x(size: int) -> float:
        return round(100 * (scale(size) - scale(fewest)) / (scale(most) - scale(fewest)), 2)

    def y(value: float) -> float:
        return round(100 * (1 - (value - low) / (high - low)), 2)

    curves = []
    for curve in panel.curves:
        points = [f"{x(size)},{y(value)}" for size, value in curve.points if math.isfinite(value)]
        curves.append((curve.style, " ".join(points[:: 1 + len(points) // _MOST_POINTS])))
    ends = [f"{panel.show(values[size])} with {counted(size, 'column')}" for size in (most, fewest)]
    return SvgChart(
        panel.title,
        f"{panel.title} by the number of columns in the model: {', '.join(ends)}",
        curves,
        [(level.style, y(level.value)) for level in panel.levels],
        [(x(point.size), y(point.value), *map(y, point.interval)) for point in panel.estimates],
        None if drawing.cut is None else x(drawing.cut[1]),
        None if drawing.least is None else (x(drawing.least[1]), y(values[drawing.least[1]])),
        [(y(value), panel.show(value)) for value in _round_values(low, high)],
        [(x(size), f"{size:,}") for size in _round_sizes(fewest, most)],
    )


def _round_values(low: float, high: float) -> Iterator[float]:
    """A few round numbers within a range."""
    least = (high - low) / 4
    magnitude: float = 10 ** math.floor(math.log10(least))
    step = next(factor * magnitude for factor in (1, 2, 2.5, 5, 10) if factor * magnitude >= least)
    number = math.ceil(low / step - 1e-9)
    while number * step <= high * (1 + 1e-9):
        yield number * step + 0.0
        number += 1


def _round_sizes(fewest: int, most: int) -> list[int]:
    if most > _MOST_LINEAR:
        return [fewest, *(10**power for power in range(7) if fewest < 10**power < most / 2), most]
    step = next(size for size in (1, 2, 5, 10) if (most - fewest) / size <= 6)
    return [size for size in range(fewest, most + 1) if size % step == 0]
