"""Categorical Naive Bayes: leave-one-out by table look-up, removal by division, no refit anywhere.

All results are sums over blocks of rows. The log-odds of a block's rows follow from the model and the active features.
A block updates the log-odds that it remembers, or computes them anew if it has lost them, after a worker died for
instance: both are the same up to rounding.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from probfs.classifiers.naive_bayes.model import IMPOSSIBLE, Shrinkage, ShrinkName
from probfs.classifiers.naive_bayes.rows import Model, Rows, compile_rows, scale_smoothing
from probfs.classifiers.options import DEFAULT_FOLDS, EstimateName
from probfs.classifiers.protocol import Features, RoundScores
from probfs.classifiers.row_odds import Moments, RowOdds, least_probability
from probfs.columns.dataset import Dataset, ValueCounts
from probfs.columns.folds import check_class_sizes, consecutive_folds, refuse_many_folds
from probfs.notes import Note, NoteKind
from probfs.rows.blocks import EVERYTHING, Block, Blocks, LocalBlocks, deal_blocks
from probfs.runtime.memory import require_memory
from probfs.screening.counting import count_folds, count_part
from probfs.tables.arrays import Flags, Floats, Integers, code_type

if TYPE_CHECKING:
    from probfs.classifiers.protocol import FitRequest, HoldOutRequest

_CELLS_WORTH_COMPILING = 30_000_000
"""Cells of all rounds together, times the number of classes less one, from which on compiled loops save more than the
half second that loading them takes. On their first use on a machine they are compiled, which takes a few seconds.
"""
_CELLS_PER_ROW = 15
"""In each round, what is computed from a row's odds takes as long as this many cells."""
_MOST_CELLS_LEFT_OUT = 1 << 22
"""Most cells of all tables for leave-one-out: there is one for each subject, or for each class and weight."""
_NEGLIGIBLE = math.exp(-IMPOSSIBLE)


@dataclass(frozen=True, eq=False)
class State:
    """The active features and the exponent of a round. A selection keeps all states, so flags are bits."""

    bits: bytes
    features: int
    exponent: float

    @classmethod
    def of(cls, active: Flags, exponent: float) -> State:
        return cls(np.packbits(active).tobytes(), len(active), exponent)

    @property
    def active(self) -> Flags:
        bits = np.frombuffer(self.bits, dtype=np.uint8)
        return np.unpackbits(bits, count=self.features).astype(np.bool_)

    def key(self, model: Model) -> tuple[str, bytes, float]:
        return model.key, self.bits, self.exponent


@dataclass(frozen=True, eq=False)
class BlockOdds:
    """``Odds`` of labelled rows in blocks, at exponent 1."""

    blocks: Blocks
    model: Model
    state: State
    rows: float
    """What they weigh."""
    copies: float

    @property
    def errors(self) -> float:
        return self.blocks.ask(count_errors, self.model, self.state)

    def loss_and_derivatives(self, sharpness: float) -> tuple[float, float, float]:
        sums = self.blocks.ask(sum_losses, self.model, self.state, sharpness, self._least)
        loss, slope, curvature = sums.tolist()
        return loss / self.rows, slope, curvature

    def minus(self, sharpness: float | None, other: BlockOdds, other_sharpness: float | None) -> Moments:
        states = self.state, sharpness, other.state, other_sharpness
        return self.blocks.ask(_compare, self.model, *states, self._least)

    @property
    def _least(self) -> float:
        return least_probability(self.copies)


