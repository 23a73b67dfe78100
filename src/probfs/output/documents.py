"""Results as documents, which writers turn into any format without knowing what they are about."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from probfs.classifiers.scores import ABSOLUTE, SCORES, SIGNED
from probfs.output.sentences import (
    comparison_sentences,
    describe_rest,
    inspection_sentences,
    is_noise,
    pairs_sentences,
    ranking_sentences,
    selection_sentences,
    shown_number,
    shown_scores,
)
from probfs.text import counted

if TYPE_CHECKING:
    from probfs.columns.inspect import Inspection
    from probfs.comparison.result import ColumnChange, Comparison
    from probfs.interaction.pairs import Pairs
    from probfs.ranking.result import Ranking
    from probfs.selection.result import SelectedFeature, Selection

NOISE = "noise"
"""The group of rows that matter less, which are shown pale."""
NOISE_MARK = "≈ noise"
_NONE = "-"
_MOST_COMPARED = 50
"""Columns of a comparison that tables list, best first; CSV and JSON have all."""
_FEWEST_PAIRS, _MOST_PAIRS = 10, 50

DType = Literal["text", "int64", "Int64", "float64", "bool", "boolean"]
"""What a column of the CSV holds; ``Int64`` and ``boolean`` may be empty."""
Header = Mapping[str, DType]
"""The columns of the CSV, by name."""
Kind = Literal["number", "word", "name", "text", "value"]
"""How a cell is laid out: numbers to the right; words in one line; names and texts folded, and values shortened, where
there is little room."""
_DTYPES: Mapping[str, DType] = {
    "int": "int64",
    "int | None": "Int64",
    "float": "float64",
    "float | None": "float64",
    "bool": "bool",
    "bool | None": "boolean",
}


@dataclass(frozen=True)
class TableColumn:
    """A column of a table for people."""

    heading: str
    cells: Sequence[str]
    kind: Kind = "number"
    values: Sequence[float | None] = ()
    """The numbers that bars beside the cells stand for."""
    has_terminal_bars: bool = False
    optional: int = 0
    """Left out where a terminal is too narrow, 1 first; 0 never."""
    styles: Mapping[str, str] = field(default_factory=dict)
    """The colour of cells, by their text."""


@dataclass(frozen=True)
class Table:
    """A table for people."""

    columns: Sequence[TableColumn]
    groups: Sequence[str] = ()
    """The group of each row, such as ``noise``."""
    line: tuple[int, str] | None = None
    """After how many rows a line is drawn, and its text."""
    rest: str = ""
    """A sentence about the rows that are not listed."""
    legend: Sequence[str] = ()
    advice: str = ""
    has_prose: bool = False
    """Whether cells are whole sentences, so that rows are set apart and lines are never very long."""


@dataclass(frozen=True)
class Document:
    """A result, ready to be written in any format."""

    header: Header
    rows: Sequence[object]
    """The rows of the CSV: objects that have the attributes of the header."""
    content: Callable[[], dict[str, Any]]
    """Makes the content of the JSON."""
    table: Callable[[], Table]
    """Makes the table for people."""
    sentences: Sequence[str] = ()
    excerpt: Sequence[object] | None = None
    """The rows of the Markdown table, if it has fewer than the CSV."""
    headings: Mapping[str, str] | None = None
    """The columns of the Markdown table and their headings, if they differ from those of the CSV."""

    def records(self) -> list[tuple[Any, ...]]:
        """The cells of the CSV."""
        return cells_of(self.rows, self.header)


def cells_of(rows: Sequence[object], names: Iterable[str]) -> list[tuple[Any, ...]]:
    """Some attributes of each row; one that holds several texts joins them."""
    cells = ([getattr(row, name) for name in names] for row in rows)
    return [tuple("; ".join(cell) if isinstance(cell, tuple) else cell for cell in row) for row in cells]


def header_of(record: type) -> Header:
    """A column for each field of a data class, whose annotations are texts."""
    return {each.name: _DTYPES.get(str(each.type), "text") for each in fields(record)}


def content_of(schema: str, result: Any, keys: Sequence[str]) -> dict[str, Any]:
    """The content of the JSON: some attributes of a result."""
    content = {key: plain(getattr(result, key)) for key in keys}
    return {"schema": schema, "version": result.version, **content}


def plain(value: Any) -> Any:
    """A value made of what JSON has; None stands for NaN and infinity, which it does not have."""
    if type(value) in (str, int, bool, type(None)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if hasattr(value, "to_dict"):
        value = value.to_dict()
    elif is_dataclass(value):
        value = vars(value)
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, list | tuple) else value


def bar_lengths(values: Sequence[float | None]) -> list[float]:
    """In per cent: the largest value has a bar of 100, and what is not above 0 has none."""
    largest = max((value for value in values if value is not None and 0 < value < math.inf), default=1.0)
    return [0.0 if value is None or not value > 0 else min(100 * value / largest, 100.0) for value in values]


# What the documents are about.


def ranking_document(ranking: Ranking, header: Header) -> Document:
    keys = ("input", "settings", "features", "rounds", "stability", "warnings")
    return Document(
        header,
        ranking.features,
        partial(content_of, "probfs.ranking/2", ranking, keys),
        partial(ranking_table, ranking),
        ranking_sentences(ranking),
    )


def ranking_table(ranking: Ranking, on_page: bool = False) -> Table:
    """The ranked columns: rank, name, scores (the driving one first), the round of leaving, and how sure all that is.

    Noise is marked, and on a terminal a line is drawn where there is nothing else below. A page, whose readers can sort
    its rows, also has the tests.
    """
    features, limit, uncertainty = ranking.features, ranking.settings.noise_above, ranking.settings.uncertainty
    columns = [
        TableColumn("rank", [str(feature.rank) for feature in features]),
        TableColumn("column", [feature.feature for feature in features], "name"),
    ]
    for number, score in enumerate(shown_scores(ranking)):
        values = [getattr(feature, score.key) for feature in features]
        cells, bars = [shown_number(value) for value in values], () if number else values
        columns.append(TableColumn(score.heading, cells, "number", bars, not number, optional=number and 10 - number))
    columns.append(TableColumn("left in round", [str(feature.round) for feature in features], optional=1))
    if uncertainty:
        intervals = [f"{feature.rank_low}-{feature.rank_high}" for feature in features]
        columns.append(TableColumn("rank interval (90%)", intervals))
        if ranking.stability is not None:
            often = ["" if feature.in_first_k is None else f"{feature.in_first_k:.0%}" for feature in features]
            columns.append(TableColumn(f"in first {ranking.stability.k}", often, optional=2))
        for score in (ABSOLUTE, SIGNED):
            key = f"initial_{score.key}"
            sure = [f"{getattr(each, key):.4f} ± {getattr(each, f'se_{key}'):.4f}" for each in features]
            columns.append(TableColumn(f"{score.heading} in round 1", sure))
    columns += _test_columns(features) if on_page else []

    noise = [is_noise(feature, ranking) for feature in features]
    above = max((row for row, is_one in enumerate(noise, 1) if not is_one), default=0)
    if on_page or len(features) < ranking.input.features:
        # Whether columns that are not listed are noise is unknown.
        above = len(noise)
    marks = [NOISE_MARK if is_one and row < above else "" for row, is_one in enumerate(noise)]
    copies = ["" if feature.instead is None else f"nearly the same as {feature.instead}" for feature in features]
    remarks = [mark or copy for mark, copy in zip(marks, copies, strict=True)]
    columns += [TableColumn("note" if on_page else "", remarks, "text")] if any(remarks) else []
    legend = ["±: one standard error."] if uncertainty else []
    if any(marks):
        legend.append(f"{NOISE_MARK}: these rows cannot tell the column from noise (q > {limit:g}).")
    order = ", in the order of p" if ranking.settings.screen else ""
    return Table(
        columns,
        [NOISE if is_one else "" for is_one in noise],
        line=(above, f"not told from noise (q > {limit:g}){order}") if any(noise[above:]) else None,
        rest=describe_rest(ranking, len(features)),
        legend=legend,
        advice="To decide which columns to keep, run probfs select.",
    )


def _test_columns(features: Sequence[Any]) -> list[TableColumn]:
    return [TableColumn(name, [shown_number(getattr(feature, name), 3) for feature in features]) for name in ("p", "q")]


def selection_document(selection: Selection, header: Header) -> Document:
    keys = ("input", "settings", "features", "sizes", "kept", "honest", "warnings")
    return Document(
        header,
        selection.features,
        partial(content_of, "probfs.selection/2", selection, keys),
        partial(selection_table, selection),
        selection_sentences(selection),
    )


def selection_table(selection: Selection, on_page: bool = False) -> Table:
    """A verdict on each column, and why; on a page also the tests."""
    features, score = selection.features, SCORES[selection.settings.score]
    values = [getattr(feature, score.key) for feature in features]
    losses = [shown_number(feature.log_loss, 3) or _NONE for feature in features]
    folds = [_NONE if feature.folds is None else str(feature.folds) for feature in features]
    columns = [
        TableColumn("rank", [str(feature.rank) for feature in features]),
        TableColumn("column", [feature.feature for feature in features], "name"),
        TableColumn("verdict", [feature.verdict for feature in features], "word"),
        TableColumn(score.heading, [shown_number(value) or _NONE for value in values], values=values, optional=3),
        TableColumn("log-loss", losses, optional=1),
        *([] if selection.honest is None else [TableColumn("folds", folds, optional=2)]),
        *(_test_columns(features) if on_page else []),
        TableColumn("why", [reason_for_verdict(feature, selection) for feature in features], "text"),
    ]
    return Table(columns, [feature.verdict for feature in features], rest=describe_rest(selection, len(features)))


def reason_for_verdict(feature: SelectedFeature, selection: Selection) -> str:
    """A few words; nothing where the verdict says it all."""
    other, explained, limit = feature.instead, feature.explained, selection.settings.noise_above
    if other is not None and explained is not None:
        if feature.is_copy:
            return f"copy of {other}" if explained == 1 else f"nearly the same as {other}"
        share = f"{explained:.0%}"
        return f"nothing measurable beyond {other}" if share == "100%" else f"{other} says {share} of it"
    if feature.verdict == NOISE and feature.q is not None:
        # More digits where fewer would be at the limit.
        return f"q {feature.q:.2g}" if float(f"{feature.q:.2g}") != limit else f"q {feature.q:.6g}"
    if selection.is_beyond(feature):
        return f"beyond the {selection.settings.keep} asked for"
    if feature.verdict == "weak":
        return "adds too little"
    return "by request" if feature.keep and feature.feature in selection.settings.always else ""


def pairs_document(pairs: Pairs, header: Header) -> Document:
    # All pairs that were found, within limits.
    shown = max(_FEWEST_PAIRS, min(len(pairs.found), _MOST_PAIRS))
    return Document(
        header,
        pairs.pairs,
        partial(content_of, "probfs.pairs/1", pairs, ("input", "settings", "tested", "pairs", "warnings")),
        partial(pairs_table, pairs, shown),
        pairs_sentences(pairs),
        excerpt=pairs.pairs[:shown],
    )


def pairs_table(pairs: Pairs, shown: int) -> Table:
    """The best pairs; a line is drawn where chance begins."""
    listed, found, limit = pairs.pairs[:shown], len(pairs.found), pairs.settings["false_discoveries"]
    gains, hidden = [pair.gain for pair in listed], pairs.tested - len(listed)
    columns = [
        TableColumn("column", [pair.a for pair in listed], "name"),
        TableColumn("with", [pair.b for pair in listed], "name"),
        TableColumn("gain (nats)", [f"{gain:.4f}" for gain in gains], "number", gains, has_terminal_bars=True),
        TableColumn("p", [f"{pair.p:.2g}" for pair in listed], optional=1),
        TableColumn("q", [f"{pair.q:.2g}" for pair in listed]),
    ]
    return Table(
        columns,
        [NOISE if place >= found else "" for place in range(len(listed))],
        line=(found, f"not told from chance (q > {limit:g})") if found < len(listed) else None,
        rest=f"… and {hidden:,} more" if hidden > 0 else "",
        legend=["gain: how much less log-loss a row has when the joint value replaces the two values."],
    )


def comparison_document(comparison: Comparison, header: Header) -> Document:
    keys = ("old", "new", "measures", "top", "overlaps", "same_scores", "newly_kept", "no_longer_kept", "columns")
    return Document(
        header,
        comparison.columns,
        partial(content_of, "probfs.comparison/1", comparison, (*keys, "differences", "warnings")),
        partial(_comparison_table, comparison),
        comparison_sentences(comparison),
        excerpt=comparison.changed,
    )


def _comparison_table(comparison: Comparison) -> Table:
    """The columns that changed, the best first; what chance may explain is pale."""

    def best_rank(column: ColumnChange) -> tuple[int, int]:
        ranks = [rank for rank in (column.new_rank, column.old_rank) if rank is not None]
        return min(ranks), ranks[0]

    changed = sorted(comparison.changed, key=best_rank)
    shown, hidden = changed[:_MOST_COMPARED], len(changed) - _MOST_COMPARED
    changes, verdicts = [], []
    for column in shown:
        change, verdict = column.change, column.new_verdict or column.old_verdict or ""
        if column.moved is not None:
            arrow = "▲" if column.moved > 0 else "▼" if column.moved else "="
            changes.append(f"{arrow} {abs(column.moved) or ''}".strip())
        elif column.renamed is not None:
            changes.append(f"{change} ({'now' if column.new_rank is None else 'was'} {column.renamed}?)")
        else:
            changes.append(change)
        verdicts.append(f"{column.old_verdict} → {column.new_verdict}" if column.verdict_changed else verdict)
    scores = [f"{shown_number(each.old_score) or _NONE} → {shown_number(each.new_score) or _NONE}" for each in shown]
    intervals = {None: "", True: "beyond", False: "within"}
    columns = [
        TableColumn("new", [str(column.new_rank or _NONE) for column in shown]),
        TableColumn("old", [str(column.old_rank or _NONE) for column in shown]),
        TableColumn("column", [column.column for column in shown], "name"),
        TableColumn("change", changes, "text"),
        TableColumn("rank intervals", [intervals[column.beyond] for column in shown], "word", optional=2),
        TableColumn("verdict", verdicts, "word", optional=3),
        # Different scores say nothing of each other.
        *([] if comparison.same_scores is None else [TableColumn("score", scores, optional=1)]),
    ]
    return Table(
        [column for column in columns if any(column.cells)],
        [NOISE if column.beyond is False else "" for column in shown],
        rest=f"… and {counted(hidden, 'more column')} that changed; --format csv lists all" if hidden > 0 else "",
    )


def inspection_document(inspection: Inspection) -> Document:
    return Document(
        # The target is always among the columns.
        header_of(type(inspection.columns[0])),
        inspection.columns,
        lambda: {"schema": "probfs.inspection/2", **plain(inspection)},
        partial(inspection_table, inspection),
        inspection_sentences(inspection),
    )


def inspection_table(inspection: Inspection, cuts: Mapping[str, str] | None = None) -> Table:
    """What the columns hold, and what is made of each; ``cuts`` say where columns of numbers are cut."""
    columns, cuts = inspection.columns, cuts or {}
    uses = [
        # The use of a column may speak of its flags, and of where it is cut.
        [column.use, *(part for part in (cuts.get(column.column, ""), column.reading) if part not in column.use)]
        + [flag for flag in column.flags if f"({flag}: " not in column.use]
        for column in columns
    ]
    top = ["" if each.most_frequent is None else f"{each.most_frequent} ({each.frequency:,})" for each in columns]
    return Table(
        [
            TableColumn("column", [column.column for column in columns], "name"),
            TableColumn("kind", [column.kind for column in columns], "word"),
            TableColumn("distinct", [f"{column.distinct:,}" for column in columns]),
            TableColumn("missing", [f"{column.missing:,}" for column in columns]),
            TableColumn("top value", top, "value"),
            TableColumn("use", ["; ".join(use) for use in uses], "text"),
        ]
    )
