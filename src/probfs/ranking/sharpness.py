"""How sure a model should be, and whether it is better than guessing.

Naive Bayes counts columns that say the same several times over, and is too sure then. A model of fewer columns would
look better merely for being less sure. So all rows are given one sharpness: P_c ∝ exp(b·L_c), with the b from 0 to 1 of
the largest likelihood, L being log-weights of models that do not know the row. After that, models of few and of many
columns can be compared. The sum of -log P_own is a convex function of b, so that it has one minimum.
"""

from __future__ import annotations

import math

import numpy as np

from probfs.classifiers.protocol import Classifier, RoundScores
from probfs.classifiers.row_odds import Odds
from probfs.columns.dataset import Dataset
from probfs.notes import Note, NoteKind
from probfs.ranking.settings import Settings
from probfs.text import option, quoted

_NEGLIGIBLE = 1e-15
"""What another step could take from the mean loss, when the search ends."""
_MOST_STEPS = 100
_CLEAR, _FAR = 2.0, 5.0
"""Standard errors by which a model must beat guessing, and from which on this need not be computed."""
_FAR_LOSS = 0.95
"""The log-loss relative to that of guessing, below which it need not be computed."""
_FEWEST_ROWS = 20
"""With fewer rows no model is clearly better than guessing, and nobody expects it."""
_FEW_JUDGED = 1 / 3
_OFTEN_WRONG = 0.2
"""The share of rows that guessing gets wrong, from which errors tell whether a model is better."""


def fit_sharpness(odds: Odds, start: float = 1.0) -> tuple[float, float]:
    """The best sharpness from 0 to 1 for some rows, and their mean loss with it, by Newton's method from ``start``.

    A step that leaves the range in which the minimum is known to be goes to the end of the range, or else halves it.
    """
    low, high, sharpness = 0.0, 1.0, start
    tried = set()
    for _ in range(_MOST_STEPS):
        loss, slope, curvature = odds.loss_and_derivatives(sharpness)
        if slope == curvature == 0:
            # No sharpness changes anything.
            return 1.0, loss
        outwards = (sharpness == 1 and slope <= 0) or (sharpness == 0 and slope >= 0)
        if outwards or slope**2 <= 2 * _NEGLIGIBLE * odds.rows * curvature:
            break
        tried.add(sharpness)
        low, high = (sharpness, high) if slope < 0 else (low, sharpness)
        wanted = sharpness - slope / curvature if curvature > 0 else -math.copysign(math.inf, slope)
        if not low < wanted < high:
            end = min(max(wanted, low), high)
            # An end that no step has come to yet may be the answer itself.
            wanted = (low + high) / 2 if end in tried else end
        sharpness = wanted
    return sharpness, loss


def judge_odds(classifier: Classifier, odds: Odds, start: float | None = None) -> tuple[float | None, float]:
    """The sharpness of a classifier, None where its probabilities need none, and the mean loss of rows with it."""
    if classifier.calibrated:
        return None, odds.loss_and_derivatives(1.0)[0]
    return fit_sharpness(odds, 1.0 if start is None else start)


# Notes on the model of all columns


def notes_on_late_classes(scores: RoundScores, dataset: Dataset) -> list[Note]:
    """With times, a warning if few rows are judged."""
    if dataset.times is None or scores.rows >= _FEW_JUDGED * dataset.rows:
        return []
    held = dataset.counts > 0
    first = [dataset.times[held & (dataset.labels == label)].min() for label in range(len(dataset.classes))]
    late = quoted(dataset.classes[int(np.argmax(first))])
    problem = f"only {scores.rows:,} of {dataset.rows:,} rows are judged: class {late} begins late in"
    problem += f" {option('time')}, and earlier rows only train; drop the class, or rank without times"
    return [NoteKind.LATE_CLASS.note(problem)]


def notes_on_weak_models(
    classifier: Classifier, scores: RoundScores, dataset: Dataset, settings: Settings
) -> list[Note]:
    """A warning if the model of all columns, whose scores these are, does not clearly beat guessing on rows that it was
    not trained on: by log-loss, and by errors unless one class is so frequent that even a good model may never predict
    another.
    """
    classes = [rows for rows in dataset.class_rows().values() if rows]
    guessing = scores.rows - max(classes)
    if dataset.times is not None:
        # Not all rows are judged, nor by the same class frequencies.
        guessing = round(classifier.odds(()).errors)
    entropy = -sum(rows / dataset.rows * math.log(rows / dataset.rows) for rows in classes)
    # Rows in which only one of the two is wrong are at most as many as both have errors.
    is_far_better = guessing - scores.errors > _FAR * math.sqrt(guessing + scores.errors)
    is_known = settings.estimate != "resubstitution" and scores.rows >= _FEWEST_ROWS
    if not is_known or (is_far_better and scores.log_loss < _FAR_LOSS * entropy):
        return []
    model, none = classifier.odds(), classifier.odds(())
    (sharpness, loss), (sharpness_of_none, loss_of_none) = (judge_odds(classifier, odds) for odds in (model, none))
    excess = [model.minus(sharpness, none, sharpness_of_none)]
    if guessing >= _OFTEN_WRONG * scores.rows:
        excess.append(model.minus(math.inf, none, math.inf))
    loses_less, *errs_less = (-difference.mean > _CLEAR * difference.se for difference in excess)
    if loses_less and all(errs_less):
        return []
    known = f"the model of all columns gets {scores.errors:,} of {scores.rows:,} rows wrong (log-loss {loss:.3f})"
    known += f", and guessing {guessing:,} ({loss_of_none:.3f})"
    ways = [f"another {option('classifier')}", *([option("bins")] if "bins" in settings.model.options() else [])]
    problem = "hardly fewer rows wrong than by guessing" if loses_less else "hardly better than guessing"
    problem = f"{problem}: {known}, so the order of columns may mean little"
    together = "probfs pairs (columns that matter only together)"
    return [NoteKind.WEAK_MODEL.note(f"{problem}; try {', '.join(ways)}, {together} or more rows")]