class FittedNaiveBayes:
    """A fitted Naive Bayes model and the features it still uses."""

    calibrated = False
    """Redundant columns make its probabilities too extreme."""

    def __init__(
        self, request: FitRequest, smoothing: float, shrink: ShrinkName = "off", *, compiled: bool | None = None
    ) -> None:
        """``compiled`` says whether to use compiled loops, None that the size of the table decides; no ranking depends
        on it.

        Rows come from ``request.part`` of ``request.blocks``, or from the dataset itself. The dataset has the features
        of the part, and its counts say how many rows each class has.
        """
        dataset, estimate, folds, part = request.dataset, request.estimate, request.folds or 0, request.part
        if estimate != "resubstitution":
            check_class_sizes(dataset)
        left_out: tuple[Floats, ...] = ()
        self._folds_note: Note | None = None
        if estimate == "loo":
            weights = np.ones(len(dataset.counts)) if dataset.weights is None else dataset.weights
            of_classes = [(dataset.counts > 0) & (dataset.labels == label) for label in range(len(dataset.classes))]
            left_out = tuple(np.unique(weights[rows]) for rows in of_classes)
            models = sum(map(len, left_out)) if dataset.groups is None else dataset.units
            self._folds_note = _note_on_folds(dataset, models)
            if dataset.groups is not None or self._folds_note is not None:
                # Each subject is a fold, or all are dealt out to fewer folds.
                folds = models if self._folds_note is None else min(DEFAULT_FOLDS, dataset.units)
                estimate, left_out = "cv", ()
        self._rows, self._weight, self._unlabelled_rows = dataset.rows, dataset.total_weight, dataset.unlabelled_rows
        rows_before: tuple[float, ...] = ()
        if estimate == "cv" and dataset.times is not None:
            fold_of_each = consecutive_folds(dataset, folds)
            rows_before = tuple(np.bincount(fold_of_each, dataset.counts, folds).cumsum()[:-1].tolist())
            judged = replace(dataset, counts=np.where(fold_of_each > 0, dataset.counts, 0))
            self._rows, self._weight = judged.rows, judged.total_weight
        self._smoothing = smoothing
        blocks = LocalBlocks(Block(dataset)) if request.blocks is None else request.blocks
        classes, rounds = len(dataset.classes), request.rounds
        if compiled is None:
            cells = blocks.ask(_stored_rows) * (sum(rounds) + _CELLS_PER_ROW * len(rounds)) * (classes - 1)
            compiled = cells >= _CELLS_WORTH_COMPILING
        reasons: list[str | None] = []
        if compiled:
            # Loops are compiled where the blocks are: another machine may lack what compiling needs.
            reasons = blocks.each(compile_rows, code_type(int(_values(dataset).max(initial=0))), classes)
        self._not_compiled_because = next(filter(None, reasons), None)
        counts = blocks.ask(count_part, part) if request.counts is None else request.counts
        fold_counts: tuple[ValueCounts, ...] = ()
        if estimate == "cv":
            refuse_many_folds(dataset, folds)
            blocks, part = deal_blocks(blocks, part, folds, request.seed), EVERYTHING
            fold_counts = tuple(blocks.ask(count_folds))
        compiled = compiled and self._not_compiled_because is None
        self._blocks = blocks
        model = Model(counts, smoothing, estimate, compiled, fold_counts, rows_before, left_out, part)
        self._model = blocks.share(model)
        self._shrinkage = Shrinkage(shrink, counts, smoothing)
        self._is_active = np.ones(len(dataset.features), dtype=np.bool_)
        self.drop(np.empty(0, dtype=np.intp))

    @property
    def notes(self) -> tuple[Note, ...]:
        notes = [note for note in (self._shrinkage.note, self._folds_note) if note is not None]
        if self._not_compiled_because is not None:
            message = f"compiled loops are not available ({self._not_compiled_because}), so this took longer"
            notes.append(NoteKind.NOT_COMPILED.note(message))
        return tuple(notes)

    def odds(self, features: Sequence[int] | None = None) -> BlockOdds:
        """The odds of the labelled rows, at exponent 1, with the active features or with some others."""
        state = self._state
        if features is not None:
            active = np.zeros_like(self._is_active)
            active[list(features)] = True
            state = State.of(active, state.exponent)
        return BlockOdds(self._blocks, self._model, state, self._weight, float(self._rows))

    def score(self) -> RoundScores:
        others = self._unlabelled_rows
        question = score_rows, self._model, self._state, self.active, others > 0
        fitted, labelled, unlabelled = self._blocks.ask(*question)

        def mean(sums: Floats, rows: float) -> Floats:
            # In the limit of smoothing 0, such small changes are 0.
            return (sums if self._smoothing else np.where(np.abs(sums) < _NEGLIGIBLE, 0.0, sums)) / rows

        s_s, s_a = (mean(sums, self._weight) for sums in labelled)
        s_su = None if unlabelled is None else mean(labelled[0] + unlabelled[0], self._weight + others)
        errors, absolute_loss, log_loss = fitted.tolist()
        losses = absolute_loss / self._weight, log_loss / self._weight
        return RoundScores(s_s, s_a, s_su, self._rows, round(errors), *losses, self._shrinkage.exponent)

    def drop(self, features: Features) -> None:
        self._is_active[features] = False
        self.active: Features = self._is_active.nonzero()[0]
        self._shrinkage.follow(self.active)
        self._state = State.of(self._is_active, self._shrinkage.exponent)


