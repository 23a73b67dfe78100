"""What a figure really draws: every text and where it stands."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
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
    canvas = FigureCanvasAgg(figure)
    with _recording() as drawn:
        canvas.draw()  # type: ignore[no-untyped-call]
    renderer = canvas.get_renderer()  # type: ignore[no-untyped-call]
    return [(text.get_text(), Text.get_window_extent(text, renderer)) for text in drawn]


def assert_readable(figure: Figure) -> None:
    """Nothing lies outside of the figure, no two texts overlap, and none lies on a bar."""
    texts = drawn_texts(figure)
    assert texts
    words, boxes = [text for text, _ in texts], np.array([box.extents for _, box in texts])
    canvas = FigureCanvasAgg(figure)
    everything = figure.get_tightbbox(canvas.get_renderer())  # type: ignore[no-untyped-call]
    outside = np.vstack([boxes, np.asarray(everything.extents) * figure.dpi])
    width, height = figure.bbox.size
    wrong = (outside[:, :2] < 0).any(axis=1) | (outside[:, 2] > width) | (outside[:, 3] > height)
    assert not wrong.any(), [[*words, "all"][place] for place in np.flatnonzero(wrong)]
    overlapping = [(words[one], words[other]) for one, other in overlaps(boxes, boxes) if one < other]
    assert not overlapping
    bars = np.array([bar.get_window_extent().extents for bar in bars_of(figure.axes[0])]).reshape(-1, 4)
    assert not [words[text] for _, text in overlaps(bars, boxes)], "texts on bars"


def bars_of(axes: Axes) -> list[Rectangle]:
    return [patch for container in axes.containers for patch in container if isinstance(patch, Rectangle)]


def overlaps(ones: Floats, others: Floats) -> list[tuple[int, int]]:
    """Pairs of boxes (left, bottom, right, top) that have more than an edge in common."""
    one, other = ones[:, None], others[None]
    shared = np.minimum(one[..., 2:], other[..., 2:]) - np.maximum(one[..., :2], other[..., :2])
    return [(int(row), int(column)) for row, column in np.argwhere(shared.min(axis=-1) > _TOUCH)]


@contextmanager
def _recording() -> Iterator[list[Text]]:
    """Collects texts as they are drawn: axes hold more of them, such as labels of ticks outside of their limits."""
    drawn: list[Text] = []
    plain = Text.draw

    def draw(text: Text, renderer: Any, *arguments: Any, **options: Any) -> None:
        if text.get_visible() and text.get_text().strip():
            drawn.append(text)
        plain(text, renderer, *arguments, **options)

    Text.draw = draw  # type: ignore[method-assign, assignment]  # as a spy
    try:
        yield drawn
    finally:
        Text.draw = plain  # type: ignore[method-assign]
