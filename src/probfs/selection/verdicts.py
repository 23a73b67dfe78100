"""What becomes of each column, and why."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa

from probfs.columns.block_cutting import interval_codes, quantile_points
from probfs.columns.dataset import Dataset, Feature
from probfs.columns.limits import CUT_ABOVE, DEFAULT_BINS
from probfs.screening.redundancy import find_twins
from probfs.selection.choice import Choice
from probfs.selection.result import SelectedFeature, Verdict
from probfs.tables.table import Integers

_REDUNDANT = 0.5
"""A kept column that explains at least this share of what a dropped one says about the class makes it redundant. The
best column that has nothing to do with it explains a quarter.
"""


def judge_columns(dataset: Dataset, choice: Choice, kept_in_folds: Integers | None) -> tuple[SelectedFeature, ...]:
    """All columns with their verdicts: survivors in the order of elimination, then noise by p-value and name."""
    order = [own.feature for own in choice.curve.order]
    dropped = order[choice.size :]
    twins = find_twins(
        _with_intervals(dataset), np.array(dropped, dtype=np.int64), np.array(choice.kept, dtype=np.int64)
    )
    explained = dict(zip(dropped, zip(twins.twin.tolist(), twins.explained.tolist(), strict=True), strict=True))
    judged = []
    for rank, (own, point) in enumerate(zip(choice.curve.order, choice.curve.points[1:], strict=True), 1):
        twin, share = explained.get(own.feature, (None, 0.0))
        redundant = twin is not None and share >= _REDUNDANT
        verdict: Verdict = "keep" if rank <= choice.size else "redundant" if redundant else "weak"
        judged.append(
            SelectedFeature(
                rank=rank,
                feature=dataset.features[own.feature].name,
                keep=verdict == "keep",
                verdict=verdict,
                p=_number(choice.p[own.feature]),
                q=_number(choice.q[own.feature]),
                s_s=own.s_s,
                s_a=own.s_a,
                log_loss=point.log_loss,
                folds=_count(kept_in_folds, own.feature),
                instead=dataset.features[twin].name if redundant and twin is not None else None,
                explained=share if redundant else None,
            )
        )
    return (*judged, *_noise(dataset, choice, kept_in_folds))


def _with_intervals(dataset: Dataset) -> Dataset:
    """The dataset with measured numbers cut at their quantiles, as Naive Bayes would have them: a number that hardly
    another row has would be a value from which the class of its one row follows.
    """
    return replace(dataset, features=tuple(_counted(feature, dataset.counts) for feature in dataset.features))


def _counted(feature: Feature, counts: Integers) -> Feature:
    if feature.numbers is None or len(feature.numbers) <= CUT_ABOVE:
        return feature
    numbers = np.append(feature.numbers, [np.nan, np.nan])[feature.labelled][None]
    points, counting = quantile_points(numbers, counts, DEFAULT_BINS)
    # A missing cell comes after the last interval, and stays a value or nothing.
    (codes,) = interval_codes(numbers, points, counting)
    intervals = int(counting.sum()) + 1
    nameless = pa.nulls(intervals + feature.missing_is_value, pa.string())
    return replace(feature, labelled=codes, numbers=None, label_source=nameless)


def _noise(dataset: Dataset, choice: Choice, kept_in_folds: Integers | None) -> list[SelectedFeature]:
    """The columns that did not survive the screen."""
    survivors = {own.feature for own in choice.curve.order}
    names = [feature.name for feature in dataset.features]
    noise = [position for position in range(len(names)) if position not in survivors]
    noise.sort(key=lambda position: (choice.p[position], names[position]))
    return [
        SelectedFeature(
            rank=rank,
            feature=names[position],
            keep=False,
            verdict="noise",
            p=_number(choice.p[position]),
            q=_number(choice.q[position]),
            s_s=None,
            s_a=None,
            log_loss=None,
            folds=_count(kept_in_folds, position),
            instead=None,
            explained=None,
        )
        for rank, position in enumerate(noise, len(survivors) + 1)
    ]


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def _count(kept_in_folds: Integers | None, feature: int) -> int | None:
    return None if kept_in_folds is None else int(kept_in_folds[feature])
