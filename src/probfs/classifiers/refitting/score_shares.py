"""The sums over rows that a round's scores are made of; each model contributes a share."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from probfs.classifiers.refitting.splits import UNLABELLED, Split
from probfs.classifiers.row_odds import RowOdds
from probfs.classifiers.sums import Sums
from probfs.tables.table import Floats, Integers

_EQUAL = 1e-12
"""Probabilities closer than this are equal: the difference is rounding."""


@dataclass(frozen=True, eq=False)
class ScoreShare:
    """One model's share of a round's sums over rows, labelled and unlabelled; unlabelled rows have no signed sum."""

    labelled: Sums
    unlabelled: Sums
    absolute_loss: float
    """The sum of 1 - P over the labelled rows, with all features."""
    odds: RowOdds
    """Of the labelled rows, with all features: errors and log-loss follow from them."""

    def __add__(self, other: ScoreShare) -> ScoreShare:
        return ScoreShare(
            self.labelled + other.labelled,
            self.unlabelled + other.unlabelled,
            self.absolute_loss + other.absolute_loss,
            RowOdds.joined([self.odds, other.odds]),
        )


def sum_changes(split: Split, block: slice, actual: Floats, changes: Floats) -> ScoreShare:
    """The share of a block of scored rows.

    ``actual`` holds their probabilities with all features, classes × rows, and ``changes`` by how much these exceed
    the probabilities without each feature, classes × rows × features; of two classes, both have the second one only.
    """
    labels, counts = split.scored_labels[block], split.scored_counts[block].astype(np.float64)
    known, unknown = labels != UNLABELLED, labels == UNLABELLED
    # Of two classes, both change by the same amount: half of the sum over both is the change of one.
    absolute = np.abs(changes).sum(axis=0) / (1 if len(changes) == 1 else 2)
    own = _select_own_class(changes[:, known], labels[known])
    return ScoreShare(
        Sums(counts[known] @ absolute[known], counts[known] @ own),
        Sums(counts[unknown] @ absolute[unknown], np.zeros(changes.shape[2])),
        _sum_losses(actual[:, known], labels[known], counts[known]),
        odds_of(actual[:, known], labels[known], counts[known]),
    )


def sum_retrained(split: Split, probabilities: Iterator[Floats]) -> ScoreShare:
    """The share of all scored rows, from their probabilities with all features and then without each of them."""
    everything = slice(0, len(split.scored))
    actual = next(probabilities)
    shares = [sum_changes(split, everything, actual, (actual - without)[:, :, None]) for without in probabilities]
    return ScoreShare(
        Sums.side_by_side([share.labelled for share in shares]),
        Sums.side_by_side([share.unlabelled for share in shares]),
        shares[0].absolute_loss,
        shares[0].odds,
    )


def _select_own_class(changes: Floats, labels: Integers) -> Floats:
    """The change of each row's own class: rows × features."""
    if len(changes) == 1:
        # The first of two classes changes by as much as the second, in the other direction.
        signs = np.where(labels == 1, 1.0, -1.0)
        own: Floats = changes[0] * signs[:, None]
    else:
        own = changes[labels, np.arange(len(labels))]
    return own


def odds_of(actual: Floats, labels: Integers, counts: Floats | Integers) -> RowOdds:
    """The odds of rows, from their probabilities as ``sum_changes`` takes them."""
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
    """Which rows are wrong, from probabilities as ``sum_changes`` takes them; a tie falls to the first class."""
    of_all = of_all_classes(probabilities)
    predicted = np.argmax(of_all >= of_all.max(axis=0, initial=0) - _EQUAL, axis=0)
    wrong: npt.NDArray[np.bool_] = predicted != labels
    return wrong


def of_all_classes(actual: Floats) -> Floats:
    """The probabilities of two classes, where only those of the second are given, or of more."""
    return np.concatenate([1 - actual, actual]) if len(actual) == 1 else actual


def _sum_losses(actual: Floats, labels: Integers, counts: Floats) -> float:
    own = of_all_classes(actual)[labels, np.arange(len(labels))]
    return float(counts @ (1 - own))
