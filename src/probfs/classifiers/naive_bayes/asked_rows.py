"""The rows of all blocks as one Naive Bayes model sees them: what is asked of a block, and how answers become scores.

A block's rows and their log-odds follow from the model and from the features that are active. They are brought up to
date where the block still has them from the question before, and made anew where it has not: after a worker died, for
instance. Either way they are the same, up to rounding.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from probfs.classifiers.naive_bayes.grouping import Grouping
from probfs.classifiers.naive_bayes.rows import Features, Fit, Rows, Sums
from probfs.classifiers.row_odds import Moments, RowLosses, RowOdds, TemperedSums
from probfs.columns.dataset import Dataset
from probfs.rows.block import Block, Part
from probfs.rows.blocks import Blocks
from probfs.tables.arrays import Flags, Floats


@dataclass(frozen=True, eq=False)
class Model:
    """What scores the rows of all blocks."""

    grouping: Grouping
    part: Part
    key: str = field(default_factory=lambda: uuid.uuid4().hex)
    """By which blocks know the model again."""


@dataclass(frozen=True, eq=False)
class State:
    """What changes during an elimination."""

    active: Flags
    exponent: float = 1.0

    def key(self, model: Model) -> tuple[str, bytes, float]:
        return model.key, self.active.tobytes(), self.exponent


class AskedRows:
    """The rows of all blocks; sums over them are all that anyone sees."""

    def __init__(self, blocks: Blocks, model: Model, dataset: Dataset) -> None:
        """``dataset`` says how many rows there are; it need not have them."""
        self._blocks = blocks
        self._model = blocks.share(model)
        self._rows = float(model.grouping.counts.rows.sum())
        self._unlabelled = bool(dataset.unlabelled_rows)
        self.state = State(np.ones(len(dataset.features), dtype=np.bool_))

    def sum_changes(self, features: Features) -> tuple[Sums, Sums | None]:
        """Of labelled rows and, where there are any, of unlabelled ones."""
        return self._blocks.ask(_sum_changes, self._model, self.state, features, self._unlabelled)

    def fit(self) -> Fit:
        return self._blocks.ask(_fit, self._model, self.state)

    def squared_ranges(self) -> tuple[Floats, Floats | None]:
        return self._blocks.ask(_squared_ranges, self._model, self.state, self._unlabelled)

    def odds(self, active: Flags | None = None) -> AskedOdds:
        """The odds of labelled rows with the active features, or with others."""
        state = State(self.state.active if active is None else active, self.state.exponent)
        return AskedOdds(self._blocks, self._model, state, self._rows)


@dataclass(frozen=True, eq=False)
class AskedOdds:
    """``Odds`` of rows in blocks, at exponent 1."""

    blocks: Blocks
    model: Model
    state: State
    rows: float

    @property
    def errors(self) -> float:
        return self.blocks.ask(_fit, self.model, self.state).errors

    def tempered(self, least: float, *, compiled: bool = False) -> Callable[[float], TemperedSums]:
        return partial(self._sum_tempered, least, compiled)

    def _sum_tempered(self, least: float, compiled: bool, sharpness: float) -> TemperedSums:
        return self.blocks.ask(_tempered_sums, self.model, self.state, sharpness, least, compiled)

    def losses(self, sharpness: float | None, least: float) -> AskedLosses:
        return AskedLosses(self, 1.0 if sharpness is None else sharpness, least)


@dataclass(frozen=True, eq=False)
class AskedLosses:
    """``Losses`` of rows in blocks."""

    odds: AskedOdds
    sharpness: float
    least: float

    def minus(self, other: AskedLosses) -> Moments:
        own = self.odds
        return own.blocks.ask(
            _compare, own.model, own.state, self.sharpness, other.odds.state, other.sharpness, self.least
        )


# What is asked of a block


def _labelled(block: Block, model: Model, state: State) -> Rows:
    def group() -> Rows:
        return model.grouping.group_labelled(block.rows_of(model.part), block.copies)

    return block.recall("labelled rows", model.key, group).bring(state.active, state.exponent)


def _sum_changes(
    block: Block, model: Model, state: State, features: Features, unlabelled: bool
) -> tuple[Sums, Sums | None]:
    def group() -> Rows:
        return model.grouping.group_unlabelled(block.rows_of(model.part))

    own = _labelled(block, model, state).sum_changes(features)
    if not unlabelled:
        return own, None
    others = block.recall("unlabelled rows", model.key, group).bring(state.active, state.exponent)
    return own, others.sum_changes(features)


def _fit(block: Block, model: Model, state: State) -> Fit:
    return block.recall("fit", state.key(model), lambda: _labelled(block, model, state).fit())


def _squared_ranges(block: Block, model: Model, state: State, unlabelled: bool) -> tuple[Floats, Floats | None]:
    own = _labelled(block, model, state).squared_ranges()
    if not unlabelled:
        return own, None
    return own, model.grouping.group_unlabelled(block.rows_of(model.part)).squared_ranges()


def _odds(block: Block, model: Model, state: State) -> RowOdds:
    return block.recall("odds", state.key(model), lambda: _labelled(block, model, state).row_odds())


def _tempered_sums(
    block: Block, model: Model, state: State, sharpness: float, least: float, compiled: bool
) -> TemperedSums:
    return _odds(block, model, state).tempered(least, compiled=compiled)(sharpness)


def _compare(
    block: Block, model: Model, state: State, sharpness: float, other: State, other_sharpness: float, least: float
) -> Moments:
    def reference() -> RowLosses:
        # Of rows of its own, so that the rows of the elimination stay as they are.
        rows = model.grouping.group_labelled(block.rows_of(model.part), block.copies)
        return rows.bring(other.active, other.exponent).row_odds().losses(other_sharpness, least)

    theirs = block.recall("reference", (other.key(model), other_sharpness), reference)
    return _odds(block, model, state).losses(sharpness, least).minus(theirs)
