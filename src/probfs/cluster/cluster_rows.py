"""Rows that live in blocks on the workers of a cluster: a ``Rows`` like others, which asks all blocks and adds up."""

from __future__ import annotations

from functools import reduce
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from probfs.classifiers.naive_bayes.counts import ClassCounts
from probfs.classifiers.naive_bayes.rows import Rows
from probfs.classifiers.row_odds import RowOdds
from probfs.classifiers.sums import Fit, Sums
from probfs.cluster.block import JOIN, History, Question, Shrunk, Side, Updated
from probfs.tables.table import Floats


class Asks(Protocol):
    """Where blocks are, and how they are asked."""

    def ask(self, side: Side, history: History, questions: tuple[Question, ...]) -> list[list[Any]]:
        """The answers of each block that has such rows, in the order of blocks."""


class ClusterRows(Rows):
    """The rows of one side of all blocks. They change only when they are next asked: until then, what is to happen to
    them is written down.
    """

    def __init__(self, blocks: Asks, side: Side) -> None:
        self._blocks = blocks
        self._side: Side = side
        self._history: History = ()
        self._pulse: tuple[float, Fit | None] | None = None

    def update(self, features: npt.NDArray[np.intp], sign: int = 1) -> None:
        self._record(Updated(features.copy(), sign))

    def set_exponent(self, exponent: float, features: npt.NDArray[np.intp]) -> None:
        # The active features follow from the history.
        self._record(Shrunk(exponent))

    def sum_changes(self, features: npt.NDArray[np.intp], shift: int = 0) -> Sums:
        (sums,) = self._ask(Question("sum_changes", (features, shift)))
        return sums  # type: ignore[no-any-return]

    def least_gap(self) -> float:
        return self._take_pulse()[0]

    def fit(self) -> Fit:
        fit = self._take_pulse()[1]
        assert fit is not None
        return fit

    def largest_excess(self) -> Floats:
        (excess,) = self._ask(Question("largest_excess"))
        return excess  # type: ignore[no-any-return]

    def nearest_changes(self, features: npt.NDArray[np.intp]) -> Floats:
        (nearest,) = self._ask(Question("nearest_changes", (features,)))
        return nearest  # type: ignore[no-any-return]

    def reach(self, counts: ClassCounts) -> Floats | None:
        (reach,) = self._ask(Question("reach", (counts,)))
        return reach  # type: ignore[no-any-return]

    def squared_ranges(self) -> Floats:
        (ranges,) = self._ask(Question("squared_ranges"))
        return ranges  # type: ignore[no-any-return]

    def odds(self) -> RowOdds:
        raise NotImplementedError("the odds of single rows stay where the rows are")

    def _record(self, event: Updated | Shrunk) -> None:
        self._history = (*self._history, event)
        self._pulse = None

    def _take_pulse(self) -> tuple[float, Fit | None]:
        """The least gap and the fit, which every round asks for, by one question."""
        if self._pulse is None:
            if self._side == "labelled":
                gap, fit = self._ask(Question("least_gap"), Question("fit"))
            else:
                (gap,), fit = self._ask(Question("least_gap")), None
            self._pulse = gap, fit
        return self._pulse

    def _ask(self, *questions: Question) -> list[Any]:
        answers = self._blocks.ask(self._side, self._history, questions)
        # In the order of blocks, so that sums do not depend on which worker was faster.
        by_question = zip(questions, zip(*answers, strict=True), strict=True)
        return [reduce(JOIN[question.method], own) for question, own in by_question]
