"""A block of rows as a worker holds it: codes, and the rows' odds, which follow from the codes and from what happened.

A worker may die, restart or be told to put its blocks on disk. So nothing that it holds is more than a memory of what
can be computed again: a block comes from its files, and its state from the block and the history of the ranking, which
every question brings along. A state is brought up to date where there is one, and else begun anew. It goes through the
same steps either way, so that answers do not depend on which of the two happened.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import add
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from probfs.classifiers.naive_bayes.counts import ClassCounts
from probfs.classifiers.naive_bayes.row_groups import DealtRows, Grouping, RowGroups
from probfs.classifiers.naive_bayes.rows import Rows
from probfs.columns.dataset import Dataset, Feature
from probfs.runtime.threads import share_cores
from probfs.tables.arrow_arrays import text_array
from probfs.tables.table import Codes, Integers, Labels

if TYPE_CHECKING:
    from probfs.columns.encoding_plan import EncodedBlock

Side = Literal["labelled", "unlabelled"]
_BYTES_OF_A_ROW = 56
"""What is kept of a row beside its codes: its class, its count, its log-odds in two parts, and what a round needs."""


def bytes_of_rows(rows: int, features: int, itemsize: int) -> int:
    """The memory that rows take on all workers together."""
    return rows * (features * itemsize + _BYTES_OF_A_ROW)


@dataclass(frozen=True, eq=False)
class Updated:
    """Some features were added to the rows (sign 1), or taken from them (-1)."""

    features: npt.NDArray[np.intp]
    sign: int


@dataclass(frozen=True)
class Shrunk:
    """All class weights were raised to a new power."""

    exponent: float


History: TypeAlias = tuple[Updated | Shrunk, ...]


@dataclass(frozen=True, eq=False)
class Model:
    """What scores the rows of all blocks."""

    run: str
    """Which ranking it belongs to: a state of another one is of no use."""
    grouping: Grouping
    classes: tuple[str, ...]
    counts: ClassCounts
    """Of the labelled rows of the whole table."""
    fold_counts: tuple[ClassCounts, ...] | None = None


@dataclass(frozen=True, eq=False)
class Question:
    """A method of ``Rows`` to call, and with what."""

    method: str
    arguments: tuple[Any, ...] = ()


def _join_reaches(first: Any, second: Any) -> Any:
    return None if first is None or second is None else np.maximum(first, second)


JOIN: Mapping[str, Callable[[Any, Any], Any]] = {
    "sum_changes": add,
    "fit": add,
    "squared_ranges": add,
    "least_gap": min,
    "nearest_changes": np.minimum,
    "largest_excess": np.maximum,
    "reach": _join_reaches,
}
"""How the answers of two groups of rows, or of two blocks, become one."""


@dataclass
class _State:
    """The rows of one side, and how much of the history they have been through."""

    rows: Sequence[Rows]
    events: int = 0


class Block:
    """Rows of a table as codes, those of one class together."""

    def __init__(self, labelled: CodedRows, unlabelled: CodedRows, copies: Integers | None = None) -> None:
        """``copies`` says how many copies of each labelled row are in each fold, where rows were dealt out."""
        self.labelled = labelled
        self.unlabelled = unlabelled
        self.copies = copies
        self._lock = threading.Lock()
        self._states: dict[tuple[str, Side], _State] = {}

    @classmethod
    def of(cls, encoded: EncodedBlock) -> Block:
        """The rows of an encoded block that count for something."""
        return cls(
            CodedRows.sorted(encoded.labels, encoded.counts, encoded.codes),
            CodedRows.sorted(
                np.zeros(len(encoded.unlabelled_counts), dtype=np.int8),
                encoded.unlabelled_counts,
                encoded.unlabelled_codes,
            ),
        )

    def with_folds(self, copies: Integers) -> Block:
        """The same rows, dealt out to folds."""
        return Block(self.labelled, self.unlabelled, copies)

    def answer(self, model: Model, side: Side, history: History, questions: Sequence[Question]) -> list[Any] | None:
        """The answers of the rows of one side, or None where there are no rows."""
        with self._lock:
            rows = self._rows_after(model, side, history)
            if not rows:
                return None
            return [
                reduce(JOIN[one.method], (getattr(group, one.method)(*one.arguments) for group in rows))
                for one in questions
            ]

    def _rows_after(self, model: Model, side: Side, history: History) -> Sequence[Rows]:
        state = self._states.get((model.run, side))
        if state is None or state.events > len(history):
            # A state of another ranking is of no use any more.
            self._states = {key: own for key, own in self._states.items() if key[0] == model.run}
            state = self._states[model.run, side] = _State(self._group(model, side))
        for event in history[state.events :]:
            _go_through(state.rows, event, history[: state.events + 1], len(model.grouping.layout.values))
            state.events += 1
        return state.rows

    def _group(self, model: Model, side: Side) -> Sequence[Rows]:
        # Several blocks are worked on at once, by as many threads as the worker has.
        share_cores(1)
        nothing = CodedRows.of_nothing(self.labelled.codes)
        rows = {"labelled": nothing, "unlabelled": nothing, side: getattr(self, side)}
        dataset = _dataset(rows["labelled"], rows["unlabelled"], model.classes)
        if side == "unlabelled":
            # These are scored by the model of all labelled rows, whatever scores the labelled ones.
            return RowGroups(dataset, replace(model.grouping, estimate="resubstitution"), model.counts).unlabelled
        dealt = None if self.copies is None else DealtRows(self.copies, model.fold_counts)
        return RowGroups(dataset, model.grouping, model.counts, dealt).labelled

    def __reduce__(self) -> tuple[Any, ...]:
        # Without its state, which can be had again.
        return Block, (self.labelled, self.unlabelled, self.copies)

    def __sizeof__(self) -> int:
        """With its state, which takes memory as soon as the first question is asked."""
        folds = 0 if self.copies is None else self.copies.nbytes
        return self.labelled.size() + self.unlabelled.size() + folds


@dataclass(frozen=True, eq=False)
class CodedRows:
    """Rows sorted by class: the class and count of each, and a line of codes for each feature."""

    labels: Labels
    counts: Integers
    codes: Codes

    @classmethod
    def sorted(cls, labels: Labels, counts: Integers, codes: Codes) -> CodedRows:
        order = np.argsort(labels, kind="stable")
        order = order[counts[order] > 0]
        if np.array_equal(order, np.arange(len(labels))):
            return cls(labels, counts, np.ascontiguousarray(codes))
        return cls(labels[order], counts[order], np.take(codes, order, axis=1))

    @classmethod
    def of_nothing(cls, like: Codes) -> CodedRows:
        return cls(np.zeros(0, dtype=np.int8), np.zeros(0, dtype=np.int64), np.zeros((len(like), 0), dtype=like.dtype))

    def size(self) -> int:
        return self.codes.nbytes + _BYTES_OF_A_ROW * len(self.counts)


def _dataset(labelled: CodedRows, unlabelled: CodedRows, classes: tuple[str, ...]) -> Dataset:
    no_labels = text_array([])
    features = tuple(
        Feature("", no_labels, own, further) for own, further in zip(labelled.codes, unlabelled.codes, strict=True)
    )
    return Dataset(features, classes, labelled.labels, labelled.counts, unlabelled.counts)


def _go_through(rows: Sequence[Rows], event: Updated | Shrunk, until: History, features: int) -> None:
    if isinstance(event, Updated):
        for group in rows:
            group.update(event.features, event.sign)
        return
    active = active_after(until, features)
    for group in rows:
        group.set_exponent(event.exponent, active)


def active_after(history: History, features: int) -> npt.NDArray[np.intp]:
    """The features that take part after all of this happened."""
    active = np.zeros(features, dtype=np.bool_)
    for event in history:
        if isinstance(event, Updated):
            active[event.features] = event.sign > 0
    return np.flatnonzero(active)
