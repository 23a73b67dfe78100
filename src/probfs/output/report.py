"""Results as pages: one HTML file that needs no other and asks nothing of any network.

Every text goes through the template's escaping, and the page forbids whatever it does not bring itself: a name that
looks like a script would not run even if it were one.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import math
import re
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from probfs.classifiers.scores import SCORES
from probfs.notes import texts_by_severity
from probfs.output.documents import (
    Table,
    TableColumn,
    bar_lengths,
    inspection_table,
    pairs_table,
    ranking_table,
    selection_table,
)
from probfs.output.drawings import Curve, CurveStyle, Drawing, Panel, round_values, rows_judged
from probfs.output.notebook import load_template
from probfs.output.sentences import describe_rest, errors_of, inspection_sentences, shown_number, shown_scores
from probfs.text import counted, listed, printable, shorten_middle

if TYPE_CHECKING:
    from markupsafe import Markup

    from probfs.interaction.pairs import Pairs
    from probfs.ranking.result import Ranking
    from probfs.ranking.story import Background
    from probfs.selection.result import Selection

_MOST_BARS = 12
_MOST_POINTS = 300
_MOST_PAIRS = 500
_MOST_ON_MAP = 20
"""Columns of a heat map: those of the best pairs."""
_LONGEST = {"name": 200, "text": 300, "value": 60}
"""Characters of a cell; the middle of a longer one is left out. The other formats have it in full."""
_LONGEST_ON_MAP = 28
_MARKS = {"least": 6, "estimate": 4}
"""What a chart has that is no line: the radius of its circle."""
_LINES: tuple[CurveStyle, ...] = ("solid", "dashed", "dotted", "dashdot")
_QUOTED = re.compile("&#39;(.+?)&#39;")
_INTERVAL = re.compile(r"\(.*?,(?P<end>.*)\]")


def ranking_report(ranking: Ranking) -> str:
    """The page, as text."""
    data, rounds = ranking.input, ranking.rounds
    rows = "rows"
    if ranking.settings.estimate == "resubstitution":
        rows = "training rows" if rounds[0].held_out_errors("resubstitution") is None else "held-out rows"
    ranked = [name for summary in reversed(rounds) for name in reversed(summary.removed)]
    told = {each.features: (errors_of(each, ranking), each.log_loss) for each in rounds}
    return _render(
        ranking,
        title=f"Ranking of {data.source}",
        subtitle=f"Which columns predict {_shorten(data.target)}, most important first",
        facts=[(f"{errors_of(rounds[0], ranking) / rounds[0].rows:.1%}", f"of {rows} wrong with all columns")],
        scores=shown_scores(ranking),
        table=ranking_table(ranking, on_page=True),
        story=_tell_story(ranking, told, ranked, rounds[0].rows, rows),
    )


def selection_report(selection: Selection) -> str:
    """The page, as text."""
    data, honest = selection.input, selection.honest
    facts = [(f"{len(selection.kept):,}", "columns to keep")]
    if honest is not None:
        chosen = "of unseen rows wrong when columns are chosen this way"
        judged = ((honest.kept, chosen), (honest.all, "with all columns"), (honest.none, "with none"))
        facts += [(f"{estimate.errors / estimate.rows:.1%}", what) for estimate, what in judged]
    # Those that were eliminated one by one come first of all.
    ranked = [feature.feature for feature in (*selection.features, *selection.unlisted)]
    told = {size.features: (size.errors, size.log_loss) for size in selection.sizes}
    return _render(
        selection,
        title=f"Which columns of {data.source} to keep",
        subtitle=f"To predict {_shorten(data.target)} by {selection.settings.model.summary}",
        facts=facts,
        scores=[SCORES[selection.settings.score]],
        table=selection_table(selection, on_page=True),
        story=_tell_story(selection, told, ranked, rows_judged(selection), "rows"),
    )


def pairs_report(pairs: Pairs) -> str:
    """The page, as text."""
    data = pairs.input
    return _render(
        pairs,
        title=f"Pairs of columns of {data.source}",
        subtitle=f"Which of them tell {_shorten(data.target)} together",
        facts=[(f"{len(pairs.found):,} of {pairs.tested:,}", "pairs found")],
        table=pairs_table(pairs, _MOST_PAIRS),
        heat_map=_heat_map(pairs),
    )


def _render(
    result: Ranking | Selection | Pairs,
    *,
    table: Table,
    story: Mapping[str, Any] | None = None,
    heat_map: Mapping[str, Any] | None = None,
    **parts: Any,
) -> str:
    settings = result.settings if isinstance(result.settings, dict) else result.settings.to_dict()
    drawing: Drawing | None = result.drawing() if hasattr(result, "drawing") else None
    background: Background | None = getattr(result, "background", None)
    data = None if background is None else _describe_data(background)
    tables = {"features": table}
    tables |= {"rounds": story["table"]} if story else {}
    tables |= {"classes": data["classes"], "columns": data["columns"]} if data else {}
    style, script = _read_asset("report.css") + _table_rules(tables), _read_asset("report.js")
    warnings, notes = texts_by_severity(result.warnings)
    bars = () if drawing is None else drawing.bars[:_MOST_BARS]
    return load_template(
        "report.html.jinja", sentence=_sentence, cell=_shorten, score=shown_number, names=listed
    ).render(
        {"scores": ()} | parts,
        style=style,
        script=script,
        policy=f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; base-uri 'none'; "
        "form-action 'none'",
        sentences=result.document().sentences,
        notices=[("Warnings", warnings), ("Notes", notes)],
        drawing=drawing,
        bars=list(zip(bars, bar_lengths([bar.value for bar in bars]), strict=True)),
        rest=describe_rest(drawing.result, len(bars)) if drawing else "",
        charts=[_chart(panel) for panel in drawing.panels] if drawing else [],
        marks=_MARKS,
        features=table,
        story=story,
        heat_map=heat_map,
        input=result.input,
        data=data,
        settings={
            name: ("yes" if value else "no") if isinstance(value, bool) else value
            for name, value in settings.items()
            if value not in (None, (), [], {})
        },
        command=None if background is None else background.command,
        version=result.version,
    )


def _shorten(text: str, kind: str = "name") -> str:
    """A text as the page has it: nothing in it acts on its neighbours, and it is not longer than a few lines."""
    return shorten_middle(printable(text), _LONGEST.get(kind, 10_000))


def _read_asset(name: str) -> Markup:
    """A file of this package, which no name or value has a part in."""
    from markupsafe import Markup

    return Markup((files(__package__) / "assets" / name).read_text("utf-8"))  # noqa: S704  # it is ours


def _table_rules(tables: Mapping[str, Table]) -> Markup:
    """Rules of style for the columns of tables; the headings that narrow windows show beside cells are ours."""
    from markupsafe import Markup

    rules = []
    for name, table in tables.items():
        for number, column in enumerate(table.columns, 1):
            cell = f"#{name} tbody tr > :nth-child({number})"
            if column.kind != "number":
                rules.append(f"{cell} {{ text-align: left; }}")
            if column.kind in ("text", "value"):
                rules.append(f"{cell} {{ white-space: normal; min-width: 8rem; max-width: 30rem; }}")
            if column.kind != "name":
                label = f'{cell}::before {{ content: "{column.heading}"; }}'
                rules.append(f"@media screen and (max-width: 44rem) {{ {label} }}")
    return Markup("\n".join(rules) + "\n")  # noqa: S704  # no name or value has a part in it


def _sentence(text: str) -> Markup:
    """A text that ends as sentences do, in which names that are written from right to left do not turn others."""
    from markupsafe import Markup, escape

    ended = text if text.endswith((".", "!", "?", "…")) else f"{text}."
    escaped = str(escape(printable(ended)))
    return Markup(_QUOTED.sub(r"&#39;<bdi>\1</bdi>&#39;", escaped))  # noqa: S704  # escaped just now


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


# The parts of a page.


def _chart(panel: Panel) -> Mapping[str, Any]:
    """A panel as SVG that is as wide as the window: in per cent of its width, from the left, and of its height, from
    the top.
    """
    (fewest, most), (low, high) = panel.sizes, panel.value_range
    scale = math.log1p if panel.is_logarithmic else float

    def x(size: int) -> float:
        return round(100 * (scale(size) - scale(fewest)) / (scale(most) - scale(fewest)), 2)

    def y(value: float) -> float:
        return round(100 * (1 - (value - low) / (high - low)), 2)

    lines: list[tuple[str, str]] = []
    marks: list[tuple[str | float, ...]] = []
    for curve in panel.curves:
        points = [(size, value) for size, value in curve.points if math.isfinite(value)]
        if curve.style == "cut":
            at = x(curve.points[0][0])
            lines.append((curve.style, f"{at},0 {at},100"))
        elif curve.style in _MARKS:
            marks += [(curve.style, x(size), *map(y, (at, at - curve.error, at + curve.error))) for size, at in points]
        else:
            some = points[:: 1 + len(points) // _MOST_POINTS]
            lines.append((curve.style, " ".join(f"{x(size)},{y(value)}" for size, value in some)))
    values = dict(panel.curves[0].points)
    ends = [f"{panel.show(values[size])} with {counted(size, 'column')}" for size in (most, fewest)]
    return {
        "title": panel.title,
        "description": f"{panel.title} by the number of columns in the model: {', '.join(ends)}",
        "lines": lines,
        "marks": marks,
        "values": [(y(value), panel.show(value)) for value in round_values(low, high)],
        "sizes": [(x(size), f"{size:,}") for size in panel.size_ticks],
    }


def _heat_map(pairs: Pairs) -> Mapping[str, Any] | None:
    """The columns of the best pairs, and how dark the cell of each two of them is; None where it is not listed."""
    names: dict[str, None] = {}
    for pair in pairs.pairs:
        if len(names.keys() | {pair.a, pair.b}) <= _MOST_ON_MAP:
            names |= dict.fromkeys((pair.a, pair.b))
    gains = {frozenset((pair.a, pair.b)): max(pair.gain, 0.0) for pair in pairs.pairs}
    largest = max(gains.values(), default=0.0) or 1.0
    shown = [shorten_middle(printable(name), _LONGEST_ON_MAP) for name in names]
    cells = [[gains.get(frozenset((a, b))) if a != b else None for b in names] for a in names]
    return {
        "names": shown,
        "margin": 16 + 8 * max(map(len, shown), default=0),
        "cells": [[None if gain is None else gain / largest for gain in row] for row in cells],
    }


def _tell_story(
    result: Ranking | Selection,
    models: Mapping[int, tuple[int, float]],
    ranked: Sequence[str],
    judged: int | None,
    rows: str,
) -> Mapping[str, Any] | None:
    """Some rounds as a table, and the scores of the best columns in them; a single round has no story.

    ``models`` has the errors and the log-loss of the model of each number of columns, ``ranked`` all columns, best
    first, ``judged`` how many rows errors were counted on, and ``rows`` what these rows are called.
    """
    story = () if result.background is None else result.background.story
    if not story or story[-1].round < 2 or judged is None:
        return None
    cells = []
    for shown, after in zip(story, [*(len(later.scores) for later in story[1:]), 0], strict=True):
        columns = len(shown.scores)
        errors, log_loss = models[columns]
        leaving = ranked[after:columns][::-1]
        names = ", ".join(_shorten(name, "value") for name in leaving[:3])
        names += f" and {counted(len(leaving) - 3, 'other')}" if len(leaving) > 3 else ""
        numbers = (f"{shown.round:,}", f"{columns:,}", f"{errors:,}", f"{errors / judged:.1%}")
        cells.append((*numbers, shown_number(log_loss, 3), names))
    trained = "" if rows == "rows" else " on training rows"
    headings = ("round", "columns", f"{rows} wrong", "share wrong", f"log-loss{trained}", "then left")
    some = f"{len(story)} of the {story[-1].round:,} rounds" if len(story) < story[-1].round else "All rounds"
    curves = []
    for place, (name, look) in enumerate(zip(ranked, _LINES, strict=False)):
        points = []
        for scores in (shown.scores for shown in story if place < len(shown.scores)):
            # Scores grow as columns leave, so only their proportions within a round can be compared.
            highest = max(scores)
            points.append((len(scores), max(scores[place], 0.0) / highest if highest > 0 else math.nan))
        # A single point is no line.
        if len(points) > 1:
            curves.append(Curve(_shorten(name, "value"), tuple(points), look))
    heading = SCORES[result.settings.score].heading
    panel = Panel(f"{heading} of the best columns, relative to the highest in each round", tuple(curves), is_share=True)
    return {
        "caption": f"{some}, and how well the model of the columns that are left does",
        "table": Table(
            [
                TableColumn(heading, column, "text" if heading == "then left" else "number")
                for heading, column in zip(headings, zip(*cells, strict=True), strict=True)
            ]
        ),
        "chart": _chart(panel),
        "legend": {curve.label: curve.style for curve in panel.curves},
    }


def _describe_data(background: Background) -> Mapping[str, Any]:
    """What the table held."""
    inspection = background.inspection
    table, _ = inspection_sentences(inspection)
    sentences = [table, f"The target is {_shorten(inspection.target)} ({inspection.target_reason})"]
    ordered = sorted(inspection.classes.items(), key=lambda item: -item[1])
    numbers = [number for _, number in ordered]
    classes = [
        TableColumn("class", [name for name, _ in ordered], "name"),
        TableColumn("rows", [f"{number:,}" for number in numbers], values=numbers),
        TableColumn("share", [f"{number / max(sum(numbers), 1):.1%}" for number in numbers]),
    ]
    cuts = {name: cut_points(intervals) for name, intervals in background.intervals.items()}
    return {"sentences": sentences, "classes": Table(classes), "columns": inspection_table(inspection, cuts)}


def cut_points(intervals: Sequence[str]) -> str:
    """Where a column was cut, numbers in at most six digits.

    >>> cut_points(["(-inf,18]", "(18,30.123456789]", "(30.123456789,inf)"]), cut_points(["(-inf,inf)"])
    ('at 18, 30.1235', '')
    """
    ends = [found["end"] for interval in intervals if (found := _INTERVAL.fullmatch(interval))]
    for place, end in enumerate(ends):
        # Else it is a date.
        with contextlib.suppress(ValueError):
            ends[place] = f"{float(end):.6g}"
    return f"at {', '.join(ends)}" if ends else ""
