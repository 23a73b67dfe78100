"""The compiled loop of the RBF kernel's shuffles; importing this module imports numba."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import config, njit

if config.DISABLE_JIT:  # type: ignore[attr-defined]  # numba sets it from the environment
    raise ImportError("NUMBA_DISABLE_JIT is set")


@njit(cache=True, nogil=True, fastmath={"contract", "reassoc", "nsz"})
def add_donor_sums(rest: Any, factors: Any, donors: Any, sums: Any) -> None:
    """Add to ``sums`` (permutations × rows) the product of each row of ``rest`` with its donors' rows of ``factors``.

    Both have a column for each support vector.
    """
    for row in range(rest.shape[0]):
        own = rest[row]
        for permutation in range(donors.shape[0]):
            donor = factors[donors[permutation, row]]
            total = 0.0
            for vector in range(np.uint64(len(own))):
                total += own[vector] * donor[vector]
            sums[permutation, row] += total
