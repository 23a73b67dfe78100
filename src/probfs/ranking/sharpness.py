"""How sure a model should be, and whether it is better than guessing.

Naive Bayes counts columns that say the same several times over, and is too sure then. A model of fewer columns would
look better merely for being less sure. So all rows are given one sharpness: P_c ∝ exp(b·L_c), with the b from 0 to 1 of
the largest likelihood, L being log-weights of models that do not know the row. After that, models of few and of many
columns can be compared. The sum of -log P_own is a convex function of b, so that it has one minimum.
"""

from __future__ import annotations

import math

from probfs.classifiers.protocol import Classifier, OddsClassifier, RoundScores
from probfs.classifiers.row_odds import Odds, TemperedSums, least_probability
from probfs.columns.dataset import Dataset
from probfs.notes import Note, NoteKind
from probfs.ranking.settings import Settings
from probfs.text import option

_NEGLIGIBLE = 1e-15
"""What another step could take from the mean loss, when the search ends."""
_LAST_TERM = 1e-12
_SMALL_STEP = 0.05
"""A step that is small relative to the sharpness, and whose term of fourth order is small relative to the loss, needs
no measurement of the loss after it.
"""
_MOST_STEPS = 100
_CLEAR, _FAR = 2.0, 5.0
"""Standard errors by which a model must beat guessing, and by which nobody need look closer."""
_FAR_LOSS = 0.95
"""The log-loss, relative to that of guessing, for which the same is true."""
_FEWEST_ROWS = 20
"""Of fewer rows nothing is clear, and nobody expects it."""
_OFTEN_WRONG = 0.2
"""The share of rows that guessing gets wrong, from which errors tell whether a model is better."""


def fit_sharpness(odds: Odds, start: float = 1.0) -> tuple[float, float]:
    """The best sharpness from 0 to 1 for some rows, and their mean loss at it; the nearer ``start`` is, the sooner it
    is found.

    Each step goes to the minimum of the Taylor series of fourth order, or halves the range where that is outside of it.
    """
    sums = odds.tempered(least_probability(odds.rows))
    low, high, sharpness = 0.0, 1.0, start
    at = sums(sharpness)
    for _ in range(_MOST_STEPS):
        if at.slope == at.curvature == 0:
            # No sharpness changes anything.
            return 1.0, at.loss / odds.rows
        outwards = (sharpness == 1 and at.slope <= 0) or (sharpness == 0 and at.slope >= 0)
        if outwards or at.slope**2 <= 2 * _NEGLIGIBLE * odds.rows * at.curvature:
            break
        low, high = (sharpness, high) if at.slope < 0 else (low, sharpness)
        step = _best_step(at)
        wanted = sharpness + step
        if low < wanted < high and _is_small(step, sharpness, at):
            return wanted, (at.loss + _taylor(at, step)) / odds.rows
        # An end of the range that no step has come to yet may be the answer itself.
        if wanted >= 1 and high == 1 != sharpness:
            sharpness = 1.0
        elif wanted <= 0 and low == 0 != sharpness:
            sharpness = 0.0
        else:
            sharpness = wanted if low < wanted < high else (low + high) / 2
        at = sums(sharpness)
    return sharpness, at.loss / odds.rows


def _best_step(at: TemperedSums) -> float:
    """Where the series of the slope is 0, near the step of Newton's; far away where the loss is a straight line."""
    if at.curvature <= 0:
        return -math.copysign(math.inf, at.slope)
    newton = step = -at.slope / at.curvature
    for _ in range(5):
        slope = at.slope + step * (at.curvature + step * (at.third / 2 + step * at.fourth / 6))
        curvature = at.curvature + step * (at.third + step * at.fourth / 2)
        if curvature <= 0:
            return newton
        step -= slope / curvature
    return step if abs(step - newton) <= abs(newton) else newton


def _is_small(step: float, sharpness: float, at: TemperedSums) -> bool:
    term = abs(at.fourth) * step**4 / 24
    return not at.clipped and abs(step) <= _SMALL_STEP * sharpness and term <= _LAST_TERM * at.loss


def _taylor(at: TemperedSums, step: float) -> float:
    """What a step adds to the loss."""
    return step * (at.slope + step * (at.curvature / 2 + step * (at.third / 6 + step * at.fourth / 24)))


# Weak models


def notes_on_weak_model(
    classifier: Classifier, scores: RoundScores, dataset: Dataset, settings: Settings
) -> list[Note]:
    """A warning where the model of all columns, whose scores these are, does not clearly beat guessing in rows that it
    does not know, by log-loss and by errors. These say nothing where one class is so frequent that even a good model
    may never guess another one.
    """
    classes = [rows for rows in dataset.class_rows().values() if rows]
    guessing = scores.rows - max(classes)
    entropy = -sum(rows / scores.rows * math.log(rows / scores.rows) for rows in classes)
    # Rows in which only one of the two is wrong are at most as many as both have errors.
    is_far_better = guessing - scores.errors > _FAR * math.sqrt(guessing + scores.errors)
    is_known = settings.estimate != "resubstitution" and scores.rows >= _FEWEST_ROWS
    if not is_known or (is_far_better and scores.log_loss < _FAR_LOSS * entropy):
        return []
    if not isinstance(classifier, OddsClassifier):
        return []
    model, none = classifier.odds(), classifier.odds(())
    least = least_probability(model.rows)
    sharpness = (None, None) if classifier.calibrated else (fit_sharpness(model)[0], fit_sharpness(none)[0])
    excess = [model.losses(sharpness[0], least).minus(none.losses(sharpness[1], least))]
    if guessing >= _OFTEN_WRONG * scores.rows:
        excess.append(model.losses(math.inf, least).minus(none.losses(math.inf, least)))
    if all(-one.mean > _CLEAR * one.se for one in excess):
        return []
    known = f"the model of all columns gets {scores.errors:,} of {scores.rows:,} rows wrong, and guessing {guessing:,}"
    ways = [f"another {option('classifier')}", *([option("bins")] if "bins" in settings.model.options() else [])]
    problem = f"hardly better than guessing: {known}, so the order of columns may mean little"
    together = "probfs pairs (columns that matter only together)"
    return [NoteKind.WEAK_MODEL.note(f"{problem}; try {', '.join(ways)}, {together} or more rows")]
