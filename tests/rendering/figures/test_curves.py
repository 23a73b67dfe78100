"""Curves over numbers of features."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from probfs.rendering.figures.curves import CurvePanel, Curves, Estimate, Line, Mark, draw_curves
from probfs.rendering.figures.lettering import Lettering
from probfs.rendering.figures.style import choose_palette


def make_curves(values: Sequence[float], first: int = 1) -> Curves:
    points = tuple(enumerate(values, first))
    panels = CurvePanel("loss", (Line("loss", points),)), CurvePanel("wrong", (Line("w", points),), as_share=True)
    return Curves(panels)


def draw(curves: Curves) -> tuple[list[Axes], list[str]]:
    axes = list(Figure((4, 6)).subplots(2))
    explained = draw_curves(axes, curves, Lettering(), choose_palette())
    axes[0].figure.draw_without_rendering()
    return axes, [label for _, label in explained]


def test_lines_pass_through_their_points() -> None:
    axes, explained = draw(make_curves([0.5, 0.3, 0.2]))
    (line,) = axes[0].lines
    assert line.get_xydata().tolist() == [[1, 0.5], [2, 0.3], [3, 0.2]]  # type: ignore[union-attr]  # an array
    assert explained == ["w"], "a title that names its only line needs no legend"
    assert [label.get_text() for label in axes[0].get_xticklabels()] == ["1", "2", "3"]
    assert axes[0].get_xlabel() == "features in the model"
    assert any(label.get_text().endswith("%") for label in axes[1].get_yticklabels())


@pytest.mark.parametrize("most", [61, 500, 2_000, 100_000])
def test_many_features_have_a_logarithmic_axis_with_plain_numbers(most: int) -> None:
    axes, _ = draw(make_curves([0.2 + 1 / place for place in range(1, most + 1)]))
    assert axes[0].get_xscale() == "symlog"
    labels = [label.get_text() for label in axes[0].get_xticklabels()]
    assert labels[0] == "1"
    assert f"{10 ** (len(str(most)) - 1):,}" in labels
    assert len(labels) <= 9
    low, high = axes[0].get_xlim()
    assert low < 1
    assert high > most


def test_no_features_have_a_place_on_a_logarithmic_axis() -> None:
    axes, _ = draw(make_curves([0.5] * 100, first=0))
    assert [label.get_text() for label in axes[0].get_xticklabels()][:3] == ["0", "1", "2"]


@pytest.mark.parametrize(
    "values", [[math.inf, 0.5, 0.2], [math.nan] * 3, [0.0] * 3, [0.25] * 3, [1e-300] * 3, [0.3, 0.3 + 1e-16, 0.3]]
)
def test_any_values_are_drawn(values: list[float]) -> None:
    axes, _ = draw(make_curves(values))
    low, high = axes[0].get_ylim()
    assert low < high
    finite = [value for value in values if math.isfinite(value)]
    assert all(low < value < high for value in finite)


@pytest.mark.parametrize(("values", "from_zero"), [([0.5, 0.2], True), ([0.69, 0.61], False)])
def test_the_axis_begins_at_zero_where_that_costs_little(values: list[float], from_zero: bool) -> None:
    axes, _ = draw(make_curves(values))
    assert (axes[0].get_ylim()[0] < 0) == from_zero


def test_the_cut_the_least_and_estimates_are_marked_and_explained() -> None:
    estimates = (Estimate("kept", 0.9, 0.2, 2), Estimate("all", 0.35))
    points = ((1, 0.5), (2, 0.3), (3, 0.2))
    panel = CurvePanel("loss", (Line("model", points),), estimates)
    curves = Curves((panel, panel), (Mark("cut", 2), Mark("least", 3, "least")))
    axes, explained = draw(curves)
    assert explained == curves.labels == ["model", "cut", "least", "kept", "all"]
    drawn = [line.get_xydata().tolist() for line in axes[0].lines]  # type: ignore[union-attr]  # arrays
    assert [[2.0, 0.0], [2.0, 1.0]] in drawn, "the cut"
    assert [[3.0, 0.2]] in drawn, "the least"
    assert [[0.0, 0.35], [1.0, 0.35]] in drawn, "the level of all"
    assert axes[0].get_ylim()[1] > 1.1, "the standard error has room"
