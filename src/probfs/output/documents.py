"""Results as documents, which writers turn into any format without knowing what they are about."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, astuple, dataclass, field, fields
from typing import TYPE_CHECKING, Any, Literal

from probfs.classifiers.scores import ABSOLUTE, SCORES, SIGNED, Score
from probfs.output.sentences import (
    comparison_sentences,
    inspection_sentences,
    is_noise,
    ranking_sentences,
    selection_sentences,
    shown_loss,
    shown_score,
)
from probfs.text import counted

if TYPE_CHECKING:
    from probfs.columns.inspect import ColumnSummary, Inspection
    from probfs.comparison.result import ColumnChange, Comparison, Side
    from probfs.ranking.result import RankedFeature, Ranking
    from probfs.selection.result import SelectedFeature, Selection

NOISE_MARK = "≈ noise"
_NONE = "-"
_MOST_COMPARED = 50
"""Columns of a comparison that tables list, best first; CSV and JSON have all."""
_ARROWS = {"rose": "▲", "fell": "▼", "same": "="}

DType = Literal["text", "int64", "Int64", "float64", "bool", "boolean"]
"""What a column of the CSV holds; ``Int64`` and ``boolean`` may be empty."""
Header = Mapping[str, DType]
"""The columns of the CSV, by name."""
Kind = Literal["number", "word", "name", "text", "value"]
"""How a cell is laid out: numbers to the right; words in one line; names and texts folded, and values shortened, where
there is little room."""


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
    dim: Sequence[bool] = ()
    """The rows that matter less."""
    line: tuple[int, str] | None = None
    """Behind how many rows a line is drawn, and what it says."""
    rest: str = ""
    """What is said of rows that are not listed."""
    legend: Sequence[str] = ()
    advice: str = ""
    has_prose: bool = False
    """Whether cells are whole sentences, so that rows are set apart and lines are never very long."""


@dataclass(frozen=True)
class Document:
    """A result, ready to be written in any format."""

    header: Header
    records: Sequence[Sequence[Any]]
    content: Callable[[], dict[str, Any]]
    """Makes the content of the JSON."""
    table: Callable[[], Table]
    """Makes the table for people."""
    sentences: Sequence[str] = ()
    excerpt: tuple[Sequence[str], Sequence[Sequence[Any]]] | None = None
    """The header and the records of the Markdown table, where it does not have all."""
    is_terse: bool = True
    """Whether the Markdown table has four digits and leaves out empty columns."""


# Rankings.

_SCORE_KEYS = tuple(score.key for score in SCORES)
RANKING_HEADER: Header = {
    "rank": "int64",
    "feature": "text",
    **dict.fromkeys(_SCORE_KEYS, "float64"),
    "round": "int64",
    **{f"initial_{key}": "float64" for key in _SCORE_KEYS},
    **dict.fromkeys(("p", "q", "se_initial_s_s", "se_initial_s_a"), "float64"),
    **dict.fromkeys(("rank_low", "rank_high"), "Int64"),
    "instead": "text",
}


def ranking_document(ranking: Ranking) -> Document:
    return Document(
        RANKING_HEADER,
        _records(RANKING_HEADER, ranking.features),
        lambda: ranking_content(ranking),
        lambda: ranking_table(ranking),
        ranking_sentences(ranking),
    )


def ranking_content(ranking: Ranking) -> dict[str, Any]:
    """The content of the JSON."""
    return {
        "schema": "probfs.ranking/2",
        "version": ranking.version,
        "input": asdict(ranking.input),
        "settings": ranking.settings.to_dict(),
        "features": [_ranked_content(feature) for feature in ranking.features],
        "rounds": [asdict(summary) for summary in ranking.rounds],
        "warnings": [note.to_dict() for note in ranking.warnings],
    }


def _ranked_content(feature: RankedFeature) -> dict[str, Any]:
    content: dict[str, Any] = {}
    for name in RANKING_HEADER:
        if name.startswith("initial_"):
            content.setdefault("initial", {})[name.removeprefix("initial_")] = getattr(feature, name)
        else:
            content[name] = getattr(feature, name)
    return content


def ranking_table(ranking: Ranking) -> Table:
    """The ranked columns; a line is drawn where noise begins, and noise above that line is marked."""
    columns = ranking_columns(ranking)
    noise = [is_noise(feature, ranking) for feature in ranking.features]
    hidden = ranking.input.features - len(noise)
    # Of columns that are not listed, nobody knows whether they are noise.
    above = len(noise) if hidden else max((row for row, is_one in enumerate(noise, 1) if not is_one), default=0)
    legend = ["±: one standard error."] if ranking.settings.uncertainty else []
    marks = [NOISE_MARK if is_one and row < above else "" for row, is_one in enumerate(noise)]
    legend += [noise_legend(ranking)] if any(marks) else []
    marks = [mark or shown_instead(feature.instead) for mark, feature in zip(marks, ranking.features, strict=True)]
    if any(marks):
        columns.append(TableColumn("", marks, "text"))
    return Table(
        columns,
        noise,
        line=(above, f"not told from noise (q > {ranking.settings.noise_above:g})") if any(noise[above:]) else None,
        rest=f"… and {hidden:,} more" if hidden else "",
        legend=legend,
        advice="To decide which columns to keep, run probfs select.",
    )


def shown_instead(name: str | None) -> str:
    """What is said of a column that is nearly the same as another one."""
    return "" if name is None else f"nearly the same as {name}"


def noise_legend(ranking: Ranking) -> str:
    above = ranking.settings.noise_above
    return f"{NOISE_MARK}: these rows cannot tell the column from noise (q > {above:g})."


def ranking_columns(ranking: Ranking) -> list[TableColumn]:
    """Rank, name, scores (the driving one first), the round of leaving, and how sure all that is."""
    features = ranking.features
    columns = [
        TableColumn("rank", [str(feature.rank) for feature in features]),
        TableColumn("column", [feature.feature for feature in features], "name"),
    ]
    for number, score in enumerate(shown_scores(ranking)):
        values = [getattr(feature, score.key) for feature in features]
        bars = values if number == 0 else ()
        cells = [shown_score(value) for value in values]
        columns.append(TableColumn(score.heading, cells, "number", bars, bool(bars), optional=number and 10 - number))
    columns.append(TableColumn("left in round", [str(feature.round) for feature in features], optional=1))
    if ranking.settings.uncertainty:
        intervals = [f"{feature.rank_low}-{feature.rank_high}" for feature in features]
        columns.append(TableColumn("rank interval (90%)", intervals))
        columns += [_with_standard_error(score, features) for score in (ABSOLUTE, SIGNED)]
    return columns


def shown_scores(ranking: Ranking) -> list[Score]:
    """The scores that have values, the driving one first."""
    driving = SCORES[ranking.settings.score]
    present = [score for score in SCORES if ranking.input.unlabelled_rows or not score.needs_unlabelled]
    return [driving, *(score for score in present if score != driving)]


def _with_standard_error(score: Score, features: Sequence[RankedFeature]) -> TableColumn:
    cells = [
        f"{getattr(feature, f'initial_{score.key}'):.4f} ± {getattr(feature, f'se_initial_{score.key}'):.4f}"
        for feature in features
    ]
    return TableColumn(f"{score.heading} in round 1", cells)


# Selections.

SELECTION_HEADER: Header = {
    "rank": "int64",
    "feature": "text",
    "keep": "bool",
    "verdict": "text",
    **dict.fromkeys(("p", "q", "s_s", "s_a", "log_loss"), "float64"),
    "folds": "Int64",
    "instead": "text",
    "explained": "float64",
}


def selection_document(selection: Selection) -> Document:
    return Document(
        SELECTION_HEADER,
        _records(SELECTION_HEADER, selection.features),
        lambda: selection_content(selection),
        lambda: selection_table(selection),
        selection_sentences(selection),
    )


def selection_content(selection: Selection) -> dict[str, Any]:
    """The content of the JSON."""
    return {
        "schema": "probfs.selection/2",
        "version": selection.version,
        "input": asdict(selection.input),
        "settings": selection.settings.to_dict(),
        "features": [asdict(feature) for feature in selection.features],
        "sizes": [asdict(size) for size in selection.sizes],
        "kept": list(selection.kept),
        "honest": None if selection.honest is None else asdict(selection.honest),
        "warnings": [note.to_dict() for note in selection.warnings],
    }


def selection_table(selection: Selection) -> Table:
    """A verdict on each column, and why."""
    features, score = selection.features, SCORES[selection.settings.score]
    values = [getattr(feature, score.key) for feature in features]
    losses = [_NONE if feature.log_loss is None else shown_loss(feature.log_loss) for feature in features]
    folds = [_NONE if feature.folds is None else str(feature.folds) for feature in features]
    columns = [
        TableColumn("rank", [str(feature.rank) for feature in features]),
        TableColumn("column", [feature.feature for feature in features], "name"),
        TableColumn("verdict", [feature.verdict for feature in features], "word"),
        TableColumn(score.heading, [shown_score(value) or _NONE for value in values], values=values, optional=3),
        TableColumn("log-loss", losses, optional=1),
        *([] if selection.honest is None else [TableColumn("folds", folds, optional=2)]),
        TableColumn("why", [reason_for_verdict(feature, selection) for feature in features], "text"),
    ]
    rest = f"… and {len(selection.unlisted):,} more" if selection.unlisted else ""
    return Table(columns, [feature.verdict == "noise" for feature in features], rest=rest)


def reason_for_verdict(feature: SelectedFeature, selection: Selection) -> str:
    """A few words; nothing where the verdict says it all."""
    if feature.instead is not None and feature.explained is not None:
        if feature.is_copy:
            return f"copy of {feature.instead}" if feature.explained == 1 else shown_instead(feature.instead)
        share = f"{feature.explained:.0%}"
        return (
            f"nothing measurable beyond {feature.instead}"
            if share == "100%"
            else f"{feature.instead} says {share} of it"
        )
    if feature.verdict == "noise" and feature.q is not None:
        return f"q {feature.q:.2g}"
    if selection.is_beyond(feature):
        return f"beyond the {selection.settings.keep} asked for"
    if feature.verdict == "weak":
        return "adds too little"
    return "by request" if feature.keep and feature.feature in selection.settings.always else ""


# Comparisons.

COMPARISON_HEADER: Header = {
    "column": "text",
    "change": "text",
    "moved": "Int64",
    **dict.fromkeys(("old_rank", "new_rank"), "Int64"),
    **dict.fromkeys(("old_rank_low", "old_rank_high", "new_rank_low", "new_rank_high"), "Int64"),
    "beyond": "boolean",
    **dict.fromkeys(("old_score", "new_score"), "float64"),
    **dict.fromkeys(("old_verdict", "new_verdict", "renamed"), "text"),
}


def comparison_document(comparison: Comparison) -> Document:
    return Document(
        COMPARISON_HEADER,
        _records(COMPARISON_HEADER, comparison.columns),
        lambda: comparison_content(comparison),
        lambda: _comparison_table(comparison),
        comparison_sentences(comparison),
        (tuple(COMPARISON_HEADER), _records(COMPARISON_HEADER, comparison.changed)),
    )


def comparison_content(comparison: Comparison) -> dict[str, Any]:
    """The content of the JSON."""
    return {
        "schema": "probfs.comparison/1",
        "version": comparison.version,
        "old": _side_content(comparison.old),
        "new": _side_content(comparison.new),
        "measures": dict(comparison.measures),
        "top": comparison.top,
        "overlaps": [asdict(overlap) for overlap in comparison.overlaps],
        "same_scores": comparison.same_scores,
        "newly_kept": list(comparison.newly_kept),
        "no_longer_kept": list(comparison.no_longer_kept),
        "columns": [asdict(column) for column in comparison.columns],
        "differences": [asdict(difference) for difference in comparison.differences],
        "warnings": [note.to_dict() for note in comparison.warnings],
    }


def _side_content(side: Side) -> dict[str, Any]:
    data = side.input
    return {
        "document": side.document,
        "kind": side.kind,
        "version": side.result.version,
        "source": data.source,
        "target": data.target,
        "classes": dict(data.classes),
        "labelled_rows": data.labelled_rows,
        "unlabelled_rows": data.unlabelled_rows,
        "features": data.features,
        "listed": len(side.features),
    }


def _comparison_table(comparison: Comparison) -> Table:
    """The columns that changed; what chance may explain is dim."""
    changed = sorted(comparison.changed, key=_best_rank)
    shown, hidden = changed[:_MOST_COMPARED], len(changed) - _MOST_COMPARED
    scores = [
        f"{shown_score(change.old_score) or _NONE} → {shown_score(change.new_score) or _NONE}" for change in shown
    ]
    columns = [
        TableColumn("new", [_NONE if change.new_rank is None else str(change.new_rank) for change in shown]),
        TableColumn("old", [_NONE if change.old_rank is None else str(change.old_rank) for change in shown]),
        TableColumn("column", [change.column for change in shown], "name"),
        TableColumn("change", [_describe_change(change) for change in shown], "text"),
        TableColumn(
            "rank intervals",
            [{None: "", True: "beyond", False: "within"}[change.beyond] for change in shown],
            "word",
            optional=2,
        ),
        TableColumn("verdict", [_describe_verdict(change) for change in shown], "word", optional=3),
        # Different scores say nothing of each other.
        *([] if comparison.same_scores is None else [TableColumn("score", scores, optional=1)]),
    ]
    return Table(
        [column for column in columns if any(column.cells)],
        [change.beyond is False for change in shown],
        rest=f"… and {counted(hidden, 'more column')} that changed; --format csv lists all" if hidden > 0 else "",
    )


def _best_rank(column: ColumnChange) -> tuple[int, int]:
    ranks = [rank for rank in (column.new_rank, column.old_rank) if rank is not None]
    return min(ranks), ranks[0]


def _describe_change(column: ColumnChange) -> str:
    if column.moved is not None:
        return f"{_ARROWS[column.change]} {abs(column.moved)}" if column.moved else _ARROWS["same"]
    if column.renamed is not None:
        return f"{column.change} ({'now' if column.new_rank is None else 'was'} {column.renamed}?)"
    return column.change


def _describe_verdict(column: ColumnChange) -> str:
    if column.verdict_changed:
        return f"{column.old_verdict} → {column.new_verdict}"
    return column.new_verdict or column.old_verdict or ""


# Inspections.


def inspection_document(inspection: Inspection) -> Document:
    # The target is always among the columns; flags are the last field, and one cell.
    numbers = ("distinct", "missing", "frequency")
    header: Header = {each.name: "int64" if each.name in numbers else "text" for each in fields(inspection.columns[0])}
    notes = [note.to_dict() for note in inspection.notes]
    return Document(
        header,
        [(*astuple(column)[:-1], "; ".join(column.flags)) for column in inspection.columns],
        lambda: {"schema": "probfs.inspection/2", **asdict(inspection), "notes": notes},
        lambda: _inspection_table(inspection),
        inspection_sentences(inspection),
        is_terse=False,
    )


def _inspection_table(inspection: Inspection) -> Table:
    columns = inspection.columns
    return Table(
        [
            TableColumn("column", [column.column for column in columns], "name"),
            TableColumn("kind", [column.kind for column in columns], "word"),
            TableColumn("distinct", [f"{column.distinct:,}" for column in columns]),
            TableColumn("missing", [f"{column.missing:,}" for column in columns]),
            TableColumn("top value", [describe_most_frequent(column) for column in columns], "value"),
            TableColumn("use", [describe_use(column) for column in columns], "text"),
        ]
    )


def describe_most_frequent(column: ColumnSummary) -> str:
    """The most frequent value, and in how many rows it stands."""
    return "" if column.most_frequent is None else f"{column.most_frequent} ({column.frequency:,})"


def describe_use(column: ColumnSummary) -> str:
    """What is made of a column, what its texts are read as, and what is remarkable about it."""
    return "; ".join(filter(None, [column.use, column.reading, *unused_flags(column)]))


def unused_flags(column: ColumnSummary) -> list[str]:
    """The flags that the use of a column does not speak of."""
    return [flag for flag in column.flags if f"({flag}: " not in column.use]


def _records(header: Header, rows: Sequence[object]) -> list[tuple[Any, ...]]:
    return [tuple(getattr(row, name) for name in header) for row in rows]
