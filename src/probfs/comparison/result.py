"""The result: what became of every column from an old ranking or selection to a new one."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, TypeAlias

from probfs.classifiers.scores import SCORES
from probfs.notes import Note
from probfs.output.documents import Document, comparison_document, header_of
from probfs.ranking.result import InputSummary, RankedFeature, Ranking, Result
from probfs.selection.result import SelectedFeature, Selection
from probfs.text import listed, printable, quoted

Change = Literal["same", "rose", "fell", "appeared", "vanished", "unlisted"]
Feature: TypeAlias = RankedFeature | SelectedFeature


@dataclass(frozen=True)
class Side:
    """One of the two that are compared."""

    document: str
    """The document's name as messages show it."""
    result: Ranking | Selection
    settings: Mapping[str, Any] = field(hash=False)
    """As the document has them: an older one lacks some, a newer one may have more."""

    @property
    def kind(self) -> Literal["ranking", "selection"]:
        return "ranking" if isinstance(self.result, Ranking) else "selection"

    @property
    def input(self) -> InputSummary:
        return self.result.input

    @cached_property
    def by_name(self) -> dict[str, Feature]:
        """The columns, best first; only the best of them where the document was written with ``--top``."""
        return {feature.feature: feature for feature in self.result.features}

    @property
    def is_partial(self) -> bool:
        return len(self.by_name) < self.input.features

    @property
    def kept(self) -> tuple[str, ...] | None:
        """The names of the columns that a selection keeps, listed or not; None for a ranking."""
        return self.result.kept if isinstance(self.result, Selection) else None

    def score_of(self, name: str) -> float | None:
        """The score that decided, in the round in which the column left; None if a selection screened it out."""
        feature = self.by_name.get(name)
        return finite_or_none(getattr(feature, SCORES[self.result.settings.score].key, None))

    def to_dict(self) -> dict[str, Any]:
        """The content of the JSON."""
        same = ("source", "target", "classes", "labelled_rows", "unlabelled_rows", "features")
        return {
            "document": self.document,
            "kind": self.kind,
            "version": self.result.version,
            **{name: getattr(self.input, name) for name in same},
            "listed": len(self.by_name),
        }


def finite_or_none(value: float | None) -> float | None:
    return None if value is None or not math.isfinite(value) else value


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


@dataclass(frozen=True)
class Overlap:
    """How many of the first columns of two rankings are the same."""

    first: int
    shared: int
    share: float


@dataclass(frozen=True)
class Difference:
    """Something besides ranks that is not the same in both documents."""

    what: str
    old: Any
    new: Any
    severe: bool
    """Whether it makes the two hard to compare."""

    def __str__(self) -> str:
        return f"{self.what} ({shown_value(self.old)} → {shown_value(self.new)})"


def shown_value(value: Any) -> str:
    """A setting as a sentence has it.

    >>> shown_value(None), shown_value(True), shown_value([]), shown_value(["a", "b"]), shown_value(2500)
    ('none', 'yes', 'none', "'a', 'b'", '2,500')
    """
    if value is None or value == []:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return listed([str(item) for item in value], most=4)
    if isinstance(value, int):
        return f"{value:,}"
    text = f"{value:g}" if isinstance(value, float) else str(value)
    return quoted(text) if len(text) > 40 else printable(text)


@dataclass(frozen=True, repr=False)
class Comparison(Result):
    """What changed from an old ranking or selection to a new one."""

    old: Side
    new: Side
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
        changed = f"{len(self.changed)} of {len(self.columns)} columns changed"
        return f"<Comparison of {self.old.document} with {self.new.document}: {changed}, {correlation}>"

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
        """The columns that only the new selection keeps; none if one of the two is a ranking."""
        return _without(self.new.kept, self.old.kept)

    @property
    def no_longer_kept(self) -> tuple[str, ...]:
        """The columns that only the old selection keeps; none if one of the two is a ranking."""
        return _without(self.old.kept, self.new.kept)

    @property
    def measures(self) -> Mapping[str, float | None]:
        """Every number that a condition can be about, by name; None for one that these documents do not give."""
        top = next((overlap.share for overlap in self.overlaps if overlap.first == self.top), None)
        both_select = None not in (self.old.kept, self.new.kept)
        # Of columns that a document does not list, nobody can say that they came, went or are judged otherwise.
        all_listed = not (self.old.is_partial or self.new.is_partial)
        has_intervals = any(column.beyond is not None for column in self.columns)
        count = Counter(column.change for column in self.columns)
        return {
            "spearman": self.spearman,
            "kendall": self.kendall,
            "overlap": top,
            "rbo": self.rbo,
            "changed": len(self.changed),
            "rose": count["rose"],
            "fell": count["fell"],
            "appeared": None if self.old.is_partial else count["appeared"],
            "vanished": None if self.new.is_partial else count["vanished"],
            "renamed": len(self.renamed) if all_listed else None,
            "beyond": sum(column.beyond is True for column in self.columns) if has_intervals else None,
            "verdicts": len(self.judged_otherwise) if both_select and all_listed else None,
            "kept_changed": len(self.newly_kept) + len(self.no_longer_kept) if both_select else None,
        }

    def document(self) -> Document:
        return comparison_document(self, header_of(ColumnChange))


def _without(names: tuple[str, ...] | None, others: tuple[str, ...] | None) -> tuple[str, ...]:
    known = set(others or ())
    return () if names is None or others is None else tuple(name for name in names if name not in known)
