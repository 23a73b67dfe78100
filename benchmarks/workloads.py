"""Tables to measure on: seeded, each under a name that keeps its meaning."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pandas as pd


def weston(rows: int, features: int, seed: int = 0) -> pd.DataFrame:
    """The linear problem of Weston et al. (2000): six relevant columns, the others noise; the class is ``y``.

    With probability 0.7 the first three are y·N(i, 1) and the next three N(0, 1), otherwise the other way round.
    """
    generator = np.random.default_rng(seed)
    signs = np.where(generator.permutation(rows) < rows // 2, 1.0, -1.0)
    first = generator.random(rows) < 0.7
    columns: dict[str, npt.NDArray[np.float64]] = {}
    for position in range(features):
        if position < 6:
            telling = first if position < 3 else ~first
            signal = signs * generator.normal(position % 3 + 1, 1, rows)
            columns[f"relevant_{position + 1}"] = np.where(telling, signal, generator.normal(size=rows))
        else:
            columns[f"noise_{position - 5:03}"] = generator.normal(scale=np.sqrt(20), size=rows)
    return pd.DataFrame(columns).assign(y=np.where(signs > 0, "yes", "no"))
