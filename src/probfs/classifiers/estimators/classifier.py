"""Any estimator with probabilities as a classifier to rank with: every round fits clones of it."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence

from joblib import cpu_count

from probfs.classifiers.estimators import row_copies
from probfs.classifiers.estimators.column_encoders import all_codes, make_encoder
from probfs.classifiers.estimators.fit_plan import EstimatorFitPlan
from probfs.classifiers.estimators.recipe import Recipe
from probfs.classifiers.estimators.tasks import (
    FitReport,
    FitTask,
    PermuteTask,
    RetrainTask,
    fit_and_permute,
    judge_rows,
    retrain_without_features,
)
from probfs.classifiers.options import EstimateName, Removal
from probfs.classifiers.refitting.classifier import RefittedClassifier
from probfs.classifiers.refitting.score_shares import ScoreShare, sum_retrained
from probfs.classifiers.refitting.splits import UNLABELLED, make_splits
from probfs.classifiers.refitting.training_rows import TrainingData
from probfs.classifiers.row_odds import RowOdds
from probfs.columns.dataset import Dataset
from probfs.notes import Note, NoteKind
from probfs.tables.table import Floats
from probfs.text import counted, option


class EstimatorClassifier(RefittedClassifier):
    """Clones of an estimator, and the features that are still active."""

    def __init__(
        self,
        dataset: Dataset,
        recipe: Recipe,
        *,
        removal: Removal,
        permutations: int | None,
        estimate: EstimateName,
        folds: int | None,
        seed: int,
        rounds: Sequence[int],
        jobs: int | None = None,
        on_model: Callable[[int, int], None] | None = None,
        on_note: Callable[[Note], None] | None = None,
    ) -> None:
        """Prepare to rank a dataset whose rows are ordered by content (``order_by_content``).

        ``permutations`` goes with ``removal="permute"`` and ``folds`` with ``estimate="cv"``. ``rounds`` says how many
        features each round will start with. ``jobs`` is the number of processes, one for each core by default.
        """
        self._recipe = recipe
        self._codes = [all_codes(feature) for feature in dataset.features]
        builder = make_encoder(dataset, recipe.encoding, recipe.name)
        self._data = TrainingData(builder, dataset.labels, dataset.counts, len(dataset.classes))
        splits = make_splits(dataset, estimate, folds, seed)
        plan = EstimatorFitPlan(
            removal=removal,
            estimate=estimate,
            splits=len(splits),
            rounds=rounds,
            jobs=jobs or cpu_count(),
            name=recipe.name,
        )
        super().__init__(
            dataset, splits, plan, permutations=permutations, seed=seed, on_model=on_model, on_note=on_note
        )
        self._report = FitReport()

    @property
    def notes(self) -> tuple[Note, ...]:
        """What fitting warned of, copies of rows that were left out, and rows that no tree could judge."""
        notes = []
        report = self._report
        if report.warned:
            message = f"{report.warned:,} of {counted(report.fits, 'fit')} warned: {report.warning}"
            notes.append(NoteKind.FIT_WARNINGS.note(message))
        if report.thinned:
            message = (
                f"there are more rows than the {row_copies.MOST_COPIES:,} that {self._recipe.name} is given: of equal "
                f"rows it was given fewer, in proportion, and each different row at least once"
            )
            notes.append(NoteKind.FEWER_COPIES.note(message))
        if report.unjudged:
            rows = "1 row was" if report.unjudged == 1 else f"{report.unjudged:,} rows were"
            message = (
                f"{rows} drawn for every tree, so that none could judge them out of bag, and only the shares of the "
                f"classes could; more trees, or {option('estimate', 'cv')}, would help"
            )
            notes.append(NoteKind.UNJUDGED.note(message))
        return tuple(notes)

    def make_permute_tasks(self) -> list[PermuteTask]:
        """The tasks of this round when features are removed by permuting them."""
        donors = self._draw_donors()
        codes = [self._codes[feature] for feature in self._active.tolist()]
        # The only model of a round leaves the other cores free for the scoring of its rows.
        threads = self._plan.jobs if len(self._splits) == 1 else 1
        return [
            PermuteTask(self._data, self._recipe, self._active, split, donors[:, split.scored], codes, threads)
            for split in self._splits
        ]

    def _score_permuted(self) -> Iterator[ScoreShare]:
        for share, report in self._workers.run(fit_and_permute, self.make_permute_tasks()):
            self._report += report
            self._report_models(1)
            yield share

    def _score_retrained(self) -> Iterator[ScoreShare]:
        by_task = self._plan.models_by_task(len(self._active))
        tasks = [
            RetrainTask(self._data, self._recipe, self._active, split, left_out)
            for split in self._splits
            for left_out in by_task
        ]
        results = self._workers.run(retrain_without_features, tasks)
        for split in self._splits:
            yield sum_retrained(split, self._unpack_results(itertools.islice(results, len(by_task))))

    def _unpack_results(self, results: Iterable[tuple[list[Floats], FitReport]]) -> Iterator[Floats]:
        """The probabilities of one model after the other, as tasks are finished."""
        for probabilities, report in results:
            self._report += report
            self._report_models(len(probabilities))
            yield from probabilities

    def _judge_without_features(self) -> RowOdds:
        judged = [split for split in self._splits if (split.scored_labels != UNLABELLED).any()]
        return RowOdds.joined([judge_rows(FitTask(self._data, self._recipe, self._active, split)) for split in judged])
