"""Results as Python shows them: a table in a notebook, and a few lines elsewhere.

A notebook's page has no style of ours: colours are its own, more or less opaque, so that light and dark pages need no
style sheet. Texts are escaped when elements are written, so that none can be markup.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element, SubElement, tostring

from probfs.classifiers.scores import SCORES
from probfs.notes import Note, texts_by_severity
from probfs.output.documents import Table, TableColumn, ranking_table, selection_table
from probfs.output.sentences import (
    describe_choice,
    describe_estimate,
    describe_input,
    describe_method,
    ranking_sentences,
    rest_of_ranking,
    rest_of_selection,
    selection_sentences,
    shown_score,
)
from probfs.text import printable, shorten_middle

if TYPE_CHECKING:
    from probfs.ranking.result import Ranking
    from probfs.selection.result import Selection

_MOST_ROWS = 30
_LONGEST_TEXT = 40
_LONGEST_TITLE = 1_000
_DIM = "opacity: 0.6;"
_CELL = "padding: 0.15em 0.7em; background: transparent; color: inherit; border: 0; vertical-align: top;"
# Notebooks typeset what stands between dollar signs, unless an element says that it holds no formulas.
_NO_FORMULAS = "tex2jax_ignore mathjax_ignore"
_BAR_EM = 6.0
_BEST = 3
_LONGEST_LINE = 300


def ranking_html(ranking: Ranking) -> str:
    """The best columns, with bars; noise is pale."""
    listed = replace(ranking, features=ranking.features[:_MOST_ROWS])
    rest = rest_of_ranking(ranking, len(listed.features))
    return _html(ranking_sentences(ranking), ranking_table(listed), rest, ranking.warnings)


def selection_html(selection: Selection) -> str:
    """Verdicts on the best columns, with bars; noise is pale."""
    listed = replace(selection, features=selection.features[:_MOST_ROWS])
    rest = rest_of_selection(selection, len(listed.features))
    return _html(selection_sentences(selection), selection_table(listed), rest, selection.warnings)


def _html(sentences: Sequence[str], table: Table, rest: str, warnings: Sequence[Note]) -> str:
    root = Element("div", {"style": "overflow-x: auto;", "dir": "ltr", "class": _NO_FORMULAS})
    element = SubElement(root, "table", {"style": "border-collapse: collapse; margin: 0 0 0.5em 0;"})
    caption = SubElement(element, "caption", {"style": "caption-side: top; text-align: left; color: inherit;"})
    for sentence in sentences:
        _add_line(caption, sentence)
    _add_head(element, table.columns)
    body = SubElement(element, "tbody")
    for row, is_dim in enumerate(table.dim):
        if table.line is not None and row == table.line[0]:
            cells = len(table.columns) + sum(bool(column.values) for column in table.columns)
            line = SubElement(SubElement(body, "tr"), "td", {"colspan": str(cells), "style": f"{_CELL} {_DIM}"})
            line.text = f"── {table.line[1]}"
        style = f"background: transparent; {_DIM if is_dim else ''}".strip()
        cells_of_row = SubElement(body, "tr", {"style": style})
        for column in table.columns:
            _add_cell(cells_of_row, column, row)
    for text in filter(None, [rest]):
        _add_line(root, text)
    for text in table.legend:
        _add_line(root, text, _DIM)
    severe, others = texts_by_severity(warnings)
    for text in severe:
        _add_line(root, f"Warning: {text}")
    for text in others:
        _add_line(root, f"Note: {text}", _DIM)
    return tostring(root, encoding="unicode", method="html")


def _add_head(table: Element, columns: Sequence[TableColumn]) -> None:
    row = SubElement(SubElement(table, "thead"), "tr")
    for column in columns:
        align = "right" if column.kind == "number" and not column.values else "left"
        style = f"{_CELL} border-bottom: 1px solid currentColor; text-align: {align}; white-space: nowrap;"
        # A bar has no heading of its own: that of its score spans both.
        span = {"colspan": "2"} if column.values else {}
        SubElement(row, "th", {"scope": "col", "style": style, **span}).text = column.heading


def _add_cell(row: Element, column: TableColumn, number: int) -> None:
    text = printable(column.cells[number])
    layout = "text-align: right; white-space: nowrap;" if column.kind == "number" else "text-align: left;"
    attributes = {"style": f"{_CELL} {layout} font-weight: normal;"}
    shown = shorten_middle(text, _LONGEST_TEXT)
    if shown != text:
        attributes["title"] = shorten_middle(text, _LONGEST_TITLE)
    is_name = column.kind == "name"
    cell = SubElement(row, "th" if is_name else "td", attributes | ({"scope": "row"} if is_name else {}))
    # Names of scripts that are written from right to left must not turn what stands beside them.
    SubElement(cell, "bdi").text = shown
    if column.values:
        _add_bar(row, column.values[number], column.values)


def _add_bar(row: Element, value: float | None, values: Sequence[float | None]) -> None:
    cell = SubElement(row, "td", {"style": f"{_CELL} min-width: {_BAR_EM}em; text-align: left;"})
    largest = max((abs(own) for own in values if own is not None and math.isfinite(own)), default=0.0)
    if value is not None and 0 < value <= largest:
        width = max(0.1, value / largest * _BAR_EM)
        style = f"display: inline-block; height: 0.7em; width: {width:.2f}em; background: currentColor; opacity: 0.5;"
        # Not <span/>, which HTML takes for one that is never closed.
        SubElement(cell, "span", {"style": style, "aria-hidden": "true"}).text = ""


def _add_line(parent: Element, text: str, style: str = "") -> None:
    SubElement(parent, "div", {"style": f"text-align: left; {style}".strip()}).text = printable(text)


def ranking_repr(ranking: Ranking) -> str:
    """What was ranked, how, the best columns with the score that decided, and warnings."""
    score = SCORES[ranking.settings.score]
    best = [
        f"{feature.rank}. {_shorten(feature.feature)} {shown_score(getattr(feature, score.key))}"
        for feature in ranking.features[:_BEST]
    ]
    scores = f"{score.heading}: {_list(best, ranking.input.features)}"
    return _lines("Ranking", [describe_input(ranking.input), describe_method(ranking), scores], ranking.warnings)


def selection_repr(selection: Selection) -> str:
    """What was read, what to keep, how well that does, the best of the kept columns, and warnings."""
    kept = _list([_shorten(name) for name in selection.kept[:_BEST]], len(selection.kept)) or "none"
    lines = [describe_input(selection.input), describe_choice(selection), f"Kept: {kept}"]
    return _lines("Selection", [*lines, *describe_estimate(selection.honest)[:1]], selection.warnings)


def _shorten(name: str) -> str:
    return printable(shorten_middle(name, _LONGEST_TEXT))


def _list(shown: Sequence[str], total: int) -> str:
    more = total - len(shown)
    return ", ".join([*shown, f"… {more:,} more"] if more else shown)


def _lines(kind: str, lines: Sequence[str], warnings: Sequence[Note]) -> str:
    every = [*lines, *(f"Warning: {text}" for text in texts_by_severity(warnings)[0])]
    return f"<{kind} of " + "\n ".join(shorten_middle(printable(line), _LONGEST_LINE) for line in every) + ">"
