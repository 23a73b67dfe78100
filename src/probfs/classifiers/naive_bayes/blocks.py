"""Naive Bayes of rows in blocks: which model scores which rows, what is asked of a block, and how answers add up.

A block's rows and their log-odds follow from the model and from the features that are active. They are brought up to
date where the block still has them from the question before, and made anew where it has not: after a worker died, for
instance. Either way they are the same, up to rounding.
"""

from __future__ import annotations

import math
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate

import numpy as np
import numpy.typing as npt

from probfs.classifiers.compiling import why_not_compiled
from probfs.classifiers.naive_bayes.model import IMPOSSIBLE, LogOdds
from probfs.classifiers.naive_bayes.rows import CompiledRows, Rows
from probfs.classifiers.options import EstimateName
from probfs.classifiers.protocol import Features
from probfs.classifiers.row_odds import Moments, RowOdds, least_probability
from probfs.columns.dataset import Dataset, ValueCounts, weigh
from probfs.rows.blocks import EVERYTHING, Block, Blocks, Part
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
    by_time: bool = False
    """Whether each fold is judged by a model of those before it; the first is not judged."""
    left_out: tuple[Floats, ...] = ()
    """Of each class, the different weights of its rows, for ``estimate="loo"``."""
    part: Part = EVERYTHING
    key: str = field(default_factory=lambda: uuid.uuid4().hex)
    """By which blocks know the model again."""

    @cached_property
    def of_all_rows(self) -> LogOdds:
        return LogOdds.of(self.counts, self.smoothing)

    @cached_property
    def of_labelled_rows(self) -> LogOdds:
        """One model for each class and weight of rows that are left out, one for each fold, or one for all rows."""
        if self.estimate == "loo":
            left_out = [(label, weight) for label, weights in enumerate(self.left_out) for weight in weights.tolist()]
            return LogOdds.join([LogOdds.of(self.counts, self.smoothing, *row) for row in left_out])
        if self.estimate == "cv":
            without = accumulate(self.folds[:-1]) if self.by_time else [self.counts - fold for fold in self.folds]
            return LogOdds.join([LogOdds.of(training, self.smoothing) for training in without])
        return self.of_all_rows

    def labelled_rows(self, dataset: Dataset, block: Block | None = None) -> Rows:
        """The labelled rows of a dataset that count for something; where the model has folds, those of a block whose
        rows were dealt out to them.
        """
        rows = np.flatnonzero(dataset.counts)
        model, counts = np.zeros_like(rows), dataset.counts[rows]
        if self.folds:
            assert block is not None, "the rows were not dealt out"
            assert block.places is not None
            if dataset.keeps_copies_together:
                # Each row is in one fold, and there may be very many of them.
                model = block.places[rows].astype(np.int64)
            else:
                copies = np.array([block.copies(fold) for fold in range(block.folds)])
                model, rows = np.nonzero(copies)
                counts = copies[model, rows]
            if self.by_time:
                later = model > 0
                rows, model, counts = rows[later], model[later] - 1, counts[later]
        elif self.estimate == "loo":
            model = dataset.labels[rows].astype(np.int64)
            if dataset.weights is not None:
                starts, labels = np.cumsum([0, *map(len, self.left_out)]), model.copy()
                for label, known in enumerate(self.left_out):
                    own = labels == label
                    model[own] = starts[label] + np.searchsorted(known, dataset.weights[rows[own]])
        # Neighbours look up the same tables where they are of one class; few keys are sorted fast.
        keys = model * len(dataset.classes) + dataset.labels[rows]
        order = np.argsort(keys.astype(np.min_scalar_type(int(keys.max(initial=0)))), kind="stable")
        rows, model, counts = rows[order], model[order], counts[order]
        return self._make_rows(
            [feature.labelled for feature in dataset.features],
            rows,
            counts,
            weigh(counts, None if dataset.weights is None else dataset.weights[rows]),
            dataset.labels[rows].astype(np.int64),
            model,
            self.of_labelled_rows,
            None if dataset.groups is None else dataset.groups[rows],
        )

    def unlabelled_rows(self, dataset: Dataset) -> Rows:
        """The unlabelled rows, scored by the model of all labelled rows, whatever scores the labelled ones."""
        columns = [feature.unlabelled for feature in dataset.features]
        rows = np.flatnonzero(dataset.unlabelled_counts)
        counts = dataset.unlabelled_counts[rows]
        return self._make_rows(columns, rows, counts, weigh(counts, None), None, np.zeros_like(rows), self.of_all_rows)

    def _make_rows(
        self,
        columns: Sequence[Codes],
        rows: npt.NDArray[np.intp],
        counts: Integers,
        weights: Floats,
        labels: Integers | None,
        model: Integers,
        models: LogOdds,
        subjects: Integers | None = None,
    ) -> Rows:
        codes = np.empty((len(columns), len(rows)), dtype=code_dtype(self.counts.values))
        for own_codes, column in zip(codes, columns, strict=True):
            own_codes[:] = column.take(rows)
        kind = CompiledRows if self.compiled and why_not_compiled() is None else Rows
        impossible = math.inf if self.smoothing else IMPOSSIBLE
        own_counts = counts.astype(np.float64)
        return kind(codes, own_counts, weights, labels, model, self.counts.offset, models, impossible, subjects)


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
    """What the rows weigh."""
    copies: float
    """How many rows there are."""

    @property
    def errors(self) -> float:
        return float(self.blocks.ask(fit, self.model, self.state)[0])

    def loss(self, sharpness: float | None) -> float:
        return float(self.blocks.ask(_sum_losses, self.model, self.state, sharpness, self._least)) / self.rows

    def derivatives(self, sharpness: float) -> tuple[float, float]:
        slope, curvature = self.blocks.ask(_derivatives, self.model, self.state, sharpness)
        return slope, curvature

    def minus(self, sharpness: float | None, other: BlockOdds, other_sharpness: float | None) -> Moments:
        states = self.state, sharpness, other.state, other_sharpness
        return self.blocks.ask(_compare, self.model, *states, self._least)

    @property
    def _least(self) -> float:
        return least_probability(self.copies)


