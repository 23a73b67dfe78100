"""A block of rows as a worker holds it: codes, and the rows' odds, which follow from the codes and from what happened.

A worker may die, restart or be told to put its blocks on disk. So nothing that it holds is more than a memory of what
can be computed again: a block comes from its files, and its state from the block and the history of the ranking, which
every question brings along. A state is brought up to date where there is one, and else begun anew. It goes through the
same steps either way, so that answers do not depend on which of the two happened.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import add
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from probfs.classifiers.naive_bayes.grouping import DealtRows, Grouping, SummedRows, group_rows
from probfs.classifiers.naive_bayes.model import ClassCounts
from probfs.classifiers.row_odds import RowLosses, RowOdds, TemperedSums
from probfs.cluster.coded_rows import CodedRows, make_dataset
from probfs.tables.arrays import Integers

if TYPE_CHECKING:
    from probfs.cluster.encoding_plan import EncodedBlock

Side = Literal["labelled", "unlabelled"]


@dataclass(frozen=True)
class Activated:
    """As many features were made active: all of a model's."""

    features: int


@dataclass(frozen=True)
class Dropped:
    """Some features left."""

    features: tuple[int, ...]
    """Plain numbers: Dask would send each array of a long history apart."""


@dataclass(frozen=True)
class Shrunk:
    """All class weights were raised to a new power."""

    exponent: float


History: TypeAlias = tuple[Activated | Dropped | Shrunk, ...]


@dataclass(frozen=True, eq=False)
class Part:
    """Which features and rows of all blocks a model is made of."""

    features: Integers | None = None
    """By position; None for all."""
    held_out: int | None = None
    """The fold whose rows are left out."""


@dataclass(frozen=True, eq=False)
class Model:
    """What scores the rows of all blocks."""

    run: str
    """Which ranking it belongs to: a state of another one is of no use."""
    grouping: Grouping
    classes: tuple[str, ...]
    counts: ClassCounts
    """Of all labelled rows that take part."""
    part: Part = field(default_factory=Part)
    fold_counts: tuple[ClassCounts, ...] | None = None

    @property
    def features(self) -> Integers:
        """By position in the blocks."""
        own = self.part.features
        return np.arange(len(self.grouping.layout.values)) if own is None else own


@dataclass(frozen=True, eq=False)
class Question:
    """A method of ``SummedRows`` to call, or what is asked of the rows' odds, and with what."""

    method: str
    arguments: tuple[Any, ...] = ()


def _add_tempered(first: TemperedSums, second: TemperedSums) -> TemperedSums:
    return TemperedSums(*(own + more for own, more in zip(first, second, strict=True)))


JOIN: Mapping[str, Callable[[Any, Any], Any]] = {
    "sum_changes": add,
    "fit": add,
    "squared_ranges": add,
    "tempered_sums": _add_tempered,
    "loss_moments": add,
}
"""How the answers of two groups of rows, or of two blocks, become one."""


@dataclass
class _State:
    """The rows of one side, and how much of the history they have been through."""

    rows: SummedRows | None
    """None where a block has no rows of this side."""
    events: int = 0
    odds: RowOdds | None = None
    """As they are now, once they were asked for."""

    def current_odds(self) -> RowOdds:
        if self.odds is None:
            self.odds = _odds_of(self.rows)
        return self.odds


@dataclass(frozen=True, eq=False)
class Reference:
    """The losses that others are compared with: those of some features, by position in the model, at a temperature."""

    features: npt.NDArray[np.intp]
    temperature: float


