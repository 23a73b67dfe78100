"""Naive Bayes of rows in blocks: which model scores which rows, what is asked of a block, and how answers add up.

A block's rows and their log-odds follow from the model and from the features that are active. They are brought up to
date where the block still has them from the question before, and made anew where it has not: after a worker died, for
instance. Either way they are the same, up to rounding.
"""

from __future__ import annotations

import math
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from probfs.classifiers.compiling import why_not_compiled
from probfs.classifiers.naive_bayes.model import IMPOSSIBLE, LogOdds
from probfs.classifiers.naive_bayes.rows import UNLABELLED, CompiledRows, Features, Group, Rows
from probfs.classifiers.options import EstimateName
from probfs.classifiers.row_odds import Moments, RowLosses, RowOdds, TemperedSums
from probfs.columns.dataset import Dataset, ValueCounts
from probfs.rows.block import EVERYTHING, Block, Part
from probfs.rows.blocks import Blocks
from probfs.tables.arrays import Codes, Flags, Floats, Integers


@dataclass(frozen=True, eq=False)
class Model:
    """What scores the rows of all blocks."""

    counts: ValueCounts
    """Of all labelled rows, wherever they are."""
    smoothing: float
    estimate: EstimateName
    compiled: bool
    """Whether compiled loops go through the cells, where they can be had."""
    folds: tuple[ValueCounts, ...] = ()
    """Of each fold, for ``estimate="cv"``."""
    part: Part = EVERYTHING
    key: str = field(default_factory=lambda: uuid.uuid4().hex)
    """By which blocks know the model again."""

    @cached_property
    def of_all_rows(self) -> LogOdds:
        return LogOdds.of(self.counts, self.smoothing)

    @cached_property
    def of_labelled_rows(self) -> list[LogOdds]:
        """One for each class whose rows are left out, one for each fold, or one for all rows."""
        if self.estimate == "loo":
            return [LogOdds.of(self.counts, self.smoothing, left_out) for left_out in self._classes]
        if self.estimate == "cv":
            return [LogOdds.of(self.counts - fold, self.smoothing) for fold in self.folds]
        return [self.of_all_rows]

    @property
    def _classes(self) -> range:
        return range(len(self.counts.class_rows))

    def group_labelled(self, dataset: Dataset, copies: Callable[[int], Integers]) -> Rows:
        """The labelled rows of a dataset that count for something; ``copies`` says how many of each a fold has."""
        members, counts, scored = [], [], []
        for fold in range(max(1, len(self.folds))):
            copies_here = copies(fold) if self.folds else dataset.counts
            for label in self._classes:
                rows = np.flatnonzero((dataset.labels == label) & (copies_here > 0))
                members.append(rows)
                counts.append(copies_here[rows])
                scored.append((label, {"loo": label, "cv": fold}.get(self.estimate, 0)))
        columns = [feature.labelled for feature in dataset.features]
        return self._rows(columns, members, counts, scored, self.of_labelled_rows)

    def group_unlabelled(self, dataset: Dataset) -> Rows:
        """The unlabelled rows, scored by the model of all labelled rows, whatever scores the labelled ones."""
        columns = [feature.unlabelled for feature in dataset.features]
        members = np.flatnonzero(dataset.unlabelled_counts)
        counts = dataset.unlabelled_counts[members]
        return self._rows(columns, [members], [counts], [(UNLABELLED, 0)], [self.of_all_rows])

    def _rows(
        self,
        columns: Sequence[Codes],
        members: Sequence[npt.NDArray[np.intp]],
        counts: Sequence[Integers],
        scored: Sequence[tuple[int, int]],
        models: Sequence[LogOdds],
    ) -> Rows:
        """Groups of rows one after the other: ``scored`` has the label and the model of each."""
        ends = np.cumsum([len(rows_here) for rows_here in members]).tolist()
        groups = [
            Group(end - len(rows_here), end, label, model)
            for rows_here, end, (label, model) in zip(members, ends, scored, strict=True)
            if len(rows_here)
        ]
        rows = np.concatenate(members)
        codes = np.empty((len(columns), len(rows)), dtype=code_dtype(self.counts.values))
        for own_codes, column in zip(codes, columns, strict=True):
            own_codes[:] = column.take(rows)
        kind = CompiledRows if self.compiled and why_not_compiled() is None else Rows
        row_counts: Floats = np.concatenate([np.empty(0), *counts])
        impossible = math.inf if self.smoothing else IMPOSSIBLE
        return kind(codes, row_counts, groups, self.counts.offset, models, impossible)

    def squared_ranges(self, exponent: float) -> Floats:
        """For each feature the sum over labelled rows of the squared range of log p(v|c) over the classes."""
        held_out = self.folds or [self.counts] * len(self.of_labelled_rows)
        by_slot = np.zeros(len(self.counts.by_slot))
        for place, (counts, model) in enumerate(zip(held_out, self.of_labelled_rows, strict=True)):
            rows = counts.by_slot[:, place] if self.estimate == "loo" else counts.by_slot.sum(axis=1)
            by_slot += rows * model.raised_to(exponent).squared_range
        return np.add.reduceat(by_slot, self.counts.offset)


