"""Names on figures: readable, in the font, and no wider than there is room."""

from __future__ import annotations

import warnings

import matplotlib as mpl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text

from probfs.rendering.figures.lettering import LINE_HEIGHT, PLAIN, Lettering
from probfs.text import is_unseen
from tests.support.results import AWKWARD_NAMES


@pytest.fixture(scope="module")
def lettering() -> Lettering:
    return Lettering()


def drawn_size(text: str, lettering: Lettering, dpi: float) -> tuple[float, float]:
    """Width and height in points, as pixels have them; a glyph that is missing would be a warning, and so an error."""
    figure = Figure(dpi=dpi)
    renderer = FigureCanvasAgg(figure).get_renderer()  # type: ignore[no-untyped-call]
    shown = figure.text(0, 0, text, fontproperties=lettering.font, **PLAIN)
    box = Text.get_window_extent(shown, renderer)
    return box.width * 72 / dpi, box.height * 72 / dpi


@pytest.mark.parametrize("dpi", [72, 150])
@pytest.mark.parametrize("name", AWKWARD_NAMES, ids=ascii)
def test_awkward_names_fit_on_one_line(name: str, dpi: float, lettering: Lettering) -> None:
    fitted = lettering.fit(name, 100.0)
    width, height = drawn_size(fitted, lettering, dpi)
    assert width <= 100.0
    assert height <= 1.5 * LINE_HEIGHT
    assert "\n" not in fitted


@settings(max_examples=40)
@given(name=st.text(max_size=40), width=st.floats(20, 200))
def test_any_name_fits_and_misses_no_glyph(name: str, width: float) -> None:
    lettering = Lettering()
    fitted = lettering.fit(name, width)
    assert not any(map(is_unseen, fitted))
    assert lettering.width(fitted) <= width
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        drawn_size(fitted, lettering, 100)


def test_dollars_are_dollars(lettering: Lettering) -> None:
    assert lettering.fit("$x^2$ for $5", 200.0) == "$x^2$ for $5"
    plain, math = (Figure().text(0, 0, "$x^2$", fontproperties=lettering.font, **options) for options in (PLAIN, {}))
    assert drawn_size("$x^2$", lettering, 72)[0] == pytest.approx(plain.get_window_extent().width * 0.72, rel=0.1)
    assert plain.get_window_extent().width > 1.5 * math.get_window_extent().width


def test_what_the_font_has_not_is_written_as_escapes(lettering: Lettering) -> None:
    assert lettering.readable("Größe Ω") == "Größe Ω"
    assert lettering.readable("\U000f0000") == "\\U000f0000"
    assert lettering.readable("a\nb\u202e") == "a\\nb\\u202e"
    piled = "z" + "\u0301" * 20
    assert lettering.readable(piled).startswith("z\\u0301\\u0301")


def test_a_font_that_is_not_installed_leaves_matplotlibs_own() -> None:
    with mpl.rc_context({"font.family": ["No Such Font"]}):
        assert Lettering().readable("plain Ω") == "plain Ω"


def test_names_that_would_look_the_same_begin_with_their_ranks(lettering: Lettering) -> None:
    names = ["left" * 20 + "a" + "right" * 20, "short", "left" * 20 + "b" + "right" * 20]
    fitted = lettering.fit_names(names, [3, 4, 5], 120.0)
    assert fitted[0].startswith("3: left")
    assert fitted[1] == "short"
    assert fitted[2].startswith("5: left")
    assert max(map(lettering.width, fitted)) <= 120.0


def test_lines_are_broken_between_words(lettering: Lettering) -> None:
    text = "… 460 more (5 kept, 20 redundant, 10 weak, 425 noise), none above 0.0030"
    lines = lettering.wrap(text, 150.0)
    assert " ".join(lines) == text
    assert len(lines) > 1
    assert max(map(lettering.width, lines)) <= 150.0
    assert lettering.wrap(text, 1_000.0) == [text]
    assert lettering.wrap("", 100.0) == []
