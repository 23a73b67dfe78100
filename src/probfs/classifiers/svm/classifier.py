"""The SVM as a classifier to rank with: every round fits models and scores the active features."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from probfs.classifiers.options import Cost, EstimateName, Gamma, KernelName
from probfs.classifiers.protocol import HoldOutRequest
from probfs.classifiers.refitting.classifier import FitTask, RefittedClassifier, fit_and_predict, judge_held_out
from probfs.classifiers.refitting.rows import Split
from probfs.classifiers.row_odds import RowOdds
from probfs.classifiers.svm.model import SvmReport, SvmTrainer
from probfs.classifiers.svm.platt import HeldOutFit
from probfs.columns.dataset import Dataset
from probfs.columns.folds import by_dropping_rare_classes
from probfs.errors import DataError, UsageError
from probfs.notes import Note, NoteKind
from probfs.runtime.parallel import Workers
from probfs.text import counted, option, quoted

__all__ = ["Svm", "judge_rows_by_svm"]

MOST_ROWS_FITTED = 100_000_000
"""Of all models of a leave-one-out ranking, together: on two cores, more take hours."""


class Svm(RefittedClassifier):
    """A Platt-scaled support vector machine and the features that are still active."""

    models_beside = 1
    """It finds out which sigmoids decrease."""

    def __init__(
        self,
        dataset: Dataset,
        *,
        kernel: KernelName,
        C: Cost,  # noqa: N803  # the field's own name
        gamma: Gamma | None,
        **more: Any,
    ) -> None:
        """``gamma`` is used with the RBF kernel only; for the other arguments see ``RefittedClassifier``."""
        trainer = SvmTrainer.of(dataset, kernel, C, gamma)
        self._svm_trainer = trainer
        self._first_held_out: HeldOutFit | None = None
        """Of the first round's model with all labelled rows and all features."""
        super().__init__(dataset, trainer, "the SVM", **more)
        check_training_sizes(dataset, self._splits, self._estimate)
        self._refuse_hours()

    @property
    def notes(self) -> tuple[Note, ...]:
        """What the user should know of the models that were fitted."""
        notes = []
        inverted = sum(sum(report.inverted) for report in self._reports)
        unconverged = sum(report.unconverged for report in self._reports)
        fits = counted(sum(len(report.inverted) for report in self._reports), "fit")
        if inverted:
            message = (
                f"in {inverted:,} of {fits} the sigmoid on cross-validated decision values came out "
                "decreasing (few rows, or columns that say little); the one on the training rows, or the share of the "
                "class, was used instead"
            )
            notes.append(NoteKind.SIGMOID.note(message))
        if unconverged:
            problem = f"{unconverged:,} of {fits} did not converge, so their scores are rough"
            message = f"{problem}; a smaller {option('C')} or {option('count')} would help"
            notes.append(NoteKind.NOT_CONVERGED.note(message))
        if self._first_held_out is not None and self._first_held_out.note is not None:
            notes.append(self._first_held_out.note)
        return tuple(notes)

    def _refuse_hours(self) -> None:
        rows = len(self._dataset.labels)
        if self._estimate == "loo" and self._models * rows > MOST_ROWS_FITTED:
            fits = f"{self._models:,} models on {rows:,} rows each"
            problem = f"{option('estimate', 'loo')} with the SVM would fit {fits}, which takes hours"
            raise UsageError(f"{problem}; use {option('estimate', 'cv')}, or a larger {option('step')}")

    def _prepare_round(self) -> SvmTrainer:
        """Where models are compared, all of them fit sigmoids on training rows whose cross-validated sigmoid decreases
        in the model with all rows and all active features.
        """
        if not self._compares_models:
            return self._svm_trainer
        none = np.empty(0, dtype=np.int64)
        task = FitTask(self._svm_trainer, self._active, Split(none, none, none, none, none))
        ((_, report),) = Workers(1, 1).run(fit_and_predict, [task])
        self._hear_of_model(report)
        return replace(self._svm_trainer, training_sigmoids=report.inverted)

    def _count_cv_errors(self, reports: Sequence[SvmReport]) -> int | None:
        # The first model of a round is always the one with all rows and features.
        held_out = reports[0].held_out
        self._first_held_out = self._first_held_out or held_out
        return held_out.errors


def check_training_sizes(dataset: Dataset, splits: Sequence[Split], estimate: EstimateName) -> None:
    """Refuse a class with fewer than two training rows in some model, whose sigmoid could not be cross-validated."""
    most_held_out = np.zeros(len(dataset.classes))
    for split in splits:
        of_class = np.bincount(
            dataset.labels[split.held_out], weights=split.held_out_copies, minlength=len(dataset.classes)
        )
        most_held_out = np.maximum(most_held_out, of_class)
    for label, (name, rows) in enumerate(dataset.class_rows().items()):
        least = rows - int(most_held_out[label])
        if rows < 2:
            problem = f"class {quoted(name)} has one row only, and the SVM's probabilities need two or more"
            remedy = f"drop the row{by_dropping_rare_classes(dataset, 2)}, or use {option('classifier', 'nb')}"
            raise DataError(f"{problem}; {remedy}", source=dataset.source)
        if least < 2:
            chosen = option("estimate", estimate)
            problem = f"class {quoted(name)} has {rows} rows, of which {chosen} leaves {least} to train on"
            remedy = f"the SVM needs two: use {option('estimate', 'resubstitution')}"
            dropping = by_dropping_rare_classes(dataset, rows + 1)
            remedy += f", or drop the class{dropping}" if dropping else ""
            raise DataError(f"{problem}; {remedy}", source=dataset.source)


def judge_rows_by_svm(request: HoldOutRequest, kernel: KernelName, cost: Cost, gamma: Gamma | None) -> RowOdds:
    """The odds of the rows held out, by an SVM of the training rows."""
    return judge_held_out(request, lambda table: SvmTrainer.of(table, kernel, cost, gamma))
