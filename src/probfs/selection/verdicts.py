"""What becomes of each column, and why."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa

from probfs.columns.choice import CUT_ABOVE, DEFAULT_BINS
from probfs.columns.rules import interval_codes, quantile_points
from probfs.ranking.candidates import Candidates
from probfs.rows.blocks import Block
from probfs.screening.redundancy import find_twins
from probfs.selection.choice import Choice
from probfs.selection.result import SelectedFeature, Verdict
from probfs.tables.arrays import Integers

_REDUNDANT = 0.5
"""A kept column that explains at least this share of what a dropped one says about the class makes it redundant. The
best column that has nothing to do with it explains a quarter.
"""


def judge_columns(
    candidates: Candidates, choice: Choice, kept_in_folds: Integers | None
) -> tuple[SelectedFeature, ...]:
    """All columns with their verdicts, in the order of the ranking. A near-copy has the verdict of the column that took
    part in its place, and is redundant if that column is kept.
    """
    names, screened, curve = candidates.names, choice.screened, choice.curve
    untested = candidates.settings.model.sees_columns_together
    blocks = candidates.encoded.blocks
    if blocks.here is not None:
        blocks = blocks.map(with_intervals)
    # Columns that are one together have too many values to be compared.
    dropped, stay = (
        [place for place in places if not candidates.encoded.dataset.features[place].members]
        for places in (curve.order[choice.size :], choice.kept)
    )
    found = find_twins(blocks, dropped, stay)
    twins = {column: (twin, share) for column, (twin, share) in found.items() if share >= _REDUNDANT}
    assert choice.collector is not None, "the rounds were asked for"
    kept, noise = frozenset(choice.kept), frozenset(screened.noise)
    likeness = {place: alike for group in screened.copies for place, alike in group.items()}
    judged = []
    for ranked, position in zip(
        choice.collector.features, [*curve.order, *screened.repeats, *screened.noise], strict=True
    ):
        rank = ranked.rank
        size = curve.sizes[rank] if rank < len(curve.sizes) else None
        first = screened.repeats.get(position, position)
        is_redundant = first in twins or (first != position and first in kept)
        verdict: Verdict = "redundant" if is_redundant else "weak"
        twin, share = twins.get(position, (None, None)) if first == position else (first, likeness[position])
        if position in kept:
            verdict = "keep"
        elif position in noise:
            verdict = "noise"
        judged.append(
            SelectedFeature(
                rank=rank,
                feature=names[position],
                keep=verdict == "keep",
                verdict=verdict,
                p=None if untested else ranked.p,
                q=None if untested else ranked.q,
                s_s=None if size is None else ranked.s_s,
                s_a=None if size is None else ranked.s_a,
                log_loss=None if size is None else size.log_loss,
                folds=None if kept_in_folds is None else int(kept_in_folds[position]),
                instead=None if twin is None else names[twin],
                explained=share,
            )
        )
    return tuple(judged)


def with_intervals(block: Block) -> Block:
    """The block with measured numbers cut at their quantiles, as for Naive Bayes: a number that only one row has would
    be a value that tells the class of this row.
    """
    features = []
    for feature in block.dataset.features:
        if feature.numbers is None or len(feature.numbers) <= CUT_ABOVE:
            features.append(feature)
            continue
        numbers = np.append(feature.numbers, [np.nan, np.nan])[feature.labelled][None]
        points, counting = quantile_points(numbers, block.dataset.counts, DEFAULT_BINS)
        # The code of a missing cell comes after the last interval, whether it counts as a value or not.
        (codes,) = interval_codes(numbers, points, counting)
        nameless = pa.nulls(int(counting.sum()) + 1 + feature.missing_is_value, pa.string())
        features.append(replace(feature, labelled=codes, numbers=None, label_source=nameless))
    return Block(replace(block.dataset, features=tuple(features)), number=block.number)
