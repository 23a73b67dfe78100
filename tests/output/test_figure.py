"""Figures: what they draw, on a figure of their own or on the caller's axes, and the same file for the same result."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.text import Text
from matplotlib.transforms import Bbox

import probfs
from probfs.errors import UsageError
from probfs.output.drawings import Curve, Panel
from probfs.output.figure import figure_file, file_style
from probfs.tables.arrays import Floats
from tests.conftest import SAMPLES
from tests.support.results import (
    assert_as_before,
    awkward,
    describe_figure,
    make_feature,
    make_large_selection,
    make_ranking,
    make_selection,
)

NAMES = [f"measurement_{number}" for number in range(600)]
Result = probfs.Ranking | probfs.Selection


@pytest.fixture(autouse=True)
def _no_window() -> Any:
    pyplot.switch_backend("Agg")
    yield
    pyplot.close("all")


def names_on(axes: Any) -> list[str]:
    return [label.get_text() for label in axes.get_yticklabels()]


def bars_of(axes: Axes) -> list[Rectangle]:
    return [patch for container in axes.containers for patch in container if isinstance(patch, Rectangle)]


# Texts


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


def overlaps(ones: Floats, others: Floats) -> list[tuple[int, int]]:
    """Pairs of boxes (left, bottom, right, top) that have more than half a pixel in common."""
    one, other = ones[:, None], others[None]
    shared = np.minimum(one[..., 2:], other[..., 2:]) - np.maximum(one[..., :2], other[..., :2])
    return [(int(row), int(column)) for row, column in np.argwhere(shared.min(axis=-1) > 0.5)]


@pytest.mark.parametrize(("kind", "number"), [("ranking", 1), ("ranking", 51), ("uncertain", 50), ("selection", 5)])
def test_texts_are_within_the_figure_and_apart_and_none_lies_on_a_bar(kind: str, number: int) -> None:
    make = make_large_selection if kind == "selection" else make_ranking
    options = {"uncertainty": True} if kind == "uncertain" else {}
    axes = make(NAMES[:number], **options).plot()[0]
    assert names_on(axes) == NAMES[: number if number <= 50 else 40]
    words, boxes = zip(*drawn_texts(axes.figure), strict=True)
    places, (width, height) = np.array([box.extents for box in boxes]), axes.figure.bbox.size
    outside = (places[:, :2] < 0).any(axis=1) | (places[:, 2] > width) | (places[:, 3] > height)
    assert not [words[place] for place in np.flatnonzero(outside)]
    assert not [(words[one], words[other]) for one, other in overlaps(places, places) if one < other]
    bars = np.array([bar.get_window_extent().extents for bar in bars_of(axes)]).reshape(-1, 4)
    assert not [words[text] for _, text in overlaps(bars, places)]


@pytest.mark.filterwarnings("ignore:Glyph")
@pytest.mark.parametrize("make", [make_ranking, make_large_selection])
def test_hostile_names_are_drawn_as_text_and_told_apart(make: Callable[[list[str]], Result]) -> None:
    bars = make(awkward(25)).plot()[0]
    shown = names_on(bars)
    assert {"$\\undefined$", "<b>bold</b>", "a\\x1b[31mred", "\\u202eright"} < set(shown)
    assert len(set(shown)) == len(shown)
    assert max(map(len, shown)) < 36
    assert {text for text in shown if text.strip()} <= {text for text, _ in drawn_texts(bars.figure)}
    assert b"<script" not in figure_file(make(["<script>alert(1)</script>", "b"]).drawing(), "svg")


# Bars and curves


def without_scores() -> probfs.Ranking:
    ranking = make_ranking(NAMES[:3], eliminate=False)
    return replace(ranking, features=tuple(replace(each, s_s=0.0) for each in ranking.features))


KINDS: dict[str, Callable[[], Result]] = {
    "ranking": lambda: make_ranking(NAMES[:6], uncertainty=True),
    "uncertain": lambda: make_ranking(NAMES[:70], eliminate=False, uncertainty=True, negative=True),
    "zero": without_scores,
    "selection": lambda: make_large_selection(NAMES[:10]),
    "long": lambda: make_selection(
        make_feature(1, "n" * 40, "keep"), make_feature(2, "b", "redundant", instead="n" * 40, explained=0.999)
    ),
    "many": lambda: make_large_selection(NAMES[:200]),
}


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_drawn_and_how_it_looks_is_as_before(kind: str) -> None:
    with file_style():
        assert_as_before(describe_figure(KINDS[kind]().plot()[0].figure), f"{kind}.figure.txt")


def test_wrong_rows_are_shares_of_the_rows_that_are_judged() -> None:
    cells = np.random.default_rng(0).normal(size=(200, 3))
    frame = pd.DataFrame(cells, columns=list("abc")).assign(when=range(200), y=cells[:, 0] + cells[:, 1] > 0)
    in_time = probfs.select(frame, target="y", time="when", folds=4)
    at_once = probfs.select(frame.drop(columns="when"), target="y", folds=0)
    assert in_time.ranking is not None
    judged = in_time.ranking.rounds[0].rows
    assert judged < 200
    for selection, rows, without in (
        (in_time, judged, in_time.sizes[0].errors),
        (at_once, 200, 200 - max(at_once.input.classes.values())),
    ):
        _, wrong = selection.drawing().panels
        expected = {size.features: size.errors / rows for size in selection.sizes} | {0: without / rows}
        drawn = dict(wrong.curves[0].points)
        assert drawn == pytest.approx({size: expected[size] for size in drawn})
    # A document does not say how many rows were judged.
    assert probfs.Selection.from_json(in_time.to_json()).drawing().panels == ()
    assert probfs.Selection.from_json(at_once.to_json()).drawing().panels == at_once.drawing().panels


@pytest.mark.parametrize(
    ("most", "ticks"),
    [
        (6, [*range(7)]),
        (7, [0, 2, 4, 6]),
        (12, [*range(0, 13, 2)]),
        (13, [0, 5, 10]),
        (60, [*range(0, 61, 10)]),
        (61, [0, 1, 10, 61]),
    ],
)
def test_few_numbers_of_columns_are_named(most: int, ticks: list[int]) -> None:
    panel = Panel("", (Curve("", ((0, 0.5), (most, 0.25))),))
    assert (panel.size_ticks, panel.is_logarithmic) == (ticks, most > 60)


def test_top_decides_how_many_bars_there_are_and_the_rest_is_summed_up() -> None:
    ranking = make_ranking(NAMES[:100])
    assert [len(names_on(ranking.plot(top=top)[0])) for top in (1, 60)] == [1, 60]
    assert len(names_on(ranking.top(7).plot()[0])) == 7
    assert ranking.plot(top=3)[0].get_xlabel().endswith("\n… and 97 more, none above 0.1000")
    for wrong in (0, 501, "a", 2.5):
        with pytest.raises(UsageError, match=r"^top=: "):
            ranking.plot(top=wrong)  # type: ignore[arg-type]
    assert pyplot.get_fignums() == [1, 2, 3, 4]


def test_the_caller_s_axes_are_drawn_on() -> None:
    ranking = make_ranking(NAMES[:30])
    (bars,) = ranking.plot(Figure(figsize=(12, 4)).add_subplot(1, 2, 1))
    assert 1 < len(names_on(bars)) < 30
    (low,) = ranking.plot(Figure(figsize=(4, 0.3)).add_subplot())
    assert names_on(low) == NAMES[:1]
    three = Figure(figsize=(9, 9)).subplots(3)
    assert ranking.plot(three).tolist() == three.tolist()
    assert [axes.get_legend() is not None for axes in three] == [False, False, True]
    one_round = make_ranking(NAMES[:3], eliminate=False).plot(Figure().subplots(3))
    assert [axes.axison for axes in one_round] == [True, False, False]
    for wrong in (3, [three[0], three[1]], "axes"):
        with pytest.raises(UsageError, match=r"^axes=: one of matplotlib's Axes"):
            ranking.plot(wrong)  # type: ignore[arg-type]


# Files


def test_a_file_is_the_same_whatever_the_settings_are_and_a_dark_style_has_light_ink() -> None:
    drawing = make_large_selection(awkward(20)).drawing()
    first = figure_file(drawing, "svg")
    with mpl.style.context("dark_background"):
        assert figure_file(drawing, "svg") == first
        bars = make_ranking(["a", "b"]).plot()[0]
    assert bars.get_yticklabels()[0].get_color() == "#f0f0f0"


def test_matplotlib_has_nothing_to_say_while_a_file_is_written(tmp_path: Path) -> None:
    # It would warn of a folder that is none.
    (tmp_path / "file").touch()
    command = [sys.executable, "-m", "probfs", "rank", str(SAMPLES / "kiln.csv"), "-qqo", str(tmp_path / "r.svg")]
    environment = {**os.environ, "MPLCONFIGDIR": str(tmp_path / "file")}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert (done.returncode, done.stderr) == (0, "")
