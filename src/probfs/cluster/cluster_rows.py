"""Rows that live in blocks on the workers of a cluster: ``SummedRows`` like others, which ask all blocks and add up."""

from __future__ import annotations

from functools import reduce
from typing import Any, Protocol

from probfs.classifiers.naive_bayes.rows import Fit, Sums
from probfs.classifiers.protocol import Features
from probfs.classifiers.row_odds import Moments, TemperedSums
from probfs.cluster.block import JOIN, Activated, Dropped, History, Question, Reference, Shrunk, Side, active_after
from probfs.cluster.cluster_odds import ClusterOdds
from probfs.tables.arrays import Floats, Integers


class Asks(Protocol):
    """Where blocks are, and how they are asked."""

    def ask(self, side: Side, history: History, questions: tuple[Question, ...]) -> list[list[Any]]:
        """The answers of each block that has such rows, in the order of blocks."""


class ClusterRows:
    """The rows of one side of all blocks. They change only when they are next asked: until then, what is to happen to
    them is written down.
    """

    def __init__(self, blocks: Asks, side: Side, rows: float, features: Integers) -> None:
        """``features`` are the positions in the blocks of the features that there are."""
        self._blocks = blocks
        self._side: Side = side
        self._rows = rows
        self._features = features
        self._history: History = ()
        self._known: dict[str, Any] = {}
        """What was answered since the last event, by method."""
        self._temperature: tuple[float, float, bool] | None = None
        """The temperature at which sums were last asked for, and how."""

    def activate(self, features: Features) -> None:
        self._record(Activated(len(features)))

    def drop(self, features: Features) -> None:
        self._record(Dropped(tuple(features.tolist())))

    def set_exponent(self, exponent: float) -> None:
        self._record(Shrunk(exponent))

    def sum_changes(self, features: Features) -> Sums:
        # With whatever else every round asks for.
        questions = [Question("sum_changes", (features,)), *self._usual_questions()]
        sums, *others = self._ask(*questions)
        self._known.update(zip((question.method for question in questions[1:]), others, strict=True))
        return sums  # type: ignore[no-any-return]

    def fit(self) -> Fit:
        if "fit" not in self._known:
            (self._known["fit"],) = self._ask(Question("fit"))
        return self._known["fit"]  # type: ignore[no-any-return]

    def squared_ranges(self) -> Floats:
        (ranges,) = self._ask(Question("squared_ranges"))
        return ranges  # type: ignore[no-any-return]

    def row_odds(self) -> ClusterOdds:
        return ClusterOdds(self, self._rows, self._features, active_after(self._history))

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

    def _record(self, event: Activated | Dropped | Shrunk) -> None:
        self._history = (*self._history, event)
        self._known = {}

    def _usual_questions(self) -> list[Question]:
        """What every round asks for beside changes, as long as it is not known."""
        questions = [Question("fit")] if self._side == "labelled" else []
        if self._temperature is not None:
            # The search for a temperature begins where the last one ended.
            questions.append(Question("tempered_sums", self._temperature))
        return [question for question in questions if question.method not in self._known]

    def _ask(self, *questions: Question) -> list[Any]:
        answers = self._blocks.ask(self._side, self._history, questions)
        # In the order of blocks, so that sums do not depend on which worker was faster.
        by_question = zip(questions, zip(*answers, strict=True), strict=True)
        return [reduce(JOIN[question.method], own) for question, own in by_question]
