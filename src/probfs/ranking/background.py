"""What a report tells beside a result: what the table holds, how it was cut, the story, and how to make it again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from probfs.columns.dataset import Dataset
from probfs.columns.inspection import Inspection, inspect_table
from probfs.columns.prepare import PreparedTable
from probfs.ranking.story import Story
from probfs.screening.cut_numbers import cuts_numbers


@dataclass(frozen=True)
class Background:
    """Kept with a ranking or a selection where a report was asked for."""

    inspection: Inspection
    intervals: Mapping[str, tuple[str, ...]]
    """Those that features of numbers were cut into, by name."""
    story: Story
    call: str
    """The command, or the call in Python, that gave the result."""


def gather_background(prepared: PreparedTable, dataset: Dataset, story: Story, call: str) -> Background:
    """``dataset`` is the prepared table, encoded."""
    cut = {plan.name for plan in prepared.features if cuts_numbers(plan.rule)}
    intervals = {own.name: tuple(own.own_labels().to_pylist()) for own in dataset.features if own.name in cut}
    return Background(inspect_table(prepared), intervals, story, call)
