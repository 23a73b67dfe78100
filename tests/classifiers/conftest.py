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
    """A number with gaps and a category that tell the class, and two columns that do not."""
    generator = np.random.default_rng(5)
    sick = np.arange(60) % 2
    return pd.DataFrame(
        {
            "dose": np.where(generator.random(60) < 0.1, np.nan, generator.normal(size=60) + 2 * sick),
            "site": np.where(generator.random(60) < 0.2 + 0.6 * sick, "north", "south"),
            "visits": generator.integers(0, 4, 60),
            "noise": generator.normal(size=60),
            "sick": np.where(sick, "yes", "no"),
        }
    )


@pytest.fixture
def filled(mixed: pd.DataFrame) -> pd.DataFrame:
    """The same table without gaps."""
    return mixed.fillna(0.0)
