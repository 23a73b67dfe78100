"""The sums over rows that a round's scores, errors and losses are made of, and the odds of labelled rows.

Probabilities are arrays of classes × rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from probfs.classifiers.protocol import RoundScores
from probfs.classifiers.refitting.rows import UNLABELLED, Split
from probfs.classifiers.row_odds import RowOdds
from probfs.tables.arrays import Flags, Floats, Integers

_EQUAL = 1e-12
"""Probabilities closer than this are equal: the difference is rounding."""


@dataclass(frozen=True, eq=False)
class PartialSums:
    """Sums over some rows."""

    changes: Floats
    """3 × features: Σ ½ Σ_c |P_c - Q_c| and Σ (P_y - Q_y) over labelled rows, and the first over unlabelled ones."""
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
    known, unknown = np.flatnonzero(labels != UNLABELLED), np.flatnonzero(labels == UNLABELLED)
    own, weights = labels[known], counts[known]
    absolute = np.abs(changes).sum(axis=0) / 2
    sums = [weights @ absolute[known], weights @ changes[own, known], counts[unknown] @ absolute[unknown]]
    odds = odds_of(actual[:, known], own, weights)
    return PartialSums(np.stack(sums), float(weights @ (1 - actual[own, known])), odds)


def sum_retrained(split: Split, actual: Floats, without: Sequence[Floats]) -> PartialSums:
    """The sums of all scored rows, from their probabilities with all features and without each of them."""
    everything = slice(0, len(split.scored))
    parts = [sum_changes(split, everything, actual, (actual - each)[:, :, None]) for each in without]
    return PartialSums(np.hstack([part.changes for part in parts]), parts[0].absolute_loss, parts[0].odds)


def add_up(parts: Sequence[PartialSums]) -> PartialSums:
    """The sums of several blocks or splits."""
    return PartialSums(
        np.sum([part.changes for part in parts], axis=0),
        sum(part.absolute_loss for part in parts),
        RowOdds.joined([part.odds for part in parts]),
    )


def make_scores(total: PartialSums, rows: int, unlabelled_rows: int, cv_errors: int | None) -> RoundScores:
    """The scores of a round, from the sums of all its rows."""
    absolute, signed, unlabelled = total.changes
    return RoundScores(
        absolute / rows,
        signed / rows,
        (absolute + unlabelled) / (rows + unlabelled_rows) if unlabelled_rows else None,
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
        logs = np.log(actual).T
    is_own = labels[:, None] == np.arange(logs.shape[1])
    own = logs[is_own]
    others = logs[~is_own].reshape(len(labels), logs.shape[1] - 1).T
    possible = own > -np.inf
    against_own = np.where(possible, others - np.where(possible, own, 0.0), np.inf)
    weights = counts.astype(np.float64)
    return RowOdds(against_own, weights, float(weights @ find_errors(actual, labels)))


def find_errors(probabilities: Floats, labels: Integers) -> Flags:
    """Which rows are wrong; a tie falls to the first class."""
    highest = probabilities.max(axis=0, initial=0)
    wrong: Flags = np.argmax(probabilities >= highest - _EQUAL, axis=0) != labels
    return wrong