def _note_on_folds(dataset: Dataset, models: int) -> Note | None:
    """A note if leaving rows out one by one takes too many models, so that ten folds are left out instead."""
    if dataset.groups is None and dataset.weights is None:
        return None
    cells, fewer = models * len(dataset.classes) * int((_values(dataset) + 1).sum()), min(DEFAULT_FOLDS, dataset.units)
    if cells <= _MOST_CELLS_LEFT_OUT or models <= fewer:
        return None
    what, kind = f"rows of {models:,} different weights and classes", NoteKind.WEIGHT_FOLDS
    if dataset.groups is not None:
        what, kind = f"{models:,} subjects", NoteKind.SUBJECT_FOLDS
    problem = f"leaving out one by one of {what} would take tables of {cells:,} cells"
    return kind.note(f"{problem}, so {fewer} folds of them are left out")


def require_memory_for(dataset: Dataset, estimate: EstimateName, folds: int) -> None:
    """Refuse a table that does not fit into memory."""
    values, classes = _values(dataset), len(dataset.classes)
    models = folds if estimate == "cv" else classes
    # A copy of each row's codes, log-odds and posterior for each class, and six numbers more.
    row = code_type(int(values.max(initial=0))).itemsize * len(values) + 16 * classes + 48
    rows = len(dataset.counts) + len(dataset.unlabelled_counts)
    tables = 4 * models * classes * int((values + 1).sum()) * 8
    require_memory(rows * row + tables, "ranking this", dataset.source)


def judge_held_out(request: HoldOutRequest, smoothing: float) -> RowOdds:
    """The odds of the held-out rows by the model of the training rows: class by class, otherwise in their order."""
    features = np.asarray(request.features, dtype=np.int64)
    if request.dataset.times is not None:
        smoothing = scale_smoothing(smoothing, request.training, request.dataset.rows)
    model = Model(request.training.of_features(features), smoothing, "resubstitution", compiled=False)
    dataset = replace(
        request.dataset,
        features=tuple(request.dataset.features[feature] for feature in features.tolist()),
        counts=request.held_out,
    )
    return model.labelled_rows(dataset).bring(np.ones(len(features), dtype=np.bool_)).row_odds()


def _values(dataset: Dataset) -> Integers:
    return np.array([feature.values for feature in dataset.features], dtype=np.int64)


def _stored_rows(block: Block) -> int:
    return len(block.dataset.counts) + len(block.dataset.unlabelled_counts)


# Functions that are asked of blocks


def score_rows(
    block: Block, model: Model, state: State, features: Features, unlabelled: bool
) -> tuple[Floats, Floats, Floats | None]:
    """``Rows.fit`` and ``Rows.sum_changes`` of labelled rows, and the latter of unlabelled ones if there are any."""
    rows = labelled(block, model, state)
    fitted, changes = rows.fit(), rows.sum_changes(features)
    if not unlabelled:
        return fitted, changes, None
    others = block.recall("unlabelled rows", model.key, lambda: model.unlabelled_rows(block.rows_of(model.part)))
    return fitted, changes, others.bring(state.active, state.exponent).sum_changes(features)


def count_errors(block: Block, model: Model, state: State) -> float:
    return float(labelled(block, model, state).fit()[0])


def labelled(block: Block, model: Model, state: State) -> Rows:
    """The labelled rows, brought up to date."""
    rows = block.recall("labelled rows", model.key, lambda: _make_labelled(block, model))
    return rows.bring(state.active, state.exponent)


def _make_labelled(block: Block, model: Model) -> Rows:
    return model.labelled_rows(block.rows_of(model.part), block)


def sum_losses(block: Block, model: Model, state: State, sharpness: float, least: float) -> Floats:
    """``RowOdds.sums`` of labelled rows."""
    return labelled(block, model, state).sum_losses(sharpness, least)


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
        # The rows of the elimination must keep their state, so rows are made for this alone.
        rows = _make_labelled(block, model).bring(other.active, other.exponent)
        return rows.row_odds().losses(other_sharpness, least)

    theirs = block.recall("reference", (other.key(model), other_sharpness), reference)
    odds = labelled(block, model, state).row_odds()
    return odds.moments(odds.losses(sharpness, least) - theirs)
