"""Tables for notebooks: texts stay texts."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from probfs.notes import NoteKind
from probfs.rendering.html_elements import result_html
from probfs.text import is_unseen, printable

ALLOWED = {"div", "table", "caption", "thead", "tbody", "tr", "th", "td", "bdi", "span"}


class Reader(HTMLParser):
    """What a browser would see: tags, attributes and texts."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.opened: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.texts: list[str] = []
        self._open: list[str] = []
        self.feed(html)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.opened.append(tag)
        self.attributes += attrs
        self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def make_html(name: str, **changes: Any) -> str:
    content: dict[str, Any] = {
        "sentences": [f"about {name}"],
        "columns": {"feature": [printable(name), "b"], "Ŝ_S": ["0.5000", "-0.1000"]},
        "texts": ("feature",),
        "bars": ("Ŝ_S", [0.5, -0.1]),
        "dim": [False, True],
        "rest": "… 3 more",
        "meanings": ["a meaning"],
        "warnings": [NoteKind.CUT.note(name), NoteKind.LEAKAGE.note(name)],
    }
    return result_html(**{**content, **changes})


@settings(max_examples=40)
@given(st.text(min_size=1, max_size=20).filter(lambda name: len(printable(name)) <= 40))
def test_no_text_becomes_markup(name: str) -> None:
    read = Reader(make_html(name))
    assert set(read.opened) <= ALLOWED
    assert {key for key, _ in read.attributes} <= {"class", "style", "dir", "scope", "colspan", "title", "aria-hidden"}
    assert printable(name) in read.texts
    assert f"about {printable(name)}" in read.texts
    assert read.texts[-2:] == [f"Warning: {printable(name)}", f"Note: {printable(name)}"]
    assert not any(map(is_unseen, "".join(read.texts)))


def test_long_texts_are_shortened_and_shown_on_hovering() -> None:
    name = "<i>" + "x" * 500 + '"quoted"'
    read = Reader(make_html(name))
    assert name not in read.texts[1:3]
    assert ("title", name) in read.attributes
    hovered = [value for key, value in Reader(make_html("x" * 10**5)).attributes if key == "title"]
    assert [len(value or "") for value in hovered] == [1_000]


def test_bars_are_as_long_as_values_and_none_is_below_zero() -> None:
    columns = {"feature": list("abcd"), "Ŝ_S": ["0.5", "0.25", "-0.1", ""]}
    html = make_html("a", columns=columns, bars=("Ŝ_S", [0.5, 0.25, -0.1, None]), dim=[False] * 4)
    assert re.findall(r"width: ([\d.]+)em; background: currentColor", html) == ["6.00", "3.00"]
    assert html.count("<tr") == 5
    assert html.count("<td") == 4 * 2


def test_scores_that_are_not_finite_get_no_bar() -> None:
    html = make_html("a", bars=("Ŝ_S", [float("nan"), float("inf")]))
    assert "currentColor; opacity" not in html


def test_dollars_are_no_formulas() -> None:
    html = make_html("$x^2$")
    assert "$x^2$" in Reader(html).texts
    assert 'class="tex2jax_ignore mathjax_ignore"' in html.split(">")[0]


def test_colours_are_the_notebooks_own() -> None:
    html = make_html("a")
    assert set(re.findall(r"(?:color|background): ([\w#]+)", html)) == {"inherit", "transparent", "currentColor"}
    assert not re.search(r"<style|<link|https?:", html)
    assert html.count("opacity: 0.6") == 3, "the row that is dim, the meaning and the note"
