"""Log-losses of rows whose log-odds are multiplied by a temperature, and how they change with it.

``against_own`` has a line of odds for each class but a row's own, all of them finite: a class has the weight e^(b·odds)
at temperature b, and the row's own class the weight 1.
"""

from __future__ import annotations

import math

from probfs.kernels.constants import ROWS_PER_BLOCK
from probfs.kernels.kernel import FAST_MATH, Float64, Float64Array, Int64, helper, kernel
from probfs.kernels.loops.numerics import count_blocks, exp

TEMPERED_SIZE = 3
"""Numbers that each block leaves: the sum of losses, and the first and second derivative of the likelihood's."""
_FACTORS_PER_LOG = 32
"""How many factors, each at most the number of classes, are multiplied before the logarithm of their product is taken:
the product is a double for up to 2^31 classes.
"""


@kernel(
    lengths={
        "against_own": lambda others, rows: others * rows,
        "counts": "rows",
        "top": lambda rows: min(rows, ROWS_PER_BLOCK),
        "total": lambda rows: min(rows, ROWS_PER_BLOCK),
        "first": lambda rows: min(rows, ROWS_PER_BLOCK),
        "second": lambda rows: min(rows, ROWS_PER_BLOCK),
        "sums": lambda rows: TEMPERED_SIZE * count_blocks(rows),
    },
    writes={"top", "total", "first", "second", "sums"},
    fast_math=FAST_MATH,
)
def sum_tempered_losses(
    against_own: Float64Array, others: Int64, rows: Int64, counts: Float64Array, counts_are_one: Int64,
    largest: Float64, temperature: Float64, first_block: Int64, end_block: Int64, top: Float64Array,
    total: Float64Array, first: Float64Array, second: Float64Array, sums: Float64Array,
) -> None:  # fmt: skip
    """Σ count · min(-log P_own, largest) of each block, and the derivatives of Σ count · -log P_own by temperature.

    ``top``, ``total``, ``first`` and ``second`` are scratch space for the rows of one block.
    """
    for block in range(first_block, end_block):
        begin = block * ROWS_PER_BLOCK
        size = min(rows - begin, ROWS_PER_BLOCK)
        for i in range(size):
            top[i] = 0.0
        for other in range(others):
            for i in range(size):
                top[i] = max(top[i], temperature * against_own[other * rows + begin + i])
        for i in range(size):
            total[i] = exp(-top[i])
            first[i] = 0.0
            second[i] = 0.0
        for other in range(others):
            for i in range(size):
                odds = against_own[other * rows + begin + i]
                weight = exp(temperature * odds - top[i])
                total[i] += weight
                first[i] += weight * odds
                second[i] += weight * odds * odds
        slope, curvature = 0.0, 0.0
        for i in range(size):
            mean = first[i] / total[i]
            slope += counts[begin + i] * mean
            curvature += counts[begin + i] * (second[i] / total[i] - mean * mean)
        sums[TEMPERED_SIZE * block] = _sum_losses(top, total, counts, counts_are_one, largest, begin, size)
        sums[TEMPERED_SIZE * block + 1] = slope
        sums[TEMPERED_SIZE * block + 2] = curvature


@helper(fast_math=FAST_MATH)
def _sum_losses(top, total, counts, counts_are_one, largest, begin, size):
    loss = 0.0
    for start in range(0, size, _FACTORS_PER_LOG):
        product = 1.0
        for i in range(start, min(size, start + _FACTORS_PER_LOG)):
            if counts_are_one and top[i] + total[i] <= largest:
                # As log x < x, the loss is below the largest: one logarithm of a product serves many rows.
                loss += top[i]
                product *= total[i]
            else:
                loss += counts[begin + i] * min(top[i] + math.log(total[i]), largest)
        loss += math.log(product)
    return loss
