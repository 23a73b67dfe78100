"""Columns of many different numbers, summarized where their rows are.

Workers count numbers by their leading bits, which tells where to part them into ranges; a range, with the numbers of
all blocks, is sorted by one worker. So the driver learns where to cut a column, how it is related to the class, and
which numbers it should know, however many there are. Each step is a task for each block or each group of ranges.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from probfs.cluster.connection import Cluster, identity
from probfs.cluster.number_ranges import choose_ranges, finer_bins, quantile_ranks
from probfs.cluster.number_tasks import (
    NumberCount,
    RangeKey,
    RangeQuestions,
    count_numbers,
    join_counts,
    part_numbers,
    summarize_shard,
)
from probfs.cluster.range_summary import NumberSummary, RangeSummary, combine
from probfs.cluster.row_classes import RowClasses
from probfs.columns.leakage import LeakLimits
from probfs.screening.column_tests import FEW_NUMBERS
from probfs.tables.arrays import Floats

if TYPE_CHECKING:
    from distributed import Future

_ROWS_OF_A_RANGE = 1 << 20
_JOINED_AT_ONCE = 8
_MOST_SHARDS = 64
"""Each block sends a piece to each."""


@dataclass(frozen=True, eq=False)
class SummarizedNumbers:
    """What the driver learns of a column."""

    summary: NumberSummary
    known: Floats
    """Numbers that it should know one by one, in rising order."""


def summarize_numbers(
    cluster: Cluster, blocks: Sequence[Future[Any]], rows: RowClasses, intervals: Mapping[str, int]
) -> dict[str, SummarizedNumbers]:
    """The columns that ``intervals`` names, with the number of intervals each may be cut into; those that do not hold
    plain numbers in every block are left out.
    """
    sent = cluster.submit("classes", identity, rows)
    counts = _count_numbers(cluster, blocks, sent, dict.fromkeys(intervals))
    # Where numbers are close together, their leading bits do not tell them apart.
    finer = {name: finer_bins(own.histogram, _ROWS_OF_A_RANGE) for name, own in counts.items()}
    close = {name: bins for name, bins in finer.items() if bins is not None}
    if close:
        counts |= _count_numbers(cluster, blocks, sent, close)
    ranges = {name: choose_ranges(own.histogram, _ROWS_OF_A_RANGE) for name, own in counts.items()}
    wanted = {
        name: quantile_ranks(own.histogram, intervals[name]) if ranges[name].labelled_weight else []
        for name, own in counts.items()
    }
    questions = RangeQuestions(ranges, wanted, FEW_NUMBERS, LeakLimits.of(rows.by_class))
    summaries = _summarize_ranges(cluster, blocks, sent, questions)
    return {name: _combined(own, summaries[name], questions.leaks) for name, own in counts.items()}


def _count_numbers(
    cluster: Cluster, blocks: Sequence[Future[Any]], rows: Future[Any], bins: Mapping[str, Any]
) -> dict[str, NumberCount]:
    sent = cluster.submit("bins", identity, bins)
    counted = cluster.map("numbers", count_numbers, blocks, rows=rows, bins=sent)
    joined = _reduce(cluster, counted, join_counts)
    (counts,) = cluster.gather([joined])
    cluster.release([sent, *counted, joined])
    return {name: own for name, own in counts.items() if own is not None}


def _reduce(cluster: Cluster, futures: Sequence[Future[Any]], join: Callable[[Any], Any]) -> Future[Any]:
    """Results joined by the cluster, some at a time and in their order, so that no machine has to hold all of them."""
    while True:
        futures = [
            cluster.submit("join", join, list(futures[first : first + _JOINED_AT_ONCE]))
            for first in range(0, len(futures), _JOINED_AT_ONCE)
        ]
        if len(futures) == 1:
            return futures[0]


def _summarize_ranges(
    cluster: Cluster, blocks: Sequence[Future[Any]], rows: Future[Any], questions: RangeQuestions
) -> dict[str, list[RangeSummary]]:
    """The summaries of each column's ranges."""
    keys = [(name, place) for name, own in questions.ranges.items() for place in range(len(own.starts))]
    shards = _shards(keys, min(_MOST_SHARDS, len(blocks)))
    parted = cluster.map("part", part_numbers, blocks, rows=rows, ranges=questions.ranges, shards=shards)
    sent = cluster.submit("questions", identity, questions)
    tasks = []
    for number, shard in enumerate(shards):
        own = [cluster.submit("piece", itemgetter(number), part) for part in parted]
        tasks.append(cluster.submit("range", summarize_shard, sent, shard, own))
        cluster.release(own)
    cluster.release(parted)
    by_shard = cluster.gather(tasks)
    cluster.release(tasks)
    found: dict[RangeKey, RangeSummary] = {}
    for shard, summaries in zip(shards, by_shard, strict=True):
        found.update(zip(shard, summaries, strict=True))
    by_column: dict[str, list[RangeSummary]] = {name: [] for name in questions.ranges}
    for name, place in keys:
        by_column[name].append(found[name, place])
    return by_column


def _shards(keys: Sequence[RangeKey], wanted: int) -> list[list[RangeKey]]:
    """Ranges in groups of about as many; none is empty."""
    return [own for number in range(wanted) if (own := list(keys[number::wanted]))]


def _combined(count: NumberCount, summaries: Sequence[RangeSummary], leaks: LeakLimits) -> SummarizedNumbers:
    summary = combine(count.histogram, summaries)
    known = [count.first, *summary.at_rank.values()]
    heaviest = max((own.heaviest for own in summaries if own.heaviest is not None), default=None)
    if heaviest is not None:
        known.append(heaviest[1])
    listed = [own.listed for own in summaries]
    if summary.labelled.distinct > FEW_NUMBERS:
        listed = [own.only(leaks.leaking(own.by_class)) for own in listed]
    every = np.unique(np.concatenate([known, *(own.numbers for own in listed)]))
    every = every[~np.isnan(every)]
    # Of a column without a number that takes part, nothing needs to be known.
    return SummarizedNumbers(summary, every if len(every) else np.zeros(1))
