"""What becomes of each column, and why."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa

from probfs.columns.choice import CUT_ABOVE, DEFAULT_BINS
from probfs.columns.dataset import Feature
from probfs.columns.rules import interval_codes, quantile_points
from probfs.rows.block import Block
from probfs.screening.redundancy import find_twins
from probfs.selection.choice import Candidates, Choice
from probfs.selection.result import SelectedFeature, Verdict
from probfs.tables.arrays import Integers

_REDUNDANT = 0.5
"""A kept column that explains at least this share of what a dropped one says about the class makes it redundant. The
best column that has nothing to do with it explains a quarter.
"""


def judge_columns(
    candidates: Candidates, choice: Choice, kept_in_folds: Integers | None
) -> tuple[SelectedFeature, ...]:
    """All columns with their verdicts: survivors in the order of elimination, then copies of them and noise, each by
    p-value and name.
    """
    names = candidates.names
    eliminated = list(choice.curve.order)
    copies = _by_p(names, choice, choice.copies)
    noise = _by_p(names, choice, {*range(len(names))}.difference(eliminated, copies))
    twins = _find_twins(candidates, choice)
    scores = dict(zip(eliminated, zip(choice.collector.features, choice.curve.sizes[1:], strict=True), strict=True))
    judged = []
    for rank, position in enumerate([*eliminated, *copies, *noise], 1):
        ranked, size = scores.get(position, (None, None))
        twin, share = twins.get(choice.copies.get(position, position), (None, None))
        verdict: Verdict = "weak" if twin is None else "redundant"
        if rank <= choice.size:
            verdict = "keep"
        elif rank > len(eliminated) + len(copies):
            verdict = "noise"
        judged.append(
            SelectedFeature(
                rank=rank,
                feature=names[position],
                keep=verdict == "keep",
                verdict=verdict,
                p=_number(choice.p[position]),
                q=_number(choice.q[position]),
                s_s=None if ranked is None else ranked.s_s,
                s_a=None if ranked is None else ranked.s_a,
                log_loss=None if size is None else size.log_loss,
                folds=None if kept_in_folds is None else int(kept_in_folds[position]),
                instead=None if verdict == "keep" or twin is None else names[twin],
                explained=None if verdict == "keep" else share,
            )
        )
    return tuple(judged)


def _find_twins(candidates: Candidates, choice: Choice) -> dict[int, tuple[int, float]]:
    """For redundant columns, the kept column that says the same, and how much of it; a kept one says all of a copy."""
    dropped = choice.curve.order[choice.size :]
    blocks, dataset = candidates.encoded.blocks, candidates.encoded.dataset
    if blocks.here is not None:
        blocks = blocks.map(with_intervals)
        dataset = dataset if blocks.here is None else blocks.here.dataset
    found = find_twins(blocks, dataset, dropped, choice.kept)
    redundant = {column: (twin, share) for column, (twin, share) in found.items() if share >= _REDUNDANT}
    return {**redundant, **{column: (column, 1.0) for column in choice.kept}}


def with_intervals(block: Block) -> Block:
    """The block with measured numbers cut at their quantiles, as Naive Bayes would have them: a number that hardly
    another row has would be a value from which the class of its one row follows.
    """
    dataset = block.dataset
    cut = tuple(_with_intervals(feature, dataset.counts) for feature in dataset.features)
    return Block(replace(dataset, features=cut), number=block.number)


def _with_intervals(feature: Feature, counts: Integers) -> Feature:
    if feature.numbers is None or len(feature.numbers) <= CUT_ABOVE:
        return feature
    numbers = np.append(feature.numbers, [np.nan, np.nan])[feature.labelled][None]
    points, counting = quantile_points(numbers, counts, DEFAULT_BINS)
    # A missing cell comes after the last interval, and stays a value or nothing.
    (codes,) = interval_codes(numbers, points, counting)
    intervals = int(counting.sum()) + 1
    nameless = pa.nulls(intervals + feature.missing_is_value, pa.string())
    return replace(feature, labelled=codes, numbers=None, label_source=nameless)


def _by_p(names: Sequence[str], choice: Choice, columns: Iterable[int]) -> list[int]:
    # Where nothing is tested, by name alone; equal p-values may differ by rounding.
    p = np.nan_to_num(choice.p)
    return sorted(columns, key=lambda position: (float(f"{p[position]:.12g}"), names[position]))


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
