"""Results as pages: one HTML file that needs no other and asks nothing of any network.

Every text goes through the template's escaping, and the page forbids whatever it does not bring itself: a name that
looks like a script would not run even if it were one.
"""

from __future__ import annotations

import base64
import hashlib
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from probfs.classifiers.scores import SCORES
from probfs.notes import texts_by_severity
from probfs.output.documents import (
    NOISE_MARK,
    Table,
    TableColumn,
    bar_lengths,
    inspection_table,
    pairs_table,
    ranking_table,
    selection_table,
)
from probfs.output.drawings import Panel, ranking_drawing, selection_drawing
from probfs.output.notebook import load_template, read_asset
from probfs.output.sentences import (
    VERDICT_WORDS,
    errors_of,
    inspection_sentences,
    is_noise,
    pairs_sentences,
    ranking_sentences,
    selection_sentences,
    shown_number,
    shown_scores,
)
from probfs.text import counted, listed, printable, quoted, shorten_middle

if TYPE_CHECKING:
    from markupsafe import Markup

    from probfs.interaction.result import Pairs
    from probfs.ranking.result import InputSummary, Ranking
    from probfs.ranking.story import Background
    from probfs.selection.result import Selection

_BEST = 5
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
_QUOTED = re.compile("&#39;(.+?)&#39;")
_INTERVAL = re.compile(r"\(.*?,(?P<end>.*)\]")
_JUDGED = {
    "rows": "how the model does on the rows that decide which column leaves",
    "training rows": "how the model does on the rows that it was trained on",
    "held-out rows": "how many held-out rows the model gets wrong, and its log-loss on the rows it was trained on",
}


@dataclass(frozen=True)
class PageTable:
    """A table of the page."""

    name: str
    caption: str
    table: Table
    groups: Mapping[str, str] = field(default_factory=dict)
    """The groups that rows can be chosen by, and what they are called."""
    is_long: bool = True
    """Whether readers want to sort it and to look for rows."""


# Rankings.


def ranking_report(ranking: Ranking) -> str:
    """The page, as text."""
    data, first = ranking.input, ranking.rounds[0]
    listed_noise = sum(is_noise(feature, ranking) for feature in ranking.features)
    best = listed((feature.feature for feature in ranking.features[:_BEST]), _BEST)
    found = f"{'The first column is' if len(ranking.features) == 1 else 'The first columns are'} {best}."
    if listed_noise:
        found += f" These rows cannot tell {listed_noise:,} of those listed from noise."
    rows = "rows"
    if ranking.settings.estimate == "resubstitution":
        rows = "training rows" if first.held_out_errors("resubstitution") is None else "held-out rows"
    groups = {"plain": "told from noise", "noise": NOISE_MARK} if listed_noise else {}
    return _render(
        ranking,
        title=f"Ranking of {data.source}",
        subtitle=f"Which columns predict {_shown_name(data.target)}, most important first",
        facts=[
            *_data_facts(data),
            (f"{errors_of(first, ranking) / first.rows:.1%}", f"of {rows} wrong with all columns"),
        ],
        sentences=[*ranking_sentences(ranking), found],
        drawing=ranking_drawing(ranking),
        scores=shown_scores(ranking),
        table=PageTable("features", _caption(ranking), ranking_table(ranking, on_page=True), groups),
        story=_ranking_story(ranking, rows),
    )


def _data_facts(data: InputSummary) -> list[tuple[str, str]]:
    return [
        (f"{data.features:,}", "column" if data.features == 1 else "columns"),
        (f"{data.labelled_rows:,}", "labelled rows"),
        (f"{len(data.classes):,}", "classes"),
    ]


def _caption(result: Ranking | Selection) -> str:
    shown, total = len(result.features), result.input.features
    return f"The best {shown:,} of {total:,} columns" if shown < total else "All columns, best first"


def _ranking_story(ranking: Ranking, rows: str) -> Mapping[str, Any] | None:
    if ranking.background is None:
        return None
    summaries = [ranking.rounds[told.round - 1] for told in ranking.background.story]
    models = [(each.features, errors_of(each, ranking), each.log_loss) for each in summaries]
    ranked = [name for summary in reversed(ranking.rounds) for name in reversed(summary.removed)]
    return _tell_story(ranking, models, ranked, rows)


# Selections.


