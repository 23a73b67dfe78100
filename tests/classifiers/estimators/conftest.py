"""Tables here are small: threads of OpenMP would only wait for each other."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from threadpoolctl import threadpool_limits


@pytest.fixture(autouse=True)
def _alone() -> Iterator[None]:
    with threadpool_limits(1):
        yield
