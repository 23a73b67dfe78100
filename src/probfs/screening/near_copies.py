"""Columns that are nearly the same as another one. Only one of them should take part in an elimination: two would each
make the other dispensable, and count double to Naive Bayes.

Two columns of numbers are near-copies if their ranks correlate by 0.98 or more, in either direction; two columns of
values if the information that they share, I(i;j), is at least 95 % of the larger of their entropies, whatever the
values are called. Missing cells must be nearly the same, too.

Comparing all rows of each pair of columns would take too long where there are thousands of columns. So only columns
that correlate in a sample of the rows are compared by all rows: by their numbers, or by how often their values go with
the classes.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from probfs.columns.dataset import Dataset, ValueCounts
from probfs.rows.blocks import Block, Blocks
from probfs.screening.counting import ranks_by_feature
from probfs.screening.permutations import midrank_scores
from probfs.screening.redundancy import PairCounts, count_pairs
from probfs.tables.arrays import Floats

RANK_CORRELATION = 0.98
SHARED_INFORMATION = 0.95
_SAME_MISSING = 0.95
"""Of the rows in which either column has a value, the share in which both must have one."""
_LIKELY = 0.9
"""The correlation in the sample from which columns are compared by all rows."""
_SAMPLED_ROWS = 1024
_FEWEST_SAMPLED = 64
_MOST_PRODUCTS = 2e10
"""Of cells of two columns in the sample, for all pairs of columns together: about a second."""
_COLUMNS_AT_A_TIME = 512

NearCopies = tuple[Mapping[int, float], ...]
"""Groups of columns, by position, with how alike each is to the first of its group, which is 1 itself."""
Sampled = npt.NDArray[np.float32]


def find_near_copies(blocks: Blocks, dataset: Dataset, counts: ValueCounts, columns: Sequence[int]) -> NearCopies:
    """Groups of near-copies among some columns, by position: all are near-copies of the first of their group.

    ``dataset`` has the features, the blocks have the rows, and ``counts`` are of all rows.
    """
    likely = _likely_copies(blocks, counts, columns)
    groups: list[dict[int, float]] = []
    found: set[int] = set()
    for place, first in enumerate(columns):
        others = [columns[other] for other in sorted(likely[place]) if columns[other] not in found]
        if first in found or not others:
            continue
        alike = _alike_values(blocks, dataset, counts, first, others)
        alike |= _alike_numbers(blocks, first, [other for other in others if other not in alike])
        if alike:
            found.update(alike)
            groups.append({first: 1.0, **alike})
    return tuple(groups)


# By a sample of the rows


def _likely_copies(blocks: Blocks, counts: ValueCounts, columns: Sequence[int]) -> Mapping[int, set[int]]:
    """For each column, by its place in ``columns``, the later ones that it may be a near-copy of."""
    likely: defaultdict[int, set[int]] = defaultdict(set)
    if len(columns) < 2:
        return likely
    rows = min(_SAMPLED_ROWS, max(_FEWEST_SAMPLED, int(_MOST_PRODUCTS / len(columns) ** 2)))
    # One number for each value of each feature, and for missing cells, by how often it goes with the classes: nearly
    # the same for near-copies, whatever their values are called.
    weights = np.random.default_rng(0).permutation(np.linspace(-1, 1, len(counts.class_rows)))
    by_slot: Floats = counts.by_slot @ weights / np.maximum(counts.by_slot.sum(axis=1), 1)
    value_scores = np.split(by_slot, counts.offset[1:])
    for parts in zip(*blocks.each(_sample, list(columns), value_scores, rows), strict=True):
        cells = np.concatenate(parts, axis=1)
        cells -= cells.mean(axis=1, keepdims=True)
        length = np.sqrt((cells * cells).sum(axis=1, keepdims=True))
        # A column that does not vary correlates with none.
        varies = length > np.float32(1e-6)
        unit = np.where(varies, cells / np.where(varies, length, 1), 0).astype(np.float32)
        for start in range(0, len(columns), _COLUMNS_AT_A_TIME):
            correlated = np.abs(unit[start : start + _COLUMNS_AT_A_TIME] @ unit[start:].T) >= _LIKELY
            for place, other in np.argwhere(np.triu(correlated, 1)).tolist():
                likely[start + place].add(start + other)
    return likely


def _sample(block: Block, columns: list[int], value_scores: list[Floats], rows: int) -> tuple[Sampled, Sampled]:
    """Numbers in ranks, and values in scores, of some columns in some rows; 0 where there are no numbers or values."""
    dataset = block.dataset
    taken = np.flatnonzero(dataset.counts)
    if len(taken) > rows:
        taken = np.sort(np.random.default_rng(0).choice(taken, rows, replace=False))
    ranks, scores = np.zeros((2, len(columns), len(taken)), dtype=np.float32)
    place_of = {column: place for place, column in enumerate(columns)}
    for column, place in place_of.items():
        feature = dataset.features[column]
        if feature.numbers is None:
            scores[place] = value_scores[column][feature.labelled[taken]]
    for column, known, distinct in ranks_by_feature(block, place_of, taken):
        held = np.bincount(known, minlength=distinct + 1)[:distinct]
        ranks[place_of[column]] = np.append(midrank_scores(held), 0)[known]
    return ranks, scores


# By all rows


def _alike_values(
    blocks: Blocks, dataset: Dataset, counts: ValueCounts, first: int, others: list[int]
) -> dict[int, float]:
    """How much information the others share with a column, of those that share enough."""
    counted = [other for other in others if dataset.features[other].numbers is None]
    if dataset.features[first].numbers is not None or not counted:
        return {}
    shared, both = blocks.ask(count_pairs, first, counted).share(len(counted))
    missing = counts.by_slot[counts.offset + counts.values].sum(axis=1)
    present = counts.class_rows.sum() - missing
    either = present[first] + present[counted] - both
    alike = (shared >= SHARED_INFORMATION) & (both >= _SAME_MISSING * either)
    return {counted[place]: _exactly_one(float(shared[place])) for place in np.flatnonzero(alike).tolist()}


def _exactly_one(likeness: float) -> float:
    """The likeness without rounding errors, so that exact copies have 1."""
    return 1.0 if likeness > 1 - 1e-9 else likeness


def _alike_numbers(blocks: Blocks, first: int, others: Sequence[int]) -> dict[int, float]:
    """How far the ranks of the others correlate with those of a column, of those that do so far enough."""
    if not others:
        return {}
    distinct = blocks.each(_count_distinct, [first, *others])[0]
    others = [other for other in others if other in distinct] if first in distinct else []
    alike = {}
    for other, pairs in zip(others, blocks.ask(_pair_ranks, first, others), strict=True):
        has_first, has_other = (pairs.cells[side] < distinct[feature] for side, feature in ((1, first), (2, other)))
        both = has_first & has_other
        rows, either = pairs.rows[both], pairs.rows[has_first | has_other]
        if not rows.sum() or rows.sum() < _SAME_MISSING * either.sum():
            continue
        # The mean of each is 0.
        a, b = (midrank_scores(np.bincount(ranks, rows, minlength=1))[ranks] for ranks in (pairs.cells[1:3, both]))
        squares = float(rows @ a**2) * float(rows @ b**2)
        correlation = abs(float(rows @ (a * b))) / math.sqrt(squares) if squares else 0.0
        if correlation >= RANK_CORRELATION:
            alike[other] = _exactly_one(correlation)
    return alike


def _count_distinct(block: Block, columns: Sequence[int]) -> dict[int, int]:
    return {column: distinct for column, _, distinct in ranks_by_feature(block, columns)}


def _pair_ranks(block: Block, first: int, others: Sequence[int]) -> list[PairCounts]:
    """How many rows hold each number of a column beside each of others, by rank."""
    known = {column: ranks for column, ranks, _ in ranks_by_feature(block, [first, *others])}
    counts, found = block.dataset.counts, []
    for other in others:
        width = int(known[other].max(initial=0)) + 1
        keys, places = np.unique(known[first].astype(np.int64) * width + known[other], return_inverse=True)
        nothing = np.zeros(len(keys), dtype=np.int64)
        cells = np.array([nothing, keys // width, keys % width, nothing])
        found.append(PairCounts(cells, np.bincount(places, counts, minlength=len(keys)).astype(np.float64)))
    return found
