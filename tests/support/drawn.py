"""What a figure really draws: every text and where it stands."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.text import Text
from matplotlib.transforms import Bbox

from probfs.tables.arrays import Floats

_TOUCH = 0.5
"""Pixels by which boxes may overlap before it is said that they do."""


def drawn_texts(figure: Figure) -> list[tuple[str, Bbox]]:
    """All texts that a figure draws, with their boxes in pixels."""
    canvas, plain = FigureCanvasAgg(figure), Text.draw
    drawn: list[Text] = []

    def draw(text: Text, renderer: Any, *arguments: Any, **options: Any) -> None:
        if text.get_visible() and text.get_text().strip():
            drawn.append(text)
        plain(text, renderer, *arguments, **options)

    # Axes hold more texts, such as labels of ticks outside of their limits.
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Text, "draw", draw)
        canvas.draw()  # type: ignore[no-untyped-call]
    renderer = canvas.get_renderer()  # type: ignore[no-untyped-call]
    return [(text.get_text(), Text.get_window_extent(text, renderer)) for text in drawn]


def assert_readable(figure: Figure) -> None:
    """No text lies outside of the figure, no two overlap, and none lies on a bar."""
    texts = drawn_texts(figure)
    words, boxes = [text for text, _ in texts], np.array([box.extents for _, box in texts])
    width, height = figure.bbox.size
    wrong = (boxes[:, :2] < 0).any(axis=1) | (boxes[:, 2] > width) | (boxes[:, 3] > height)
    assert not wrong.any(), [words[place] for place in np.flatnonzero(wrong)]
    assert not [(words[one], words[other]) for one, other in overlaps(boxes, boxes) if one < other]
    bars = np.array([bar.get_window_extent().extents for bar in bars_of(figure.axes[0])]).reshape(-1, 4)
    assert not [words[text] for _, text in overlaps(bars, boxes)], "texts on bars"


def bars_of(axes: Axes) -> list[Rectangle]:
    return [patch for container in axes.containers for patch in container if isinstance(patch, Rectangle)]


def overlaps(ones: Floats, others: Floats) -> list[tuple[int, int]]:
    """Pairs of boxes (left, bottom, right, top) that have more than an edge in common."""
    one, other = ones[:, None], others[None]
    shared = np.minimum(one[..., 2:], other[..., 2:]) - np.maximum(one[..., :2], other[..., :2])
    return [(int(row), int(column)) for row, column in np.argwhere(shared.min(axis=-1) > _TOUCH)]
