"""Figures as files: the same bytes each time, in any settings of matplotlib."""

from __future__ import annotations

import matplotlib as mpl
import pytest
from matplotlib.figure import Figure

from probfs.rendering.figures.compose import draw_figure
from probfs.rendering.figures.files import FigureFormat, figure_bytes, file_style
from probfs.rendering.figures.ranking_figure import ranking_drawing
from tests.support.results import awkward, make_ranking


def content(file_format: FigureFormat) -> bytes:
    drawing = ranking_drawing(make_ranking(awkward(12), uncertainty=True))
    with file_style():
        figure = draw_figure(drawing, lambda size: Figure(figsize=size))[0].get_figure()
        assert isinstance(figure, Figure)
        return figure_bytes(figure, file_format)


@pytest.mark.parametrize(("file_format", "start"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")])
def test_the_same_numbers_give_the_same_file(file_format: FigureFormat, start: bytes) -> None:
    first = content(file_format)
    assert first.startswith(start)
    with mpl.rc_context({"font.size": 20, "svg.hashsalt": None, "axes.facecolor": "red", "text.color": "white"}):
        assert content(file_format) == first
    for word in (mpl.__version__.encode(), b"dc:date", b"CreationDate"):
        assert word not in first, word


def test_markup_in_names_is_no_markup_of_the_file() -> None:
    text = content("svg").decode()
    assert "<b>bold</b>" not in text
    assert "<script" not in text


def test_the_users_settings_are_left_as_they_were() -> None:
    before = dict(mpl.rcParams)
    with file_style():
        assert mpl.rcParams["svg.hashsalt"] == "probfs"
    assert dict(mpl.rcParams) == before
