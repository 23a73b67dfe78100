"""The sums over rows that a round's scores, errors and losses are made of, and the odds of labelled rows.

Probabilities are arrays of classes × rows, but of two classes they hold the second one only.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from probfs.classifiers.protocol import RoundScores
from probfs.classifiers.refitting.rows import UNLABELLED, Split
from probfs.classifiers.row_odds import RowOdds
from probfs.tables.arrays import Floats, Integers

_EQUAL = 1e-12
"""Probabilities closer than this are equal: the difference is rounding."""


@dataclass(frozen=True, eq=False)
class PartialSums:
    """Sums over some rows, with an entry for each feature where they are arrays."""

    absolute: Floats
    """Σ ½ Σ_c |P_c - Q_c| over labelled rows."""
    signed: Floats
    """Σ (P_y - Q_y) over labelled rows."""
    unlabelled: Floats
    """Σ ½ Σ_c |P_c - Q_c| over unlabelled rows."""
    absolute_loss: float
    """Σ (1 - P_y) over labelled rows, with all features."""
    odds: RowOdds
    """Of the labelled rows, with all features."""


def sum_changes(split: Split, block: slice, actual: Floats, changes: Floats) -> PartialSums:
    """The sums of a block of scored rows.

    ``changes`` is by how much the ``actual`` probabilities exceed those without each feature: classes × rows ×
    features.
    """
    labels, counts = split.scored_labels[block], split.scored_counts[block].astype(np.float64)
    known, unknown = labels != UNLABELLED, labels == UNLABELLED
    # Of two classes, both change by the same amount: half of the sum over both is the change of one.
    absolute = np.abs(changes).sum(axis=0) / (1 if len(changes) == 1 else 2)
    right = of_all_classes(actual)[labels[known], np.flatnonzero(known)]
    return PartialSums(
        counts[known] @ absolute[known],
        counts[known] @ _of_own_class(changes[:, known], labels[known]),
        counts[unknown] @ absolute[unknown],
        float(counts[known] @ (1 - right)),
        odds_of(actual[:, known], labels[known], counts[known]),
    )


def sum_retrained(split: Split, actual: Floats, without: Iterable[Floats]) -> PartialSums:
    """The sums of all scored rows, from their probabilities with all features and without each of them."""
    everything = slice(0, len(split.scored))
    parts = [sum_changes(split, everything, actual, (actual - each)[:, :, None]) for each in without]
    return PartialSums(
        np.concatenate([part.absolute for part in parts]),
        np.concatenate([part.signed for part in parts]),
        np.concatenate([part.unlabelled for part in parts]),
        parts[0].absolute_loss,
        parts[0].odds,
    )


def add_up(parts: Sequence[PartialSums]) -> PartialSums:
    """The sums of several blocks or splits."""
    return PartialSums(
        np.sum([part.absolute for part in parts], axis=0),
        np.sum([part.signed for part in parts], axis=0),
        np.sum([part.unlabelled for part in parts], axis=0),
        sum(part.absolute_loss for part in parts),
        RowOdds.joined([part.odds for part in parts]),
    )


def make_scores(total: PartialSums, rows: int, unlabelled_rows: int, cv_errors: int | None) -> RoundScores:
    """The scores of a round, from the sums of all its rows."""
    everywhere = (total.absolute + total.unlabelled) / (rows + unlabelled_rows) if unlabelled_rows else None
    return RoundScores(
        total.absolute / rows,
        total.signed / rows,
        everywhere,
        rows,
        round(total.odds.errors),
        total.absolute_loss / rows,
        # A forest may rule out a row's own class, so that its loss is bounded.
        total.odds.mean_loss,
        cv_errors=cv_errors,
    )


def odds_of(actual: Floats, labels: Integers, counts: Floats | Integers) -> RowOdds:
    """The odds of labelled rows."""
    with np.errstate(divide="ignore"):
        logs = np.log(of_all_classes(actual)).T
    is_own = labels[:, None] == np.arange(logs.shape[1])
    own = logs[is_own]
    others = logs[~is_own].reshape(len(labels), logs.shape[1] - 1).T
    possible = own > -np.inf
    against_own = np.where(possible, others - np.where(possible, own, 0.0), np.inf)
    weights = counts.astype(np.float64)
    return RowOdds(against_own, weights, float(weights @ find_errors(actual, labels)))


def find_errors(probabilities: Floats, labels: Integers) -> npt.NDArray[np.bool_]:
    """Which rows are wrong; a tie falls to the first class."""
    of_all = of_all_classes(probabilities)
    predicted = np.argmax(of_all >= of_all.max(axis=0, initial=0) - _EQUAL, axis=0)
    wrong: npt.NDArray[np.bool_] = predicted != labels
    return wrong


def of_all_classes(probabilities: Floats) -> Floats:
    """The probabilities of both classes, where only those of the second are given, or of more."""
    return np.concatenate([1 - probabilities, probabilities]) if len(probabilities) == 1 else probabilities


def _of_own_class(changes: Floats, labels: Integers) -> Floats:
    """The change of each row's own class: rows × features."""
    if len(changes) > 1:
        own: Floats = changes[labels, np.arange(len(labels))]
    else:
        # The first of two classes changes by as much as the second, in the other direction.
        own = changes[0] * np.where(labels == 1, 1.0, -1.0)[:, None]
    return own
