"""Tables for notebooks, as elements of HTML: texts are escaped when they are written, so that none can be markup.

Colours are those of the notebook, more or less opaque: light and dark ones need no style sheet.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from xml.etree import ElementTree

from probfs.notes import Note, texts_by_severity
from probfs.text import printable, shorten_middle

MOST_ROWS = 30
_LONGEST_TEXT = 40
_LONGEST_TITLE = 1_000
_DIM = "opacity: 0.6;"
_CELL = "padding: 0.15em 0.7em; background: transparent; color: inherit; border: 0; vertical-align: top;"
# Notebooks typeset what stands between dollar signs, unless an element says that it holds no formulas.
_NO_FORMULAS = "tex2jax_ignore mathjax_ignore"
_LINE = "border-bottom: 1px solid currentColor;"
_BAR_EM = 6.0


def result_html(
    *,
    sentences: Sequence[str],
    columns: Mapping[str, Sequence[str]],
    texts: Collection[str],
    bars: tuple[str, Sequence[float | None]],
    dim: Sequence[bool],
    rest: str,
    meanings: Sequence[str],
    warnings: Sequence[Note],
) -> str:
    """A table with sentences above, and below it what is not listed, what signs mean, warnings and notes.

    ``columns`` are printable cells by heading; those of ``texts`` are aligned left. ``bars`` is the heading beside
    which bars are drawn, and the values that they show. ``dim`` rows are paler.
    """
    root = ElementTree.Element("div", {"style": "overflow-x: auto;", "dir": "ltr", "class": _NO_FORMULAS})
    table = ElementTree.SubElement(root, "table", {"style": "border-collapse: collapse; margin: 0 0 0.5em 0;"})
    caption = ElementTree.SubElement(
        table, "caption", {"style": "caption-side: top; text-align: left; color: inherit;"}
    )
    for sentence in sentences:
        _line(caption, sentence)
    _head(table, columns, texts, bars[0])
    body = ElementTree.SubElement(table, "tbody")
    largest = max((abs(value) for value in bars[1] if value is not None and math.isfinite(value)), default=0.0)
    for number, is_dim in enumerate(dim):
        style = f"background: transparent; {_DIM}" if is_dim else "background: transparent;"
        row = ElementTree.SubElement(body, "tr", {"style": style})
        for heading, cells in columns.items():
            _cell(row, cells[number], heading in texts, is_header=heading == "feature")
            if heading == bars[0]:
                _bar(row, bars[1][number], largest)
    if rest:
        _line(root, rest)
    for meaning in meanings:
        _line(root, meaning, _DIM)
    severe, others = texts_by_severity(warnings)
    for text in severe:
        _line(root, f"Warning: {text}")
    for text in others:
        _line(root, f"Note: {text}", _DIM)
    return ElementTree.tostring(root, encoding="unicode", method="html")


def _head(table: ElementTree.Element, columns: Mapping[str, Sequence[str]], texts: Collection[str], bar: str) -> None:
    row = ElementTree.SubElement(ElementTree.SubElement(table, "thead"), "tr")
    for heading in columns:
        align = "left" if heading in texts or heading == bar else "right"
        style = f"{_CELL} {_LINE} text-align: {align}; white-space: nowrap;"
        # A bar has no heading of its own: that of its score spans both.
        span = {"colspan": "2"} if heading == bar else {}
        cell = ElementTree.SubElement(row, "th", {"scope": "col", "style": style, **span})
        cell.text = heading


def _cell(row: ElementTree.Element, text: str, is_text: bool, is_header: bool) -> None:
    layout = "text-align: left;" if is_text else "text-align: right; white-space: nowrap;"
    attributes = {"style": f"{_CELL} {layout} font-weight: normal;"}
    shown = shorten_middle(text, _LONGEST_TEXT)
    if shown != text:
        attributes["title"] = shorten_middle(text, _LONGEST_TITLE)
    if is_header:
        attributes["scope"] = "row"
    cell = ElementTree.SubElement(row, "th" if is_header else "td", attributes)
    # Names of scripts that are written from right to left must not turn what stands beside them.
    ElementTree.SubElement(cell, "bdi").text = shown


def _bar(row: ElementTree.Element, value: float | None, largest: float) -> None:
    cell = ElementTree.SubElement(row, "td", {"style": f"{_CELL} min-width: {_BAR_EM}em; text-align: left;"})
    if value is not None and 0 < value <= largest:
        width = max(0.1, value / largest * _BAR_EM)
        style = f"display: inline-block; height: 0.7em; width: {width:.2f}em; background: currentColor; opacity: 0.5;"
        # Not <span/>, which HTML takes for one that is never closed.
        ElementTree.SubElement(cell, "span", {"style": style, "aria-hidden": "true"}).text = ""


def _line(parent: ElementTree.Element, text: str, style: str = "") -> None:
    line = ElementTree.SubElement(parent, "div", {"style": f"text-align: left; {style}".strip()})
    line.text = printable(text)
