"""What tests of classifiers share."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd
import pytest
from threadpoolctl import threadpool_limits


@pytest.fixture(autouse=True)
def _alone() -> Iterator[None]:
    """Tables here are small: threads of OpenMP would only wait for each other."""
    with threadpool_limits(1):
        yield


@pytest.fixture
def mixed() -> pd.DataFrame:
    generator = np.random.default_rng(5)
    sick = np.arange(60) % 2
    return pd.DataFrame(
        {
            "dose": generator.normal(size=60) + sick,
            "site": np.where(generator.random(60) < 0.3 + 0.4 * sick, "north", "south"),
            "visits": generator.integers(0, 4, 60),
            "noise": generator.normal(size=60),
            "sick": np.where(sick, "yes", "no"),
        }
    )
