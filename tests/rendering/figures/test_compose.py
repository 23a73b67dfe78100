"""Whole figures: everything drawn can be read, for few and many features, for plain and awkward names."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import pytest
from matplotlib.figure import Figure

from probfs.rendering.figures.compose import Drawing, draw_figure, draw_on_axes
from probfs.rendering.figures.files import file_style
from probfs.rendering.figures.ranking_figure import ranking_drawing
from probfs.rendering.figures.selection_figure import selection_drawing
from tests.support.drawn import assert_readable, bars_of, drawn_texts
from tests.support.results import awkward, make_large_selection, make_ranking


def plain(number: int) -> list[str]:
    return [f"feature_{place}" for place in range(number)]


TABLES = [(1, plain), (5, awkward), (50, awkward), (500, plain)]


def drawn(drawing: Drawing, top: int | None = None) -> Figure:
    with file_style():
        axes = draw_figure(drawing, lambda size: Figure(figsize=size), top)
    figure = axes[0].figure
    assert isinstance(figure, Figure)
    return figure


@pytest.mark.parametrize(("number", "names"), TABLES)
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"uncertainty": True},
        {"uncertainty": True, "eliminate": False},
        {"negative": True, "score": "signed", "uncertainty": True},
    ],
    ids=["plain", "uncertainty", "one round", "negative"],
)
def test_a_ranking_can_be_read(number: int, names: Callable[[int], list[str]], options: dict[str, object]) -> None:
    assert_readable(drawn(ranking_drawing(make_ranking(names(number), **options))))  # type: ignore[arg-type]  # of many types


@pytest.mark.parametrize(("number", "names"), TABLES)
@pytest.mark.parametrize("keep", ["fewest", 1])
def test_a_selection_can_be_read(number: int, names: Callable[[int], list[str]], keep: str | int) -> None:
    assert_readable(drawn(selection_drawing(make_large_selection(names(number), keep=keep))))


def test_a_long_title_is_shortened_and_shows_what_it_holds() -> None:
    drawing = ranking_drawing(make_ranking(plain(3)))
    figure = drawn(Drawing(("$a$\n" + 300 * "file_", "Naive Bayes, leave-one-out"), drawing.bars, drawing.curves))
    assert_readable(figure)
    texts = [text for text, _ in drawn_texts(figure)]
    (title,) = (text for text in texts if text.startswith("$a$\\n"))
    assert "…" in title
    assert "Naive Bayes, leave-one-out" in texts, "a line of its own"


def test_a_title_that_fits_is_one_line() -> None:
    drawing = ranking_drawing(make_ranking(plain(3)))
    short = drawn(Drawing(("a.csv", "Naive Bayes"), drawing.bars, drawing.curves))
    assert "a.csv: Naive Bayes" in [text for text, _ in drawn_texts(short)]
    long = drawn(Drawing(("a" * 120, "Naive Bayes"), drawing.bars, drawing.curves))
    assert long.get_figheight() == pytest.approx(short.get_figheight() + 11 / 72)


@pytest.mark.parametrize(("features", "listed", "bars"), [(60, 51, 51), (60, 60, 60), (60, 90, 60), (700, 600, 500)])
def test_a_result_that_lists_so_many_features_has_so_many_bars(features: int, listed: int, bars: int) -> None:
    figure = drawn(ranking_drawing(make_ranking(plain(features)).top(listed)))
    assert len(bars_of(figure.axes[0])) == bars
    more = [text for text, _ in drawn_texts(figure) if text.startswith("… ")]
    assert [text.split(" more")[0] for text in more] == ([f"… {features - bars:,}"] if features > bars else [])


@pytest.mark.parametrize("most", [61, 99, 300, 500, 999, 2_000])
def test_labels_of_many_numbers_of_features_are_apart(most: int) -> None:
    figure = drawn(ranking_drawing(make_ranking(plain(most))))
    axes = figure.axes[-1]
    labels = [label.get_text() for label in axes.get_xticklabels()]
    assert {"1", "10"} <= set(labels)
    boxes = [label.get_window_extent() for label in axes.get_xticklabels()]
    gaps = [(two.x0 - one.x1) * 72 / figure.dpi for one, two in itertools.pairwise(boxes)]
    assert min(gaps) >= 2.5


@pytest.mark.parametrize("top", [1, 60])
def test_as_many_bars_as_were_asked_for(top: int) -> None:
    figure = drawn(ranking_drawing(make_ranking(plain(70))), top)
    assert len(bars_of(figure.axes[0])) == top
    assert_readable(figure)


@pytest.mark.parametrize("layout", ["none", "constrained"])
@pytest.mark.parametrize(("width", "height"), [(6.4, 4.8), (4.0, 2.0)])
def test_given_axes_show_as_many_bars_as_they_have_room_for(layout: str, width: float, height: float) -> None:
    figure = Figure((width, height), layout=layout)  # type: ignore[arg-type]  # a literal
    axes = figure.add_subplot()
    axes.set_title("mine")
    if layout == "none":
        figure.subplots_adjust(left=0.55, bottom=0.3, top=0.85)
    draw_on_axes(selection_drawing(make_large_selection(awkward(300))), [axes])
    texts = drawn_texts(figure)
    names = [text for text in axes.get_yticklabels() if text.get_text()]
    assert 1 <= len(names) <= 40
    inches = axes.get_window_extent().height / figure.dpi
    assert len(names) + 1 <= max(inches * 6, 2)
    assert any(text.startswith("…") and "more (" in text for text, _ in texts)
    assert "mine" in [text for text, _ in texts], "the caller's title stays"
    assert_readable(figure)


def test_three_given_axes_show_bars_and_curves_with_a_legend() -> None:
    figure = Figure((12, 4), layout="constrained")
    axes = list(figure.subplots(1, 3))
    draw_on_axes(selection_drawing(make_large_selection(plain(20), keep="fewest")), axes)
    texts = [text for text, _ in drawn_texts(figure)]
    assert "log-loss" in texts
    assert "rows wrong" in texts
    assert texts.count("features in the model") == 2
    legend = axes[2].get_legend()
    assert legend is not None
    assert "keep 4 (the fewest within a standard error)" in [text.get_text() for text in legend.get_texts()]


def test_curves_that_there_are_not_leave_their_axes_empty() -> None:
    axes = list(Figure((12, 4)).subplots(1, 3))
    draw_on_axes(ranking_drawing(make_ranking(plain(4), eliminate=False)), axes)
    assert [own.axison for own in axes] == [True, False, False]
