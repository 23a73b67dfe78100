"""The stages of a selection whose rows are on a cluster."""

from __future__ import annotations

from dataclasses import replace

from probfs.cluster.encoding_plan import EncodingPlan, plan_encoding
from probfs.cluster.engine import ClusterEngine
from probfs.cluster.planned_screen import screen_plan
from probfs.cluster.selection_rows import ClusterSelectionRows
from probfs.columns.dataset import Dataset
from probfs.columns.prepare import PreparedTable
from probfs.columns.rules import cuts_numbers
from probfs.ranking.inputs import Inputs
from probfs.ranking.settings import Settings
from probfs.selection.rows import SelectionRows
from probfs.tables.arrays import Floats


class ClusterSelection(ClusterEngine):
    """Reads, encodes and keeps rows on a cluster, for a selection."""

    def rows(self, inputs: Inputs, dataset: Dataset) -> SelectionRows:
        plan = self.encoded.plan

        def test_all(seed: int) -> Floats:
            return screen_plan(inputs.prepared, plan, seed).p

        position = {own.name: place for place, own in enumerate(plan.features)}
        cut = [position[name] for name in plan.numbers]
        return ClusterSelectionRows(
            self.encoded.blocks, dataset, plan.value_counts(), self.encoded.stored_rows, test_all, cut
        )

    def make_plan(self, prepared: PreparedTable, settings: Settings) -> EncodingPlan:
        plan = plan_encoding(prepared)
        if not settings.folds:
            return plan
        # Without a fold, columns are tested anew, and a column that was cut is tested by its numbers.
        return replace(plan, numbers=tuple(own.name for own in prepared.features if cuts_numbers(own.rule)))
