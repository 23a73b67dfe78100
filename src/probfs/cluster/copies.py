"""Which features of rows in blocks divide them in the same way: the same that ``screening.copies`` finds in one place.

Values are numbered in the order in which rows first hold them, over all blocks. Features are copies if rows then have
the same numbers in each block, of which a digest is compared.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Mapping

import numpy as np

from probfs.cluster.block import Block
from probfs.cluster.blocks import Blocks
from probfs.columns.dataset import ValueCounts
from probfs.screening.copies import with_equal_sums
from probfs.tables.arrays import Integers

_NOWHERE = np.iinfo(np.int64).max


def find_copies_in_blocks(blocks: Blocks, counts: ValueCounts) -> tuple[tuple[int, ...], ...]:
    """Groups of two or more features, by position, that are copies; ``counts`` are those of all rows."""
    alike = with_equal_sums(counts, np.arange(len(counts.values)))
    if not len(alike):
        return ()
    values = {place: int(counts.values[place]) for place in alike.tolist()}
    first_rows = blocks.ask("first", _first_rows, values=values)
    numbers = {place: _number_values([own[place] for own in first_rows]) for place in values}
    digests = blocks.ask("digest", _digest, numbers=blocks.send("numbers", numbers))
    groups: defaultdict[tuple[bytes, ...], list[int]] = defaultdict(list)
    for place in values:
        groups[tuple(own[place] for own in digests)].append(place)
    return tuple(tuple(members) for members in groups.values() if len(members) > 1)


def _first_rows(block: Block, values: Mapping[int, int]) -> dict[int, Integers]:
    """For each feature, the first row of the block that holds each value."""
    found = {}
    for place, own_values in values.items():
        codes = block.labelled.codes[place]
        first = np.full(own_values + 1, _NOWHERE)
        # Of several rows with one value, the one assigned last stays.
        first[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)
        found[place] = first[:-1]
    return found


def _number_values(first_rows: list[Integers]) -> Integers:
    """The number of each value of a feature, and that of missing cells, which have none of the values' numbers."""
    order = np.lexsort(first_rows[::-1])
    numbers = np.empty(len(order) + 1, dtype=np.int64)
    numbers[order] = np.arange(len(order))
    numbers[-1] = -1
    return numbers


def _digest(block: Block, numbers: Mapping[int, Integers]) -> dict[int, bytes]:
    return {
        place: hashlib.blake2b(own[block.labelled.codes[place]].tobytes(), digest_size=16).digest()
        for place, own in numbers.items()
    }