def selection_report(selection: Selection) -> str:
    """The page, as text."""
    data, honest = selection.input, selection.honest
    columns, *facts = _data_facts(data)
    facts = [(f"{len(selection.kept):,} of {columns[0]}", f"{columns[1]} to keep"), *facts]
    if honest is not None:
        chosen = "of unseen rows wrong when columns are chosen this way"
        judged = ((honest.kept, chosen), (honest.all, "with all columns"), (honest.none, "with none"))
        facts += [(f"{estimate.errors / estimate.rows:.1%}", what) for estimate, what in judged]
    verdicts: Counter[str] = Counter(feature.verdict for feature in selection.features)
    kept = f"Kept: {listed(selection.kept, 2 * _BEST)}." if selection.kept else "No column is kept."
    groups = {name: f"{word} ({verdicts[name]:,})" for name, word in VERDICT_WORDS.items() if verdicts[name]}
    return _render(
        selection,
        title=f"Which columns of {data.source} to keep",
        subtitle=f"To predict {_shown_name(data.target)} by {selection.settings.model.summary}",
        facts=facts,
        sentences=[*selection_sentences(selection), kept],
        drawing=selection_drawing(selection),
        scores=[SCORES[selection.settings.score]],
        table=PageTable("features", _caption(selection), selection_table(selection, on_page=True), groups),
        story=_selection_story(selection),
    )


def _selection_story(selection: Selection) -> Mapping[str, Any] | None:
    if selection.background is None:
        return None
    sizes = {size.features: size for size in selection.sizes}
    told = [sizes[len(round_.scores)] for round_ in selection.background.story]
    # Those that were eliminated one by one come first of all.
    ranked = [feature.feature for feature in (*selection.features, *selection.unlisted)[: max(sizes)]]
    return _tell_story(selection, [(size.features, size.errors, size.log_loss) for size in told], ranked, "rows")


# Pairs.


def pairs_report(pairs: Pairs) -> str:
    """The page, as text."""
    data = pairs.input
    return _render(
        pairs,
        title=f"Pairs of columns of {data.source}",
        subtitle=f"Which of them tell {_shown_name(data.target)} together",
        facts=[*_data_facts(data), (f"{len(pairs.found):,} of {pairs.tested:,}", "pairs found")],
        sentences=pairs_sentences(pairs),
        heading="Pairs",
        table=PageTable("features", "Pairs, best first", pairs_table(pairs, _MOST_PAIRS)),
        heat_map=_heat_map(pairs),
    )


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


# The page.


def _render(result: Ranking | Selection | Pairs, *, table: PageTable, **parts: Any) -> str:
    settings = result.settings if isinstance(result.settings, dict) else result.settings.to_dict()
    background: Background | None = getattr(result, "background", None)
    data = None if background is None else _describe_data(background, result.input, settings.get("count"))
    parts = {"heading": "Columns", "scores": (), "drawing": None, "story": None, "heat_map": None, **parts}
    story, drawing = parts["story"], parts["drawing"]
    tables = [table, *([story["table"]] if story else []), *([data["classes"], data["columns"]] if data else [])]
    style, script = read_asset("report.css") + _table_rules(tables), read_asset("report.js")
    warnings, notes = texts_by_severity(result.warnings)
    bars = () if drawing is None else drawing.bars[:_MOST_BARS]
    chosen = {name: value for name, value in settings.items() if value not in (None, (), [], {})}
    return load_template(
        "report.html.jinja", sentence=_sentence, cell=_shown_cell, name=_shown_name, score=shown_number
    ).render(
        **parts,
        style=style,
        script=script,
        policy=f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; base-uri 'none'; "
        "form-action 'none'",
        notices=[("Warnings", warnings), ("Notes", notes)],
        bars=list(zip(bars, bar_lengths([bar.value for bar in bars]), strict=True)),
        charts=[_chart(panel) for panel in drawing.panels] if drawing else [],
        marks=_MARKS,
        features=table,
        input=result.input,
        data=data,
        settings={name: _shown_setting(value) for name, value in chosen.items()},
        call=None if background is None else background.call,
        version=result.version,
    )


def _shown_name(name: str) -> str:
    """A name as the page has it: nothing in it acts on its neighbours, and it is not longer than a few lines."""
    return _shown_cell(name, "name")


def _shown_cell(text: str, kind: str) -> str:
    longest = _LONGEST.get(kind, 10_000)
    return shorten_middle(printable(shorten_middle(text, longest)), longest)


def _shown_setting(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return listed(map(str, value), 12) if isinstance(value, tuple | list) else _shown_name(str(value))


def _table_rules(tables: Sequence[PageTable]) -> Markup:
    """Rules of style for the columns of tables; the headings that narrow windows show beside cells are ours."""
    from markupsafe import Markup

    rules = []
    for table in tables:
        for number, column in enumerate(table.table.columns, 1):
            cell = f"#{table.name} tbody tr > :nth-child({number})"
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
        "values": [(y(value), panel.show(value)) for value in panel.value_ticks],
        "sizes": [(x(size), f"{size:,}") for size in panel.size_ticks],
    }


