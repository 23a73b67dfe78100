"""Tables here are small: threads of OpenMP would only wait for each other."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from probfs.runtime.processes import one_thread


@pytest.fixture(autouse=True)
def _alone() -> Iterator[None]:
    with one_thread():
        yield
