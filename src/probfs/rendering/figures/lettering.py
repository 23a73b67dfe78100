"""Names from tables as text on figures: no markup, no glyph that the font has not, and no wider than there is room.

Widths are those of the glyphs' outlines, in points, and so the same for every backend and resolution.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from probfs.text import escape_character, printable, shorten_middle

if TYPE_CHECKING:
    from matplotlib.font_manager import FontProperties

FONT_SIZE = 8.0
LINE_HEIGHT = 1.3 * FONT_SIZE
"""What a line of text may take, accents and descenders included."""

PLAIN: dict[str, Any] = {"parse_math": False, "usetex": False}
"""Properties of a text that shows what is in it, such as dollar signs."""

_HINTING = 1.04
"""How much wider than its outlines text may become where it is fitted to pixels."""
_MOST_CHARACTERS = 200
"""Of a name, before anything is measured; no figure has room for more."""
# Matplotlib's own font knows European scripts, Arabic and Hebrew; for others it looks into these, where installed.
_FURTHER_FAMILIES = (
    "Noto Sans CJK JP",
    "Noto Sans CJK SC",
    "Noto Sans JP",
    "Source Han Sans",
    "WenQuanYi Micro Hei",
    "Hiragino Sans",
    "PingFang SC",
    "Microsoft YaHei",
    "Yu Gothic",
    "Malgun Gothic",
    "Noto Sans Devanagari",
    "Noto Sans Thai",
    "Arial Unicode MS",
)


class Lettering:
    """The font of a figure's labels, and what can be written in it."""

    def __init__(self) -> None:
        import matplotlib as mpl
        from matplotlib.font_manager import FontProperties, fontManager

        own = tuple(mpl.rcParams["font.family"])
        installed = set(fontManager.get_font_names())
        families = [*own, *(family for family in _FURTHER_FAMILIES if family in installed)]
        self.font: FontProperties = FontProperties(family=families, size=FONT_SIZE)
        # Where no family is installed, matplotlib takes its own.
        self._known = frozenset().union(*(_characters(family) for family in families)) or _characters("DejaVu Sans")

    def readable(self, text: str) -> str:
        """``text`` with everything that the font cannot show, or that would act on its neighbours, as an escape."""
        shown = printable(shorten_middle(text, _MOST_CHARACTERS))
        shown = "".join(own if ord(own) in self._known else escape_character(own) for own in shown)
        # Marks can be piled up until they reach other lines.
        if self._size(shown)[1] > LINE_HEIGHT:
            shown = "".join(own if own.isascii() else escape_character(own) for own in shown)
        return shown

    def width(self, text: str) -> float:
        """In points."""
        return _HINTING * self._size(text)[0] if text else 0.0

    def fit(self, text: str, width: float) -> str:
        """``text`` made readable, with an ellipsis for its middle where it would be wider than so many points."""
        whole = self.readable(text)
        if self.width(whole) <= width:
            return whole
        fits, too_long = 1, len(whole)
        while fits + 1 < too_long:
            length = (fits + too_long) // 2
            if self.width(shorten_middle(whole, length)) <= width:
                fits = length
            else:
                too_long = length
        return shorten_middle(whole, fits)

    def fit_names(self, names: Sequence[str], ranks: Sequence[int], width: float) -> list[str]:
        """Names made to fit; those that would then look the same begin with their ranks."""
        fitted = [self.fit(name, width) for name in names]
        looks = Counter(fitted)
        for number, (name, rank) in enumerate(zip(names, ranks, strict=True)):
            if looks[fitted[number]] > 1:
                start = f"{rank}: "
                fitted[number] = start + self.fit(name, width - self.width(start))
        return fitted

    def wrap(self, text: str, width: float) -> list[str]:
        """``text`` broken between words into lines of at most so many points; a longer word stays whole."""
        lines: list[str] = []
        for word in text.split():
            longer = f"{lines[-1]} {word}" if lines else word
            if lines and self.width(longer) <= width:
                lines[-1] = longer
            else:
                lines.append(word)
        return lines

    def _size(self, text: str) -> tuple[float, float]:
        """Width and height."""
        from matplotlib.textpath import TextToPath

        width, height, _ = TextToPath().get_text_width_height_descent(text or " ", self.font, ismath=False)
        return float(width), float(height)


@lru_cache(maxsize=64)
def _characters(family: str) -> frozenset[int]:
    """The code points that a font family has glyphs for; none for one that is not installed."""
    from matplotlib.font_manager import FontProperties, findfont, get_font

    try:
        # A family alone, outside of a list, would be parsed as a pattern of fontconfig.
        path = findfont(FontProperties(family=[family]), fallback_to_default=False)
    except ValueError:
        return frozenset()
    return frozenset(get_font(path).get_charmap())
