"""Rankings that the tests of all formats share."""

from __future__ import annotations

import io

import pandas as pd
import pytest

import probfs
from probfs.ranking.result import Ranking
from tests.support.hostile_names import hostile_csv
from tests.support.paths import SAMPLES


@pytest.fixture(scope="session")
def commute() -> Ranking:
    """A ranking with unlabelled rows and three classes."""
    return probfs.rank(SAMPLES / "commute.csv", target="mode", exclude=["person"])


@pytest.fixture(scope="session")
def hostile_ranking() -> Ranking:
    """A ranking of columns whose names steer terminals, spreadsheets and Markdown."""
    return probfs.rank(pd.read_csv(io.StringIO(hostile_csv()), dtype=str), target="y")
