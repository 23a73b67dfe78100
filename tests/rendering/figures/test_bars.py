"""Bars show values, standard errors, intervals and verdicts."""

from __future__ import annotations

import math

import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from probfs.rendering.figures.bars import BarChart, BarRow, BarSpace, BarText, draw_bars
from probfs.rendering.figures.lettering import Lettering
from probfs.rendering.figures.style import choose_palette
from tests.support.drawn import bars_of

WIDTH = 280.0


def draw(*rows: BarRow, rest: str = "", width: float = WIDTH) -> Axes:
    figure = Figure((WIDTH / 72 / 0.6, 4), dpi=100)
    axes = figure.add_axes((0.3, 0.2, 0.6, 0.7))
    chart = BarChart(rows, "value", "in words", "rank", lambda shown: rest)
    space = BarSpace(width, [row.name for row in rows], [rest] if rest else [])
    draw_bars(axes, chart, space, Lettering(), choose_palette())
    return axes


def remarks(axes: Axes) -> list[str]:
    return [text.get_text() for text in axes.texts]


def test_bars_are_as_long_as_values_best_on_top() -> None:
    axes = draw(BarRow("a", 1, 0.5, "strong"), BarRow("b", 2, -0.25, "strong"), BarRow("c", 3, None, "dim"))
    bars = sorted(bars_of(axes), key=lambda bar: bar.get_y())
    assert [bar.get_width() for bar in bars] == [0.5, -0.25]
    assert axes.get_ylim() == (2.5, -0.5)
    assert [label.get_text() for label in axes.get_yticklabels()] == ["a", "b", "c"]
    assert remarks(axes) == ["0.5000", "-0.2500", ""]


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_what_is_no_number_has_no_bar(value: float) -> None:
    axes = draw(BarRow("a", 1, value, "strong"), BarRow("b", 2, 1.0, "strong"))
    assert len(bars_of(axes)) == 1
    assert all(map(math.isfinite, axes.get_xlim()))


@pytest.mark.parametrize("values", [[0.0, 0.0], [None, None], [1e-300, 0.0], [-1.0, -2.0], [1e300, 1.0]])
def test_any_scale_is_drawn(values: list[float | None]) -> None:
    axes = draw(*(BarRow(str(rank), rank, value, "strong") for rank, value in enumerate(values, 1)))
    axes.figure.draw_without_rendering()  # type: ignore[union-attr]  # a figure
    low, high = axes.get_xlim()
    assert low < high
    assert all(low <= tick <= high for tick in axes.get_xticks())


def test_looks_differ_in_more_than_colour() -> None:
    looks = ("strong", "weak", "hatched", "dim")
    axes = draw(*(BarRow(look, rank, 1.0, look) for rank, look in enumerate(looks, 1)))  # type: ignore[arg-type]
    bars = sorted(bars_of(axes), key=lambda bar: bar.get_y())
    assert [bar.get_hatch() for bar in bars] == [None, None, "/////", None]
    assert len({bar.get_facecolor() for bar in bars}) == 4
    colors = [label.get_color() for label in axes.get_yticklabels()]
    assert len(set(colors[:3])) == 1
    assert colors[3] != colors[0]


def test_standard_errors_are_drawn_and_have_room() -> None:
    axes = draw(BarRow("a", 1, 0.5, "strong", error=0.2), BarRow("b", 2, 0.1, "strong", error=0.3))
    assert [container.has_xerr for container in axes.containers if hasattr(container, "has_xerr")] == [True]
    low, high = axes.get_xlim()
    assert low == pytest.approx(-0.2)
    assert high > 0.7
    assert axes.texts[0].xy[0] == pytest.approx(0.7)  # type: ignore[attr-defined]  # an annotation


def test_rank_intervals_are_a_strip_beside_the_bars() -> None:
    axes = draw(
        BarRow("a", 1, 0.5, "strong", interval=(1, 3)),
        BarRow("b", 2, 0.4, "dim", interval=(2, 7)),
    )
    (strip,) = axes.child_axes
    assert strip.get_ylim() == axes.get_ylim()
    drawn = [line.get_xydata().tolist() for line in strip.lines]  # type: ignore[union-attr]  # arrays
    assert drawn == [[[1, 0]], [[1, 0], [3, 0]], [[2, 1]], [[2, 1], [7, 1]]], "each rank, and its interval"
    assert [label.get_text() for label in strip.get_xticklabels()] == ["1", "7"]
    low, high = axes.get_xlim()
    assert (0.5 - low) / (high - low) < 0.7, "bars end before the strip begins"
    assert not draw(BarRow("a", 1, 0.5, "strong")).child_axes


def test_a_narrow_chart_has_the_symbol_alone() -> None:
    row = BarRow("a", 1, 0.5, "strong")
    assert draw(row).get_xlabel() == "value in words"
    assert draw(row, width=40.0).get_xlabel() == "value"


def test_a_long_name_in_a_remark_is_shortened_and_the_rest_of_it_stays() -> None:
    remark = BarText("", "$x$" + "y" * 500, " says 93% of it")
    axes = draw(BarRow("a", 1, 0.5, "strong"), BarRow("b", 2, 0.4, "hatched", remark=remark), rest="… 3 more")
    assert remarks(axes)[1].startswith("0.4000  $x$yyy")
    assert remarks(axes)[1].endswith("yyy says 93% of it")
    assert "…" in remarks(axes)[1]
    assert remarks(axes)[2] == "… 3 more"
    assert axes.get_ylim() == (2.5, -0.5)
