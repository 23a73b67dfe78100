"""Rows that live in blocks on the workers of a cluster: a ``Rows`` like others, which asks all blocks and adds up."""

from __future__ import annotations

from functools import reduce
from typing import Any, Protocol

from probfs.classifiers.moments import Moments
from probfs.classifiers.naive_bayes.counts import ClassCounts
from probfs.classifiers.naive_bayes.rows import Rows
from probfs.classifiers.protocol import Features
from probfs.classifiers.row_odds import RowOdds
from probfs.classifiers.sums import Fit, Sums
from probfs.classifiers.tempered_sums import TemperedSums
from probfs.cluster.block import JOIN, History, Question, Reference, Shrunk, Side, Updated
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
        self._expected: Features | None = None
        self._known: dict[str, Any] = {}
        """What was answered since the last event, by method; of changes those of the expected features."""
        self._temperature: tuple[float, float, bool] | None = None
        """The temperature at which sums were last asked for, and how."""

    def update(self, features: Features, sign: int = 1) -> None:
        self._record(Updated(tuple(features.tolist()), sign))

    def set_exponent(self, exponent: float, features: Features) -> None:
        # The active features follow from the history.
        self._record(Shrunk(exponent))

    def expect(self, features: Features) -> None:
        self._expected = features
        self._known.pop("sum_changes", None)

    def sum_changes(self, features: Features, shift: int = 0) -> Sums:
        if shift == 0 and features is self._expected and "sum_changes" in self._known:
            return self._known["sum_changes"]  # type: ignore[no-any-return]
        (sums,) = self._ask(Question("sum_changes", (features, shift)))
        return sums  # type: ignore[no-any-return]

    def least_gap(self) -> float:
        return self._look_up("least_gap")  # type: ignore[no-any-return]

    def fit(self) -> Fit:
        return self._look_up("fit")  # type: ignore[no-any-return]

    def largest_excess(self) -> Floats:
        (excess,) = self._ask(Question("largest_excess"))
        return excess  # type: ignore[no-any-return]

    def nearest_changes(self, features: Features) -> Floats:
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

    @property
    def history(self) -> History:
        """What has happened to the rows, or is to happen before they are next asked."""
        return self._history

    def sum_tempered(self, temperature: float, least: float, *, compiled: bool) -> TemperedSums:
        """The sums of the rows' losses at a temperature."""
        wanted = (temperature, least, compiled)
        if wanted != self._temperature or "tempered_sums" not in self._known:
            self._temperature = wanted
            (self._known["tempered_sums"],) = self._ask(Question("tempered_sums", wanted))
        return self._known["tempered_sums"]  # type: ignore[no-any-return]

    def compare_losses(self, reference: Reference, temperature: float, least: float) -> Moments:
        """The differences of the rows' losses at a temperature to other losses of theirs."""
        (moments,) = self._ask(Question("loss_moments", (reference, temperature, least)))
        return moments  # type: ignore[no-any-return]

    def _record(self, event: Updated | Shrunk) -> None:
        self._history = (*self._history, event)
        self._known = {}
        self._expected = None

    def _look_up(self, method: str) -> Any:
        """What every round asks for: all of it is asked for at once, as long as it is not known."""
        questions = [Question("least_gap"), *([Question("fit")] if self._side == "labelled" else [])]
        if self._expected is not None:
            questions.append(Question("sum_changes", (self._expected, 0)))
        if self._temperature is not None:
            # The search for a temperature begins where the last one ended.
            questions.append(Question("tempered_sums", self._temperature))
        new = [question for question in questions if question.method not in self._known]
        if new:
            self._known.update(zip((question.method for question in new), self._ask(*new), strict=True))
        return self._known[method]

    def _ask(self, *questions: Question) -> list[Any]:
        answers = self._blocks.ask(self._side, self._history, questions)
        # In the order of blocks, so that sums do not depend on which worker was faster.
        by_question = zip(questions, zip(*answers, strict=True), strict=True)
        return [reduce(JOIN[question.method], own) for question, own in by_question]
