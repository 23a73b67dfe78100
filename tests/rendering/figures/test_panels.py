"""Where everything goes on a figure, by how much there is to show."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from probfs.rendering.figures.panels import LEAST_PITCH, Box, count_shown, plan_figure


@pytest.mark.parametrize(
    ("features", "top", "telling", "shown"),
    [
        (5, None, None, 5),
        (50, None, None, 50),
        (51, None, None, 40),
        (500, None, None, 40),
        (500, 500, None, 500),
        (5, 3, None, 3),
        (5, 9, None, 5),
        (500, None, 8, 12),
        (500, None, 20, 24),
        (500, None, 200, 40),
        (10, None, 0, 10),
        (13, None, 1, 12),
        (18, None, 11, 18),
        (500, 30, 8, 30),
    ],
)
def test_as_many_features_are_shown_as_can_be_read(
    features: int, top: int | None, telling: int | None, shown: int
) -> None:
    assert count_shown(features, top, telling) == shown


@settings(max_examples=40)
@given(
    lines=st.integers(0, 500),
    names=st.floats(0, 150),
    panels=st.sampled_from([0, 2]),
    legend_lines=st.integers(0, 6),
)
def test_boxes_lie_within_the_figure_and_apart(lines: int, names: float, panels: int, legend_lines: int) -> None:
    plan = plan_figure(lines, names, panels, legend_lines if panels else 0)
    boxes = [plan.bars, *plan.curves]
    assert len(plan.curves) == panels
    for box in boxes:
        assert box.left >= 0
        assert box.bottom >= 0
        assert box.left + box.width <= plan.width
        assert box.bottom + box.height <= plan.height
        assert all(0 <= share <= 1 for share in plan.share(box))
    assert not any(overlapping(one, other) for one, other in itertools.combinations(boxes, 2))
    assert plan.bars.height >= LEAST_PITCH * lines * 0.999
    if panels:
        assert plan.legend[1] < plan.curves[-1].bottom
        assert plan.legend[1] - 12 * legend_lines >= 0


def overlapping(one: Box, other: Box) -> bool:
    return (
        one.left < other.left + other.width
        and other.left < one.left + one.width
        and one.bottom < other.bottom + other.height
        and other.bottom < one.bottom + one.height
    )


def test_a_figure_grows_with_the_bars_only_where_it_must() -> None:
    few, some, many = (plan_figure(lines, 80.0, 2, 2).height for lines in (3, 10, 100))
    assert few == some < many
