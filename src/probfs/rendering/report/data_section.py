"""What a report says of the table: its classes, its columns, and how each was cut, grouped or left out."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from probfs.rendering.report.content import (
    LONGEST_NAME,
    DataSection,
    ReportColumn,
    ReportTable,
    bar_lengths,
    harmless,
    shown_name,
)
from probfs.text import counted, listed, quoted, shorten_middle

if TYPE_CHECKING:
    from probfs.columns.inspect import ColumnSummary, Inspection
    from probfs.ranking.result import InputSummary
    from probfs.ranking.story import Background

_INTERVAL = re.compile(r"\(.*?,(?P<end>.*)\]")
_NUMBERS = re.compile(r" \([\d,]+ numbers\)")
_LONGEST_VALUE = 60
_LONGEST_USE = 300
_MANY_COLUMNS = 500
"""Of more columns, the page has less to say of each, or it would take megabytes."""


def data_section(background: Background, data: InputSummary, count: str | None = None) -> DataSection:
    """``data`` says what was read beside the table, and ``count`` is the column that counts rows."""
    inspection = background.inspection
    return DataSection(_class_table(inspection), _column_table(background), _sentences(inspection, data, count))


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


def _sentences(inspection: Inspection, data: InputSummary, count: str | None) -> list[str]:
    columns = counted(len(inspection.columns), "column")
    missing = sum(column.missing > 0 for column in inspection.columns)
    gaps = "No cell is missing." if not missing else f"{counted(missing, 'column')} {_have(missing)} missing cells."
    target = f"The target is {shown_name(inspection.target)} ({inspection.target_reason})."
    return [f"{inspection.source} has {columns}, {_rows(inspection, data)}. {gaps} {target}", *_counting(count)]


def _rows(inspection: Inspection, data: InputSummary) -> str:
    """The rows of the table, and those that are not among them or were left out."""
    rows = f"{inspection.labelled_rows:,} labelled and {inspection.unlabelled_rows:,} unlabelled rows"
    if data.dropped_rows:
        rows += f", without {counted(data.dropped_rows, 'row')} of rare classes"
    further = data.unlabelled_rows - inspection.unlabelled_rows
    if further:
        rows += f"; {counted(further, 'further unlabelled row')} {_are(further)} in {listed(data.unlabelled_sources)}"
    return rows


def _counting(count: str | None) -> list[str]:
    """Said where a row of the table is not one row of the numbers."""
    return [] if count is None else [f"Rows are counted as the column {quoted(count)} says, here and below."]


def _are(number: int) -> str:
    return "is" if number == 1 else "are"


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
    many = len(columns) > _MANY_COLUMNS
    longest = _LONGEST_VALUE if many else LONGEST_NAME
    usual = _usual_use(columns)
    return ReportTable(
        "columns",
        "All columns of the table, and what was made of each",
        [
            ReportColumn("column", [shorten_middle(shown_name(own.column), longest) for own in columns], "name"),
            ReportColumn("kind", [own.kind for own in columns], "text"),
            ReportColumn("distinct", [f"{own.distinct:,}" for own in columns], best_first=True),
            ReportColumn("missing", [f"{own.missing:,}" for own in columns], best_first=True),
            ReportColumn("most frequent", [_most_frequent(own, least=2 if many else 1) for own in columns], "text"),
            ReportColumn("use", [_use(own, background, usual) for own in columns], "text"),
        ],
        searched=True,
        ends_in_sentences=True,
        note=f"Where nothing else is said, the use is: {usual}." if usual else "",
    )


def _usual_use(columns: Sequence[ColumnSummary]) -> str:
    """The use of most of very many columns, which is said once; nothing for fewer, or where uses differ."""
    if len(columns) <= _MANY_COLUMNS:
        return ""
    use, times = Counter(map(_plain_use, columns)).most_common(1)[0]
    return use if 2 * times > len(columns) else ""


def _plain_use(column: ColumnSummary) -> str:
    """The use without what another cell of the row says."""
    return _NUMBERS.sub("", column.use)


def _most_frequent(column: ColumnSummary, least: int) -> str:
    """The value and its number of rows, if it has at least so many."""
    if column.most_frequent is None or column.frequency < least:
        return ""
    return f"{harmless(shorten_middle(column.most_frequent, _LONGEST_VALUE))} ({column.frequency:,})"


def _use(column: ColumnSummary, background: Background, usual: str) -> str:
    """What was made of a column, unless that is usual, where it was cut, and what is remarkable about it."""
    points = cut_points(background.intervals.get(column.column, ()))
    cut = [points] if points and points not in column.use else []
    # Flags that the use of a column does not speak of.
    flags = [flag for flag in column.flags if f"({flag}: " not in column.use]
    use = [] if usual and _plain_use(column) == usual else [column.use]
    return shorten_middle("; ".join([*use, *cut, *flags]), _LONGEST_USE)
