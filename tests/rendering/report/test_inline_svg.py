"""Figures within a page: no style, no reference to anything outside, and the page's colours."""

from __future__ import annotations

import re
from collections import Counter
from xml.etree import ElementTree

import pytest

from probfs.rendering.figures.ranking_figure import ranking_drawing
from probfs.rendering.figures.selection_figure import selection_drawing
from probfs.rendering.report.inline_svg import inline_figure, inline_svg
from tests.support.paths import ROOT
from tests.support.results import awkward, make_large_selection, make_ranking

CSS = (ROOT / "src/probfs/rendering/report/assets/report.css").read_text()
FIGURES = {
    "ranking": inline_figure(ranking_drawing(make_ranking(awkward(30), uncertainty=True)), "a title", "a text"),
    "selection": inline_figure(selection_drawing(make_large_selection(awkward(40))), "a title", "a text"),
}

FILE = b"""<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"
 width="9pt" viewBox="0 0 9 9"><metadata>x</metadata><defs><style>*{}</style><clipPath id="p1"><rect/></clipPath></defs>
 <g id="axes_1"><path id="m" d="M 0.123456 1
 L 2.0 3" style="fill: #1a1a1a; stroke: #ff0000; stroke-width: 0.8" clip-path="url(#p1)"/>
 <use xlink:href="#m" x="104.496900"/></g></svg>"""


def test_styles_become_attributes_and_known_colours_classes() -> None:
    root = ElementTree.fromstring(inline_svg(FILE, "<i>", "a & b", {"#1a1a1a": "ink"}))
    path = next(root.iter("path"))
    assert path.attrib == {
        "id": "f1",
        "class": "fill-ink",
        "d": "M 0.12 1 L 2 3",
        "stroke": "#ff0000",
        "stroke-width": "0.8",
        "clip-path": "url(#f0)",
    }
    assert next(root.iter("clipPath")).attrib == {"id": "f0"}
    assert next(root.iter("use")).attrib == {"href": "#f1", "x": "104.5"}
    assert [element.text for element in root[:2]] == ["<i>", "a & b"]
    assert root.attrib["aria-labelledby"] == " ".join(element.attrib["id"] for element in root[:2])


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_has_no_styles_and_refers_only_to_itself(name: str) -> None:
    root = ElementTree.fromstring(FIGURES[name])
    names = Counter(element.attrib["id"] for element in root.iter() if "id" in element.attrib)
    assert set(names.values()) == {1}
    for element in root.iter():
        assert element.tag not in ("style", "script", "metadata", "image", "foreignObject", "a")
        assert not [name for name in element.attrib if name == "style" or name.startswith("on") or ":" in name]
        for reference in re.findall(
            r"(?:^|url\()#([\w-]+)", element.attrib.get("href", "") + element.attrib.get("fill", "")
        ):
            assert reference in names or re.fullmatch("[0-9a-f]{6}", reference)


@pytest.mark.parametrize("name", FIGURES)
def test_every_colour_of_a_figure_is_one_that_the_page_changes_with_the_scheme(name: str) -> None:
    root = ElementTree.fromstring(FIGURES[name])
    classes = {own for element in root.iter() for own in element.attrib.get("class", "").split()} - {"drawing"}
    assert {"fill-ink", "fill-strong", "stroke-grid"} <= classes
    for own in classes:
        assert re.search(rf"^\.{own} {{ (fill|stroke): var\(", CSS, re.MULTILINE), own
    paints = [element.attrib.get(paint, "none") for element in root.iter() for paint in ("fill", "stroke")]
    assert not [paint for paint in paints if paint != "none" and not paint.startswith("url(#f")]


def test_the_text_for_those_who_do_not_see_it_is_escaped() -> None:
    figure = inline_figure(ranking_drawing(make_ranking(["a", "b"])), "</title><script>", "x\u202e\x1b")
    assert "<script>" not in figure
    assert "\\u202e\\x1b" in figure
