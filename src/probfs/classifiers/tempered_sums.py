"""The losses of rows at one temperature, and how their sum changes with it: in numpy, and in a compiled loop.

A class has the weight exp(b·L_c) at temperature b, L its log-weight. A class of weight 0 has weight 0 at temperature 0
as well, the limit of ever smaller ones. Rows whose own class has weight 0 are not changed by any temperature: they have
the largest loss, and no part in the derivatives.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from probfs.classifiers.row_odds import RowOdds
from probfs.kernels.constants import ROWS_PER_BLOCK
from probfs.kernels.loops.numerics import count_blocks
from probfs.kernels.loops.tempered_losses import TEMPERED_SIZE, sum_tempered_losses
from probfs.kernels.unavailable import KernelUnavailable
from probfs.runtime.threads import thread_pool
from probfs.tables.table import Floats

_BLOCKS_WORTH_A_THREAD = 32


class TemperedSums(NamedTuple):
    """Sums over rows at one temperature: of the losses, and of the first and second derivatives of -log P_own."""

    loss: float
    slope: float
    curvature: float


def row_losses(odds: RowOdds, temperature: float | None, least: float) -> Floats:
    """-log max(P_own, least) of every row; without a temperature, probabilities are taken as they are."""
    top, total, _ = _weights(odds, 1.0 if temperature is None else temperature)
    losses: Floats = np.minimum(top + np.log(total), -np.log(least))
    return np.where(_is_impossible(odds), -np.log(least), losses)


def sum_losses(odds: RowOdds, least: float, temperature: float) -> TemperedSums:
    """The sums over all rows, in numpy."""
    _, total, weights = _weights(odds, temperature)
    lead = np.where(np.isfinite(odds.against_own), odds.against_own, 0.0)
    mean = (weights * lead).sum(axis=0) / total
    spread = (weights * lead**2).sum(axis=0) / total - mean**2
    fitted = np.where(_is_impossible(odds), 0.0, odds.counts)
    loss = odds.counts @ row_losses(odds, temperature, least)
    return TemperedSums(float(loss), float(fitted @ mean), float(fitted @ spread))


def compile_sums(odds: RowOdds, least: float) -> Callable[[float], TemperedSums] | None:
    """A function from a temperature to the same sums, by the compiled loop; None where it cannot take these rows."""
    if not np.isfinite(odds.against_own).all():
        return None
    others, rows = odds.against_own.shape
    blocks = count_blocks(rows)
    threads = max(1, min(thread_pool().cores, blocks // _BLOCKS_WORTH_A_THREAD))
    ends = [blocks * share // threads for share in range(threads + 1)]
    sums = np.empty((blocks, TEMPERED_SIZE))
    bind = partial(
        sum_tempered_losses.bind,
        against_own=np.ascontiguousarray(odds.against_own),
        others=others,
        rows=rows,
        counts=odds.counts,
        counts_are_one=bool((odds.counts == 1).all()),
        largest=-np.log(least),
        sums=sums,
    )
    try:
        # Each thread has scratch space of its own.
        loops = [
            bind(top=top, total=total, first=first, second=second)
            for top, total, first, second in np.empty((threads, 4, min(rows, ROWS_PER_BLOCK)))
        ]
    except KernelUnavailable:
        return None

    def add_up(temperature: float) -> TemperedSums:
        shares = zip(loops, ends[:-1], ends[1:], strict=True)
        thread_pool().run(
            [partial(loop, temperature=temperature, first_block=first, end_block=end) for loop, first, end in shares]
        )
        return TemperedSums(*sums.sum(axis=0).tolist())

    return add_up


def _is_impossible(odds: RowOdds) -> npt.NDArray[np.bool_]:
    """Whether each row's own class has weight 0."""
    return np.asarray(odds.against_own[0] == np.inf)


def _weights(odds: RowOdds, temperature: float) -> tuple[Floats, Floats, Floats]:
    """The largest log-weight of each row, the sum of all weights relative to it, and the weights of other classes."""
    with np.errstate(invalid="ignore"):
        logs = np.where(odds.against_own == -np.inf, -np.inf, temperature * odds.against_own)
    logs = np.where(_is_impossible(odds), 0.0, logs)
    top: Floats = logs.max(axis=0, initial=0.0)
    weights = np.exp(logs - top)
    return top, np.exp(-top) + weights.sum(axis=0), weights
