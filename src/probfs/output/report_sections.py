"""The parts of a page: curves, the rounds, and the data."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from probfs.classifiers.scores import SCORES
from probfs.output.documents import TableColumn, describe_most_frequent, unused_flags
from probfs.output.drawings import MOST_LINEAR, Panel
from probfs.output.sentences import shown_loss, shown_score
from probfs.text import counted, listed, printable, quoted, shorten_middle

if TYPE_CHECKING:
    from markupsafe import Markup

    from probfs.columns.inspect import ColumnSummary
    from probfs.ranking.result import InputSummary
    from probfs.ranking.story import Background, Story

_LONGEST_NAME = 200
"""Characters of a name; the middle of a longer one is left out. The other formats have it in full."""
_LONGEST_VALUE = 60
LONGEST_TEXT = 300
_MANY_COLUMNS = 500
"""Of more columns, the page has less to say of each, or it would take megabytes."""
_MOST_POINTS = 300
MARKS = {"least": 6, "estimate": 4}
"""What a chart has that is no line: the radius of its circle."""
_INTERVAL = re.compile(r"\(.*?,(?P<end>.*)\]")
_NUMBERS = re.compile(r" \([\d,]+ numbers\)")
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
    columns: Sequence[TableColumn]
    groups: Sequence[str] = ()
    """What each row is one of; nothing for an ordinary row."""
    group_names: Mapping[str, str] = field(default_factory=dict)
    """The groups that rows can be chosen by, and what they are called."""
    is_long: bool = False
    """Whether readers want to sort it and to look for rows."""
    note: str = ""


def shown_name(name: str) -> str:
    """A name as the page has it: nothing in it acts on its neighbours, and it is not longer than a few lines."""
    return shorten_middle(printable(shorten_middle(name, _LONGEST_NAME)), _LONGEST_NAME)


# Curves.


def svg_chart(panel: Panel) -> Mapping[str, Any]:
    """A panel as SVG that is as wide as the window: in per cent of its width, from the left, and of its height, from
    the top.
    """
    values = dict(panel.curves[0].points)
    fewest, most = min(values), max(values)
    scale = math.log1p if most > MOST_LINEAR else float
    low, high = panel.value_range

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
        elif curve.style in MARKS:
            marks += [(curve.style, x(size), *map(y, (at, at - curve.error, at + curve.error))) for size, at in points]
        else:
            some = points[:: 1 + len(points) // _MOST_POINTS]
            lines.append((curve.style, " ".join(f"{x(size)},{y(value)}" for size, value in some)))
    ends = [f"{panel.show(values[size])} with {counted(size, 'column')}" for size in (most, fewest)]
    return {
        "title": panel.title,
        "description": f"{panel.title} by the number of columns in the model: {', '.join(ends)}",
        "lines": lines,
        "marks": marks,
        "values": [(y(value), panel.show(value)) for value in _round_values(low, high)],
        "sizes": [(x(size), f"{size:,}") for size in _round_sizes(fewest, most)],
    }


def _round_values(low: float, high: float) -> Iterator[float]:
    """A few round numbers within a range."""
    least = (high - low) / 4
    magnitude: float = 10 ** math.floor(math.log10(least))
    step = next(factor * magnitude for factor in (1, 2, 2.5, 5, 10) if factor * magnitude >= least)
    number = math.ceil(low / step - 1e-9)
    while number * step <= high * (1 + 1e-9):
        yield number * step + 0.0
        number += 1


def _round_sizes(fewest: int, most: int) -> list[int]:
    if most > MOST_LINEAR:
        return [fewest, *(10**power for power in range(7) if fewest < 10**power < most / 2), most]
    step = next(size for size in (1, 2, 5, 10) if (most - fewest) / size <= 6)
    return [size for size in range(fewest, most + 1) if size % step == 0]


# The rounds.


@dataclass(frozen=True)
class RoundModel:
    """How the model of a round does."""

    columns: int
    errors: int
    rows: int
    log_loss: float

    @property
    def share(self) -> str:
        return f"{self.errors / self.rows:.1%}"


def tell_story(
    score: str, story: Story, models: Sequence[RoundModel], ranked: Sequence[str], most: int, rows: str
) -> Mapping[str, Any] | None:
    """The rounds as a table, and as what the script shows of them; a single round has no story.

    ``ranked`` names all columns, best first; the table of columns lists the first ``most`` of them.
    """
    if not story or story[-1].round < 2:
        return None
    rounds = story[-1].round
    after = [*(model.columns for model in models[1:]), 0]
    until = [*(told.round for told in story[1:]), rounds + 1]
    leaving = [_name_few(ranked[left : model.columns][::-1]) for model, left in zip(models, after, strict=True)]
    sentences = []
    for told, model, names, end, left in zip(story, models, leaving, until, after, strict=True):
        loss = f"log-loss {shown_loss(model.log_loss)}{'' if rows == 'rows' else ' on training rows'}"
        then = "Then" if end == told.round + 1 else f"By round {end:,}"
        sentences.append(
            f"Round {told.round:,} of {rounds:,}: "
            f"{counted(model.columns, 'column is', 'columns are')} left. "
            f"The model gets {model.errors:,} of {model.rows:,} {rows} wrong ({model.share}), {loss}. "
            f"{then} {names} {'leaves' if model.columns - left == 1 else 'leave'}."
        )
    columns = [
        TableColumn("round", [f"{told.round:,}" for told in story]),
        TableColumn("columns", [f"{model.columns:,}" for model in models]),
        TableColumn("rows wrong", [f"{model.errors:,}" for model in models]),
        TableColumn("share wrong", [model.share for model in models]),
        TableColumn("log-loss", [shown_loss(model.log_loss) for model in models]),
        TableColumn("then left", leaving, "text"),
    ]
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
        "score": SCORES[score].heading,
        "table": PageTable("rounds", f"{some}: {_JUDGED[rows]}", columns),
        "rounds": len(story),
        "script": _json_for_script(script),
    }


def _name_few(leaving: Sequence[str]) -> str:
    shown = ", ".join(shorten_middle(shown_name(name), _LONGEST_VALUE) for name in leaving[:3])
    return shown if len(leaving) <= 3 else f"{shown} and {counted(len(leaving) - 3, 'other')}"


def _rounded(value: float) -> float | None:
    """A score in the digits that the page shows."""
    return float(shown_score(value)) if math.isfinite(value) else None


def _json_for_script(content: Mapping[str, Any]) -> Markup:
    """JSON in which nothing can end the element that it stands in."""
    from markupsafe import Markup

    # Whatever is not ASCII is an escape already.
    text = json.dumps(content, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)  # noqa: S704  # nothing is left in it that a page would take for markup


# The data.


def describe_data(background: Background, data: InputSummary, count: str | None) -> Mapping[str, Any]:
    """What the table held; ``count`` is the column that counts rows."""
    inspection = background.inspection
    rows = f"{inspection.labelled_rows:,} labelled and {inspection.unlabelled_rows:,} unlabelled rows"
    if data.dropped_rows:
        rows += f", without {counted(data.dropped_rows, 'row')} of rare classes"
    further = data.unlabelled_rows - inspection.unlabelled_rows
    if further:
        added = counted(further, "further unlabelled row is", "further unlabelled rows are")
        rows += f"; {added} in {listed(data.unlabelled_sources)}"
    missing = sum(column.missing > 0 for column in inspection.columns)
    gaps = f"{counted(missing, 'column has', 'columns have')} missing cells." if missing else "No cell is missing."
    columns = counted(len(inspection.columns), "column")
    target = f"The target is {shown_name(inspection.target)} ({inspection.target_reason})."
    sentences = [f"{inspection.source} has {columns}, {rows}. {gaps} {target}"]
    if count is not None:
        sentences.append(f"Rows are counted as the column {quoted(count)} says, here and below.")
    ordered = sorted(inspection.classes.items(), key=lambda item: (-item[1], item[0]))
    total = max(sum(inspection.classes.values()), 1)
    numbers = [number for _, number in ordered]
    classes = [
        TableColumn("class", [name for name, _ in ordered], "name"),
        TableColumn("rows", [f"{number:,}" for number in numbers], values=numbers),
        TableColumn("share", [f"{number / total:.1%}" for number in numbers]),
    ]
    return {
        "sentences": sentences,
        "classes": PageTable("classes", "Classes, the largest first", classes),
        "columns": _column_table(background),
    }


def basis_numbers(data: InputSummary) -> Mapping[str, str]:
    """What the answer rests on, those numbers that are 0 among them; nothing where it is not known."""
    basis = data.basis
    if basis is None:
        return {}
    reasons = {
        "identifier": "as identifiers",
        "index": "as row indexes",
        "mapping": "by the mapping",
        "exclude": "by exclude",
        "include": "by include",
    }
    numbers = {
        "labelled rows": data.labelled_rows,
        "unlabelled rows": data.unlabelled_rows,
        "rows of rare classes, dropped": data.dropped_rows,
        "columns that took part": data.features,
        **{f"columns left out {words}": basis.left_out.get(reason, 0) for reason, words in reasons.items()},
        "missing cells of labelled rows": basis.missing_cells,
        "columns with missing cells": basis.missing_columns,
        "columns where words such as NA are missing cells": basis.missing_words,
        "columns of numbers or dates in a style of their own": basis.restyled,
        "columns with values that are taken as one": basis.merged,
        "columns of numbers cut into intervals": basis.cut,
    }
    return {what: f"{number:,}" for what, number in numbers.items()}


def _column_table(background: Background) -> PageTable:
    columns = background.inspection.columns
    many = len(columns) > _MANY_COLUMNS
    usual = _usual_use(columns) if many else ""
    longest = _LONGEST_VALUE if many else _LONGEST_NAME
    # A value that stands in one row of a wide table says little.
    frequent = [describe_most_frequent(column) if column.frequency > many else "" for column in columns]
    return PageTable(
        "columns",
        "All columns of the table, and what was made of each",
        [
            TableColumn("column", [shorten_middle(shown_name(column.column), longest) for column in columns], "name"),
            TableColumn("kind", [column.kind for column in columns], "word"),
            TableColumn("distinct", [f"{column.distinct:,}" for column in columns]),
            TableColumn("missing", [f"{column.missing:,}" for column in columns]),
            TableColumn("most frequent", [shorten_middle(value, _LONGEST_VALUE) for value in frequent], "text"),
            TableColumn("use", [_describe_use(column, background, usual) for column in columns], "text"),
        ],
        is_long=True,
        note=f"Where nothing else is said, the use is: {usual}." if usual else "",
    )


def _usual_use(columns: Sequence[ColumnSummary]) -> str:
    """The use of most columns, which is said once; nothing where uses differ."""
    use, times = Counter(_NUMBERS.sub("", column.use) for column in columns).most_common(1)[0]
    return use if 2 * times > len(columns) else ""


def _describe_use(column: ColumnSummary, background: Background, usual: str) -> str:
    """What was made of a column, unless that is usual, where it was cut, and what is remarkable about it."""
    points = cut_points(background.intervals.get(column.column, ()))
    cut = [points] if points and points not in column.use else []
    use = [] if usual and _NUMBERS.sub("", column.use) == usual else [column.use]
    reading = [column.reading] if column.reading else []
    return shorten_middle("; ".join([*use, *cut, *reading, *unused_flags(column)]), LONGEST_TEXT)


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
