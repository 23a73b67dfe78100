"""The rows of a table in blocks on a cluster, for a Naive Bayes that does not know where rows are."""

from __future__ import annotations

import uuid
from dataclasses import replace
from typing import Any

from probfs.classifiers.naive_bayes.grouping import GroupedRows, Grouping
from probfs.classifiers.naive_bayes.model import ClassCounts
from probfs.cluster.block import Block, History, Model, Part, Question, Side
from probfs.cluster.blocks import Blocks
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

    def group(self, grouping: Grouping) -> GroupedRows:
        model = Model(uuid.uuid4().hex, grouping, self._dataset.classes, self._counts, self._part)
        blocks = self._blocks
        if grouping.estimate == "cv":
            features = self._dataset.features
            blocks = deal_blocks(blocks, self._dataset, dict(enumerate(features)), grouping.folds, grouping.seed)
            model = replace(model, fold_counts=count_folds(blocks, grouping.layout, len(self._dataset.classes)))
        asked = _AskedModel(blocks, model)
        labelled = ClusterRows(asked, "labelled", float(model.counts.rows.sum()), model.features)
        unlabelled_rows = self._dataset.unlabelled_rows
        unlabelled = ClusterRows(asked, "unlabelled", unlabelled_rows, model.features) if unlabelled_rows else None
        return GroupedRows(model.counts, labelled, unlabelled)


class _AskedModel:
    """Blocks that are asked about the rows of one model."""

    def __init__(self, blocks: Blocks, model: Model) -> None:
        self._blocks = blocks
        self._model = blocks.send("model", model)

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