# What is asked of a block


def sum_changes(
    block: Block, model: Model, state: State, features: Features, unlabelled: bool
) -> tuple[Floats, Floats | None]:
    """``Rows.sum_changes`` of labelled rows and, where there are any, of unlabelled ones."""
    of_labelled = labelled(block, model, state).sum_changes(features)
    if not unlabelled:
        return of_labelled, None
    others = block.recall("unlabelled rows", model.key, lambda: model.unlabelled_rows(block.rows_of(model.part)))
    return of_labelled, others.bring(state.active, state.exponent).sum_changes(features)


def fit(block: Block, model: Model, state: State) -> Floats:
    """``Rows.fit`` of labelled rows."""
    return block.recall("fit", state.key(model), lambda: labelled(block, model, state).fit())


def labelled(block: Block, model: Model, state: State) -> Rows:
    """The labelled rows, brought up to date."""
    rows = block.recall("labelled rows", model.key, lambda: _make_labelled(block, model))
    return rows.bring(state.active, state.exponent)


def _make_labelled(block: Block, model: Model) -> Rows:
    return model.labelled_rows(block.rows_of(model.part), block)


def _odds(block: Block, model: Model, state: State) -> RowOdds:
    return block.recall("odds", state.key(model), lambda: labelled(block, model, state).row_odds())


def _sum_losses(block: Block, model: Model, state: State, sharpness: float | None, least: float) -> float:
    return _odds(block, model, state).sum_losses(sharpness, least)


def _derivatives(block: Block, model: Model, state: State, sharpness: float) -> tuple[float, float]:
    return _odds(block, model, state).derivatives(sharpness)


def _compare(
    block: Block,
    model: Model,
    state: State,
    sharpness: float | None,
    other: State,
    other_sharpness: float | None,
    least: float,
) -> Moments:
    def reference() -> Floats:
        # Of rows made for this alone, so that those of the elimination stay as they are.
        rows = _make_labelled(block, model).bring(other.active, other.exponent)
        return rows.row_odds().losses(other_sharpness, least)

    theirs = block.recall("reference", (other.key(model), other_sharpness), reference)
    odds = _odds(block, model, state)
    return odds.moments(odds.losses(sharpness, least) - theirs)
