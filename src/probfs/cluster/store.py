"""The rows of a table in blocks on a cluster, for a Naive Bayes that does not know where rows are."""

from __future__ import annotations

import time
import uuid
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from probfs.classifiers.naive_bayes.counts import ClassCounts
from probfs.classifiers.naive_bayes.row_groups import Grouping
from probfs.classifiers.naive_bayes.rows import Rows
from probfs.cluster.block import Block, History, Model, Question, Side
from probfs.cluster.cluster_rows import ClusterRows
from probfs.cluster.connection import Cluster, as_it_is
from probfs.cluster.folds import deal_blocks
from probfs.columns.dataset import Dataset

if TYPE_CHECKING:
    from distributed import Future


_SECONDS_BETWEEN_LOOKS = 2.0
"""How often new workers are looked for: it takes as long as a question."""


class ClusterStore:
    """Blocks of rows, and what is known of all of them."""

    def __init__(
        self, cluster: Cluster, blocks: Sequence[Future[Any]], dataset: Dataset, counts: ClassCounts, stored_rows: int
    ) -> None:
        """``dataset`` has one row for each class, which counts for all of them; ``counts`` are those of all labelled
        rows.
        """
        self._cluster = cluster
        self._blocks = blocks
        self._dataset = dataset
        self._counts = counts
        self._stored_rows = stored_rows

    @property
    def stored_rows(self) -> int:
        return self._stored_rows

    def group(self, grouping: Grouping) -> ClusterGroups:
        model = Model(uuid.uuid4().hex, grouping, self._dataset.classes, self._counts)
        blocks = self._blocks
        if grouping.estimate == "cv":
            blocks, fold_counts = deal_blocks(self._cluster, blocks, self._dataset, grouping)
            model = replace(model, fold_counts=fold_counts)
        return ClusterGroups(self._cluster, blocks, model, has_unlabelled=self._dataset.unlabelled_rows > 0)


class ClusterGroups:
    """All labelled rows of a cluster as one group, and all unlabelled ones as another."""

    not_compiled_because: str | None = None

    def __init__(self, cluster: Cluster, blocks: Sequence[Future[Any]], model: Model, *, has_unlabelled: bool) -> None:
        self.counts = model.counts
        self._cluster = cluster
        self._blocks = blocks
        # The result of a task, and no data of its own: where its only copy is lost, Dask makes it again.
        self._model = cluster.submit("model", as_it_is, model)
        self._workers = cluster.addresses()
        self._next_look = time.monotonic() + _SECONDS_BETWEEN_LOOKS
        self.labelled: list[Rows] = [ClusterRows(self, "labelled")]
        self.unlabelled: list[Rows] = [ClusterRows(self, "unlabelled")] if has_unlabelled else []

    def ask(self, side: Side, history: History, questions: tuple[Question, ...]) -> list[list[Any]]:
        """The answers of each block that has rows of this side, in the order of blocks."""
        self._use_new_workers()
        tasks = self._cluster.map(
            "answer", _answer, self._blocks, model=self._model, side=side, history=history, questions=questions
        )
        answers = self._cluster.gather(tasks)
        self._cluster.release(tasks)
        return [own for own in answers if own is not None]

    def _use_new_workers(self) -> None:
        if time.monotonic() < self._next_look:
            return
        self._next_look = time.monotonic() + _SECONDS_BETWEEN_LOOKS
        workers = self._cluster.addresses()
        if workers - self._workers:
            self._blocks = self._cluster.spread(self._blocks)
        self._workers = workers


def _answer(
    block: Block, model: Model, side: Side, history: History, questions: tuple[Question, ...]
) -> list[Any] | None:
    return block.answer(model, side, history, questions)
