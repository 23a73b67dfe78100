"""The rows of a table in blocks on a cluster, for a Naive Bayes that does not know where rows are."""

from __future__ import annotations

import uuid
from dataclasses import replace
from typing import Any

from probfs.classifiers.naive_bayes.counts import ClassCounts
from probfs.classifiers.naive_bayes.row_groups import Grouping
from probfs.classifiers.naive_bayes.rows import Rows
from probfs.classifiers.row_odds import Odds
from probfs.cluster.block import Block, History, Model, Part, Question, Side
from probfs.cluster.blocks import Blocks
from probfs.cluster.cluster_odds import ClusterOdds
from probfs.cluster.cluster_rows import ClusterRows
from probfs.cluster.folds import count_folds, deal_blocks
from probfs.columns.dataset import Dataset


class ClusterStore:
    """Blocks of rows, and what is known of all of them."""

    def __init__(
        self, blocks: Blocks, dataset: Dataset, counts: ClassCounts, stored_rows: int, part: Part | None = None
    ) -> None:
        """``dataset`` has one row for each class, which counts for all of them; ``counts`` are those of all labelled
        rows. Both are those of ``part``, where not all features and rows of the blocks take part.
        """
        self._blocks = blocks
        self._dataset = dataset
        self._counts = counts
        self._stored_rows = stored_rows
        self._part = part or Part()

    @property
    def stored_rows(self) -> int:
        return self._stored_rows

    def group(self, grouping: Grouping) -> ClusterGroups:
        model = Model(uuid.uuid4().hex, grouping, self._dataset.classes, self._counts, self._part)
        blocks = self._blocks
        if grouping.estimate == "cv":
            features = self._dataset.features
            blocks = deal_blocks(blocks, self._dataset, dict(enumerate(features)), grouping.folds, grouping.seed)
            model = replace(model, fold_counts=count_folds(blocks, grouping.layout, len(self._dataset.classes)))
        return ClusterGroups(blocks, model, has_unlabelled=self._dataset.unlabelled_rows > 0)


class ClusterGroups:
    """All labelled rows of a cluster as one group, and all unlabelled ones as another."""

    not_compiled_because: str | None = None

    def __init__(self, blocks: Blocks, model: Model, *, has_unlabelled: bool) -> None:
        self.counts = model.counts
        self._blocks = blocks
        self._features = model.features
        self._model = blocks.send("model", model)
        self._labelled = ClusterRows(self, "labelled")
        self.labelled: list[Rows] = [self._labelled]
        self.unlabelled: list[Rows] = [ClusterRows(self, "unlabelled")] if has_unlabelled else []

    def odds(self) -> Odds:
        return ClusterOdds(self._labelled, float(self.counts.rows.sum()), self._features)

    def ask(self, side: Side, history: History, questions: tuple[Question, ...]) -> list[list[Any]]:
        """The answers of each block that has rows of this side, in the order of blocks."""
        answers = self._blocks.ask(
            "answer", _answer, model=self._model, side=side, history=history, questions=questions
        )
        return [own for own in answers if own is not None]


def _answer(
    block: Block, model: Model, side: Side, history: History, questions: tuple[Question, ...]
) -> list[Any] | None:
    return block.answer(model, side, history, questions)