def code_dtype(values: Integers) -> np.dtype[np.unsignedinteger]:
    """The narrowest dtype that fits the codes of features with so many values, a missing cell's included."""
    return np.min_scalar_type(int(values.max(initial=0)))


@dataclass(frozen=True, eq=False)
class State:
    """What changes during an elimination."""

    active: Flags
    exponent: float = 1.0

    def key(self, model: Model) -> tuple[str, bytes, float]:
        return model.key, self.active.tobytes(), self.exponent


@dataclass(frozen=True, eq=False)
class BlockOdds:
    """``Odds`` of labelled rows in blocks, at exponent 1."""

    blocks: Blocks
    model: Model
    state: State
    rows: float

    @property
    def errors(self) -> float:
        return float(self.blocks.ask(fit, self.model, self.state)[0])

    def tempered(self, least: float) -> Callable[[float], TemperedSums]:
        return lambda sharpness: self.blocks.ask(_tempered_sums, self.model, self.state, sharpness, least)

    def losses(self, sharpness: float | None, least: float) -> BlockLosses:
        return BlockLosses(self, 1.0 if sharpness is None else sharpness, least)


@dataclass(frozen=True, eq=False)
class BlockLosses:
    """``Losses`` of rows in blocks."""

    odds: BlockOdds
    sharpness: float
    least: float

    def minus(self, other: BlockLosses) -> Moments:
        ask, model, state = self.odds.blocks.ask, self.odds.model, self.odds.state
        return ask(_compare, model, state, self.sharpness, other.odds.state, other.sharpness, self.least)


# What is asked of a block


def sum_changes(
    block: Block, model: Model, state: State, features: Features, unlabelled: bool
) -> tuple[Floats, Floats | None]:
    """``Rows.sum_changes`` of labelled rows and, where there are any, of unlabelled ones."""

    def group() -> Rows:
        return model.group_unlabelled(block.rows_of(model.part))

    of_labelled = labelled(block, model, state).sum_changes(features)
    if not unlabelled:
        return of_labelled, None
    others = block.recall("unlabelled rows", model.key, group).bring(state.active, state.exponent)
    return of_labelled, others.sum_changes(features)


def fit(block: Block, model: Model, state: State) -> Floats:
    """``Rows.fit`` of labelled rows."""
    return block.recall("fit", state.key(model), lambda: labelled(block, model, state).fit())


def labelled(block: Block, model: Model, state: State) -> Rows:
    """The labelled rows, brought up to date."""
    rows = block.recall("labelled rows", model.key, lambda: _group_labelled(block, model))
    return rows.bring(state.active, state.exponent)


def _group_labelled(block: Block, model: Model) -> Rows:
    return model.group_labelled(block.rows_of(model.part), block.copies)


def _odds(block: Block, model: Model, state: State) -> RowOdds:
    return block.recall("odds", state.key(model), lambda: labelled(block, model, state).row_odds())


def _tempered_sums(block: Block, model: Model, state: State, sharpness: float, least: float) -> TemperedSums:
    return _odds(block, model, state).tempered(least, compiled=model.compiled)(sharpness)


def _compare(
    block: Block, model: Model, state: State, sharpness: float, other: State, other_sharpness: float, least: float
) -> Moments:
    def reference() -> RowLosses:
        # Of rows made for this alone, so that those of the elimination stay as they are.
        rows = _group_labelled(block, model).bring(other.active, other.exponent)
        return rows.row_odds().losses(other_sharpness, least)

    theirs = block.recall("reference", (other.key(model), other_sharpness), reference)
    return _odds(block, model, state).losses(sharpness, least).minus(theirs)