class Block:
    """Rows of a table as codes, those of one class together."""

    def __init__(self, labelled: CodedRows, unlabelled: CodedRows, copies: Integers | None = None) -> None:
        """``copies`` says how many copies of each labelled row are in each fold, where rows were dealt out."""
        self.labelled = labelled
        self.unlabelled = unlabelled
        self.copies = copies
        self._lock = threading.Lock()
        self._states: dict[tuple[str, Side], _State] = {}
        self._compared_with: tuple[tuple[str, bytes, float], RowLosses] | None = None

    @classmethod
    def of(cls, encoded: EncodedBlock) -> Block:
        """The rows of an encoded block that count for something."""
        return cls(
            CodedRows.sorted(encoded.labels, encoded.counts, encoded.codes, encoded.numbers),
            CodedRows.sorted(
                np.zeros(len(encoded.unlabelled_counts), dtype=np.int8),
                encoded.unlabelled_counts,
                encoded.unlabelled_codes,
            ),
        )

    def counts_without(self, fold: int | None) -> Integers:
        """How many rows each labelled row stands for, without those of a fold."""
        if fold is None:
            return self.labelled.counts
        assert self.copies is not None, "the rows were not dealt out"
        left: Integers = self.labelled.counts - self.copies[fold]
        return left

    def with_folds(self, copies: Integers) -> Block:
        """The same rows, dealt out to folds. It is these that will be asked from now on, so what is kept of the others
        goes.
        """
        with self._lock:
            self._states, self._compared_with = {}, None
        return Block(self.labelled, self.unlabelled, copies.astype(np.min_scalar_type(-int(copies.max(initial=0)) - 1)))

    def answer(self, model: Model, side: Side, history: History, questions: Sequence[Question]) -> list[Any] | None:
        """The answers of the rows of one side, or None where there are no rows."""
        with self._lock:
            state = self._state_after(model, side, history)
            if state.rows is None:
                return None
            return [self._answer_one(state, model, side, one) for one in questions]

    def _answer_one(self, state: _State, model: Model, side: Side, question: Question) -> Any:
        if question.method == "tempered_sums":
            temperature, least, compiled = question.arguments
            return state.current_odds().tempered(least, compiled=compiled)(temperature)
        if question.method == "loss_moments":
            reference, temperature, least = question.arguments
            losses = state.current_odds().losses(temperature, least)
            return losses.minus(self._losses_of(reference, model, side, least))
        return getattr(state.rows, question.method)(*question.arguments)

    def _losses_of(self, reference: Reference, model: Model, side: Side, least: float) -> RowLosses:
        key = model.run, reference.features.tobytes(), reference.temperature
        if self._compared_with is None or self._compared_with[0] != key:
            rows = self._group(model, side)
            assert rows is not None
            rows.activate(reference.features)
            self._compared_with = key, _odds_of(rows).losses(reference.temperature, least)
        return self._compared_with[1]

    def _state_after(self, model: Model, side: Side, history: History) -> _State:
        state = self._states.get((model.run, side))
        if state is None or state.events > len(history):
            # A state of another ranking is of no use any more.
            self._compared_with = None
            self._states = {key: own for key, own in self._states.items() if key[0] == model.run}
            state = self._states[model.run, side] = _State(self._group(model, side))
        for event in history[state.events :]:
            if state.rows is not None:
                _go_through(state.rows, event)
            state.events += 1
            state.odds = None
        return state

    def _group(self, model: Model, side: Side) -> SummedRows | None:
        own: CodedRows = getattr(self, side).only(model.part.features)
        if side == "unlabelled":
            dataset = make_dataset(CodedRows.of_nothing(own.codes), own, model.classes)
            # These are scored by the model of all labelled rows, whatever scores the labelled ones.
            return group_rows(dataset, replace(model.grouping, estimate="resubstitution"), model.counts).unlabelled
        dealt = None if model.fold_counts is None or self.copies is None else DealtRows(self.copies, model.fold_counts)
        own = replace(own, counts=self.counts_without(model.part.held_out))
        if not own.counts.any():
            return None
        return group_rows(own.dataset(model.classes), model.grouping, model.counts, dealt).labelled

    def __reduce__(self) -> tuple[Any, ...]:
        # Without its state, which can be had again.
        return Block, (self.labelled, self.unlabelled, self.copies)

    def __sizeof__(self) -> int:
        """With its state, which takes memory as soon as the first question is asked."""
        folds = 0 if self.copies is None else self.copies.nbytes
        return self.labelled.size() + self.unlabelled.size() + folds


def _odds_of(rows: SummedRows | None) -> RowOdds:
    odds = None if rows is None else rows.row_odds()
    assert isinstance(odds, RowOdds)
    return odds


def _go_through(rows: SummedRows, event: Activated | Dropped | Shrunk) -> None:
    match event:
        case Activated(features):
            rows.activate(np.arange(features))
        case Dropped(features=dropped):
            rows.drop(np.array(dropped, dtype=np.intp))
        case Shrunk(exponent):
            rows.set_exponent(exponent)


def active_after(history: History) -> npt.NDArray[np.intp]:
    """The features that take part after all of this happened."""
    active: npt.NDArray[np.bool_] = np.zeros(0, dtype=np.bool_)
    for event in history:
        match event:
            case Activated(features):
                active = np.ones(features, dtype=np.bool_)
            case Dropped(features=dropped):
                active[list(dropped)] = False
    return np.flatnonzero(active)
