"""What a report tells beside a result: what the table holds, how it was cut, the story, and how to make it again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from probfs.columns.dataset import Dataset
from probfs.columns.inspect import Inspection, inspect_table
from probfs.columns.prepare import PreparedTable
from probfs.columns.rules import cuts_numbers
from probfs.ranking.story import Story

WRITING_A_REPORT = ".to_html('report.html')"
"""How a call in Python ends that writes a report."""


@dataclass(frozen=True)
class Background:
    """Kept with a ranking or a selection where a report was asked for."""

    inspection: Inspection
    intervals: Mapping[str, tuple[str, ...]]
    """Those that features of numbers were cut into, by name."""
    story: Story
    call: str
    """The command, or the call in Python, that gave the result."""

    def with_top(self, number: int) -> Background:
        """The background of a result of which only the best features are listed; a command says so itself."""
        call = self.call.removesuffix(WRITING_A_REPORT)
        return self if call == self.call else replace(self, call=f"{call}.top({number}){WRITING_A_REPORT}")


def gather_background(prepared: PreparedTable, dataset: Dataset, story: Story, call: str) -> Background:
    """``dataset`` is the prepared table, encoded."""
    cut = {plan.name for plan in prepared.features if cuts_numbers(plan.rule)}
    intervals = {own.name: tuple(own.own_labels().to_pylist()) for own in dataset.features if own.name in cut}
    return Background(inspect_table(prepared), intervals, story, call)