def _tell_story(
    result: Ranking | Selection, models: Sequence[tuple[int, int, float]], ranked: Sequence[str], rows: str
) -> Mapping[str, Any] | None:
    """The rounds as a table, and as what the script shows of them; a single round has no story.

    The columns, errors and log-loss of each round's model are given, and the names of all columns, best first.
    """
    story, total = result.background.story if result.background else (), result.input.labelled_rows
    if not story or story[-1].round < 2:
        return None
    rounds, most = story[-1].round, min(len(result.features), len(ranked))
    after = [*(columns for columns, _, _ in models[1:]), 0]
    until = [*(told.round for told in story[1:]), rounds + 1]
    training = "" if rows == "rows" else " on training rows"
    cells, sentences = [], []
    for told, (columns, errors, log_loss), left, end in zip(story, models, after, until, strict=True):
        leaving, share, loss = _name_few(ranked[left:columns][::-1]), f"{errors / total:.1%}", shown_number(log_loss, 3)
        cells.append((f"{told.round:,}", f"{columns:,}", f"{errors:,}", share, loss, leaving))
        then = "Then" if end == told.round + 1 else f"By round {end:,}"
        sentences.append(
            f"Round {told.round:,} of {rounds:,}: {counted(columns, 'column is', 'columns are')} left. "
            f"The model gets {errors:,} of {total:,} {rows} wrong ({share}), log-loss {loss}{training}. "
            f"{then} {leaving} {'leaves' if columns - left == 1 else 'leave'}."
        )
    headings = ("round", "columns", "rows wrong", "share wrong", "log-loss")
    *numbers, names = zip(*cells, strict=True)
    table = [TableColumn(heading, column) for heading, column in zip(headings, numbers, strict=True)]
    some = f"{len(story)} of the {rounds:,} rounds" if len(story) < rounds else "All rounds"
    script = {
        "sentences": [printable(sentence) for sentence in sentences],
        # Those of the columns that are left, in the order of the table of columns.
        "scores": [[_rounded(value) for value in told.scores[:most]] for told in story],
        # How many are left, listed or not.
        "left": [len(told.scores) for told in story],
        "largest": [max((abs(_rounded(value) or 0.0) for value in told.scores), default=0.0) for told in story],
    }
    return {
        "score": SCORES[result.settings.score].heading,
        "table": PageTable(
            "rounds",
            f"{some}: {_JUDGED[rows]}",
            Table([*table, TableColumn("then left", names, "text")]),
            is_long=False,
        ),
        "rounds": len(story),
        "script": script,
    }


def _name_few(leaving: Sequence[str]) -> str:
    shown = ", ".join(_shown_cell(name, "value") for name in leaving[:3])
    return shown if len(leaving) <= 3 else f"{shown} and {counted(len(leaving) - 3, 'other')}"


def _rounded(value: float) -> float | None:
    """A score in the digits that the page shows."""
    return float(shown_number(value)) if math.isfinite(value) else None


def _describe_data(background: Background, data: InputSummary, count: str | None) -> Mapping[str, Any]:
    """What the table held; ``count`` is the column that counts rows."""
    inspection = background.inspection
    table, _ = inspection_sentences(inspection)
    sentences = [table, f"The target is {_shown_name(inspection.target)} ({inspection.target_reason})"]
    further = data.unlabelled_rows - inspection.unlabelled_rows
    if further:
        added = counted(further, "further unlabelled row is", "further unlabelled rows are")
        sentences.append(f"{added} in {listed(data.unlabelled_sources)}")
    if count is not None:
        sentences.append(f"Rows are counted as the column {quoted(count)} says, here and below")
    ordered = sorted(inspection.classes.items(), key=lambda item: (-item[1], item[0]))
    total = max(sum(inspection.classes.values()), 1)
    numbers = [number for _, number in ordered]
    classes = [
        TableColumn("class", [name for name, _ in ordered], "name"),
        TableColumn("rows", [f"{number:,}" for number in numbers], values=numbers),
        TableColumn("share", [f"{number / total:.1%}" for number in numbers]),
    ]
    cuts = {name: cut_points(intervals) for name, intervals in background.intervals.items()}
    caption = "All columns of the table, and what was made of each"
    return {
        "sentences": sentences,
        "classes": PageTable("classes", "Classes, the largest first", Table(classes), is_long=False),
        "columns": PageTable("columns", caption, inspection_table(inspection, cuts)),
    }


def cut_points(intervals: Sequence[str]) -> str:
    """Where a column was cut, numbers in at most six digits.

    >>> cut_points(["(-inf,18]", "(18,30.123456789]", "(30.123456789,inf)"]), cut_points(["(-inf,inf)"])
    ('at 18, 30.1235', '')
    """
    ends = [found["end"] for interval in intervals if (found := _INTERVAL.fullmatch(interval))]
    return f"at {', '.join(map(_few_digits, ends))}" if ends else ""


def _few_digits(end: str) -> str:
    try:
        return f"{float(end):.6g}"
    except ValueError:
        # A date.
        return end
