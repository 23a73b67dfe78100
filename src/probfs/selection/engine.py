"""Where the rows are that columns are chosen from: the stages of a selection that depend on it."""

from __future__ import annotations

from typing import Protocol

from probfs.columns.dataset import Dataset
from probfs.ranking.engine import Engine, LocalEngine
from probfs.ranking.inputs import Inputs
from probfs.screening.cut_numbers import numbers_before_cutting
from probfs.selection.rows import LocalRows, SelectionRows


class SelectionEngine(Engine, Protocol):
    """The stages from tables to the rows that a choice is made from; what comes after them is the same everywhere."""

    def rows(self, inputs: Inputs, dataset: Dataset) -> SelectionRows:
        """The labelled rows; ``dataset`` is the encoded one, without unlabelled rows."""


class LocalSelection(LocalEngine):
    """Everything in this process."""

    def rows(self, inputs: Inputs, dataset: Dataset) -> SelectionRows:
        return LocalRows(dataset, list(numbers_before_cutting(inputs.prepared, dataset)))
