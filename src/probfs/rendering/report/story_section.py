"""What a report says of the rounds: how the models did, which features left, and how scores changed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from probfs.rendering.report.content import ReportColumn, ReportTable, StorySection, shown_name
from probfs.rendering.selection_summary import shown_loss
from probfs.text import counted, shorten_middle

if TYPE_CHECKING:
    from probfs.ranking.story import StoryRound

_NAMED = 3
_LONGEST_NAME = 60


@dataclass(frozen=True)
class ModelOfRound:
    """How the model of a round does."""

    features: int
    errors: int
    rows: int
    log_loss: float


@dataclass(frozen=True)
class JudgedRows:
    """The rows that models are judged by, in words."""

    caption: str
    errors: str
    """The rows that are right or wrong."""
    losses: str
    """What is to be said of losses."""


DECIDING = JudgedRows("how the model does on the rows that decide which feature leaves", "rows", "")
TRAINING = JudgedRows("how the model does on the rows that it was trained on", "training rows", " on training rows")
HELD_OUT = JudgedRows(
    "how many held-out rows the model gets wrong, and its log-loss on the rows that it was trained on",
    "held-out rows",
    " on training rows",
)


def story_section(
    score: str,
    told: Sequence[StoryRound],
    models: Sequence[ModelOfRound],
    rounds: int,
    ranked: Sequence[str],
    listed: int,
    judged: JudgedRows = DECIDING,
) -> StorySection | None:
    """``models`` are those of the rounds ``told`` of, among ``rounds`` in all. ``ranked`` names all features, best
    first; the table of features lists so many of them. A single round has no story.
    """
    if rounds < 2 or not told:
        return None
    after = [*(own.features for own in models[1:]), 0]
    until = [*(own.round for own in told[1:]), rounds + 1]
    leaving = [ranked[left : own.features][::-1] for own, left in zip(models, after, strict=True)]
    return StorySection(
        score,
        _table(told, models, leaving, rounds, judged),
        [_sentence(*own, rounds, judged) for own in zip(told, models, leaving, until, strict=True)],
        [own.scores[:listed] for own in told],
        [len(own.scores) for own in told],
        [max((abs(value) for value in own.scores if math.isfinite(value)), default=0.0) for own in told],
    )


def _table(
    told: Sequence[StoryRound],
    models: Sequence[ModelOfRound],
    leaving: Sequence[Sequence[str]],
    rounds: int,
    judged: JudgedRows,
) -> ReportTable:
    some = f"{len(told)} of the {rounds:,} rounds" if len(told) < rounds else "All rounds"
    return ReportTable(
        "rounds",
        f"{some}: {judged.caption}",
        [
            ReportColumn("round", [f"{own.round:,}" for own in told]),
            ReportColumn("features", [f"{own.features:,}" for own in models]),
            ReportColumn("rows wrong", [f"{own.errors:,}" for own in models]),
            ReportColumn("share wrong", [f"{own.errors / own.rows:.1%}" for own in models]),
            ReportColumn("log-loss", [shown_loss(own.log_loss) for own in models]),
            ReportColumn("then left", [_names(own) for own in leaving], "text"),
        ],
        ends_in_sentences=True,
    )


def _sentence(
    told: StoryRound, model: ModelOfRound, leaving: Sequence[str], until: int, rounds: int, judged: JudgedRows
) -> str:
    """``leaving`` are gone in round ``until``, the next one told of."""
    left = "1 feature is left" if model.features == 1 else f"{model.features:,} features are left"
    wrong = f"{model.errors:,} of {model.rows:,} {judged.errors} wrong ({model.errors / model.rows:.1%})"
    when = "Then" if until == told.round + 1 else f"By round {until:,}"
    then = f"{when} {_names(leaving)} {'leaves' if len(leaving) == 1 else 'leave'}."
    model_does = f"The model gets {wrong}, log-loss {shown_loss(model.log_loss)}{judged.losses}."
    return f"Round {told.round:,} of {rounds:,}: {left}. {model_does} {then}"


def _names(leaving: Sequence[str]) -> str:
    """The first few that leave."""
    shown = ", ".join(shorten_middle(shown_name(name), _LONGEST_NAME) for name in leaving[:_NAMED])
    more = len(leaving) - _NAMED
    return shown if more <= 0 else f"{shown} and {counted(more, 'other')}"
