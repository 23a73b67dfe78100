"""The result: a frozen comparison."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from probfs.comparison.differences import Difference
from probfs.comparison.documents import ComparedRanking
from probfs.comparison.measures import Overlap
from probfs.notes import Note
from probfs.rendering.comparison_csv import COMPARISON_HEADER, comparison_csv, comparison_rows
from probfs.rendering.comparison_json import comparison_document, comparison_json
from probfs.runtime.output import deliver_text

if TYPE_CHECKING:
    import pandas

Change = Literal["same", "rose", "fell", "appeared", "vanished", "unlisted"]


@dataclass(frozen=True)
class ColumnChange:
    """What became of a column."""

    column: str
    change: Change
    """``unlisted``: one of the documents does not list it, but lists only its best columns."""
    moved: int | None
    """By how many places it rose (fell, if negative) among the columns that both have; None if only one has it."""
    old_rank: int | None
    new_rank: int | None
    old_rank_low: int | None
    old_rank_high: int | None
    new_rank_low: int | None
    new_rank_high: int | None
    beyond: bool | None
    """Whether it moved out of the old rank interval, and its old rank is outside of the new one, as far as there are
    intervals; None if there is none.
    """
    old_score: float | None
    """The score that decided, in the round in which the column left."""
    new_score: float | None
    old_verdict: str | None
    """None where the document is a ranking."""
    new_verdict: str | None
    renamed: str | None
    """The name that the column probably has in the other document."""

    @property
    def verdict_changed(self) -> bool:
        """Whether both documents judge the column, and not alike."""
        return None not in (self.old_verdict, self.new_verdict) and self.old_verdict != self.new_verdict


@dataclass(frozen=True, repr=False)
class Comparison:
    """What changed from an old ranking or selection to a new one."""

    old: ComparedRanking
    new: ComparedRanking
    columns: tuple[ColumnChange, ...]
    """In the order of the new ranks; columns that only the old document has come last, in their old order."""
    spearman: float | None
    """Of the ranks among the columns that both have; None for fewer than two."""
    kendall: float | None
    rbo: float
    """Rank-biased overlap, in which the first columns count most."""
    overlaps: tuple[Overlap, ...]
    top: int
    """How many of the first columns the measure ``overlap`` is about."""
    same_scores: bool | None
    """Whether all columns that both have kept their scores, rounding aside; None if these are of different kinds."""
    differences: tuple[Difference, ...]
    warnings: tuple[Note, ...]
    """What to know before the comparison is believed."""
    version: str

    def __repr__(self) -> str:
        correlation = "no correlation" if self.spearman is None else f"Spearman {self.spearman:.3f}"
        changed = f"{self.measures['changed']} of {len(self.columns)} columns changed"
        return f"<Comparison of {self.old.source} with {self.new.source}: {changed}, {correlation}>"

    def changes(self, change: Change) -> tuple[ColumnChange, ...]:
        """The columns of which a change is true."""
        return tuple(column for column in self.columns if column.change == change)

    @property
    def renamed(self) -> dict[str, str]:
        """Old names with the names that probably took their place."""
        return {column.column: column.renamed for column in self.changes("vanished") if column.renamed is not None}

    @property
    def changed(self) -> tuple[ColumnChange, ...]:
        """The columns that moved, came or went, or are judged otherwise; not those that may be there unlisted."""
        same = ("same", "unlisted")
        return tuple(column for column in self.columns if column.change not in same or column.verdict_changed)

    @property
    def judged_otherwise(self) -> tuple[ColumnChange, ...]:
        """The columns that both documents list, with another verdict."""
        return tuple(column for column in self.columns if column.verdict_changed)

    @property
    def newly_kept(self) -> tuple[str, ...]:
        """The columns that only the new selection keeps."""
        return _without(self.new.kept, self.old.kept)

    @property
    def no_longer_kept(self) -> tuple[str, ...]:
        """The columns that only the old selection keeps."""
        return _without(self.old.kept, self.new.kept)

    @property
    def measures(self) -> Mapping[str, float | None]:
        """Every number that a condition can be about, by name; None for one that these documents do not give."""
        top = next((overlap.share for overlap in self.overlaps if overlap.first == self.top), None)
        both_select = None not in (self.old.kept, self.new.kept)
        # Of columns that a document does not list, nobody can say that they came, went or are judged otherwise.
        all_listed = not (self.old.is_partial or self.new.is_partial)
        has_intervals = any(column.beyond is not None for column in self.columns)
        return {
            "spearman": self.spearman,
            "kendall": self.kendall,
            "overlap": top,
            "rbo": self.rbo,
            "changed": len(self.changed),
            "rose": len(self.changes("rose")),
            "fell": len(self.changes("fell")),
            "appeared": None if self.old.is_partial else len(self.changes("appeared")),
            "vanished": None if self.new.is_partial else len(self.changes("vanished")),
            "renamed": len(self.renamed) if all_listed else None,
            "beyond": sum(column.beyond is True for column in self.columns) if has_intervals else None,
            "verdicts": len(self.judged_otherwise) if both_select and all_listed else None,
            "kept_changed": len(self.newly_kept) + len(self.no_longer_kept) if both_select else None,
        }

    def to_frame(self) -> pandas.DataFrame:
        """The columns as a data frame with the columns of the CSV."""
        import pandas

        frame = pandas.DataFrame(comparison_rows(self), columns=list(COMPARISON_HEADER))
        types: dict[str, Any] = {"moved": "Int64", "beyond": "boolean", "old_score": float, "new_score": float}
        return frame.astype({**types, **{name: "Int64" for name in COMPARISON_HEADER if "_rank" in name}})

    def to_csv(self, path: str | os.PathLike[str] | None = None, *, safe: bool = False) -> str:
        """The columns as CSV text, also written to ``path`` when one is given.

        With ``safe``, a name that a spreadsheet would take for a formula begins with an apostrophe.
        """
        return deliver_text(comparison_csv(self, safe=safe), path)

    def to_dict(self) -> dict[str, Any]:
        """The content of the JSON."""
        return comparison_document(self)

    def to_json(self, path: str | os.PathLike[str] | None = None) -> str:
        """The whole comparison as JSON text, also written to ``path`` when one is given."""
        return deliver_text(comparison_json(self), path)


def _without(names: tuple[str, ...] | None, others: tuple[str, ...] | None) -> tuple[str, ...]:
    """The names that are not among the others; none if one of the two is not known."""
    if names is None or others is None:
        return ()
    known = set(others)
    return tuple(name for name in names if name not in known)
