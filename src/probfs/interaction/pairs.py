"""Pairs of columns that tell something only together: the result, and the stages that lead to it."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from probfs import __version__
from probfs.classifiers.options import check_value
from probfs.errors import DataError
from probfs.interaction.three_way import test_pairs
from probfs.notes import Note, NoteKind
from probfs.output.documents import Document, header_of, pairs_document
from probfs.ranking.candidates import OnNote
from probfs.ranking.inputs import InputRequest
from probfs.ranking.result import InputSummary, Result
from probfs.ranking.settings import TOP, Settings
from probfs.ranking.stages import Engine, summarize_inputs
from probfs.runtime.output import deliver_text
from probfs.runtime.progress import report
from probfs.screening.screen import q_values
from probfs.text import option

MOST_COLUMNS = 2_000
"""Two million pairs, which take some minutes."""
MOST_LISTED = 100_000
"""Pairs that a result lists: the others are noise in all likelihood, and nobody could read them."""
_SETTINGS = (
    *("bins", "missing", "mapping", "count", "na", "dates", "ignore_case", "include", "exclude"),
    *("keep_identifiers", "cut_target", "min_class"),
)
"""What decides how columns are encoded; a ranking's other settings have no part in it."""


@dataclass(frozen=True)
class Pair:
    """Two columns, and what they tell together."""

    a: str
    b: str
    gain: float
    """How much less log-loss a row has, in nats, when the joint value replaces the two values."""
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
        """The listed pairs that tell more together than one by one."""
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


def find_pairs(
    engine: Engine, request: InputRequest, settings: Settings, false_discoveries: float, on_note: OnNote
) -> Pairs:
    """Read, encode, and test all pairs of columns."""
    inputs = engine.read(request)
    encoded = engine.encode(inputs, settings, lambda note: on_note(_without_subjects(note)))
    dataset = encoded.dataset
    columns = len(dataset.features)
    if columns < 2:
        raise DataError("has one column to test, and a pair needs two", source=dataset.source)
    if columns > MOST_COLUMNS:
        hint = f"name fewer with {option('include')}, for example the first ones of a ranking"
        problem = f"has {columns:,} columns, and pairs of at most {MOST_COLUMNS:,} are tested"
        raise DataError(f"{problem}; {hint}", source=dataset.source)
    total = columns * (columns - 1) // 2
    found = []
    done = 0
    report("testing pairs", done, total, "pairs")
    for tests in test_pairs(dataset, settings.seed):
        found.append(tests)
        done += len(tests[0])
        report("testing pairs", done, total, "pairs")
    pairs: tuple[Pair, ...] = ()
    if found:
        a, b, gain, p = map(np.concatenate, zip(*found, strict=True))
        # In the order of the table, whatever order they were tested in.
        a, b, q = np.minimum(a, b), np.maximum(a, b), q_values(p)
        is_found = q <= false_discoveries
        # Those that are told from chance by their gain, then all others by p.
        order = np.lexsort((b, a, np.where(is_found, -gain, p), ~is_found))[:MOST_LISTED]
        rows = zip(*(array[order].tolist() for array in (a, b, gain, p, q)), strict=True)
        pairs = tuple(Pair(encoded.names[first], encoded.names[second], *found) for first, second, *found in rows)
    flat = settings.to_dict()
    chosen = {**{name: flat[name] for name in _SETTINGS}, "false_discoveries": false_discoveries, "seed": settings.seed}
    return Pairs(
        pairs,
        summarize_inputs(inputs, dataset),
        chosen,
        tuple(map(_without_subjects, encoded.notes)),
        __version__,
        done,
    )


def _without_subjects(note: Note) -> Note:
    """The note that rows seem to belong to subjects, which pairs know nothing of; others as they are."""
    if note.code != NoteKind.SUBJECTS.code:
        return note
    problem = note.rpartition("; if so")[0]
    return NoteKind.SUBJECTS.note(f"{problem}; pairs cannot allow for that: keep one row of each subject", note.columns)
