"""Any estimator with probabilities as a classifier to rank with: every round fits clones of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from probfs.classifiers.estimators import recipes
from probfs.classifiers.estimators.model import EstimatorTrainer
from probfs.classifiers.estimators.recipes import Recipe
from probfs.classifiers.protocol import HoldOutRequest
from probfs.classifiers.refitting.classifier import RefittedClassifier, judge_held_out
from probfs.classifiers.row_odds import RowOdds
from probfs.columns.dataset import Dataset
from probfs.notes import Note, NoteKind
from probfs.text import counted, option

__all__ = ["EstimatorClassifier", "judge_rows_by_estimator"]


class EstimatorClassifier(RefittedClassifier):
    """Clones of an estimator, and the features that are still active."""

    def __init__(self, dataset: Dataset, recipe: Recipe, **more: Any) -> None:
        """For the other arguments see ``RefittedClassifier``."""
        super().__init__(dataset, EstimatorTrainer.of(dataset, recipe), recipe.name, **more)
        self._recipe = recipe

    @property
    def notes(self) -> tuple[Note, ...]:
        """What fitting warned of, copies of rows that were left out, and rows that no tree could judge."""
        notes = []
        warned = [report.warning for report in self._reports if report.warning is not None]
        if warned:
            message = f"{len(warned):,} of {counted(len(self._reports), 'fit')} warned: {warned[0]}"
            notes.append(NoteKind.FIT_WARNINGS.note(message))
        if any(report.thinned for report in self._reports):
            message = (
                f"there are more rows than the {recipes.MOST_COPIES:,} that {self._recipe.name} is given: of equal "
                f"rows it was given fewer, in proportion, and each different row at least once"
            )
            notes.append(NoteKind.FEWER_COPIES.note(message))
        unjudged = max((report.unjudged for report in self._reports), default=0)
        if unjudged:
            rows = "1 row was" if unjudged == 1 else f"{unjudged:,} rows were"
            message = (
                f"{rows} drawn for every tree, so that none could judge them out of bag, and only the shares of the "
                f"classes could; more trees, or {option('estimate', 'cv')}, would help"
            )
            notes.append(NoteKind.UNJUDGED.note(message))
        return tuple(notes)


def judge_rows_by_estimator(request: HoldOutRequest, make_recipe: Callable[[Dataset], Recipe]) -> RowOdds:
    """The odds of the rows held out, by the estimator that ``make_recipe`` gives for the training rows."""
    return judge_held_out(request, lambda table: EstimatorTrainer.of(table, make_recipe(table)))
