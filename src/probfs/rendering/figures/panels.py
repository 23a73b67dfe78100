"""How large a figure and its panels are, by how much there is to show. All lengths are points, 72 to the inch."""

from __future__ import annotations

from dataclasses import dataclass

LEAST_PITCH = 12.0
"""From one bar to the next: as close as lines of text can be read."""
NAMES = 150.0
"""What names may take at most."""
BARS = 275.0
MOST_BARS = 500
"""No figure has more."""

_MOST_PITCH = 32.0
_ALL_SHOWN = 50
"""Up to so many features all are shown; of more, only some."""
_SHOWN_OF_MANY = 40
_MUCH = 10
"""Features that have nothing to tell; of more than so many only examples are shown."""
_EXAMPLES = 4
_FEW = 12
"""So many features are shown in any case."""
_MARGIN = 8.0
_BESIDE_NAMES = 6.0
_TITLE = 22.0
"""What a title of one line takes."""
TITLE_LINE = 11.0
"""What each further line takes."""
_AXIS = 32.0
"""Ticks, their labels and the label of the axis."""
_VALUES = 46.0
"""Between bars and curves: the labels of the values."""
_CURVES = 215.0
_PANEL_TITLE = 16.0
_BETWEEN_PANELS = 10.0
_LEAST_PANEL = 78.0
_MOST_PANEL = 190.0
LEGEND_LINE = 12.5
_ABOVE_LEGEND = 4.0


@dataclass(frozen=True)
class Box:
    """A rectangle of a figure, measured from its lower left corner."""

    left: float
    bottom: float
    width: float
    height: float


@dataclass(frozen=True)
class Plan:
    """Where everything goes."""

    width: float
    height: float
    title: tuple[float, float]
    """The upper left corner of the title."""
    bars: Box
    curves: tuple[Box, ...]
    legend: tuple[float, float]
    """The upper left corner of the legend."""

    def share(self, box: Box) -> tuple[float, float, float, float]:
        """A box as matplotlib wants it, as shares of the figure."""
        return box.left / self.width, box.bottom / self.height, box.width / self.width, box.height / self.height


def count_shown(features: int, top: int | None, telling: int | None = None) -> int:
    """How many of so many features a figure shows, if nothing or a number was asked for; never more than MOST_BARS.

    Where only the first ``telling`` of them have something to tell, a few of the others stand for all of them.
    """
    if top is not None:
        return min(top, features, MOST_BARS)
    if telling is not None and features - telling > _MUCH:
        features = max(telling + _EXAMPLES, _FEW)
    return features if features <= _ALL_SHOWN else _SHOWN_OF_MANY


def title_room(names: float, panels: int) -> float:
    """How wide a title may be, given how wide names are and how many panels there are."""
    return _width(names, panels) - 2 * _MARGIN


def _width(names: float, panels: int) -> float:
    bars = _MARGIN + names + _BESIDE_NAMES + BARS
    return (bars + _VALUES + _CURVES if panels else bars) + _MARGIN


def plan_figure(lines: int, names: float, panels: int, legend_lines: int, title_lines: int = 1) -> Plan:
    """Lay out ``lines`` bars (or lines of text) beside names of some width, panels with a legend below them, and a
    title above.
    """
    fixed = panels * _PANEL_TITLE + max(panels - 1, 0) * _BETWEEN_PANELS + _AXIS
    fixed += _ABOVE_LEGEND + legend_lines * LEGEND_LINE if legend_lines else 0.0
    least_beside = fixed + panels * _LEAST_PANEL if panels else 0.0
    pitch = min(max((least_beside - _AXIS) / max(lines, 1), LEAST_PITCH), _MOST_PITCH)
    bars = max(lines, 1) * pitch
    panel = min(max((bars + _AXIS - fixed) / max(panels, 1), _LEAST_PANEL), _MOST_PANEL)
    content = max(bars + _AXIS, fixed + panels * panel if panels else 0.0)
    left = _MARGIN + names + _BESIDE_NAMES
    right = left + BARS + _VALUES
    width = _width(names, panels)
    above = _TITLE + max(title_lines - 1, 0) * TITLE_LINE
    height = above + content + _MARGIN
    top = height - above
    curves, bottom = [], top
    for _ in range(panels):
        bottom -= _PANEL_TITLE + panel
        curves.append(Box(right, bottom, _CURVES, panel))
        bottom -= _BETWEEN_PANELS
    legend = (right, bottom + _BETWEEN_PANELS - _AXIS - _ABOVE_LEGEND)
    return Plan(
        width,
        height,
        title=(_MARGIN, height - _MARGIN),
        bars=Box(left, top - bars, BARS, bars),
        curves=tuple(curves),
        legend=legend,
    )
