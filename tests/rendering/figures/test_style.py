"""How figures look: differences that survive grey print."""

from __future__ import annotations

import itertools

import matplotlib.style
import pytest
from matplotlib.colors import to_rgb

from probfs.classifiers.scores import SCORES, Score
from probfs.rendering.figures.style import Palette, choose_palette, score_label


def grey(color: str) -> float:
    red, green, blue = to_rgb(color)
    return 0.299 * red + 0.587 * green + 0.114 * blue


def palettes() -> dict[str, Palette]:
    chosen = {}
    for style in ("default", "dark_background"):
        with matplotlib.style.context(style):
            chosen[style] = choose_palette()
    return chosen


@pytest.mark.parametrize(("style", "background"), [("default", 1.0), ("dark_background", 0.0)])
def test_bars_can_be_told_apart_in_grey(style: str, background: float) -> None:
    palette = palettes()[style]
    shades = [background, grey(palette.strong), grey(palette.weak)]
    assert min(abs(one - other) for one, other in itertools.combinations(shades, 2)) > 0.2
    assert abs(grey(palette.hatched) - grey(palette.strong)) > 0.4, "hatching is seen"
    assert abs(grey(palette.ink) - background) > abs(grey(palette.pale) - background) > 0.55
    assert abs(grey(palette.dim) - background) > 0.1


def test_settings_with_light_text_have_a_palette_of_their_own() -> None:
    chosen = palettes()
    assert chosen["default"] != chosen["dark_background"]


def test_every_score_of_the_paper_has_a_label() -> None:
    labels = [score_label(score) for score in SCORES]
    assert len(set(labels)) == len(labels)
    assert all(label.startswith("$\\hat{S}") for label in labels)
    assert score_label(Score("other", "s_other", "Other", "word")) == "Other"
