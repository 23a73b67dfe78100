"""What a report says of the table: its classes, its columns, and how each was cut, grouped or left out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from probfs.rendering.report.content import DataSection, ReportColumn, ReportTable, bar_lengths, harmless, shown_name
from probfs.text import counted, shorten_middle

if TYPE_CHECKING:
    from probfs.columns.inspection import ColumnSummary, Inspection
    from probfs.ranking.background import Background

_INTERVAL = re.compile(r"\(.*?,(?P<end>.*)\]")
_LONGEST_VALUE = 60
_LONGEST_USE = 300


def data_section(background: Background) -> DataSection:
    inspection = background.inspection
    return DataSection(_class_table(inspection), _column_table(background), _sentences(inspection))


def cut_points(intervals: Sequence[str]) -> str:
    """Where a column was cut, in at most six digits.

    >>> cut_points(["(-inf,18]", "(18,30.123456789]", "(30.123456789,inf)"]), cut_points(["(-inf,inf)"])
    ('at 18, 30.1235', '')
    """
    ends = [found["end"] for own in intervals if (found := _INTERVAL.fullmatch(own))]
    return f"at {', '.join(map(_short, ends))}" if ends else ""


def _short(end: str) -> str:
    """A number in few digits; a date stays as it is."""
    try:
        return f"{float(end):.6g}"
    except ValueError:
        return end


def _sentences(inspection: Inspection) -> list[str]:
    rows = f"{inspection.labelled_rows:,} labelled and {inspection.unlabelled_rows:,} unlabelled rows"
    columns = counted(len(inspection.columns), "column")
    missing = sum(column.missing > 0 for column in inspection.columns)
    gaps = "No cell is missing." if not missing else f"{counted(missing, 'column')} {_have(missing)} missing cells."
    target = f"The target is {shown_name(inspection.target)} ({inspection.target_reason})."
    return [f"{inspection.source} has {columns}, {rows}. {gaps} {target}"]


def _have(number: int) -> str:
    return "has" if number == 1 else "have"


def _class_table(inspection: Inspection) -> ReportTable:
    ordered = sorted(inspection.classes.items(), key=lambda item: (-item[1], item[0]))
    total = max(sum(inspection.classes.values()), 1)
    shares = [rows / total for _, rows in ordered]
    return ReportTable(
        "classes",
        "Classes, the largest first",
        [
            ReportColumn("class", [shown_name(name) for name, _ in ordered], "name"),
            ReportColumn("rows", [f"{rows:,}" for _, rows in ordered], best_first=True, bars=bar_lengths(shares)),
            ReportColumn("share", [f"{share:.1%}" for share in shares], best_first=True),
        ],
    )


def _column_table(background: Background) -> ReportTable:
    columns = background.inspection.columns
    return ReportTable(
        "columns",
        "All columns of the table, and what was made of each",
        [
            ReportColumn("column", [shown_name(own.column) for own in columns], "name"),
            ReportColumn("kind", [own.kind for own in columns], "text"),
            ReportColumn("distinct", [f"{own.distinct:,}" for own in columns], best_first=True),
            ReportColumn("missing", [f"{own.missing:,}" for own in columns], best_first=True),
            ReportColumn("most frequent", [_most_frequent(own) for own in columns], "text"),
            ReportColumn("use", [_use(own, background) for own in columns], "text"),
        ],
        searched=True,
    )


def _most_frequent(column: ColumnSummary) -> str:
    if column.most_frequent is None:
        return ""
    return f"{harmless(shorten_middle(column.most_frequent, _LONGEST_VALUE))} ({column.frequency:,})"


def _use(column: ColumnSummary, background: Background) -> str:
    """What was made of a column, where it was cut, and what is remarkable about it."""
    points = cut_points(background.intervals.get(column.column, ()))
    cut = [points] if points and points not in column.use else []
    # Flags that the use of a column does not speak of.
    flags = [flag for flag in column.flags if f"({flag}: " not in column.use]
    return shorten_middle("; ".join([column.use, *cut, *flags]), _LONGEST_USE)
