"""What becomes of each column, and why."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from probfs.columns.dataset import Dataset
from probfs.screening.redundancy import find_twins
from probfs.selection.choice import Choice
from probfs.selection.result import SelectedFeature, Verdict
from probfs.selection.rows import SelectionRows
from probfs.tables.arrays import Integers

_REDUNDANT = 0.5
"""A kept column that explains at least this share of what a dropped one says about the class makes it redundant. The
best column that has nothing to do with it explains a quarter.
"""


def judge_columns(rows: SelectionRows, choice: Choice, kept_in_folds: Integers | None) -> tuple[SelectedFeature, ...]:
    """All columns with their verdicts: survivors in the order of elimination, then copies of them and noise, each by
    p-value and name.
    """
    dataset = rows.dataset
    eliminated = [own.feature for own in choice.curve.order]
    copies = _by_p(dataset, choice, choice.copies)
    noise = _by_p(dataset, choice, {*range(len(dataset.features))}.difference(eliminated, copies))
    twins = _find_twins(rows, choice)
    scores = dict(zip(eliminated, zip(choice.curve.order, choice.curve.points[1:], strict=True), strict=True))
    judged = []
    for rank, position in enumerate([*eliminated, *copies, *noise], 1):
        own, point = scores.get(position, (None, None))
        twin, share = twins.get(choice.copies.get(position, position), (None, None))
        verdict: Verdict = "weak" if twin is None else "redundant"
        if rank <= choice.size:
            verdict = "keep"
        elif rank > len(eliminated) + len(copies):
            verdict = "noise"
        judged.append(
            SelectedFeature(
                rank=rank,
                feature=dataset.features[position].name,
                keep=verdict == "keep",
                verdict=verdict,
                p=_number(choice.p[position]),
                q=_number(choice.q[position]),
                s_s=None if own is None else own.s_s,
                s_a=None if own is None else own.s_a,
                log_loss=None if point is None else point.log_loss,
                folds=None if kept_in_folds is None else int(kept_in_folds[position]),
                instead=None if verdict == "keep" or twin is None else dataset.features[twin].name,
                explained=None if verdict == "keep" else share,
            )
        )
    return tuple(judged)


def _find_twins(rows: SelectionRows, choice: Choice) -> dict[int, tuple[int, float]]:
    """For redundant columns, the kept column that says the same, and how much of it; a kept one says all of a copy."""
    dropped = [own.feature for own in choice.curve.order[choice.size :]]
    kept = np.array(choice.kept, dtype=np.int64)
    found = find_twins(rows.joint_counts(), np.array(dropped, dtype=np.int64), kept)
    shares = zip(dropped, found.twin.tolist(), found.explained.tolist(), strict=True)
    redundant = {column: (twin, share) for column, twin, share in shares if share >= _REDUNDANT}
    return {**redundant, **{column: (column, 1.0) for column in choice.kept}}


def _by_p(dataset: Dataset, choice: Choice, columns: Iterable[int]) -> list[int]:
    # Where nothing is tested, by name alone.
    p = np.nan_to_num(choice.p)
    return sorted(columns, key=lambda position: (p[position], dataset.features[position].name))


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
