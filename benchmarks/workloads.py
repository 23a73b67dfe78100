"""Tables to measure on: seeded, each under a name that keeps its meaning."""

from __future__ import annotations

import numpy as np
import pandas as pd

from probfs import synthetic


def weston(rows: int, features: int, seed: int = 0) -> pd.DataFrame:
    """The linear problem of Weston et al. (2000): six relevant columns, the others noise; the class is ``y``."""
    noise = max(features - synthetic.WESTON_RELEVANT, 0)
    sample = synthetic.weston(rows, np.random.default_rng(seed), noise=noise)
    return pd.DataFrame(dict(sample.columns)).iloc[:, :features].assign(y=np.where(sample.positive, "yes", "no"))
