"""What to know before a comparison is believed: documents that are hard to compare, or tell only a part."""

from __future__ import annotations

from collections.abc import Sequence

from probfs.comparison.differences import Difference, shown_value
from probfs.comparison.documents import ComparedRanking
from probfs.notes import Note, NoteKind
from probfs.text import counted, option


def find_remarks(
    old: ComparedRanking, new: ComparedRanking, differences: Sequence[Difference], top: int | None, columns: int
) -> tuple[Note, ...]:
    """A remark for each difference that makes the two hard to compare, and for columns that are not known."""
    remarks = []
    for found in differences:
        if found.severe:
            values = f"{shown_value(found.old)} in {old.source}, but {shown_value(found.new)} in {new.source}"
            remarks.append(NoteKind.DIFFERENCE.note(f"{found.what}: {values}; ranks are hard to compare"))
    for side in (old, new):
        if side.is_partial:
            listed = f"lists only the best {len(side.columns):,} of {counted(side.features, 'column')}"
            remarks.append(NoteKind.PARTIAL.note(f"{side.source} {listed}: columns beyond them are unlisted"))
    if top is not None and top > columns:
        message = f"{option('top', top)}: there are only {columns:,}, so overlap is of all columns"
        remarks.append(NoteKind.TOP.note(message))
    return tuple(remarks)
