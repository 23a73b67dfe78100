"""The result: pairs of columns, best first."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from probfs.classifiers.options import check_value
from probfs.notes import Note
from probfs.output.documents import header_of, pairs_document
from probfs.ranking.result import InputSummary, Result
from probfs.ranking.settings import TOP
from probfs.runtime.output import deliver_text

if TYPE_CHECKING:
    from probfs.output.documents import Document


@dataclass(frozen=True)
class Pair:
    """Two columns, and what they tell together."""

    a: str
    b: str
    gain: float
    """How much less log-loss a row has, in nats, when the joint value takes the place of the two values."""
    p: float
    """How probable as large an interaction is if each column shifts the odds of the classes for itself."""
    q: float
    """The least rate of false discoveries at which the pair counts as found."""


@dataclass(frozen=True, repr=False)
class Pairs(Result):
    """Pairs of columns: those that were found, by their gain, and then all others, by their p-value."""

    pairs: tuple[Pair, ...]
    input: InputSummary
    settings: dict[str, Any]
    warnings: tuple[Note, ...]
    version: str
    tested: int
    """How many pairs were tested; those that are not listed are the worst."""

    @property
    def found(self) -> tuple[Pair, ...]:
        """The listed pairs that tell together what neither column tells beside the other."""
        return tuple(pair for pair in self.pairs if pair.q <= self.settings["false_discoveries"])

    def top(self, number: int | None) -> Pairs:
        """The same result with only the best pairs listed."""
        return self if number is None else replace(self, pairs=self.pairs[: check_value("top", TOP, number)])

    def document(self) -> Document:
        return pairs_document(self, header_of(Pair))

    def to_html(self, path: str | os.PathLike[str] | None = None) -> str:
        """A page to look at, with a heat map, in one file that needs no other, also written to ``path`` when given."""
        from probfs.output.report import pairs_report

        return deliver_text(pairs_report(self), path)

    def __repr__(self) -> str:
        best = ", ".join(f"{pair.a!r} with {pair.b!r}" for pair in self.found[:5])
        return f"<Pairs: {len(self.found):,} of {self.tested:,} found{': ' if best else ''}{best}>"
